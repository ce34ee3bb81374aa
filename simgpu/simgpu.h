/* simgpu.h - a simulated CUDA GPU: runs the PTX of kernels on the host's cores, checks every access, counts what a
 * hardware profiler would count, and models the time.
 *
 * The library is about kernels, memory and hardware. Its user keeps track of streams, events and the rest of the CUDA
 * runtime: simgpu_launch() runs one grid to its end. README.md says how to begin.
 *
 * Addresses  A global address is the address of the byte in this process. All device memory lies in one reserved range
 *            [base, base + span), so that an address tells whether it is of the device. Shared, local and parameter
 *            memory have windows of their own below 2^34 in the generic address space.
 * Threads    One thread at a time may use a SimGpu. A launch spreads its blocks over several threads by itself.
 * Units      Bytes, seconds, counts of events. Lane-instructions are instructions times active lanes.
 * Errors     Status for what cannot be loaded, SimOutcome for what happened while a kernel ran.
 * Source     PTX ISA 9.0; CUDA C++ Programming Guide 13.0, Compute Capabilities.  */
#ifndef SIMGPU_SIMGPU_H
#define SIMGPU_SIMGPU_H

#include "base/status.h"
#include "simgpu/block/launch.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/code/code.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/engine/provenance.h"
#include "simgpu/engine/request.h"
#include "simgpu/memory/footprint.h"
#include "simgpu/memory/texture.h"
#include "simgpu/memory/validity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimGpu SimGpu;
typedef struct SimModule SimModule;

/* Reserves [base, base + span) and starts threads for launches, `threads` with the caller (0: one per core). Copies the
 * profile. */
MUST_USE Status simgpu_new(const HardwareProfile *profile, uint64_t base, uint64_t span, int threads, SimGpu **gpu,
                           Message *why);
void simgpu_free(SimGpu *gpu);

/* ---- modules: the kernels and variables of a fatbin or of PTX text ------------------------------------------------ */

/* Loads PTX text, or a fatbin that holds uncompressed PTX (nvcc --no-compress). Source files and lines come from .file
 * and .loc. A kernel with an instruction that is not implemented loads; its launch is refused, with the name and line
 * of the instruction. Module variables (.global and .const) are allocated and initialised. */
MUST_USE Status simgpu_module_load(SimGpu *gpu, const void *image, size_t bytes, SimModule **module, Message *why);
void simgpu_module_unload(SimGpu *gpu, SimModule *module);

/* The kernel with that mangled name; NULL where there is none. */
SimFunction *simgpu_function(SimModule *module, const char *name);
/* A .global or .const variable by name; false where there is none. Its bytes lie in device memory, and simgpu_find()
 * knows them, so that cudaMemcpyToSymbol() is a plain copy to this address. */
bool simgpu_variable(SimModule *module, const char *name, uint64_t *address, uint64_t *bytes);
/* The .const variables, numbered from 0 in any order; false where there are no more. */
bool simgpu_constant(const SimModule *module, uint32_t number, uint64_t *address, uint64_t *bytes);

void simgpu_function_info(const SimFunction *function, SimFunctionInfo *info);
/* Sets the limit of dynamic shared memory of a function, as cudaFuncSetAttribute() does; false beyond the opt-in
 * limit. */
bool simgpu_function_set_dynamic_shared(SimFunction *function, uint32_t bytes);

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Allocates device memory, with bytes on both sides that belong to no allocation. The address is a multiple of 512, as
 * cudaMalloc() gives it, at least 256. Returns 0 where the limit would be passed. */
uint64_t simgpu_alloc(SimGpu *gpu, uint64_t bytes);
/* The address that simgpu_alloc() would return, although nothing is allocated. */
uint64_t simgpu_find_room(const SimGpu *gpu, uint64_t bytes);
/* Allocates at an address within such room, for a caller that writes all of it before anything reads it; false where that
 * place is not free. */
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
    bool kernel_wrote; /* a kernel stored into it */
} SimAllocation;
/* Finds the one that holds all of [address, address + bytes); false where there is none. */
bool simgpu_find(const SimGpu *gpu, uint64_t address, uint64_t bytes, SimAllocation *found);
/* Before a call that is timed: the L2 holds nothing of what kernels have loaded and stored. */
void simgpu_empty_l2(SimGpu *gpu);
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

