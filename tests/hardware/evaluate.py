#!/usr/bin/env python3
"""Says how well modelled times agree with measured ones: by problem, for kernels held back, and by kind of case.

Usage: tests/hardware/evaluate.py [TABLE]
       tests/hardware/evaluate.py TIMES SIMULATED

TABLE is what measure.py writes (default: times.tsv beside this program); each GPU in it is evaluated by itself. TIMES is
the output of driver-cuda (NAME MICROSECONDS), of one process or of several, of which the median counts, and SIMULATED that
of driver-sim for the same plan; or both are files of leaderboard/references, whose cases count in their order. Cases that
only one of the two has are passed over, and so is copies_on_each_call there, whose time is that of the host's copies.

Scores   a kernel's score is the geometric mean of its cases, as in the judge.
apart    pairs of one problem (of cases: of one problem and case) whose measured times are more than 10 % apart.
tau      pairs apart in the right order minus those in the wrong one, over all of them (Kendall). A tie counts for neither.
error    the larger of the two times over the smaller one, minus 1, so that too fast by half counts as much as too slow by
         double: the median, what nine in ten do not exceed, and the worst. ratio is the median of modelled over measured.
held     kernels in held_back/ take part in no fit of the model. Goals: tau 0.95 in all and 0.9 in each problem; error of
         the score 8 % in the median, 25 % for nine in ten, 100 % at most.

For a SIMULATED of driver-sim, CONVJUDGE_PROFILE and CONVJUDGE_PROFILES name the profile, as they do there.
"""
import collections
import json
import math
import os
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = os.environ.get("CONVJUDGE_PROFILES", HERE.parents[1] / "simgpu/profiles")
PROFILE = pathlib.Path(PROFILES) / (os.environ.get("CONVJUDGE_PROFILE", "h200") + ".json")
APART = 1.1  # measured times that a model should order
MOST = 10    # worst kernels and pairs that are printed

# Kinds of case: those of simgpu/cost/hardware_profile.h (ModelKind), and, where the model has a doubt about the kernel, the
# doubt. print_factors() says what the profile should have.
HEADER = HERE.parents[1] / "simgpu/cost/hardware_profile.h"
DOUBTS = {words: "doubt_" + name for name, words in re.findall(r'DOUBT\((\w+), "(.+?)"\)', HEADER.read_text())}
LIMITS = [
    ("constants", lambda row: row["limiter"] == "constant"),
    ("memory", lambda row: row["limiter"] in ("l2", "dram")),
    ("waiting", lambda row: row["limiter"] in ("latency", "blocks", "launch")),
    ("computing", lambda row: True),
]

# A case of a kernel, or (case "") a kernel's score.
Time = collections.namedtuple("Time", "problem kernel case kind limit model clock")


def is_held(time):
    return time.kernel.startswith("held_back/")


# ---- reading ---------------------------------------------------------------------------------------------------------


def kinds_of(row):
    """The kind of a case, and what limits it."""
    limit = next(kind for kind, fits in LIMITS if fits(row))
    doubts = row["doubts"].split("; ") if row["doubts"] else []
    return "several doubts" if len(doubts) > 1 else DOUBTS[doubts[0]] if doubts else limit, limit


def from_table(path):
    """{GPU: times}"""
    gpus = collections.defaultdict(list)
    head, *lines = path.read_text().splitlines()
    for line in lines:
        row = dict(zip(head.split("\t"), line.split("\t")))
        if row["measured_us"] and row["modelled_us"]:
            gpus[row["gpu"]].append(Time(row["file"].split("/")[-2], row["file"].removesuffix(".cu"), row["case"],
                                         *kinds_of(row), float(row["modelled_us"]), float(row["measured_us"])))
    return gpus


def references(path):
    for problem in json.loads(path.read_text())["problems"]:
        for solution in problem["references"]:
            for number, case in enumerate(solution["cases"], 1):
                yield f"{problem['problem']}/{solution['name'].removesuffix('.cu')}/{number}", 1000 * case["time_ms"]


def simulated(path):
    """{name: microseconds} of driver-sim's output."""
    times, case = {}, None
    events_us = 1e6 * json.loads(PROFILE.read_text())["events_s"]
    for line in path.read_text().splitlines():
        if line.startswith("case "):
            case = line[5:].strip()
            times[case] = events_us
        elif line.strip() == "end":
            case = None
        elif case is not None and not line.startswith("kernel,"):
            times[case] += float(line.split(",")[3])
    return times


def from_pair(measured, modelled):
    rows = references(measured) if measured.suffix == ".json" else map(str.split, measured.read_text().splitlines())
    clocks = collections.defaultdict(list)
    for name, us in rows:
        clocks[name].append(float(us))
    for name, us in (dict(references(modelled)) if modelled.suffix == ".json" else simulated(modelled)).items():
        if name in clocks and "copies_on_each_call" not in name:
            kernel, _, case = name.rpartition("/")
            yield Time(kernel.partition("/")[0], kernel, case, "", "", us, statistics.median(clocks[name]))


