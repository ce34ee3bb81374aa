#!/usr/bin/env python3
"""Compares modelled times with measured ones, problem by problem.

Usage: tools/hardware/evaluate.py TIMES SIMULATED [PAIRS]

TIMES is the output of driver-cuda (NAME MICROSECONDS), of one process or of several, of which the median counts, or a
file of leaderboard/references, whose cases count in their order. SIMULATED is the output of driver-sim for the same plan, or
such a file; cases that TIMES does not have are passed over. Prints the PAIRS (default: 10) whose order the model misses by most.

Apart, tau  cases of one problem and one size whose measured times are more than 10 % apart: pairs in the right order less
            those in the wrong one, over all of them. A tie in the model counts for neither.
Scores      a solution's score is the geometric mean of its cases, as in the judge. tau: over all pairs of solutions;
            ordered: without pairs whose scores differ by less than between two processes, or by less than the judge's own
            uncertainty of 0.5 %. Left out: the error of a problem's scores after all are multiplied by the factor that
            fits the other problems best.
Halves      a solution is of the held-out half where the checksum of its name is odd. Nothing may be fitted to that half.

CONVJUDGE_PROFILE and CONVJUDGE_PROFILES name the profile, as for driver-sim. copies_on_each_call is left out: its time is that of the host's copies.
"""
import collections
import json
import math
import os
import pathlib
import statistics
import sys
import zlib

PROFILES = os.environ.get("CONVJUDGE_PROFILES", pathlib.Path(__file__).resolve().parents[2] / "simgpu/profiles")
PROFILE = pathlib.Path(PROFILES) / (os.environ.get("CONVJUDGE_PROFILE", "h200") + ".json")
UNCERTAINTY = 0.005  # of a score: docs/reference/formats.md, "uncertainty"
APART = 1.1          # measured times of two cases that a model should order

Case = collections.namedtuple("Case", "name model clock")
Score = collections.namedtuple("Score", "model clock least most")


def solution_of(name):
    return name.rpartition("/")[0]


def is_held(name):
    """Not by Python's own hash, which differs from run to run."""
    return zlib.crc32(solution_of(name).encode()) % 2 == 1


# ---- reading ---------------------------------------------------------------------------------------------------------


def modelled(path):
    if path.endswith(".json"):
        return collections.OrderedDict(references(path))
    times, case = collections.OrderedDict(), None
    events_us = 1e6 * json.loads(PROFILE.read_text())["events_s"]
    for line in open(path):
        line = line.strip()
        if line.startswith("case "):
            case = line[5:]
            times[case] = events_us
        elif line == "end":
            case = None
        elif case is not None and not line.startswith("kernel,"):
            times[case] += float(line.split(",")[3])
    return times


def references(path):
    for problem in json.loads(pathlib.Path(path).read_text())["problems"]:
        for solution in problem["references"]:
            for number, case in enumerate(solution["cases"], 1):
                yield f"{problem['problem']}/{solution['name'].removesuffix('.cu')}/{number}", 1000 * case["time_ms"]


def measured(path):
    times = collections.defaultdict(list)
    rows = references(path) if path.endswith(".json") else (line.split() for line in open(path))
    for name, us in rows:
        times[name].append(float(us))
    return times


# ---- single cases ----------------------------------------------------------------------------------------------------


def pairs_apart(cases):
    """Of each two cases of one problem and size that the hardware takes apart, the one that is faster there first."""
    groups = collections.defaultdict(list)
    for case in cases:
        problem, _, number = case.name.rpartition("/")
        groups[problem.partition("/")[0], number].append(case)
    for group in groups.values():
        for i, a in enumerate(group):
            for b in group[:i]:
                low, high = (a, b) if a.clock < b.clock else (b, a)
                if high.clock > APART * low.clock:
                    yield low, high


def tau_apart(cases):
    order = [high.model - low.model for low, high in pairs_apart(cases)]
    return len(order), sum((x > 0) - (x < 0) for x in order) / max(1, len(order))


def error_of(case):
    """Too fast by half counts as much as too slow by double: the ratio of the larger to the smaller, less one."""
    return max(case.model, case.clock) / min(case.model, case.clock) - 1


