"""Explains differences of counters: the simulated GPU executes PTX, the hardware what ptxas made of it.
A reason is given only if the two instruction streams and the other counters confirm it."""
import functools
import math

import machine

LANE_BYTES = 4  # of the loads of LANES
UNROLLED = "ptxas unrolls a loop whose lanes take different numbers of iterations"


class Launch:
    """A launch as the hardware and as the simulated GPU counted it."""

    def __init__(self, row, simulation, objects):
        self.row, self.simulation, self.case = row, simulation, simulation["case"]
        problem, solution, _ = self.case.split("/")
        self.kernel = (f"{problem}/{solution}", row["Kernel Name"].split("(")[0])
        self.ptx, self.code = kernels(f"{objects}/{problem}.{solution}.so")[simulation["kernel"]]

    def hardware(self, name):
        return float(self.row[name].replace(",", ""))

    def simulated(self, name):
        return float(self.simulation[name])

    def warps(self):
        return self.simulated("blocks") * math.ceil(self.simulated("threads") / 32)

    def has_wide_shared_accesses(self):
        return any(name in self.code for name in ("LDS.64", "LDS.128", "STS.64", "STS.128"))

    def loads_constants_by_ldc(self):
        """All of __constant__ arrays. What ULDC loads or stands in instructions has no counter."""
        other = self.code["ULDC variable"] + self.code["ULDC.64 variable"] + self.code["operand variable"]
        return self.code["LDC variable"] > 0 and other == 0

    def parameter_loads(self):
        """Those outside of loops; a warp that leaves early executes fewer."""
        return (self.code["LDC parameter"] - self.code["LDC parameter in a loop"]) * self.warps()


@functools.lru_cache(maxsize=None)
def kernels(path):
    return machine.kernels(path)


def contracted(launch):
    """ptxas makes one FMA of a multiplication and an addition that PTX leaves open: their sum of operations stays."""
    more = launch.code["FFMA"] - machine.of_ptx(launch.ptx, "fma.rn.f32")
    metric = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
    theirs = sum(operations * launch.hardware(metric.format(kind))
                 for kind, operations in (("ffma", 2), ("fadd", 1), ("fmul", 1)))
    ours = launch.simulated("fp32") + launch.simulated("fma32")
    if more > 0 and machine.of_ptx(launch.ptx, "mul.f32") > 0 and abs(ours - theirs) <= 0.02 * theirs:
        return (f"ptxas contracts multiplications and additions: {launch.code['FFMA']} FFMA where PTX has "
                f"{launch.code['FFMA'] - more} fma; operations {ours / theirs - 1:+.1%}")
    return None


def recorded_lanes(lanes, launches):
    """Of the kernels of LANES, the cases in which as many lanes loaded as here."""
    recorded = {(row["case"], row["kernel"]): int(row["lanes"]) for row in lanes if row["kind"] == "LDG"}
    return {launch.kernel: launch.case for launch in launches
            if recorded.get((launch.case, launch.simulation["kernel"])) == launch.simulated("global_load_bytes") / LANE_BYTES}


def same_lanes(launch, lanes):
    """Did as many lanes load and store as here? By bytes; where lanes of a warp share some, by a recorded count of
    lanes of the same kernel, in this or in another case."""
    bytes_are_equal = all(
        launch.simulated(f"global_{ours}_bytes") == launch.hardware(f"smsp__sass_data_bytes_mem_global_op_{theirs}.sum")
        for ours, theirs in (("load", "ld"), ("store", "st")))
    if bytes_are_equal:
        return "the same bytes"
    return f"as many lanes (counted in {lanes[launch.kernel]})" if launch.kernel in lanes else None


def unrolled(launch, machine_name, ptx_name, lanes):
    """Lanes of a warp take different numbers of turns, and meet in other instructions where the loop was unrolled."""
    copies = machine.of_code(launch.code, machine_name)
    written = machine.of_ptx(launch.ptx, ptx_name)
    same = same_lanes(launch, lanes)
    if copies > written and same is not None:
        return f"{UNROLLED}: {copies} {machine_name} where PTX has {written}; {same}, in other requests"
    return None


def other_constants(launch):
    more = launch.hardware("idc__requests.sum") - launch.simulated("constant_requests")
    repeated, wide = launch.code["LDC parameter in a loop"], launch.code["LDC.64 variable"]
    if more > 0 and repeated > 0:
        return f"ptxas loads parameters in loops too: {repeated} LDC that no counter tells from those of the array"
    if more < 0 and wide > 0:
        return f"ptxas merges loads of neighbours: {wide} LDC.64"
    if 0 <= more <= launch.parameter_loads() + launch.simulated("constant_replays"):
        return "warps that leave early load fewer parameters"
    return None


def other_replays(launch, lanes):
    requests = launch.hardware("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
    if machine.of_code(launch.code, "LDC variable") > machine.of_ptx(launch.ptx, "ld.const") and \
            launch.simulated("global_load_requests") == requests:
        return f"{UNROLLED}: as many requests, of other lanes"
    return unrolled(launch, *ACCESSES["load"], lanes)


ACCESSES = {"load": ("LDG", "ld.global"), "store": ("STG", "st.global"), "shared_load": ("LDS", "ld.shared"),
            "shared_store": ("STS", "st.shared")}


def explain(counter, launch, lanes):
    """One sentence, or None."""
    if counter == "fma":
        return contracted(launch)
    if counter == "constant_requests":
        return other_constants(launch)
    if counter == "constant_replays":
        return other_replays(launch, lanes)
    kind = counter.rpartition("_")[0]
    return unrolled(launch, *ACCESSES[kind], lanes) if kind in ACCESSES else None
