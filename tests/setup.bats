#!/usr/bin/env bats
# harness/setup.sh and harness/compilers.sh among made-up tools: what is missing is found by using it, and named.

# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

commands='awk basename bash cat cksum cut dirname env find grep head make mkdir mktemp nproc paste realpath rm sed seq sort touch uname'

# A checkout of its own, and a PATH that holds made-up tools and what the scripts themselves need.
made_up() {
    bin=$PWD/bin
    mkdir -p "$bin" harness
    cp "$root"/harness/{setup,compilers}.sh harness/
    ln -s "$root/harness/cuda" harness/cuda
    for name in $commands; do ln -sf "$(type -P "$name")" "$bin/$name"; done
    for name in aarch64-linux-gnu-gcc bats bwrap chromedriver chromium clang-format cppcheck curl debootstrap jq jsonschema pgrep munged prlimit python3 qemu-aarch64 sbatch shellcheck slurmctld slurmd sqlite3 zip; do tool "$name" 'exit 0'; done
    tool id 'echo 1000'
    # Compiles what includes no header that is listed in the file "lacking".
    tool gcc "echo gcc >>'$PWD/calls'; [ ! -s '$PWD/lacking' ] || ! grep -qFf '$PWD/lacking' \"\$1\" || exit 1" "$made_output"
    cp "$bin/gcc" "$bin/g++"
    tool clang-16 'case "$*" in -dumpversion) echo 16.0.6; exit ;; esac' "$made_output"
    mkdir -p build/toolchain/bin
    tool nvcc "$made_output"
    mv "$bin/nvcc" build/toolchain/bin/nvcc
    printf '#!/bin/sh\necho "toolchain: no network" >&2\nexit 2\n' >harness/toolchain.sh
    chmod +x harness/toolchain.sh
    export CONVJUDGE_BWRAP=$bin/bwrap
    unset CONVJUDGE_COMPILER CONVJUDGE_NVCC CUDA_HOME
}

# tool NAME LINE...: a program of the shell in the PATH of made-up tools.
tool() {
    { echo '#!/bin/sh'; printf '%s\n' "${@:2}"; } >"$bin/$1"
    chmod +x "$bin/$1"
}
made_output='while [ $# -gt 1 ]; do [ "$1" != -o ] || { echo "#!/bin/sh" >"$2"; /bin/chmod +x "$2"; }; shift; done'

set_up() { # ARGUMENT...
    PATH=$bin run harness/setup.sh "$@"
}

# says STATUS LINE...: these lines and no others.
says() {
    local expected
    printf -v expected '%s\n' "${@:2}"
    [[ $status == "$1" && $output == "${expected%$'\n'}" ]] ||
        { printf 'exit status %s, expected %s\n%s\n' "$status" "$1" "$output"; return 1; }
}

@test "where everything works, setup says nothing, and tries it once" {
    made_up
    set_up test
    says 0 ""
    calls=$(wc -l <calls)
    set_up test
    says 0 ""
    [[ $(wc -l <calls) == "$calls" ]]
    tool prlimit 'exit 1'
    mv "$bin/prlimit" "$bin/elsewhere"
    set_up test
    ends 2 "util-linux"
}

@test "the path of a compiler holds wherever one stands" {
    made_up
    PATH=$bin run harness/compilers.sh nvcc
    equal "$PWD/build/toolchain/bin/nvcc" "$output"
    PATH=$bin run harness/compilers.sh clang
    equal "$bin/clang-16" "$output"
}

@test "a header that does not compile is missing, by the name of its package" {
    made_up
    echo seccomp.h >lacking
    tool apt-get 'exit 1'
    set_up
    says 2 "setup: missing; run: sudo apt-get install -y libseccomp-dev"
    rm "$bin/apt-get"
    tool dnf 'exit 1'
    set_up
    says 2 "setup: missing; run: sudo dnf install -y libseccomp-devel"
    rm "$bin/dnf"
    set_up
    says 2 "setup: missing; install (names as in Debian): libseccomp-dev"
}

@test "a tool that is there and does not run is missing" {
    made_up
    tool cppcheck 'exit 127'
    set_up
    says 0 ""
    set_up test
    says 2 "setup: missing; install (names as in Debian): cppcheck"
}

@test "root installs what is missing, and looks whether it is there now" {
    made_up
    echo cmocka.h >lacking
    tool id 'echo 0'
    tool apt-get "echo \"\$*\" >>installed; [ \$1 != install ] || rm -f '$PWD/lacking'"
    set_up test
    says 0 "setup: installing libcmocka-dev"
    [[ $(<installed) == "install -y -qq --no-install-recommends libcmocka-dev" ]]
    rm build/setup.test
    echo cmocka.h >lacking
    tool apt-get 'exit 0'
    set_up test
    says 2 "setup: installing libcmocka-dev" "setup: still missing after the installation: libcmocka-dev"
}

