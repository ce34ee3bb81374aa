#!/usr/bin/env python3
"""A class of 1,000 people with 12,000 submissions: what a page costs, and how long it takes beside hand-ins. Prints TAP, and figures as
comments.

Usage: tools/service_class.py BUILD [PEOPLE=1000] [SECONDS=20] [RATE=50]
One submission is judged, and SQL makes the others of it, with other times and other code. Then pages are asked for one after the other,
which says what they cost of a processor; and beside RATE hand-ins a second, which says how long they take.
"""
import http.client
import json
import multiprocessing
import os
import random
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/service"))
from lab import Server, Tap, hand_in_body  # noqa: E402

people = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
rate = float(sys.argv[4]) if len(sys.argv) > 4 else 50.0
EACH = 12  # submissions of a person
WAITING = 5000
MOST_CPU_MS, MOST_P99_MS = 20, 100
DOWNLOADS = {"/teacher/points.csv", "/api/v1/history?limit=5000"}  # of the whole class, as long as they take

# What run 1 is, but of other people, with other times and other code; reports and explanations of every twentieth alone.
COPIES = f"""
CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < {people * EACH})
  SELECT i, 'student' || (i % {people}) AS name, (SELECT id FROM person WHERE name = 'student' || (i % {people})) AS person FROM n;
INSERT INTO runs SELECT i, time_utc, name, problem, revision, device, epoch, device_name, driver, toolkit, judge, sandbox, verdict,
  rank_status, score_ms * (1 + (i * 7919 % 1000) / 500.0), uncertainty, machine_code || i, source_hash, file_name, sitting, cases
  FROM runs JOIN copy WHERE id = 1;
INSERT INTO submission (id, person, key, problem, mode, sizes, file_name, source_hash, received_utc, received_s)
  SELECT i, copy.person, 'copy' || i, problem, mode, sizes, file_name, source_hash, received_utc, received_s FROM submission JOIN copy WHERE id = 1;
INSERT INTO judging (id, submission, batch, revision, position, state, attempt, failures, verdict, text, device, device_s, run, edition)
  SELECT i, i, batch, revision, position, state, attempt, failures, verdict, text, device, device_s, i, edition FROM judging JOIN copy WHERE id = 1;
INSERT INTO attempt SELECT i, n, worker, offered_utc, ended_utc, outcome, why FROM attempt JOIN copy WHERE judging = 1;
INSERT INTO document SELECT i, kind, text FROM document JOIN copy WHERE judging = 1 AND (kind = 'result' OR i % 20 = 0);
UPDATE next_number SET submission = {people * EACH + 1};
"""


def describe_class(server):
    """The server's configuration names it, with everybody in one of its groups."""
    groups = [{"name": f"tutorial {k}", "people": [f"student{i}" for i in range(k, people, 20)]} for k in range(20)]
    points = {"accepted": 4, "speed": {"measure": "roofline", "bands": [{"at_least": 0.05, "points": 1}, {"at_least": 0.25, "points": 2}]}}
    assignment = {"id": "week-1", "opens": "2020-01-01T08:00", "due": "2099-01-01T23:59", "counts": "best", "problems": [{"problem": "conv1d", "points": points}]}
    limits = {"waiting": 1000000, "submissions_a_day": 1000000, "bytes_a_day": 10**12}  # nobody judges, and a small class hands in as often as a large one
    with open(os.path.join(server.folder, "class.json"), "w", encoding="utf-8") as file:
        json.dump({"schema": 1, "title": "A large class", "zone": "Europe/Berlin", "limits": limits, "groups": groups, "assignments": [assignment]}, file)
    with open(server.config, encoding="utf-8") as file:
        settings = json.load(file)
    settings.update({"workers": [], "class": os.path.join(server.folder, "class.json"), "teachers": ["student1"], "admins": ["student2"]})
    with open(server.config, "w", encoding="utf-8") as file:
        json.dump(settings, file)


