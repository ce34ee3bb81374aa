#!/usr/bin/env python3
"""mutants.py - breaks one line of the C sources at a time, and expects a test to fail.

A change that no test notices ("a survivor") shows what the tests do not check. The sample is drawn from a seed: each
kind of change equally often, then each place equally often. For each mutant the unit tests of its folder run, with sanitizers,
then those of the folders of its layer that include it (docs/folders.txt), then the suites of tests/suites.txt that
tools/mutants.txt names for its folder, so whatever is found here is found by `make test-all`. The first test that
fails, or takes three times as long as usual, ends it. A mutant that does not compile is replaced by another. Failures
that a test has unbroken, on this machine, do not count.

Everything happens in copies of the tree in a scratch folder, one for each processor. The tests run in a mount namespace
where nothing else can be written and in a process namespace that takes their processes with it, since a broken judge may
delete or start anything.

Usage: tools/mutants.py BUILD N SEED KEEP [FOLDER...]      in the checkout, after `make service sanitized-unit-tests test-tools`
KEEP is a file that takes each outcome. What it holds already is not tried again. CONVJUDGE_CACHE may name a cache of
compiled files to begin with.
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
import threading
import time

LONGEST_SECONDS = 600  # a test that takes longer is left out
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
CACHE_LOCK = threading.Lock()  # for the cache that all copies begin with


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
    before it that begins in the first column."""
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
    if re.fullmatch(r"\s+[\w>.\[\]-]+(\(.*\)| (=|\+=|-=|\|=|&=) .*);\s*", code) and balanced(code):
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


def sample(folders, equivalents, generator):
    """All mutants of the folders in the order in which they are to be tried: the kinds take turns."""
    files = subprocess.check_output(["git", "ls-files", "--"] + [f"{layer}/*.c" for layer in LAYERS], text=True).split()
    files = [f for f in files if not re.search(r"(^|/)(tests|template|calibrate)/", f) and os.path.exists(f)]
    kinds = collections.defaultdict(list)
    for path in files:
        if (os.path.dirname(path) + "/").startswith(folders):
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

def read_suites():
    """By name, the command of each suite, as tests/run.sh runs it; of unit tests the list of files."""
    commands = {}
    for line in open("tests/suites.txt"):
        if line.startswith(("test ", "all ")):
            _, _, name, command = line.rstrip().split(None, 3)
            if command.startswith("unit"):
                command = sorted(map(str, pathlib.Path(name).glob("tests/test_*.c"))) or [name]
            commands[name] = f"bats --tap tests/{name}" if command == "bats" else command
    return commands


def read_data(path):
    """(suites by folder, equivalent changes) of tools/mutants.txt, which says itself what its lines mean."""
    known, suites, equivalents = read_suites(), {}, set()
    for line in open(path):
        if line.startswith("suites "):
            folder, names = line[len("suites "):].split(":")
            unknown = [name for name in names.split() if name not in known]
            if unknown:
                sys.exit(f"mutants: {path}: tests/suites.txt has no {unknown[0]}")
            suites[folder] = list(itertools.chain.from_iterable(
                known[name] if isinstance(known[name], list) else [known[name]] for name in names.split()))
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
    """Which tests a folder has: sources of unit tests, and commands of suites. How each behaves unbroken: (seconds,
    failures), which a mutant waits for."""

    def __init__(self, suites):
        self.suites, self.above, self.unbroken = suites, includers(), {}
        self.units = collections.defaultdict(list)
        for source in subprocess.check_output(["git", "ls-files", "*/tests/test_*.c"], text=True).split():
            self.units[source.split("/tests/")[0]].append(source)

    def stages(self, folder):
        """Lists of tests, the nearest first."""
        layer = folder.split("/")[0]
        yield self.units[folder]
        yield [test for upper in sorted(self.above.get(folder, ())) if upper.split("/")[0] == layer and upper != folder
               for test in self.units[upper]]
        part = folder
        while part and part not in self.suites:
            part = os.path.dirname(part)
        yield self.suites.get(part, [])


def failure(line):
    """The name of the test that a line of TAP says has failed; cmocka writes "not ok" of skipped ones too."""
    match = re.match(r"not ok [0-9]+[- ]*(.*)", line)
    return match.group(1) if match and not re.search(r"# *skip", line, re.I) else None


