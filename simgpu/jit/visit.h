/* visit.h - a worker's visit to a translation; shared by enter.c and learn.c.  */
#ifndef SIMGPU_JIT_VISIT_H
#define SIMGPU_JIT_VISIT_H

#include "simgpu/block/active.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/jit/translate/frame.h"

#include "simgpu/jit/enter.h"

/* What was learnt of a box of threads. */
typedef struct Box {
    uint32_t from[3], to[3];
    Known *known;      /* [memory instruction] */
    Pattern *patterns; /* [memory instruction] */
} Box;

/* Whether going in at a basic block has been worth it. */
typedef struct Worth {
    int32_t balance; /* instructions gained by late visits, costs taken off */
    int32_t pause;   /* times to go past it, before another try */
} Worth;

struct Visit {
    const Translation *translation;
    Frame frame;
    Worth *worth;      /* [basic block] */
    Box whole, part;   /* all threads of a block; those of the last other box */
    Active *active;    /* of the group that is being run */
    uint64_t versions; /* of irregular axes so far */
    bool *taken;       /* [irregular axis] made anew for this entry */
    uint64_t noted;    /* loads since the entry, in the trace */
};

/* The rows of a frame's box, in a block of that shape; `row` is the lane where x is 0. */
#define EACH_ROW(frame, shape, row)                                                                                    \
    for (u32 z = (frame)->from[2]; z < (frame)->to[2]; z++)                                                            \
        for (u32 y = (frame)->from[1], row = (z * (shape)[1] + y) * (shape)[0]; y < (frame)->to[1];                    \
             y++, row += (shape)[0])

/* ---- learn.c ---- */
void forget_known(Known *known);
void settle_box(Worker *worker, Box *box);
u32 first_lane(const Frame *frame, const u32 shape[3]);
/* How the addresses of an access relate to each other, in the frame's box. */
Pattern *pattern_of(const Frame *frame, const Instruction *instruction);
/* Frame.learn and Frame.measure. */
s32 learn_access(Frame *frame, s32 number, u64 first, s64 x, s64 y, s64 z, s64 w, s32 on);
u64 measure_axis(Frame *frame, s32 number, const void *lanes, s32 bytes);

#endif