def make_class(server):
    tokens = server.tokens(people)
    server.request("POST", "/api/v1/submissions", tokens[0], hand_in_body("first", "first"))
    while json.loads(server.request("GET", "/api/v1/submissions/1", tokens[0])[1])["state"] in ("waiting", "judging"):
        time.sleep(0.2)
    if server.ask_store("SELECT verdict FROM judging WHERE id = 1") != [("Accepted",)]:
        sys.exit("the submission that all others are copies of is not accepted")
    server.process.terminate()
    server.process.wait()
    server.change_store(COPIES)
    describe_class(server)
    server.start()
    return tokens


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Browser:
    """Keeps its connection."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=30)

    def ask(self, method, path, token, body=None):
        """Status, and how long it took."""
        begun = time.monotonic()
        self.connection.request(method, path, body, {"Authorization": f"Bearer {token}"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status, time.monotonic() - begun


def cost_of_pages(server, tap, tokens):
    """Pages of a student, a teacher and an administrator, each often enough for a clock that ticks 100 times a second."""
    browser = Browser(server.address)
    pages = [("/", 0), ("/problems/conv1d", 0), ("/problems/conv1d", 1), ("/submissions/20", 20), ("/submissions/21", 21), ("/submissions/20/look", 20),
             ("/people/student0", 0), ("/problems/conv1d/sources", 1), ("/api/v1/problems", 0), ("/api/v1/boards/conv1d", 0),
             ("/api/v1/boards/conv1d/csv", 0), ("/api/v1/submissions", 0), ("/api/v1/submissions?verdict=Wrong+Answer", 1),
             ("/api/v1/submissions?most_ms=0.0001", 1), ("/api/v1/problems/conv1d/sources", 1), ("/api/v1/history", 1),
             ("/api/v1/history?limit=5000", 1), ("/api/v1/submissions/20/points", 1), ("/teacher", 1), ("/teacher?page=5", 1), ("/teacher/points", 1),
             ("/teacher/points?page=10", 1), ("/teacher/points.csv", 1), ("/teacher/summary", 1), ("/teacher/groups/1", 1), ("/admin", 2),
             ("/admin/batches", 2), ("/metrics", 2), ("/healthz", 2)]
    costs = {}
    for path, person in pages:
        for _ in range(6):  # each reader has seen the board
            status, _ = browser.ask("GET", path, tokens[person])
        before, count = processor_s(server.process.pid), 0
        while processor_s(server.process.pid) < before + 0.3 and count < 500:
            count += browser.ask("GET", path, tokens[person])[0] == 200
        costs[path] = 1e3 * (processor_s(server.process.pid) - before) / max(count, 1)
        print(f"# {path}: {status}, {costs[path]:.1f} ms of a processor", flush=True)
    most = max(costs.keys() - DOWNLOADS, key=costs.get)
    tap.result(costs[most] <= MOST_CPU_MS, f"no page but a download of the whole class costs more than {MOST_CPU_MS} ms of a processor: {most} costs {costs[most]:.1f}")


def read_pages(address, tokens, ends, results):
    browser, dice, took = Browser(address), random.Random(os.getpid()), {}
    while time.monotonic() < ends:
        person = dice.randrange(3, people)
        for path in ("/", "/problems/conv1d", f"/submissions/{person}", "/api/v1/boards/conv1d"):
            status, duration = browser.ask("GET", path, tokens[person])
            took.setdefault(path if person == 0 else path.rstrip("0123456789"), []).append(duration if status == 200 else 99)
            time.sleep(0.02)
    results.put(took)


def hand_in(address, tokens, ends, results):
    browser, took, refused, number, begun = Browser(address), [], [], 0, time.monotonic()
    while time.monotonic() < ends:
        status, duration = browser.ask("POST", "/api/v1/submissions", tokens[number % people], hand_in_body(f"h{os.getpid()}x{number}", number))
        if status == 201:
            took.append(duration)
        else:
            refused.append(status)
        number += 1
        time.sleep(max(0, begun + number / rate - time.monotonic()))
    results.put({"hand-ins": took, "refused": refused})


def wait_as(address, token, submission, count):
    """`count` connections, each with a request for the events of an own submission, as pages of waiting students have; beyond the streams
    that the server allows they stay open for the next time that the page asks."""
    host, port = address.split(":")
    kept = []
    for _ in range(count):
        connection = socket.create_connection((host, int(port)))
        connection.send(f"GET /api/v1/submissions/{submission}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        kept.append(connection)
    return kept


def times_beside_hand_ins(server, tap, tokens, words):
    results, ends = multiprocessing.Queue(), time.monotonic() + seconds
    crew = [multiprocessing.Process(target=what, args=(server.address, tokens, ends, results)) for what in (read_pages, read_pages, hand_in)]
    for one in crew:
        one.start()
    took = {}
    for _ in crew:
        for path, durations in results.get().items():
            took.setdefault(path, []).extend(durations)
    for one in crew:
        one.join()
    refused, taken = took.pop("refused"), len(took["hand-ins"])
    share = len(refused) / max(len(refused) + taken, 1)
    tap.result(not refused and taken > 0, f"every hand-in is taken: {taken}, refused {100 * share:.1f} %{', with the statuses ' if refused else ''}{', '.join(map(str, sorted(set(refused))))}")
    tap.result(taken > 0.9 * rate * seconds, f"{taken / seconds:.0f} hand-ins a second are taken")
    for path, durations in took.items():
        durations.sort()
        if not durations:
            continue
        p99 = 1e3 * durations[int(0.99 * len(durations))]
        print(f"# {path}: {len(durations)}, median {1e3 * durations[len(durations) // 2]:.1f} ms, 99th hundredth {p99:.1f} ms")
        tap.result(p99 < MOST_P99_MS, f"{path} takes less than {MOST_P99_MS} ms{words}, 99 times of 100: {p99:.0f}")


def main():
    tap = Tap()
    server = Server(sys.argv[1], ["sim"])
    tokens = make_class(server)
    cost_of_pages(server, tap, tokens)
    times_beside_hand_ins(server, tap, tokens, f" beside {rate:.0f} hand-ins a second")
    waiting = [one for person in range(3, 3 + WAITING // 10) for one in wait_as(server.address, tokens[person % people], person, 10)]
    status, duration = Browser(server.address).ask("GET", "/", tokens[0])
    tap.result(status == 200 and duration < 1, f"beside {len(waiting)} pages that wait, another one opens in {1e3 * duration:.0f} ms")
    times_beside_hand_ins(server, tap, tokens, f" beside {len(waiting)} pages that wait")
    tap.result(server.stop(), "the server ends when it is told to")
    tap.end()


main()
