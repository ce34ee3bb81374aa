#!/usr/bin/env python3
"""Kills server, worker, grader and what they start, at random moments while students hand in: nothing that was acknowledged is lost,
each submission is recorded once, and each ends. Prints TAP.

Usage: tests/service_kills.py BUILD [KILLS=20] [SEED]
"""
import json
import os
import random
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "service"))
from lab import Server, Tap, hand_in_body  # noqa: E402

kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else None)
PEOPLE = 4


def descendants(pid):
    """Processes that a process has started, and what these have."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found, seen = [], {pid}
    while True:
        more = [child for child, parent in parents.items() if parent in seen and child not in seen]
        if not more:
            return found
        found += more
        seen.update(more)


class Students:
    """Hand in again and again; a request without an answer is repeated with its key, as the client does."""

    def __init__(self, server):
        self.server, self.ends, self.acknowledged = server, threading.Event(), {}
        self.tokens = server.tokens(PEOPLE)
        self.threads = [threading.Thread(target=self.work, args=(person,)) for person in range(PEOPLE)]
        for thread in self.threads:
            thread.start()

    def work(self, person):
        number = 0
        while not self.ends.is_set():
            self.hand_in(person, f"p{person}n{number}")
            number += 1
            time.sleep(3)

    def hand_in(self, person, key):
        for _ in range(200):
            try:
                status, data = self.server.request("POST", "/api/v1/submissions", self.tokens[person], hand_in_body(key, person), timeout=5)
                if status in (200, 201):
                    self.acknowledged[key] = json.loads(data)["submission"]
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.2)

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")[:60]
    except OSError:
        return ""


def kill_somebody(server):
    """The server, or anything below it but a submission and its sandbox, which could have ended by itself. Returns what it was."""
    below = [pid for pid in descendants(server.process.pid) if not any(name in words_of(pid) for name in ("convjudge-runner", "bwrap"))]
    victims = [server.process.pid] + below
    victim = dice.choice(victims) if dice.random() < 0.7 else server.process.pid
    try:
        words = words_of(victim)
        os.kill(victim, signal.SIGKILL)
    except OSError:
        return "somebody who was gone"
    if victim == server.process.pid:
        server.process.wait()
        time.sleep(dice.random())
        server.start()
        return "the server"
    return words


def wait_for_end(server):
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline:
        if server.ask_store("SELECT count(*) FROM judging WHERE state NOT IN ('recorded', 'held')")[0][0] == 0:
            return True
        release(server)
        time.sleep(1)
    return False


def release(server):
    """What a person does about judgings that two killed workers have left, and about workers that were drained for it."""
    import sqlite3

    with sqlite3.connect(os.path.join(server.state, "convjudge.db"), timeout=60) as store:
        store.execute("DELETE FROM drained")


def main():
    tap = Tap()
    server = Server(sys.argv[1], ["sim"])
    students = Students(server)
    killed = {}
    for _ in range(kills):
        time.sleep(dice.random() * 3)
        words = kill_somebody(server)
        killed[words] = killed.get(words, 0) + 1
        release(server)
    students.stop()
    print("# killed:", killed)
    tap.result(len(students.acknowledged) > 0, f"{len(students.acknowledged)} submissions are acknowledged")
    tap.result(wait_for_end(server), "each of them ends")
    stored = {key: number for number, key in server.ask_store("SELECT id, key FROM submission")}
    tap.result(all(stored.get(key) == number for key, number in students.acknowledged.items()), "nothing that was acknowledged is lost")
    doubles = server.ask_store("SELECT submission, count(*) FROM judging WHERE run IS NOT NULL GROUP BY submission HAVING count(*) > 1")
    runs, recorded = server.ask_store("SELECT count(*), (SELECT count(*) FROM judging WHERE run IS NOT NULL) FROM runs")[0]
    tap.result(not doubles and runs == recorded, f"each is recorded once: {runs} runs, {recorded} judgings")
    wrong = server.ask_store("SELECT verdict, count(*) FROM judging WHERE state = 'recorded' AND verdict <> 'Accepted' GROUP BY verdict")
    tap.result(not wrong, f"no kill is taken for a fault of a submission {wrong or ''}")
    held = server.ask_store("SELECT count(*) FROM judging WHERE state = 'held'")[0][0]
    print(f"# {held} are held for a person, after two attempts that were killed")
    tap.result(server.ask_store("PRAGMA integrity_check")[0][0] == "ok", "the database is whole")
    below = descendants(server.process.pid)
    tap.result(server.stop(), "the server ends when it is told to")
    deadline = time.monotonic() + 200
    while any(map(words_of, below)) and time.monotonic() < deadline:
        time.sleep(0.2)
    left = [words_of(pid) for pid in below if words_of(pid)]
    tap.result(not left, f"no process is left {left or ''}")
    tap.end()


main()
