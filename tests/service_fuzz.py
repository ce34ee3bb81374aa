#!/usr/bin/env python3
"""Sends requests that are broken in every way to a server for some seconds: it must answer each or end the connection, never with a
fault of its own, never with a file or a header that a request asked for, and stay well. Prints TAP.

Usage: tests/service_fuzz.py BUILD [SECONDS=30] [SEED]
"""
import os
import random
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "service"))
from lab import Server, Tap  # noqa: E402

seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
dice = random.Random(seed)

PATHS = ["/", "/problems/conv1d", "/problems/conv1d/starter.cu", "/submissions/1", "/people/ada", "/teacher", "/admin", "/login", "/logout",
         "/join/x", "/static/style.css", "/healthz", "/metrics", "/api/v1/me", "/api/v1/problems", "/api/v1/submissions",
         "/api/v1/submissions/1", "/api/v1/submissions/1/report", "/api/v1/submissions/1/result", "/api/v1/boards/conv1d",
         "/problems/conv1d/submit", "/submissions/1/withdraw", "/submissions/1/ruling"]
PARTS = ["../../../etc/passwd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..%5cetc", "%00", "%0d%0aX-Injected: yes", "\r\nX-Injected: yes",
         "'", "\"><script>alert(1)</script>", "1 OR 1=1", "-1", "99999999999999999999", "%", "%zz", "\x00", "\x1b[31m", "\xe2\x80\xae",
         "A" * 5000, "?" * 300, "&" * 300, "=" * 300, "/" * 300, "*", "http://elsewhere/"]
HEADERS = ["Content-Length: -1", "Content-Length: 99999999999", "Content-Length: 5", "Content-Length: x", "Transfer-Encoding: chunked",
           "Transfer-Encoding: chunked\r\nContent-Length: 5", "Expect: 100-continue", "Cookie: convjudge=x", "Cookie: " + "a=b; " * 500,
           "Authorization: Bearer " + "x" * 300, "Authorization: Basic eDp5", "Authorization: Bearer", "Origin: http://elsewhere",
           "Host: elsewhere\r\nHost: again", "X: " + "y" * 40000, "Range: bytes=0-0,1-1", "Content-Type: multipart/form-data; boundary=x",
           "Content-Type: multipart/form-data", "Content-Type: application/x-www-form-urlencoded", "Upgrade: h2c", " folded: x", ":", "no colon"]
BODIES = ["", "{", "{}", '{"key": "k", "file_name": "x.cu", "source": "x"}', '{"key": ' + "[" * 3000, "token=x&next=//elsewhere", "a=b&" * 2000,
          "--x\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nk\r\n--x--\r\n", "5\r\nhello\r\n0\r\n\r\n", "fffffffff\r\n", "\x00" * 100,
          '{"key": "k", "file_name": "\\ud800", "source": "\\u0000"}']


def make_request(token):
    method = dice.choice(["GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS", "TRACE", "CONNECT", "G\x00T", ""])
    if dice.random() < 0.6:
        method = dice.choice(["GET", "POST"])
    path = dice.choice(PATHS)
    if dice.random() < 0.5:
        path += dice.choice(["/", "?", "?person=", "?device=", "?before=", "?group=", "?next=", ""]) + dice.choice(PARTS)
    body = dice.choice(BODIES)
    lines = [f"{method} {path} " + dice.choice(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "HTTP/1.1 x", ""])]
    if dice.random() < 0.9:
        lines.append("Host: localhost")
    if dice.random() < 0.6:
        lines.append(f"Authorization: Bearer {token}")
    for _ in range(dice.randrange(3)):
        lines.append(dice.choice(HEADERS))
    if dice.random() < 0.6:
        lines.append(f"Content-Length: {len(body.encode('latin1', 'replace'))}")
    data = ("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin1", "replace")
    if dice.random() < 0.3:
        data = bytearray(data)
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
    if dice.random() < 0.1:
        data = data[: dice.randrange(len(data) + 1)]
    return bytes(data)


def send(address, data):
    host, port = address.split(":")
    answer = b""
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.settimeout(0.05)
        try:
            connection.sendall(data)
            while len(answer) < 1 << 20:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
        except OSError:
            pass
    return answer


def complaint(answer):
    """What is wrong with an answer; None: nothing."""
    if not answer:
        return None
    head = answer.split(b"\r\n\r\n")[0]
    if not answer.startswith(b"HTTP/1."):
        return "no answer of HTTP"
    if head[9:10] == b"5" and head[9:12] not in (b"501", b"505"):
        return "a fault of the server"
    if b"\nx-injected" in head.lower():
        return "a header that the request made"
    if b"root:x:" in answer:
        return "a file of this host"
    if b"<script>alert" in answer:
        return "a script that the request made"
    if b"\nlocation: //" in head.lower() or b"\nlocation: http" in head.lower():
        return "it leads elsewhere"
    return None


tap = Tap()
server = Server(sys.argv[1])
address = server.address
token = subprocess.run([os.path.join(sys.argv[1], "convjudge"), "token", "add", "ada", "--role", "admin", "--state", server.state],
                       capture_output=True, text=True, check=True).stdout.strip()
ends = time.monotonic() + seconds
sent, wrong, answers = 0, [], {}
while time.monotonic() < ends and server.process.poll() is None and len(wrong) < 5:
    data = make_request(token)
    answer = send(address, data)
    sent += 1
    answers[answer[9:12]] = answers.get(answer[9:12], 0) + 1
    if complaint(answer) is not None:
        wrong.append((complaint(answer), data[:300], answer[:300]))
for fault in wrong:
    print("#", *fault)
print(f"# seed {seed}: {sent} requests; answers: {answers}")
tap.result(not wrong and sent > 0, "no broken request gets what it must not")
tap.result(server.process.poll() is None and b" 200 " in send(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
           "the server is well afterwards")
tap.result(server.ask_store("PRAGMA integrity_check")[0][0] == "ok", "the database is whole")
tap.result(server.stop(), "the server ends when it is told to")
tap.end()
