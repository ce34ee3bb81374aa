/* counts.h - what launches counted, kept in a file, so that the cost model can be asked again without running them.
 *
 * Theory   the linker lets the three calls that a launch makes of the cost model pass through counts.c
 *          (-Wl,--wrap, see build.sh), which notes what they are given: the counters, how often each basic block ran,
 *          and where the loads of each instruction were served. All else follows from the kernel's machine code.
 * File     CONVJUDGE_COUNTS names it; each launch adds a record. If CONVJUDGE_REPLAY names one instead, launches take
 *          their records from it, in order, and no kernel runs.
 * Errors   the process ends with one line: the file cannot be read, or is of other kernels or another simulator.  */
#ifndef TESTS_HARDWARE_COUNTS_H
#define TESTS_HARDWARE_COUNTS_H

#include "simgpu/cost/cost.h"
#include "simgpu/gpu.h"

#include <stdbool.h>

bool counts_are_replayed(void);
/* Models a launch from the next record, as simgpu_launch() does from its own counters. */
void counts_replay(const HardwareProfile *profile, SimFunction *function, const LaunchShape *shape, SimReport *report);
/* What the model said about the last launch, run or replayed. */
const Cost *counts_last_cost(void);

#endif
