/* gpu.h - the inside of a simulated GPU; shared by gpu.c, module.c, launch.c and compare.c.  */
#ifndef SIMGPU_GPU_GPU_H
#define SIMGPU_GPU_GPU_H

#include "simgpu/code/code.h"
#include "simgpu/cost/machine_code.h"
#include "simgpu/memory/memory.h"
#include "simgpu/engine/output.h"
#include "simgpu/cost/profile.h"
#include "simgpu/gpu/simgpu.h"
#include "simgpu/memory/texture.h"
#include "simgpu/engine/translator.h"

#include <pthread.h>
#include <stdatomic.h>

/* Threads that wait for work. The one that calls is worker 0 and needs no thread. */
typedef struct Pool {
    pthread_t *threads;
    int count; /* of threads, the caller not included */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    void (*work)(void *context); /* run once by every thread that is asked */
    void *context;
    int asked, running; /* threads that shall still begin, that have not ended yet */
    bool is_closing;
} Pool;

struct SimGpu {
    HardwareProfile profile;
    Memory memory;
    TextureTable textures;
    Output output;
    Pool pool;
    const Translator *translator; /* NULL: this library was built without one */
    TranslatorSettings translator_settings;
    _Atomic int cancelled;
    SimLine *lines; /* of the last launch that was watched; NULL: there was none */
};

struct SimFunction {
    SimFunction *next;
    SimModule *module;
    const PtxFunction *ptx;
    char plain_name[128]; /* for messages */
    Code code;
    TranslationJob *jobs;
    MachineProgram machine; /* where machine_known */
    bool machine_known;
    bool is_supported;
    Message refusal; /* why it is not */
    SimFunctionInfo info;
    bool registers_known; /* from the cubin, not estimated */
    uint32_t dynamic_shared_limit;
};

struct SimModule {
    SimGpu *gpu;
    PtxModule ptx;
    SimFunction *functions; /* those asked for so far */
    void *cubin;            /* a copy, for the numbers of registers; NULL: none */
    size_t cubin_bytes;
    uint64_t constant_bytes;
};

/* ---- launch.c ---------------------------------------------------------------------------------------------------- */
typedef struct LaunchHow {
    bool interprets; /* by no translation, whether or not there is a translator */
    int helpers;     /* threads beside the caller's, at most */
} LaunchHow;
void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report);

/* ---- compare.c ---- */
void launch_compared(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

/* ---- pool.c ---- */
void pool_start(Pool *pool, int threads);
void pool_stop(Pool *pool);
/* Runs `work` on the caller and on up to `helpers` threads, and returns when all that began have ended. Where the
 * caller has finished it before a thread woke up, that thread sleeps on. */
void pool_run(Pool *pool, int helpers, void (*work)(void *context), void *context);

#endif
