#!/usr/bin/env bash
# Fits a profile of the simulated GPU to the real one at hand, and says how well it then predicts the reference solutions.
# Usage: tools/hardware/calibrate_model.sh BUILD DEVICE     DEVICE: cuda or cuda:N
# Takes under 10 minutes. Leaves BUILD/calibrate-model/<name>.json, which belongs into simgpu/profiles, with figures and times.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?} device=${2:-}
nvcc=${CONVJUDGE_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
begun=$SECONDS

die() {
    echo "calibrate-model: $*" >&2
    exit 2
}
step() {
    printf '[%d/6] %4d s  %s\n' "$1" $((SECONDS - begun)) "$2" >&2
}

case $device in
cuda) number=0 ;;
cuda:[0-9]*) number=${device#cuda:} ;;
*) die "it measures a real GPU: expected DEVICE=cuda or cuda:N, got '${device:-nothing}'" ;;
esac
for tool in "$nvcc" nvidia-smi jq python3; do
    command -v "$tool" >/dev/null || die "$tool is missing; it comes with $(case $tool in nvidia-smi) echo "NVIDIA's driver" ;; *nvcc) echo "the CUDA toolkit" ;; *) echo "the package $tool" ;; esac)"
done
row=$(nvidia-smi -i "$number" --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null) || die "there is no GPU number $number"
title=${row%,*} capability=${row##*, }
name=$(tr '[:upper:] ' '[:lower:]-' <<<"${title#NVIDIA }" | tr -cd 'a-z0-9-')
export CUDA_VISIBLE_DEVICES=$number CONVJUDGE_ARCH=${capability/./}
out=$build/calibrate-model
mkdir -p "$out/libraries"

step 1 "compiling the micro-benchmarks for $title, compute capability $capability"
"$nvcc" -O3 -arch="sm_$CONVJUDGE_ARCH" simgpu/calibrate/calibrate.cu -o "$out/calibrate" 2>"$out/nvcc.log" ||
    die "nvcc cannot compile for compute capability $capability: $(grep -m 1 -i error "$out/nvcc.log" || echo "see $out/nvcc.log")"

step 2 "micro-benchmarks"
"$out/calibrate" >"$out/figures.txt" || die "the micro-benchmarks ended early; what they measured is in $out/figures.txt"

step 3 "fitting the profile"
simgpu/calibrate/fit_profile.py "$out/figures.txt" simgpu/profiles/h200.json >"$out/$name.json"

step 4 "compiling the reference solutions"
tools/hardware/build.sh "$build"
tools/hardware/plan.py "$build/hardware" timed | grep -v copies_on_each_call >"$out/plan"

step 5 "timing $(wc -l <"$out/plan") cases of the reference solutions, three times"
for _ in 1 2 3; do
    timeout 120 "$build/hardware/driver-cuda" "$out/plan" 21
done >"$out/times.txt" || die "a reference solution failed; the times so far are in $out/times.txt"

step 6 "modelling them"
export CONVJUDGE_SAMPLE=1000000000 # lane-instructions of a launch; without a limit this step takes half an hour
export CONVJUDGE_PROFILES=$out CONVJUDGE_PROFILE=$name CONVJUDGE_LIBRARIES=$out/libraries
"$build/hardware/driver-sim" "$out/plan" >"$out/modelled.txt"
tests/hardware/evaluate.py "$out/times.txt" "$out/modelled.txt"
echo
echo "$out/$name.json is a profile of $title. What it says of itself:"
jq -r '.sources | [to_entries[] | select(.value | startswith("not measured")) | .key] | "  not measured: \(length) of the values: \(join(", "))"' "$out/$name.json"
echo "To use it: cp $out/$name.json simgpu/profiles/ and grade with DEVICE=sim:$name"
