#!/usr/bin/env python3
"""Many students hand in within a minute, while others read pages, idle, and drip. Prints TAP, and figures as comments.

Usage: tests/service_load.py BUILD [STUDENTS=200] [SECONDS=60] [judge]
Each student hands in once, at a random moment of the SECONDS; `judge` also waits until a worker has judged all of them.
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

students = int(sys.argv[2]) if len(sys.argv) > 2 else 200
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60.0
judges = sys.argv[4:] == ["judge"]


class Load:
    def __init__(self, server):
        self.server = server
        self.tokens = server.tokens(students)
        self.acknowledged, self.hand_ins, self.pages = {}, [], []
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
        paths = ["/", "/problems/conv1d", "/api/v1/submissions", "/api/v1/boards/conv1d", "/static/style.css"]
        while not self.ends.is_set():
            path = random.choice(paths)
            begun = time.monotonic()
            status, _ = self.server.request("GET", path, random.choice(self.tokens))
            self.pages.append(time.monotonic() - begun)
            if status != 200:
                print("#", path, status)
                self.pages.append(999)
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


def main():
    tap = Tap()
    server = Server(sys.argv[1], ["sim"] if judges else [])
    load = Load(server)
    load.run()
    for name, durations in (("hand-ins", load.hand_ins), ("pages", load.pages)):
        durations.sort()
        print(f"# {name}: {len(durations)}, median {1e3 * statistics.median(durations):.0f} ms, 99th hundredth"
              f" {1e3 * durations[int(0.99 * len(durations))]:.0f} ms, longest {1e3 * durations[-1]:.0f} ms")
    print(f"# memory of the server: {memory_kb(server.process.pid)} KB")
    tap.result(len(load.acknowledged) == students, f"{students} hand-ins are acknowledged")
    tap.result(len(set(load.acknowledged.values())) == students, "each is a submission of its own")
    tap.result(server.ask_store("SELECT count(*) FROM submission")[0][0] == students, "none is lost, and none is kept twice")
    if judges:
        judged = server.ask_store("SELECT count(*) FROM judging WHERE verdict = 'Accepted'")[0][0]
        runs = server.ask_store("SELECT count(*) FROM runs")[0][0]
        tap.result(judged == students and runs == students, f"each is judged, and recorded once: {judged} judged, {runs} runs")
    tap.result(server.request("GET", "/healthz")[0] == 200, "the server is well")
    tap.result(server.stop(), "the server ends when it is told to")
    tap.end()


main()
