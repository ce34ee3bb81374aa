#include "grader/explain/advice_rules.h"

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

/* Every multiply-add costs loads and index arithmetic of its own. A thread with several outputs loads a tap once for all
 * of them, and each element once for as many outputs as it belongs to. */
bool rule_several_outputs(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    double loads = change_loads(mix);
    double each = ratio(mix->all - mix->multiply_adds, mix->multiply_adds);
    KernelNames names;
    if (line == NULL || review_taps_per_thread(review) < 2 || ratio(loads, mix->multiply_adds) < 0.4)
        return false;
    review_names(review, line->line, &names);
    int outputs = has_several_outputs(review, &names) ? 0 : best_outputs(review, &change->after);
    if (outputs == 0)
        return false;
    advice_name(advice, names.sum);
    advice_say(advice, line->line,
               "`%s` takes %s loads for each multiply-add, and %s instructions in all: let each thread compute %d %s "
               "outputs%s in registers, so that it loads an element of `%s` and a tap of `%s` once for all of them",
               names.sum, quantity_ratio(ratio(loads, mix->multiply_adds)).text, quantity_ratio(1 + each).text, outputs,
               names.has_several_sums ? "times as many" : "neighbouring",
               names.row[0] != '\0' ? ", below one another," : "", names.input.name, names.filter.name);
    sketch_outputs(&names, outputs, advice);
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

/* The innermost loop around a line that no pragma unrolls, by the indentation of the source; 0: none is near. Around a loop
 * that is unrolled in part there is none that could be. */
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
        bool left = strncmp(above, "#pragma unroll", 14) != 0 || strcmp(above, "#pragma unroll 1") == 0;
        if (strncmp(text, "for (", 5) != 0)
            continue;
        if (left || is_unrolled_in_part(above))
            return left ? i : 0;
    }
    return 0;
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
    if (loop == 0 || mix->others < (adds > 1.5 ? MOST_AROUND : 1) * mix->multiply_adds)
        return false;
    KernelNames names;
    review_names(review, loop, &names);
    change_others(&change->after, UNROLLED_OTHERS);
    change_waiting(&change->after, UNROLLED_WAITING);
    advice_name(advice, names.loop);
    advice_say(advice, loop,
               "the loop over `%s` is not unrolled: for each multiply-add %s other instructions count, compare, branch "
               "and compute addresses, and the next load waits for them: unroll it, with a length that the compiler "
               "knows or with a second loop for the rest",
               names.loop, quantity_ratio(ratio(mix->others, mix->multiply_adds)).text);
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
