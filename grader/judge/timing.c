#include "grader/judge/timing.h"

#include "base/arena.h"
#include "base/terminal.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ==== timing ====================================================================================================== */

/* No time is more certain than this, whatever its samples say: medians of 100 cold calls, repeated in one process,
 * mostly agree within 0.3 % and always within 1 % (measured), and models have errors of their own. */
static const double LEAST_UNCERTAINTY = 0.005;

/* Beyond the gap, the host's clock showed up to 6 us more than the events of an honest run, and 60 us more than
 * those of a forged one (measured; the gap itself is 6-9 us). The slack matters for short kernels, the factor for
 * long ones. */
static const double FORGED_FACTOR = 1.5, FORGED_SLACK_S = 20e-6;
enum { FORGED_BLOCKS = 2 }; /* one odd block is no proof */

/* An oracle on an H200 has the output 0.3 to 0.7 ms after the end of honest work (medians of blocks, measured): copies,
 * messages between three processes, and the change from one context to the other. */
static const double LATE_FACTOR = 2, LATE_SLACK_S = 1e-3;

/* A call may be busy for longer than the timed calls of its block by this factor, and for this long, before the rest
 * is charged to them. Allocation keeps no device busy. Tables for a Fourier transform take less than a millisecond. */
static const double FREE_FACTOR = 10, FREE_S = 0.05;

static const double HOST_MARGIN = 1.01, HOST_MARGIN_S = 1e-6;

/* The ends of a 95 % interval need about a thousand: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
 * chapter 19. */
enum { REPLICATES = 1000 };
static const double INTERVAL_LOW = 0.025, INTERVAL_HIGH = 0.975;

/* Any constant will do; it makes the same samples give the same interval. */
static const uint64_t BOOTSTRAP_KEY = 0x74696D696E67;

/* ---- order statistics -------------------------------------------------------------------------------------------- */

static void swap_numbers(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves number `k` of the sorted order to its place, with smaller ones before it: Hoare's Algorithm 65, FIND. */
static void select_number(double *numbers, size_t count, size_t k)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, wanted = (ptrdiff_t)k;
    while (low < high) {
        double pivot = numbers[wanted];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (numbers[i] < pivot)
                i++;
            while (pivot < numbers[j])
                j--;
            if (i <= j)
                swap_numbers(&numbers[i++], &numbers[j--]);
        }
        if (j < wanted)
            low = i;
        if (wanted < i)
            high = j;
    }
}

/* For an even count, the mean of the middle two. Changes the order of the numbers. */
static double median(double *numbers, size_t count)
{
    size_t middle = count / 2;
    select_number(numbers, count, middle);
    if (count % 2 == 1)
        return numbers[middle];
    double below = numbers[0];
    for (size_t i = 1; i < middle; i++)
        below = fmax(below, numbers[i]);
    return (below + numbers[middle]) / 2;
}

/* The quantile `part`, from 0 to 1, of sorted numbers, interpolated between neighbours. */
static double quantile(const double *sorted, size_t count, double part)
{
    double position = part * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef struct TimingBlock {
    const CaseSample *samples;
    size_t count;
} TimingBlock;

typedef struct CaseBlocks { /* all blocks of a case */
    TimingBlock *blocks;
    size_t block_count;
    double clock_gap_s;
    double *event_s, *host_s; /* room for the samples of one block */
    double *block_s;          /* room for the times of all blocks */
} CaseBlocks;

static CaseBlocks blocks_of(const CaseSample *samples, size_t count, double clock_gap_s, Arena *arena)
{
    CaseBlocks blocks = {
        .blocks = arena_array(arena, count, sizeof *blocks.blocks),
        .clock_gap_s = clock_gap_s,
        .event_s = arena_array(arena, count, sizeof *blocks.event_s),
        .host_s = arena_array(arena, count, sizeof *blocks.host_s),
        .block_s = arena_array(arena, count, sizeof *blocks.block_s),
    };
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || samples[i].block != samples[i - 1].block)
            blocks.blocks[blocks.block_count++].samples = &samples[i];
        blocks.blocks[blocks.block_count - 1].count++;
    }
    return blocks;
}

typedef struct ClockMedians {
    double event_s, host_s; /* host_s: less the gap; negative: there is no second clock */
} ClockMedians;

