/* raw_finding.h - what the sanitizer has found at one instruction, before it is put into words.  */
#ifndef SIMGPU_SANITIZER_RAW_FINDING_H
#define SIMGPU_SANITIZER_RAW_FINDING_H

#include "simgpu/block/worker.h"
#include "simgpu/sanitizer/finding.h"

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
