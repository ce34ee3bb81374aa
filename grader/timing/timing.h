/* timing.h - from the samples of a timed case to its time, and to how far that time can be trusted.
 *
 * Samples are taken in blocks, each in a fresh runner: within a process times agree better than between processes, so
 * what differs between the blocks is what says how well a time repeats. Every sample has two clocks, since a kernel can
 * forge the events' (docs/security.md); the larger time counts, so forging gains nothing.
 *
 * Shapes   `samples`: `count` of one case; those of a block stand together, and blocks need not be of one size.
 * Units    seconds where the name says _s, milliseconds where it says ms; uncertainties, drifts and variations are
 *          relative: 0.005 is half a percent.
 * Errors   none: samples that no clock can have shown make no time (time_s 0).
 * Limits   where only the blocks differ, three of them bound the true time in 85 % of sittings, not in 95 % (simulated,
 *          normal numbers): no resampling shows what three draws did not.
 * Source   blocks, then samples in them, drawn again: Davison and Hinkley, Bootstrap Methods and their Application
 *          (1997), section 3.8, "Hierarchical Data"; figures called measured: an NVIDIA H200, driver 580.  */
#ifndef GRADER_TIMING_TIMING_H
#define GRADER_TIMING_TIMING_H

#include "base/text.h"
#include "leaderboard/percentile.h"

#include <stdbool.h>
#include <stddef.h>

/* Medians of the same code, taken again in the same process, are within 1 % of each other (measured); where the anchor
 * drifts by more than twice that, something else was going on. */
#define TIMING_MOST_DRIFT 0.02

typedef struct CaseSample { /* one timed call, on both clocks */
    double event_s;
    double host_s; /* 0 where the device has one clock */
    int block;     /* number of the runner it was taken in, from 0 */
} CaseSample;

typedef struct Timing {
    double time_s;     /* median over the blocks of each block's time; 0: there is none */
    double half_width; /* to the farther end of its 95 % interval, relative, by the samples alone; 0: one block */
    double min_s, p5_s, p95_s; /* of all samples, by the clock that decided */
    double variation;          /* coefficient of variation of the same; 0 with a single sample */
    bool host_decided;         /* the host's clock showed clearly more than the events in most blocks */
    size_t count, blocks;      /* samples; blocks they came from */
} Timing;

typedef struct AnchorTimes { /* a reference solution timed before and after the submission, in the same sitting */
    char name[64];           /* "": none was timed */
    double before_ms, after_ms;
    double drift; /* timing_drift() of the two */
} AnchorTimes;

typedef struct BlockConditions { /* state of a real GPU while one block was timed */
    double sm_clock_mhz, temperature_c;
    char disturbance[200]; /* "another process used the GPU"; "": nothing disturbed it */
} BlockConditions;

/* A block's time is the larger of the median event time and the median host time less `clock_gap_s`, which the host's
 * clock shows beyond the events around the same work. The same samples always give the same figures. */
Timing timing_of(const CaseSample *samples, size_t count, double clock_gap_s);

/* What is known of a time whose samples say `half_width`, taken in a sitting whose anchor drifted by `drift`. */
double timing_uncertainty(double half_width, double drift);

/* How far apart two times of the same code are; 0 where one of them is missing. */
double timing_drift(double before_ms, double after_ms);

/* Geometric mean over the timed cases, with the mean of their uncertainties; ms 0 where one of them has no time. */
MeasuredTime timing_score(const MeasuredTime *cases, size_t count);

/* Whether the events claim grossly less than the host's clock saw, in two blocks or more: one odd sample or one odd
 * block convicts nobody. `text` then gets "CUDA events say 4.4 us, the host's clock 64 us", of the first such block. */
bool timing_clocks_disagree(const CaseSample *samples, size_t count, double clock_gap_s, Text *text);

#endif
