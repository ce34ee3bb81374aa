/* advice_work.h - rules of advice about instructions, launches and copies.
 *
 * Each rule returns false if there is nothing to improve. Otherwise it fills in the line, the sentence and the
 * gain, which may be small: advisor.c drops advice that gains too little.  */
#ifndef GRADER_EXPLAIN_ADVICE_WORK_H
#define GRADER_EXPLAIN_ADVICE_WORK_H

#include "grader/explain/advice.h"
#include "grader/explain/kernel_under_review.h"

#include <stdbool.h>

bool rule_divergence(const KernelUnderReview *review, Advice *advice);
bool rule_double_precision(const KernelUnderReview *review, Advice *advice);
bool rule_integer_division(const KernelUnderReview *review, Advice *advice);
bool rule_too_much_integer(const KernelUnderReview *review, Advice *advice);
bool rule_needless_barriers(const KernelUnderReview *review, Advice *advice);
bool rule_low_occupancy(const KernelUnderReview *review, Advice *advice);
bool rule_too_few_blocks(const KernelUnderReview *review, Advice *advice);
bool rule_many_launches(const KernelUnderReview *review, Advice *advice);
bool rule_host_copies(const KernelUnderReview *review, Advice *advice);

#endif
