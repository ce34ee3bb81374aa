#include "grader/explain/advice_rules.h"

#include "grader/explain/kernel_constants.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- several outputs --------------------------------------------------------------------------------------------- */

/* Instructions that a register tile cannot do without for each multiply-add: what fills the window at the start of each
 * row of taps, and the counting of an unrolled loop. The fastest reference solutions have 0.15 to 0.3 of them. */
static const double LEAST_OTHERS = 0.15;

/* Loads that move with the output: at most one for each multiply-add. The others are taps, which all outputs share. */
static double input_share(const InstructionMix *mix)
{
    return fmin(1, ratio(mix->multiply_adds, change_loads(mix)));
}

/* Outputs side by side are the only ones in one dimension: a warp's loads from global memory lie `outputs` apart then,
 * so each takes as many more wavefronts. In two dimensions they stand below one another. */
static void compute_together(const KernelUnderReview *review, int outputs, KernelModel *after)
{
    const InstructionMix *mix = &review->mix;
    double taps = review_taps_in_a_row(review), inputs = input_share(mix);
    double window = (taps + outputs - 1) / (taps * outputs), kept = inputs * window + (1 - inputs) / outputs;
    double chain_s = change_chain_seconds(after), warps = review_warps(review) / (double)after->launches;
    double spread = after->input.shape.grid[1] > 1 ? 1 : ceil(outputs / 4.0);
    double least = LEAST_OTHERS * ratio(mix->multiply_adds, mix->others);
    change_others(after, fmax(1.0 / outputs, fmin(1, least)));
    change_global_loads(after, kept, fmin(1, kept * spread));
    change_shared_loads(after, kept);
    change_constant_loads(after, kept);
    change_texture_loads(after, kept);
    /* a warp issues the multiply-adds of its other outputs while it waits, one a cycle of a scheduler */
    double more_s = (outputs - 1) * mix->multiply_adds / warps / review->explanation->hardware->clock_hz;
    change_waiting(after, 1 + ratio(more_s, chain_s));
    change_outputs_per_thread(after, outputs, 2 * outputs);
}

/* The number of outputs that gains most. */
static int best_outputs(const KernelUnderReview *review, KernelModel *best)
{
    static const int candidates[] = {2, 4, 8};
    double best_s = INFINITY;
    int outputs = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        KernelModel after = review->model;
        compute_together(review, candidates[i], &after);
        double seconds = kernel_model_seconds(&after);
        if (seconds < 0.97 * best_s) {
            best_s = seconds;
            outputs = candidates[i];
            *best = after;
        }
    }
    return outputs;
}

/* The index of the element `o` outputs further on: "[(row + 3 + r) * cols + col + s]". */
static void index_of_output(const KernelNames *names, int outputs, const char *o, char *index, size_t size)
{
    const char *place = names->row[0] != '\0' ? names->row : names->column;
    char moved[INDEX_ROOM], by[2 * NAME_ROOM];
    snprintf(by, sizeof by, "(%s + %s)", place, o);
    replace_word(names->input.index, place, by, moved, sizeof moved);
    const char *thread = names->row[0] != '\0' ? "threadIdx.y" : "threadIdx.x";
    snprintf(by, sizeof by, "(%d * %s + %s)", outputs, thread, o);
    replace_word(moved, thread, by, index, size);
}

static void sketch_outputs(const KernelNames *names, int outputs, Advice *advice)
{
    char index[2 * INDEX_ROOM], last[16];
    bool below = names->row[0] != '\0';
    snprintf(last, sizeof last, "%d", outputs - 1);
    index_of_output(names, outputs, last, index, sizeof index);
    if ((below ? names->row : names->column)[0] != '\0')
        advice_sketch(advice, "int %s = %d * (%s); // the first of %d outputs", below ? names->row : names->column,
                      outputs, below ? names->row_is : names->column_is, outputs);
    advice_sketch(advice, "float %s[%d] = {0.0f}, window[%d]; // window[o]: the element for output o", names->sum,
                  outputs, outputs);
    advice_sketch(advice, "window[%d] = %s%s; // the others are there already", outputs - 1, names->input.name,
                  index[0] != '\0' ? index : "[...]");
    advice_sketch(advice, "float tap = %s%s; // %s", names->filter.name,
                  names->filter.index[0] != '\0' ? names->filter.index : "[...]",
                  below ? "the innermost loop goes down" : "the loop goes along");
    advice_sketch(advice, "for (int o = 0; o < %d; o++) %s[o] += window[o] * tap; // #pragma unroll", outputs,
                  names->sum);
    advice_sketch(advice, "for (int o = 0; o < %d; o++) window[o] = window[o + 1]; // #pragma unroll", outputs - 1);
}

