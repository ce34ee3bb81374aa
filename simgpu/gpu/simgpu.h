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
#include "simgpu/cost/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimGpu SimGpu;
typedef struct SimModule SimModule;
typedef struct SimFunction SimFunction;

enum { SIM_WARP_SIZE = 32, SIM_MAX_NAME = 256 };

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
enum { SIM_UNINITIALISED_BYTE = 0xCD }; /* at first */
void simgpu_set_uninitialised_byte(SimGpu *gpu, uint8_t byte);

/* ---- textures ---------------------------------------------------------------------------------------------------- */

typedef enum SimTexelType {
    SIM_TEXEL_U8,
    SIM_TEXEL_U16,
    SIM_TEXEL_U32,
    SIM_TEXEL_S8,
    SIM_TEXEL_S16,
    SIM_TEXEL_S32,
    SIM_TEXEL_F16,
    SIM_TEXEL_F32,
    SIM_TEXEL_TYPES
} SimTexelType;
typedef enum SimAddressMode {
    SIM_ADDRESS_WRAP,
    SIM_ADDRESS_CLAMP,
    SIM_ADDRESS_MIRROR,
    SIM_ADDRESS_BORDER,
    SIM_ADDRESS_MODES
} SimAddressMode;
typedef enum SimTextureLayout {
    SIM_TEXTURE_LINEAR, /* plain memory, which whole numbers alone index: tex1Dfetch() */
    SIM_TEXTURE_PITCH,  /* rows in memory: two dimensions */
    SIM_TEXTURE_ARRAY   /* a CUDA array of one to three dimensions: here rows in memory as well, on hardware small
                         * tiles, which is how its sectors are counted */
} SimTextureLayout;

/* What a texture object reads, and how. */
typedef struct SimTexture {
    SimTextureLayout layout;
    uint64_t address; /* multiple of 512 */
    SimTexelType type;
    uint32_t channels;              /* 1, 2 or 4 */
    uint32_t dimensions;            /* 1 to 3; LINEAR: 1, PITCH: 2 */
    uint32_t extent[3];             /* texels; 1 beyond the dimensions */
    uint64_t pitch, slice_bytes;    /* bytes from row to row, from slice to slice */
    SimAddressMode address_mode[3]; /* WRAP and MIRROR are CLAMP where coordinates are not normalized */
    bool filters;                   /* linearly; else the nearest texel is taken */
    bool as_integer;                /* 8 and 16 bits are not mapped to [0, 1] or [-1, 1] */
    bool normalized;                /* coordinates are fractions of the extents */
    float border[4];                /* for integers: their bits */
} SimTexture;

/* What a kernel gets as its texture object; 0 where there can be no such texture, or its memory is not in one living
 * allocation. The memory may be released before the texture: reads through it are faults then. */
uint64_t simgpu_texture_new(SimGpu *gpu, const SimTexture *description);
/* False where there is no such texture. */
bool simgpu_texture_free(SimGpu *gpu, uint64_t handle);

/* ---- modules ------------------------------------------------------------------------------------------------------ */

/* Loads a fatbin (its PTX must be stored plain: nvcc --no-compress) or PTX text. Names of source files and lines come
 * from .file and .loc. A kernel with an instruction that is not implemented still loads; launching it is refused by
 * name and line. Module variables (.global and .const) are placed and initialised here. */
MUST_USE Status simgpu_module_load(SimGpu *gpu, const void *image, size_t bytes, SimModule **module, Message *why);
void simgpu_module_unload(SimGpu *gpu, SimModule *module);

/* By mangled name; NULL where there is none. */
SimFunction *simgpu_function(SimModule *module, const char *name);
/* A .global or .const variable by name. Both lie in [base, base + span), and simgpu_find() knows them, so that a host copy
 * to a symbol is a plain copy to this address. */