def row_of_cases(title, cases):
    errors = sorted(error_of(case) for case in cases)
    pairs, tau = tau_apart(cases)
    print(f"{title:24} {len(cases):6} {pairs:6} {tau:6.2f} {statistics.median(errors):7.0%} "
          f"{errors[int(0.9 * (len(errors) - 1))]:7.0%} {statistics.median(c.model / c.clock for c in cases):7.2f}")


def print_cases(cases, most):
    print(f"{'single cases':24} {'cases':>6} {'apart':>6} {'tau':>6} {'median':>7} {'90 %':>7} {'ratio':>7}")
    problems = collections.defaultdict(list)
    for case in cases:
        problems[case.name.partition("/")[0]].append(case)
    for problem, group in problems.items():
        row_of_cases(problem, group)
    row_of_cases("all", cases)
    for title, held in (("  half for fitting", False), ("  half held out", True)):
        half = [case for case in cases if is_held(case.name) == held]
        if half:
            row_of_cases(title, half)
    wrong = [pair for pair in pairs_apart(cases) if pair[1].model < pair[0].model]
    wrong.sort(key=lambda pair: pair[1].clock / pair[0].clock * pair[0].model / pair[1].model, reverse=True)
    for low, high in wrong[:most]:
        print(f"  {low.name} measured {low.clock:.1f}, modelled {low.model:.1f}; "
              f"{high.name} {high.clock:.1f}, {high.model:.1f}")


# ---- scores ----------------------------------------------------------------------------------------------------------


def tau(scores, is_ordered=lambda a, b: True):
    """Kendall's tau: pairs in one order less those in the other, over all of them."""
    pairs = [(a, b) for i, a in enumerate(scores) for b in scores[:i] if is_ordered(a, b)]
    order = [(a.model - b.model) * (a.clock - b.clock) for a, b in pairs]
    return sum((x > 0) - (x < 0) for x in order) / max(1, len(order))


def is_apart(a, b):
    """Do the hardware's scores, each as it was in several processes, lie beyond one another?"""
    low, high = (a, b) if a.clock < b.clock else (b, a)
    return high.least > low.most * (1 + UNCERTAINTY)


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def error(scores, factor=1.0):
    return statistics.median(abs(factor * score.model / score.clock - 1) for score in scores)


def score(cases):
    """Of (modelled, [measured in each process]) of each case."""
    processes = [mean(values) for values in zip(*(clock for _, clock in cases))]
    return Score(mean(model for model, _ in cases), statistics.median(processes), min(processes), max(processes))


def print_scores(solutions):
    problems = collections.defaultdict(list)
    for name, cases in solutions.items():
        problems[name.partition("/")[0]].append(score(cases))
    print(f"\n{'scores':24} {'solutions':>9} {'tau':>6} {'ordered':>8} {'error':>7} {'left out':>9}")
    for problem, scores in problems.items():
        others = [one for other, group in problems.items() if other != problem for one in group]
        factor = 1 / statistics.median([one.model / one.clock for one in others] or [1])
        print(f"{problem:24} {len(scores):9} {tau(scores):6.2f} {tau(scores, is_apart):8.2f} {error(scores):7.0%} "
              f"{error(scores, factor):9.0%}")
    scores = [one for group in problems.values() for one in group]
    taus = [(tau(group), tau(group, is_apart)) for group in problems.values()]
    print(f"{'all':24} {len(scores):9} {statistics.fmean(a for a, _ in taus):6.2f} "
          f"{statistics.fmean(b for _, b in taus):8.2f} {error(scores):7.0%}")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    clock = measured(sys.argv[1])
    cases, solutions = [], collections.OrderedDict()
    for name, us in modelled(sys.argv[2]).items():
        if name in clock and "copies_on_each_call" not in name:
            cases.append(Case(name, us, statistics.median(clock[name])))
            solutions.setdefault(solution_of(name), []).append((us, clock[name]))
    if not cases:
        sys.exit(f"evaluate: {sys.argv[1]} and {sys.argv[2]} have no case in common")
    print_cases(cases, int(sys.argv[3]) if len(sys.argv) == 4 else 10)
    print_scores(solutions)


main()
