/* ceilings_now.h - measures the ceilings of a real GPU (harness/device/ceilings/), while nobody else uses it.  */
#ifndef GRADER_COMMANDS_CEILINGS_NOW_H
#define GRADER_COMMANDS_CEILINGS_NOW_H

#include "grader/terminal/progress.h"
#include "harness/device/ceilings/ceilings_measure.h"

/* Shows one step, and what was found. */
MUST_USE Status ceilings_now(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                             Message *why);

#endif
