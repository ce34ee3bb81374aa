/* kernel_under_review.h - one kernel under examination, and the rules that examine it; shared by the files of advice.h alone.
 *
 * advice.c         the list: which rules there are, and what is kept of what they say
 * advice_memory.c  rules about global, shared, local and constant memory
 * advice_work.c    rules about instructions, launches and copies
 * kernel_under_review.c        what they all ask for  */
#ifndef GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H
#define GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H

#include "grader/explain/advice.h"

#include <stdbool.h>

typedef struct Patient {
    const Explanation *explanation;
    uint32_t index;
    const ExplainedKernel *kernel;
    const SimCounters *counters; /* of all launches */
    KernelModel model;           /* as it is */
    const char *source;          /* of the submission */
} Patient;

/* False where all is well. The gain may be small: advice.c decides. */
typedef bool Rule(const Patient *patient, Advice *advice);

/* ---- advice_memory.c ---- */
Rule rule_uncoalesced, rule_bank_conflicts, rule_reread, rule_global_accumulation;
Rule rule_local_memory, rule_constant_addresses_differ, rule_constants_too_long;
/* ---- advice_work.c ---- */
Rule rule_divergence, rule_double_precision, rule_integer_division, rule_too_much_integer;
Rule rule_needless_barriers, rule_low_occupancy, rule_too_few_blocks, rule_many_launches, rule_host_copies;

/* ---- kernel_under_review.c --------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) void advice_say(Advice *advice, int line, const char *format, ...);

/* What the call would gain if the kernel did what `changed` says. */
double patient_gain(const Patient *patient, KernelModel *changed);
/* A sum over all launches, as the model has it. */
uint64_t patient_per_launch(const Patient *patient, double count);

typedef double Measure(const SimLine *line);
/* The line of the patient's own source that has most of something; NULL: none has any. */
const SimLine *patient_worst_line(const Patient *patient, Measure *measure);
double patient_sum(const Patient *patient, Measure *measure);

double patient_threads(const Patient *patient); /* of a block */
double patient_blocks(const Patient *patient);  /* of a launch */
double patient_warps(const Patient *patient);   /* of all launches */
/* How often a warp comes through a line: beyond a few it is the body of a loop. */
double patient_turns(const Patient *patient, const SimLine *line);

static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
