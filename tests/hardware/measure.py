#!/usr/bin/env python3
"""Times the kernels of this folder on a GPU and by the cost model, and writes both into a table.

Usage: tests/hardware/measure.py [--build BUILD] [--table TABLE] [--jobs N] [--unconfined] [--device DEVICE]... [FILE]...

DEVICE is as for `convjudge grade`: cuda, sim, sim:PROFILE; without any, cuda and sim. FILEs are by default all kernels.
A GPU judges one kernel at a time, the model N at a time (default: all processors but four). Both judge all cases, so that
a wrong kernel has no time. TABLE (default: times.tsv beside this program) is read first, and written anew after each
kernel: what is not measured now stays, and a run that is broken off loses one kernel. A kernel that fails is named, keeps
what the table had of it, and makes the exit status 1.

Columns  file, case, gpu; measured_us and its uncertainty, measured_on; modelled_us, counters of the simulated GPU
         (docs/reference/formats.md, cases[].counters), and the doubts of the model about the kernel (model_doubts).
gpu      the second word of the device's name ("nvidia-h200-nvl": h200), or the name of the model's profile.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COUNTERS = ["kernels", "copies", "warp_instructions", "fma32", "global_load_requests", "global_load_sectors",
            "global_store_sectors", "shared_wavefronts", "texture_requests", "texture_sectors", "constant_replays",
            "occupancy", "sampled_blocks", "limiter"]
COLUMNS = ["file", "case", "gpu", "measured_us", "uncertainty", "measured_on", "modelled_us", *COUNTERS, "doubts"]


class Table:
    """Rows by (file, case, gpu); several threads add to it."""

    def __init__(self, path):
        self.path, self.rows, self.lock = path, {}, threading.Lock()
        if path.exists():
            head, *lines = path.read_text().splitlines()
            if head.split("\t") != COLUMNS:
                sys.exit(f"measure: {path}:1: found '{head}', expected the columns {', '.join(COLUMNS)}")
            for line in lines:
                row = dict(zip(COLUMNS, line.split("\t")))
                self.rows[row["file"], row["case"], row["gpu"]] = row

    def add(self, file, gpu, cases):
        """Of {case: {column: value}}."""
        with self.lock:
            for case, values in cases.items():
                row = self.rows.setdefault((file, case, gpu), dict.fromkeys(COLUMNS, ""))
                row.update(values, file=file, case=case, gpu=gpu)
            lines = ["\t".join(row[column] for column in COLUMNS) for _, row in sorted(self.rows.items())]
            partial = self.path.with_suffix(".partial")
            partial.write_text("\n".join(["\t".join(COLUMNS)] + lines) + "\n")
            partial.replace(self.path)


def grade(options, device, path):
    """The judge's result, or None after a line that says what is wrong."""
    command = [options.build / "convjudge", "grade", "--no-record", "--json", "-", "--device", device]
    command += ["--no-second-opinion"] if device.startswith("cuda") else []
    command += ["--unconfined"] if options.unconfined else []
    environment = {**os.environ, "CONVJUDGE_DB": options.database}
    try:
        done = subprocess.run([*command, path], env=environment, capture_output=True, text=True, timeout=600)
        result = json.loads(done.stdout or "null")
        fault = f"{result['verdict']}: {result.get('text', '')}" if result else done.stderr.strip()
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        result, fault = None, str(error)
    if result and result["verdict"] == "Accepted":
        return result
    print(f"{path.relative_to(HERE)} on {device}: {fault}", flush=True)
    return None


def measured(case, result):
    return {"measured_us": f"{1000 * case['time_ms']:.2f}", "uncertainty": f"{case['uncertainty']:.4f}",
            "measured_on": datetime.date.today().isoformat()}


def modelled(case, result):
    counters = {name: case["counters"].get(name, "") for name in COUNTERS}
    return {"modelled_us": f"{1000 * case['time_ms']:.2f}", "doubts": "; ".join(result.get("model_doubts", [])),
            **{name: f"{value:.3f}" if isinstance(value, float) else str(value) for name, value in counters.items()}}


def time_kernel(options, table, device, path):
    result = grade(options, device, path)
    if result is None:
        return False
    columns, gpu = (modelled if result["modelled"] else measured), result["device"].split("-")[1]
    cases = {case["name"]: columns(case, result) for case in result["cases"] if "time_ms" in case}
    table.add(str(path.relative_to(HERE)), gpu, cases)
    return True


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "), add_help=False)
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "build")
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "times.tsv")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) - 4))
    parser.add_argument("--unconfined", action="store_true")
    parser.add_argument("--device", action="append")
    parser.add_argument("files", nargs="*", type=lambda path: pathlib.Path(path).resolve())
    options = parser.parse_args()
    table = Table(options.table)
    files = options.files or sorted(HERE.rglob("*.cu"))
    for path in files:
        if not path.is_file() or HERE not in path.parents:
            sys.exit(f"measure: {path}: expected a kernel in {HERE}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(1) as gpu, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as processors:
        options.database = f"{folder}/measure.db"
        waiting = [(gpu if device.startswith("cuda") else processors).submit(time_kernel, options, table, device, path)
                   for device in options.device or ["cuda", "sim"] for path in files]
        return 0 if all([future.result() for future in waiting]) else 1


sys.exit(main())