/* Whether the thread keeps several sums, and stores as many outputs: what this rule would advise. */
static bool has_several_outputs(const KernelUnderReview *review, const KernelNames *names)
{
    const double ENOUGH = 3.6; /* four, but for threads beyond the end */
    return names->has_several_sums && review_outputs_per_thread(review) >= ENOUGH;
}

/* Whether the outputs of a thread share taps, but no inputs. With loads from global memory there may be a reason: neighbouring
 * threads should load neighbours. */
static bool are_apart(const InstructionMix *mix)
{
    const double LOADS_APART = 0.8; /* for each multiply-add */
    return ratio(change_loads(mix), mix->multiply_adds) > LOADS_APART && mix->shared_loads > 2 * mix->global_loads;
}

/* A multiprocessor serves a warp's load in a cycle, but takes eight for a texel each of its 32 lanes. */
static double turns_of_loads(const InstructionMix *mix)
{
    const double TEXTURE_TURNS = 8;
    return change_loads(mix) + (TEXTURE_TURNS - 1) * mix->texture_loads;
}

/* Every multiply-add costs loads and index arithmetic of its own. A thread with several outputs loads a tap once for all
 * of them, and each element once for as many outputs as it belongs to. */
bool rule_several_outputs(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    double loads = change_loads(mix);
    double each = ratio(mix->all - mix->multiply_adds, mix->multiply_adds);
    KernelNames names;
    if (line == NULL || review_taps_per_thread(review) < 2 || ratio(turns_of_loads(mix), mix->multiply_adds) < 0.4)
        return false;
    review_names(review, line->line, &names);
    bool apart = names.has_several_sums && are_apart(mix);
    int outputs = has_several_outputs(review, &names) && !apart ? 0 : best_outputs(review, &change->after);
    if (outputs == 0)
        return false;
    advice_name(advice, names.sum);
    advice_say(advice, line->line,
               "`%s` takes %s loads for each multiply-add, and %s instructions in all: let each thread compute %d %s "
               "outputs%s in registers, so that it loads an element of `%s` and a tap of `%s` once for all of them",
               names.sum, quantity_ratio(ratio(loads, mix->multiply_adds)).text, quantity_ratio(1 + each).text, outputs,
               names.has_several_sums && !apart ? "times as many" : "neighbouring",
               names.row[0] != '\0' ? ", below one another," : "", names.input.name, names.filter.name);
    sketch_outputs(&names, outputs, advice);
    return true;
}

/* ---- a patch of outputs ------------------------------------------------------------------------------------------ */

/* The patch that the fastest reference solutions of two dimensions have, in blocks of as many threads. */
enum { PATCH_ROWS = 4, PATCH_COLUMNS = 8, PATCH_OUTPUTS = PATCH_ROWS * PATCH_COLUMNS, PATCH_THREADS = 128, VECTOR = 4 };

/* Taps in a row of a filter of two directions or more; else 0. */
static double taps_in_two_directions(const KernelUnderReview *review)
{
    size_t extents[TENSOR_MAX_RANK];
    int rank = review_filter_extents(review, extents);
    return rank < 2 ? 0 : (double)extents[rank - 1];
}

/* A patch walks down the input: each row of inputs that it takes serves all its rows of outputs, and each tap a row of
 * them. Both come from shared memory four at a time. */
