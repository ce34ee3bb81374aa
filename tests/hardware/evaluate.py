#!/usr/bin/env python3
"""Holds modelled times against measured ones: Kendall's tau and the median error, problem by problem.

Usage: tests/hardware/evaluate.py TIMES SIMULATED

TIMES is what driver-cuda printed (NAME MICROSECONDS), SIMULATED what driver-sim printed for the same plan. A solution's score
is the geometric mean of its cases, as the judge takes it. "left out" is the error of a problem's scores once all are
multiplied by the factor that fits the other problems best: what the model would be wrong by on a problem nobody measured.
copies_on_each_call is left out: its time is that of the host's copies.
"""
import collections
import math
import statistics
import sys


def modelled(path):
    times, case = collections.OrderedDict(), None
    for line in open(path):
        line = line.strip()
        if line.startswith("case "):
            case = line[5:]
            times[case] = 0.0
        elif line == "end":
            case = None
        elif case is not None and not line.startswith("kernel,"):
            times[case] += float(line.split(",")[3])
    return times


def tau(pairs):
    """Kendall's tau: pairs in one order less those in the other, over all of them."""
    order = [(a - c) * (b - d) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]]
    return sum((x > 0) - (x < 0) for x in order) / max(1, len(order))


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def error(pairs, factor=1.0):
    return statistics.median(abs(factor * model / clock - 1) for model, clock in pairs)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    clock = {name: float(us) for name, us in (line.split() for line in open(sys.argv[1]))}
    solutions = collections.defaultdict(list)
    for case, us in modelled(sys.argv[2]).items():
        if case in clock and "copies_on_each_call" not in case:
            solutions[tuple(case.split("/")[:2])].append((us, clock[case]))
    problems = collections.defaultdict(list)
    for (problem, _), cases in solutions.items():
        problems[problem].append((mean(a for a, _ in cases), mean(b for _, b in cases)))
    print(f"{'problem':20} {'solutions':>9} {'tau':>6} {'error of scores':>16} {'left out':>9}")
    for problem, scores in problems.items():
        others = [pair for other, pairs in problems.items() if other != problem for pair in pairs]
        factor = 1 / statistics.median(model / clock for model, clock in others)
        print(f"{problem:20} {len(scores):9} {tau(scores):6.2f} {error(scores):16.0%} {error(scores, factor):9.0%}")
    scores = [pair for pairs in problems.values() for pair in pairs]
    cases = [pair for pairs in solutions.values() for pair in pairs]
    print(f"{'all':20} {len(scores):9} {statistics.fmean(tau(p) for p in problems.values()):6.2f} {error(scores):16.0%}")
    print(f"single cases: {len(cases)}, median error {error(cases):.0%}")


main()
