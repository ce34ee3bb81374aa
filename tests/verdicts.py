#!/usr/bin/env python3
"""Records which verdicts the files of this checkout get, and shows the records side by side in lab/verdicts.md.

Usage: tests/verdicts.py judge BUILD RECORD [FILE...]   adds to tests/verdicts/RECORD.txt what it lacks; may be stopped
                                                        and started again. Default: all files, which takes hours
       tests/verdicts.py table                          writes lab/verdicts.md from the records
       tests/verdicts.py check                          names each verdict in a record that its file does not claim, and
                                                        each on the page that no record has, as `make lint` does

RECORD names how: sim-nvcc and sim-clang on the simulated GPU, h200 on a GPU of this name. On the simulated GPU a file is
judged on the untimed cases and one timed case (tests/fewer_cases.sh), and where it does not get what it claims, as on a
real GPU, on all.

A line of a record: the first 12 digits of the SHA-256 of the file (source_of), its verdict, its path and, where the verdict is not the
one that the file claims, the message; with tabs between them. A file that has changed since has no verdict."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = {
    "accepted": "Accepted",
    "wrong_answer": "Wrong Answer",
    "run_time_error": "Run-Time Error",
    "time_limit_exceeded": "Time Limit Exceeded",
    "memory_limit_exceeded": "Memory Limit Exceeded",
    "compile_error": "Compile Error",
    "rule_violation": "Rule Violation",
    "integrity_violation": "Integrity Violation",
    "judge_error": "Judge Error",
}
RECORDS = {"h200": "H200", "sim-nvcc": "simulated, nvcc", "sim-clang": "simulated, clang"}
HOME = pathlib.Path(__file__).resolve().parent.parent
PAGE = HOME / "lab/verdicts.md"


def all_files():
    """The files with a claim, in the order of the page: solutions, files about the judge itself, students' files, features."""
    found = []
    for folder in ("solutions/*/*", "tests/judge", "tests/student", "tests/features"):
        paths = [*HOME.glob(folder + "/*.cu"), *HOME.glob(folder + "/*.patch")]
        found += sorted(str(path.relative_to(HOME)) for path in paths if path.parent.name != "rivals")
    return found


def source_of(file):
    """With shared parts in their places, and of a patch with its base behind it."""
    source = (HOME / file).read_text()
    source = re.sub(r'^#include "(shared/\w+\.cuh)"\n', lambda part: (HOME / "solutions" / part[1]).read_text(), source, flags=re.MULTILINE)
    bases = re.findall(r"^--- (.*)$", source, re.MULTILINE) if file.endswith(".patch") else []
    return source + "".join(source_of(f"solutions/{base}") for base in bases)


def key_of(file):
    return hashlib.sha256(source_of(file).encode()).hexdigest()[:12]


def claim_of(file, record):
    """The verdicts that a file may get, as grader/commands/inspection.c reads them."""
    source = (HOME / file).read_text()
    expected = re.search(r"^// expect: (.*)$", source, re.MULTILINE)
    on_cuda = re.search(r"^// on cuda: (.*)$", source, re.MULTILINE)
    if record == "h200" and on_cuda:
        return on_cuda[1].split(", ")
    return expected[1].split(", ") if expected else [FOLDERS[file.split("/")[-2]]]


# ---- judging ----------------------------------------------------------------------------------------------------------


