#!/usr/bin/env python3
"""How fast the server's queue is by itself: hands in, takes every job with workers that judge nothing, and prints rates.

Usage: tools/queue_rate.py BUILD [SUBMISSIONS=400] [WORKERS=8]
The workers here ask for a job and report "Wrong Answer" at once, with a result as large as a real one. What is left is what
the server does: a transaction for each submission, offer and result.
"""
import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "service"))
from lab import Server, Tap, hand_in_body  # noqa: E402
from quick_worker import work  # noqa: E402

submissions = int(sys.argv[2]) if len(sys.argv) > 2 else 400
workers = int(sys.argv[3]) if len(sys.argv) > 3 else 8
PEOPLE = 40


def hand_in(server, tokens, first, durations):
    for number in range(first, submissions, PEOPLE):
        begun = time.monotonic()
        status, data = server.request("POST", "/api/v1/submissions", tokens[first], hand_in_body(f"k{number}", number))
        durations.append(time.monotonic() - begun)
        if status != 201:
            sys.exit(f"{status} {data[:200]}")


def measure(label, threads):
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - begun
    print(f"# {label}: {submissions} in {seconds:.1f} s, {submissions / seconds:.0f} a second")


def main():
    tap = Tap()
    server = Server(sys.argv[1])
    tokens, durations, ends = server.tokens(PEOPLE), [], threading.Event()
    measure("hand-ins", [threading.Thread(target=hand_in, args=(server, tokens, first, durations)) for first in range(PEOPLE)])
    print(f"# a hand-in takes {1e3 * statistics.median(durations):.0f} ms in the median")
    crew = [threading.Thread(target=work, args=(server, f"w{number}", ends)) for number in range(workers)]

    def wait():
        deadline = time.monotonic() + 600
        while server.ask_store("SELECT count(*) FROM judging WHERE state <> 'recorded'")[0][0] > 0 and time.monotonic() < deadline:
            time.sleep(0.1)

    for thread in crew:
        thread.start()
    measure(f"offered, taken by {workers} workers, and recorded", [threading.Thread(target=wait)])
    ends.set()
    for thread in crew:
        thread.join()
    judged = server.ask_store("SELECT count(*) FROM judging WHERE verdict = 'Wrong Answer'")[0][0]
    tap.result(judged == submissions, f"each is recorded once: {judged}")
    size = sum(os.path.getsize(os.path.join(server.state, name)) for name in os.listdir(server.state) if name.startswith("convjudge.db"))
    print(f"# the database has {size / submissions / 1000:.0f} KB for each")
    tap.result(server.stop(), "the server ends when it is told to")
    tap.end()


main()
