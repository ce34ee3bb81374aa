#!/usr/bin/env bash
# Shows that the attacks are real: has the naive judge (naive.cu) judge each of them, and checks that it loses in the way
# that the attack's line `// naive:` claims (tests/attacks/README.md). Prints TAP. A sandbox around compiler, judge and
# attack protects this machine; inside, nothing protects the judge from the attack.
# Usage: tests/attacks/naive/run.sh BUILD [FILE...]      DEVICE=cuda[:N] uses a GPU; JOBS=n tries n files at a time, else 2
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$(realpath "$1")
files=("${@:2}")
[[ ${#files[@]} -gt 0 ]] || files=(tests/attacks/*.cu)
device=${DEVICE:-sim}
kind=${device%%:*} ordinal=0
[[ $kind == sim ]] || kind=cuda
[[ $device != cuda:* ]] || ordinal=${device#cuda:}
# shellcheck source=/dev/null
source tests/needs.sh
needs nvcc
nvcc=$(realpath "$(harness/compilers.sh nvcc)")
cuda=$(realpath "$(dirname "$nvcc")/..")
tools=$build/tests/attacks/naive
secret='the-key-of-the-naive-judge|root:x:0:0|:/bin/bash|/nologin|"schema": 1'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"

size=(8192 1023) runtime=$tools data_bytes=$((2 << 30)) device_files=(--dev /dev)
if [[ $kind == cuda ]]; then
    size=(400000 1023) data_bytes=$((64 << 30)) device_files=(--dev-bind /dev /dev --perms 1777 --tmpfs /dev/shm)
    runtime=$(dirname "$(find -L "$cuda/" -name libcudart.so.13 | head -n 1)")
fi
user=(--unshare-user)
if [[ $(id -u) == 0 ]]; then user=(); fi

# confined FOLDER SECONDS COMMAND...: FOLDER, whose name is a number, is /tmp/work inside, and the only place that
# outlasts the sandbox.
confined() {
    local become=() number=${1##*/}
    if [[ $(id -u) == 0 ]]; then # root's own processes are never limited in number; another user's are counted together
        become=(setpriv --reuid="$((61000 + number))" --regid=65534 --clear-groups)
    fi
    timeout -k 1 "$2" "${CONVJUDGE_BWRAP:-bwrap}" "${user[@]}" --unshare-pid --unshare-ipc --unshare-net --unshare-uts --die-with-parent \
        --ro-bind / / --proc /proc "${device_files[@]}" --size $((64 << 20)) --perms 1777 --tmpfs /tmp \
        --size $((64 << 20)) --perms 1777 --tmpfs /var/tmp --ro-bind "$PWD" /tmp/judge --ro-bind "$cuda" /tmp/cuda \
        --ro-bind "$tools" /tmp/tools --ro-bind "$runtime" /tmp/runtime --bind "$1" /tmp/work --chdir /tmp/work --clearenv \
        --setenv PATH /usr/bin:/bin --setenv HOME /tmp --setenv JUDGE_KEY "${secret%%|*}" --setenv CONVJUDGE_HOME /tmp/judge \
        --setenv CONVJUDGE_ENGINE interpreter --setenv CUDA_CACHE_DISABLE 1 --setenv CUDA_VISIBLE_DEVICES "$ordinal" \
        --setenv LD_LIBRARY_PATH "/tmp/work/lib:/tmp/runtime${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "${become[@]}" \
        prlimit --nproc=300 --data="$data_bytes" --fsize=$((64 << 20)) --nofile=1024 --core=0 "${@:3}" </dev/null
}

# step FOLDER SECONDS ARGUMENT...: a step of judge.sh; sets status, to 124 if the time was not enough
step() {
    local start=$SECONDS
    status=0
    confined "$1" "$2" bash /tmp/judge/tests/attacks/naive/judge.sh "${@:3}" >>"$1/script.log" 2>&1 || status=$?
    if [[ $status == 137 ]] && ((SECONDS - start >= $2)); then status=124; fi # timeout had to kill it
}

# judge FILE FOLDER SECONDS TIMES: sets status; FOLDER gets compiler.log and run.log. One at a time uses a GPU.
judge() {
    mkdir -m 777 "$2"
    cp -r "$scratch/naive.o" "$scratch/case" "$2"
    step "$2" "$3" compile "/tmp/judge/$1" "/tmp/cuda/${nvcc#"$cuda"/}"
    [[ $status == 0 ]] || return 0
    exec 9>"$scratch/gpu"
    [[ $kind == sim ]] || flock 9
    step "$2" "$3" judge "$kind" "$4" 9>&-
    exec 9>&-
}

# claim FILE: what its line `// naive:` says; a line `// naive on cuda:` or `// naive on sim:` counts more
claim() {
    { grep -hm 1 "^// naive on $kind: " "$1" || grep -hm 1 '^// naive: ' "$1" || true; } | sed 's|^// naive[^:]*: ||'
}

# microseconds FOLDER: the time that the naive judge has printed
microseconds() {
    sed -n 's/^\(Accepted\|Wrong Answer\): \([0-9.]*\) us a call.*/\2/p' "$1/run.log" | tail -n 1
}

# is_exhausted FOLDER: the compiler ran out of memory or disk
is_exhausted() {
    grep -qsEi 'out of memory|memory exhausted|no space left|file size limit|catastrophic error' "$1/compiler.log"
}

# has_won FOLDER STATUS CLAIM
has_won() {
    local own='^(Accepted|Wrong Answer): [0-9.]+ us a call'
    case $3 in
        'accepted faster'*) grep -qs '^Accepted: .* us a call' "$1/run.log" &&
            awk -v us="$(microseconds "$1")" -v honest="$(microseconds "$scratch/0")" 'BEGIN { exit !(us < honest / 2) }' ;;
        'accepted wrong'*) grep -qs '^Accepted: .* us a call' "$1/run.log" ;;
        'verdict forged'*) { [[ $2 == 0 ]] && grep '^Accepted' "$1/run.log" | grep -qvE "$own"; } ||
            grep -qs $'\e.*Accepted' "$1/compiler.log" "$1/run.log" ;;
        'secret printed'*) grep -qsE "$secret" "$1/run.log" "$1/compiler.log" ;;
        'succeeds'*) grep -qs '^Wrong Answer: .* us a call' "$1/run.log" ;;
        'hangs'*) [[ $2 == 124 ]] || is_exhausted "$1" ;;
        'no memory left'*) is_exhausted "$1" || [[ $(stat -c %s "$1/compiler.log") -gt $((16 << 20)) ]] ;;
        'no verdict'*) [[ -e $1/naive && $2 != 124 ]] && ! grep -qsE '^(Accepted|Wrong Answer)' "$1/run.log" ;;
        *) false ;;
    esac
}

