/* jit_state.h - what one worker keeps while it uses a translation (Worker.jit).
 *
 * The worker's notes (worker.h) say which addresses have been touched. A translation only keeps the range of the
 * first lane's addresses, in ProvenAccess; to settle an access is to add that range to the notes.  */
#ifndef SIMGPU_JIT_JIT_STATE_H
#define SIMGPU_JIT_JIT_STATE_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/jit/builder.h"

/* A box of threads, and what has been proven about its accesses. */
typedef struct ThreadBox {
    uint32_t from[3], to[3]; /* [from, to) along each axis */
    ProvenAccess *proven;    /* [Instruction.index] */
    Pattern *patterns;       /* [Instruction.index] distances of the lanes from the first one */
} ThreadBox;

/* Whether it pays to enter the translation at a basic block. */
typedef struct EntryProfit {
    int32_t balance; /* instructions that entries have executed, less the costs of the entries */
    int32_t pause;   /* how often not to enter, before the next try */
} EntryProfit;

struct JitState {
    const Translation *translation;
    Frame frame;
    EntryProfit *profits;  /* [basic block] */
    ThreadBox whole, part; /* all threads of the block; the last box of fewer threads */
    Active *active;        /* the lanes that run */
    uint64_t versions;     /* Axis.version given out so far */
    bool *taken;           /* [irregular axis] it has been made for this entry */
    uint64_t noted;        /* loads that were added to the trace since the entry */
};

/* Loops over the rows of a frame's box, in a block of that shape; `row` is the lane with x = 0. */
#define EACH_ROW(frame, shape, row)                                                                                    \
    for (u32 z = (frame)->from[2]; z < (frame)->to[2]; z++)                                                            \
        for (u32 y = (frame)->from[1], row = (z * (shape)[1] + y) * (shape)[0]; y < (frame)->to[1];                    \
             y++, row += (shape)[0])

/* Without the callbacks of the frame. */
JitState *jit_state_new(Worker *worker, const Translation *translation);
void jit_state_free(JitState *state);
/* Sets the box of the frame to the active lanes; false where these are not a box. */
bool set_box(Worker *worker, const Active *active);
/* The first lane of the box. */
u32 first_lane(const Frame *frame, const u32 shape[3]);

/* The bytes from the lowest to the highest that the lanes touch, both included. */
uint64_t pattern_extent(const Pattern *pattern, uint32_t bytes);
/* The pattern of an access in the box of the frame. */
Pattern *pattern_of(const Frame *frame, const Instruction *instruction);
void forget_proof(ProvenAccess *proven);
/* Settles one access. */
void settle_access(Worker *worker, const Instruction *instruction, ProvenAccess *proven, const Pattern *pattern);
/* Settles all accesses. */
void settle_all(Worker *worker);

#endif
