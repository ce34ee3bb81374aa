#include "grader/explain/advisor.h"

#include "grader/explain/advice_rules.h"

#include <string.h>

/* A rule is silent below its least gain, which is higher where its estimate is rough or its change has a price. Of two
 * changes that gain about the same, the one that is less work comes first: a rewritten loop counts for less than a changed
 * line. */
enum {
    LINE = 100,
    LOOP = 80,
    TILE = 75,
    KERNEL = 70,
    ALGORITHM = 10 /* it comes behind what mends the kernel at hand */
};                 /* percent of its gain that decides its place, by what has to be written */

typedef struct AdvisorRule {
    const char *id;
    double least_gain;
    int place;
    AdviceRule *find;
    bool is_about_the_call; /* asked once, not for each kernel */
} AdvisorRule;

static const AdvisorRule rules[] = {
    {"needless_work", 0.15, LINE, rule_needless_work, false},
    {"several_outputs", 0.15, LOOP, rule_several_outputs, false},
    {"fast_convolution", 0.3, ALGORITHM, rule_fast_convolution, false},
    {"register_patch", 0.15, KERNEL, rule_register_patch, false},
    {"uncoalesced", 0.1, LINE, rule_uncoalesced, false},
    {"bank_conflicts", 0.1, LINE, rule_bank_conflicts, false},
    {"reread", 0.15, TILE, rule_reread, false},
    {"global_accumulation", 0.1, LINE, rule_global_accumulation, false},
    {"async_copies", 0.15, KERNEL, rule_async_copies, false},
    {"vector_loads", 0.12, LOOP, rule_vector_loads, false},
    {"constant_filter", 0.05, LINE, rule_constant_filter, false},
    {"constant_addresses_differ", 0.1, LINE, rule_constant_addresses_differ, false},
    {"constants_too_long", 0.25, LINE, rule_constants_too_long, false},
    {"unrolling", 0.2, LINE, rule_unrolling, false},
    {"spills", 0.1, LINE, rule_spills, false},
    {"local_memory", 0.1, LINE, rule_local_memory, false},
    {"divergence", 0.15, LINE, rule_divergence, false},
    {"imbalance_lanes", 0.15, LINE, rule_imbalance_lanes, false},
    {"imbalance_blocks", 0.15, LINE, rule_imbalance_blocks, false},
    {"double_precision", 0.1, LINE, rule_double_precision, false},
    {"float_division", 0.15, LINE, rule_float_division, false},
    {"special_functions", 0.15, LINE, rule_special_functions, false},
    {"integer_division", 0.25, LINE, rule_integer_division, false},
    {"too_much_integer", 0.25, LOOP, rule_too_much_integer, false},
    {"tensor_cores", 0.3, ALGORITHM, rule_tensor_cores, false},
    {"needless_barriers", 0.05, LINE, rule_needless_barriers, false},
    {"block_shape", 0.1, LINE, rule_block_shape, false},
    {"low_occupancy", 0.15, LINE, rule_low_occupancy, false},
    {"too_few_blocks", 0.35, LINE, rule_too_few_blocks, false},
    {"latency", 0.15, LOOP, rule_latency, false},
    {"tail", 0.1, LOOP, rule_tail, false},
    {"serial_launches", 0.2, LINE, rule_serial_launches, true},
    {"host_copies", 0.1, LINE, rule_host_copies, true},
    {"allocations", 0.1, LINE, rule_allocations, true},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* ---- gain -------------------------------------------------------------------------------------------------------- */

/* The call before the change and after it, as the model says. What it does not count is added to the call as it is. */
static void weigh(const KernelUnderReview *review, const Change *change, Advice *advice)
{
    double before_s = review->explanation->seconds + change->unmodelled_s;
    double kernel_s = kernel_model_seconds(&review->model) - kernel_model_seconds(&change->after);
    advice->after_s = review->explanation->seconds - kernel_s - change->saved_s;
    advice->gain = (before_s - advice->after_s) / before_s;
}

/* Keeps the list sorted. Where it is full, the last piece is dropped. */
static void insert_by_place(Advice list[ADVISOR_MOST], double places[ADVISOR_MOST], size_t *count, const Advice *new,
                            double place)
{
    size_t at = *count;
    while (at > 0 && places[at - 1] < place)
        at--;
    if (at == ADVISOR_MOST)
        return;
    *count += *count < ADVISOR_MOST;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    memmove(&places[at + 1], &places[at], (*count - at - 1) * sizeof *places);
    list[at] = *new;
    places[at] = place;
}

/* What one rule finds in all kernels. Kernels that get the same advice for one line, such as launches of one
 * function with different grids, share one piece, and their gains add up. */
typedef struct AdviceFindings {
    Advice advice[PROFILE_MAX_KERNELS];
    double largest_gains[PROFILE_MAX_KERNELS]; /* of one kernel: the one whose sentence is kept */
    size_t count;
} AdviceFindings;

static void add_finding(AdviceFindings *findings, const Advice *found, double seconds)
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
    findings->advice[i].after_s = seconds * (1 - sum);
    findings->count += i == findings->count;
}

static void apply_rule(const AdvisorRule *rule, const Explanation *explanation, const AdviceSubject *subject,
                       AdviceFindings *findings)
{
    uint32_t kernels = rule->is_about_the_call ? 1 : explanation->profile->kernel_count;
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        Advice found = {.id = rule->id, .kernel = kernel};
        KernelUnderReview review;
        review_begin(explanation, kernel, subject, &review);
        Change change = {.after = review.model};
        if (!rule->find(&review, &change, &found))
            continue;
        weigh(&review, &change, &found);
        add_finding(findings, &found, explanation->seconds);
    }
}

size_t advisor_find(const Explanation *explanation, const AdviceSubject *subject, Advice advice[ADVISOR_MOST])
{
    double places[ADVISOR_MOST];
    size_t count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        AdviceFindings findings = {.count = 0};
        apply_rule(&rules[i], explanation, subject, &findings);
        for (size_t j = 0; j < findings.count; j++)
            if (findings.advice[j].gain >= rules[i].least_gain)
                insert_by_place(advice, places, &count, &findings.advice[j], rules[i].place * findings.advice[j].gain);
    }
    return count;
}
