#!/usr/bin/env python3
"""What the evening of a deadline looks like: a simulation of the queue, with the pilots' rules of service/store/slurm.h.

Usage: tests/deadline.py [--people 5000] [--each 2] [--mean-hours 3] [--seconds 12] [--start 60] [--seed 1] [PILOTS ...]

Assumptions  Everybody hands in EACH times before the deadline; how long before is exponential with a mean of MEAN hours, cut at a day, as
             those who have waited longest hand in last. A judging takes SECONDS on a GPU, plus or minus a quarter. A pilot judges START seconds
             after it was asked for (Slurm has a GPU free), and ends after a minute without work, or after four hours. The order
             is that of arrival: the fairness of the queue changes who waits, not how long all wait together.
"""
import argparse
import heapq
import random
import statistics

PER_PILOT = 8  # SUBMISSIONS_PER_PILOT
IDLE_S, LIFETIME_S, LOOK_S, DAY_S = 60, 4 * 3600, 1, 24 * 3600


class Evening:
    def __init__(self, arrivals, pilots, seconds, start, dice):
        self.arrivals, self.most, self.seconds, self.start, self.dice = arrivals, pilots, seconds, start, dice
        self.waiting, self.next = [], 0
        self.pilots = []  # (when it is free, when it began), a heap
        self.waits, self.allocations, self.longest_queue = [], 0, 0
        self.latest_s = -LOOK_S  # when a pilot was last asked for

    def take_arrivals(self, now):
        while self.next < len(self.arrivals) and self.arrivals[self.next] <= now:
            self.waiting.append(self.arrivals[self.next])
            self.next += 1
        self.longest_queue = max(self.longest_queue, len(self.waiting) - self.taken)

    def run(self):
        """Looks once a second, as the server does."""
        self.taken, now = 0, int(self.arrivals[0])
        while self.next < len(self.arrivals) or self.taken < len(self.waiting):
            self.take_arrivals(now)
            self.end_pilots(now)
            self.start_pilot(now)
            self.serve(now)
            now += LOOK_S
        return self

    def end_pilots(self, now):
        kept = [pilot for pilot in self.pilots if pilot[0] > now - IDLE_S and (pilot[0] > now or now < pilot[1] + LIFETIME_S)]
        if len(kept) != len(self.pilots):
            self.pilots = kept
            heapq.heapify(self.pilots)

    def start_pilot(self, now):
        left = len(self.waiting) - self.taken
        if min(self.most, -(-left // PER_PILOT)) > len(self.pilots):
            heapq.heappush(self.pilots, (now + self.start, now + self.start))
            self.allocations += 1

    def serve(self, now):
        while self.taken < len(self.waiting) and self.pilots and self.pilots[0][0] <= now:
            _, began = heapq.heappop(self.pilots)
            takes = self.seconds * self.dice.uniform(0.75, 1.25)
            heapq.heappush(self.pilots, (now + takes, began))
            self.waits.append(now + takes - self.waiting[self.taken])
            self.taken += 1


def minutes(seconds):
    return f"{seconds / 60:6.1f}"


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("people", 5000), ("each", 2), ("mean-hours", 3.0), ("seconds", 12.0), ("start", 60.0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("pilots", nargs="*", type=int, default=[2, 4, 8, 12, 16, 24])
    given = parser.parse_args()
    dice = random.Random(given.seed)
    before = [min(dice.expovariate(1 / (given.mean_hours * 3600)), DAY_S) for _ in range(given.people * given.each)]
    arrivals = sorted(DAY_S - seconds for seconds in before)
    last_hour = sum(arrival > DAY_S - 3600 for arrival in arrivals)
    print(f"{len(arrivals)} submissions, {last_hour} of them in the last hour; a GPU judges {3600 / given.seconds:.0f} an hour")
    print("pilots  wait in minutes: median  95th hundredth  longest  longest queue  done after the deadline  allocations")
    for pilots in given.pilots:
        evening = Evening(arrivals, pilots, given.seconds, given.start, random.Random(given.seed)).run()
        waits = sorted(evening.waits)
        end = max(arrival + wait for arrival, wait in zip(arrivals, evening.waits))
        print(
            f"{pilots:6}  {minutes(statistics.median(waits)):>23}  {minutes(waits[int(0.95 * len(waits))]):>14}  {minutes(waits[-1]):>7}"
            f"  {evening.longest_queue:13}  {minutes(max(0, end - DAY_S)):>19} min  {evening.allocations:11}"
        )


main()
