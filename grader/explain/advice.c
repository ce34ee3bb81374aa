#include "grader/explain/advice.h"

#include "grader/explain/kernel_under_review.h"

#include <string.h>

typedef struct Entry {
    const char *id;
    double least_gain; /* below which it is silent: more where the estimate is rough, or the change has a price */
    Rule *find;
    bool of_the_call; /* asked once, not for each kernel */
} Entry;

static const Entry rules[] = {
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

/* Keeps the list sorted, and what gains least out of it. */
static void insert(Advice list[ADVICE_MOST], size_t *count, const Advice *new)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].gain < new->gain)
        at--;
    if (at == ADVICE_MOST)
        return;
    *count += *count < ADVICE_MOST;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    list[at] = *new;
}

/* What one rule says: kernels that are told the same of one line, as one kernel in several shapes is, gain together. */
typedef struct Said {
    Advice advice[PROFILE_MAX_KERNELS];
    double strongest[PROFILE_MAX_KERNELS]; /* gain of the one whose words are kept */
    size_t count;
} Said;

static void gather(Said *said, const Advice *found)
{
    size_t i = 0;
    while (i < said->count && said->advice[i].line != found->line)
        i++;
    double sum = found->gain + (i < said->count ? said->advice[i].gain : 0);
    if (i == said->count || found->gain > said->strongest[i]) {
        said->advice[i] = *found;
        said->strongest[i] = found->gain;
    }
    said->advice[i].gain = sum;
    said->count += i == said->count;
}

static void ask(const Entry *rule, const Explanation *explanation, const char *source, Said *said)
{
    uint32_t kernels = rule->of_the_call ? 1 : explanation->profile->kernel_count;
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        Advice found = {.id = rule->id, .kernel = kernel};
        Patient patient = {.explanation = explanation,
                           .index = kernel,
                           .kernel = &explanation->kernels[kernel],
                           .counters = &explanation->profile->kernels[kernel].counters,
                           .source = source};
        kernel_model(explanation, kernel, &patient.model);
        if (rule->find(&patient, &found))
            gather(said, &found);
    }
}

size_t advice_find(const Explanation *explanation, const char *source, Advice advice[ADVICE_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        Said said = {.count = 0};
        ask(&rules[i], explanation, source, &said);
        for (size_t j = 0; j < said.count; j++)
            if (said.advice[j].gain >= rules[i].least_gain)
                insert(advice, &count, &said.advice[j]);
    }
    return count;
}