bool simgpu_variable(SimModule *module, const char *name, uint64_t *address, uint64_t *bytes);
/* The .const variables one by one, numbered from 0 in any order; false where there are no more. */
bool simgpu_constant(const SimModule *module, uint32_t number, uint64_t *address, uint64_t *bytes);

typedef struct SimFunctionInfo {
    char name[SIM_MAX_NAME];
    uint32_t parameter_count;
    uint32_t parameter_bytes;          /* size of the whole parameter block */
    const uint32_t *parameter_offsets; /* [parameter_count] */
    const uint32_t *parameter_sizes;   /* [parameter_count] */
    uint32_t registers;                /* 32-bit registers a thread, from the cubin beside the PTX, else estimated */
    uint32_t static_shared_bytes;
    uint32_t local_bytes;           /* a thread's .local memory */
    uint32_t constant_bytes;        /* of the module */
    bool uniform_constant_loads;    /* as cubin_loads_constants_uniformly() says; false where there is no cubin */
    uint32_t max_threads_per_block; /* .maxntid, else the profile's limit */
} SimFunctionInfo;
void simgpu_function_info(const SimFunction *function, SimFunctionInfo *info);
/* Raises the dynamic shared memory limit of a function, as cudaFuncSetAttribute does; false beyond the opt-in limit. */
bool simgpu_function_set_dynamic_shared(SimFunction *function, uint32_t bytes);

/* ---- launches ----------------------------------------------------------------------------------------------------- */

/* What a launch may be watched for, besides what is always checked. It takes time and memory, and changes nothing else.
 * Of a large grid some blocks are looked at in detail (watch.h); what several blocks write is always seen. */
typedef enum SimLaunchFlags {
    SIM_SANITIZE_RACES = 1,         /* SIM_RACE_*, SIM_BAD_SHUFFLE, SIM_MIXED_BARRIERS */
    SIM_SANITIZE_UNINITIALISED = 2, /* SIM_UNINITIALISED */
    SIM_COUNT_LINES = 4             /* counts by source line */
} SimLaunchFlags;

typedef struct SimLaunch {
    SimFunction *function;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters;                  /* parameter_bytes of them, laid out as in PTX */
    uint64_t warp_instructions;              /* budget of the launch: more is SIM_TIME_LIMIT; 0: none */
    uint64_t watched_source, watched_target; /* allocations: the report says whether the kernel loaded from the one
                                              * and stored into the other; 0: none */
    uint32_t watch;                          /* bits of SimLaunchFlags */
    bool is_untimed; /* nobody asks how long it takes, which saves finding out: of the counters only those
                                  * of instructions are counted, and modelled_s is what launching alone takes. Ignored
                                  * with SIM_COUNT_LINES */
} SimLaunch;

typedef enum SimOutcome {
    SIM_OK = 0,
    SIM_BAD_LAUNCH,    /* grid, block or shared memory beyond the device's limits: nothing ran */
    SIM_UNSUPPORTED,   /* the kernel holds an instruction that is not implemented: nothing ran */
    SIM_OUT_OF_BOUNDS, /* an access outside every allocation, the block's shared, or the thread's local memory */
    SIM_MISALIGNED,
    SIM_BAD_BARRIER,   /* bar.sync that only a part of a warp, or not all of the block, reaches; threads that have
                         * exited are not waited for, as on hardware */
    SIM_TRAP,          /* trap, or a failed device assert */
    SIM_TIME_LIMIT,    /* the budget of warp-instructions is spent */
    SIM_CANCELLED,     /* simgpu_cancel() */
    SIM_ENGINES_DIFFER /* SIM_TRANSLATE_COMPARED: a mistake in this library, which fault.text describes */
} SimOutcome;

typedef enum SimSpace { SIM_GLOBAL, SIM_SHARED, SIM_LOCAL, SIM_CONSTANT, SIM_PARAMETER } SimSpace;

