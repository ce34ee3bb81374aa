/* simgpu.h - a simulated CUDA GPU: runs the PTX of kernels on the host's cores, checks every access, counts what a
 * hardware profiler would count, and models the time.
 *
 * The library is about kernels, memory and hardware, and knows nothing about judging. Its user keeps track of streams,
 * events and the rest of the CUDA runtime: simgpu_launch() runs one grid to its end.
 *
 * Addresses  A global address is the address of the byte in this process. All device memory lies in one reserved range
 *            [base, base + span), so that an address tells whether it is of the device. Shared, local and parameter
 *            memory have windows of their own below 2^34 in the generic address space.
 * Threads    One thread at a time may use a SimGpu. A launch spreads its blocks over several threads by itself.
 * Units      Bytes, seconds, counts of events. Lane-instructions are instructions times active lanes.
 * Errors     Status for what cannot be loaded, SimOutcome for what happened while a kernel ran.
 * Source     PTX ISA 9.0; CUDA C++ Programming Guide 13.0, Compute Capabilities.  */
#ifndef SIMGPU_GPU_SIMGPU_H
#define SIMGPU_GPU_SIMGPU_H

#include "base/status.h"
#include "simgpu/block/outcome.h"
#include "simgpu/block/request.h"
#include "simgpu/code/function.h"
#include "simgpu/code/tensor_map.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/engine/translator.h"
#include "simgpu/gpu/module.h"
#include "simgpu/gpu/report.h"
#include "simgpu/memory/allocation.h"
#include "simgpu/memory/footprint.h"
#include "simgpu/memory/texture.h"
#include "simgpu/sanitizer/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimGpu SimGpu;

/* Reserves [base, base + span) and starts threads for launches, `threads` with the caller (0: one per core). Copies the
 * profile. */
MUST_USE Status simgpu_new(const HardwareProfile *profile, uint64_t base, uint64_t span, int threads, SimGpu **gpu,
                           Message *why);
void simgpu_free(SimGpu *gpu);

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Allocates device memory, with bytes on both sides that belong to no allocation. The address is a multiple of 512, as
 * cudaMalloc() gives it, at least 256. Returns 0 where the limit would be passed. */
uint64_t simgpu_alloc(SimGpu *gpu, uint64_t bytes);
/* The same where an earlier allocation lay; false where that place is not free. */
bool simgpu_alloc_at(SimGpu *gpu, uint64_t address, uint64_t bytes);
/* Frees an allocation; false where none starts at `address`. */
bool simgpu_release(SimGpu *gpu, uint64_t address);
/* Limits the bytes that may be allocated at the same time; at first the limit is the profile's memory. */
void simgpu_set_memory_limit(SimGpu *gpu, uint64_t bytes);
/* Messages no longer say that an address belongs to memory which was freed before this call. */
void simgpu_forget_released(SimGpu *gpu);
uint64_t simgpu_allocated_bytes(const SimGpu *gpu);

/* An allocation or module variable. */
typedef struct SimAllocation {
    uint64_t address, bytes;
    const char *name;  /* of a module variable; NULL for an allocation */
    bool kernel_wrote; /* a kernel stored into it since simgpu_clear_written() */
} SimAllocation;
/* Finds the one that holds all of [address, address + bytes); false where there is none. */
bool simgpu_find(const SimGpu *gpu, uint64_t address, uint64_t bytes, SimAllocation *found);
void simgpu_clear_written(SimGpu *gpu, uint64_t address);
/* Names an allocation for messages, and gives the size of its elements: "output[12]" instead of "offset 48 of an
 * allocation of 4000 bytes". Keeps at most 31 characters. */
void simgpu_name(SimGpu *gpu, uint64_t address, const char *name, uint32_t element_bytes);
/* Tells SIM_SANITIZE_UNINITIALISED that the host has written [address, address + bytes) of one allocation, or that
 * these bytes count as unwritten again. What kernels write is noticed by itself, and module variables count as
 * written. */
