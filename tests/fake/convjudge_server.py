#!/usr/bin/env python3
"""convjudge_server.py - answers as docs/reference/api.md says, and judges nothing: tests of the commands that talk to a server decide
in each source what comes out, and in --fault what goes wrong.

In a source, "// verdict: Wrong Answer" is its verdict (default: Accepted), "// time: 51.6" its score in microseconds,
"// end: held" its last state, and "// never" keeps it waiting. Each look at a submission takes it one step further: waiting,
judging, its end.

Usage: convjudge_server.py [--socket PATH | --port FILE [--tls FILE]] [--token TOKEN] [--log FILE] [--fault NAME] [--person NAME] [--mark]
--port    listens on a free TCP port of 127.0.0.1, and writes its number to the file
--tls     a certificate and its key: the port speaks https
--log     gets a line for each request: method, path, and the key of a hand-in
--mark    names and sources hold escape sequences
Faults    drop (the first hand-in is kept, and its connection closed without an answer), drop-all, busy (the first hand-in
          gets 503), gateway (502, as from a proxy), status-NNN, no-reason (status 502, HTML), redirect, garbage, text, huge, slow, no-events, cut-events,
          bad-events, lose-progress (after the hand-in nothing is answered), bad-state,
          other (a submission is answered with another one)
"""
import argparse
import http.server
import json
import os
import re
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

ESCAPE = "\x1b[31mred\x1b[0m\x9b2J"


