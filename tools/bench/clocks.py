#!/usr/bin/env python3
"""Times solutions as other tools do, in one process: by a plain pair of events, by Triton's do_bench, and by NVBench's rule.

    clocks.py CASE... LIBRARY...

CASE is "NAME=FLOATS,FLOATS,...:NUMBER,...": solve() gets an array of so many floats for each of the first, and then the numbers. A
LIBRARY is a solution as a shared object. A name that ends in ".queued.so" says that its solve() does not wait, so that
all of a call may be queued before the device begins with it, as NVBench wants it. Prints "CASE RULE LIBRARY MICROSECONDS" for each.

NVBench's rule, from its documentation: a cold L2 before each sample, a kernel that blocks the device until all is queued, samples until
they deviate by less than 0.5 %, or until that deviation has settled, but for at least half a second of the device's time. Here it is
the median, a twentieth of a second, and at most 2 s, so that many processes fit into one run.
"""

import ctypes
import statistics
import sys
import time

import torch
import triton

WARM_UP_CALLS, CALLS = 10, 100
LEAST_SAMPLES, MOST_NOISE, LEAST_DEVICE_S, MOST_S = 10, 0.005, 0.05, 2
SETTLED_SAMPLES, SETTLED_NOISE = 64, 0.05
BLOCKED_CYCLES = 60_000  # 30 us at 2 GHz: longer than the host takes to queue a call


class Case:
    def __init__(self, text):
        self.name, shape = text.split("=")
        floats, numbers = (part.split(",") for part in shape.split(":"))
        self.arrays = [torch.rand(int(count), device="cuda") * 2 - 1 for count in floats]
        self.numbers = [int(number) for number in numbers]

    def call(self, library):
        solve = ctypes.CDLL(library).solve
        arguments = [ctypes.c_void_p(array.data_ptr()) for array in self.arrays] + [ctypes.c_int(number) for number in self.numbers]
        return lambda: solve(*arguments)


class Cold:
    """Samples with a cold L2 and an event before and behind the call."""

    def __init__(self, call, blocked):
        self.call, self.blocked = call, blocked
        l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        self.flush = torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")
        self.start, self.stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def sample(self):
        """Seconds."""
        self.flush.zero_()
        if self.blocked:
            torch.cuda._sleep(BLOCKED_CYCLES)
        self.start.record()
        self.call()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) / 1000


def by_events(call):
    cold = Cold(call, blocked=False)
    for _ in range(WARM_UP_CALLS):
        cold.sample()
    return statistics.median(cold.sample() for _ in range(CALLS))


def by_do_bench(call):
    return triton.testing.do_bench(call, return_mode="median") / 1000


def by_nvbench(call):
    cold, samples, noises = Cold(call, blocked=True), [], []
    total = squares = 0.0
    end = time.monotonic() + MOST_S
    cold.sample()
    while time.monotonic() < end:
        samples.append(cold.sample())
        total, squares = total + samples[-1], squares + samples[-1] ** 2
        count, mean = len(samples), total / len(samples)
        noises.append(max(squares / count - mean**2, 0) ** 0.5 / mean)
        if count < LEAST_SAMPLES or total < LEAST_DEVICE_S:
            continue
        last = noises[-SETTLED_SAMPLES:]
        if noises[-1] < MOST_NOISE or (len(last) == SETTLED_SAMPLES and statistics.pstdev(last) < SETTLED_NOISE * statistics.mean(last)):
            break
    return statistics.median(samples)


def time_library(case, library):
    call = case.call(library)
    call()
    torch.cuda.synchronize()
    rules = [("events", by_events), ("do_bench", by_do_bench)]
    if library.endswith(".queued.so"):
        rules.append(("nvbench", by_nvbench))
    for name, rule in rules:
        try:
            print(case.name, name, library, f"{1e6 * rule(call):.3f}", flush=True)
        except Exception as error:  # such as Triton without the headers that it compiles against
            print(f"clocks.py: {name}: {error}".splitlines()[0], file=sys.stderr)


def main():
    libraries = [argument for argument in sys.argv[1:] if "=" not in argument]
    for argument in sys.argv[1:]:
        if "=" in argument:
            case = Case(argument)
            for library in libraries:
                time_library(case, library)


if __name__ == "__main__":
    main()
