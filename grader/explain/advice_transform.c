#include "grader/explain/advice_rules.h"

#include "grader/terminal/quantity.h"

#include <math.h>

/* Fast convolution by overlap-save: Oppenheim and Schafer, Discrete-Time Signal Processing, "Implementing Linear
 * Time-Invariant Systems Using the DFT". A block transforms a tile of N inputs and the filter, multiplies them, and
 * transforms the product back; N - F + 1 of the results are outputs. Two tiles are the real and the imaginary part of one. */
typedef struct Transform {
    double points, steps; /* steps: radix 4, each of which goes through shared memory */
    double tile;          /* outputs of a block */
    double operations;    /* for each output, of floats */
} Transform;

enum { TRANSFORMS = 3, OPERATIONS = 5 /* times N log2(N), of one transform */, LEAST_TAPS = 256 };

static Transform transform_for(double taps)
{
    double points = exp2(ceil(log2(3 * taps))), tile = 2 * (points - taps + 1);
    return (Transform){.points = points,
                       .steps = ceil(log2(points) / 2),
                       .tile = tile,
                       .operations = TRANSFORMS * OPERATIONS * points * log2(points) / tile};
}

/* A simple program takes three further instructions for each operation, for indices and twiddle factors: so does
 * conv1d/fft_overlap_save.cu. */
static void transform(const KernelUnderReview *review, const Transform *by, double outputs, KernelModel *after)
{
    enum { THREADS = 512, REGISTERS = 40, OTHERS = 3 };
    const InstructionMix *mix = &review->mix;
    double blocks = ceil(outputs / by->tile), chain_s = change_chain_seconds(after);
    double operations = by->operations * outputs / SIM_WARP_SIZE;
    double exchanged = 2 * TRANSFORMS * by->steps * by->points / by->tile * outputs / SIM_WARP_SIZE;
    double loaded = 3 * by->points / by->tile * outputs / SIM_WARP_SIZE; /* two tiles and the filter */
    change_constant_loads(after, 0);
    change_texture_loads(after, 0);
    change_shared_loads(after, 0);
    change_global_loads(after, ratio(loaded, mix->global_loads), ratio(loaded, mix->global_loads));
    change_arithmetic(after, ratio(operations, mix->multiply_adds));
    change_others(after, ratio(OTHERS * operations, mix->others));
    change_add_shared(after, exchanged, exchanged, 0);
    after->function.static_shared_bytes = (uint32_t)(2 * sizeof(float) * by->points);
    after->function.registers = REGISTERS;
    after->input.shape = (LaunchShape){.grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1}};
    double each = ratio(change_mix(after).all, blocks * THREADS / SIM_WARP_SIZE); /* instructions of a warp */
    change_waiting(after, ratio(each * review->explanation->hardware->arithmetic_latency_s, chain_s));
}

/* The convolution theorem: a long filter takes far fewer operations through the Fourier transform. */
bool rule_fast_convolution(const KernelUnderReview *review, Change *change, Advice *advice)
{
    size_t extents[TENSOR_MAX_RANK];
    const SimLine *line = review_hot_line(review);
    if (line == NULL || review_filter_extents(review, extents) != 1 || extents[0] < LEAST_TAPS)
        return false;
    double taps = (double)extents[0], outputs = review->subject->operations / (2 * taps);
    double direct = (double)(review->counters->fma32 + review->counters->fma64);
    if (direct < 0.5 * taps * outputs)
        return false; /* it is no direct convolution */
    Transform by = transform_for(taps);
    KernelNames names;
    review_names(review, line->line, &names);
    transform(review, &by, outputs, &change->after);
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "a direct convolution takes %.0f operations for each output, one by Fourier transforms about %.0f: transform "
        "tiles of `%s` and the filter, multiply them, and transform back (overlap-save); filters of less than "
        "about %d taps are better off as they are",
        2 * taps, by.operations, names.input.name, LEAST_TAPS);
    advice_sketch(advice, "__shared__ float2 s_points[%.0f]; // two tiles: the real and the imaginary part", by.points);
    advice_sketch(advice, "// load %.0f elements of each tile, every %.0f-th one begins a tile", by.points,
                  by.points - taps + 1);
    advice_sketch(advice, "fft(s_points); // log4(%.0f) steps of radix 4, with a barrier behind each", by.points);
    advice_sketch(advice, "s_points[k] *= spectrum[k]; // complex; of the filter, filled up with zeros");
    advice_sketch(advice, "inverse_fft(s_points); // its first %.0f results are wrapped around, the others outputs",
                  taps - 1);
    return true;
}
