#!/usr/bin/env python3
"""Compares modelled times with measured ones: Kendall's tau and the median error, problem by problem.

Usage: tests/hardware/evaluate.py TIMES SIMULATED

TIMES is the output of driver-cuda (NAME MICROSECONDS), of one process or of several, of which the median counts.
SIMULATED is the output of driver-sim for the same plan. A solution's score is the geometric mean of its cases, as in the
judge. "left out" is the error of a problem's scores after all are multiplied by the factor that fits the other problems
best: the error to expect on a problem that was never measured.

There are two taus: of all pairs, and of the pairs that the hardware orders. These leave out pairs whose scores differ by
less than between two processes, or by less than the judge's own uncertainty of 0.5 %. A tie in the model counts for neither order.
copies_on_each_call is left out: its time is that of the host's copies.
"""
import collections
import json
import math
import pathlib
import statistics
import sys

PROFILE = pathlib.Path(__file__).resolve().parents[2] / "simgpu/profiles/h200.json"
UNCERTAINTY = 0.005  # of a score: docs/formats.md, "uncertainty"


def modelled(path):
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


def measured(path):
    times = collections.defaultdict(list)
    for name, us in (line.split() for line in open(path)):
        times[name].append(float(us))
    return times


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


Score = collections.namedtuple("Score", "model clock least most")


def score(cases):
    """Of (modelled, [measured in each process]) of each case."""
    processes = [mean(values) for values in zip(*(clock for _, clock in cases))]
    return Score(mean(model for model, _ in cases), statistics.median(processes), min(processes), max(processes))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    clock = measured(sys.argv[1])
    solutions = collections.defaultdict(list)
    for case, us in modelled(sys.argv[2]).items():
        if case in clock and "copies_on_each_call" not in case:
            solutions[tuple(case.split("/")[:2])].append((us, clock[case]))
    problems = collections.defaultdict(list)
    for (problem, _), cases in solutions.items():
        problems[problem].append(score(cases))
    print(f"{'problem':20} {'solutions':>9} {'tau':>6} {'ordered':>8} {'error of scores':>16} {'left out':>9}")
    for problem, scores in problems.items():
        others = [one for other, group in problems.items() if other != problem for one in group]
        factor = 1 / statistics.median([one.model / one.clock for one in others] or [1])
        print(f"{problem:20} {len(scores):9} {tau(scores):6.2f} {tau(scores, is_apart):8.2f} {error(scores):16.0%} "
              f"{error(scores, factor):9.0%}")
    scores = [one for group in problems.values() for one in group]
    cases = [score([case]) for group in solutions.values() for case in group]
    taus = [(tau(group), tau(group, is_apart)) for group in problems.values()]
    print(f"{'all':20} {len(scores):9} {statistics.fmean(a for a, _ in taus):6.2f} "
          f"{statistics.fmean(b for _, b in taus):8.2f} {error(scores):16.0%}")
    print(f"single cases: {len(cases)}, median error {error(cases):.0%}")


main()