/* The medians of the samples in the room of `blocks`. */
static ClockMedians medians_of_room(const CaseBlocks *blocks, size_t count)
{
    return (ClockMedians){.event_s = median(blocks->event_s, count),
                          .host_s = median(blocks->host_s, count) - blocks->clock_gap_s};
}

static ClockMedians block_medians(const CaseBlocks *blocks, const TimingBlock *block)
{
    for (size_t i = 0; i < block->count; i++) {
        blocks->event_s[i] = block->samples[i].event_s;
        blocks->host_s[i] = block->samples[i].host_s;
    }
    return medians_of_room(blocks, block->count);
}

static double larger_s(ClockMedians medians)
{
    return fmax(medians.event_s, medians.host_s);
}

/* Honest clocks differ by the time of one poll of the host, about half a microsecond (measured), so a smaller
 * difference means nothing. */
static bool host_says_more(ClockMedians medians)
{
    return medians.host_s > HOST_MARGIN * medians.event_s + HOST_MARGIN_S;
}

static double case_time_s(const CaseBlocks *blocks, bool *host_decided)
{
    size_t by_host = 0;
    for (size_t i = 0; i < blocks->block_count; i++) {
        ClockMedians medians = block_medians(blocks, &blocks->blocks[i]);
        by_host += host_says_more(medians);
        blocks->block_s[i] = larger_s(medians) + blocks->blocks[i].samples[0].charged_s;
    }
    *host_decided = 2 * by_host > blocks->block_count;
    return median(blocks->block_s, blocks->block_count);
}

/* ---- the bootstrap ----------------------------------------------------------------------------------------------- */

typedef struct Dice {
    uint64_t drawn;
} Dice;

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), with the constants of
 * Stafford's mix 13. The same samples always give the same interval, so nothing here is secret. */
static size_t draw_index(Dice *dice, size_t count)
{
    uint64_t x = BOOTSTRAP_KEY + ++dice->drawn * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (size_t)(((x ^ x >> 31) >> 32) * count >> 32);
}

/* Resamples a block, and returns its time. The two clocks of a call stay together. */
static double redrawn_block_s(const CaseBlocks *blocks, const TimingBlock *block, Dice *dice)
{
    for (size_t i = 0; i < block->count; i++) {
        const CaseSample *sample = &block->samples[draw_index(dice, block->count)];
        blocks->event_s[i] = sample->event_s;
        blocks->host_s[i] = sample->host_s;
    }
    return larger_s(medians_of_room(blocks, block->count)) + block->samples[0].charged_s;
}

/* Resamples the blocks of a case, and returns its time. */
static double redrawn_case_s(const CaseBlocks *blocks, Dice *dice)
{
    for (size_t i = 0; i < blocks->block_count; i++) {
        const TimingBlock *block = &blocks->blocks[draw_index(dice, blocks->block_count)];
        blocks->block_s[i] = redrawn_block_s(blocks, block, dice);
    }
    return median(blocks->block_s, blocks->block_count);
}

/* The distance from the time to the farther end of the interval with 95 % of the replicates, so that one slow block
 * among two fast ones counts in full. A single block says nothing about others. */
static double half_width_s(const CaseBlocks *blocks, double time_s)
{
    double replicates[REPLICATES];
    Dice dice = {0};
    if (blocks->block_count < 2)
        return 0;
    for (size_t i = 0; i < REPLICATES; i++)
        replicates[i] = redrawn_case_s(blocks, &dice);
    qsort(replicates, REPLICATES, sizeof *replicates, order_numbers);
    return fmax(quantile(replicates, REPLICATES, INTERVAL_HIGH) - time_s,
                time_s - quantile(replicates, REPLICATES, INTERVAL_LOW));
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static bool are_usable(const CaseSample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(samples[i].event_s > 0 && samples[i].host_s >= 0 && samples[i].charged_s >= 0 &&
              isfinite(samples[i].event_s + samples[i].host_s + samples[i].charged_s)))
            return false;
    return count > 0;
}

/* Standard deviation over mean. */
static double variation_of(const double *numbers, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    return count < 2 ? 0 : sqrt(squares / (double)(count - 1)) / mean;
}

