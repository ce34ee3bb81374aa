/* cpu_judge.h - how a CPU baseline becomes a verdict and a time: a .c file with the problem's solve() on host pointers,
 * on the same cases, held against the same oracle, timed by the judge's wall clock. A baseline is never ranked: it is
 * there to be compared with.  */
#ifndef GRADER_JUDGE_CPU_JUDGE_H
#define GRADER_JUDGE_CPU_JUDGE_H

#include "grader/judge/judge.h"

/* Of the timed calls of a case the first is not counted: it meets cold caches, and starts the threads. */
enum { CPU_TRIALS = 10 };

/* "cpu", with the timed cases of the simulated GPU, which suit one core; "cpu:cuda", with those of real GPUs. */
bool cpu_judge_is_device(const char *device);
/* The names of this machine's processors. */
void cpu_judge_describe(DeviceInfo *device);

/* As judge_submission(), which hands jobs on such devices over to here. A case's samples are the times of its calls
 * without the first, at most CPU_TRIALS and for at most a second or two. */
MUST_USE Status judge_on_cpu(const JudgeJob *job, Result *result, Message *why);

#endif
