#include "simgpu/gpu/block_sample.h"

#include "base/allocated.h"
#include "base/chacha20.h"
#include "simgpu/code/instruction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BLOCKS = 2048, /* of a grid, fewer of which are not worth it */
    STRIPS = 4096,       /* of a grid, at most */
    PILOT = 64           /* strips */
};
static const double MOST_ERROR = 0.005; /* the uncertainty that no score is without (grader/timing/timing.h) */
static const double MOST_SHARE = 0.75;  /* of the strips; where more would run, all do */

/* ---- which grids ------------------------------------------------------------------------------------------------- */

static bool is_alone(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (instruction_facts(&code->instructions[i]).is_seen)
            return false;
    return !code->uses_cluster;
}

bool block_sample_is_possible(const GridRun *run)
{
    const Launch *launch = &run->launch;
    const SimLaunch *request = launch->request;
    return request->sample_lane_instructions > 0 && request->sample_key != NULL && launch->is_timed &&
           launch->cluster_blocks == 1 && launch->blocks >= LEAST_BLOCKS && launch->sanitizer_plan == NULL &&
           request->footprint == NULL && is_alone(launch->code);
}

/* ---- the strips -------------------------------------------------------------------------------------------------- */

typedef struct Drawing { /* the strips of a grid: first those that run in any case, of one block each */
    Strip *strips;
    uint64_t certain, count;
} Drawing;

/* A number below `bound`, which fits 32 bits. The draws are not exactly uniform: they are off by less than bound / 2^32. */
static uint64_t draw(const Chacha20Key *key, uint32_t number, uint64_t bound)
{
    const uint32_t purpose = 0x5a3b; /* others draw with the same key: simgpu/sanitizer, simgpu/cost/reuse.c */
    const Chacha20Block block = chacha20_block(key, number / CHACHA20_WORDS, purpose, 0, 0);
    return (uint64_t)block.words[number % CHACHA20_WORDS] * bound >> 32;
}

static void shuffle(Strip *strips, uint64_t count, const Chacha20Key *key)
{
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t other = draw(key, (uint32_t)i, i);
        const Strip strip = strips[i - 1];
        strips[i - 1] = strips[other];
        strips[other] = strip;
    }
}

