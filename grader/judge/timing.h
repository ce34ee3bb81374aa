/* timing.h - from the samples of a timed case to its time and the uncertainty of that time.
 *
 * Samples are taken in blocks, each in a new runner: times agree better within a process than between processes, so the
 * differences between blocks show how well a time repeats. Every sample has two clocks, since a kernel can forge the
 * events (docs/explanation/security.md). The larger time counts, so that forging gains nothing.
 *
 * Shapes   `samples`: `count` samples of one case; those of a block follow each other. Blocks may differ in size.
 * Units    seconds where the name says _s, milliseconds where it says ms; uncertainties, drifts and variations are
 *          relative: 0.005 is half a percent.
 * Errors   none: samples that no clock can have shown give no time (time_s 0).
 * Limits   if only the blocks differ, three of them bound the true time in 85 % of sittings, not in 95 % (simulated,
 *          normal numbers): no resampling shows what three draws did not.
 * Source   resampling blocks, then samples within them: Davison and Hinkley, Bootstrap Methods and their Application
 *          (1997), section 3.8, "Hierarchical Data"; figures called measured: an NVIDIA H200, driver 580.  */
#ifndef GRADER_JUDGE_TIMING_H
#define GRADER_JUDGE_TIMING_H

#include "base/text.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== paired ====================================================================================================== */

/* The ratio of two programs' times, from rounds in which one was timed right after the other.
 *
 * What changes slowly on a device, such as its clock and its temperature, is nearly the same in both parts of a round, so
 * their ratio varies less than either time.
 *
 * Units   times in any unit, the same for both; a time of 0 is missing, and its round does not count.
 * Source  the interval between the k-th smallest and the k-th largest of n ratios misses their median with a probability of
 *         2^(1-n) (C(n,0) + ... + C(n,k-1)), whatever their distribution: Conover, Practical Nonparametric Statistics (1999),
 *         section 3.2. Here k is the largest for which that is at most 1/64, as for the smallest and the largest of seven. */

typedef struct PairedRatio {
    double median;    /* of the ratios a / b */
    double low, high; /* an interval of 98 % for it; of fewer than seven rounds: the smallest and the largest */
    size_t rounds;    /* with both times; 0: the other fields mean nothing */
} PairedRatio;

PairedRatio paired_ratio(const double *a, const double *b, size_t rounds);

/* Returns which of the two is significantly faster: a (-1), b (1), or neither (0). No time is more certain than half a
 * percent, as in timing_uncertainty(), so ratios closer to 1 than two such times are a tie. From seven rounds on, one
 * is faster if all of the interval is on its side, and the median beyond a tie; with fewer, only if every ratio is
 * beyond it. */
int paired_order(const PairedRatio *ratio);

/* True if more rounds are not worth their time: one is faster, or they differ by less than 2 % in any case. */
bool paired_is_decided(const PairedRatio *ratio);

/* ==== timing ====================================================================================================== */

/* Medians of the same code, repeated in one process, are within 1 % of each other (measured). If the anchor drifts
 * by more than twice that, something disturbed the device. */
#define TIMING_MOST_DRIFT 0.02

typedef struct CaseSample { /* one call, on both clocks */
    double event_s;
    double host_s;    /* 0: the device has only one clock */
    int block;        /* number of the block, from 0 */
    double taken_s;   /* from the end of the work, by the host's clock, until the oracle had the output, without
                       * CallReport.examined_s; 0: unknown */
    double lag_s;     /* the part of taken_s until solve() had returned, if it returned after the end of the work */
    double busy_s;    /* for how long the device had work */
    double charged_s; /* share in what calls of the block did beyond measure (timing_excess()): the same for all its
                       * timed calls */
} CaseSample;

typedef struct Timing {
    double time_s;     /* median of the blocks' times; 0: there is no time */
    double half_width; /* relative distance to the farther end of the 95 % interval of the samples; 0: one block */
    double min_s, p5_s, p95_s; /* of all samples, by the clock that decided */
    double variation;          /* coefficient of variation of the same samples; 0: a single one */
    bool host_decided;         /* in most blocks, the host's clock showed clearly more than the events */
    size_t count, blocks;      /* numbers of samples and of blocks */
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

/* The time of a block is the larger of two medians: of the event times, and of the host times less `clock_gap_s`,
 * which the host's clock shows more than events around the same work. What the block is charged is added. The same
 * samples always give the same figures. */
Timing timing_of(const CaseSample *samples, size_t count, double clock_gap_s);

/* Takes `constant_s` off every call, which the host adds to each (device_host_constant_s()), and lets what is unknown of it,
 * `spread_s`, be part of the half-width. A time that is not longer than the constant stays as it is. */
void timing_take_off(Timing *timing, double constant_s, double spread_s);

/* A call may make a table once that later calls use, but not much more than that: returns the time that the device was
 * busy in these calls of one case and one block beyond ten times the median of the timed ones and beyond 50 ms. */
double timing_excess(const CaseSample *warm_up, size_t warm_up_count, const CaseSample *timed, size_t timed_count);

/* The uncertainty of a time whose samples have this half-width, in a sitting whose anchor drifted by `drift`. */
double timing_uncertainty(double half_width, double drift);

/* The relative difference of two times of the same code; 0: one of them is missing. */
double timing_drift(double before_ms, double after_ms);

/* The geometric mean over the timed cases, with the mean of their uncertainties; ms 0: a case has no time. */
MeasuredTime timing_score(const MeasuredTime *cases, size_t count);

/* True if the events show grossly less than the host's clock in at least two blocks: one odd sample or block is no
 * proof. Then adds "CUDA events say 4.4 us, the host's clock 64 us", of the first such block, to `text`. */
bool timing_clocks_disagree(const CaseSample *samples, size_t count, double clock_gap_s, Text *text);

/* The median of the taken_s of all samples. */
double timing_taken_s(const CaseSample *samples, size_t count);

/* Says whether the oracle had the output grossly later than `usual_s` in at least two blocks. `usual_s` is
 * timing_taken_s() of an honest program in the same case. */
typedef enum OutputTaken {
    TAKEN_IN_TIME,
    TAKEN_AFTER_RETURN, /* solve() returned so late: the host was busy with something, and nobody knows whether the device was */
    TAKEN_LATE          /* after solve() had returned: the device was still working when both clocks had stopped */
} OutputTaken;

/* Adds a sentence to `text` if the output was late: "the output could be read only 900 us after the end of the work ..." */
OutputTaken timing_taken_late(const CaseSample *samples, size_t count, double usual_s, Text *text);

#endif