static void describe_samples(const CaseSample *samples, size_t count, double clock_gap_s, Timing *timing, Arena *arena)
{
    double *sorted = arena_array(arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (timing->host_decided ? samples[i].host_s - clock_gap_s : samples[i].event_s) +
                    samples[i].charged_s;
    qsort(sorted, count, sizeof *sorted, order_numbers);
    timing->min_s = sorted[0];
    timing->p5_s = quantile(sorted, count, 0.05);
    timing->p95_s = quantile(sorted, count, 0.95);
    timing->variation = variation_of(sorted, count);
}

Timing timing_of(const CaseSample *samples, size_t count, double clock_gap_s)
{
    Timing timing = {0};
    Arena arena = {0};
    if (!are_usable(samples, count))
        return timing;
    CaseBlocks blocks = blocks_of(samples, count, clock_gap_s, &arena);
    timing.count = count;
    timing.blocks = blocks.block_count;
    timing.time_s = case_time_s(&blocks, &timing.host_decided);
    timing.half_width = half_width_s(&blocks, timing.time_s) / timing.time_s;
    describe_samples(samples, count, clock_gap_s, &timing, &arena);
    arena_free(&arena);
    return timing;
}

void timing_take_off(Timing *timing, double constant_s, double spread_s)
{
    if (!(timing->min_s > constant_s))
        return;
    const double before_s = timing->time_s;
    double *const times[] = {&timing->time_s, &timing->min_s, &timing->p5_s, &timing->p95_s};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] -= constant_s;
    timing->half_width = hypot(timing->half_width * before_s, spread_s) / timing->time_s;
    timing->variation *= before_s / timing->time_s;
}

static double busy_beyond(double free_s, const CaseSample *calls, size_t count)
{
    double beyond_s = 0;
    for (size_t i = 0; i < count; i++)
        beyond_s += fmax(calls[i].busy_s - free_s, 0);
    return beyond_s;
}

double timing_excess(const CaseSample *warm_up, size_t warm_up_count, const CaseSample *timed, size_t timed_count)
{
    Arena arena = {0};
    if (timed_count == 0)
        return 0;
    CaseBlocks room = blocks_of(timed, timed_count, 0, &arena);
    const TimingBlock all = {.samples = timed, .count = timed_count};
    const double free_s = fmax(FREE_S, FREE_FACTOR * larger_s(block_medians(&room, &all)));
    arena_free(&arena);
    return busy_beyond(free_s, warm_up, warm_up_count) + busy_beyond(free_s, timed, timed_count);
}

double timing_uncertainty(double half_width, double drift)
{
    return fmax(LEAST_UNCERTAINTY, hypot(half_width, drift));
}

double timing_drift(double before_ms, double after_ms)
{
    return before_ms > 0 && after_ms > 0 ? fabs(after_ms / before_ms - 1) : 0;
}

MeasuredTime timing_score(const MeasuredTime *cases, size_t count)
{
    double log_ms = 0, uncertainty = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(cases[i].ms > 0))
            return (MeasuredTime){0};
        log_ms += log(cases[i].ms);
        uncertainty += cases[i].uncertainty;
    }
    if (count == 0)
        return (MeasuredTime){0};
    return (MeasuredTime){.ms = exp(log_ms / (double)count), .uncertainty = uncertainty / (double)count};
}

/* ---- forged times ----------------------------------------------------------------------------------------------- */

static bool looks_forged(ClockMedians medians)
{
    return medians.host_s > FORGED_FACTOR * medians.event_s + FORGED_SLACK_S;
}

static void add_dispute(Text *text, ClockMedians medians)
{
    text_printf(text, "CUDA events say %s, the host's clock %s", quantity_time(1e3 * medians.event_s).text,
                quantity_time(1e3 * medians.host_s).text);
}

bool timing_clocks_disagree(const CaseSample *samples, size_t count, double clock_gap_s, Text *text)
{
    Arena arena = {0};
    CaseBlocks blocks = blocks_of(samples, count, clock_gap_s, &arena);
    ClockMedians first = {0};
    int forged = 0;
    for (size_t i = 0; i < blocks.block_count; i++) {
        ClockMedians medians = block_medians(&blocks, &blocks.blocks[i]);
        if (looks_forged(medians) && forged++ == 0)
            first = medians;
    }
    if (forged >= FORGED_BLOCKS)
        add_dispute(text, first);
    arena_free(&arena);
    return forged >= FORGED_BLOCKS;
}

