#!/usr/bin/env python3
"""Holds the simulated GPU's counters against those of Nsight Compute, kernel by kernel.

Usage: tests/hardware/compare.py COUNTERS SIMULATED

COUNTERS is what profile.sh wrote, SIMULATED what driver-sim printed for the same plan. Where COUNTERS has a column Case, as
the recorded h200/counters.csv, cases that it does not have are passed over. Prints how many launches agree, and
those that do not: beyond 1 % in sectors and bank conflicts, beyond 2 % in FMA, and any in requests and registers.
"""
import csv
import sys

LDS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
COUNTERS = [  # of the simulated GPU, of Nsight Compute, tolerance
    ("fma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0.02),
    ("load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0),
    ("load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0.01),
    ("store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 0),
    ("store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0.01),
    ("shared_load_requests", "smsp__sass_inst_executed_op_shared_ld.sum", 0),
    ("shared_load_wavefronts", LDS, 0.01),
    ("shared_store_requests", "smsp__sass_inst_executed_op_shared_st.sum", 0),
    ("shared_store_wavefronts", STS, 0.01),
    ("registers", "launch__registers_per_thread", 0),
]


def simulated(path):
    """Launches in order, each with its case; what lies outside of cases is the driver's own."""
    launches, case, head = [], None, []
    for line in open(path):
        line = line.strip()
        if line.startswith("kernel,"):
            head = line.split(",")
        elif line.startswith("case "):
            case = line[5:]
        elif line == "end":
            case = None
        elif case is not None and not line.startswith("copy,"):
            launches.append(dict(zip(head, line.split(",")), case=case))
    return launches


def measured(path):
    rows = list(csv.DictReader(line for line in open(path) if not line.startswith("==")))
    return [row for row in rows if row["ID"]]  # the first row of Nsight Compute's table holds units


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    hardware, model = measured(sys.argv[1]), simulated(sys.argv[2])
    recorded = {row["Case"] for row in hardware if "Case" in row}
    model = [launch for launch in model if not recorded or launch["case"] in recorded]
    if len(hardware) != len(model):
        sys.exit(f"compare: {len(hardware)} launches in {sys.argv[1]}, {len(model)} in {sys.argv[2]}")
    apart = []
    print(f"{'counter':26} {'launches':>8} {'equal':>6} {'within':>7} {'beyond':>7}  tolerance")
    for ours, theirs, tolerance in COUNTERS:
        equal = within = 0
        for row, launch in zip(hardware, model):
            found, expected = float(launch[ours]), float(row[theirs].replace(",", ""))
            error = abs(found - expected) / max(expected, 1)
            equal += found == expected
            within += error <= tolerance
            if error > tolerance:
                apart.append(f"{launch['case']:44} {ours:24} {found:14.0f} {expected:14.0f} {found / max(expected, 1) - 1:+8.3f}")
        print(f"{ours:26} {len(model):8} {equal:6} {within:7} {len(model) - within:7}  {tolerance:.0%}")
    print(f"\n{'case':44} {'counter':24} {'simulated':>14} {'hardware':>14} {'apart':>8}")
    print("\n".join(apart))


main()
