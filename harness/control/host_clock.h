/* host_clock.h - how a broker learns for how long the submission's process has computed, or waited for a core.
 *
 * The broker of a simulated GPU has a namespace of processes of its own, and cannot ask the kernel. It asks the grader
 * over a socket of its own (SOCK_SEQPACKET), and waits for the answer. All times are sums since the process began.  */
#ifndef HARNESS_CONTROL_HOST_CLOCK_H
#define HARNESS_CONTROL_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum HostQuestion {
    HOST_COMPUTED = 1, /* `computed_s` alone, which the kernel tells at once */
    HOST_ALL
} HostQuestion;

typedef struct HostClock {
    double computed_s;      /* processor time of all threads; below 0: unknown */
    double used_s;          /* that of the processes that it has started, and of its sandbox, too */
    double delayed_s;       /* for which any of their threads could have run, and others had the cores */
    bool is_runnable;       /* one of them runs, or waits for a core now */
    double judge_delayed_s; /* for which the broker could have run, and others had the cores */
} HostClock;

/* The ends for the two; false: there are none. */
bool host_clock_new(int *graders, int *brokers);
/* false: unknown. */
bool host_clock_ask(int brokers, HostQuestion question, HostClock *clock);
/* Takes a question that has come, and answers it. False if there was none, because the broker is gone. */
bool host_clock_question(int graders, HostQuestion *question);
bool host_clock_answer(int graders, HostClock clock);
/* What counts as the submission's own of `waited_s`, for which the broker has waited for it between two answers: for how long it
 * computed, and for how long it did nothing at all; not for how long it was kept from a core. `silent`: it has asked
 * for nothing in between, so that the broker was not late for anything. */
double host_clock_own_s(const HostClock *before, const HostClock *after, double waited_s, bool silent);

#endif
