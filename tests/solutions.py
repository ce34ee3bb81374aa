#!/usr/bin/env python3
"""Writes solutions/ID/README.md: the wrong solutions of a problem, what is wrong with each, and the hidden cases that find it.

Usage: build/convjudge check-problem --problem ID --mutants 0 | tests/solutions.py cases ID
                                    writes the page with the cases that were printed
       tests/solutions.py write     writes all pages anew, with the cases that they name
       tests/solutions.py check     names the pages that would change by that, as `make lint` does
       tests/solutions.py cases-for ID
                                    prints, as a list of JSON, a few small cases that find all that the page says are found"""
import json
import math
import pathlib
import re
import sys

UNKNOWN = "not recorded"
HOME = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Wrong solutions of {0}

`tests/solutions.py` writes this page. The cases are those of `testcases/{0}/hidden.json`, from 1 to {1}, as `convjudge check-problem`
counts them. A file without a case is found before them: by the compiler, a sample or a rule.

| file | mistake | found by |
|---|---|---|
"""


def mistake_of(file):
    """The sentences behind "Mistake:" in the comment at the top."""
    found = re.search(r"^// Mistake: (.*(?:\n// (?!problem:|says:|sketch:|expect:|on cuda:).*)*)", file.read_text(), re.MULTILINE)
    return re.sub(r"\s*\n// *", " ", found[1]).replace("|", "\\|") if found else ""


def ranges(numbers):
    """[1, 2, 3, 7] as "1-3, 7"."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def cases_printed(output):
    """What check-problem prints for each wrong solution: a mark for each hidden case."""
    rows = re.findall(r"^# (\w+)\.cu +([A-Z. ]+)$", output, re.MULTILINE)
    return {name: ranges(at for at, mark in enumerate(marks, 1) if mark not in ". ") for name, marks in rows}


def cases_named(folder):
    """Those that the page names so far."""
    page = folder / "README.md"
    return dict(re.findall(r"^\| `\w+/(\w+)\.\w+` \| .* \| (.*) \|$", page.read_text(), re.MULTILINE)) if page.exists() else {}


def hidden_cases(folder):
    """Without those that are timed, which stand at the end."""
    cases = json.loads((HOME / "testcases" / folder.name / "hidden.json").read_text())["cases"]
    return [case for case in cases if not case.get("timed")]


def count_named(folder):
    """How many hidden cases there were when the page's numbers were recorded."""
    page = folder / "README.md"
    found = re.search(r"from 1 to (\d+)", page.read_text()) if page.exists() else None
    return int(found[1]) if found else len(hidden_cases(folder))


def numbers(found_by):
    """"1-3, 7" as [1, 2, 3, 7]."""
    pairs = re.findall(r"(\d+)(?:-(\d+))?", found_by)
    return [number for low, high in pairs for number in range(int(low), int(high or low) + 1)]


def few_cases(folder):
    """A few cases, as small as can be, that find all wrong solutions together, and the cases whose arrays these repeat."""
    cases = hidden_cases(folder)
    elements = [math.prod(max(1, size[-1] if isinstance(size, list) else size) for size in case["sizes"].values()) for case in cases]
    drawn = {number for number, case in enumerate(cases, 1) if any(isinstance(size, list) for size in case["sizes"].values())}
    chosen = set()
    finders_of_all = [set(found) - drawn or set(found) for found in map(numbers, cases_named(folder).values())]
    for finders in sorted(finders_of_all, key=len):  # first those that only a few cases find; sizes that are drawn may miss it
        if finders and chosen.isdisjoint(finders):
            chosen.add(min(finders, key=lambda number: elements[number - 1]))
    for number in sorted(chosen, reverse=True):
        while number > 1 and number not in drawn and (
                cases[number - 1].get("addresses") or cases[number - 1]["sizes"] == cases[number - 2]["sizes"]):
            number -= 1
            chosen.add(number)
    return sorted(chosen)


def page_of(folder, cases, count):
    default = UNKNOWN if UNKNOWN in cases.values() or not cases else ""
    files = [path for kind in ("*.cu", "*.patch") for path in folder.glob("*/" + kind)]
    lines = [f"| `{file.relative_to(folder)}` | {mistake_of(file)} | {cases.get(file.stem, default)} |"
             for file in sorted(files) if file.parent.name not in ("accepted", "rivals")]
    return HEAD.format(folder.name, count) + "\n".join(lines) + "\n"


def main():
    folders = sorted(path for path in (HOME / "solutions").iterdir() if (path / "accepted").is_dir())
    if len(sys.argv) == 3 and sys.argv[1] == "cases":
        folder = HOME / "solutions" / sys.argv[2]
        (folder / "README.md").write_text(page_of(folder, cases_printed(sys.stdin.read()), len(hidden_cases(folder))))
    elif len(sys.argv) == 3 and sys.argv[1] == "cases-for":
        print(few_cases(HOME / "solutions" / sys.argv[2]))
    elif sys.argv[1:] == ["write"]:
        for folder in folders:
            (folder / "README.md").write_text(page_of(folder, cases_named(folder), count_named(folder)))
    elif sys.argv[1:] == ["check"]:
        faults = []
        for folder in folders:
            page, count = folder / "README.md", count_named(folder)
            if not page.exists() or page.read_text() != page_of(folder, cases_named(folder), count):
                faults.append(f"{page.relative_to(HOME)}: is not what its files say: run tests/solutions.py write")
            if count != len(hidden_cases(folder)):
                faults.append(f"{page.relative_to(HOME)}: has the numbers of {count} hidden cases, and there are {len(hidden_cases(folder))}: "
                              f"run build/convjudge check-problem --problem {folder.name} --mutants 0 | tests/solutions.py cases {folder.name}")
        for fault in faults:
            print(f"lint: {fault}")
        sys.exit(1 if faults else 0)
    else:
        sys.exit(__doc__)


main()