def read_record(name):
    path = HOME / f"tests/verdicts/{name}.txt"
    lines = [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []
    return {fields[2]: fields for fields in lines if len(fields) >= 3 and not fields[0].startswith("#")}


def judge_file(build, record, homes, file):
    """A line of the record. What a home with fewer cases does not find, one with all may."""
    for home in homes:
        answer = grade(build, record, home, file)
        if answer["verdict"] in claim_of(file, record):
            break
    told = [] if answer["verdict"] in claim_of(file, record) else [" ".join(answer["text"].split())[:200]]
    return [key_of(file), answer["verdict"], file] + told


def grade(build, record, home, file):
    device = "cuda" if record == "h200" else "sim"
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        command = [build / "convjudge", "grade", "--no-record", "--no-second-opinion", "--device", device, "--json", result, file]
        environment = os.environ | {"CONVJUDGE_HOME": str(home)}
        ended = subprocess.run(command, cwd=HOME, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not result.exists():
            raise RuntimeError(f"{file}: the judge failed: " + ended.stderr.strip().split("\n")[-1])
        return json.loads(result.read_text())


def judge(build, record, files):
    build = pathlib.Path(build).resolve()
    known = read_record(record)
    (HOME / "tests/verdicts").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, open(HOME / f"tests/verdicts/{record}.txt", "a") as log:
        homes = [HOME]
        if record != "h200":
            homes.insert(0, name)
            script = f"source tests/fewer_cases.sh; home_with_fewer_cases {name} untimed"
            subprocess.run(["bash", "-c", script], cwd=HOME, check=True)
            os.environ["CONVJUDGE_COMPILER"] = record.removeprefix("sim-")
        wanted = [file for file in files or all_files() if known.get(file, [None])[0] != key_of(file)]
        at_once = 1 if record == "h200" else max(1, len(os.sched_getaffinity(0)) // 2)
        failed = False
        with concurrent.futures.ThreadPoolExecutor(at_once) as workers:
            for done in concurrent.futures.as_completed(workers.submit(judge_file, build, record, homes, file) for file in wanted):
                try:
                    print("\t".join(done.result()), file=log, flush=True)
                except RuntimeError as error:
                    print(error, file=sys.stderr)
                    failed = True
        sys.exit(failed)


# ---- the page ---------------------------------------------------------------------------------------------------------


def verdicts_of(record):
    """The verdict of each file that is as it was when it was judged."""
    known = read_record(record)
    return {file: known[file][1] for file in all_files() if file in known and known[file][0] == key_of(file)}


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def summary(verdicts):
    groups = {}
    for file in all_files():
        name = "/".join(file.split("/")[:2])
        groups.setdefault(name, []).append(file)
    lines = [row(["folder", "files"] + list(RECORDS.values())), row(["---"] * (2 + len(RECORDS)))]
    for name, files in groups.items():
        cells = []
        for record in RECORDS:
            got = [(file, verdicts[record][file]) for file in files if file in verdicts[record]]
            right = sum(any(v in claim_of(file, record) for v in verdict.split(" or ")) for file, verdict in got)
            cells.append(f"{right} of {len(got)}" if got else "not run")
        lines.append(row([name, len(files)] + cells))
    return lines


def differs(file, verdicts):
    got = [set(of[file].split(" or ")) for of in verdicts.values() if file in of]
    return bool(got) and not set.intersection(*got)


def table(files, verdicts):
    lines = [row(["file"] + list(RECORDS.values())), row(["---"] * (1 + len(RECORDS)))]
    for file in files:
        lines.append(row([f"`{file}`"] + [of.get(file, "not run") for of in verdicts.values()]))
    return lines


def page():
    verdicts = {record: verdicts_of(record) for record in RECORDS}
    different = [file for file in all_files() if differs(file, verdicts)]
    features = [file for file in all_files() if file.startswith("tests/features/")]
    return "\n".join([(HOME / "tests/verdicts/head.md").read_text().rstrip(), ""]
                     + summary(verdicts) + ["", "## Differences", ""]
                     + (table(different, verdicts) if different else ["No file has two verdicts in these records."])
                     + ["", "## Features", ""] + table(features, verdicts)) + "\n"


# ---- the check --------------------------------------------------------------------------------------------------------


def is_claimed(file, record, verdict):
    """Clang compiles a subset of CUDA; what goes beyond it is a limit of the judge."""
    claim = claim_of(file, record)
    return all(v in claim or (record == "sim-clang" and v == "Judge Error") for v in verdict.split(" or "))


def faults(verdicts):
    for record, of in verdicts.items():
        for file, verdict in of.items():
            if not is_claimed(file, record, verdict):
                yield f"tests/verdicts/{record}.txt: {file} got {verdict}, but claims {' or '.join(claim_of(file, record))}"
    for file, *cells in re.findall(r"^\| `(.*?)` \| (.*?) \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE):
        for record, cell in zip(RECORDS, cells):
            if cell != "not run" and cell != verdicts[record].get(file):
                yield f"lab/verdicts.md: {file}: no record has {cell} for the file as it is; run tests/verdicts.py table"


def check():
    found = list(faults({record: verdicts_of(record) for record in RECORDS}))
    for text in found:
        print("lint:", text)
    sys.exit(1 if found else 0)


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "judge" and sys.argv[3] in RECORDS:
        judge(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1:] == ["table"]:
        PAGE.write_text(page())
    elif sys.argv[1:] == ["check"]:
        check()
    else:
        sys.exit(__doc__)


main()
