#!/usr/bin/env python3
"""Compares the simulated GPU's counters with those of Nsight Compute, kernel by kernel.

Usage: tools/hardware/compare.py COUNTERS SIMULATED OBJECTS [LANES]

COUNTERS is the output of profile.sh, SIMULATED that of driver-sim for the same plan, OBJECTS the folder of the
shared objects, LANES what lanes.py wrote. Where COUNTERS has a column Case, as the recorded h200/counters.csv, cases
that it does not have are passed over. Prints for each counter how many launches are equal, in how many kernels all
launches are within the tolerance, and how many of the others the machine code explains (explain.py); then these others.
"""
import csv
import sys
from collections import defaultdict

from explain import Launch, explain, recorded_lanes

SASS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"


def conflicts(kind, letters):
    """What instructions took, less one each: the hardware's counter of conflicts also has those that only waited."""
    return lambda launch: (
        launch.simulated(f"shared_{kind}_wavefronts") - launch.simulated(f"shared_{kind}_requests"),
        launch.hardware(f"{SASS}{letters}.sum") - launch.hardware(f"smsp__sass_inst_executed_op_shared_{letters}.sum"))


def plain(ours, theirs):
    return lambda launch: (launch.simulated(ours), launch.hardware(theirs))


def constants(launch):
    """LDC loads parameters too, and is counted where all lanes are off, though it then asks the cache for nothing."""
    loads = min(launch.hardware("smsp__inst_executed_op_ldc.sum"), launch.hardware("idc__requests.sum"))
    both = launch.simulated("constant_requests"), loads - launch.parameter_loads()
    return both if launch.loads_constants_by_ldc() else None


def replays(launch):
    """Nothing to compare where warps executed loads with all lanes off, which are no requests."""
    further = launch.hardware("idc__requests.sum") - launch.hardware("smsp__inst_executed_op_ldc.sum")
    return (launch.simulated("constant_replays"), further) if launch.loads_constants_by_ldc() and further >= 0 else None


COUNTERS = [  # name, (simulated, measured) of a launch or None where there is nothing to compare, tolerance
    ("fma", plain("fma32", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), 0.02),
    ("load_requests", plain("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 0.01),
    ("load_sectors", plain("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 0.01),
    ("store_requests", plain("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 0.01),
    ("store_sectors", plain("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 0.01),
    ("shared_load_requests", plain("shared_load_requests", "smsp__sass_inst_executed_op_shared_ld.sum"), 0.01),
    ("shared_load_wavefronts", plain("shared_load_wavefronts", f"{SASS}ld.sum"), 0.01),
    ("shared_load_conflicts", conflicts("load", "ld"), 0.01),
    ("shared_store_requests", plain("shared_store_requests", "smsp__sass_inst_executed_op_shared_st.sum"), 0.01),
    ("shared_store_wavefronts", plain("shared_store_wavefronts", f"{SASS}st.sum"), 0.01),
    ("shared_store_conflicts", conflicts("store", "st"), 0.01),
    ("constant_requests", constants, 0.02),
    ("constant_replays", replays, 0.02),
    ("occupancy", lambda launch: (100 * launch.simulated("occupancy"),
                                  launch.hardware("sm__maximum_warps_per_active_cycle_pct")), 0.001),
    ("registers", plain("registers", "launch__registers_per_thread"), 0),
]

BYTES = [  # name, sectors of the simulated GPU, counter of the hardware and its unit in bytes
    ("read from memory", "unique_load_sectors", "dram__bytes_read.sum", 1),
    ("written to the L2", "global_store_sectors", "lts__t_sectors_srcunit_tex_op_write.sum", 32),
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
        elif case is not None and not line.startswith(("copy,", "wait,")):
            launches.append(dict(zip(head, line.split(",")), case=case))
    return launches


def measured(path):
    rows = list(csv.DictReader(line for line in open(path) if not line.startswith("==")))
    return [row for row in rows if row["ID"]]  # the first row of Nsight Compute's table holds units


def pairs(counters, simulation, objects):
    hardware, model = measured(counters), simulated(simulation)
    recorded = {row["Case"] for row in hardware if "Case" in row}
    model = [launch for launch in model if not recorded or launch["case"] in recorded]
    if len(hardware) != len(model):
        sys.exit(f"compare: {len(hardware)} launches in {counters}, {len(model)} in {simulation}")
    return [Launch(row, launch, objects) for row, launch in zip(hardware, model)]


def compare(name, measure, tolerance, launches, lanes):
    """Prints the counter's row; returns a line for each kernel that is apart."""
    equal = compared = explained = 0
    apart = defaultdict(list)
    kernels = set()
    for launch in launches:
        both = measure(launch)
        if both is None:
            continue
        error = (both[0] - both[1]) / max(both[1], 1)
        compared += 1
        equal += abs(both[0] - both[1]) < 0.01
        kernels.add(launch.kernel)
        if abs(error) > tolerance:
            apart[launch.kernel].append((error, explain(name, launch, lanes)))
    lines = []
    for (solution, kernel), found in apart.items():
        worst, reason = max(found, key=lambda one: abs(one[0]))
        reasons = {why for _, why in found}
        explained += None not in reasons
        lines.append(f"{name:24} {solution}, {kernel}: {len(found)} launches, {worst:+.1%}\n"
                     f"{'':24}   {reason if None not in reasons else 'NOT EXPLAINED'}")
    print(f"{name:24} {compared:8} {equal:6} {len(kernels):8} {len(kernels) - len(apart):7} {explained:10} "
          f"{len(apart) - explained:6}  {tolerance:.1%}")
    return lines


def print_bytes(launches):
    """Of those that the model of time goes by: estimates, not counts."""
    print(f"\n{'bytes':24} {'launches':>8} {'median':>8} {'90 %':>8}  error; launches that move 100 KB or more")
    for name, ours, theirs, unit in BYTES:
        errors = sorted(abs(launch.simulated(ours) * 32 / (launch.hardware(theirs) * unit) - 1)
                        for launch in launches if launch.hardware(theirs) * unit >= 100000)
        print(f"{name:24} {len(errors):8} {errors[len(errors) // 2]:8.1%} {errors[len(errors) * 9 // 10]:8.1%}")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__.strip())
    launches = pairs(*sys.argv[1:4])
    lanes = recorded_lanes(csv.DictReader(open(sys.argv[4])), launches) if len(sys.argv) == 5 else {}
    print(f"{'counter':24} {'launches':>8} {'equal':>6} {'kernels':>8} {'within':>7} {'explained':>10} {'not':>6}"
          "  tolerance")
    lines = []
    for name, measure, tolerance in COUNTERS:
        lines += compare(name, measure, tolerance, launches, lanes)
    print("\n" + "\n".join(lines))
    print_bytes(launches)


if __name__ == "__main__":
    main()
