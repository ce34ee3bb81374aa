/* simgpu.h - a simulated CUDA GPU: runs the PTX of kernels on the host's cores, checks every access, counts what a
 * hardware profiler would count, and models the time.
 *
 * The library knows kernels, memory and hardware; it has not heard of judging. Streams, events and the CUDA runtime's
 * bookkeeping are its user's: simgpu_launch() runs one grid to its end.
 *
 * Addresses  a global address is the host address of the byte in this process. All device memory lies in one reserved
 *            range [base, base + span), so that an address tells what it is. Shared, local and constant memory have
 *            windows of their own below 2^36 in the generic address space.
 * Threads    a SimGpu is used by one thread at a time; a launch spreads its blocks over `threads` workers by itself.
 * Units      bytes, seconds, counts of events; lane-instructions are instructions times active lanes.
 * Errors     Status for what cannot be loaded; SimOutcome for what happened while a kernel ran.
 * Source     PTX ISA 9.0; CUDA C++ Programming Guide 13.0, Compute Capabilities.  */
#ifndef SIMGPU_GPU_SIMGPU_H
#define SIMGPU_GPU_SIMGPU_H

#include "base/status.h"
#include "simgpu/block/outcome.h"
#include "simgpu/block/request.h"
#include "simgpu/code/function.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/profile.h"
#include "simgpu/engine/translator.h"
#include "simgpu/gpu/module.h"
#include "simgpu/gpu/report.h"
#include "simgpu/memory/allocation.h"
#include "simgpu/memory/texture.h"
#include "simgpu/sanitizer/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimGpu SimGpu;

/* Reserves [base, base + span) and starts `threads` workers (0: one per core). The profile is copied. */
MUST_USE Status simgpu_new(const HardwareProfile *profile, uint64_t base, uint64_t span, int threads, SimGpu **gpu,
                           Message *why);
void simgpu_free(SimGpu *gpu);

/* ---- global memory ------------------------------------------------------------------------------------------------ */

/* `bytes` of device memory, aligned to 512 (as cudaMalloc gives: at least 256), with unmapped or unowned bytes on both
 * sides; contents are a fixed non-zero pattern. 0 where the limit is passed. */
uint64_t simgpu_alloc(SimGpu *gpu, uint64_t bytes);
/* False where `address` is not the start of a living allocation. */
bool simgpu_release(SimGpu *gpu, uint64_t address);
/* Most bytes that may be allocated at once; starts as the profile's memory. */
void simgpu_set_memory_limit(SimGpu *gpu, uint64_t bytes);
/* Messages about addresses tell what was released there, from now on. */
void simgpu_forget_released(SimGpu *gpu);
uint64_t simgpu_allocated_bytes(const SimGpu *gpu);

/* The living allocation or module variable that holds all of [address, address + bytes). */
typedef struct SimAllocation {
    uint64_t address, bytes;
    const char *name;  /* of a module variable; NULL for an allocation */
    bool kernel_wrote; /* a kernel stored into it since simgpu_clear_written() */
} SimAllocation;
bool simgpu_find(const SimGpu *gpu, uint64_t address, uint64_t bytes, SimAllocation *found);
void simgpu_clear_written(SimGpu *gpu, uint64_t address);
/* What an allocation is called in messages, and the size of its elements: "output[12]" instead of "offset 48 of an
 * allocation of 4000 bytes". At most 31 characters are kept. */
void simgpu_name(SimGpu *gpu, uint64_t address, const char *name, uint32_t element_bytes);
/* The host has given [address, address + bytes) of one allocation contents, or has taken them back. What a kernel
 * writes is known by itself, and module variables have contents from the start. Only SIM_SANITIZE_UNINITIALISED asks. */
void simgpu_mark_written(SimGpu *gpu, uint64_t address, uint64_t bytes);
void simgpu_mark_unwritten(SimGpu *gpu, uint64_t address, uint64_t bytes);

/* What fresh memory holds in every byte from now on: new allocations, and shared and local memory when a block begins;
 * in living allocations so does what nothing has written, and so does what a shuffle gives of a lane that takes no part.
 * A kernel whose results change with it has used such bytes. */
void simgpu_set_uninitialised_byte(SimGpu *gpu, uint8_t byte);

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* What a kernel gets as its texture object; 0 where there can be no such texture, or its memory is not in one living
 * allocation. The memory may be released before the texture: reads through it are faults then. */
uint64_t simgpu_texture_new(SimGpu *gpu, const SimTexture *description);
/* False where there is no such texture. */
bool simgpu_texture_free(SimGpu *gpu, uint64_t handle);

/* ---- launches ----------------------------------------------------------------------------------------------------- */

/* Runs the whole grid. Stores of blocks that ran before a fault stay. */
void simgpu_launch(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

/* From now on kernels become machine code of the host: `compiler` is a gcc of this machine, `folder` that of the compile
 * cache (base/compile_cache.h). NULL: kernels are interpreted, as in the beginning. The results and the counters are the
 * same. False: this build has no translator (make JIT=), and kernels are interpreted. */
bool simgpu_set_translator(SimGpu *gpu, const char *compiler, const char *folder, SimTranslate when);

/* Ends a running launch from another thread or a signal handler, within milliseconds. */
void simgpu_cancel(SimGpu *gpu);

/* What device-side printf wrote since the last call, at most 64 KiB between calls (the rest is counted, not kept). */
size_t simgpu_take_output(SimGpu *gpu, char *buffer, size_t size, uint64_t *lost_bytes);

/* Most active blocks of a function on one multiprocessor (0: it does not fit). */
uint32_t simgpu_occupancy(const SimGpu *gpu, const SimFunction *function, uint32_t block_threads,
                          uint32_t dynamic_shared_bytes);

/* Modelled time of a copy or fill of `bytes` within the device, or across the bus. */
double simgpu_copy_seconds(const SimGpu *gpu, uint64_t bytes, bool across_bus);

const HardwareProfile *simgpu_profile(const SimGpu *gpu);

#endif