/* Without the part in which solve() had not returned yet, where `after_return`. */
static double median_taken_s(const CaseSample *samples, size_t count, bool after_return, double *room)
{
    for (size_t i = 0; i < count; i++)
        room[i] = samples[i].taken_s - (after_return ? samples[i].lag_s : 0);
    return median(room, count);
}

double timing_taken_s(const CaseSample *samples, size_t count)
{
    Arena arena = {0};
    double taken_s = count == 0 ? 0 : median_taken_s(samples, count, false, arena_array(&arena, count, sizeof(double)));
    arena_free(&arena);
    return taken_s;
}

/* Blocks whose output was taken late; `*first_s` is how late the first of them was. */
static int late_blocks(const CaseBlocks *blocks, double usual_s, bool after_return, double *first_s)
{
    int late = 0;
    for (size_t i = 0; i < blocks->block_count; i++) {
        const TimingBlock *block = &blocks->blocks[i];
        const double taken_s = median_taken_s(block->samples, block->count, after_return, blocks->host_s);
        if (taken_s > LATE_FACTOR * usual_s + LATE_SLACK_S && late++ == 0)
            *first_s = taken_s;
    }
    return late;
}

OutputTaken timing_taken_late(const CaseSample *samples, size_t count, double usual_s, Text *text)
{
    Arena arena = {0};
    const CaseBlocks blocks = blocks_of(samples, count, 0, &arena);
    double first_s = 0;
    OutputTaken taken = TAKEN_IN_TIME;
    if (late_blocks(&blocks, usual_s, true, &first_s) >= FORGED_BLOCKS)
        taken = TAKEN_LATE;
    else if (late_blocks(&blocks, usual_s, false, &first_s) >= FORGED_BLOCKS)
        taken = TAKEN_AFTER_RETURN;
    arena_free(&arena);
    if (taken == TAKEN_LATE)
        text_printf(text, "the output could be read only %s after the end of the work, and that of the anchor after %s",
                    quantity_time(1e3 * first_s).text, quantity_time(1e3 * usual_s).text);
    if (taken == TAKEN_AFTER_RETURN)
        text_printf(
            text,
            "solve() returned so long after its work on the device that the output could be read only %s after it; "
            "leave no long work on the host after the last CUDA call",
            quantity_time(1e3 * first_s).text);
    return taken;
}

/* ==== paired ====================================================================================================== */

enum { MANY_ROUNDS = 7 }; /* two copies are equally often on either side: all seven on one side in 1.6 % */

static const double MISSES = 1.0 / 64;  /* how often an interval misses the median */
static const double OF_INTEREST = 1.02; /* a ratio of two times */

/* How many of the sorted ratios lie outside of the interval, on each side. */
static size_t outside(size_t rounds)
{
    size_t count = 0;
    double choices = 1, sum = 1; /* C(n, count), C(n, 0) + ... + C(n, count) */
    for (; ldexp(sum, 1 - (int)rounds) <= MISSES; count++) {
        choices *= (double)(rounds - count) / (double)(count + 1);
        sum += choices;
    }
    return count > 0 ? count - 1 : 0;
}

PairedRatio paired_ratio(const double *a, const double *b, size_t rounds)
{
    double *ratios = zeroed(rounds, sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; i < rounds; i++)
        if (a[i] > 0 && b[i] > 0)
            ratios[count++] = a[i] / b[i];
    qsort(ratios, count, sizeof *ratios, order_numbers);
    PairedRatio ratio = {.rounds = count};
    if (count > 0) {
        ratio.median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
        ratio.low = ratios[outside(count)];
        ratio.high = ratios[count - 1 - outside(count)];
    }
    free(ratios);
    return ratio;
}

int paired_order(const PairedRatio *ratio)
{
    const double least = timing_uncertainty(0, 0), tie = 1 + hypot(least, least);
    const bool are_many = ratio->rounds >= MANY_ROUNDS;
    const double beyond = are_many ? 1 : tie; /* where the interval must lie */
    if (ratio->rounds == 0)
        return 0;
    return (ratio->low > beyond && ratio->median > tie) - (ratio->high < 1 / beyond && ratio->median < 1 / tie);
}

bool paired_is_decided(const PairedRatio *ratio)
{
    return ratio->rounds == 0 || paired_order(ratio) != 0 ||
           (ratio->low > 1 / OF_INTEREST && ratio->high < OF_INTEREST);
}
