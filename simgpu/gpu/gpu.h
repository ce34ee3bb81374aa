/* gpu.h - the state of a simulated GPU, of its modules and of their kernels.  */
#ifndef SIMGPU_GPU_GPU_H
#define SIMGPU_GPU_GPU_H

#include "simgpu/cost/launch_limits.h"
#include "simgpu/block/request.h"
#include "simgpu/code/code.h"
#include "simgpu/code/function.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/machine_code.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/engine/output.h"
#include "simgpu/engine/translator.h"
#include "simgpu/gpu/pool.h"
#include "simgpu/simgpu.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/texture.h"

#include <stdatomic.h>

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
    uint64_t workspace;   /* of cooperative launches, in device memory; 0: there was none yet */
    uint64_t heap_blocks; /* blocks of threads that may have used the heap */
    int variable_count;   /* of all modules, in device memory */
    SimLine *lines;       /* of the last launch with SIM_COUNT_LINES; NULL: it had not that flag */
    SimTouched *touched;  /* SimReport.touched of the last launch */
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

#endif
