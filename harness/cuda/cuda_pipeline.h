/* cuda_pipeline.h - asynchronous copies from global to shared memory. Source: CUDA C++ Programming Guide 13.0,
 * "Pipeline Primitives Interface"; PTX ISA 8.5, "cp.async".  */
#ifndef CONVJUDGE_CUDA_PIPELINE_H
#define CONVJUDGE_CUDA_PIPELINE_H

#include "cuda_runtime.h"

/* Copies 4, 8 or 16 bytes; the last `zeros` of them are set to zero instead. */
static __device__ __forceinline__ void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes,
                                                               size_t zeros = 0)
{
    unsigned to = (unsigned)(size_t)(__attribute__((address_space(3))) void *)shared;
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"((int)(16 - zeros)));
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"((int)(8 - zeros)));
    else if (bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"((int)(4 - zeros)));
    else
        __trap();
}

static __device__ __forceinline__ void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;");
}

/* Waits until at most the `newer` most recently committed groups are still under way. `newer` is a constant. */
static __device__ __forceinline__ void __pipeline_wait_prior(size_t newer)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(newer));
}

#endif
