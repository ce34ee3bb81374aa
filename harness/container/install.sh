#!/usr/bin/env bash
# Installs the judge with all it needs but NVIDIA's driver into the bare Debian root that it runs in, as the last step of every recipe here:
# Containerfile, convjudge.def, and a root of debootstrap. Root of the container, with a network, runs it once.
# Usage: harness/container/install.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
die() { printf 'container: %s\n' "$*" >&2; exit 2; }

[[ $(id -u) == 0 ]] || die "expected root of a container"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends make ca-certificates >/dev/null
harness/setup.sh service # the packages, and NVIDIA's compiler
[[ -x build/toolchain/bin/nvcc ]] || die "NVIDIA's compiler could not be fetched, without which no real GPU can be used"
make --no-print-directory -j"$(nproc)" service
make --no-print-directory install PREFIX=/usr/local
# The image has one user, whoever that is outside. Who may read the image may read hidden cases and solutions.
chmod -R a+rX /usr/local/share/convjudge
apt-get clean
rm -rf /var/lib/apt/lists/*
/usr/local/bin/convjudge --version >/dev/null || die "what was installed does not start"
