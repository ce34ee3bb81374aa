#include "grader/explain/advisor.h"

#include "grader/explain/advice_memory.h"
#include "grader/explain/advice_work.h"

#include <string.h>

/* A rule is silent below its least gain, which is higher where its estimate is rough or its change has a price. */
typedef struct Rule {
    const char *id;
    double least_gain;
    bool (*find)(const KernelUnderReview *review, Advice *advice);
    bool is_about_the_call; /* asked once, not for each kernel */
} Rule;

static const Rule rules[] = {
    {"uncoalesced", 0.1, rule_uncoalesced, false},
    {"bank_conflicts", 0.1, rule_bank_conflicts, false},
    {"reread", 0.1, rule_reread, false},
    {"global_accumulation", 0.1, rule_global_accumulation, false},
    {"local_memory", 0.1, rule_local_memory, false},
    {"constant_addresses_differ", 0.1, rule_constant_addresses_differ, false},
    {"constants_too_long", 0.1, rule_constants_too_long, false},
    {"divergence", 0.15, rule_divergence, false},
    {"double_precision", 0.1, rule_double_precision, false},
    {"integer_division", 0.25, rule_integer_division, false},
    {"too_much_integer", 0.3, rule_too_much_integer, false},
    {"needless_barriers", 0.1, rule_needless_barriers, false},
    {"low_occupancy", 0.15, rule_low_occupancy, false},
    {"too_few_blocks", 0.5, rule_too_few_blocks, false},
    {"many_launches", 0.2, rule_many_launches, true},
    {"host_copies", 0.1, rule_host_copies, true},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* Keeps the list sorted by gain. Where it is full, the smallest gain is dropped. */
static void insert_by_gain(Advice list[ADVISOR_MOST], size_t *count, const Advice *new)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].gain < new->gain)
        at--;
    if (at == ADVISOR_MOST)
        return;
    *count += *count < ADVISOR_MOST;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    list[at] = *new;
}

/* What one rule finds in all kernels. Kernels that get the same advice for one line, such as launches of one
 * function with different grids, share one piece, and their gains add up. */
typedef struct Findings {
    Advice advice[PROFILE_MAX_KERNELS];
    double largest_gains[PROFILE_MAX_KERNELS]; /* of one kernel: the one whose sentence is kept */
    size_t count;
} Findings;

static void add_finding(Findings *findings, const Advice *found)
{
    size_t i = 0;
    while (i < findings->count && findings->advice[i].line != found->line)
        i++;
    double sum = found->gain + (i < findings->count ? findings->advice[i].gain : 0);
    if (i == findings->count || found->gain > findings->largest_gains[i]) {
        findings->advice[i] = *found;
        findings->largest_gains[i] = found->gain;
    }
    findings->advice[i].gain = sum;
    findings->count += i == findings->count;
}

static void apply_rule(const Rule *rule, const Explanation *explanation, const char *source, Findings *findings)
{
    uint32_t kernels = rule->is_about_the_call ? 1 : explanation->profile->kernel_count;
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        Advice found = {.id = rule->id, .kernel = kernel};
        KernelUnderReview review;
        review_begin(explanation, kernel, source, &review);
        if (rule->find(&review, &found))
            add_finding(findings, &found);
    }
}

size_t advisor_find(const Explanation *explanation, const char *source, Advice advice[ADVISOR_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        Findings findings = {.count = 0};
        apply_rule(&rules[i], explanation, source, &findings);
        for (size_t j = 0; j < findings.count; j++)
            if (findings.advice[j].gain >= rules[i].least_gain)
                insert_by_gain(advice, &count, &findings.advice[j]);
    }
    return count;
}