class Service:
    def __init__(self, options):
        self.options, self.submissions, self.keys, self.lock, self.drops = options, [], {}, threading.Lock(), 0
        self.log = open(options.log, "a") if options.log else None

    def note(self, *words):
        if self.log:
            print(*words, file=self.log, flush=True)

    def hand_in(self, request):
        with self.lock:
            if request["key"] in self.keys:
                return 200, self.keys[request["key"]]
            source = request["source"]
            said = dict(re.findall(r"^// (\w+): *(.*)$", source, re.M))
            item = {"submission": len(self.submissions) + 1, "person": self.options.person,
                    "problem": request.get("problem", said.get("problem", "conv1d")), "mode": request.get("mode", "rank"),
                    "file_name": request["file_name"] + (ESCAPE if self.options.mark else ""), "source_hash": "92",
                    "received": f"2026-11-23T12:{len(self.submissions):02}:00Z", "state": "waiting", "ahead": 3, "expected_s": 40, "stand": "3 ahead, about 40 s"}
            self.submissions.append({"item": item, "source": source, "said": said, "looks": 0})
            self.keys[request["key"]] = item
            return 201, item

    def look(self, number):
        """Takes the submission a step further."""
        entry = self.submissions[number - 1]
        item, said = entry["item"], entry["said"]
        entry["looks"] += 1
        if "// never" in entry["source"] or item["state"] not in ("waiting", "judging"):
            return entry
        item.pop("ahead", None), item.pop("expected_s", None), item.pop("stand", None), item.pop("progress", None)
        if entry["looks"] < 4:
            item.update(state="judging", progress={"step": "timed cases", "done": entry["looks"] - 1, "total": 3})
            return entry
        item["state"] = said.get("end", "judged")
        if item["state"] == "judged":
            item.update(verdict=said.get("verdict", "Accepted"), text="", device="sim-h200",
                        device_name="NVIDIA H200 (simulated)", modelled=True, rank_status="not ranked: not accepted")
        if "time" in said:
            item.update(score_ms=float(said["time"]) / 1000, uncertainty=0.005, rank=3, of=20, rank_status="ranked")
        return entry

    def result(self, entry):
        item = entry["item"]
        known = item.get("score_ms")
        cases = [{"name": "three taps", "verdict": item["verdict"], "timed": False}]
        for name, share in (("long filter", 1.5), ("short filter", 0.5)):
            case = {"name": name, "verdict": "Accepted" if known else "not run", "timed": True}
            if known:
                case.update(time_ms=known * share, uncertainty=0.005,
                            counters={"kernels": 1, "warp_instructions": round(1e9 * known), "global_load_sectors": 4096,
                                      "occupancy": 0.75, "limiter": "dram" if known < 0.1 else "lsu", "longest_kernel": "f"})
            cases.append(case)
        result = {"schema": 1, "verdict": item["verdict"], "text": "", "problem": item["problem"], "revision": "one", "epoch": 7,
                  "device": "sim-h200", "device_name": item["device_name"] + (ESCAPE if self.options.mark else ""), "modelled": True,
                  "cases": cases}
        if known:
            result.update(score_ms=known, uncertainty=0.005)
        return result


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service = None

    def log_message(self, *words):
        pass

    def send(self, status, body, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def error(self, status, words, headers=()):
        self.send(status, {"error": words}, headers=headers)

    def close_at_once(self):
        self.close_connection = True
        self.connection.close()

    def answer(self):
        service, options = self.service, self.service.options
        fault, url = options.fault, urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body) if body else {}
        service.note(self.command, self.path, request.get("key", "-"), self.headers.get("Authorization", "-"))
        handing_in = self.command == "POST"
        if fault.startswith("status-"):
            mark = ESCAPE if options.mark else ""
            return self.error(int(fault[7:]), "the reason" + mark, [("Retry-After", "100")] if fault == "status-429" else [])
        if options.token and self.headers.get("Authorization") != "Bearer " + options.token:
            return self.error(401, "who are you?")
        if fault == "no-reason":
            return self.send(502, b"<html>Bad Gateway</html>", "text/html")
        if fault == "redirect":
            return self.send(302, b"", headers=[("Location", "http://127.0.0.1:1/")])
        if fault in ("garbage", "text"):
            return self.send(200, b'{"submission": 1, "state"' if fault == "garbage" else b"<html>welcome</html>")
        if fault == "huge":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"[" * 1000000)
        if fault == "slow":
            time.sleep(30)
        if fault == "lose-progress" and service.submissions:
            return self.close_at_once()
        if handing_in and fault in ("drop", "drop-all", "busy", "gateway"):
            service.drops += 1
            if fault == "busy" and service.drops == 1:
                return self.error(503, "the store cannot be written; try again", [("Retry-After", "1")])
            if fault == "gateway" and service.drops == 1:
                return self.send(502, b"<html>Bad Gateway</html>", "text/html")
            if fault == "drop-all" or (fault == "drop" and service.drops == 1):
                service.hand_in(request)
                return self.close_at_once()
        self.route(url.path.removeprefix("/api/v1/").split("/"), dict(urllib.parse.parse_qsl(url.query)), request)

    def route(self, words, query, request):
        service, fault = self.service, self.service.options.fault
        if self.command == "POST" and words == ["submissions"]:
            status, item = service.hand_in(request)
            return self.send(status, dict(item, state="sleeping") if fault == "bad-state" else item)
        if self.command == "GET" and words == ["me"]:
            return self.send(200, {"person": service.options.person, "role": "student", "pseudonym": "Quiet Filter"})
        if self.command == "GET" and words in (["submissions"], ["history"]):
            return self.list(words[0], query)
        if words[0] == "submissions" and len(words) > 1 and words[1].isdigit():
            if not 0 < int(words[1]) <= len(service.submissions):
                return self.error(404, "there is no such submission, or none that you may see")
            return self.submission(service.look(int(words[1])) if self.command == "GET" and words[2:] != ["events"]
                                   else service.submissions[int(words[1]) - 1], words[2:], query)
        return self.error(404, "there is no such thing")

    def either(self, words, query, answer):
        """The answer as JSON, or as text, which the client need not understand."""
        mark = ESCAPE if self.service.options.mark else ""
        if query.get("text") != "1":
            return self.send(200, answer)
        return self.send(200, f"the text of {' '.join(words)}{mark}\n".encode(), "text/plain")

    def list(self, word, query):
        before, limit = int(query.get("before", 10**9)), int(query.get("limit", 50))
        items = [entry["item"] for entry in reversed(self.service.submissions)]
        items = [item for item in items if item["submission"] < before and query.get("person", item["person"]) == item["person"]
                 and query.get("problem", item["problem"]) == item["problem"]]
        numbers = [str(item["submission"]) for item in items[:limit]]
        self.either([word, *numbers], query, {"submissions": items[:limit]} if word == "submissions" else {"histories": []})

    def submission(self, entry, words, query):
        item = entry["item"]
        if self.command == "DELETE":
            if item["state"] != "waiting":
                return self.error(409, "it is being judged, or has been")
            item["state"] = "withdrawn"
            return self.send(200, item)
        if not words and self.service.options.fault == "other":
            return self.send(200, dict(item, submission=item["submission"] + 1))
        if not words:
            item = dict(item, source=entry["source"]) if query.get("code") == "1" else item
            return self.either(["submission", str(item["submission"]), item.get("source", "")], query, item)
        if words == ["comparison"]:
            return self.either(["comparison", query["before"], str(item["submission"])], query,
                               {"before": int(query["before"]), "after": item["submission"]})
        if words == ["events"]:
            return self.events(item["submission"])
        if item["state"] != "judged":
            return self.error(409 if words == ["report"] else 404, "it is not judged yet")
        if words == ["report"]:
            mark = ESCAPE if self.service.options.mark else ""
            return self.send(200, f"\n{item['verdict']}  {item['file_name']}, the report{mark}\n".encode(), "text/plain")
        return self.send(200, self.service.result(entry))

    def events(self, number):
        fault = self.service.options.fault
        if fault == "no-events":
            return self.error(429, "four streams are open already")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        if fault in ("bad-events", "other"):
            self.wfile.write(b"event: state\ndata: {\n\n")
            return
        while True:
            item = self.service.look(number)["item"]
            self.wfile.write(b": a comment\r\nevent: state\ndata: " + json.dumps(item).encode() + b"\n\n")
            self.wfile.flush()
            if item["state"] not in ("waiting", "judging") or fault == "cut-events":
                return
            time.sleep(0.05)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError, OSError, ValueError):
            self.close_connection = True

    do_GET = do_POST = do_DELETE = answer


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        pass


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser()
    for name in ("socket", "port", "tls", "token", "log"):
        parser.add_argument("--" + name)
    parser.add_argument("--fault", default="")
    parser.add_argument("--person", default="ada")
    parser.add_argument("--mark", action="store_true")
    options = parser.parse_args()
    Handler.service = Service(options)
    if options.socket:
        server = UnixServer(options.socket, Handler)
    else:
        server = Server(("127.0.0.1", 0), Handler)
        if options.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        with open(options.port + ".new", "w") as file:
            file.write(str(server.server_address[1]))
        os.rename(options.port + ".new", options.port)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
