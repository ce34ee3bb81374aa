#!/usr/bin/env python3
"""messages.py - holds the messages of the judge to the tests that expect them.

Texts: each string literal of the sources with three plain words or more is taken for one that people may read. A test
expects it if an expectation holds a piece of it: two fifths of its longest part between two insertions (%d and the
like), and 16 characters at least. Expectations are the lines of tests/*.bats, the string literals of unit tests, and
the lines "// says: ..." of submissions. Texts that no test
expects stand in tests/messages/untested.txt, as PLACE: WORDS. PLACE is a file, or the function that is given the
literal, such as fail_errno(); * stands for anything in both.

Kinds: tests/messages/README.md has a row for each kind of mistake and of wrong output, with a submission that provokes
it. `convjudge check` holds the submissions to their lines "// says: ...".

Usage: tests/messages.py         prints each fault
       tests/messages.py list    prints each text with the first test that expects it
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

TABLE = "tests/messages/README.md"
UNTESTED = "tests/messages/untested.txt"
MISTAKES, OUTPUTS = "harness/device/mistake.def", "grader/check/wrong_output.def"

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TOKEN = re.compile(
    rf"/\*.*?\*/|//[^\n]*|(?P<text>{LITERAL}(?:\s*(?:PRI\w+\s*)?{LITERAL})*)|'(?:[^'\\]|\\.)+'", re.S)
PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"|(PRI\w+)')
INSERTION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh?|ll?|[zjtL])?[a-zA-Z%]|\\n")
WORD = re.compile(r"(?<!\S)[\"'(]*[A-Za-z][a-z'-]*[\"'),.:;]*(?!\S)")

faults = 0


def fault(words):
    global faults
    faults += 1
    print("lint:", words)


def tracked(*patterns):
    return subprocess.run(["git", "ls-files", *patterns], check=True, capture_output=True, text=True).stdout.split()


def read(path):
    return pathlib.Path(path).read_text(errors="replace")


def said(path, header="says"):
    """What a submission claims that its author is told."""
    return re.findall(rf"^// (?:{header}): (.*)$", read(path), re.M)


# ---- texts and tests -----------------------------------------------------------------------------------------------


def literals(source):
    """Yields the offset and the words of each literal; neighbouring ones are one."""
    for token in TOKEN.finditer(source):
        if token["text"]:
            pieces = ["d" if number else text for text, number in PART.findall(token["text"])]  # "%" PRIu64 is %d
            yield token.start(), "".join(pieces).replace('\\"', '"')


def function_around(source, at):
    """The function, or macro, among whose arguments the literal stands."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if source[i] == ")":
            depth += 1
        elif source[i] == "(" and depth > 0:
            depth -= 1
        elif source[i] == "(":
            return re.search(r"(\w*)\s*$", source[:i])[1] + "()"
        elif source[i] in ";{}" and depth == 0:
            break
    return ""


def texts():
    """Yields file, line, function and words of each text."""
    for path in tracked("*.c", "*.h", "*.def"):
        if "/tests/" in path or path.startswith(("tests/", "tools/", "problems/")):
            continue
        source = re.sub(r"^ *# *(?:include|error).*$", "", read(path), flags=re.M)
        for at, words in literals(source):
            if source.endswith(".about = ", 0, at):  # for docs/reference/formats.md, which a unit test compares
                continue
            if len(WORD.findall(INSERTION.sub(" ", words))) >= 3:
                yield path, source.count("\n", 0, at) + 1, function_around(source, at), words


def expectations():
    """What tests expect, by file."""
    found = {}
    for path in tracked("*.bats"):
        lines = [line for line in read(path).splitlines() if not re.match(r"\s*#|@test", line)]
        found[path] = "\n".join(lines).replace('\\"', '"')
    for path in tracked("*/tests/*.c", "*/tests/*.h"):
        if not path.startswith("tests/"):
            found[path] = "\n".join(words for _, words in literals(read(path)))
    for path in tracked("tests/*.cu", "tests/*.c", "solutions/*.cu", "solutions/*.patch", "solutions/*.c"):
        found[path] = "\n".join(said(path, "says"))
    return found


