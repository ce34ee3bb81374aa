#!/usr/bin/env python3
"""mutants.py - breaks one line of the C sources at a time, and expects a test to fail.

A change that no test notices ("a survivor") shows what the tests do not check. The sample is drawn from a seed: each
kind of change equally often, then each place equally often. For each mutant the unit tests of its folder run, then those
of the folders of its layer that include it (docs/folders.txt), then the bats suites that tests/mutants.txt names for
its folder. The first test that fails, or takes three times as long as usual, ends it. A mutant that does not compile is
replaced by another.

Everything happens in copies of the tree in a scratch folder. The tests run in a mount namespace where nothing else can
be written and in a process namespace that takes their processes with it, since a broken judge may delete or start
anything.

Usage: tests/mutants.py BUILD [N] [SEED] [FOLDER]      in the checkout, after `make build unit-tests test-tools`
"""
import collections
import concurrent.futures
import itertools
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LAYERS = ("base", "simgpu", "harness", "leaderboard", "grader")
JAIL = """set -e
mount --make-rprivate /
mount --bind "$1" /mnt
findmnt -rno TARGET | grep -vE '^/(dev|proc|sys|mnt)(/|$)' | while read -r target; do mount -o remount,bind,ro "$target"; done
mount -t tmpfs tmpfs /tmp
cd /mnt/tree
shift
status=0
"$@" || status=$? # by this shell, which as the first process of the namespace takes in orphans
exit $status
"""

Mutant = collections.namedtuple("Mutant", "path line kind before after")


RUNNING = set()  # process groups of tests under way
STOPPING = []    # not empty once the user wants to stop


def stop(*_):
    STOPPING.append(True)
    for group in list(RUNNING):
        os.killpg(group, signal.SIGKILL)
    raise KeyboardInterrupt


# ---- the changes ------------------------------------------------------------------------------------------------------

