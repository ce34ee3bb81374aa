/* host_clock.h - how a broker learns for how long the submission's process has computed, or waited for a core.
 *
 * The broker of a simulated GPU has a namespace of processes of its own, and cannot ask the kernel. It asks the grader
 * over a socket of its own (SOCK_SEQPACKET), and waits for the answer.  */
#ifndef HARNESS_CONTROL_HOST_CLOCK_H
#define HARNESS_CONTROL_HOST_CLOCK_H

#include <stdbool.h>

typedef struct HostClock {
    double computed_s; /* processor time of all threads so far; below 0: unknown */
    double used_s;     /* that of its sandbox, too, since the call began */
    double delayed_s;  /* for which the main thread could have run since then, and others had the cores */
} HostClock;

/* The ends for the two; false: there are none. */
bool host_clock_new(int *graders, int *brokers);
/* false: unknown. */
bool host_clock_ask(int brokers, HostClock *clock);
/* Answers a question that has come. False if there was none, because the broker is gone. */
bool host_clock_answer(int graders, HostClock clock);

#endif
