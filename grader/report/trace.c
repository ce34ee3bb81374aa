#include "grader/report/trace.h"

#include "base/elf.h"
#include "base/paths.h"
#include "grader/check/oracle.h"
#include "grader/judge/judge.h"
#include "grader/report/explain.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== terms ======================================================================================================= */

enum { MOST_LOOKED_AT = 1000000 };

/* Expands a node into terms, in the order in which their sums were made. */
typedef struct Expansion {
    const Problem *problem;
    const ExecutionProfile *profile;
    uint32_t steps[TERM_MAX_STEPS]; /* stores on the way from the output to the present node, the nearest last */
    int step_count;
    size_t nodes_left; /* so many may still be looked at: a node may be a part of many others */
    Arena *arena;
} Expansion;

static void expand(Expansion *expansion, uint32_t node, TraceTerms *out);

static int input_named(const Problem *problem, const char *name)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0 && strcmp(problem->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void keep_term(const Expansion *expansion, TraceTerms *out, TraceTerm term)
{
    if (out->count == TRACE_MAX_TERMS) {
        out->is_cut = true;
        return;
    }
    if (out->count == out->room) {
        TraceTerm *grown = arena_array(expansion->arena, 2 * out->room + 16, sizeof *grown);
        if (out->count > 0)
            memcpy(grown, out->items, out->count * sizeof *grown);
        out->items = grown;
        out->room = 2 * out->room + 16;
    }
    term.other = -1;
    out->items[out->count++] = term;
}

/* ---- single factors ---------------------------------------------------------------------------------------------- */

static TraceFactor factor_of(const Expansion *expansion, uint32_t node, int parameter)
{
    const ProfileNode *at = &expansion->profile->trace.nodes[node];
    TraceFactor factor = {.parameter = parameter, .index = at->index, .node = node, .value = at->value};
    if (parameter >= 0)
        factor.value = element_load(expansion->problem->parameters[parameter].type, &at->bits, 0);
    else if (at->kind == NODE_ELEMENT && at->bytes == sizeof(float))
        factor.value = element_load(ELEMENT_FLOAT32, &at->bits, 0);
    memcpy(factor.steps, expansion->steps, sizeof factor.steps);
    factor.step_count = expansion->step_count;
    return factor;
}

static void add_factor(const Expansion *expansion, uint32_t node, TraceTerms *out)
{
    const ProfileNode *at = &expansion->profile->trace.nodes[node];
    int parameter = -1;
    if (at->kind == NODE_ELEMENT && at->array > 0)
        parameter = input_named(expansion->problem, expansion->profile->arrays[at->array - 1].name);
    const TraceFactor factor = factor_of(expansion, node, parameter);
    if (at->kind == NODE_ELEMENT && parameter < 0 && !at->in_shared && factor.value == 0)
        return; /* memory that the host has cleared */
    keep_term(expansion, out, (TraceTerm){.coefficient = 1, .factors = {factor}, .factor_count = 1, .node = node});
}

/* ---- sums and products ------------------------------------------------------------------------------------------- */

static bool comes_first(const TraceFactor *a, const TraceFactor *b)
{
    if (a->parameter != b->parameter)
        return (unsigned)a->parameter < (unsigned)b->parameter; /* those without a name come last */
    return a->index != b->index ? a->index < b->index : a->node < b->node;
}

static void take_factor(TraceTerm *term, const TraceFactor *factor)
{
    int at = term->factor_count;
    for (; at > 0 && comes_first(factor, &term->factors[at - 1]); at--)
        term->factors[at] = term->factors[at - 1];
    term->factors[at] = *factor;
    term->factor_count++;
}

/* Adds the terms of a part of a sum; a zero that begins a sum is none. */
static void add_part(Expansion *expansion, uint32_t source, double factor, uint32_t node, TraceTerms *out)
{
    const size_t before = out->count;
    if (source == 0)
        return;
    expand(expansion, source - 1, out);
    const bool is_one = out->count == before + 1;
    TraceTerm *first = out->items + before;
    if (is_one && first->factor_count == 0 && first->coefficient == 0)
        out->count = before;
    else if (is_one && first->factor_count <= 1 && first->node == source - 1)
        first->node = node;
    for (size_t i = before; i < out->count; i++) {
        out->items[i].coefficient *= factor;
        if (out->items[i].added == 0)
            out->items[i].added = node + 1;
    }
}

static void add_products(Expansion *expansion, const ProfileNode *at, uint32_t node, TraceTerms *out)
{
    TraceTerms left = {0}, right = {0};
    for (int i = 0; i < 2; i++)
        if (at->sources[i] > 0)
            expand(expansion, at->sources[i] - 1, i == 0 ? &left : &right);
    out->is_cut |= left.is_cut || right.is_cut;
    for (size_t i = 0; i < left.count && !out->is_cut; i++)
        for (size_t k = 0; k < right.count && !out->is_cut; k++) {
            const TraceTerm *a = &left.items[i], *b = &right.items[k];
            TraceTerm term = *a;
            term.coefficient *= b->coefficient;
            term.node = node;
            term.added = at->kind == NODE_PRODUCT_AND_SUM ? node + 1 : 0;
            for (int f = 0; f < b->factor_count && term.factor_count < TERM_MAX_FACTORS; f++)
                take_factor(&term, &b->factors[f]);
            keep_term(expansion, out, term);
        }
}

static void add_quotient(Expansion *expansion, const ProfileNode *at, uint32_t node, TraceTerms *out)
{
    TraceTerms below = {0};
    if (at->sources[1] > 0)
        expand(expansion, at->sources[1] - 1, &below);
    if (below.count == 1 && below.items[0].factor_count == 0 && below.items[0].coefficient != 0)
        add_part(expansion, at->sources[0], 1 / below.items[0].coefficient, node, out);
    else
        add_factor(expansion, node, out);
}

static void add_through_memory(Expansion *expansion, const ProfileNode *at, uint32_t node, TraceTerms *out)
{
    uint32_t steps[TERM_MAX_STEPS];
    const int count = expansion->step_count;
    memcpy(steps, expansion->steps, sizeof steps);
    if (count == TERM_MAX_STEPS)
        memmove(expansion->steps, expansion->steps + 1, (TERM_MAX_STEPS - 1) * sizeof *steps);
    expansion->step_count = count < TERM_MAX_STEPS ? count + 1 : count;
    expansion->steps[expansion->step_count - 1] = node;
    if (at->sources[0] > 0)
        expand(expansion, at->sources[0] - 1, out);
    memcpy(expansion->steps, steps, sizeof steps);
    expansion->step_count = count;
}

static void expand(Expansion *expansion, uint32_t node, TraceTerms *out)
{
    const ProfileNode *at = &expansion->profile->trace.nodes[node];
    if (expansion->nodes_left == 0 || out->is_cut) {
        out->is_cut = true;
        return;
    }
    expansion->nodes_left--;
    switch ((NodeKind)at->kind) {
    case NODE_CONSTANT: keep_term(expansion, out, (TraceTerm){.coefficient = at->value, .node = node}); break;
    case NODE_LOAD:
    case NODE_CONVERSION:
    case NODE_LIMIT:
        if (at->sources[0] > 0)
            expand(expansion, at->sources[0] - 1, out);
        break;
    case NODE_STORE: add_through_memory(expansion, at, node, out); break;
    case NODE_SUM:
        add_part(expansion, at->sources[0], 1, node, out);
        add_part(expansion, at->sources[1], 1, node, out);
        break;
    case NODE_DIFFERENCE:
        add_part(expansion, at->sources[0], 1, node, out);
        add_part(expansion, at->sources[1], -1, node, out);
        break;
    case NODE_PRODUCT: add_products(expansion, at, node, out); break;
    case NODE_PRODUCT_AND_SUM:
        add_part(expansion, at->sources[2], 1, node, out);
        add_products(expansion, at, node, out);
        break;
    case NODE_NEGATION: add_part(expansion, at->sources[0], -1, node, out); break;
    case NODE_QUOTIENT: add_quotient(expansion, at, node, out); break;
    case NODE_ELEMENT:
    case NODE_UNSET:
    case NODE_FUNCTION:
    case NODE_KINDS: add_factor(expansion, node, out); break;
    }
}

/* Another process has written the trace: each index must lead to something, and only backwards. */
static bool is_sound(const ExecutionProfile *profile)
{
    const ProfileTrace *trace = &profile->trace;
    bool is_good = trace->node_count <= PROFILE_MAX_NODES && profile->array_count <= PROFILE_MAX_ARRAYS;
    for (uint32_t i = 0; is_good && i < trace->node_count; i++) {
        const ProfileNode *node = &trace->nodes[i];
        is_good = node->kind < NODE_KINDS && node->array <= profile->array_count;
        for (int k = 0; k < NODE_SOURCES; k++)
            is_good = is_good && node->sources[k] <= i;
    }
    return is_good;
}

/* The value of the store that wrote the element: the last node. */
static TraceTerms terms_of(const Problem *problem, const ExecutionProfile *profile, Arena *arena)
{
    const ProfileTrace *trace = &profile->trace;
    Expansion expansion = {.problem = problem, .profile = profile, .nodes_left = MOST_LOOKED_AT, .arena = arena};
    TraceTerms terms = {.is_cut = trace->is_cut};
    const uint32_t count = trace->node_count;
    if (!is_sound(profile))
        terms.is_cut = true;
    else if (count > 0 && trace->nodes[count - 1].sources[0] > 0 && !trace->is_cut)
        expand(&expansion, trace->nodes[count - 1].sources[0] - 1, &terms);
    return terms;
}

/* ==== comparison ================================================================================================== */

static bool is_same_factor(const TraceFactor *a, const TraceFactor *b)
{
    return a->parameter >= 0 && a->parameter == b->parameter && a->index == b->index;
}

static bool has_same_factors(const TraceTerm *a, const TraceTerm *b)
{
    bool are_same = a->factor_count == b->factor_count;
    for (int i = 0; i < a->factor_count && are_same; i++)
        are_same = is_same_factor(&a->factors[i], &b->factors[i]);
    return are_same;
}

static bool is_same_term(const TraceTerm *a, const TraceTerm *b)
{
    const double ROUNDING = 1e-6;
    return has_same_factors(a, b) && fabs(a->coefficient - b->coefficient) <= ROUNDING * fabs(b->coefficient);
}

static int shared_factors(const TraceTerm *a, const TraceTerm *b)
{
    int count = 0;
    for (int i = 0; i < a->factor_count; i++)
        for (int k = 0; k < b->factor_count; k++)
            count += is_same_factor(&a->factors[i], &b->factors[k]);
    return count;
}

static void pair(TraceTerms *mine, size_t i, TraceTerms *others, size_t k, bool is_same)
{
    mine->items[i].other = (int)k;
    others->items[k].other = (int)i;
    mine->items[i].is_same = others->items[k].is_same = is_same;
}

/* Looks from the same place on, where equal terms mostly stand. */
static void pair_same(TraceTerms *mine, TraceTerms *others)
{
    for (size_t i = 0; i < mine->count; i++)
        for (size_t n = 0; n < others->count && mine->items[i].other < 0; n++) {
            const size_t k = (i + n) % others->count;
            if (others->items[k].other < 0 && is_same_term(&mine->items[i], &others->items[k]))
                pair(mine, i, others, k, true);
        }
}

/* How like each other two terms are: rather by the element of the input, which comes first, than by the filter's. */
static int likeness(const TraceTerm *a, const TraceTerm *b)
{
    const bool share_input = a->factor_count > 0 && b->factor_count > 0 &&
                             is_same_factor(&a->factors[0], &b->factors[0]);
    return 2 * shared_factors(a, b) + share_input;
}

/* A term that the oracle does not have stands for one of the oracle's with which it shares a factor. */
static void pair_similar(TraceTerms *mine, TraceTerms *others)
{
    for (size_t i = 0; i < mine->count; i++) {
        if (mine->items[i].other >= 0)
            continue;
        int most = 0;
        size_t best = 0;
        for (size_t n = 0; n < others->count; n++) {
            const size_t k = (i + n) % others->count;
            const int like = likeness(&mine->items[i], &others->items[k]);
            if (others->items[k].other < 0 && like > most) {
                most = like;
                best = k;
            }
        }
        if (most > 0)
            pair(mine, i, others, best, false);
    }
    if (mine->count == 1 && others->count == 1 && mine->items[0].other < 0)
        pair(mine, 0, others, 0, false);
}

/* Terms whose coefficient is 0 add nothing: ghost cells, for example. */
static bool adds_nothing(const TraceTerm *term)
{
    return term->coefficient == 0;
}

static void remove_nothing(TraceTerms *terms)
{
    size_t kept = 0;
    for (size_t i = 0; i < terms->count; i++)
        if (!adds_nothing(&terms->items[i]))
            terms->items[kept++] = terms->items[i];
    terms->count = kept;
}

/* What is added and taken away again is no term: a number that is split for tensor cores into a half and the rest is the
 * rounded number, and the number minus the rounded one. */
static void remove_opposites(TraceTerms *terms)
{
    enum { TAKEN_AWAY = -2 }; /* TraceTerm.other, meanwhile */
    for (size_t i = 0; i < terms->count; i++) {
        TraceTerm *less = &terms->items[i];
        for (size_t n = 1; n < terms->count && less->coefficient < 0 && less->other != TAKEN_AWAY; n++) {
            TraceTerm *more = &terms->items[(i + terms->count - n) % terms->count]; /* mostly the one before */
            if (more->coefficient == -less->coefficient && more->other != TAKEN_AWAY && less->factor_count > 0 &&
                has_same_factors(less, more))
                less->other = more->other = TAKEN_AWAY;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < terms->count; i++)
        if (terms->items[i].other != TAKEN_AWAY)
            terms->items[kept++] = terms->items[i];
    terms->count = kept;
}

/* A number that data have only chosen, such as the index of the largest element, is one term, however it was computed. */
static void fold_constants(TraceTerms *terms, const ExecutionProfile *profile, double value)
{
    for (size_t i = 0; i < terms->count; i++)
        for (int k = 0; k < terms->items[i].factor_count; k++)
            if (profile->trace.nodes[terms->items[i].factors[k].node].kind != NODE_FUNCTION)
                return;
    if (terms->count == 0 || isnan(value) || profile->trace.unfollowed[0] != '\0')
        return;
    terms->items[0].coefficient = value;
    terms->items[0].factor_count = 0;
    terms->count = 1;
}

void trace_compare(TermTrace *trace)
{
    TraceTerms *mine = &trace->terms, *others = &trace->expected_terms;
    *mine = terms_of(trace->problem, trace->mine, &trace->arena);
    *others = terms_of(trace->problem, trace->oracle, &trace->arena);
    fold_constants(mine, trace->mine, trace->got);
    fold_constants(others, trace->oracle, trace->expected);
    remove_opposites(mine);
    remove_nothing(others);
    pair_same(mine, others);
    pair_similar(mine, others);
    trace->first = trace->first_missing = -1;
    trace->different = trace->missing = 0;
    for (size_t i = mine->count; i-- > 0;)
        if (!mine->items[i].is_same && !(adds_nothing(&mine->items[i]) && mine->items[i].other < 0)) {
            trace->first = (int)i;
            trace->different++;
        }
    for (size_t k = others->count; k-- > 0;)
        if (others->items[k].other < 0) {
            trace->first_missing = (int)k;
            trace->missing++;
        }
}

/* ==== words ======================================================================================================= */

static void add_element(const TermTrace *trace, size_t parameter, uint64_t index, Text *out)
{
    const Parameter *array = &trace->problem->parameters[parameter];
    size_t shape[TENSOR_MAX_RANK], count, position[TENSOR_MAX_RANK] = {0};
    text_add(out, array->name);
    if (problem_shape(trace->problem, parameter, &trace->sizes, shape, &count, NULL) != STATUS_OK || index >= count) {
        text_printf(out, "[%llu]", (unsigned long long)index);
        return;
    }
    for (int i = array->rank - 1; i >= 0; i--) {
        position[i] = index % shape[i];
        index /= shape[i];
    }
    for (int i = 0; i < array->rank; i++)
        text_printf(out, "[%zu]", position[i]);
}

/* "output[12]" of a node that is no element of an input. */
static void add_unnamed(const ExecutionProfile *profile, uint32_t node, Text *out)
{
    const ProfileNode *at = &profile->trace.nodes[node];
    if (at->kind == NODE_UNSET)
        text_add(out, "a variable that was never set");
    else if (at->kind != NODE_ELEMENT)
        text_printf(out, "%.6g", at->value);
    else if (at->in_shared)
        text_add(out, "shared memory that nothing has written");
    else if (at->array > 0 && at->array <= PROFILE_MAX_ARRAYS)
        text_printf(out, "%s[%llu]", profile->arrays[at->array - 1].name, (unsigned long long)at->index);
    else
        text_add(out, "memory that no kernel has written");
}

static void add_factor_name(const TermTrace *trace, const ExecutionProfile *profile, const TraceFactor *factor,
                            Text *out)
{
    if (factor->parameter >= 0)
        add_element(trace, (size_t)factor->parameter, factor->index, out);
    else
        add_unnamed(profile, factor->node, out);
}

static void add_term(const TermTrace *trace, const ExecutionProfile *profile, const TraceTerm *term, Text *out)
{
    if (term->coefficient == -1 && term->factor_count > 0)
        text_add(out, "-");
    else if (term->coefficient != 1 || term->factor_count == 0)
        text_printf(out, "%.6g%s", term->coefficient, term->factor_count == 0 ? "" : " * ");
    for (int i = 0; i < term->factor_count; i++) {
        text_add(out, i == 0 ? "" : " * ");
        add_factor_name(trace, profile, &term->factors[i], out);
    }
}

static double value_of(const TraceTerm *term)
{
    double value = term->coefficient;
    for (int i = 0; i < term->factor_count; i++)
        value *= term->factors[i].value;
    return value;
}

static bool is_own_line(const TermTrace *trace, const ProfileNode *node)
{
    return node->line > 0 && explain_is_own_file(trace->mine, node->file);
}

/* Adds the node's line to those that are shown, in ascending order. */
static int take_line(const TermTrace *trace, uint32_t node, int *lines, int count, int room)
{
    const ProfileNode *at = &trace->mine->trace.nodes[node];
    int place = 0;
    if (!is_own_line(trace, at))
        return count;
    while (place < count && lines[place] < at->line)
        place++;
    if (count == room || (place < count && lines[place] == at->line))
        return count;
    memmove(lines + place + 1, lines + place, (size_t)(count - place) * sizeof *lines);
    lines[place] = at->line;
    return count + 1;
}

static void add_lines(const TermTrace *trace, const TraceTerm *term, Text *out)
{
    enum { MOST = 6 };
    int lines[MOST], count = take_line(trace, term->node, lines, 0, MOST);
    for (int i = 0; i < term->factor_count; i++) {
        count = take_line(trace, term->factors[i].node, lines, count, MOST);
        for (int k = 0; k < term->factors[i].step_count; k++)
            count = take_line(trace, term->factors[i].steps[k], lines, count, MOST);
    }
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%d", i == 0 ? "" : ", ", lines[i]);
}

/* In which turn of a loop a node was made; NULL: outside of the loop, or it is not known. */
static const LoopTurn *turn_of(const TermTrace *trace, const ProfileNode *node, size_t loop)
{
    const SourceLoop *around = &trace->loops[loop];
    if (!is_own_line(trace, node) || node->line < around->first_line || node->line > around->last_line)
        return NULL;
    for (int i = 0; i < NODE_LOOPS; i++)
        if (node->turns[i].loop == (int32_t)loop + 1)
            return &node->turns[i];
    return NULL;
}

/* " (line 14, k = 3)". The compiler may have moved a product out of a loop, but not the sum that is made in each turn: 1 + its
 * node; 0: there is none. */
static void add_line(const TermTrace *trace, uint32_t node, uint32_t added, Text *out)
{
    const ProfileNode *nodes = trace->mine->trace.nodes, *at = &nodes[node];
    if (!is_own_line(trace, at))
        return;
    text_printf(out, " (line %d", at->line);
    for (size_t i = 0; i < trace->loop_count; i++) {
        const LoopTurn *turn = turn_of(trace, at, i), *again = added == 0 ? turn : turn_of(trace, &nodes[added - 1], i);
        if (turn != NULL && (again == NULL || again->value == turn->value))
            text_printf(out, ", %s = %d", trace->loops[i].variable, turn->value);
    }
    text_add(out, ")");
}

/* "(3,0)", with as many axes as the shape has. */
static void add_index(const uint32_t index[3], const uint32_t shape[3], Text *out)
{
    const int axes = shape[2] > 1 ? 3 : shape[1] > 1 ? 2 : 1;
    for (int i = 0; i < axes; i++)
        text_printf(out, "%s%u", i == 0 ? "(" : ",", index[i]);
    text_add(out, ")");
}

static void add_thread(const TermTrace *trace, const ProfileNode *node, Text *out)
{
    static const uint32_t unknown[3] = {1, 1, 2};
    const ProfileTrace *from = &trace->mine->trace;
    const uint32_t kernel = node->launch < PROFILE_MAX_LAUNCHES ? from->kernels[node->launch] : 0;
    const LaunchShape *shape = kernel > 0 && kernel <= PROFILE_MAX_KERNELS ? &trace->mine->kernels[kernel - 1].shape
                                                                           : NULL;
    text_add(out, "thread ");
    add_index(node->thread, shape == NULL ? unknown : shape->block, out);
    text_add(out, " of block ");
    add_index(node->block, shape == NULL ? unknown : shape->grid, out);
}

/* "The call launches blur with (1) blocks of (16,16) threads." */
static void add_launches(const ExecutionProfile *profile, Text *out)
{
    enum { MOST_NAMED = 4 };
    text_add(out, profile->kernel_count == 0 ? "The call launches no kernel." : "The call launches ");
    for (uint32_t i = 0; i < profile->kernel_count && i < MOST_NAMED; i++) {
        char name[SIM_MAX_NAME];
        symbol_name(profile->kernels[i].name, name, sizeof name);
        text_printf(out, "%s%s with ", i == 0 ? "" : ", then ", name);
        add_index(profile->kernels[i].shape.grid, profile->kernels[i].shape.grid, out);
        text_add(out, " blocks of ");
        add_index(profile->kernels[i].shape.block, profile->kernels[i].shape.block, out);
        text_add(out, " threads");
    }
    text_add(out, profile->kernel_count == 0 ? "" : ".");
}

static void add_writer(const TermTrace *trace, Text *out)
{
    const ProfileTrace *from = &trace->mine->trace;
    if (from->node_count == 0) {
        add_launches(trace->mine, out);
        return;
    }
    const ProfileNode *store = &from->nodes[from->node_count - 1];
    text_add(out, "It is stored by ");
    add_thread(trace, store, out);
    add_line(trace, from->node_count - 1, 0, out);
    if (from->stores > 1)
        text_printf(out, ", after %u other store%s to it", from->stores - 1, from->stores == 2 ? "" : "s");
    text_add(out, ".");
}

/* ---- the sentence ------------------------------------------------------------------------------------------------ */

/* How often the term occurs in the list. */
static int occurrences(const TraceTerms *terms, const TraceTerm *term)
{
    int count = 0;
    for (size_t i = 0; i < terms->count; i++)
        count += has_same_factors(&terms->items[i], term) && !adds_nothing(&terms->items[i]);
    return count;
}

static const char *times_words(int count)
{
    static const char *const words[] = {"never", "once", "twice"};
    static char more[24];
    if (count < 3)
        return words[count];
    snprintf(more, sizeof more, "%d times", count);
    return more;
}

/* The factors in which two terms that share all others differ; false where there is more than one on a side. */
static bool difference(const TraceTerm *mine, const TraceTerm *other, const TraceFactor **same, const TraceFactor **one,
                       const TraceFactor **another)
{
    *same = *one = *another = NULL;
    if (mine->factor_count != 2 || other->factor_count != 2 || shared_factors(mine, other) != 1)
        return false;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (is_same_factor(&mine->factors[i], &other->factors[k])) {
                *same = &mine->factors[i];
                *one = &mine->factors[1 - i];
                *another = &other->factors[1 - k];
            }
    return *same != NULL;
}

/* "input[8] is multiplied by kernel[2] twice, by kernel[3] never (line 14)" */
static void say_other_factor(const TermTrace *trace, const TraceTerm *mine, const TraceTerm *other,
                             const TraceFactor *same, const TraceFactor *one, const TraceFactor *another, Text *out)
{
    const int mine_times = occurrences(&trace->terms, mine), other_times = occurrences(&trace->terms, other);
    add_factor_name(trace, trace->mine, same, out);
    text_add(out, " is multiplied by ");
    add_factor_name(trace, trace->mine, one, out);
    if (mine_times > 1) {
        text_printf(out, " %s, by ", times_words(mine_times));
        add_factor_name(trace, trace->oracle, another, out);
        text_printf(out, " %s", times_words(other_times));
    } else {
        text_add(out, ", not by ");
        add_factor_name(trace, trace->oracle, another, out);
    }
    add_line(trace, mine->node, mine->added, out);
}

static void say_zero(const TermTrace *trace, const TraceTerm *mine, const TraceTerm *other, Text *out)
{
    for (int i = 0; i < mine->factor_count; i++) {
        text_add(out, i == 0 ? "" : " * ");
        add_factor_name(trace, trace->mine, &mine->factors[i], out);
    }
    text_add(out, " is multiplied by 0, not by ");
    for (int i = 0, said = 0; i < other->factor_count; i++) {
        bool is_shared = false;
        for (int k = 0; k < mine->factor_count; k++)
            is_shared |= is_same_factor(&other->factors[i], &mine->factors[k]);
        if (is_shared)
            continue;
        text_add(out, said++ == 0 ? "" : " * ");
        add_factor_name(trace, trace->oracle, &other->factors[i], out);
    }
    add_line(trace, mine->node, mine->added, out);
}

static void say_different(const TermTrace *trace, const TraceTerm *mine, Text *out)
{
    const TraceTerm *other = mine->other < 0 ? NULL : &trace->expected_terms.items[mine->other];
    const TraceFactor *same, *one, *another;
    if (other != NULL && difference(mine, other, &same, &one, &another)) {
        say_other_factor(trace, mine, other, same, one, another, out);
        return;
    }
    if (other != NULL && adds_nothing(mine) && mine->factor_count > 0) {
        say_zero(trace, mine, other, out);
        return;
    }
    add_term(trace, trace->mine, mine, out);
    if (other != NULL) {
        text_add(out, trace->terms.count + trace->expected_terms.count > 2 ? " is added, not " : " is stored, not ");
        add_term(trace, trace->oracle, other, out);
    } else {
        const int expected = occurrences(&trace->expected_terms, mine), times = occurrences(&trace->terms, mine);
        if (expected > 0)
            text_printf(out, " is added %s, expected %s", times_words(times), times_words(expected));
        else
            text_add(out, " is added, but does not belong to this element");
    }
    add_line(trace, mine->node, mine->added, out);
}

/* All terms are right, and the value is wrong: what became of the sum. */
static void say_after_sum(const TermTrace *trace, Text *out)
{
    const ProfileTrace *from = &trace->mine->trace;
    double sum = 0;
    for (size_t i = 0; i < trace->terms.count; i++)
        sum += value_of(&trace->terms.items[i]);
    if (trace->terms.count == 1)
        text_printf(out, "Its only term is that of the oracle; exactly, it is %.9g.", sum);
    else
        text_printf(out, "All %zu terms are those of the oracle; exactly, they add up to %.9g.", trace->terms.count,
                    sum);
    for (uint32_t node = from->node_count; node > 0; node = from->nodes[node - 1].sources[0]) {
        const ProfileNode *at = &from->nodes[node - 1];
        const bool is_limit = at->kind == NODE_LIMIT;
        if (!is_limit && at->kind != NODE_CONVERSION && at->kind != NODE_STORE && at->kind != NODE_LOAD)
            break;
        if (is_limit) {
            text_printf(out, " A limit makes %.9g of it", at->value);
            add_line(trace, node - 1, 0, out);
            text_add(out, ".");
        }
    }
}

static bool has_unnamed(const TraceTerms *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        for (int k = 0; k < terms->items[i].factor_count; k++)
            if (terms->items[i].factors[k].parameter < 0)
                return true;
    return false;
}

static void say_unfollowed(const TermTrace *trace, Text *out)
{
    const ProfileTrace *from = &trace->mine->trace;
    const ProfileNode place = {.file = from->unfollowed_file, .line = from->unfollowed_line};
    text_printf(out, "A trace does not follow %s", from->unfollowed);
    if (is_own_line(trace, &place))
        text_printf(out, " (line %d)", place.line);
    text_add(out, ", so some terms are unknown: the table has their values.");
}

static void add_sentence(const TermTrace *trace, Text *out)
{
    const ProfileTrace *from = &trace->mine->trace;
    if (from->unfollowed[0] != '\0' && (from->node_count == 0 || trace->terms.is_cut || has_unnamed(&trace->terms))) {
        say_unfollowed(trace, out);
        return;
    }
    if (from->node_count == 0) {
        text_add(out, "No kernel of the call stores this element.");
        return;
    }
    if (trace->terms.is_cut || trace->expected_terms.is_cut) {
        text_printf(out, "It has more than %d terms: trace a smaller case.", TRACE_MAX_TERMS);
        return;
    }
    if (!trace->is_wrong && (trace->first >= 0 || trace->first_missing >= 0))
        text_add(out, "The value is right, though a trace finds other terms: ");
    if (trace->first >= 0) {
        say_different(trace, &trace->terms.items[trace->first], out);
    } else if (trace->first_missing >= 0) {
        add_term(trace, trace->oracle, &trace->expected_terms.items[trace->first_missing], out);
        text_add(out, " is missing");
    } else {
        say_after_sum(trace, out);
        return;
    }
    const size_t more = trace->different + trace->missing - 1;
    text_add(out, ".");
    if (more > 0)
        text_printf(out, " %zu more of its %zu terms differ%s.", more, trace->terms.count + trace->missing,
                    more == 1 ? "s" : "");
}

/* ==== view ======================================================================================================== */

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { SAME_AROUND = 2 };

static bool is_near_difference(const TraceTerms *terms, size_t i)
{
    if (terms->count <= TRACE_MOST_ROWS / 2)
        return true;
    for (size_t k = i > SAME_AROUND ? i - SAME_AROUND : 0; k <= i + SAME_AROUND && k < terms->count; k++)
        if (!terms->items[k].is_same)
            return true;
    return i < SAME_AROUND || i + SAME_AROUND >= terms->count;
}

static const char *text_of_term(TermTrace *trace, const ExecutionProfile *profile, const TraceTerm *term)
{
    Text text = {0};
    if (term != NULL)
        add_term(trace, profile, term, &text);
    return text_move(&text, &trace->arena);
}

static const char *lines_of_term(TermTrace *trace, const TraceTerm *term)
{
    Text text = {0};
    add_lines(trace, term, &text);
    return text_move(&text, &trace->arena);
}

static void view_rows(TermTrace *trace, TraceView *view)
{
    const TraceTerms *mine = &trace->terms, *others = &trace->expected_terms;
    size_t left_out = 0;
    view->rows = arena_array(&trace->arena, TRACE_MOST_ROWS, sizeof *view->rows);
    for (size_t i = 0; i < mine->count && view->row_count < TRACE_MOST_ROWS; i++) {
        const TraceTerm *term = &mine->items[i], *other = term->other < 0 ? NULL : &others->items[term->other];
        if (!is_near_difference(mine, i)) {
            left_out++;
            continue;
        }
        const bool differs = !term->is_same && !(adds_nothing(term) && other == NULL);
        view->rows[view->row_count++] = (TraceRow){.mark = (int)i == trace->first ? "first"
                                                           : differs              ? "other"
                                                                                  : "",
                                                   .term = text_of_term(trace, trace->mine, term),
                                                   .lines = lines_of_term(trace, term),
                                                   .expected = text_of_term(trace, trace->oracle, other),
                                                   .value = value_of(term),
                                                   .left_out = left_out};
        left_out = 0;
    }
    for (size_t k = 0; k < others->count && view->row_count < TRACE_MOST_ROWS; k++)
        if (others->items[k].other < 0)
            view->rows[view->row_count++] = (TraceRow){
                .mark = trace->first < 0 && (int)k == trace->first_missing ? "first" : "other",
                .term = "",
                .lines = "",
                .expected = text_of_term(trace, trace->oracle, &others->items[k])};
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

typedef struct Plane { /* the last two dimensions of an input */
    size_t parameter, rows, columns, number;
    size_t low[2], high[2]; /* of the elements that are used: row, column */
} Plane;

static bool place_in(const Plane *plane, const TraceFactor *factor, size_t place[2])
{
    const size_t elements = plane->rows * plane->columns;
    if (factor->parameter != (int)plane->parameter || factor->index / elements != plane->number)
        return false;
    place[0] = factor->index % elements / plane->columns;
    place[1] = factor->index % plane->columns;
    return true;
}

static void widen(Plane *plane, const TraceTerms *terms)
{
    size_t place[2];
    for (size_t i = 0; i < terms->count; i++)
        for (int k = 0; k < terms->items[i].factor_count; k++)
            for (int axis = 0; axis < 2 && place_in(plane, &terms->items[i].factors[k], place); axis++) {
                plane->low[axis] = place[axis] < plane->low[axis] ? place[axis] : plane->low[axis];
                plane->high[axis] = place[axis] > plane->high[axis] ? place[axis] : plane->high[axis];
            }
}

/* The plane in which the first term has its factor; false where the input has no part in it. */
static bool find_plane(const TermTrace *trace, size_t parameter, Plane *plane)
{
    const Parameter *array = &trace->problem->parameters[parameter];
    const TraceTerms *lists[] = {&trace->expected_terms, &trace->terms};
    size_t shape[TENSOR_MAX_RANK], count;
    if ((array->role & ROLE_IN) == 0 ||
        problem_shape(trace->problem, parameter, &trace->sizes, shape, &count, NULL) != STATUS_OK)
        return false;
    *plane = (Plane){.parameter = parameter,
                     .rows = array->rank > 1 ? shape[array->rank - 2] : 1,
                     .columns = shape[array->rank - 1],
                     .low = {SIZE_MAX, SIZE_MAX}};
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list]->count; i++)
            for (int k = 0; k < lists[list]->items[i].factor_count; k++)
                if (lists[list]->items[i].factors[k].parameter == (int)parameter) {
                    plane->number = lists[list]->items[i].factors[k].index / (plane->rows * plane->columns);
                    widen(plane, lists[0]);
                    widen(plane, lists[1]);
                    return true;
                }
    return false;
}

static void mark_cells(const TraceMap *map, const Plane *plane, const TraceTerms *terms, bool is_mine, char *cells)
{
    size_t place[2];
    for (size_t i = 0; i < terms->count; i++)
        for (int k = 0; k < terms->items[i].factor_count; k++) {
            if (adds_nothing(&terms->items[i]) || !place_in(plane, &terms->items[i].factors[k], place) ||
                place[0] - map->first_row >= map->rows || place[1] - map->first_column >= map->columns)
                continue;
            char *cell = &cells[(place[0] - map->first_row) * map->columns + place[1] - map->first_column];
            const char mark = terms->items[i].is_same ? '=' : is_mine ? '+' : '-';
            *cell = *cell == '.' || *cell == mark ? mark : '!';
        }
}

static const char *name_of_plane(TermTrace *trace, const Plane *plane)
{
    const Parameter *array = &trace->problem->parameters[plane->parameter];
    size_t shape[TENSOR_MAX_RANK], count, left = plane->number;
    const char *name = "";
    if (problem_shape(trace->problem, plane->parameter, &trace->sizes, shape, &count, NULL) != STATUS_OK)
        return array->name;
    for (int i = array->rank - 3; i >= 0; left /= shape[i], i--)
        name = arena_printf(&trace->arena, "[%zu]%s", left % shape[i], name);
    return arena_printf(&trace->arena, "%s%s", array->name, name);
}

/* Shows what is used, and an element around it. */
static size_t begin_around(size_t low, size_t high, size_t extent, size_t most, size_t *count)
{
    const size_t first = low > 0 ? low - 1 : 0, end = high + 2 < extent ? high + 2 : extent;
    *count = end - first < most ? end - first : most;
    return first;
}

static void view_maps(TermTrace *trace, TraceView *view)
{
    view->maps = arena_array(&trace->arena, trace->problem->parameter_count, sizeof *view->maps);
    for (size_t i = 0; i < trace->problem->parameter_count; i++) {
        Plane plane;
        if (!find_plane(trace, i, &plane))
            continue;
        TraceMap *map = &view->maps[view->map_count++];
        *map = (TraceMap){.array = name_of_plane(trace, &plane)};
        map->first_row = begin_around(plane.low[0], plane.high[0], plane.rows, TRACE_MOST_MAP_ROWS, &map->rows);
        map->first_column = begin_around(plane.low[1], plane.high[1], plane.columns, TRACE_MOST_MAP_COLUMNS,
                                         &map->columns);
        char *cells = arena_alloc(&trace->arena, map->rows * map->columns + 1);
        memset(cells, '.', map->rows * map->columns);
        cells[map->rows * map->columns] = '\0';
        mark_cells(map, &plane, &trace->expected_terms, false, cells);
        mark_cells(map, &plane, &trace->terms, true, cells);
        map->cells = cells;
    }
}

/* ---- values line by line ----------------------------------------------------------------------------------------- */

/* What a node is computed from: an element by its name, all else by its value. `source`: 1 + a node. */
static void add_operand(const TermTrace *trace, uint32_t source, Text *out)
{
    const ProfileTrace *from = &trace->mine->trace;
    const ProfileNode *at = &from->nodes[source - 1];
    while ((at->kind == NODE_LOAD || at->kind == NODE_STORE || at->kind == NODE_CONVERSION) && at->sources[0] > 0)
        at = &from->nodes[at->sources[0] - 1];
    const int parameter = at->kind == NODE_ELEMENT && at->array > 0
                              ? input_named(trace->problem, trace->mine->arrays[at->array - 1].name)
                              : -1;
    if (parameter >= 0)
        add_element(trace, (size_t)parameter, at->index, out);
    else
        add_unnamed(trace->mine, (uint32_t)(at - from->nodes), out);
}

static void add_operation(const TermTrace *trace, const ProfileNode *node, Text *out)
{
    static const char *const words[NODE_KINDS][2] = {
        /* before the first source, between the first two */
        [NODE_SUM] = {"", " + "},           [NODE_DIFFERENCE] = {"", " - "},
        [NODE_PRODUCT] = {"", " * "},       [NODE_PRODUCT_AND_SUM] = {"", " * "},
        [NODE_QUOTIENT] = {"", " / "},      [NODE_NEGATION] = {"-", ""},
        [NODE_LIMIT] = {"a limit of ", ""}, [NODE_FUNCTION] = {"a function of ", ", "}};
    text_add(out, words[node->kind][0]);
    for (int i = 0, said = 0; i < NODE_SOURCES; i++) {
        if (node->sources[i] == 0)
            continue;
        if (said++ > 0)
            text_add(out, i == 2 && node->kind == NODE_PRODUCT_AND_SUM ? " + " : words[node->kind][1]);
        add_operand(trace, node->sources[i], out);
    }
}

static bool is_operation(const ProfileNode *node)
{
    return node->kind >= NODE_SUM && node->kind != NODE_CONVERSION && isfinite(node->value);
}

static bool has_function(const ProfileTrace *from)
{
    for (uint32_t i = 0; i < from->node_count && from->unfollowed[0] == '\0'; i++)
        if (from->nodes[i].kind == NODE_FUNCTION)
            return true;
    return false;
}

/* Of a value that is no sum of products, or of too many: its last operations, in their order. */
static void view_steps(TermTrace *trace, TraceView *view)
{
    const ProfileTrace *from = &trace->mine->trace;
    const ElementType type = trace->problem->parameters[problem_output(trace->problem)].type;
    uint32_t first = from->node_count;
    if (!(element_traits[type].epsilon > 0) || (!trace->terms.is_cut && !has_function(from)))
        return; /* whole numbers are chosen rather than computed */
    for (size_t count = 0; first > 0 && count < TRACE_MOST_STEPS; first--)
        count += is_operation(&from->nodes[first - 1]) && is_own_line(trace, &from->nodes[first - 1]);
    view->steps = arena_array(&trace->arena, TRACE_MOST_STEPS, sizeof *view->steps);
    for (uint32_t i = first; i < from->node_count; i++) {
        const ProfileNode *node = &from->nodes[i];
        Text text = {0};
        if (!is_operation(node) || !is_own_line(trace, node))
            continue;
        add_operation(trace, node, &text);
        view->steps[view->step_count++] = (TraceStep){
            .line = node->line, .text = text_move(&text, &trace->arena), .value = node->value};
    }
}

static TraceView view_of(TermTrace *trace)
{
    Text element = {0}, writer = {0}, sentence = {0};
    add_element(trace, problem_output(trace->problem), trace->element, &element);
    add_writer(trace, &writer);
    add_sentence(trace, &sentence);
    TraceView view = {.case_name = trace->case_name,
                      .element = text_move(&element, &trace->arena),
                      .got = trace->got,
                      .expected = trace->expected,
                      .is_wrong = trace->is_wrong,
                      .writer = text_move(&writer, &trace->arena),
                      .sentence = text_move(&sentence, &trace->arena)};
    if (trace->mine->trace.node_count > 0)
        view_rows(trace, &view);
    view_maps(trace, &view);
    view_steps(trace, &view);
    return view;
}

TraceViews trace_views(TraceList *list)
{
    TraceViews views = {.count = list->count};
    if (list->count > 0)
        views.items = arena_array(&list->items[0].arena, list->count, sizeof *views.items);
    for (size_t i = 0; i < list->count; i++)
        views.items[i] = view_of(&list->items[i]);
    return views;
}

/* ==== trace ======================================================================================================= */

/* ---- the oracle as a submission ---------------------------------------------------------------------------------- */

static Status add_file(const char *path, Text *out, Message *why)
{
    enum { MOST_BYTES = 1 << 20 };
    Text text = {0};
    TRY(text_read_file(path, MOST_BYTES, &text, why));
    text_append(out, text.data, text.length);
    text_free(&text);
    return STATUS_OK;
}

static Status add_home_file(const char *relative, Text *out, Message *why)
{
    char path[PATH_MAX];
    TRY(paths_home(relative, path, sizeof path, why));
    return add_file(path, out, why);
}

/* What grader/check/oracle_solve.cu needs. */
static void add_definitions(const Problem *problem, Text *out)
{
    const size_t output = problem_output(problem);
    const Parameter *array = &problem->parameters[output];
    const ElementTraits *traits = &element_traits[array->type];
    text_printf(out, "#define LANES 1\n#define SOLVE %s\n#define OUTPUT %s\n", problem->signature, array->name);
    text_printf(out, "typedef %s Output;\n#define OUTPUT_IS_WHOLE %d\n", traits->storage, !(traits->epsilon > 0));
    text_printf(out, "#define OUTPUT_LOWEST %.17g\n#define OUTPUT_HIGHEST %.17g\n#define OUTPUT_MAKE %s\n",
                traits->lowest, traits->highest, traits->make);
    for (int i = 0; i < array->rank; i++)
        text_printf(out, "%s%s", i == 0 ? "#define EXTENTS " : ", ", array->shape[i].text);
    text_add(out, "\n#define ARGUMENTS ");
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *is = &problem->parameters[i];
        if (parameter_is_array(is) && is->role != ROLE_OUT)
            text_printf(out, "(const %s *)%s, ", element_traits[is->type].storage, is->name);
        else if (is->role != ROLE_OUT)
            text_printf(out, "%s, ", is->name);
    }
    text_add(out, "\n");
    oracle_case_header(problem, out);
}

