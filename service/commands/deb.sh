#!/usr/bin/env bash
# Packs what was built for Debian and Ubuntu (`make deb`):
#   convjudge         for students: grade, try, explain and the others of one program, without hidden cases and solutions
#   convjudge-server  everything that `make install` installs; it takes the place of convjudge
# Neither holds NVIDIA's compiler, which Debian may not pass on: an nvcc of the machine compiles, or else clang.
# Usage: service/commands/deb.sh BUILD     The packages are written to BUILD/deb.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:?the build folder}")
umask 022

die() { printf 'deb: %s\n' "$*" >&2; exit 2; }
for tool in dpkg-deb dpkg-query dpkg jq; do command -v "$tool" >/dev/null || die "$tool is missing; packages are made on Debian and Ubuntu"; done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$("$build/convjudge" --version | grep -oE -m 1 '[0-9]+(\.[0-9]+)+')
mkdir -p "$build/deb"

# libraries FILE...: the packages whose libraries these programs load, with the versions that are here as the least.
libraries() {
    local file package
    for file in $(ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -v "^$build/" | sort -u); do
        package=$(dpkg-query -S "$(realpath "$file")" 2>/dev/null || dpkg-query -S "$file" 2>/dev/null) || continue
        printf '%s (>= %s)\n' "${package%%:*}" "$(dpkg-query -W -f '${Version}' "${package%%:*}:$(dpkg --print-architecture)" 2>/dev/null |
            sed 's/-[^-]*$//' || true)"
    done | sort -u | paste -sd , | sed 's/,/, /g'
}

# for_students FOLDER: takes away what only a server needs, and what students may not see.
for_students() {
    local share=$1/usr/share/convjudge folder
    rm -rf "$1/usr/lib/systemd" "$1/usr/lib/sysusers.d" "$1/usr/lib/tmpfiles.d" "$1/usr/lib/convjudge/convjudge-service" "$share/solutions"
    for folder in "$share"/testcases/*/; do
        jq '.cases |= map(select(.timed))' "$folder/hidden.json" >"$scratch/hidden.json"
        cp "$scratch/hidden.json" "$folder/hidden.json"
        jq -r '.. | objects | .file? | strings' "$folder"/*.json | sort -u >"$scratch/named"
        find "$folder" -type f ! -name '*.json' -printf '%f\n' | grep -vxFf "$scratch/named" | while read -r file; do rm "$folder/$file"; done
    done
    chmod -R go=rX "$share/testcases"
}

# pack NAME ABOUT DEPENDS [LINE OF CONTROL]...
pack() {
    local name=$1 folder=$scratch/$1
    mkdir -p "$folder/DEBIAN"
    printf '%s\n' "Package: $name" "Version: $version" "Architecture: $(dpkg --print-architecture)" "Maintainer: ConvJudge <root@localhost>" \
        "Installed-Size: $(du -sk "$folder" | cut -f 1)" "Depends: $3" "Recommends: clang-19 | clang-16 | nvidia-cuda-toolkit" "${@:4}" \
        "Section: education" "Priority: optional" "Description: $2" >"$folder/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz --build "$folder" "$build/deb/${name}_${version}_$(dpkg --print-architecture).deb" >/dev/null
    printf '%s\n' "$build/deb/${name}_${version}_$(dpkg --print-architecture).deb"
}

ldd_of=("$build/convjudge" "$build/convjudge-runner")
for name in convjudge convjudge-server; do
    mkdir -p "$scratch/$name"
    without_toolchain=1 PREFIX=/usr DESTDIR=$scratch/$name service/commands/install.sh install "$build"
    gzip -9n "$scratch/$name/usr/share/man/man1/convjudge.1"
done
for_students "$scratch/convjudge"
pack convjudge "online judge for CUDA convolution kernels, for students" "bubblewrap, g++, util-linux, $(libraries "${ldd_of[@]}")" \
    "Conflicts: convjudge-server"
pack convjudge-server "online judge for CUDA convolution kernels, with its server" \
    "bubblewrap, g++, util-linux, $(libraries "${ldd_of[@]}" "$build/convjudge-service")" "Conflicts: convjudge" "Provides: convjudge"