typedef struct SimFault {
    uint32_t block[3], thread[3];
    SimSpace space;
    bool is_store;
    uint64_t address; /* generic; for shared and local: the offset in the window */
    uint32_t bytes;
    char file[256]; /* source file and line, from -lineinfo; line 0: unknown */
    int line;
    uint64_t lanes; /* how many lanes faulted in the block that met the fault first */
    char text[400]; /* one sentence: what, where, and beside which allocation */
} SimFault;

/* What a watched kernel did that is undefined in CUDA, though here it went some way. In a race two threads use the same
 * bytes with nothing that orders them, and at least one of them changes what is there: storing the value that is there
 * already is none, and neither are atomic operations among themselves. */
typedef enum SimFindingKind {
    SIM_RACE_OF_BLOCKS,   /* global memory, two blocks of the launch */
    SIM_RACE_OF_WARPS,    /* two warps of a block between its barriers */
    SIM_RACE_OF_LANES,    /* lanes that store different values with one instruction */
    SIM_RACE_WITH_COPY,   /* shared memory that a cp.async copies into: its thread has not waited for it or, where
                              * another one looks, there was no barrier after that */
    SIM_OUTSIDE_VARIABLE, /* from one shared variable into the next: within shared memory all the same */
    SIM_RACE_IN_WARP,     /* lanes of one warp without __syncwarp(): right as long as the warp stays together, which
                              * no hardware since Volta promises */
    SIM_UNINITIALISED,    /* a read of bytes that nothing has written */
    SIM_BAD_SHUFFLE,      /* the value of a lane that takes no part, which is undefined */
    SIM_MIXED_BARRIERS,   /* threads of a block wait for each other at different __syncthreads(): hardware, which only
                              * counts who comes, lets them pass; CUDA leaves it undefined */
    SIM_FINDING_KINDS
} SimFindingKind;

enum { SIM_MAX_FINDINGS = 8 };

typedef struct SimFinding {
    SimFindingKind kind;
    SimFault where; /* of the lowest block that did it; `lanes` counts how often its source line did */
} SimFinding;

/* What Nsight Compute would count. Per launch, summed over all blocks; exact, independent of `threads`. */
typedef struct SimCounters {
    uint64_t warp_instructions;
    uint64_t lane_instructions;
    uint64_t fp32, fp64, fma32, fma64, integer, control, special; /* lane-instructions by class; fma is part of fp */
    uint64_t global_load_requests, global_load_sectors;           /* warp requests, 32-byte sectors they touch */
    uint64_t global_load_wavefronts;                              /* cycles of the L1 for those (pattern.h) */
    uint64_t global_store_requests, global_store_sectors;
    uint64_t global_load_bytes, global_store_bytes;        /* asked for by active lanes */
    uint64_t shared_load_requests, shared_load_wavefronts; /* wavefronts - requests = bank conflicts */
    uint64_t shared_store_requests, shared_store_wavefronts;
    uint64_t local_requests, local_sectors;
    uint64_t constant_requests, constant_replays; /* replays: further distinct addresses in one warp */
    uint64_t atomic_requests, atomic_lanes;
    uint64_t texture_requests, texture_sectors; /* of arrays: 16 bytes of two rows are a sector */
    uint64_t slow_path_instructions; /* of warps, which PTX does not show: of divisions, reciprocals and square roots of
                                      float32 with an operand out of the usual range, such as zero */
    uint64_t tensor;                 /* multiply-adds of matrix instructions */
    uint64_t tensor_bytes;           /* the same, each counted as often as multiply-adds of bytes take its time */
    uint64_t barriers;               /* warps arriving */
    uint64_t divergent_branches;
    uint64_t unique_load_sectors; /* an estimate of the footprint read: sectors of the allocations between the lowest
                                      and the highest address read, for the model of DRAM traffic */
    uint64_t unique_store_sectors;
    uint64_t missing_load_sectors; /* of global_load_sectors, those that the L1 does not hold: a model (reuse.h) */
} SimCounters;