static void compute_patch(const KernelUnderReview *review, double taps, KernelModel *after)
{
    const InstructionMix *mix = &review->mix;
    double more = PATCH_OUTPUTS / review_outputs_per_thread(review),
           warps = review_warps(review) / (double)after->launches;
    double inputs = (taps + PATCH_ROWS - 1) * (taps + PATCH_COLUMNS - 1) / (taps * taps * PATCH_OUTPUTS);
    double shared_taps = mix->constant_loads > 0.5 * mix->shared_loads ? 0 : 1.0 / PATCH_COLUMNS;
    double loads = mix->multiply_adds * (inputs + shared_taps) / VECTOR;
    double wavefronts = mix->multiply_adds * (inputs + shared_taps / 2), chain_s = change_chain_seconds(after);
    double more_s = (more - 1) * mix->multiply_adds / warps / review->explanation->hardware->clock_hz;
    double blocks = review_blocks_per_launch(review) * review_threads_per_block(review) / (more * PATCH_THREADS);
    double side = sqrt(PATCH_THREADS * PATCH_OUTPUTS) + taps - 1;
    LaunchShape *shape = &after->input.shape;
    change_others(after, fmax(1 / more, fmin(1, LEAST_OTHERS * ratio(mix->multiply_adds, mix->others))));
    change_constant_loads(after, 1 / more);
    change_shared_loads(after, fmin(1, ratio(loads, mix->shared_loads)));
    after->counters.shared_load_wavefronts = (uint64_t)fmin((double)review->model.counters.shared_load_wavefronts,
                                                            wavefronts);
    change_waiting(after, 1 + ratio(more_s, chain_s));
    shape->block[0] = PATCH_THREADS;
    shape->block[1] = shape->block[2] = shape->grid[1] = shape->grid[2] = 1;
    shape->grid[0] = (uint32_t)ceil(blocks);
    shape->dynamic_shared_bytes = 0;
    after->function.static_shared_bytes = (uint32_t)(side * side * sizeof(float));
    after->function.registers = (uint32_t)(PATCH_OUTPUTS + PATCH_COLUMNS + taps + 32); /* sums, window, addresses */
}

/* A thread has several outputs in one direction already, from a tile in shared memory. In the other direction, too, they
 * share inputs. */
bool rule_register_patch(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double LEAST_LOADS = 0.1; /* for each multiply-add */
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    double taps = taps_in_two_directions(review), loads = ratio(change_loads(mix), mix->multiply_adds);
    KernelNames names;
    if (line == NULL || taps < 2 || loads < LEAST_LOADS || mix->global_loads > 0.5 * mix->shared_loads)
        return false;
    review_names(review, line->line, &names);
    if (!has_several_outputs(review, &names) || names.has_patch_of_sums)
        return false;
    compute_patch(review, taps, &change->after);
    advice_name(advice, names.sum);
    advice_say(
        advice, line->line,
        "`%s` takes %s loads for each multiply-add, since a thread has its outputs in one direction: let it compute "
        "a patch of %d rows of %d, so that each row of inputs that it takes serves all rows of outputs, and take "
        "inputs and taps 16 bytes at a time",
        names.sum, quantity_ratio(loads).text, PATCH_ROWS, PATCH_COLUMNS);
    advice_sketch(advice, "float %s[%d][%d] = {{0.0f}}, window[%d + TAPS - 1]; // TAPS known to the compiler",
                  names.sum, PATCH_ROWS, PATCH_COLUMNS, PATCH_COLUMNS);
    advice_sketch(advice, "for (int r = 0; r < TAPS + %d; r++) { // fill window[] from row r of the tile, as float4",
                  PATCH_ROWS - 1);
    advice_sketch(advice, "    for (int o = 0; o < %d; o++) // rows of outputs, in unrolled loops", PATCH_ROWS);
    advice_sketch(advice, "        if (r >= o && r - o < TAPS) // tap s of row r - o of `%s`, for all s",
                  names.filter.name);
    advice_sketch(advice, "            for (int c = 0; c < %d; c++) %s[o][c] += window[s + c] * tap;", PATCH_COLUMNS,
                  names.sum);
    advice_sketch(advice, "}");
    return true;
}

/* ---- unrolling --------------------------------------------------------------------------------------------------- */

/* What unrolling by 8 leaves of the instructions that count, compare and branch, and of a warp's waiting, since loads of
 * several taps are on their way together. */
static const double UNROLLED_OTHERS = 0.4, UNROLLED_WAITING = 0.6;

/* "#pragma unroll 8": so many turns are unrolled of a loop whose length the compiler does not know. */
static bool is_unrolled_in_part(const char *pragma)
{
    const char *const words = "#pragma unroll ";
    return strncmp(pragma, words, strlen(words)) == 0 && atoi(pragma + strlen(words)) > 1;
}

