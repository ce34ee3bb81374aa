#!/usr/bin/env bash
# The judge on arm64, shown on a machine with another processor. It needs Debian's cross compiler (gcc-aarch64-linux-gnu) and
# a mirror of Debian's packages, which are unpacked into BUILD/arm64-* and kept there; nothing is installed.
# Usage: tests/arm64.sh BUILD           builds judge and unit tests, and runs those below under qemu-user. The simulated GPU's
#                                       counts and modelled times must be those of this machine's own program, to the last digit
#        tests/arm64.sh BUILD machine   starts a virtual arm64 machine of Debian's kernel and packages (qemu-system-aarch64),
#                                       in which `make grade` of the README must say Accepted, confined as a whole. All of it is
#                                       emulated, by 8 GB of memory and in some minutes; MINUTES sets another limit than 60
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath -m "${1:-build}") cross=$(realpath -m "${1:-build}")/arm64
compiler=aarch64-linux-gnu-gcc root=$build/arm64-debian
to_build="libc6-dev libgcc-12-dev libgomp1 libcjson-dev libsqlite3-dev libmd-dev libseccomp-dev libpng-dev zlib1g-dev libcmocka-dev"
to_run="base-files base-passwd libc-bin bash dash coreutils util-linux mount grep sed mawk findutils tar gzip diffutils procps make gcc g++
    bubblewrap libcjson-dev libsqlite3-dev libmd-dev libseccomp-dev libpng-dev zlib1g-dev linux-image-arm64"

die() { printf 'arm64: %s\n' "$*" >&2; exit 2; }
skip() { printf '1..1\nok 1 # skip %s\n' "$*"; exit; }

# unpack FOLDER PACKAGE...: Debian's packages for arm64 with what they depend on, as apt chooses it for an empty machine
unpack() {
    local folder=$1 state=$1.apt package
    [[ ! -e $folder.done ]] || return 0
    rm -rf "$folder" "$state"
    mkdir -p "$folder"/usr/{bin,sbin,lib} "$state"/{lists,archives}/partial
    ln -s usr/bin usr/sbin usr/lib "$folder" # as Debian's installer does
    APT_CONFIG=$state/apt.conf
    export APT_CONFIG
    cat >"$APT_CONFIG" <<END
APT { Architecture "arm64"; Architectures { "arm64"; }; Install-Recommends "false"; Sandbox::User ""; };
Dir { State "$state"; State::status "/dev/null"; Cache "$state"; };
END
    apt-get update -qq && apt-get install -qq -y --download-only "${@:2}" || return
    unset APT_CONFIG
    for package in "$state"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -C "$folder" --keep-directory-symlink -xf - || return
    done
    rm -rf "$state"
    touch "$folder.done"
}

for tool in $compiler apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || skip "there is no $tool (Debian: gcc-aarch64-linux-gnu, apt, dpkg)"
done

cross_make() { # GOAL...
    make --no-print-directory --silent -j"$(nproc)" BUILD="$cross" CC="$compiler --sysroot=$root" "$@"
}

# ---- a virtual machine ----------------------------------------------------------------------------------------------

# What the machine does in place of Debian's own start: it mounts its files once more, since bubblewrap could not leave the
# kernel's first mount, and grades as an ordinary user.
write_init() { # FILE
    cat >"$1" <<'END'
#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp
if [[ ! -e /moved ]]; then
    touch /moved
    mount --bind / /mnt
    cd /mnt
    mount --move . /
    exec chroot . /init
fi
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /tmp
cd /convjudge
export LC_ALL=C.UTF-8
uname -a
setpriv --reuid 1000 --regid 1000 --clear-groups make grade SUB=solutions/conv1d/accepted/naive.cu JSON=/tmp/result.json 2>&1 | cat
grep '"sandbox"' /tmp/result.json
echo o >/proc/sysrq-trigger
sleep 60
END
    chmod 755 "$1"
}

