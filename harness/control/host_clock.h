/* host_clock.h - how a broker learns for how long the submission's process has computed so far.
 *
 * The broker of a simulated GPU has a namespace of processes of its own, and cannot ask the kernel. It asks the grader
 * over a socket of its own (SOCK_SEQPACKET), and waits for the answer.  */
#ifndef HARNESS_CONTROL_HOST_CLOCK_H
#define HARNESS_CONTROL_HOST_CLOCK_H

#include <stdbool.h>

/* The ends for the two; false: there are none. */
bool host_clock_new(int *graders, int *brokers);
/* Seconds of processor time of all threads; false: unknown. */
bool host_clock_ask(int brokers, double *seconds);
/* Answers a question that has come; `seconds` below 0: unknown. False if there was none, because the broker is gone. */
bool host_clock_answer(int graders, double seconds);

#endif