static Drawing drawing_new(const Launch *launch)
{
    const uint64_t length = (launch->blocks + STRIPS - 1) / STRIPS, count = (launch->blocks + length - 1) / length;
    Drawing drawing = {.strips = zeroed(launch->blocks < 2 * STRIPS ? launch->blocks + count : 2 * STRIPS + count,
                                        sizeof *drawing.strips)};
    for (uint64_t block = 0; block < launch->blocks; block++)
        if (run_is_traced(launch, block))
            drawing.strips[drawing.certain++] = (Strip){block, block + 1};
    drawing.count = drawing.certain;
    for (uint64_t i = 0; i < count; i++)
        drawing.strips[drawing.count++] = (Strip){i * length, (i + 1) * length < launch->blocks ? (i + 1) * length
                                                                                                : launch->blocks};
    shuffle(drawing.strips + drawing.certain, count, launch->request->sample_key);
    return drawing;
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

typedef struct SampleSums { /* of a run so far */
    SimCounters counters;
    Executed *executed;
    SimLine *lines;
} SampleSums;

static SampleSums sums_of(const GridRun *run)
{
    const size_t blocks = (size_t)run->launch.code->block_count;
    SampleSums sums = {.counters = run->counters, .executed = zeroed(blocks, sizeof *sums.executed)};
    memcpy(sums.executed, run->executed, blocks * sizeof *sums.executed);
    if (run->lines != NULL) {
        sums.lines = zeroed((size_t)run->lines->count, sizeof *sums.lines);
        memcpy(sums.lines, run->lines->lines, (size_t)run->lines->count * sizeof *sums.lines);
    }
    return sums;
}

static uint64_t extrapolated(uint64_t certain, uint64_t all, double factor)
{
    return certain + (uint64_t)((double)(all - certain) * factor + 0.5);
}

static void extrapolate_counters(SimCounters *counters, const SimCounters *certain, double factor)
{
    for (size_t i = 0; i < sizeof *counters / sizeof(uint64_t); i++)
        ((uint64_t *)counters)[i] = extrapolated(((const uint64_t *)certain)[i], ((uint64_t *)counters)[i], factor);
}

static void extrapolate_line(SimLine *line, const SimLine *certain, double factor)
{
#define LINE_COUNTER(NAME, UNIT) line->NAME = extrapolated(certain->NAME, line->NAME, factor);
#include "simgpu/cost/counters.def"
    extrapolate_counters(&line->counters, &certain->counters, factor);
}

static void extrapolate(GridRun *run, const SampleSums *certain, double factor)
{
    extrapolate_counters(&run->counters, &certain->counters, factor);
    for (int i = 0; i < run->launch.code->block_count; i++) {
        run->executed[i].warps = extrapolated(certain->executed[i].warps, run->executed[i].warps, factor);
        run->executed[i].lanes = extrapolated(certain->executed[i].lanes, run->executed[i].lanes, factor);
    }
    for (int i = 0; run->lines != NULL && i < run->lines->count; i++)
        extrapolate_line(&run->lines->lines[i], &certain->lines[i], factor);
}

/* Half the width of the 95 % interval of the instructions of a block, relative to their mean: that of a ratio of two sums
 * over the strips that ran, of `count`. What rounding leaves of equal blocks is no variance. */
static double error_of(const GridRun *run, uint64_t count)
{
    const long double normal = 1.96L, rounding = 1e-15L, n = run->strips_run;
    const long double b = run->moments.b, x = run->moments.x, bb = run->moments.bb, bx = run->moments.bx,
                      xx = run->moments.xx, mean = x / b;
    const long double squares = xx - 2 * mean * bx + mean * mean * bb;
    if (!(squares > rounding * xx))
        return 0;
    return (double)(normal * sqrtl(squares / (n - 1) * n * (1 - n / (long double)count)) / x);
}

/* Strips that the limit leaves room for. All lanes of a block are assumed to take its path. */
static uint64_t strips_within(const GridRun *run)
{
    const double lanes = (double)run->moments.x / (double)run->strips_run * run->launch.capacity;
    const double room = (double)run->launch.request->sample_lane_instructions / fmax(1, lanes);
    return room < PILOT ? PILOT : room > STRIPS ? STRIPS : (uint64_t)room;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static uint64_t stored_bytes(const SimMarked *marked)
{
    const uint32_t *words = (const uint32_t *)(uintptr_t)marked->address;
    uint64_t stored = 0;
    for (uint64_t i = 0; i < marked->bytes / sizeof *words; i++)
        stored += words[i] != marked->words[i % marked->word_count];
    return stored * sizeof *words;
}

static void forget_strips(GridRun *run)
{
    run->strips_run = run->blocks_run = 0;
    run->moments = (StripMoments){0};
}

static void run_drawn(SimGpu *gpu, GridRun *run, const Drawing *drawing, int helpers)
{
    const uint64_t first = drawing->certain, count = drawing->count - first;
    uint64_t done = 0, wanted = PILOT < count ? PILOT : count;
    while (done < wanted && run_strips(gpu, run, first + done, first + wanted, helpers)) {
        done = wanted;
        wanted = strips_within(run);
        if (wanted <= done && error_of(run, count) > MOST_ERROR)
            wanted = 2 * done;
        if ((double)wanted > MOST_SHARE * (double)count)
            wanted = count;
    }
}

void block_sample_run(SimGpu *gpu, GridRun *run, int helpers)
{
    const Drawing drawing = drawing_new(&run->launch);
    run->strips = drawing.strips;
    if (run_strips(gpu, run, 0, drawing.certain, helpers)) {
        const SampleSums certain = sums_of(run);
        run->certain_bytes = stored_bytes(&run->launch.request->marked);
        const uint64_t left = run->launch.blocks - run->blocks_run;
        forget_strips(run);
        run->skips_traced = true;
        run_drawn(gpu, run, &drawing, helpers);
        if (run->blocks_run < left && run->blocks_run > 0) {
            run->sampled_share = 1 - (double)(left - run->blocks_run) / (double)run->launch.blocks;
            run->sample_error = error_of(run, drawing.count - drawing.certain);
            run->drawn_share = (double)run->blocks_run / (double)run->launch.blocks;
            extrapolate(run, &certain, (double)left / (double)run->blocks_run);
        }
        free(certain.executed);
        free(certain.lines);
    }
    run->strips = NULL;
    free(drawing.strips);
}
