"""A server of a test's own, for the programs tests/service_*.py."""
import hashlib
import http.client
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def light_home(home):
    """A home with small cases of conv1d, as light_home of tests/helper.bash makes it."""
    cases = os.path.join(home, "testcases")
    os.makedirs(os.path.join(cases, "conv1d"))
    for folder in ("base", "grader", "harness", "leaderboard", "problems", "simgpu", "solutions"):
        os.symlink(os.path.join(ROOT, folder), os.path.join(home, folder))
    for name in os.listdir(os.path.join(ROOT, "testcases")):
        if name != "conv1d":
            os.symlink(os.path.join(ROOT, "testcases", name), os.path.join(cases, name))
    original = os.path.join(ROOT, "testcases", "conv1d")
    shutil.copy(os.path.join(original, "sample.json"), os.path.join(cases, "conv1d"))
    with open(os.path.join(original, "hidden.json"), encoding="utf-8") as file:
        hidden = json.load(file)
    kept = []
    for case in hidden["cases"]:
        sizes = case["sizes"]
        largest = [size[1] if isinstance(size, list) else size for size in sizes.values()]  # of those that are drawn
        if case.get("timed"):
            sizes["input_size"] //= 100
            kept.append(case)
        elif math.prod(largest) < 50000:
            kept.append(case)
    hidden["cases"] = kept
    with open(os.path.join(cases, "conv1d", "hidden.json"), "w", encoding="utf-8") as file:
        json.dump(hidden, file)
    return home


class Server:
    """`workers` are devices for workers of the server's own. `light`: with light_home()."""

    def __init__(self, build, workers=(), light=True):
        self.build = os.path.realpath(build)
        self.folder = tempfile.mkdtemp(prefix="convjudge-service.")
        self.environment = dict(os.environ)
        if light:
            self.environment["CONVJUDGE_HOME"] = light_home(os.path.join(self.folder, "home"))
        self.state = os.path.join(self.folder, "state")
        self.log = os.path.join(self.folder, "log")
        self.config = os.path.join(self.folder, "config.json")
        settings = {"listen": "127.0.0.1:0", "state": self.state, "socket": os.path.join(self.folder, "socket"), "workers": list(workers), "lease_s": 10}
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        self.start()

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            begin = log.tell()
            self.process = subprocess.Popen([os.path.join(self.build, "convjudge"), "serve", "--config", self.config], stderr=log, env=self.environment)
        for _ in range(600):
            time.sleep(0.05)
            with open(self.log, encoding="utf-8") as file:
                file.seek(begin)
                for line in file:
                    if " event=started address=" in line and line.endswith("\n"):
                        self.address = line.split("address=")[1].split()[0]
                        return
            if self.process.poll() is not None:
                break
        with open(self.log, encoding="utf-8") as file:
            print("#", "\n# ".join(file.read().splitlines()[-20:]))
        sys.exit("the server does not start")

    def request(self, method, path, token=None, body=None, timeout=300):
        """Status and body."""
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask_store(self, question):
        with sqlite3.connect(os.path.join(self.state, "convjudge.db"), timeout=60) as store:
            return store.execute(question).fetchall()

    def tokens(self, count):
        """As `convjudge token add` makes them, in one transaction: so many programs would take longer than the test."""
        tokens = [os.urandom(32).hex() for _ in range(count)]
        with sqlite3.connect(os.path.join(self.state, "convjudge.db"), timeout=60) as store:
            for number, token in enumerate(tokens):
                name = f"student{number}"
                store.execute("INSERT INTO person (name, role, created_utc) VALUES (?, 'student', '2026-01-31T12:00:00Z')", (name,))
                store.execute(
                    "INSERT INTO token (hash, person, created_utc) SELECT ?, id, created_utc FROM person WHERE name = ?",
                    (hashlib.sha256(token.encode()).hexdigest(), name),
                )
        return tokens

    def stop(self):
        """Whether it ended well."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=600)
        shutil.rmtree(self.folder)
        return status == 0


class Tap:
    """Counts results, and prints them as TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def result(self, is_right, name):
        self.count += 1
        self.failed += not is_right
        print(f"{'ok' if is_right else 'not ok'} {self.count} - {name}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        sys.exit(self.failed > 0)


def hand_in_body(key, comment):
    """A right solution, which differs from others by a comment."""
    with open(os.path.join(ROOT, "solutions/conv1d/accepted/naive.cu"), encoding="utf-8") as file:
        source = f"// {comment}\n{file.read()}"
    return json.dumps({"key": key, "file_name": "mine.cu", "source": source, "problem": "conv1d"})
