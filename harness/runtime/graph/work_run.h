/* work_run.h - does a piece of work now, on a stream that is not being captured.  */
#ifndef HARNESS_RUNTIME_GRAPH_WORK_RUN_H
#define HARNESS_RUNTIME_GRAPH_WORK_RUN_H

#include "harness/runtime/work.h"

/* A child graph cannot be run like this. */
cudaError_t work_run(const StreamWork *work, cudaStream_t stream);

#endif
