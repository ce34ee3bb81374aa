#include "grader/explain/advice_rules.h"

#include "grader/explain/kernel_constants.h"
#include "grader/explain/padding.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>

/* ---- banks ------------------------------------------------------------------------------------------------------- */

static double excess_wavefronts(const SimLine *line)
{
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    return wavefronts - (double)line->ideal_shared_wavefronts;
}

/* Whether a line uses an array; the name is copied into `names`, as that of the array of the thread. */
static bool declares_shared(const KernelUnderReview *review, const ArrayUse *use, char *columns, size_t size, int *line)
{
    return use->name[0] != '\0' && array_row(review->source, use->name, columns, size, line);
}

/* The padding that ends the conflicts, from the array's declared rows and the block; says so in the sketch. */
static bool sketch_padding(const KernelUnderReview *review, const ArrayUse *use, double wavefronts, Advice *advice)
{
    char columns[INDEX_ROOM], text[INDEX_ROOM];
    int line = 0;
    int64_t row = 0;
    if (!declares_shared(review, use, columns, sizeof columns, &line) ||
        !constant_value(review->source, review->subject->problem, review->subject->sizes, columns, &row))
        return false;
    int padding = padding_of(review->kernel->profile->shape.block[0], row, wavefronts);
    if (padding < 0)
        return false;
    review_line_text(review, line, text, sizeof text);
    advice_sketch(advice, "// line %d: %s", line, text);
    advice_sketch(advice, "... %s...[%s + %d]; // rows of %lld elements: the threads of a warp meet each bank once",
                  use->name, columns, padding, (long long)(row + padding));
    return true;
}

bool rule_bank_conflicts(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, excess_wavefronts);
    if (line == NULL)
        return false;
    double requests = (double)(line->counters.shared_load_requests + line->counters.shared_store_requests);
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    SimCounters *after = &change->after.counters;
    double all = (double)(after->shared_load_wavefronts + after->shared_store_wavefronts);
    double kept = fmax(0, 1 - ratio(review_per_launch(review, review_sum(review, excess_wavefronts)), all));
    KernelNames names;
    review_names(review, line->line, &names);
    after->shared_load_wavefronts = change_scaled(after->shared_load_wavefronts, kept);
    after->shared_store_wavefronts = change_scaled(after->shared_store_wavefronts, kept);
    advice_name(advice, names.input.name);
    advice_say(advice, line->line,
               "threads of a warp access different words of the same banks of `%s`, so each access takes %s wavefronts "
               "where %s would be enough: make each row of the array longer by as many elements as the sketch says, or "
               "let neighbouring threads access neighbouring elements",
               names.input.name, quantity_ratio(ratio(wavefronts, requests)).text,
               quantity_ratio(ratio((double)line->ideal_shared_wavefronts, requests)).text);
    if (!sketch_padding(review, &names.input, ratio(wavefronts, requests), advice)) {
        advice_sketch(advice, "// a factor of threadIdx.x should be odd: 32 threads then meet 32 banks");
        advice_sketch(advice, "... %s[row * (COLUMNS | 1) + column] ...", names.input.name);
    }
    return true;
}

/* ---- wide loads -------------------------------------------------------------------------------------------------- */

static double shared_loads(const SimLine *line)
{
    return (double)line->counters.shared_load_requests;
}

/* Loads of 4 bytes, of which the inner loop makes nearly as many as multiply-adds. After the change one instruction loads
 * 16 bytes; different elements take as many wavefronts as before, a tap that all lanes share takes half of them. */
bool rule_vector_loads(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double FEWER = 0.3, WAVEFRONTS = 0.75;
    const SimLine *line = review_worst_line(review, shared_loads);
    const InstructionMix *mix = &review->mix;
    if (line == NULL || review_executions_per_warp(review, line) < 4 ||
        ratio(mix->shared_loads, mix->multiply_adds) < 0.3 ||
        ratio(mix->shared_loads, (double)review->model.counters.shared_load_requests) < 0.6)
        return false;
    double width = ratio((double)line->ideal_shared_wavefronts, shared_loads(line));
    if (width > 1.5)
        return false;
    KernelNames names;
    uint64_t wavefronts = change->after.counters.shared_load_wavefronts;
    review_names(review, line->line, &names);
    change_shared_loads(&change->after, FEWER);
    change->after.counters.shared_load_wavefronts = change_scaled(wavefronts, WAVEFRONTS);
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "each multiply-add takes %s loads of 4 bytes from shared memory: load 4 neighbouring elements of `%s` with "
        "one instruction, and use them from registers",
        quantity_ratio(ratio(mix->shared_loads, mix->multiply_adds)).text, names.input.name);
    advice_sketch(advice, "__shared__ __align__(16) float %s[...]; // rows a multiple of 4 elements long",
                  names.input.name);
    advice_sketch(advice, "float4 four = *reinterpret_cast<const float4*>(&%s[4 * threadIdx.x + ...]);",
                  names.input.name);
    advice_sketch(advice, "%s[0] += four.x * tap; // and so on: 4 outputs, 4 taps at a time", names.sum);
    return true;
}
