#!/usr/bin/env python3
"""The part of a server that workers see, over a folder: jobs lie in ready/, and what a worker says and reports goes to beat/ and done/.

Usage: tests/fake/work_server.py SOCKET FOLDER
"""
import http.server
import json
import os
import socketserver
import sys
import threading
import time

place, folder = sys.argv[1:]
lock = threading.Lock()
for name in ("ready", "claimed", "beat", "done"):
    os.makedirs(f"{folder}/{name}", exist_ok=True)


def write(path, value):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.rename(path + ".new", path)


def take(worker):
    with lock:
        for name in sorted(os.listdir(f"{folder}/ready")):
            claimed = f"{folder}/claimed/{name.removesuffix('.json')}.{worker}"
            os.rename(f"{folder}/ready/{name}", claimed)
            with open(claimed, encoding="utf-8") as file:
                return {"job": json.load(file)}
    return None


def claim(message):
    deadline = time.monotonic() + message["wait_s"]
    while True:
        answer = {"reason": "held"} if os.path.exists(f"{folder}/hold") else take(message["worker"])
        if answer is not None or time.monotonic() >= deadline:
            return answer or {"reason": ""}
        time.sleep(0.05)


def alive(message):
    name = f"{message['judging']}-{message['attempt']}.{message['worker']}"
    beat = f"{folder}/beat/{name}"
    count = 0
    if os.path.exists(beat):
        with open(beat, encoding="utf-8") as file:
            count = json.load(file)["count"]
    write(beat, dict(message, count=count + 1))
    return {"goes_on": os.path.exists(f"{folder}/claimed/{name}")}


def done(message):
    name = f"{message['judging']}-{message['attempt']}"
    write(f"{folder}/done/{name}.json", message)
    for place_of in ("claimed", "beat"):
        if os.path.exists(f"{folder}/{place_of}/{name}.{message['worker']}"):
            os.unlink(f"{folder}/{place_of}/{name}.{message['worker']}")
    return {"outcome": "recorded"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answers = {"/api/v1/work/claim": claim, "/api/v1/work/alive": alive, "/api/v1/work/done": done}
        body = json.dumps(answers[self.path](message)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def address_string(self):
        return "worker"


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


if os.path.exists(place):
    os.unlink(place)
Server(place, Handler).serve_forever()
