#!/usr/bin/env python3
"""Makes a profile of a GPU (simgpu/profiles) from what calibrate.cu measured on it.

Usage: simgpu/calibrate/fit_profile.py FIGURES BASE >PROFILE

FIGURES is the output of calibrate.cu, lines "name value unit" after a line "# <name of the GPU>". BASE is a profile: what was
not measured is taken over from it, in cycles where it is a time of the multiprocessor, and the profile says so in "sources".
Each value that was measured names its figure there. "calibrated" stays false until somebody has looked at how well the profile
predicts (calibrate_model.sh), and sets it.
"""
import json
import math
import re
import sys

FIGURE = re.compile(r"^(.*\S)\s+([-+0-9.eE]+|inf|nan)\s*(\S*)$")
FP64_LANES = {"7.0": 32, "7.2": 32, "7.5": 2, "8.0": 32, "8.6": 2, "8.7": 2, "8.9": 2, "9.0": 64, "10.0": 64, "12.0": 2}
GUIDE = "CUDA C++ Programming Guide 13.0, Arithmetic Instructions, throughput by compute capability"
IN_CYCLES = ("constant_latency_s", "uniform_miss_latency_s", "block_start_s")  # they go with the clock
FMA_STEPS, BLOCKS_STARTED = 4096, 1000000                                      # of calls.cuh
HIT_CYCLES = 1.3  # of a load by ULDC in the loop of constant_row(), where all hit: lab/measurements.md, "The hardware"


class Missing(Exception):
    """A figure that the benchmark did not print."""


class Figures(dict):
    def __missing__(self, name):
        raise Missing(name)


def read_figures(path):
    figures, title = Figures(), None
    for number, line in enumerate(open(path), 1):
        line = line.rstrip("\n")
        if line.startswith("# "):
            title = title or line[2:]
            continue
        found = FIGURE.match(line)
        if found is None:
            sys.exit(f"fit_profile: {path}:{number}: expected a figure, 'name value unit'")
        value = float(found[2])
        if not math.isfinite(value):
            sys.exit(f"fit_profile: {path}:{number}: '{found[1]}' is no number")
        figures[found[1]] = value
    if title is None or "clock_hz" not in figures:
        sys.exit(f"fit_profile: {path}: expected the output of calibrate.cu, which begins with '# <name of the GPU>' and clock_hz")
    return title, figures


# ---- what follows from the figures -----------------------------------------------------------------------------------


def lanes(rate):
    """Lanes of a unit: the power of two nearest to what was reached."""
    return 2 ** round(math.log2(32 * rate))


def loop_cycles(figures, together):
    """Of constant_row() in one wave that fills a multiprocessor: [(bytes, cycles a request)]."""
    threads = round(figures["max_threads_per_multiprocessor"]) // together
    start, end = "constant, one loop, ", f" bytes, {together} blocks of {threads}"
    rows = sorted((int(name[len(start):-len(end)]), value) for name, value in figures.items()
                  if name.startswith(start) and name.endswith(end))
    if not rows:
        raise Missing(start + "..." + end)
    return rows


def miss_cycles(figures):
    """Of the longest loop, when as many blocks as possible read it at once: nearly all but the first one's loads miss."""
    together = 16 if figures["max_threads_per_multiprocessor"] >= 2048 else 8
    return (loop_cycles(figures, together)[-1][1] - HIT_CYCLES) / (1 - 1 / together)


def reach_bytes(figures, together):
    """The size that fits uniform_miss_share() of simgpu/cost/cost.c best, in steps of 2 %."""
    miss, rows = miss_cycles(figures), loop_cycles(figures, together)

    def error(reach):
        total = 0
        for size, cycles in rows:
            spread = (size / reach) ** 3
            total += (HIT_CYCLES + (1 - 1 / together) * spread / (1 + spread) * miss - cycles) ** 2
        return total

    return round(min((100 * 1.02 ** i for i in range(330)), key=error), -1)


def kernel_s(figures):
    """Of the dependent FMAs of one_wave(), which say how long a kernel itself takes."""
    return FMA_STEPS * figures["arithmetic_latency_s"]


def us(figures, name):
    return 1e-6 * figures[name]


