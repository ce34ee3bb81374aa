// What all templates of kernels share: the macros that variants.py varies one at a time, with their usual values.
#pragma once
#include <cuda_runtime.h>

#ifndef BLOCK_X
#define BLOCK_X 32 // threads
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef OUTPUTS_X
#define OUTPUTS_X 1 // of a thread
#endif
#ifndef OUTPUTS_Y
#define OUTPUTS_Y 1
#endif
#ifndef SPREAD
#define SPREAD 0 // 1: the outputs of a thread lie a block's width apart, so that neighbouring threads store neighbours
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0 // that shall fit on a multiprocessor: the more, the fewer registers, and the more of them spill
#endif
#ifndef FILTER
#define FILTER 0 // it is read from 0: global, 1: shared, 2: constant memory
#endif
#ifndef UNROLL
#define UNROLL 1 // iterations of the innermost loop over taps
#endif
#ifndef LAUNCHES
#define LAUNCHES 1 // the blocks are divided among so many
#endif

#define FILTER_GLOBAL 0
#define FILTER_SHARED 1
#define FILTER_CONSTANT 2
#define THREADS (BLOCK_X * BLOCK_Y)

#if MIN_BLOCKS > 0
#define BOUNDS __launch_bounds__(THREADS, MIN_BLOCKS)
#else
#define BOUNDS __launch_bounds__(THREADS)
#endif
#define PRAGMA(text) _Pragma(#text)
#define UNROLLED(times) PRAGMA(unroll times)

constexpr int CONSTANT_TAPS = 16000;
__constant__ float c_filter[CONSTANT_TAPS];

static int parts(int count, int size)
{
    return (count + size - 1) / size;
}

// Calls launch(first block, blocks) LAUNCHES times.
template <typename Launch> static void in_launches(int blocks, Launch launch)
{
    int each = parts(blocks, LAUNCHES);
    for (int first = 0; first < blocks; first += each)
        launch(first, first + each < blocks ? each : blocks - first);
}
