/* change.h - a kernel as it would be after a change: what rules of advice ask the cost model about.
 *
 * A rule gets a copy of the kernel's model and changes everything in it that the new code would change: counters,
 * instructions of the machine code, registers, launch shape. The functions below keep these consistent with each other.
 *
 * Units    Warp-instructions of the machine code, of one launch. `kept` is what is left of a quantity, as a fraction.  */
#ifndef GRADER_EXPLAIN_CHANGE_H
#define GRADER_EXPLAIN_CHANGE_H

#include "grader/explain/explain.h"

typedef struct Change {
    KernelModel after;   /* of the kernel; at first as it is */
    double saved_s;      /* what the call saves outside of the kernel */
    double unmodelled_s; /* what the model does not count of the call as it is, and the change saves */
} Change;

/* What the machine code of a kernel consists of. */
typedef struct InstructionMix {
    double multiply_adds;
    double global_loads, shared_loads, constant_loads, texture_loads, stores, local;
    double others; /* indices, counters of loops, comparisons, branches, copies between registers, barriers */
    double all;
} InstructionMix;

InstructionMix change_mix(const KernelModel *model);
/* Of all kinds, except for those of local memory. */
double change_loads(const InstructionMix *mix);

/* Instructions other than multiply-adds and accesses to memory. */
void change_others(KernelModel *model, double kept);
/* Multiply-adds and all other arithmetic in floating point. */
void change_arithmetic(KernelModel *model, double kept);
/* Requests with their wavefronts; the bytes that they cover shrink by `sectors_kept`. */
void change_global_loads(KernelModel *model, double kept, double sectors_kept);
void change_global_stores(KernelModel *model, double kept, double sectors_kept);
void change_shared_loads(KernelModel *model, double kept);
void change_constant_loads(KernelModel *model, double kept);
void change_texture_loads(KernelModel *model, double kept);
/* Adds loads that all lanes make at one address of a __constant__ array of `bytes` in all. */
void change_add_constant_loads(KernelModel *model, double requests, double bytes);
void change_add_shared(KernelModel *model, double loads, double stores, double bytes_per_block);

/* The same work of lanes in fewer warps: what is left of the instructions that the units of a multiprocessor execute. */
void change_lanes(KernelModel *model, double kept);
/* Each thread does the work of `outputs`: as many times fewer blocks. */
void change_outputs_per_thread(KernelModel *model, int outputs, int registers);
/* What is left of the time that a warp takes from its start to its end if it runs alone. May be above 1. */
void change_waiting(KernelModel *model, double kept);
/* The time of one warp alone, in seconds, by the model. */
double change_chain_seconds(const KernelModel *model);

/* count * factor, of a counter. */
uint64_t change_scaled(uint64_t count, double factor);

#endif