MEASURED = {  # name: (value from the figures, source)
    "multiprocessors": (lambda f: round(f["multiprocessors"]), "cudaGetDeviceProperties"),
    "l2_bytes": (lambda f: round(f["l2_bytes"]), "cudaGetDeviceProperties"),
    "memory_bytes": (lambda f: round(f["memory_bytes"]), "cudaGetDeviceProperties"),
    "clock_hz": (lambda f: f["clock_hz"], "cudaDevAttrClockRate"),
    "fp32_lanes": (lambda f: lanes(f["fma"]), "figure 'fma', the next power of two"),
    "integer_lanes": (lambda f: lanes(f["logic"]), "figure 'logic', the next power of two"),
    "special_lanes": (lambda f: lanes(f["special"]), "figure 'special', the next power of two"),
    "tensor_multiply_adds": (lambda f: f["mma m16n8k16 f16, sums float"], "figure 'mma m16n8k16 f16, sums float'"),
    "constant_loads": (lambda f: round(1 / f["constant, two loops, 8100 bytes, "
                                             f"{round(f['max_threads_per_multiprocessor']) // 1024} blocks of 1024"], 3),
                       "figure 'constant, two loops, 8100 bytes'"),
    "dram_read_bytes_per_s": (lambda f: f["dram_read_bytes_per_s"], "figure of that name"),
    "dram_copy_bytes_per_s": (lambda f: f["dram_copy_bytes_per_s"], "figure of that name"),
    "l2_bytes_per_s": (lambda f: f["l2_bytes_per_s"], "figure of that name"),
    "fma_flops_per_s": (lambda f: 2 * f["multiprocessors"] * lanes(f["fma"]) * f["clock_hz"],
                        "multiprocessors * lanes * 2 * clock"),
    "global_latency_s": (lambda f: f["global_latency_s"], "figure of that name"),
    "l2_latency_s": (lambda f: f["l2_latency_s"], "figure of that name"),
    "l1_latency_s": (lambda f: f["l1_latency_s"], "figure of that name"),
    "shared_latency_s": (lambda f: f["shared_latency_s"], "figure of that name"),
    "arithmetic_latency_s": (lambda f: f["arithmetic_latency_s"], "figure of that name"),
    "uniform_reach_bytes": (lambda f: [reach_bytes(f, blocks) for blocks in (2, 4, 8, 16)],
                            "figures 'constant, one loop', fitted"),
    "constant_miss_s": (lambda f: miss_cycles(f) / f["clock_hz"], "figures 'constant, one loop', the longest of the most blocks"),
    "launch_s": (lambda f: (us(f, "4 kernels of 8.5 us") - us(f, "1 kernels of 8.5 us")) / 3 - kernel_s(f),
                 "figures 'kernels of 8.5 us': each further one, less its FMAs"),
    "events_s": (lambda f: us(f, "0 kernels of 8.5 us"), "figure '0 kernels of 8.5 us'"),
    "host_wait_s": (lambda f: us(f, "a kernel, waiting, a kernel of 8.5 us") - us(f, "2 kernels of 8.5 us"),
                    "figures 'a kernel, waiting, a kernel', less two kernels"),
    "block_start_s": (lambda f: us(f, "1000000 empty blocks of 256") * f["multiprocessors"] / BLOCKS_STARTED,
                      "figure '1000000 empty blocks of 256'"),
    "copy_overhead_s": (lambda f: (us(f, "4 copies to symbols, a kernel of 8.5 us") - us(f, "1 kernels of 8.5 us")) / 4,
                        "figure '4 copies to symbols, a kernel', less the kernel"),
    "bus_overhead_s": (lambda f: us(f, "copy of 4096 bytes from pageable memory"),
                       "figure 'copy of 4096 bytes from pageable memory'"),
}


def properties(figures):
    """Limits that cudaGetDeviceProperties() tells, as calibrate.cu prints them under the names of the profile."""
    names = ("compute_major", "compute_minor", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor",
             "registers_per_multiprocessor", "shared_bytes_per_block", "shared_bytes_per_block_optin",
             "shared_bytes_per_multiprocessor", "shared_reserved_bytes_per_block")
    return {name: (lambda f, name=name: round(f[name]), "cudaGetDeviceProperties") for name in names if name in figures}


def fit(title, figures, base):
    profile = dict(base, title=title[:63], calibrated=False, epoch=1, sources=dict(base["sources"]))
    profile["sources"]["epoch"] = "counted here"
    missing = []
    for name, source in base["sources"].items():
        if name in IN_CYCLES:
            profile[name] = base[name] * base["clock_hz"] / figures["clock_hz"]
        if name != "epoch":
            profile["sources"][name] = f"not measured: taken over from the {base['title']}" + ", in cycles" * (name in IN_CYCLES)
    for name, (value, source) in {**MEASURED, **properties(figures)}.items():
        try:
            profile[name] = value(figures)
            profile["sources"][name] = f"measured on this GPU: {source}" if "cuda" not in source else source
        except Missing as figure:
            missing.append(f"{name} (no figure '{figure}')")
    capability = f"{profile['compute_major']}.{profile['compute_minor']}"
    if capability in FP64_LANES:
        profile["fp64_lanes"] = FP64_LANES[capability]
        profile["sources"]["fp64_lanes"] = GUIDE
    return profile, missing


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    title, figures = read_figures(sys.argv[1])
    profile, missing = fit(title, figures, json.load(open(sys.argv[2])))
    json.dump(profile, sys.stdout, indent=2)
    print()
    for line in missing:
        print(f"fit_profile: not measured: {line}", file=sys.stderr)


main()
