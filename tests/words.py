#!/usr/bin/env python3
"""words.py - holds README, docs, statements and the texts in tables of C to what a reader takes in at once.

Lines have at most 120 columns (tables, code and long links excepted), sentences at most 40 words, and those of a page
20 on average. tests/words.txt lists words and turns to avoid; they count in statements and in the texts of C, too.
Where a rule and a reader disagree, the reader wins: a comment `<!-- as it is -->` before a paragraph of a page, or
`/* as it is */` on a line of C, lets it stand.

Usage: tests/words.py [PAGE...]    names each fault, in all pages or in these; exit status 1: there is one
       tests/words.py lengths      prints words and mean sentence of each page
"""
import pathlib
import re
import subprocess
import sys

WIDTH, LONGEST, MEAN, FEWEST = 120, 40, 20, 5
PAGES = ["README.md", "docs/*.md", "examples/*.md"]
STATEMENTS = ["problems/*/statement.md"]
TABLES = ["grader/report/advi*.c", "grader/judge/*.c", "grader/commands/options.def",
          "service/commands/subcommands.def", "service/web/*.c", "service/web/pages/*", "harness/device/mistake.def",
          "grader/check/wrong_output.def"]
EXCEPTION = "as it is"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
faults = 0


def fault(path, line, words):
    global faults
    faults += 1
    print(f"lint: {path}:{line}: {words}")


def tracked(patterns):
    listed = subprocess.run(["git", "ls-files", "--", *patterns], check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split() if "/tests/" not in path]


LINES = [line.split("\t") for line in pathlib.Path("tests/words.txt").read_text().splitlines() if line[:1] not in ("", "#")]
TURNS = [(re.compile(pattern, re.I), better) for pattern, better in LINES]


def check_words(path, line, text):
    for pattern, better in TURNS:
        found = pattern.search(text)
        if found:
            fault(path, line, f'"{found[0].strip()}": {better}')


def blocks(text):
    """Yields the first line's number, the kind (text, table, code, head) and the lines of each block of a page."""
    kind, lines, fence, excused = None, [], False, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        fenced = re.match(r"\s*(```|~~~)", line)
        item = re.match(r"\s*([-*]|\d+\.) ", line)
        now = ("code" if fence or fenced or (re.match(r" {4,}", line) and (kind == "code" or not item and kind != "text")) else
               "table" if line.startswith("|") else "head" if line.startswith("#") else
               "note" if line.startswith("<!--") else "text" if line.strip() else None)
        fence ^= bool(fenced)
        if kind and (now != kind or item):
            yield number - len(lines), kind, lines, excused
            excused = kind == "note" and EXCEPTION in lines[0]
            lines = []
        kind = now
        if now:
            lines.append(line)


def plain(text):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`[^`]*`", "`code`", re.sub(r"^\s*([-*]|\d+\.) +", "", text))


def sentences(text):
    for sentence in re.split(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z`\[\"(*0-9])|:\s*$", plain(text)):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if words:
            yield len(words), sentence


def check_page(path, strict):
    lengths = []
    for number, kind, lines, excused in blocks(pathlib.Path(path).read_text()):
        if kind in ("code", "note") or excused:
            continue
        text = " ".join(lines)
        check_words(path, number, re.sub(r"\s+", " ", plain(text)))
        for offset, line in enumerate(lines if strict and kind == "text" else []):
            if len(re.sub(r"\]\([^)]*\)", "]()", line)) > WIDTH:
                fault(path, number + offset, f"{len(line)} columns, expected at most {WIDTH}")
        for length, sentence in sentences(text) if strict and kind == "text" else ():
            lengths.append(length)
            if length > LONGEST:
                fault(path, number, f"a sentence of {length} words, expected at most {LONGEST}: {sentence[:60]}...")
    mean = sum(lengths) / max(1, len(lengths))
    if len(lengths) >= FEWEST and mean > MEAN:
        fault(path, 1, f"sentences of {mean:.1f} words on average, expected at most {MEAN}")
    return sum(lengths), mean


def check_table(path):
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if EXCEPTION not in line and not re.match(r" *(#|/?\*)", line):
            check_words(path, number, " ".join(re.findall(LITERAL, line)) if path.endswith((".c", ".def")) else line)


chosen = [path for path in sys.argv[1:] if path != "lengths"]
for path in chosen or tracked(PAGES):
    words, mean = check_page(path, True)
    if sys.argv[1:] == ["lengths"]:
        print(f"{words:6} words {mean:5.1f} {path}")
for path in [] if chosen else tracked(STATEMENTS):
    check_page(path, False)
for path in [] if chosen else tracked(TABLES):
    check_table(path)
sys.exit(faults > 0)
