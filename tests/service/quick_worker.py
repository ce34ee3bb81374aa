"""A worker that judges nothing: it takes a job and reports "Wrong Answer" at once, with a result as large as a real one."""
import http.client
import json
import os
import socket


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=600)
        self.place = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.place)


def ask(server, path, message):
    connection = Connection(os.path.join(server.folder, "socket"))
    try:
        connection.request("POST", f"/api/v1/work/{path}", json.dumps(message))
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def finish(server, worker, job):
    result = {"verdict": "Wrong Answer", "text": "x" * 20000, "problem": job["problem"], "revision": job["revision"],
              "source_hash": job["source_hash"], "device": "sim-h200", "seconds": {"timed": 1.0}}
    ask(server, "done", {"judging": job["judging"], "attempt": job["attempt"], "source_hash": job["source_hash"],
                         "revision": job["revision"], "worker": worker, "device": "sim-h200", "device_name": "x", "outcome": "judged",
                         "why": "", "result": json.dumps(result), "report": "", "explain": ""})


def work(server, worker, ends):
    while not ends.is_set():
        answer = ask(server, "claim", {"worker": worker, "device": "sim-h200", "device_name": "x", "wait_s": 1, "most_s": 0})
        if "job" in answer:
            finish(server, worker, answer["job"])
