/* limits.h - how large a block of threads can be on any GPU.  */
#ifndef SIMGPU_BLOCK_LIMITS_H
#define SIMGPU_BLOCK_LIMITS_H

#include "simgpu/code/warp.h"

enum { MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / SIM_WARP_SIZE, MAX_BARRIERS = 16 };
enum { CLUSTER_BARRIER = MAX_BARRIERS }; /* stands for the barrier of the cluster where a number is asked for */

#endif
