/* advice_rules.h - the rules of advice. Each one looks for one kind of mistake in a kernel, or in the call as a whole.
 *
 * A rule returns false if there is nothing to improve. Otherwise it changes `change->after` into the kernel that the
 * advice would make, and fills in the line, the name, the sentence and the sketch. It need not ask whether the change
 * gains anything: advisor.c lets the cost model decide, and drops advice that gains too little.  */
#ifndef GRADER_REPORT_ADVICE_RULES_H
#define GRADER_REPORT_ADVICE_RULES_H

#include "grader/report/advice.h"
#include "grader/report/explain.h"

#include <stdbool.h>

typedef bool AdviceRule(const KernelUnderReview *review, Change *change, Advice *advice);

/* advice_registers.c: global memory */
AdviceRule rule_uncoalesced, rule_reread, rule_global_accumulation, rule_async_copies;
/* advisor.c: shared memory */
AdviceRule rule_bank_conflicts, rule_vector_loads;
/* advisor.c: constant memory */
AdviceRule rule_constant_addresses_differ, rule_constants_too_long, rule_constant_filter;
/* advice_registers.c: what a thread keeps to itself */
AdviceRule rule_several_outputs, rule_register_patch, rule_unrolling, rule_spills, rule_local_memory;
/* advisor.c: instructions that compute */
AdviceRule rule_needless_work, rule_double_precision, rule_float_division, rule_special_functions,
    rule_integer_division, rule_too_much_integer, rule_tensor_cores;
/* advisor.c: another algorithm */
AdviceRule rule_fast_convolution;
/* advice_registers.c: threads of a warp or block that wait for each other */
AdviceRule rule_divergence, rule_imbalance_lanes, rule_imbalance_blocks, rule_needless_barriers;
/* advisor.c: grid, block and what is resident */
AdviceRule rule_block_shape, rule_low_occupancy, rule_too_few_blocks, rule_latency, rule_tail;
/* advisor.c: the call as a whole */
AdviceRule rule_serial_launches, rule_host_copies, rule_allocations;

#endif