def expected_by(words, tests):
    """The first test that expects these words."""
    part = max((piece.strip() for piece in INSERTION.split(words)), key=len)
    size = min(len(part), max(16, len(part) * 2 // 5))
    pieces = [part[i:i + size] for i in range(len(part) - size + 1)]
    return next((path for path, text in tests.items() if any(piece in text for piece in pieces)), None)


def untested():
    """Yields line, place and words of each entry."""
    for number, line in enumerate(read(UNTESTED).splitlines(), 1):
        if line and not line.startswith("#"):
            yield number, *line.split(": ", 1)


def matches(text, pattern):
    return fnmatch.fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


def check_texts():
    tests, entries, used = expectations(), list(untested()), set()
    for path, line, function, words in texts():
        if expected_by(words, tests):
            continue
        entry = next((number for number, place, pattern in entries
                      if (place == function or matches(path, place)) and matches(words, pattern)), None)
        used.add(entry)
        if entry is None:
            fault(f"{path}:{line}: no test expects \"{words}\"")
    for number, place, words in entries:
        if number not in used:
            fault(f"{UNTESTED}:{number}: no text without a test is \"{place}: {words}\"")


def list_texts():
    tests = expectations()
    for path, line, _, words in texts():
        print(f"{path}:{line}: {words}\t{expected_by(words, tests) or 'no test'}")


# ---- kinds and examples --------------------------------------------------------------------------------------------


def rows():
    """Yields heading, name, words and example of each row of the table."""
    heading = ""
    for line in read(TABLE).splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| `"):
            name, words, *example = line.strip("| ").split(" | ")
            yield heading, name.strip("`"), words, example[0].strip("`") if example else None


def is_said(words, line):
    """Whether a line has the words, with anything for each …"""
    return re.search(".*".join(map(re.escape, words.split("…"))), line)


def check_kinds(definitions, heading, kinds, without):
    named = {name for section, name, *_ in rows() if section == heading}
    for kind in kinds:
        if kind in named and kind in without:
            fault(f"{TABLE}: {kind} stands among the kinds without an example, and has one")
        elif kind not in named and kind not in without:
            fault(f"{TABLE}: {kind} of {definitions} has no row")
    for kind in named - set(kinds):
        fault(f"{TABLE}: {definitions} has no {kind}")


def check_table():
    without = {name for heading, name, *_ in rows() if heading == "Kinds without an example"}
    mistakes = re.findall(r"^(?:MISTAKE|OUTSIDE)\((\w+), ", read(MISTAKES), re.M)
    outputs = dict(re.findall(r'^WRONG_(?:PLACE|NATURE)\((\w+), "(.+)"\)$', read(OUTPUTS), re.M))
    check_kinds(MISTAKES, "Mistakes", [kind for kind in mistakes if kind != "NONE"], without)
    check_kinds(OUTPUTS, "Wrong outputs", outputs, without)
    for kind in without - set(mistakes) - set(outputs):
        fault(f"{TABLE}: there is no {kind}")
    examples = set()
    for heading, name, words, example in rows():
        if heading == "Wrong outputs" and outputs.get(name, "") not in words:
            fault(f"{TABLE}: {name} is told as `{outputs[name]}`")
        if example is None:
            continue
        examples.add(example)
        if not pathlib.Path(example).exists():
            fault(f"{TABLE}: there is no {example}")
        elif not any(is_said(words, line) for line in said(example)):
            fault(f"{example}: the header lacks `// says: {words}`")
    for path in tracked("tests/*.cu", "solutions/*.cu", "solutions/*.patch"):
        if path not in examples and (said(path) or path.startswith("tests/messages/")):
            fault(f"{TABLE}: {path} is missing")


if __name__ == "__main__":
    if sys.argv[1:] == ["list"]:
        list_texts()
    else:
        check_texts()
        check_table()
    sys.exit(1 if faults else 0)