/* From what the values in memory are computed, from now on (simgpu/engine/provenance.h). Launches are interpreted by one
 * thread meanwhile. Lives until simgpu_trace_end(); NULL: nothing is traced. */
void simgpu_trace_begin(SimGpu *gpu);
const Provenance *simgpu_trace(const SimGpu *gpu);
/* The name of the array or variable that holds `*address`, which becomes that of its first element, and the size of an
 * element, 0: not known; false where it has no name. */
bool simgpu_array_at(const SimGpu *gpu, char *name, size_t size, uint64_t *address, uint32_t *element_bytes);
/* The source file with that number in the function's module; NULL: unknown. */
const char *simgpu_file(const SimFunction *function, int32_t number);
void simgpu_trace_end(SimGpu *gpu);

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* Creates a texture object and returns the handle that kernels get; 0 where CUDA has no such textures, or where its
 * memory does not lie in one allocation. The memory may be freed before the texture; reads through it are faults
 * then. */
uint64_t simgpu_texture_new(SimGpu *gpu, const SimTexture *description);
/* False where there is no such texture. */
bool simgpu_texture_free(SimGpu *gpu, uint64_t handle);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* What a launch loaded from one allocation, or stored into it: all of it lies between these addresses. */
typedef struct SimTouched {
    uint64_t address, bytes;
    bool is_store; /* atomic operations are stores */
} SimTouched;

typedef struct SimReport {
    SimOutcome outcome;
    SimFault fault; /* where outcome is a fault, SIM_BAD_LAUNCH, SIM_UNSUPPORTED or SIM_BAD_CODE (text only) */
    SimCounters counters;
    SimWarpPath longest;
    SimMachineRatios machine;
    BlockShares block_shares;
    const SimLine *lines; /* [line_count] by file and line, valid until the GPU's next launch; NULL without
                           * SIM_COUNT_LINES */
    size_t line_count;
    double modelled_s;      /* 0 where the kernel did not run to its end */
    double occupancy;       /* resident warps, as a fraction of the most that a multiprocessor holds */
    const char *limiter;    /* the unit that limits the speed by the model: Cost.limiter */
    char watched_load[400]; /* "kernel blur (blur.cu:31)": of the instructions that loaded from the watched source, the
                             * first in the code; empty: none did */
    const char *watched_file; /* the source file and line of it, valid as long as the module; NULL: unknown */
    int watched_line;
    const SimTouched *touched; /* [touched_count], valid until the GPU's next launch */
    size_t touched_count;
    double
        sampled_share; /* of the grid's blocks, those that ran: 1, or less with SimLaunch.sample_lane_instructions. The
                           * counters are those of the whole grid, then estimated */
    double
        drawn_share; /* of what the grid stores, what blocks do that ran because they were drawn; 0: there was no sample */
    uint64_t certain_bytes; /* of SimLaunch.marked, that blocks stored which run in any sample: a kernel can foresee
                             * which these are */
    double sample_error; /* half the width of the 95 % interval of what they are estimated from, relative; 0: exact */
    bool watched_store;  /* the watched target was stored into */
    SimFinding findings[SIM_MAX_FINDINGS]; /* where outcome is SIM_OK: by kind, then in the order of the code; the
                                             * number of host threads makes no difference */
    uint32_t finding_count;
    uint32_t findings_more; /* findings beyond those that are listed */
} SimReport;

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
/* Whether a kernel is being compiled. Unloading its module waits for that, so that the next run finds the library. */
bool simgpu_is_compiling(const SimGpu *gpu);

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
