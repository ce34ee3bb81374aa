/* function.h - what is known about a kernel before it runs.  */
#ifndef SIMGPU_CODE_FUNCTION_H
#define SIMGPU_CODE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_MAX_NAME = 256 };

typedef struct SimFunctionInfo {
    char name[SIM_MAX_NAME];
    uint32_t parameter_count;
    uint32_t parameter_bytes;          /* of all parameters, with the gaps between them */
    const uint32_t *parameter_offsets; /* [parameter_count] */
    const uint32_t *parameter_sizes;   /* [parameter_count] */
    uint32_t registers;                /* 32-bit registers per thread */
    uint32_t
        live_registers; /* of PTX, values that a thread needs at the same time, in words: with fewer registers, it spills */
    bool registers_estimated; /* there is no cubin beside the PTX that says it; an estimate refuses no launch */
    uint32_t static_shared_bytes;
    uint32_t local_bytes;           /* .local memory per thread */
    uint32_t frame_bytes;           /* the same with spilled registers, from the cubin beside the PTX */
    uint32_t constant_bytes;        /* of the constant arrays that the kernel may read */
    bool has_unknown_code;          /* there is machine code, but no line table that relates it to the PTX */
    bool uniform_constant_loads;    /* as cubin_loads_constants_uniformly() says; false where there is no cubin */
    uint32_t max_threads_per_block; /* .maxntid, else the profile's limit */
    uint32_t cluster[3];            /* __cluster_dims__, in blocks; 0: none */
} SimFunctionInfo;

#endif