@test "Slurm is for tests alone: root installs it, and elsewhere they are skipped" {
    made_up
    rm "$bin/slurmd"
    set_up
    says 0 ""
    set_up test
    says 0 "setup: tests with Slurm are skipped: there is no slurmctld, slurmd or munged (Debian: slurm-wlm, munge)"
    rm build/setup.test
    tool id 'echo 0'
    tool apt-get "echo \"\$*\" >>installed; printf '#!/bin/sh\n' >'$bin/slurmd'; /bin/chmod +x '$bin/slurmd'"
    set_up test
    says 0 ""
    [[ $(<installed) == "install -y -qq --no-install-recommends slurm-wlm munge" ]]
}

@test "a browser is for tests alone: root installs it, and elsewhere they are skipped" {
    made_up
    rm "$bin/chromium"
    set_up service
    says 0 ""
    set_up test
    says 0 "setup: tests with a browser are skipped: there is no chromium, chromedriver or selenium (Debian: chromium, chromium-driver, python3-selenium)"
    rm build/setup.test
    tool id 'echo 0'
    tool apt-get "echo \"\$*\" >>installed; printf '#!/bin/sh\n' >'$bin/chromium'; /bin/chmod +x '$bin/chromium'"
    set_up test
    says 0 ""
    [[ $(<installed) == "install -y -qq --no-install-recommends chromium chromium-driver python3-selenium" ]]
}

@test "who cannot install packages is told all of them at once, with what fetches a compiler" {
    made_up
    printf 'seccomp.h\ncJSON.h\n' >lacking
    printf '#!/bin/sh\necho "there is no $1" >&2\nexit 1\n' >harness/compilers.sh
    tool python3 'exit 1'
    tool apt-get 'exit 1'
    set_up
    says 2 "setup: missing; run: sudo apt-get install -y libcjson-dev libseccomp-dev python3-pip" \
        "setup: pip fetches NVIDIA's compiler; without it, for the simulated GPU alone, install in its place: clang-NN libclang-rt-NN-dev"
    tool apt-cache 'printf "clang-%s\n" 14 19 16 format-19 tools'
    set_up
    ends 2 "install in its place: clang-19 libclang-rt-19-dev"
    CONVJUDGE_COMPILER=clang set_up
    says 2 "setup: missing; run: sudo apt-get install -y libcjson-dev libseccomp-dev clang-19 libclang-rt-19-dev"
    tool python3 'exit 0'
    set_up
    says 2 "setup: missing; run: sudo apt-get install -y libcjson-dev libseccomp-dev"
    rm "$bin"/apt-*
    tool pacman 'exit 1'
    tool python3 'exit 1'
    set_up
    says 2 "setup: missing; run: sudo pacman -S --needed cjson libseccomp python-pip" \
        "setup: pip fetches NVIDIA's compiler; without it, for the simulated GPU alone, install in its place: clang compiler-rt"
}

@test "who cannot install packages and has tests is told what these lack, as soon as anything is missing" {
    made_up
    mkdir tests
    touch tests/run.sh
    tool cppcheck 'exit 1'
    tool apt-get 'exit 1'
    set_up
    says 0 ""
    rm build/setup.judge
    printf 'seccomp.h\nyaml.h\n' >lacking
    set_up
    says 2 "setup: missing; run: sudo apt-get install -y cppcheck libseccomp-dev libyaml-dev" \
        "setup: to grade without the tests, these are enough: libseccomp-dev"
    set_up test
    says 2 "setup: missing; run: sudo apt-get install -y cppcheck libseccomp-dev libyaml-dev"
    tool id 'echo 0'
    tool apt-get "echo \"\$*\" >>installed; [ \$1 != install ] || rm -f '$PWD/lacking'"
    set_up
    says 0 "setup: installing libseccomp-dev"
}

@test "a compiler that lacks the host's compiler is not missing itself" {
    made_up
    tool g++ 'exit 1'
    cp "$bin/g++" build/toolchain/bin/nvcc
    cp "$bin/g++" "$bin/clang-16"
    tool python3 'exit 1'
    tool apt-get 'exit 1'
    set_up
    says 2 "setup: missing; run: sudo apt-get install -y g++"
}