class Copy:
    """A copy of the tree with its build, in which one mutant at a time is tried. Two copies share two processors."""

    def __init__(self, scratch, number, build):
        self.scratch, self.folder, self.build = pathlib.Path(scratch), pathlib.Path(scratch) / str(number), build
        processors = sorted(os.sched_getaffinity(0))
        self.processors = ",".join(map(str, processors[number // 2 * 2:][:2]))

    def fill(self):
        build, tree = self.build, self.folder / "tree"
        tree.mkdir(parents=True)
        (self.folder / "cache").mkdir()
        given = os.environ.get("CONVJUDGE_CACHE", "")
        if os.path.isdir(given):
            shutil.copytree(given, self.scratch / "cache", symlinks=True)
        else:
            (self.scratch / "cache").mkdir()
        for name in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], text=True).split("\0"):
            if name and os.path.lexists(name):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(name, tree / name, follow_symlinks=False)
        skipped = shutil.ignore_patterns("fuzz", "test-logs", "cache", "toolchain")
        shutil.copytree(build, tree / build, symlinks=True, ignore=skipped)
        if os.path.exists("build/toolchain"):
            os.makedirs(tree / "build", exist_ok=True)
            os.symlink(os.path.realpath("build/toolchain"), tree / "build/toolchain")

    def fill_from(self, first):
        """The sanitized programs are large, and shared: a linker or assembler makes a new file."""
        shared = f"tree/{self.build}/sanitize"
        (self.folder / shared).parent.mkdir(parents=True)
        copy = """set -euo pipefail
            cp -al "$1/$3" "$2/$3"
            find "$2/$3" -name '*.d' -exec sed -i '' {} + # a compiler writes into the old one
            tar -C "$1" --exclude="./$3" --format=posix -c . | tar -C "$2" -x"""
        subprocess.run(["bash", "-c", copy, "_", first.folder, self.folder, shared], check=True)

    def run(self, command, limit, until=None):
        """(exit status, output); stops after `limit` seconds (124), or at a line for which `until` is true (-1)."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment.update(CONVJUDGE_CACHE="/mnt/cache", CCACHE_DISABLE="1", NO_COLOR="1", TMPDIR="/tmp", build=self.build,
                           CONVJUDGE_BUILD=f"/mnt/tree/{self.build}", CMOCKA_MESSAGE_OUTPUT="TAP", OMP_WAIT_POLICY="passive",
                           CONVJUDGE_CUDA_DRIVER="no-such-library.so.1")  # as in tests/run.sh
        if STOPPING:
            raise KeyboardInterrupt
        own_users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        jail = ["unshare", *own_users, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", JAIL, "_"]
        process = subprocess.Popen(["taskset", "-c", self.processors, "timeout", "--signal=KILL", str(limit), *jail, str(self.folder), *command], text=True,
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
            if until and until(line):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return -1, "".join(output)
        process.wait()
        return (124 if process.returncode == -9 else process.returncode), "".join(output)

    def make(self, tests, *targets):
        """The exit status and output of building the targets, then those of the tests that are unit tests."""
        command = ["make", "--no-print-directory", "--silent", "-j2", f"BUILD={self.build}", "WARNINGS=-w"]
        units = [f"{self.build}/sanitize/{test[:-2]}" for test in tests if test.endswith(".c")]
        if any(not test.endswith(".c") for test in tests):
            targets += "service", "test-tools"
        elif any(not test.startswith(("base/", "simgpu/")) for test in tests): # these need nothing but themselves
            targets += "build",
        status, output = self.run([*command, *targets], 900) if targets else (0, "")
        return self.run([*command, "SANITIZE=1", *units], 900) if units and status == 0 else (status, output)

    def test(self, test, limit, until=None):
        command = [f"{self.build}/sanitize/{test[:-2]}"] if test.endswith(".c") else ["bash", "-c", "set -euo pipefail; " + test]
        return self.run(command, limit, until)

    def failing(self, tests, stage):
        """The first of the tests that fails, if any; None where the mutant does not compile."""
        if self.make(stage)[0] != 0:
            return None
        with CACHE_LOCK:
            shutil.rmtree(self.folder / "cache")
            shutil.copytree(self.scratch / "cache", self.folder / "cache", symlinks=True)
        by_time = lambda test: tests.unbroken[test].result()[0] if tests.unbroken[test].done() else float("inf")
        for test in sorted(stage, key=by_time):
            seconds, status, known = tests.unbroken[test].result()
            if status != 0 and known == {None}:
                continue
            limit = 3 * seconds + 10
            got, _ = self.test(test, limit, until=lambda line: failure(line) not in known)
            if got != status:
                return test + (f", too slow: {limit:.0f} s" if got == 124 else "")
        return ""

    def measure(self, test):
        """(seconds, exit status, failures) of a test unbroken. What it has compiled serves all copies."""
        start = time.monotonic()
        status, output = self.test(test, LONGEST_SECONDS)
        failures = {failure(line) for line in output.split("\n")} | {None}
        if status != 0:
            print(f"# fails unbroken: {test}: {status}\n{output[-2000:]}", flush=True)
        seconds = time.monotonic() - start
        with CACHE_LOCK:
            subprocess.run(["cp", "-au", f"{self.folder}/cache/.", self.scratch / "cache"], check=True)
        return seconds, status, failures

    def judge(self, mutant, tests):
        """'found by ...', 'survives' or 'does not compile'."""
        path = self.folder / "tree" / mutant.path
        original = path.read_text()
        lines = original.split("\n")
        lines[mutant.line - 1] = mutant.after
        path.write_text("\n".join(lines))
        try:
            for stage in filter(None, tests.stages(os.path.dirname(mutant.path))):
                test = self.failing(tests, stage)
                if test != "":
                    return f"found by {test}" if test else "does not compile"
            return "survives"
        finally:
            path.write_text(original)  # newer than what the mutant was built into, so that it is built again


# ---- the whole --------------------------------------------------------------------------------------------------------

def described(mutant):
    return f"{mutant.path}:{mutant.line}: {mutant.kind}\n    - {mutant.before.strip()}\n    + {mutant.after.strip()}"


def report(results):
    by_folder = collections.defaultdict(lambda: [0, 0])
    for mutant, outcome in results:
        folder = os.path.dirname(mutant.path)
        by_folder[folder][1] += 1
        by_folder[folder][0] += outcome != "survives"
    survivors = [mutant for mutant, outcome in results if outcome == "survives"]
    for mutant in sorted(survivors):
        print(described(mutant))
    for folder in sorted(by_folder):
        found, tried = by_folder[folder]
        print(f"{folder:<28} {found:3} of {tried:3} found")
    print(f"{len(results) - len(survivors)} of {len(results)} mutants found")


def read_kept(keep):
    """The outcomes of earlier runs, by `described` mutant on one line."""
    lines = open(keep).read().splitlines() if os.path.exists(keep) else []
    return dict(line.split("\t") for line in lines)


def key(mutant):
    return re.sub(r"\s+", " ", described(mutant))


def copies_of(scratch, build, count, wanted, pool):
    """A queue of copies, built."""
    copies = [Copy(scratch, number, build) for number in range(count)]
    copies[0].fill()
    status, output = copies[0].make(wanted, "service", "test-tools")
    if status != 0:
        sys.exit(f"mutants: the copy cannot be built:\n{output[-3000:]}")
    list(pool.map(lambda copy: copy.fill_from(copies[0]), copies[1:]))
    free = queue.Queue()
    for copy in copies:
        free.put(copy)
    return free


def main(build, count, seed, keep, *folders):
    suites, equivalents = read_data("tools/mutants.txt")
    tests, kept = Tests(suites), read_kept(keep)
    candidates = sample(tuple(folder.rstrip("/") + "/" for folder in folders) or "", equivalents, random.Random(int(seed)))
    candidates = (mutant for mutant in candidates if kept.get(key(mutant)) != "does not compile")
    chosen = list(itertools.islice(candidates, int(count)))
    results = [(mutant, kept[key(mutant)]) for mutant in chosen if key(mutant) in kept]
    chosen = [mutant for mutant in chosen if key(mutant) not in kept]
    stillborn, workers, begin = 0, len(os.sched_getaffinity(0)), time.monotonic()
    wanted = {test for mutant in chosen for stage in tests.stages(os.path.dirname(mutant.path)) for test in stage}
    print(f"# {len(chosen)} mutants, seed {seed}, and {len(wanted)} tests", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        copies = copies_of(scratch, build, workers, wanted, pool)
        print(f"# built, {time.monotonic() - begin:.0f} s", flush=True)

        def in_a_copy(function, *subject):
            copy = copies.get()
            try:
                return function(copy, *subject)
            finally:
                copies.put(copy)

        judge = lambda mutant: (mutant, in_a_copy(Copy.judge, mutant, tests))
        for test in sorted(wanted, key=lambda test: test.endswith(".c")):  # suites take longest, so they begin
            tests.unbroken[test] = pool.submit(in_a_copy, Copy.measure, test)
        waiting = {pool.submit(judge, mutant) for mutant in chosen}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for mutant, outcome in (future.result() for future in done):
                    with open(keep, "a") as file:
                        file.write(f"{key(mutant)}\t{outcome}\n")
                    if outcome == "does not compile":
                        stillborn += 1
                        folder = os.path.dirname(mutant.path)
                        other = next((other for other in candidates if os.path.dirname(other.path) == folder), None)
                        if other:
                            waiting.add(pool.submit(judge, other))
                        continue
                    results.append((mutant, outcome))
                    alive = sum(outcome == "survives" for _, outcome in results)
                    print(f"# {time.monotonic() - begin:.0f} s, {len(results)} tried, {len(waiting)} left, {alive} survive: "
                          f"{mutant.path}:{mutant.line} {outcome}", flush=True)
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
    if len(sys.argv) < 5:
        sys.exit("\n".join(__doc__.strip().split("\n")[-2:]))
    main(*sys.argv[1:])
