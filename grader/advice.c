#include "grader/advice.h"

#include "grader/patient.h"

#include <string.h>

typedef struct Entry {
    const char *id;
    double least_gain; /* below which it is silent: more where the estimate is rough, or the change has a price */
    Rule *find;
    bool of_the_call;  /* asked once, not for each kernel */
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

/* One kernel in several shapes may be told the same twice: the stronger stays. */
static bool is_told(Advice *list, size_t *count, const Advice *new)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i].id, new->id) != 0 || list[i].line != new->line)
            continue;
        if (list[i].gain >= new->gain)
            return true;
        memmove(&list[i], &list[i + 1], (--*count - i) * sizeof *list);
    }
    return false;
}

size_t advice_find(const Explanation *explanation, const char *source, Advice advice[ADVICE_MOST])
{
    size_t count = 0;
    for (uint32_t kernel = 0; kernel < explanation->profile->kernel_count; kernel++) {
        Patient patient = {.explanation = explanation, .index = kernel, .kernel = &explanation->kernels[kernel],
                           .counters = &explanation->profile->kernels[kernel].counters, .source = source};
        kernel_model(explanation, kernel, &patient.model);
        for (size_t i = 0; i < RULE_COUNT; i++) {
            Advice found = {.id = rules[i].id, .kernel = kernel};
            if ((rules[i].of_the_call && kernel > 0) || !rules[i].find(&patient, &found))
                continue;
            if (found.gain >= rules[i].least_gain && !is_told(advice, &count, &found))
                insert(advice, &count, &found);
        }
    }
    return count;
}