/* A loop of a few turns whose number the compiler knows, `for (int o = 0; o < 4; o++)`: it unrolls such a loop by itself. */
static bool is_short_loop(const KernelUnderReview *review, const char *text)
{
    enum { MOST_TURNS = 16 };
    char end[NAME_ROOM];
    int64_t turns;
    const char *less = strchr(text, '<');
    if (less == NULL)
        return false;
    less += less[1] == '=' ? 2 : 1;
    snprintf(end, sizeof end, "%.*s", (int)strcspn(less, ";&"), less);
    return constant_value(review->source, NULL, NULL, end, &turns) && turns <= MOST_TURNS;
}

/* The innermost loop around a line that neither a pragma nor the compiler unrolls, by the indentation of the source; 0: none is
 * near. Around a loop that is unrolled in part there is none that could be. */
static int rolled_loop(const KernelUnderReview *review, int line)
{
    enum { NEAR = 15 };
    char text[200], above[200];
    int inner = line_indent(review->source, line);
    for (int i = line; i > 1 && i >= line - NEAR; i--) {
        int indent = line_indent(review->source, i);
        if (indent < 0 || (i < line && indent >= inner))
            continue;
        inner = indent;
        review_line_text(review, i, text, sizeof text);
        review_line_text(review, i - 1, above, sizeof above);
        bool left = strcmp(above, "#pragma unroll 1") == 0 ||
                    (strncmp(above, "#pragma unroll", 14) != 0 && !is_short_loop(review, text));
        if (strncmp(text, "for (", 5) != 0)
            continue;
        if (left || is_unrolled_in_part(above))
            return left ? i : 0;
    }
    return 0;
}

/* Whether a loop has a branch or a choice between it and a line in it. */
static bool decides_inside(const KernelUnderReview *review, int loop, int line)
{
    char text[200];
    for (int i = loop + 1; i <= line; i++) {
        review_line_text(review, i, text, sizeof text);
        if (strncmp(text, "if (", 4) == 0 || strstr(text, " ? ") != NULL || strstr(text, " && ") != NULL)
            return true;
    }
    return false;
}

static int count_of(const char *text, char wanted)
{
    int count = 0;
    for (; *text != '\0'; text++)
        count += *text == wanted;
    return count;
}

/* How many turns of a loop the compiler has made one by itself: a line with one index then has several loads each time that it
 * is executed. Loads of unrolled loops inside are more, too, so the line with the fewest counts. */
static double turns_together(const KernelUnderReview *review, int loop, int hot)
{
    const ExecutionProfile *profile = review->explanation->profile;
    char text[200];
    double fewest = INFINITY;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimLine *line = &profile->lines[i].counts;
        const SimCounters *counters = &line->counters;
        double loads = (double)(counters->global_load_requests + counters->shared_load_requests +
                                counters->constant_requests);
        if (profile->lines[i].kernel != review->index ||
            !explain_is_own_line(review->explanation, &profile->lines[i]) || line->line <= loop || line->line > hot ||
            loads == 0)
            continue;
        review_line_text(review, line->line, text, sizeof text);
        fewest = fmin(fewest, ratio(loads, (double)line->executions) / fmax(1, count_of(text, '[')));
    }
    return isfinite(fewest) ? fewest : 1;
}

/* What counts, compares, branches and moves a pointer on in each turn of a rolled loop. */
enum { LOOP_INSTRUCTIONS = 4 };

/* Instructions that unrolling saves. Conditions inside are left, with the addresses that depend on them: only the loop's own
 * instructions go then. */
static double saved_by_unrolling(const KernelUnderReview *review, int loop, const SimLine *line, double overhead)
{
    double saved = (1 - UNROLLED_OTHERS) * overhead;
    return decides_inside(review, loop, line->line)
               ? fmin(saved, LOOP_INSTRUCTIONS * review_per_launch(review, (double)line->executions))
               : saved;
}

/* Loads that one turn of the innermost loop starts together, so that they wait together, at least two: an input and a tap. */
static double loads_a_turn(const KernelUnderReview *review, const SimLine *line)
{
    return fmax(2, ratio(change_loads(&review->mix), review_per_launch(review, (double)line->executions)));
}

/* A loop that turns once for each multiply-add should have no other instruction for each; one around unrolled loops may
 * have two. */