static Status oracle_source(const Problem *problem, Text *out, Message *why)
{
    char oracle[PATH_MAX];
    snprintf(oracle, sizeof oracle, "%s/oracle.h", problem->folder);
    TRY(add_home_file("base/element_type.h", out, why));
    add_definitions(problem, out);
    TRY(add_home_file("grader/check/element.h", out, why));
    TRY(add_file(oracle, out, why));
    return add_home_file("grader/check/oracle_solve.cu", out, why);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* The same in each run, so that the data are the same. */
static const GeneratorKey DATA_KEY = {{0x7e9f, 1}};

/* How many outputs come before the one that is traced. */
static uint32_t output_number(const Problem *problem)
{
    uint32_t number = 0;
    for (size_t i = 0; i < problem_output(problem); i++)
        number += (problem->parameters[i].role & ROLE_OUT) != 0;
    return number;
}

static Status run_traced(const TermTrace *trace, const Problem *problem, const Submission *submission,
                         const TraceWish *wish, const TestcaseSet *only, ExecutionProfile *profiles, Result *result,
                         Message *why)
{
    const JudgeJob job = {.problem = problem,
                          .submission = submission,
                          .cases = only,
                          .secret = &DATA_KEY,
                          .device = wish->device,
                          .samples_only = true,
                          .profiles = profiles,
                          .traced = 1 + trace->element,
                          .traced_output = output_number(trace->problem)};
    return judge_submission(&job, result, why);
}

static Status trace_oracle(TermTrace *trace, const TraceWish *wish, const TestcaseSet *only, ExecutionProfile *profiles,
                           Message *why)
{
    Problem plain = *trace->problem;
    Submission oracle = {0};
    Result result = {0};
    Text source = {0};
    plain.driver = NULL; /* the oracle has a solve() of its own */
    plain.header_count = 0;
    Status status = oracle_source(trace->problem, &source, why);
    if (status != STATUS_OK) {
        text_free(&source);
        return status;
    }
    status = submission_take("oracle.cu", &source, &oracle, why);
    if (status == STATUS_OK)
        status = run_traced(trace, &plain, &oracle, wish, only, profiles, &result, why);
    if (status == STATUS_OK && result.verdict != VERDICT_ACCEPTED && profiles->trace.node_count == 0)
        status = fail(STATUS_SYSTEM, why, "the oracle of %s as a kernel: %s: %s", trace->problem->id,
                      verdict_name(result.verdict), result.text);
    result_free(&result);
    submission_free(&oracle);
    return status;
}

/* The source, in which each loop tells its variable (grader/report/loop_turns.cu). Its line numbers stay. */
static Status marked_source(const TermTrace *trace, Submission *marked, Message *why)
{
    const Text *source = &trace->submission->source;
    Text text = {0};
    size_t done = 0;
    text_add(&text, "#line 1 \"loop_turns.cu\"\n"); /* its lines are none of the submission's */
    TRY(add_home_file("grader/report/loop_turns.cu", &text, why));
    text_add(&text, "#line 1 \"" COMPILE_SOURCE_NAME "\"\n");
    for (size_t i = 0; i < trace->loop_count; i++) {
        const SourceLoop *loop = &trace->loops[i];
        if (loop->condition < done)
            continue; /* it lies in a condition */
        text_append(&text, source->data + done, loop->condition - done);
        text_add(&text, "(");
        text_append(&text, source->data + loop->condition, loop->condition_end - loop->condition);
        text_printf(&text, ") && convjudge_turn(%zu, %s)", i, loop->variable);
        done = loop->condition_end;
    }
    text_append(&text, source->data + done, source->length - done);
    return submission_take(trace->submission->file_name, &text, marked, why);
}

/* ---- which element ----------------------------------------------------------------------------------------------- */

/* The output that is asked for by "indices:3,17", or else the wrong one, or the first: the problem as it is for this one. */
static Status choose_output(TermTrace *trace, const char *asked, const Comparison *comparison, Message *why)
{
    const Problem *whole = trace->problem;
    Problem *view = arena_alloc(&trace->arena, sizeof *view);
    const char *colon = asked == NULL ? NULL : strchr(asked, ':');
    for (size_t number = 0; problem_of_output(whole, number, view); number++) {
        const char *name = view->parameters[problem_output(view)].name;
        const bool is_asked = colon != NULL && strlen(name) == (size_t)(colon - asked) &&
                              strncmp(name, asked, strlen(name)) == 0;
        if (colon != NULL ? is_asked : comparison->wrong == 0 || comparison->output == problem_output(view)) {
            trace->problem = view;
            return STATUS_OK;
        }
    }
    return fail(STATUS_BAD_INPUT, why, "trace: --output %s: expected an output of %s before the colon, such as %s:0",
                asked, whole->id, whole->parameters[problem_output(whole)].name);
}

/* "3,17" as the index of an element; the shape of the output says how many numbers it takes. */
static Status read_element(TermTrace *trace, const char *text, Message *why)
{
    const size_t output = problem_output(trace->problem);
    const Parameter *array = &trace->problem->parameters[output];
    size_t shape[TENSOR_MAX_RANK], count;
    const char *colon = strchr(text, ':'), *at = colon == NULL ? text : colon + 1;
    TRY(problem_shape(trace->problem, output, &trace->sizes, shape, &count, why));
    trace->element = 0;
    for (int i = 0; i < array->rank; i++) {
        char *end;
        errno = 0;
        const unsigned long long number = strtoull(at, &end, 10);
        if (end == at || errno != 0 || *at == '-' || *end != (i == array->rank - 1 ? '\0' : ','))
            return fail(STATUS_BAD_INPUT, why, "trace: --output %s: expected %d number%s with commas between them",
                        text, array->rank, array->rank == 1 ? "" : "s");
        if (number >= shape[i])
            return fail(STATUS_BAD_INPUT, why, "trace: --output %s: %llu is outside of %s, expected 0 to %zu", text,
                        number, array->name, shape[i] - 1);
        trace->element = trace->element * shape[i] + number;
        at = end + 1;
    }
    return STATUS_OK;
}

static bool has_wrong_output(const CaseResult *item)
{
    return item->sample != NULL && item->sample->compared && item->sample->comparison.wrong > 0;
}

/* The cases to trace: those whose output is wrong; where an element was named, one of them or else the first. */
static size_t choose_cases(const Result *result, const TraceWish *wish, const CaseResult *chosen[TRACE_MOST_CASES])
{
    const size_t most = wish->output != NULL ? 1 : TRACE_MOST_CASES;
    size_t count = 0;
    for (size_t i = 0; i < result->case_count && count < most; i++)
        if (has_wrong_output(&result->cases[i]))
            chosen[count++] = &result->cases[i];
    const bool has_output = result->case_count > 0 && result->cases[0].sample != NULL &&
                            result->cases[0].sample->compared;
    if (count == 0 && wish->output != NULL && has_output)
        chosen[count++] = &result->cases[0];
    return count;
}

static const Testcase *testcase_named(const TestcaseSet *set, const char *name)
{
    size_t i = 0;
    while (i < set->count && (set->cases[i].group != CASE_SAMPLE || strcmp(set->cases[i].name, name) != 0))
        i++;
    return i < set->count ? &set->cases[i] : NULL;
}

/* What is in the element after the traced call. */
static double traced_value(const TermTrace *trace)
{
    const ProfileTrace *mine = &trace->mine->trace;
    return mine->node_count > 0
               ? element_load(trace->problem->parameters[problem_output(trace->problem)].type, &mine->bits, 0)
               : NAN;
}

/* What the checker saw, and of an element that is right, the oracle. */
static void find_values(TermTrace *trace, const CaseResult *item)
{
    const OutputElements *elements = &item->sample->elements;
    const WrongElement *first = &item->sample->comparison.first;
    const ProfileTrace *oracle = &trace->oracle->trace;
    trace->expected = oracle->node_count > 0 ? oracle->nodes[oracle->node_count - 1].value : NAN;
    trace->got = traced_value(trace);
    if (item->sample->comparison.output != problem_output(trace->problem) && item->sample->comparison.wrong > 0) {
        trace->is_wrong = !(trace->got == trace->expected); /* of an output that the checker has not kept */
    } else if (trace->element < elements->count) {
        trace->expected = elements->expected[trace->element];
        trace->got = elements->got[trace->element];
        trace->is_wrong = !(fabs(trace->got - trace->expected) <= elements->bounds[trace->element]);
    } else if (item->sample->comparison.wrong > 0 && first->index == trace->element) {
        trace->expected = first->expected;
        trace->got = first->got;
        trace->is_wrong = true;
    }
}

/* Runs the submission with marked loops or, where that does not compile or leads to another value, as it is. */
static Status trace_mine(TermTrace *trace, const TraceWish *wish, const TestcaseSet *only, const CaseResult *item,
                         ExecutionProfile *profiles, Message *why)
{
    const Text *source = &trace->submission->source;
    Submission marked = {0};
    Result result = {0};
    Message ignored;
    trace->loop_count = source_loops(source->data, source->length, &trace->arena, trace->loops);
    if (trace->loop_count > 0 && marked_source(trace, &marked, &ignored) == STATUS_OK) {
        const Status status = run_traced(trace, trace->problem, &marked, wish, only, profiles, &result, why);
        result_free(&result);
        submission_free(&marked);
        find_values(trace, item);
        if (status != STATUS_OK || traced_value(trace) == trace->got)
            return status;
        memset(profiles, 0, sizeof *profiles);
    }
    trace->loop_count = 0;
    const Status status = run_traced(trace, trace->problem, trace->submission, wish, only, profiles, &result, why);
    result_free(&result);
    return status;
}

static Status trace_case(TermTrace *trace, const TraceWish *wish, const TestcaseSet *set, const CaseResult *item,
                         Message *why)
{
    enum { PROFILES = 2 }; /* of one case each */
    const Testcase *testcase = testcase_named(set, item->name);
    const Comparison *comparison = &item->sample->comparison;
    if (testcase == NULL)
        return fail(STATUS_NOT_FOUND, why, "trace: there is no sample \"%s\"", item->name);
    TRY(choose_output(trace, wish->output, comparison, why));
    trace->sizes = item->sizes;
    trace->case_name = item->name;
    trace->element = comparison->wrong > 0 ? comparison->first.index : 0;
    if (wish->output != NULL)
        TRY(read_element(trace, wish->output, why));
    Testcase one = *testcase;
    const TestcaseSet only = {.cases = &one, .count = 1};
    ExecutionProfile *profiles = zeroed(PROFILES, sizeof *profiles);
    trace->mine = profiles;
    trace->oracle = profiles + 1;
    Status status = trace_mine(trace, wish, &only, item, profiles, why);
    if (status == STATUS_OK)
        status = trace_oracle(trace, wish, &only, profiles + 1, why);
    if (status != STATUS_OK)
        return status;
    find_values(trace, item);
    trace_compare(trace);
    return STATUS_OK;
}

Status trace_run(const Problem *problem, const Submission *submission, const TraceWish *wish, Result *result,
                 TraceList *list, Message *why)
{
    const JudgeJob job = {.problem = problem,
                          .submission = submission,
                          .cases = wish->cases,
                          .secret = &DATA_KEY,
                          .device = wish->device,
                          .samples_only = true,
                          .progress = wish->progress};
    const CaseResult *chosen[TRACE_MOST_CASES];
    TestcaseSet samples = {0};
    TRY(judge_submission(&job, result, why));
    const size_t count = choose_cases(result, wish, chosen);
    if (count == 0)
        return STATUS_OK;
    if (wish->cases == NULL)
        TRY(testcases_read(problem, &samples, why));
    progress_begin(wish->progress, "trace", (int)count);
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        list->items[i] = (TermTrace){.problem = problem, .submission = submission};
        list->count++;
        status = trace_case(&list->items[i], wish, wish->cases == NULL ? &samples : wish->cases, chosen[i], why);
        progress_advance(wish->progress);
    }
    progress_end(wish->progress, status == STATUS_OK ? "done" : "failed");
    testcases_free(&samples);
    return status;
}

void trace_free(TraceList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)list->items[i].mine);
        arena_free(&list->items[i].arena);
    }
    *list = (TraceList){0};
}