void simgpu_mark_written(SimGpu *gpu, uint64_t address, uint64_t bytes);
void simgpu_mark_unwritten(SimGpu *gpu, uint64_t address, uint64_t bytes);
/* From now on [address, address + bytes), which lies in one allocation, is like new memory. */
void simgpu_renew(SimGpu *gpu, uint64_t address, uint64_t bytes);

/* Which bytes of device memory come from the host, and not from a kernel's store (simgpu/memory/origin.h). The first
 * three must be called before the bytes change; each range lies in one allocation or variable. Stores of kernels are
 * noticed by themselves. */
void simgpu_host_writes(SimGpu *gpu, uint64_t address, const void *from, uint64_t bytes);
void simgpu_host_fills(SimGpu *gpu, uint64_t address, uint8_t value, uint64_t bytes);
void simgpu_copies(SimGpu *gpu, uint64_t to, uint64_t from, uint64_t bytes);
/* From now on, what is there counts as nobody's. */
void simgpu_forget_origin(SimGpu *gpu, uint64_t address, uint64_t bytes);
bool simgpu_comes_from_host(const SimGpu *gpu, uint64_t address, uint64_t bytes);

/* Sets the byte that fills uninitialised memory from now on: new allocations, the unwritten bytes of existing ones,
 * shared and local memory when a block begins, and the value that a shuffle takes from a lane which takes no part. If
 * the results of a kernel change with this byte, the kernel has used uninitialised values. Of blocks with odd numbers
 * all of this but device memory holds `odd` in its place, so that not all such values of a grid need be alike. */
void simgpu_set_uninitialised_bytes(SimGpu *gpu, uint8_t byte, uint8_t odd);

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* Creates a texture object and returns the handle that kernels get; 0 where CUDA has no such textures, or where its
 * memory does not lie in one allocation. The memory may be freed before the texture; reads through it are faults
 * then. */
uint64_t simgpu_texture_new(SimGpu *gpu, const SimTexture *description);
/* False where there is no such texture. */
bool simgpu_texture_free(SimGpu *gpu, uint64_t handle);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Whether a launch of that function and shape is possible. If not, the report says why. */
bool simgpu_accepts(const SimGpu *gpu, const SimLaunch *launch, SimReport *report);
/* Runs the whole grid. After a fault, memory keeps what the blocks have stored before. */
void simgpu_launch(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

/* Translates kernels into machine code of the host from now on, with the same results and counters. `compiler` is a gcc
 * of this machine, NULL: kernels are interpreted, as at first. `folder` is that of the compile cache
 * (base/compile_cache.h). False where this build has no translator (make JIT=); kernels are interpreted then. */
bool simgpu_set_translator(SimGpu *gpu, const char *compiler, const char *folder, SimTranslate when);
/* Whether kernels of later launches are compiled, and so leave a library in the folder. At first they are. Which kernels
 * a program launches, and with what shape of block, can depend on data that must leave no trace. */
void simgpu_set_compiles(SimGpu *gpu, bool compiles);

/* Ends a running launch from another thread or a signal handler, within milliseconds. */
void simgpu_cancel(SimGpu *gpu);

/* Takes what printf() of kernels has written since the last call. At most 64 KiB are kept; `lost_bytes` counts the
 * rest. */
size_t simgpu_take_output(SimGpu *gpu, char *buffer, size_t size, uint64_t *lost_bytes);

/* Most blocks of a function that one multiprocessor can hold at the same time; 0: not even one. */
uint32_t simgpu_occupancy(const SimGpu *gpu, const SimFunction *function, uint32_t block_threads,
                          uint32_t dynamic_shared_bytes);

/* Modelled time of copying or filling `bytes`, within the device or across the bus. */
double simgpu_copy_seconds(const SimGpu *gpu, uint64_t bytes, bool across_bus);

const HardwareProfile *simgpu_profile(const SimGpu *gpu);

#endif
