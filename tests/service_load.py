#!/usr/bin/env python3
"""Many students hand in within a minute, while others read pages, idle, and drip. Prints TAP, and figures as comments.

Usage: tests/service_load.py BUILD [STUDENTS=200] [SECONDS=60] [judge]
       tests/service_load.py BUILD memory [COUNT=10000]
Each student hands in once, at a random moment of the SECONDS; `judge` also waits until a worker has judged all of them. An answer
may take longer on a busy machine, but not much more of the server's processor than a page does alone. `memory`: a few hand in as
fast as they can, workers report results without judging, and the memory of the server must not grow with what it has taken.
"""
import json
import os
import random
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "service"))
from lab import Server, Tap, hand_in_body  # noqa: E402
from quick_worker import work  # noqa: E402

measures_memory = sys.argv[2:3] == ["memory"]
students = 20 if measures_memory else int(sys.argv[2]) if len(sys.argv) > 2 else 200
seconds = float(sys.argv[3]) if len(sys.argv) > 3 and not measures_memory else 60.0
MOST_GROWTH_KB = 16 * 1024  # from a tenth of the submissions to all of them; SQLite fills its caches meanwhile
MOST_TIMES_ALONE = 3  # processor time of an answer among others, in that of a page alone; 0.7 were measured
PAGES = ["/", "/problems/conv1d", "/api/v1/submissions", "/api/v1/boards/conv1d", "/static/style.css"]
judges = sys.argv[4:] == ["judge"]
random.seed(7)  # the same moments each time


class Load:
    def __init__(self, server):
        self.server = server
        self.tokens = server.tokens(students)
        self.acknowledged, self.hand_ins, self.pages, self.refused = {}, [], [], 0
        self.lock = threading.Lock()
        self.ends = threading.Event()

    def hand_in(self, number):
        time.sleep(random.random() * seconds)
        body = hand_in_body(f"k{number}", number)
        begun = time.monotonic()
        try:
            status, data = self.server.request("POST", "/api/v1/submissions", self.tokens[number], body)
        except OSError as error:
            status, data = 0, str(error).encode()
        with self.lock:
            self.hand_ins.append(time.monotonic() - begun)
            if status == 201:
                self.acknowledged[number] = json.loads(data)["submission"]
            else:
                print("#", number, status, data[:200])

    def read_pages(self):
        """What people look at meanwhile."""
        while not self.ends.is_set():
            path = random.choice(PAGES)
            begun = time.monotonic()
            status, _ = self.server.request("GET", path, random.choice(self.tokens))
            self.pages.append(time.monotonic() - begun)
            if status != 200:
                print("#", path, status)
                self.refused += 1
            time.sleep(0.05)

    def visit(self):
        """100 connections that say nothing, and 50 that say a byte now and then."""
        host, port = self.server.address.split(":")
        idle = [socket.create_connection((host, int(port))) for _ in range(100)]
        dripping = [socket.create_connection((host, int(port))) for _ in range(50)]
        while not self.ends.wait(1):
            for connection in list(dripping):
                try:
                    connection.send(b"G")
                except OSError:
                    dripping.remove(connection)
        for connection in idle + dripping:
            connection.close()

    def run(self):
        others = [threading.Thread(target=self.read_pages), threading.Thread(target=self.visit)]
        threads = [threading.Thread(target=self.hand_in, args=(number,)) for number in range(students)]
        for thread in others + threads:
            thread.start()
        for thread in threads:
            thread.join()
        if judges:
            self.wait_for_judgings()
        self.ends.set()
        for thread in others:
            thread.join()

    def wait_for_judgings(self):
        deadline = time.monotonic() + 60 + 30 * students
        while time.monotonic() < deadline and self.left() > 0:
            time.sleep(1)

    def left(self):
        return self.server.ask_store("SELECT count(*) FROM judging WHERE state NOT IN ('recorded', 'held')")[0][0]


