/* advice_memory.h - rules of advice about global, shared, local and constant memory.
 *
 * Each rule returns false if there is nothing to improve. Otherwise it fills in the line, the sentence and the
 * gain, which may be small: advisor.c drops advice that gains too little.  */
#ifndef GRADER_EXPLAIN_ADVICE_MEMORY_H
#define GRADER_EXPLAIN_ADVICE_MEMORY_H

#include "grader/explain/advice.h"
#include "grader/explain/kernel_under_review.h"

#include <stdbool.h>

bool rule_uncoalesced(const KernelUnderReview *review, Advice *advice);
bool rule_bank_conflicts(const KernelUnderReview *review, Advice *advice);
bool rule_reread(const KernelUnderReview *review, Advice *advice);
bool rule_global_accumulation(const KernelUnderReview *review, Advice *advice);
bool rule_local_memory(const KernelUnderReview *review, Advice *advice);
bool rule_constant_addresses_differ(const KernelUnderReview *review, Advice *advice);
bool rule_constants_too_long(const KernelUnderReview *review, Advice *advice);

#endif
