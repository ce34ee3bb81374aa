#!/usr/bin/env bash
# Checks that everything is installed that building and judging need, by using each thing once; with `service` also what the
# server and its clients need, with `test` what the tests need, too. As root on Debian and Ubuntu it installs exactly what is
# missing; elsewhere it prints one command for all that any of these lacks, and exits with 2. If no nvcc works, it fetches one
# (toolchain.sh). If that fails, or with CONVJUDGE_COMPILER=clang, clang compiles for the simulated GPU.
# A success is noted in build/setup.*; the checks run again when a program, PATH, the machine or this script changes.
# Usage: harness/setup.sh [service|test]
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-judge}

die() { printf 'setup: %s\n' "$@" >&2; exit 2; }
say() { printf 'setup: %s\n' "$*"; }

# On each line: a command, or a header and its library; the packages that contain it on Debian, Fedora and Arch.
needed='
gcc            -          gcc            gcc             gcc
g++            -          g++            gcc-c++         gcc
make           -          make           make            make
bwrap          -          bubblewrap     bubblewrap      bubblewrap
prlimit        -          util-linux     util-linux      util-linux
cjson/cJSON.h  -lcjson    libcjson-dev   cjson-devel     cjson
sqlite3.h      -lsqlite3  libsqlite3-dev sqlite-devel    sqlite
sha256.h       -lmd       libmd-dev      libmd-devel     libmd
seccomp.h      -lseccomp  libseccomp-dev libseccomp-devel libseccomp
png.h          -lpng16    libpng-dev     libpng-devel    libpng
zlib.h         -lz        zlib1g-dev     zlib-devel      zlib'
needed_by_service='
microhttpd.h   -lmicrohttpd libmicrohttpd-dev libmicrohttpd-devel libmicrohttpd
curl/curl.h    -lcurl     libcurl4-openssl-dev libcurl-devel curl
cmark.h        -lcmark    libcmark-dev   cmark-devel     cmark
archive.h      -larchive  libarchive-dev libarchive-devel libarchive
yaml.h         -lyaml     libyaml-dev    libyaml-devel   libyaml'
needed_by_tests='
bats           -          bats           bats            bats
cmocka.h       -lcmocka   libcmocka-dev  libcmocka-devel cmocka
fftw3.h        -lfftw3    libfftw3-dev   fftw-devel      fftw
shellcheck     -          shellcheck     ShellCheck      shellcheck
clang-format   -          clang-format   clang-tools-extra clang
cppcheck       -          cppcheck       cppcheck        cppcheck
jq             -          jq             jq              jq
curl           -          curl           curl            curl
sqlite3        -          sqlite3        sqlite          sqlite
python3        -          python3        python3         python
jsonschema     -          python3-jsonschema python3-jsonschema python-jsonschema
zip            -          zip            zip             zip
yaml           -          python3-yaml   python3-pyyaml  python-yaml
pgrep          -          procps         procps-ng       procps-ng'
list=$needed
[[ $mode == judge ]] || list+=$needed_by_service
[[ $mode != test ]] || list+=$needed_by_tests

if command -v apt-get >/dev/null; then
    column=1 how='run: sudo apt-get install -y'
elif command -v dnf >/dev/null; then
    column=2 how='run: sudo dnf install -y'
elif command -v pacman >/dev/null; then
    column=3 how='run: sudo pacman -S --needed'
else
    column=1 how='install (names as in Debian):'
fi

work=$(mktemp -d 2>/dev/null) || die "no temporary folder can be made in ${TMPDIR:-/tmp}; set TMPDIR to a folder where it can"
trap 'rm -rf "$work"' EXIT

# works PROOF LIBRARY
works() {
    case $1 in
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    yaml) python3 -c 'import yaml' >/dev/null 2>&1 ;;
    *.h)
        printf '#include <%s>\n' sys/types.h setjmp.h stdarg.h stddef.h stdint.h "$1" >"$work/try.c"
        printf 'int main(void) { return 0; }\n' >>"$work/try.c"
        gcc "$work/try.c" "$2" -o "$work/try" >/dev/null 2>&1
        ;;
    gcc | g++)
        printf '#include <math.h>\nint main(void) { return 0; }\n' >"$work/try.c"
        "$1" "$work/try.c" -o "$work/try" >/dev/null 2>&1 && "$work/try"
        ;;
    *) "$1" --version >/dev/null 2>&1 </dev/null ;;
    esac
}