@test "without pip, clang is taken as it is, and nobody is asked for pip" {
    made_up
    printf '#!/bin/sh\necho "error: old"; exit 1\n' >build/toolchain/bin/nvcc
    tool python3 'exit 1'
    tool apt-get 'exit 1'
    set_up
    says 0 "setup: build/toolchain/bin/nvcc does not compile a kernel: error: old, and no pip, which would fetch NVIDIA's compiler" \
        "setup: clang compiles, for the simulated GPU alone"
}

@test "what apt says is shown only where it fails" {
    made_up
    echo seccomp.h >lacking
    tool id 'echo 0'
    tool apt-get 'echo "debconf: delaying package configuration" >&2' "[ \$1 != install ] || rm -f '$PWD/lacking'"
    set_up
    says 0 "setup: installing libseccomp-dev"
    rm build/setup.judge
    echo seccomp.h >lacking
    tool apt-get 'echo "E: no space left" >&2; exit 100'
    set_up
    says 2 "setup: installing libseccomp-dev" "E: no space left" "setup: this failed: apt-get install libseccomp-dev"
}

no_fuzzer='case "$*" in *=fuzzer*) echo "ld: cannot find libclang_rt.fuzzer-x86_64.a" >&2; exit 1 ;; esac'

@test "clang without its fuzzer's runtime is named, and the package that it lacks" {
    made_up
    tool clang-16 'case "$*" in -dumpversion) echo 16.0.6; exit ;; esac' "$no_fuzzer" "$made_output"
    set_up
    says 0 ""
    set_up test
    says 0 "setup: fuzzing is skipped: clang-16 links no fuzzer; install its runtime (Debian: libclang-rt-16-dev; Fedora, Arch: compiler-rt)"
}

@test "root installs the runtime of the clang that is there" {
    made_up
    mv "$bin/clang-16" "$bin/clang-19"
    sed -i "s/16.0.6/19.1.0/; 2a $no_fuzzer" "$bin/clang-19"
    tool id 'echo 0'
    tool apt-get "echo \"\$*\" >>installed; sed -i /fuzzer/d '$bin/clang-19'"
    set_up test
    says 0 ""
    [[ $(<installed) == "install -y -qq --no-install-recommends clang-19 libclang-rt-19-dev" ]]
}

@test "the fuzzers are built by the first clang that links one" {
    made_up
    tool clang-16 'case "$*" in -dumpversion) echo 16.0.6; exit ;; esac' "$no_fuzzer" "$made_output"
    tool clang-17 'case "$*" in -dumpversion) echo 17.0.6; exit ;; esac' "$made_output"
    set_up test
    says 0 ""
    PATH=$bin run make -C "$root" -n V=1 BUILD="$PWD/other" fuzz-programs
    ends 0 "$bin/clang-17 -std=gnu11"
    lacks "$bin/clang-16"
    rm "$bin/clang-17"
    PATH=$bin run make -C "$root" -n V=1 BUILD="$PWD/other" fuzz-programs
    ends 0 "clang-16 links no fuzzer"
    lacks "-std=gnu11"
}

@test "where nvcc compiles no kernel, clang is taken" {
    made_up
    printf '#!/bin/sh\necho "error: -- unsupported GNU version!"\nexit 1\n' >build/toolchain/bin/nvcc
    set_up
    says 0 "setup: build/toolchain/bin/nvcc does not compile a kernel: error: -- unsupported GNU version!; fetching NVIDIA's compiler" \
        "toolchain: no network" "setup: clang compiles, for the simulated GPU alone"
    CONVJUDGE_COMPILER=clang set_up
    says 0 "setup: clang compiles, for the simulated GPU alone"
}

@test "where neither compiles a kernel, the reason is given, and what to install" {
    made_up
    printf '#!/bin/sh\nexit 1\n' >build/toolchain/bin/nvcc
    tool clang-16 'echo "error: unable to create target: nvptx64" >&2' 'exit 1'
    set_up
    ends 2 "setup: no nvcc works, and no clang for the simulated GPU: $bin/clang-16 does not compile a kernel: error: unable to create target: nvptx64; install (names as in Debian): clang-NN libclang-rt-NN-dev"
    CONVJUDGE_NVCC=/no/nvcc set_up
    says 2 "setup: /no/nvcc does not compile a kernel: env: '/no/nvcc': No such file or directory"
}

@test "where no sandbox can be made, setup says so and goes on" {
    made_up
    tool bwrap '[ "$1" = --version ] || { echo "bwrap: setting up uid map: Permission denied" >&2; exit 1; }'
    set_up
    says 0 "setup: bubblewrap cannot make a sandbox here (bwrap: setting up uid map: Permission denied); grading needs --unconfined"
}