# try NUMBER FILE: one line of TAP
try() {
    local claim seconds=120 times=1 folder=$scratch/$1
    claim=$(claim "$2")
    case $claim in
        'does not apply: '*) echo "ok $1 - $2 # skip $claim"; return ;;
        hangs*) seconds=$patience ;;
        succeeds*) times=2 ;; # some leave a note for the next time
    esac
    judge "$2" "$folder" "$seconds" "$times"
    if has_won "$folder" "$status" "$claim"; then
        echo "ok $1 - $2: $claim"
    else
        echo "not ok $1 - $2: ${claim:-no line \`// naive:\`}"
        touch "$scratch/failed"
        tail -qn 3 "$folder"/{script,compiler,run}.log 2>/dev/null | tail -c 2000 | sed "s/^/# exit status $status: /" || true
    fi
    rm -rf "$folder"
}

"$nvcc" -O3 --no-compress -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Xcompiler -fPIC \
    -c tests/attacks/naive/naive.cu -o "$scratch/naive.o"
mkdir -m 755 "$scratch/case"
"$tools/make_case" "$scratch/case" "${size[@]}"
start=$SECONDS
judge solutions/conv1d/accepted/naive.cu "$scratch/0" 120 1
patience=$((4 + 2 * (SECONDS - start))) # seconds after which an attack counts as hanging
echo "1..$((${#files[@]} + 1))"
honest=not
if [[ $status == 0 && -n $(microseconds "$scratch/0") ]]; then honest=''; fi
echo "${honest:+not }ok 1 - an honest submission is accepted by the naive judge, $(microseconds "$scratch/0") us"
if [[ -n $honest ]]; then tail -qn 3 "$scratch"/0/*.log | sed 's/^/# /'; fi
for i in "${!files[@]}"; do
    while (($(jobs -pr | wc -l) >= ${JOBS:-2})); do wait -n; done
    try $((i + 2)) "$(realpath --relative-to . "${files[i]}")" &
done
wait
[[ ! -e $scratch/failed ]]