def memory_kb(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def processor_s(pid):
    """What the process has used, in user and system mode (proc(5), stat: fields 14 and 15)."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alone_s(server, token):
    """The server's processor time for a page that nobody else waits for."""
    begun, count = processor_s(server.process.pid), 60 * len(PAGES)
    for number in range(count):
        server.request("GET", PAGES[number % len(PAGES)], token)
    return (processor_s(server.process.pid) - begun) / count


def wait_until_recorded(server, count):
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and server.ask_store("SELECT count(*) FROM judging WHERE state = 'recorded'")[0][0] < count:
        time.sleep(0.2)


def hand_in_many(server, count):
    """The memory of the server after each tenth of `count` submissions."""
    tokens, sizes = server.tokens(students), []
    paths = [*PAGES[:4], "/metrics"]

    def visit(person, first, end):
        for number in range(first, end, students):
            status, data = server.request("POST", "/api/v1/submissions", tokens[person], hand_in_body(f"k{number}", number))
            if status != 201:
                print("#", number, status, data[:200])
            if number % 10 == 0:
                server.request("GET", random.choice(paths), tokens[person])

    for tenth in range(10):
        first, end = count * tenth // 10, count * (tenth + 1) // 10
        threads = [threading.Thread(target=visit, args=(person, first + person, end)) for person in range(students)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until_recorded(server, end)
        sizes.append(memory_kb(server.process.pid))
    return sizes


def test_memory(count):
    tap = Tap()
    server = Server(sys.argv[1])
    begun, ends = time.monotonic(), threading.Event()
    crew = [threading.Thread(target=work, args=(server, f"w{number}", ends)) for number in range(4)]
    for thread in crew:
        thread.start()
    sizes = hand_in_many(server, count)
    ends.set()
    for thread in crew:
        thread.join()
    print(f"# {count} submissions in {time.monotonic() - begun:.0f} s; memory of the server after each tenth, in KB: {sizes}")
    recorded = server.ask_store("SELECT count(*) FROM judging WHERE verdict = 'Wrong Answer'")[0][0]
    tap.result(recorded == count, f"each is recorded once: {recorded}")
    tap.result(sizes[-1] - sizes[0] < MOST_GROWTH_KB, f"memory grows by {sizes[-1] - sizes[0]} KB")
    tap.result(server.request("GET", "/healthz")[0] == 200, "the server is well")
    tap.result(server.stop(), "the server ends when it is told to")
    tap.end()


def main():
    if measures_memory:
        test_memory(int(sys.argv[3]) if len(sys.argv) > 3 else 10000)
    tap = Tap()
    server = Server(sys.argv[1], ["sim"] if judges else [])
    load = Load(server)
    alone = alone_s(server, load.tokens[0])
    begun = processor_s(server.process.pid)
    load.run()
    answer = (processor_s(server.process.pid) - begun) / (len(load.hand_ins) + len(load.pages))
    for name, durations in (("hand-ins", load.hand_ins), ("pages", load.pages)):
        durations.sort()
        print(f"# {name}: {len(durations)}, median {1e3 * statistics.median(durations):.0f} ms, 99th hundredth"
              f" {1e3 * durations[int(0.99 * len(durations))]:.0f} ms, longest {1e3 * durations[-1]:.0f} ms")
    print(f"# memory of the server: {memory_kb(server.process.pid)} KB; its processor: {1e3 * alone:.1f} ms for a page alone,"
          f" {1e3 * answer:.1f} ms for an answer")
    tap.result(load.refused == 0, f"every page is shown: {load.refused} are not")
    tap.result(answer < MOST_TIMES_ALONE * alone, f"an answer takes less than {MOST_TIMES_ALONE} times the processor time of a page alone")
    tap.result(len(load.acknowledged) == students, f"{students} hand-ins are acknowledged")
    tap.result(len(set(load.acknowledged.values())) == students, "each is a submission of its own")
    tap.result(server.ask_store("SELECT count(*) FROM submission")[0][0] == students, "none is lost, and none is kept twice")
    if judges:
        judged = server.ask_store("SELECT count(*) FROM judging WHERE verdict = 'Accepted'")[0][0]
        runs = server.ask_store("SELECT count(*) FROM runs")[0][0]
        tap.result(judged == students and runs == students, f"each is judged, and recorded once: {judged} judged, {runs} runs")
    status, text = server.request("GET", "/healthz")
    lacks_workers = not judges and b"no worker is there to judge them" in text  # which is so, and told after a while
    tap.result(status == 200 or lacks_workers, f"the server is well: {status}")
    tap.result(server.stop(), "the server ends when it is told to")
    tap.end()


main()