# ---- what is computed ------------------------------------------------------------------------------------------------


def scores(times):
    kernels = collections.defaultdict(list)
    for time in times:
        kernels[time.kernel].append(time)

    def mean(values):
        return math.exp(statistics.fmean(map(math.log, values)))

    return [Time(cases[0].problem, kernel, "", "", "", mean(t.model for t in cases), mean(t.clock for t in cases))
            for kernel, cases in kernels.items()]


def pairs_apart(times):
    """Pairs that the hardware takes apart, the one that is faster there first."""
    groups = collections.defaultdict(list)
    for time in times:
        groups[time.problem, time.case].append(time)
    for group in groups.values():
        for i, a in enumerate(group):
            for b in group[:i]:
                low, high = (a, b) if a.clock < b.clock else (b, a)
                if high.clock > APART * low.clock:
                    yield low, high


def error_of(time):
    return max(time.model, time.clock) / min(time.model, time.clock) - 1


# ---- what is printed -------------------------------------------------------------------------------------------------


def print_row(title, times):
    order = [high.model - low.model for low, high in pairs_apart(times)]
    tau = f"{sum((x > 0) - (x < 0) for x in order) / len(order):7.2f}" if order else "      -"
    errors = sorted(map(error_of, times))
    print(f"{title:26} {len(times):6} {len(order):6} {tau} {statistics.median(errors):7.0%} "
          f"{errors[int(0.9 * (len(errors) - 1))]:7.0%} {errors[-1]:7.0%} "
          f"{statistics.median(time.model / time.clock for time in times):7.2f}")


def print_groups(title, times):
    print(f"{title:26} {'number':>6} {'apart':>6} {'tau':>7} {'median':>7} {'90 %':>7} {'worst':>7} {'ratio':>7}")
    for by in (lambda time: time.problem, lambda time: time.kind and "  " + time.kind):
        groups = collections.defaultdict(list)
        for time in times:
            groups[by(time)].append(time)
        for name in sorted(groups):
            if name:
                print_row(name, groups[name])
    print_row("all", times)
    held = [time for time in times if is_held(time)]
    if held and len(held) < len(times):
        print_row("  not held back", [time for time in times if not is_held(time)])
        print_row("  held back", held)


def nine_in_ten(numbers):
    return sorted(numbers)[int(0.9 * (len(numbers) - 1))]


def print_factors(times):
    """A kind's factor holds nine in ten of its cases without a doubt, a doubt's nine in ten of its cases beyond that."""
    factors = {}
    for kind, _ in LIMITS:
        of_kind = [1 + error_of(time) for time in times if time.kind == kind]
        factors[kind] = nine_in_ten(of_kind) if of_kind else 1
    print("\nmodel_factors  " + "  ".join(f"{kind} {factor:.2f}" for kind, factor in factors.items()))
    for doubt in DOUBTS.values():
        beyond = [(1 + error_of(time)) / factors[time.limit] for time in times if time.kind == doubt]
        if beyond:
            print(f"{doubt:20} {max(nine_in_ten(beyond), 1):.2f}  ({len(beyond)} cases)")


def print_worst(times):
    print("\nworst cases (measured, modelled, us)")
    for time in sorted(times, key=error_of, reverse=True)[:MOST]:
        print(f"  {time.kernel}/{time.case} {time.clock:.1f}, {time.model:.1f}")
    wrong = [pair for pair in pairs_apart(times) if pair[1].model < pair[0].model]
    wrong.sort(key=lambda pair: pair[1].clock / pair[0].clock * pair[0].model / pair[1].model, reverse=True)
    print("worst pairs")
    for low, high in wrong[:MOST]:
        print(f"  {low.kernel}/{low.case} {low.clock:.1f}, {low.model:.1f}; "
              f"{high.kernel} {high.clock:.1f}, {high.model:.1f}")


def main():
    paths = [pathlib.Path(word) for word in sys.argv[1:]] or [HERE / "times.tsv"]
    if len(paths) > 2 or not all(path.exists() for path in paths):
        sys.exit(__doc__.strip())
    gpus = from_table(paths[0]) if len(paths) == 1 else {"": list(from_pair(*paths))}
    if not any(gpus.values()):
        sys.exit(f"evaluate: {' and '.join(map(str, paths))}: found no case with both times, expected some")
    for gpu, times in sorted(gpus.items()):
        print_groups(f"scores {gpu}", scores(times))
        print()
        print_groups("single cases", times)
        if times[0].kind:
            print_factors(times)
        print_worst(times)


main()
