/* raw_finding.h - what the sanitizer has found at one instruction, before it is put into words.  */
#ifndef SIMGPU_BLOCK_RAW_FINDING_H
#define SIMGPU_BLOCK_RAW_FINDING_H

#include "simgpu/block/launch.h"
#include "simgpu/block/worker.h"

/* ==== finding ===================================================================================================== */

/* Undefined behaviour that the sanitizer has found in a kernel. */

/* Undefined behaviour in CUDA for which the simulated GPU still gives some result. In a race, two threads access the
 * same bytes, nothing orders the two accesses, and at least one of them changes the bytes. Storing the value that is
 * there already is no race, and atomic operations do not race with each other. */
typedef enum SimFindingKind {
    SIM_RACE_OF_BLOCKS,  /* in global memory, between two blocks of the launch */
    SIM_NO_FENCE,        /* a block stores what another one reads after waiting for it, but with no __threadfence()
                           * between the store and what tells of it, or tells of it before it has stored */
    SIM_STALE_LOAD,      /* a load through the read-only cache (ld.global.nc) of memory that the launch stores into */
    SIM_RACE_OF_WARPS,   /* between two warps of a block, with no barrier in between */
    SIM_RACE_OF_LANES,   /* lanes that store different values with one instruction */
    SIM_RACE_WITH_COPY,  /* shared memory that a cp.async copies into is used before the thread has waited for the
                           * copy, or by another thread before a barrier after that wait. Or memory that a bulk copy
                           * fills is used before its mbarrier, or changed while a bulk copy reads it */
    SIM_UNEXPECTED_COPY, /* the phase of an mbarrier ends before a bulk copy that arrives at it, whose bytes nothing has
                           * expected */
    SIM_RACE_WITH_PRODUCT, /* shared memory that a wgmma reads is changed before its warpgroup has waited for it */
    SIM_UNWAITED_PRODUCT,  /* sums of a wgmma are used before its warpgroup has waited for it */
    SIM_UNFENCED_PRODUCT,  /* a wgmma uses registers that its threads have written, with no wgmma.fence in between */
    SIM_NO_PROXY_FENCE,    /* a bulk copy or a wgmma reads memory that a thread has stored to, or a bulk copy overwrites
                            * it, with no fence.proxy.async in between */
    SIM_RACE_IN_CLUSTER,   /* two blocks of a cluster use the shared memory of one of them, or the same global memory,
                            * with no barrier of the cluster in between; or the owner of shared memory may end before
                            * the other one uses it */
    SIM_OUTSIDE_VARIABLE,  /* an index leads from one shared variable into another; still within shared memory */
    SIM_RACE_IN_WARP,      /* between lanes of one warp, with no __syncthreads() or __syncwarp() in between */
    SIM_ORDER_IN_WARP,  /* the same of strong accesses, which do not race. It works while the warp stays together, which
                           * hardware since Volta does not promise */
    SIM_UNINITIALISED,  /* a read of bytes that nothing has written */
    SIM_UNSET_VARIABLE, /* a variable in a register is used before it is set, and what comes of it is stored, is an
                           * address or a condition, or goes to other threads */
    SIM_BAD_SHUFFLE,    /* a shuffle reads the value of a lane that does not take part in it */
    SIM_MIXED_BARRIERS, /* threads of a block wait for each other at different __syncthreads(). Hardware only counts
                           * the arrivals and lets them pass; CUDA leaves it undefined */
    SIM_EARLY_EXIT,     /* threads of a block exit before a __syncthreads() that others reach. Hardware since Volta does
                           * not wait for them */
    SIM_FINDING_KINDS
} SimFindingKind;

enum { SIM_MAX_FINDINGS = 8 };

typedef struct SimFinding {
    SimFindingKind kind;
    SimFault where; /* in the lowest block that did it; `lanes`: how often the source line did it in all */
} SimFinding;

/* ==== raw finding ================================================================================================= */

/* One kind of finding at one instruction. All but `count` is of the lowest block, and of what it did there first. */
typedef struct RawFinding {
    uint64_t count; /* how often; 0: never */
    uint64_t block;
    uint32_t lane; /* of the block */
    bool is_store, is_atomic, other_stored;
    bool is_bulk;       /* the other is a bulk copy or a wgmma */
    bool owner_may_end; /* the block to whose shared memory the access leads may end before it */
    uint8_t owner;      /* 1 + the rank in its cluster of the block whose shared memory it is; 0: of the block itself */
    uint8_t space;      /* SimSpace */
    uint8_t bytes;
    uint64_t address;               /* as in SimFault */
    const WindowVariable *variable; /* that is indexed; NULL: not known */
    uint64_t other;                 /* the other block, its rank in the cluster, thread of the block, or lane of the
                                     * warp */
} RawFinding;

/* [memory_count][SIM_FINDING_KINDS], to be freed with free(). */
RawFinding *raw_findings_new(const Code *code);
/* Adds one to those of the instruction with that index. */
void raw_finding_add(RawFinding *found, int32_t index, SimFindingKind kind, const RawFinding *one);
/* Adds one of the block that the worker runs, if the launch asks for that kind. */
void raw_finding_note(Worker *worker, const Instruction *instruction, SimFindingKind kind, RawFinding one);
void raw_findings_merge(const Code *code, RawFinding *sum, const RawFinding *part);
/* Puts what was found into words. Returns how many findings there are; `more` is how many had no room. */
uint32_t raw_findings_report(const Launch *launch, const RawFinding *found, SimFinding findings[SIM_MAX_FINDINGS],
                             uint32_t *more);

#endif
