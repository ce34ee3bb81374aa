/* launch.h - launches of kernels.  */
#ifndef HARNESS_RUNTIME_LAUNCH_H
#define HARNESS_RUNTIME_LAUNCH_H

#include "harness/runtime/box.h"
#include "harness/runtime/registration.h"

/* ==== work ======================================================================================================== */

/* A piece of work on a stream with all its arguments, as a node of a graph keeps it.
 *
 * A call such as cudaMemcpyAsync() describes what it is asked for as Work. If its stream is being captured (capture.h),
 * the work becomes a node of a graph; else it is done at once.
 *
 * Owns     work in a node (graph.h) owns its copies of the parameters and of the child graph. Elsewhere the pointers
 *          belong to the caller. */

typedef struct Configuration { /* of a launch */
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    unsigned cluster[3]; /* blocks of a cluster; 0: as the kernel says, or none */
    bool cooperative, programmatic;
    uint32_t place; /* of <<<...>>> (client.h); 0: of the call that launches */
} Configuration;

typedef struct KernelWork {
    Function *function;
    Configuration how;
    uint8_t *parameters; /* [parameter_bytes], each at its offset */
    void **arguments;    /* in a node: [parameter_count], each points to its parameter; else NULL */
} KernelWork;

typedef struct CopyWork {
    CopyPlace to, from;
    Box box;
    enum cudaMemcpyKind kind;
    bool is_linear; /* one run of bytes between two pointers */
} CopyWork;

typedef struct StreamWork {
    enum cudaGraphNodeType type;
    uint32_t place; /* in a node: where it was described (client.h) */
    union {
        KernelWork kernel;
        CopyWork copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event;
        cudaGraph_t child;
        uint64_t memory; /* its address (wait.h), which the node allocates or frees */
    };
} StreamWork;

/* A run of bytes. */
StreamWork work_copy_of_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
StreamWork work_fill_of_bytes(void *to, int value, size_t bytes);

/* ==== launch ====================================================================================================== */

enum { MAX_PARAMETER_BYTES = 32764 /* CUDA C++ Programming Guide, "__global__ Function Parameters" */ };

/* Finds the kernel, and packs its arguments into `parameters`, which has MAX_PARAMETER_BYTES. */
cudaError_t kernel_pack(KernelWork *work, const void *kernel, void **arguments, uint8_t *parameters);
/* Launches at once, whatever is being captured. Without `wait`, an error comes with a later call. */
cudaError_t kernel_launch(const KernelWork *work, cudaStream_t stream, bool wait);

#endif
