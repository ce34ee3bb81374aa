/* gpu.h - the state of a simulated GPU, of its modules and of their kernels.  */
#ifndef SIMGPU_GPU_H
#define SIMGPU_GPU_H

#include "simgpu/block/launch.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/machine_code.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/engine/provenance.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/texture.h"
#include "simgpu/simgpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ==== pool ======================================================================================================== */

/* The threads of the host that run the blocks of a launch. */

/* Threads that wait for work. The caller works as well, beside these threads. */
typedef struct Pool {
    pthread_t *threads;
    int count; /* of threads, without the caller */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    void (*work)(void *context); /* each thread that takes part calls it once */
    void *context;
    int asked, running; /* threads that should still begin; threads that have not ended */
    bool is_closing;
} Pool;

void pool_start(Pool *pool, int threads);
void pool_stop(Pool *pool);
/* Runs `work` in the caller and in up to `helpers` threads, and returns when all that have begun have ended. A thread
 * that wakes up after the caller has finished does not begin. */
void pool_run(Pool *pool, int helpers, void (*work)(void *context), void *context);

/* ==== gpu ========================================================================================================= */

typedef struct SimGpu SimGpu;
typedef struct SimModule SimModule;

struct SimGpu {
    HardwareProfile profile;
    Memory memory;
    TextureTable textures;
    Output output;
    Pool pool;
    const Translator *translator; /* NULL: this library was built without one */
    TranslatorSettings translator_settings;
    _Atomic int cancelled;
    uint64_t workspace;     /* of cooperative launches, in device memory; 0: there was none yet */
    uint64_t heap_blocks;   /* blocks of threads that may have used the heap */
    int variable_count;     /* of all modules, in device memory */
    SimLine *lines;         /* of the last launch with SIM_COUNT_LINES; NULL: it had not that flag */
    SimTouched *touched;    /* SimReport.touched of the last launch */
    Provenance *provenance; /* NULL: nothing is traced */
};

struct SimFunction {
    SimFunction *next;
    SimModule *module;
    const PtxFunction *ptx;
    char plain_name[128]; /* as the programmer wrote it, for messages */
    Code code;
    TranslationJob *jobs;
    MachineProgram machine; /* only where machine_known */
    bool machine_known;
    Status lowered;  /* STATUS_OK, or what lower_kernel() says, with the reason in `refusal` */
    Message refusal; /* why it is not supported */
    SimFunctionInfo info;
    uint32_t dynamic_shared_limit;
};

/* What a launch of the function needs. */
LaunchNeeds function_needs(const SimFunction *function);

struct SimModule {
    SimGpu *gpu;
    PtxModule ptx;
    SimFunction *functions; /* those that simgpu_function() has returned so far */
    void *cubin;            /* a copy of the machine code; NULL: there is none */
    size_t cubin_bytes;
    uint64_t constant_bytes;
};

/* ==== cooperative ================================================================================================= */

/* What a cooperative launch needs: room for all its blocks at once, and a workspace for grid.sync(). */

/* Makes the workspace, unless there is one. Does nothing for all other launches. */
void cooperative_reserve(SimGpu *gpu, const SimLaunch *launch);
/* False: the launch does not fit, and the report says why. True for all other launches. */
bool cooperative_check(SimGpu *gpu, const SimLaunch *launch, SimReport *report);
/* The address of the workspace, which is cleared; 0 for all other launches. */
uint64_t cooperative_workspace(const SimGpu *gpu, const SimLaunch *launch);

#endif
