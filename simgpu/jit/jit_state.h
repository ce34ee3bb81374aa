/* jit_state.h - what one worker keeps while it uses a translation.  */
#ifndef SIMGPU_JIT_JIT_STATE_H
#define SIMGPU_JIT_JIT_STATE_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/jit/translate/translation.h"

/* What was learnt of a box of threads. */
typedef struct Box {
    uint32_t from[3], to[3];
    ProvenAccess *proven; /* [memory instruction] */
    Pattern *patterns;    /* [memory instruction] */
} Box;

/* Whether going in at a basic block has been worth it. */
typedef struct EntryProfit {
    int32_t balance; /* instructions gained by late visits, costs taken off */
    int32_t pause;   /* times to go past it, before another try */
} EntryProfit;

struct JitState {
    const Translation *translation;
    Frame frame;
    EntryProfit *profits; /* [basic block] */
    Box whole, part;      /* all threads of a block; those of the last other box */
    Active *active;       /* of the group that is being run */
    uint64_t versions;    /* of irregular axes so far */
    bool *taken;          /* [irregular axis] made anew for this entry */
    uint64_t noted;       /* loads since the entry, in the trace */
};

/* The rows of a frame's box, in a block of that shape; `row` is the lane where x is 0. */
#define EACH_ROW(frame, shape, row)                                                                                    \
    for (u32 z = (frame)->from[2]; z < (frame)->to[2]; z++)                                                            \
        for (u32 y = (frame)->from[1], row = (z * (shape)[1] + y) * (shape)[0]; y < (frame)->to[1];                    \
             y++, row += (shape)[0])

JitState *jit_state_new(Worker *worker, const Translation *translation);
void jit_state_free(JitState *state);
/* Makes the frame's box that of the active lanes; false where they are not a box. */
bool set_box(Worker *worker, const Active *active);
u32 first_lane(const Frame *frame, const u32 shape[3]);

/* The bytes that one lane loads or stores. */
uint32_t bytes_of_lane(const Instruction *instruction);
/* From the first byte that the lanes touch to the end of the last one. */
uint64_t pattern_extent(const Pattern *pattern, uint32_t bytes);
/* How the addresses of an access relate to each other, in the frame's box. */
Pattern *pattern_of(const Frame *frame, const Instruction *instruction);
void forget_proof(ProvenAccess *proven);
/* Adds the addresses that have been touched to the worker's notes. */
void settle_access(Worker *worker, const Instruction *instruction, ProvenAccess *proven, const Pattern *pattern);
/* The same for all accesses. */
void settle_all(Worker *worker);

#endif