/* What the instructions of one source line did. Those that a compiler moved or shared between lines count where the
 * compiler says. An ideal is what the same requests would take at least, were the bytes they ask for side by side. */
typedef struct SimLine {
    const char *file; /* NULL: not known; the module's */
    int line;
    uint64_t executions; /* by warps, of that of its instructions which was executed most often */
    uint64_t divisions;  /* lane-instructions: integer divisions and remainders */
    uint64_t ideal_load_sectors, ideal_store_sectors; /* of global memory */
    uint64_t ideal_shared_wavefronts;                 /* of loads and stores */
    SimCounters counters;                             /* without the footprint, which has no line */
} SimLine;

void simgpu_counters_add(SimCounters *sum, const SimCounters *part);
/* Of the same line in another launch. */
void simgpu_line_add(SimLine *sum, const SimLine *part);

typedef struct SimWarpPath { /* of the warp that did most: the longest way through one block of threads */
    uint64_t instructions, loads, shared_loads, constant_loads;
} SimWarpPath;

/* What ptxas made of the PTX that ran, as multiples of what was counted; all 0 where the machine code is not known. */
typedef struct SimMachine {
    double issue;             /* instructions, of warp_instructions */
    double fma;               /* float32 operations, of fp32 */
    double alu, multiply;     /* integer operations; those on the float32 pipe's half that multiplies: of integer */
    double special;           /* of special */
    double shared;            /* loads from shared memory, of shared_load_requests: ptxas merges neighbours */
    double constant, uniform; /* loads of constants (LDC; ULDC), of constant_requests */
    double direct;            /* instructions with a constant of an array as an operand, of warp_instructions */
    uint32_t direct_bytes;    /* of such operands */
    double waiting;           /* from start to end of a warp, of what PTX alone would lead to expect */
} SimMachine;

typedef struct SimReport {
    SimOutcome outcome;
    SimFault fault; /* where outcome is a fault, SIM_BAD_LAUNCH or SIM_UNSUPPORTED (text only) */
    SimCounters counters;
    SimWarpPath longest;
    SimMachine machine;
    const SimLine *lines; /* [line_count] by file and line; the GPU's, until its next launch. NULL: not watched */
    size_t line_count;
    double modelled_s;      /* 0 where the kernel did not end */
    double occupancy;       /* resident warps over the most a multiprocessor holds, 0 to 1 */
    const char *limiter;    /* what the model says bounds the time: "dram", "l2", "lsu", "fma", "issue", "latency" */
    char watched_load[400]; /* "kernel blur (blur.cu:31)": the first instruction that loaded from the watched source,
                            * in the order of the code; empty: none did */
    bool watched_store;     /* the watched target was stored into */
    SimFinding findings[SIM_MAX_FINDINGS]; /* where outcome is SIM_OK: by kind, then in the order of the code; the same
                            * whatever `threads` is */
    uint32_t finding_count;
    uint32_t findings_more; /* found, and not listed */
} SimReport;

/* Runs the whole grid. Stores of blocks that ran before a fault stay. */
void simgpu_launch(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

typedef enum SimTranslate {
    SIM_TRANSLATE_WHERE_IT_PAYS,
    SIM_TRANSLATE_ALWAYS,  /* each kernel, before it begins; for tests */
    SIM_TRANSLATE_COMPARED /* besides, each launch is interpreted first, from the same memory, and must come out the
                             * same to the last bit: else SIM_ENGINES_DIFFER */
} SimTranslate;

/* From now on kernels become machine code of the host: `compiler` is a gcc of this machine, `folder` one for libraries,
 * which exists and in which nobody writes who is not trusted. NULL: kernels are interpreted, as in the beginning. The
 * results and the counters are the same. */
void simgpu_set_translator(SimGpu *gpu, const char *compiler, const char *folder, SimTranslate when);

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