run_machine() {
    local machine=$build/arm64-machine wheels=$build/arm64-wheels wheel name
    for name in qemu-system-aarch64 cpio python3; do command -v $name >/dev/null || die "there is no $name (Debian: qemu-system-arm, cpio)"; done
    # shellcheck disable=SC2086 # words
    unpack "$machine" $to_run || die "the packages of the machine cannot be fetched"
    mkdir -p "$machine"/{proc,sys,dev,tmp,mnt,etc}
    printf 'root:x:0:0::/root:/bin/bash\nstudent:x:1000:1000::/tmp:/bin/bash\n' >"$machine/etc/passwd"
    printf 'root:x:0:\nstudent:x:1000:\n' >"$machine/etc/group"
    ln -sf mawk "$machine/usr/bin/awk"
    ln -sf dash "$machine/usr/bin/sh"
    for name in cc gcc g++ c++; do [[ -e $machine/usr/bin/$name ]] || ln -s g++ "$machine/usr/bin/$name"; done
    # NVIDIA's compiler for arm64: the wheels of harness/toolchain.sh
    mapfile -t names < <(sed -n '/^wheels=(/,/)/p' harness/toolchain.sh | grep -oE 'nvidia-[a-z-]+==[0-9.]+')
    python3 -m pip download --quiet --no-deps --only-binary :all: --platform manylinux_2_17_aarch64 -d "$wheels" "${names[@]}" ||
        die "the wheels cannot be fetched"
    rm -rf "$machine/convjudge"
    mkdir -p "$machine/convjudge/build"
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -C "$machine/convjudge" -xf -
    for wheel in "$wheels"/*.whl; do python3 -m zipfile -e "$wheel" "$machine/convjudge/build/wheels"; done
    mv "$machine/convjudge/build/wheels/nvidia/cu13" "$machine/convjudge/build/toolchain"
    rm -rf "$machine/convjudge/build/wheels"
    chmod -R a+rX,u+w "$machine/convjudge"
    chmod a+x "$machine"/convjudge/build/toolchain/bin/* "$machine"/convjudge/build/toolchain/nvvm/bin/*
    # What was built here is not built again there; a list of headers would name those of the cross compiler.
    cross_make build
    tar -C "$cross" --exclude='*.d' --exclude=tests -cf - . | tar -C "$machine/convjudge/build" -xf -
    chown -R 1000:1000 "$machine/convjudge"
    write_init "$machine/init"
    (cd "$machine" && find . -path ./boot -prune -o -path ./usr/lib/modules -prune -o -print0 | cpio --quiet --null -o -H newc) >"$build/arm64-machine.cpio"
    # shellcheck disable=SC2086 # the options of another machine
    timeout "${MINUTES:-60}m" qemu-system-aarch64 -machine virt -cpu max,pauth-impdef=on -accel tcg,thread=multi -smp "$(nproc)" -m 8G -nic none -nographic \
        -no-reboot -kernel "$machine"/boot/vmlinuz-* -initrd "$build/arm64-machine.cpio" -append "console=ttyAMA0 quiet rdinit=/init" </dev/null |
        tee "$build/arm64-machine.log"
    [[ $(grep -cE '^Accepted |"sandbox":.*"full"' "$build/arm64-machine.log") == 2 ]] ||
        die "expected Accepted and a full sandbox; $build/arm64-machine.log says what came instead"
}

# ---- under qemu-user ------------------------------------------------------------------------------------------------

mkdir -p "$build"
# shellcheck disable=SC2086 # words
unpack "$root" $to_build >"$build/arm64.apt.log" 2>&1 || skip "Debian's packages for arm64 cannot be fetched: $build/arm64.apt.log"
[[ ${2:-} != machine ]] || { run_machine; exit; }
command -v qemu-aarch64 >/dev/null || skip "there is no qemu-aarch64 (Debian: qemu-user)"

# What a kernel would refuse, processes and the sandbox need a kernel for arm64, and are left to the virtual machine.
units=$(ls base/tests/test_{arena,elf,html,json,paths,quantity,record,suggestion,symbol,tensor,text}.c \
    simgpu/{ptx,code,lower,cost,block}/tests/test_*.c simgpu/memory/tests/test_{footprint,origin,texture,validity}.c simgpu/engine/tests/test_*.c simgpu/tests/test_*.c harness/protocol/tests/test_ring.c)
arm() { qemu-aarch64 -L "$root" "$@"; }

# On each line: a kernel of simgpu/tests/data, its grid and block, and its arguments.
kernels='
conv1d.ptx --kernel naive --grid 40 --block 256 f32[11000]=index f32[500]=0.37 f32[10240] i32:10240 i32:499
conv1d.ptx --kernel shared --grid 40 --block 256 --shared 8192 f32[11000]=index f32[500]=0.37 f32[10240] i32:10240 i32:499
conv2d.ptx --kernel tiled --grid 4,4 --block 16,16 --shared 4096 f32[5000]=0.1 f32[25]=0.3 f32[5000] i32:64 i32:64 i32:5 i32:5
reduction.ptx --kernel with_shuffles --grid 20 --block 256 f32[5120]=0.7 f32[20]=0 i32:5120'

# simulate PROGRAM...: output, counters, findings and modelled times of all kernels on each GPU that there is a profile of
simulate() {
    local profile file options
    while read -r file options; do
        for profile in simgpu/profiles/*.json; do
            # shellcheck disable=SC2086 # words
            "$@" run "simgpu/tests/data/$file" --profile "$profile" $options 2>&1 || echo "exit status $?"
        done
    done < <(grep . <<<"$kernels")
}

status=0
result() { # NUMBER WORDS COMMAND...: a test that passes where the command succeeds
    if "${@:3}"; then echo "ok $1 - $2"; else echo "not ok $1 - $2" && status=1; fi
}

# shellcheck disable=SC2046,SC2086 # words
cross_make build "$cross/simgpu/simgpu" $(printf "$cross/%s\n" ${units//.c/})
[[ -x $build/simgpu/simgpu ]] || make --no-print-directory --silent BUILD="$build" simgpu
for unit in $units; do
    echo "# $unit"
    arm "$cross/${unit%.c}" || status=1
done
simulate "$build/simgpu/simgpu" >"$build/arm64.here"
simulate arm "$cross/simgpu/simgpu" >"$build/arm64.there"
echo 1..2
result 1 "each kernel runs on each simulated GPU" test "$(grep -c '^modelled time: ' "$build/arm64.here")" == 16
result 2 "arm64 counts and models what this machine does" diff "$build/arm64.here" "$build/arm64.there"
exit $status