def masked(text):
    """The text with the contents of comments, strings and preprocessor lines blanked out, at the same places."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ ]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, blank, text, flags=re.S | re.M)


def balanced(text):
    return text.count("(") == text.count(")") and "{" not in text


def changes(line, code, head):
    """(kind, changed line) for each change of one line; `code` is the line as `masked` leaves it, `head` the last line
    before it that begins in the first column.
    Calls of free() stay: only the sanitized tests notice that one is missing, and these do not run here."""
    match = re.fullmatch(r"(\s*(?:\} else )?if )\((.*)\)( \{)?\s*", code)
    if match and balanced(match.group(2)):
        start, end = match.span(2)
        yield "negated condition", line[:start] + "!(" + line[start:end] + ")" + line[end:]
    for old, new in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")):
        yield from swaps("off by one", line, code, old, new)
    for old, new in (("+", "-"), ("-", "+")):
        yield from swaps("+ and - swapped", line, code, old, new)
    for old, new in (("||", "&&"), ("&&", "||")):
        yield from swaps("|| and && swapped", line, code, old, new)
    if re.fullmatch(r"\s+[\w>.\[\]-]+(\(.*\)| (=|\+=|-=|\|=|&=) .*);\s*", code) and balanced(code) and "free(" not in code:
        yield "statement dropped", re.match(r"\s*", line).group() + ";"
    if line == "{" and re.match(r"(static )?Status \w+\(", head):
        yield "early success", "{ return STATUS_OK;"
    if re.match(r"\s*(static |const |unsigned |struct )*\w+ \*?\w+\[", code):
        return  # the size of a buffer
    for match in re.finditer(r"(?<![\w.\]])\d+(?![\w.])", code):
        yield "constant changed", line[:match.start()] + str(int(match.group()) + 1) + line[match.end():]


def swaps(kind, line, code, old, new):
    for match in re.finditer(r"(?<= )" + re.escape(old) + r"(?= )", code):
        yield kind, line[:match.start()] + new + line[match.end():]


def mutants_of(path):
    text = path.read_text()
    lines, codes = text.split("\n"), masked(text).split("\n")
    head = ""
    for number, (line, code) in enumerate(zip(lines, codes), 1):
        if re.match(r"\w", code):
            head = code
        for kind, after in changes(line, code, head):
            yield Mutant(str(path), number, kind, line, after)


def sample(only, equivalents, generator):
    """All mutants of the folder in the order in which they are to be tried: the kinds take turns."""
    files = subprocess.check_output(["git", "ls-files", "--"] + [f"{layer}/*.c" for layer in LAYERS], text=True).split()
    files = [f for f in files if not re.search(r"(^|/)(tests|template|calibrate)/", f) and os.path.exists(f)]
    kinds = collections.defaultdict(list)
    for path in files:
        if (os.path.dirname(path) + "/").startswith(only):
            for mutant in mutants_of(pathlib.Path(path)):
                if (path, mutant.before.strip(), mutant.after.strip()) not in equivalents:
                    kinds[mutant.kind].append(mutant)
    for mutants in kinds.values():
        generator.shuffle(mutants)
    while any(kinds.values()):
        for kind in sorted(kinds):
            if kinds[kind]:
                yield kinds[kind].pop()


# ---- the tests --------------------------------------------------------------------------------------------------------

def read_data(path):
    """(suites by folder, equivalent changes) of tests/mutants.txt, which says itself what its lines mean."""
    suites, equivalents = {}, set()
    for line in open(path):
        if line.startswith("suites "):
            folder, names = line[len("suites "):].split(":")
            suites[folder] = names.split()
            for name in suites[folder]:
                source = f"{name}.c" if "/" in name else f"tests/{name}.bats"
                if not os.path.exists(source):
                    sys.exit(f"mutants: {path}: there is no {source}")
        elif line.startswith("equivalent "):
            file, before, after, _ = (part.strip() for part in line[len("equivalent "):].split(" | "))
            equivalents.add((file, before, after))
    return suites, equivalents


def includers():
    """By folder, all folders that include it, directly or through others."""
    above = collections.defaultdict(set)
    for line in open("docs/folders.txt"):
        match = re.match(r"([\w/]+):([^|]*)", line)
        if match:
            for below in match.group(2).split():
                above[below].add(match.group(1))
    def reach(folder, seen):
        for upper in above[folder] - seen:
            seen.add(upper)
            reach(upper, seen)
        return seen
    return {folder: reach(folder, set()) for folder in list(above)}


class Tests:
    """Which tests a folder has, and how long each takes unbroken."""

    def __init__(self, build, suites):
        self.build, self.suites, self.above, self.seconds = build, suites, includers(), {}
        programs = subprocess.check_output(["git", "ls-files", "*/tests/test_*.c"], text=True).split()
        self.units = collections.defaultdict(list)
        for program in programs:
            self.units[program.split("/tests/")[0]].append(f"{build}/{program[:-2]}")

    def stages(self, folder):
        """Lists of tests, the nearest first."""
        layer = folder.split("/")[0]
        yield self.units[folder]
        yield [test for upper in sorted(self.above.get(folder, ())) if upper.split("/")[0] == layer and upper != folder
               for test in self.units[upper]]
        part = folder
        while part and part not in self.suites:
            part = os.path.dirname(part)
        yield [f"{self.build}/{name}" if "/" in name else f"tests/{name}.bats" for name in self.suites.get(part, [])]


class Copy:
    """A copy of the tree with its build, in which one mutant at a time is tried."""

    def __init__(self, scratch, number, build):
        self.folder, self.build = pathlib.Path(scratch) / str(number), build

    def fill(self):
        build, tree = self.build, self.folder / "tree"
        tree.mkdir(parents=True)
        (self.folder / "cache").mkdir()
        for name in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], text=True).split("\0"):
            if name and os.path.lexists(name):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(name, tree / name, follow_symlinks=False)
        skipped = shutil.ignore_patterns("sanitize", "fuzz", "test-logs", "cache", "toolchain")
        shutil.copytree(build, tree / build, symlinks=True, ignore=skipped)
        if os.path.exists("build/toolchain"):
            os.makedirs(tree / "build", exist_ok=True)
            os.symlink(os.path.realpath("build/toolchain"), tree / "build/toolchain")

    def run(self, command, limit, until=None):
        """(exit status, output); stops after `limit` seconds (124), or at a line that begins with `until` (1)."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment.update(CONVJUDGE_CACHE="/mnt/cache", CCACHE_DISABLE="1", NO_COLOR="1", TMPDIR="/tmp")
        if STOPPING:
            raise KeyboardInterrupt
        own_users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        jail = ["unshare", *own_users, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", JAIL, "_"]
        process = subprocess.Popen(["timeout", "--signal=KILL", str(limit), *jail, str(self.folder), *command], text=True,
                                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
        RUNNING.add(process.pid)
        try:
            return self.follow(process, until)
        finally:
            RUNNING.discard(process.pid)

    @staticmethod
    def follow(process, until):
        output = []
        for line in process.stdout:
            output.append(line)
            if until and line.startswith(until):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return 1, "".join(output)
        process.wait()
        return (124 if process.returncode == -9 else process.returncode), "".join(output)

    def make(self, targets):
        return self.run(["make", "--no-print-directory", "--silent", "-j2", f"BUILD={self.build}", "WARNINGS=-w", *targets], 900)

    def test(self, test, limit, until="not ok"):
        return self.run(["bats", "--tap", test] if test.endswith(".bats") else [test], limit, until)

    def fails(self, tests, stage):
        """Whether one of the tests fails; None where the mutant does not compile."""
        if not stage:
            return False
        units = [test for test in stage if not test.endswith(".bats")]
        status, _ = self.make(units + ["build", "test-tools"])
        if status != 0:
            return None
        for test in sorted(stage, key=lambda test: tests.seconds.get(test, 0)):
            if test in tests.seconds and self.test(test, 3 * tests.seconds[test] + 10)[0] != 0:
                return True
        return False

    def measure(self, test, tests):
        """How long a test takes unbroken; one that fails is left out."""
        start = time.monotonic()
        status, output = self.test(test, 600, until=None)
        if status == 0:
            tests.seconds[test] = time.monotonic() - start
        else:
            print(f"# {test} fails unbroken and is left out:\n{output[-2000:]}", flush=True)

    def judge(self, mutant, tests):
        """'found', 'survives' or 'does not compile'."""
        path = self.folder / "tree" / mutant.path
        original, times = path.read_text(), path.stat()
        lines = original.split("\n")
        lines[mutant.line - 1] = mutant.after
        path.write_text("\n".join(lines))
        kept = self.folder / "cache.kept"
        shutil.copytree(self.folder / "cache", kept, symlinks=True)
        try:
            for stage in tests.stages(os.path.dirname(mutant.path)):
                fails = self.fails(tests, stage)
                if fails is not False:
                    return "found" if fails else "does not compile"
            return "survives"
        finally:
            shutil.rmtree(self.folder / "cache")
            kept.rename(self.folder / "cache")
            path.write_text(original)  # newer than what the mutant was built into, so that it is built again


# ---- the whole --------------------------------------------------------------------------------------------------------

def described(mutant):
    return f"{mutant.path}:{mutant.line}: {mutant.kind}\n    - {mutant.before.strip()}\n    + {mutant.after.strip()}"


def report(results):
    by_folder = collections.defaultdict(lambda: [0, 0])
    for mutant, outcome in results:
        folder = os.path.dirname(mutant.path)
        by_folder[folder][1] += 1
        by_folder[folder][0] += outcome == "found"
    survivors = [mutant for mutant, outcome in results if outcome == "survives"]
    for mutant in sorted(survivors):
        print(described(mutant))
    for folder in sorted(by_folder):
        found, tried = by_folder[folder]
        print(f"{folder:<28} {found:3} of {tried:3} found")
    print(f"{len(results) - len(survivors)} of {len(results)} mutants found")


def copies_of(scratch, build, count):
    """A queue of copies, built."""
    copies = queue.Queue()
    first = Copy(scratch, 0, build)
    first.fill()
    status, output = first.make(["build", "unit-tests", "test-tools"])
    if status != 0:
        sys.exit(f"mutants: the copy cannot be built:\n{output[-3000:]}")
    copies.put(first)
    for number in range(1, count):
        copies.put(Copy(scratch, number, build))
        shutil.copytree(first.folder, copies.queue[-1].folder, symlinks=True)
    return copies


def main(build, count=60, seed=1, only=""):
    suites, equivalents = read_data("tests/mutants.txt")
    tests = Tests(build, suites)
    candidates = sample(only and only.rstrip("/") + "/", equivalents, random.Random(int(seed)))
    chosen = list(itertools.islice(candidates, int(count)))
    results, stillborn, workers, begin = [], 0, os.cpu_count(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copies = copies_of(scratch, build, workers)

        def in_a_copy(function, subject):
            copy = copies.get()
            try:
                return subject, function(copy, subject, tests)
            finally:
                copies.put(copy)

        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            wanted = {test for mutant in chosen for stage in tests.stages(os.path.dirname(mutant.path)) for test in stage}
            print(f"# {len(chosen)} mutants, seed {seed}; first their {len(wanted)} tests unbroken", flush=True)
            list(pool.map(lambda test: in_a_copy(Copy.measure, test), sorted(wanted)))
            start = time.monotonic()
            waiting = {pool.submit(in_a_copy, Copy.judge, mutant) for mutant in chosen}
            try:
                while waiting:
                    done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    for mutant, outcome in (future.result() for future in done):
                        if outcome == "does not compile":
                            stillborn += 1
                            folder = os.path.dirname(mutant.path)
                            other = next((other for other in candidates if os.path.dirname(other.path) == folder), None)
                            if other:
                                waiting.add(pool.submit(in_a_copy, Copy.judge, other))
                            continue
                        results.append((mutant, outcome))
                        left = (time.monotonic() - start) / len(results) * len(waiting) / 60
                        alive = sum(outcome == "survives" for _, outcome in results)
                        print(f"# {len(results)} of {len(chosen)}, {alive} survive, {left:.0f} minutes left: "
                              f"{outcome}: {mutant.path}:{mutant.line}", flush=True)
                        if outcome == "survives":
                            print(described(mutant), flush=True)
            except KeyboardInterrupt:
                print("# interrupted", flush=True)
    report(results)
    print(f"# seed {seed}, {stillborn} more did not compile, {(time.monotonic() - begin) / 60:.0f} minutes")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().split("\n")[-1])
    main(*sys.argv[1:])
