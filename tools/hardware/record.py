#!/usr/bin/env python3
"""Reduces Nsight Compute's table to what is kept, tools/hardware/h200/counters.csv.

Usage: tools/hardware/record.py COUNTERS SIMULATED >CSV

COUNTERS is the output of profile.sh, SIMULATED that of driver-sim for the same plan: it says which case a launch
is of.
"""
import csv
import sys

from compare import measured, simulated

NAMES = ["ID", "Kernel Name", "Block Size", "Grid Size"]
METRICS = ("gpu__", "smsp__inst", "smsp__sass", "l1tex__", "idc__", "lts__", "dram__", "sm__",
           "launch__registers_per_thread", "launch__occupancy_limit")


def is_kept(column):
    """Of a counter, its sum; ratios have none."""
    return column.startswith(METRICS) and not column.endswith((".avg", ".min", ".max")) and not (
        column.split(".")[-1].endswith("pct_of_peak_sustained_active") and ".avg." not in column)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    rows, launches = measured(sys.argv[1]), simulated(sys.argv[2])
    if len(rows) != len(launches):
        sys.exit(f"record: {len(rows)} launches in {sys.argv[1]}, {len(launches)} in {sys.argv[2]}")
    columns = ["Case"] + NAMES + [column for column in rows[0] if is_kept(column) and column not in NAMES]
    table = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    for row, launch in zip(rows, launches):
        counts = {column: row[column].replace(",", "") for column in columns[1 + len(NAMES):]}
        table.writerow({**row, **counts, "Case": launch["case"]})


main()