bool rule_unrolling(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    if (line == NULL || review_executions_per_warp(review, line) < 8)
        return false;
    double lanes = ratio((double)line->counters.lane_instructions, (double)line->counters.warp_instructions);
    double adds = ratio((double)(line->counters.fma32 + line->counters.fma64), lanes * (double)line->executions);
    const double MOST_AROUND = 2;
    int loop = rolled_loop(review, line->line);
    double overhead = mix->others - review_divisions_and_functions(review);
    if (loop == 0 || overhead < (adds > 1.5 ? MOST_AROUND : 1) * mix->multiply_adds ||
        turns_together(review, loop, line->line) >= 2)
        return false;
    KernelNames names;
    review_names(review, loop, &names);
    double saved = saved_by_unrolling(review, loop, line, overhead);
    change_others(&change->after, 1 - saved / mix->others);
    double share = saved / ((1 - UNROLLED_OTHERS) * overhead) * fmin(1, 2 / loads_a_turn(review, line));
    change_waiting(&change->after, 1 - (1 - UNROLLED_WAITING) * share);
    advice_name(advice, names.loop);
    advice_say(advice, loop,
               "the loop over `%s` is not unrolled: for each multiply-add %s other instructions count, compare, branch "
               "and compute addresses, and the next load waits for them: unroll it, with a length that the compiler "
               "knows or with a second loop for the rest",
               names.loop, quantity_ratio(ratio(overhead, mix->multiply_adds)).text);
    advice_sketch(advice, "#pragma unroll 8");
    advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // without break, continue or a test of the border inside",
                  names.loop, names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    return true;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void remove_local_memory(KernelModel *after, uint32_t registers)
{
    SimMachineRatios *machine = &after->input.machine;
    InstructionMix mix = change_mix(after);
    double loads = mix.global_loads + mix.local;
    change_waiting(after, loads > 0 ? 1 - 0.5 * mix.local / loads : 1);
    after->counters.warp_instructions = change_scaled(after->counters.warp_instructions, 1 - ratio(mix.local, mix.all));
    after->counters.local_requests = after->counters.local_sectors = 0;
    machine->local = machine->local_sectors = 0;
    after->function.frame_bytes = after->function.local_bytes = 0;
    after->function.registers += registers;
}

/* Registers that do not fit are kept in local memory, though the source has no array there. */
bool rule_spills(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ProfileKernel *profile = review->kernel->profile;
    uint32_t spilled = profile->frame_bytes > profile->local_bytes ? profile->frame_bytes - profile->local_bytes : 0;
    int bounds = first_line_with(review->source, "__launch_bounds__"), line = review_kernel_line(review);
    if (spilled == 0 || review->mix.local <= (double)review->model.counters.local_requests)
        return false;
    KernelNames names;
    const SimLine *hot = review_hot_line(review);
    review_names(review, hot == NULL ? 0 : hot->line, &names);
    remove_local_memory(&change->after, spilled / 4);
    advice_name(advice, names.sum);
    advice_say(
        advice, bounds > 0 ? bounds : line,
        "the kernel keeps %u registers and spills %u bytes of each thread to local memory, which is device memory "
        "behind the caches: let a thread have fewer values at a time%s",
        profile->registers, spilled, bounds > 0 ? ", or ask for fewer resident blocks in __launch_bounds__" : "");
    if (bounds > 0)
        advice_sketch(advice, "__global__ void __launch_bounds__(%.0f) // without the least number of resident blocks",
                      review_threads_per_block(review));
    advice_sketch(advice, "float %s[OUTPUTS]; // OUTPUTS half of what it is: 4 bytes of it are one register a thread",
                  names.sum);
    return true;
}

static double local_sectors(const SimLine *line)
{
    return (double)line->counters.local_sectors;
}

bool rule_local_memory(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, local_sectors);
    if (line == NULL)
        return false;
    KernelNames names;
    char text[120];
    uint32_t bytes = review->kernel->profile->local_bytes;
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    remove_local_memory(&change->after, bytes <= 256 ? bytes / 4 : 0);
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "an array of each thread lies in local memory, which is device memory (%u bytes per thread): index it only "
        "with constants, in unrolled loops, so that the compiler keeps it in registers",
        bytes);
    advice_sketch(advice, "#pragma unroll // with constant ends, so that each index is known when compiling");
    advice_sketch(advice, "for (int %s = 0; %s < COUNT; %s++)", names.loop, names.loop, names.loop);
    advice_sketch(advice, "    %s", text);
    return true;
}
