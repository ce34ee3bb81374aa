/* compile_cpu.h - turns a CPU baseline into a shared object: plain C with the same solve() as a submission, on host
 * pointers, compiled by gcc -O3 -march=native with OpenMP and POSIX threads, in the same sandbox as a submission.  */
#ifndef HARNESS_COMPILE_COMPILE_CPU_H
#define HARNESS_COMPILE_COMPILE_CPU_H

#include "base/status.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/compiled.h"

/* As compile_submission(). The object has no modules and no kernels, and is not cached. */
MUST_USE Status compile_for_cpu(const CompileJob *job, const char *scratch, Compiled *compiled, Message *why);

#endif