# missing: the packages of everything that does not work, on one line
missing() {
    local proof library names
    while read -r proof library names; do
        [[ -z $proof ]] || works "$proof" "$library" || awk -v column="$column" '{ print $column }' <<<"$names"
    done <<<"$list" | sort -u | paste -sd ' '
}

updated=''
apt_update() { # a new machine has no package lists yet
    [[ -z $updated ]] || return 1
    updated=1
    apt-get update -qq >"$work/said" 2>&1
}

apt_install() { # what apt says is of interest only where it fails: $work/said
    export DEBIAN_FRONTEND=noninteractive
    ! apt-get install -y -qq --no-install-recommends "$@" >"$work/said" 2>&1 || return 0
    apt_update && apt-get install -y -qq --no-install-recommends "$@" >"$work/said" 2>&1
}

can_install() { [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; }

install_packages() { # PACKAGE...
    say "installing $*"
    apt_install "$@" || { cat "$work/said" >&2; die "this failed: apt-get install $*"; }
    local still
    still=$(missing)
    [[ -z $still ]] || die "still missing after the installation: $still"
}

# Whoever must ask somebody else to install packages should have to ask once: where there are tests, what they need is named,
# too. Of the compilers, pip fetches the one that does everything.
ask_for_packages() {
    local enough said clang=''
    [[ ${CONVJUDGE_COMPILER:-} != clang ]] || try_compiler clang || clang=" $(clang_packages)"
    enough=$packages$clang
    [[ ! -e tests/run.sh ]] || list=$needed$needed_by_service$needed_by_tests$fetcher
    packages=$(missing)$clang
    said=("missing; $how $packages")
    [[ -z $fetcher ]] || works pip ||
        said+=("pip fetches NVIDIA's compiler; without it, for the simulated GPU alone, install in its place: $(clang_packages)")
    [[ $enough == "$packages" ]] || said+=("to grade without the tests, these are enough: $enough")
    die "${said[@]}"
}

clang_versions() { sed -n 's/^clang-\(1[6-9]\|[2-9][0-9]\)$/\1/p' | sort -run; }

# The newest clang that can be installed, with its runtime, which fuzzing needs.
clang_packages() {
    local version
    version=$(apt-cache pkgnames clang- 2>/dev/null | clang_versions | head -n 1) || true
    if [[ $column == 1 ]]; then echo "clang-${version:-NN} libclang-rt-${version:-NN}-dev"; else echo "clang compiler-rt"; fi
}

try_version() { apt_install "clang-$2" "libclang-rt-$2-dev" && try_compiler "$1"; }

# install_clang KIND: installs clang and its runtime until a version works: those that are there, then those of the package
# lists, the newest first.
install_clang() {
    local version
    can_install || return 1
    for version in $(compgen -c clang- | clang_versions); do ! try_version "$1" "$version" || return 0; done
    apt_update || true
    for version in $(apt-cache pkgnames clang- | clang_versions); do ! try_version "$1" "$version" || return 0; done
    return 1
}

# try_compiler KIND: if compilers.sh finds none that works, $reason says why.
try_compiler() {
    reason=$(harness/compilers.sh "$1" 2>&1 >/dev/null)
}

# The judge prefers the nvcc in build/toolchain to others, so fetching one helps even if another one does not work.
find_nvcc() {
    try_compiler nvcc && return
    [[ -z ${CONVJUDGE_NVCC:-} ]] || die "$reason"
    if ! works pip && ! can_install; then
        say "$reason, and no pip, which would fetch NVIDIA's compiler"
        return 1
    fi
    say "$reason; fetching NVIDIA's compiler"
    harness/toolchain.sh && try_compiler nvcc
}

# Where no compiler for kernels works, pip, which fetches one, belongs to what is missing. A compiler that is there may only
# lack the host's.
needs_compiler() {
    [[ ${CONVJUDGE_COMPILER:-} != clang && -z ${CONVJUDGE_NVCC:-} ]] && ! try_compiler nvcc && can_blame "nvcc" &&
        ! try_compiler clang && can_blame "clang"
}
can_blame() { [[ $reason == "there is no $1"* ]] || works g++; }

# Only root can run Slurm's daemons, so that nobody else is asked to install them.
has_slurm() { command -v slurmctld && command -v slurmd && command -v munged && command -v sbatch; } >/dev/null
try_slurm() { has_slurm || { can_install && apt_install slurm-wlm munge && has_slurm; }; }

has_arm64() { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64; } >/dev/null
try_arm64() { has_arm64 || { can_install && apt_install gcc-aarch64-linux-gnu qemu-user && has_arm64; }; }

# Debian's selenium is for Debian's python, which need not be the first in PATH.
has_selenium() { python3 -c 'import selenium' || /usr/bin/python3 -c 'import selenium'; }
has_browser() { command -v chromium && command -v chromedriver && has_selenium; } >/dev/null 2>&1
try_browser() { has_browser || { can_install && apt_install chromium chromium-driver python3-selenium && has_browser; }; }

try_sandbox() {
    local reason
    reason=$("${CONVJUDGE_BWRAP:-/usr/bin/bwrap}" --unshare-pid --unshare-net --unshare-ipc --unshare-uts --cap-drop ALL \
        --ro-bind / / --proc /proc --dev /dev /bin/true 2>&1) ||
        say "bubblewrap cannot make a sandbox here (${reason%%$'\n'*}); grading needs --unconfined"
}

# Everything that the results of the checks depend on, except for libraries.
fingerprint() {
    local proof rest
    {
        cat harness/setup.sh harness/compilers.sh
        uname -n
        printf '%s\n' "$PATH" "${CONVJUDGE_NVCC:-}" "${CONVJUDGE_COMPILER:-}" "${CUDA_HOME:-}" "${CONVJUDGE_BWRAP:-}"
        while read -r proof rest; do command -v "$proof" || true; done <<<"$list"
        compgen -c clang || true
        command -v nvcc build/toolchain/bin/nvcc debootstrap slurmctld aarch64-linux-gnu-gcc qemu-aarch64 chromium chromedriver || true
    } | cksum
}

noted=build/setup.$mode
if [[ -e $noted && $(<"$noted") == "$(fingerprint)" ]]; then
    exit
fi
fetcher=''
! needs_compiler || fetcher='
pip            -          python3-pip    python3-pip     python-pip'
list+=$fetcher
packages=$(missing)
if [[ -n $packages ]]; then
    can_install || ask_for_packages
    read -ra packages <<<"$packages"
    install_packages "${packages[@]}"
fi
try_sandbox
if [[ $mode == test ]]; then
    command -v debootstrap >/dev/null || { can_install && apt_install debootstrap; } ||
        say "the test on a fresh machine is skipped: there is no debootstrap (Debian: debootstrap)"
    try_slurm || say "tests with Slurm are skipped: there is no slurmctld, slurmd or munged (Debian: slurm-wlm, munge)"
    try_arm64 || say "the test of arm64 is skipped: there is no aarch64-linux-gnu-gcc or qemu-aarch64 (Debian: gcc-aarch64-linux-gnu, qemu-user)"
    try_browser || say "tests with a browser are skipped: there is no chromium, chromedriver or selenium (Debian: chromium, chromium-driver, python3-selenium)"
    try_compiler fuzzer || install_clang fuzzer || say "fuzzing is skipped: $reason"
    try_compiler clang || say "tests that compile with clang are skipped: $reason"
fi
if [[ ${CONVJUDGE_COMPILER:-} == clang ]] || ! find_nvcc; then
    try_compiler clang || install_clang clang ||
        die "no nvcc works, and no clang for the simulated GPU: $reason; $how $(clang_packages)"
    say "clang compiles, for the simulated GPU alone"
fi
{ mkdir -p build && fingerprint >"$noted"; } 2>/dev/null || true
