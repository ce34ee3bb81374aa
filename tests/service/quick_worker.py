"""A worker that judges nothing: it takes a job from the spool and reports "Wrong Answer" at once, with a result as large as a real one."""
import hashlib
import json
import os
import time

RESULT = json.dumps({"verdict": "Wrong Answer", "text": "x" * 20000, "seconds": {"timed": 1.0}})


def take(spool, worker):
    """Takes a job; None: there is none."""
    for name in sorted(os.listdir(f"{spool}/ready")):
        if name.startswith("."):
            continue
        claim = f"{spool}/claimed/{name.removesuffix('.json')}.{worker}"
        try:
            os.rename(f"{spool}/ready/{name}", claim)
        except FileNotFoundError:
            continue
        with open(claim, encoding="utf-8") as file:
            return json.load(file)
    return None


def finish(spool, worker, job):
    done = {
        "format": 1, "judging": job["judging"], "attempt": job["attempt"], "source_hash": job["source_hash"], "revision": job["revision"],
        "worker": worker, "device": "sim-h200", "device_name": "x", "outcome": "judged", "why": "", "result": RESULT, "run": None,
        "report": "", "explain": "",
    }
    text = json.dumps(done, ensure_ascii=False, separators=(",", ":"))
    done["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    place = f"{spool}/done/{job['judging']}-{job['attempt']}.json"
    temporary = f"{spool}/done/.{job['judging']}-{job['attempt']}.json"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(done, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, place)


def work(server, worker, ends):
    spool = os.path.join(server.state, "spool")
    while not ends.is_set():
        job = take(spool, worker)
        if job is None:
            time.sleep(0.01)
        else:
            finish(spool, worker, job)
