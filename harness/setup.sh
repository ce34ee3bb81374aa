#!/usr/bin/env bash
# Sees to it that everything is there that building and judging need, and with `test` what the tests need as well.
# As root on Debian and Ubuntu it installs what is missing and nothing else; elsewhere it prints the command to run and
# exits with 2. Where there is no nvcc it fetches one (toolchain.sh); where that fails, or CONVJUDGE_COMPILER=clang asks for
# it, clang does for the simulated GPU.
# Usage: harness/setup.sh [test]
set -euo pipefail
cd "$(dirname "$0")/.."

die() { printf 'setup: %s\n' "$*" >&2; exit 2; }

# One a line: what proves that it is there (a command, or a header), and its package on Debian, Fedora and Arch.
needed='
gcc                 gcc            gcc             gcc
g++                 g++            gcc-c++         gcc
make                make           make            make
bwrap               bubblewrap     bubblewrap      bubblewrap
prlimit             util-linux     util-linux      util-linux
cjson/cJSON.h       libcjson-dev   cjson-devel     cjson
sqlite3.h           libsqlite3-dev sqlite-devel    sqlite
sha256.h            libmd-dev      libmd-devel     libmd
seccomp.h           libseccomp-dev libseccomp-static libseccomp'
needed_by_tests='
bats                bats           bats            bats
cmocka.h            libcmocka-dev  libcmocka-devel cmocka
fftw3.h             libfftw3-dev   fftw-devel      fftw
shellcheck          shellcheck     ShellCheck      shellcheck
cppcheck            cppcheck       cppcheck        cppcheck
jq                  jq             jq              jq
sqlite3             sqlite3        sqlite          sqlite
jsonschema          python3-jsonschema python3-jsonschema python-jsonschema
pgrep               procps         procps-ng       procps-ng'

present() {
    case $1 in
    *.h) [[ -e /usr/include/$1 || -e /usr/local/include/$1 || -n $(compgen -G "/usr/include/*-linux-gnu/$1") ]] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# missing COLUMN: the packages of what is not there, as one line.
missing() {
    local proof packages
    while read -r proof packages; do
        [[ -z $proof ]] || present "$proof" || awk -v column="$1" '{ print $column }' <<<"$packages"
    done <<<"$list" | sort -u | paste -sd ' '
}

apt_install() { # a fresh machine has no package lists yet
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
}

install_packages() {
    local packages
    if command -v apt-get >/dev/null; then
        read -ra packages <<<"$(missing 1)"
        [[ $(id -u) == 0 ]] || die "missing; run: sudo apt-get install -y ${packages[*]}"
        echo "setup: installing ${packages[*]}"
        apt_install "${packages[@]}" || die "could not be installed: apt-get install ${packages[*]}"
    elif command -v dnf >/dev/null; then
        die "missing; run: sudo dnf install -y $(missing 2)"
    elif command -v pacman >/dev/null; then
        die "missing; run: sudo pacman -S --needed $(missing 3)"
    else
        die "missing; install (names as in Debian): $(missing 1)"
    fi
    [[ -z $(missing 1) ]] || die "still missing after the installation: $(missing 1)"
}

# The places of toolkit.c.
nvcc_present() {
    local place
    for place in "${CONVJUDGE_NVCC:-}" build/toolchain/bin/nvcc "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc /usr/local/cuda-13/bin/nvcc /opt/cuda/bin/nvcc /usr/lib/cuda/bin/nvcc \
        /usr/lib/nvidia-cuda-toolkit/bin/nvcc; do
        [[ ! -x $place ]] || return 0
    done
    return 1
}

clang_present() {
    compgen -c clang- | grep -qE '^clang-(1[6-9]|2[0-9])$'
}

fuzzer_present() {
    compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a' >/dev/null
}

# The first version that the package lists have, with its fuzzer.
install_clang() {
    local version
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    for version in 16 17 18 19 20 21; do
        ! apt_install "clang-$version" "libclang-rt-$version-dev" || return 0
    done
    return 1
}

list=$needed
[[ ${1:-} != test ]] || list=$needed$needed_by_tests
[[ -z $(missing 1) ]] || install_packages
if [[ ${1:-} == test ]]; then
    { clang_present && fuzzer_present; } || install_clang || echo "setup: no clang 16 or later: what needs it is skipped"
fi
if [[ ${CONVJUDGE_COMPILER:-} != clang ]] && { nvcc_present || harness/toolchain.sh; }; then
    exit
fi
clang_present || install_clang || die "no nvcc, and no clang 16 or later for the simulated GPU; install one of them"
echo "setup: clang compiles, for the simulated GPU alone"
