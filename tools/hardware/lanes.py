#!/usr/bin/env python3
"""Converts Nsight Compute's counts by machine instruction for compare.py: tools/hardware/h200/lanes.csv.

Usage: tools/hardware/lanes.py SOURCE SIMULATED >CSV

SOURCE is the output of ncu for a plan, SIMULATED that of driver-sim for the same plan:
    ncu --section SourceCounters -o report driver-cuda plan
    ncu --import report.ncu-rep --page source --csv --print-kernel-base mangled >SOURCE
A row for each launch and kind of access: how many such instructions the machine code has, how many warps executed
them, and how many lanes.
"""
import csv
import sys
from collections import Counter

from compare import simulated

KINDS = ("LDG", "STG", "LDS", "STS")


def tables(path):
    """The launches' tables of instructions. ncu prints that of a kernel once for each kernel of its module."""
    found, head = [], None
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                found.append((row[1], []))
            elif row and row[0] == "Address":
                head = row
            elif row and found:
                found[-1][1].append(dict(zip(head, row)))
    return [table for before, table in zip([None] + found, found) if before != table]


def number(text):
    return int(text.replace(",", ""))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    launches = simulated(sys.argv[2])
    table = tables(sys.argv[1])
    if [kernel for kernel, _ in table] != [launch["kernel"] for launch in launches]:
        sys.exit(f"lanes: {len(table)} launches in {sys.argv[1]}, {len(launches)} others in {sys.argv[2]}")
    print("case,kernel,kind,instructions,warps,lanes")
    for (kernel, rows), launch in zip(table, launches):
        instructions, warps, lanes = Counter(), Counter(), Counter()
        for row in rows:
            kind = next(word for word in row["Source"].split() if not word.startswith("@")).split(".")[0]
            instructions[kind] += 1
            warps[kind] += number(row["Instructions Executed"])
            lanes[kind] += number(row["Predicated-On Thread Instructions Executed"])
        for kind in KINDS:
            if instructions[kind] > 0:
                print(f"{launch['case']},{kernel},{kind},{instructions[kind]},{warps[kind]},{lanes[kind]}")


main()
