/* result.h - everything that the grader knows about one grading. Every report is a view of it.
 *
 * Units  times in seconds where the name says _s, in milliseconds where it says ms; rates in 1e9 per second;
 *        roofline as a fraction of 1. An unknown number is 0 here and absent from result.json.  */
#ifndef GRADER_JUDGE_RESULT_H
#define GRADER_JUDGE_RESULT_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/check/checker.h"
#include "grader/judge/call_plan.h"
#include "grader/judge/timing.h"
#include "grader/judge/wording.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "harness/compile/compile.h"
#include "harness/device/device.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== verdict ===================================================================================================== */

/* The verdicts and their names. */

typedef enum Verdict {
    VERDICT_ACCEPTED,
    VERDICT_WRONG_ANSWER,
    VERDICT_RUN_TIME_ERROR,
    VERDICT_TIME_LIMIT_EXCEEDED,
    VERDICT_MEMORY_LIMIT_EXCEEDED,
    VERDICT_COMPILE_ERROR,
    VERDICT_RULE_VIOLATION,
    VERDICT_INTEGRITY_VIOLATION,
    VERDICT_JUDGE_ERROR, /* the device, the runtime or the compiler of this judge lacks what the submission needs */
    VERDICT_COUNT
} Verdict;

/* "Wrong Answer" */
const char *verdict_name(Verdict verdict);
/* "wrong_answer": the name of the folder under solutions/<id>/ that claims it */
const char *verdict_folder(Verdict verdict);
/* Accepts either name. */
bool verdict_parse(const char *name, Verdict *verdict);

/* Returns the exit status of a command that judges one submission: 0: accepted, 2: judge error, else 1. */
int verdict_exit_status(Verdict verdict);

/* ==== second opinion ============================================================================================== */

/* The second opinion: the simulated GPU's verdict on a submission that a real GPU judges, and why they may differ.
 *
 * A real GPU lets undefined behaviour pass as long as it does no harm: reads outside of an array, reads of memory that
 * nothing has written, races. The simulated GPU reports them. The verdict is the real GPU's in any case.
 *
 * A real GPU's Wrong Answer that the simulated GPU does not confirm may come from the compiler, too: the simulated GPU
 * executes PTX, before ptxas optimises it. The judge then runs the submission again, as it is and with -Xptxas -O0.
 *
 * Source  for the hint about ptxas: plain programs on an H200, with ptxas 13.0.88. It miscompiles a loop over offsets,
 *             for (int s = max(-radius, -col); s <= min(radius, width - 1 - col); s++)
 *                 sum += input[col + s] * filter[radius + s];
 *         from -O1 on, for floats and for uchar4, with every radius and width above 0 and 1 that was tried, and not the same
 *         loop over positions, for (int c = max(col - radius, 0); ...). */

typedef enum OpinionReason {
    OPINION_AGREES,
    OPINION_UNDEFINED,    /* the simulated GPU names undefined behaviour */
    OPINION_RACE,         /* ... or a race */
    OPINION_UNSEEN,       /* ... or a broken rule, which a real GPU does not show */
    OPINION_UNEXPLAINED,  /* it names nothing that explains the difference */
    OPINION_VARIES,       /* it accepts the submission, and so does the real GPU when asked again */
    OPINION_PTXAS,        /* likewise, but only without ptxas's optimisation */
    OPINION_NOT_PTXAS,    /* likewise not at all */
    OPINION_JUDGES_LIMIT, /* the judge cannot run it on one of the two */
    OPINION_REASONS
} OpinionReason;

typedef struct SecondOpinion {
    bool asked;
    const char *device; /* "NVIDIA H200 (simulated)"; NULL: unknown */
    const char *none;   /* why there is no opinion: one sentence; NULL: there is one */
    Verdict verdict;    /* on samples and hidden cases */
    const char *place;  /* "three taps", "hidden 4", "a hidden case"; "": no case decided it */
    const char *text;   /* one sentence; "": nothing may be told, or all was accepted */
    OpinionReason reason;
} SecondOpinion;

/* Why `here`, the verdict of a real GPU, is not `simulated`; `mistake` is what the simulated GPU found. */
OpinionReason opinion_reason(Verdict here, Verdict simulated, MistakeKind mistake);

/* True if the submission is to run again, because the simulated GPU does not confirm a wrong result. */
bool opinion_wants_retry(Verdict here, Verdict simulated);
/* The reason after running it again: as it is, and with -Xptxas -O0 (not looked at if it was `accepted_again`). */
OpinionReason opinion_reason_of_retry(bool accepted_again, bool accepted_unoptimised);

/* "undefined behaviour", for result.json. */
const char *opinion_reason_name(OpinionReason reason);
/* One or more sentences, for people. */
const char *opinion_reason_words(OpinionReason reason);

/* ==== result ====================================================================================================== */

typedef struct
    CaseErrors { /* of an output, in its unit. Of a hidden case only `max`, if its output was wrong, and only as
                            * hidden_error() */
    bool known;
    double max, mean;
    double bound; /* Comparison.bound */
} CaseErrors;

typedef struct SampleDetails { /* what only a sample case may tell */
    bool compared;             /* the output was compared with the oracle's: */
    Comparison comparison;
    OutputElements elements; /* of a wrong output */
    const char *printed;     /* what the submission printed */
    uint64_t printed_lost;   /* bytes beyond that */
} SampleDetails;

typedef struct CaseResult {
    CaseGroup group;
    const char *name; /* "three taps"; "hidden 4" for a hidden case */
    /* All 0 of a hidden case, and so are `operations` and `bytes`, unless: */
    Sizes sizes;
    bool draws_sizes; /* for this grading alone, so that they may be told */
    bool judged;      /* false: an earlier failure ended the run */
    Verdict verdict;
    const char *text;            /* one sentence; "" if accepted */
    const SampleDetails *sample; /* NULL: the data of the case are secret, and `text` is a hidden_finding_add() */
    HiddenFinding finding;       /* what may be told of it where the data are secret */
    CaseErrors errors;
    int64_t operations, bytes, input_bytes;
    CaseSample *samples; /* of timed cases that were accepted, in order of their blocks */
    size_t sample_count;
    CaseSample *warm_up; /* likewise, of the calls before those that are timed */
    size_t warm_up_count;
    const char
        *fewer_calls;  /* why a block had fewer timed calls than the problem wants: one sentence; NULL: it had all */
    Timing timing;     /* from the samples */
    MeasuredTime time; /* the same time, with the uncertainty of the sitting */
    double gflops, gbytes_per_s, roofline;
    DeviceStatistics statistics;
    double known_ms;      /* timed cases of a result that would rank: the best time known before; 0: none */
    const char *known_of; /* whose it is: "tiled.cu", "run 12" */
} CaseResult;

typedef struct CaseVerdict { /* all that points need of a case */
    const char *name;        /* as in the testcase file, of a hidden one as well */
    bool judged;
    Verdict verdict;
} CaseVerdict;

typedef struct StepSeconds { /* duration of each step of the grading, by the wall clock */
    double start, compile, sample, hidden, timed;
    double second; /* a second sitting, with everything that it takes */
    double check;  /* part of the others: computing and comparing expected outputs on the device */
    double open;   /* part of the others: from the start of one broker until its device is open */
    double wait;   /* part of the others: waiting until the device is free and steady */
} StepSeconds;

enum { RESULT_MAX_WARNINGS = 16 };

typedef struct Result {
    const Problem *problem; /* belongs to the caller */
    const char *file_name;
    Digest source;
    char seed[65];     /* 64 hexadecimal digits: the key that the data of all cases follow from, but not of calls
                        * that a GPU times; "": none was chosen */
    char time_utc[32]; /* start of the grading, "2026-01-31T12:00:00Z" */
    const char *person;
    DeviceInfo device;   /* if `on_cpu`, only its names mean anything */
    bool on_cpu;         /* a CPU baseline: plain C, timed by the judge's clock, never ranked or recorded */
    const char *judge;   /* version of the judge */
    char toolkit[80];    /* the compiler and its version: "nvcc 13.0.88" */
    bool by_clang;       /* times cannot be compared with those of code from nvcc */
    const char *sandbox; /* sandbox_level() */
    bool unconfined;     /* --unconfined was given */
    Compiled compiled;

    Verdict verdict;  /* of the first case that failed, or of a step that failed before or after the cases */
    const char *text; /* one sentence; "" if accepted */
    CaseResult *cases;
    size_t case_count;
    CaseVerdict *all_cases; /* by the same index; NULL: not wanted. Only case_verdicts.h shows them */
    StepSeconds seconds;
    const char *warnings[RESULT_MAX_WARNINGS];
    size_t warning_count;
    const char *note; /* about what is allowed, and worth knowing; NULL: none */

    AnchorTimes anchor;      /* real GPUs; and so are the blocks */
    BlockConditions *blocks; /* by number, in the arena */
    size_t block_count;
    char unsteady[300];  /* why the times do not count; "": they do */
    CallPlan plan;       /* of the timed cases */
    const char *way_out; /* lines on what to try where a hidden case failed, for people; NULL: nothing is known */

    SecondOpinion opinion; /* of the simulated GPU, where a real one judged */

    /* The timed cases once more, in a second sitting (grader/ranking/review.h); NULL: there was none. Its verdict, times
     * and conditions mean the same as the result's. */
    struct Result *second;

    MeasuredTime score;                    /* geometric mean over the timed cases; ms 0: no score */
    double gflops, gbytes_per_s, roofline; /* geometric means as well */

    char rank_status[300];          /* "ranked", or "not ranked: " or "quarantined: " and the reason */
    Percentile references, class_;  /* n 0: absent */
    size_t rank;                    /* in the class; 0: not ranked */
    ReferenceTime *reference_times; /* the reference solutions' times, fastest first */
    size_t reference_count;
    int64_t run; /* its number in the leaderboard; 0: it was not recorded */
    Arena arena;
} Result;

void result_free(Result *result);

/* Begins the result of a grading that begins now. */
void result_begin(Result *result, const Problem *problem, const Submission *submission);
/* Adds an entry, not yet judged, for each testcase of a wanted group. `(*testcases)[i]` is the testcase of cases[i]. */
void result_list_cases(Result *result, const TestcaseSet *set, const bool wanted[CASE_GROUPS],
                       const Testcase ***testcases);

/* Removes all cases but the one with this name. */
void result_keep_case(Result *result, const Testcase **testcases, const char *name);

/* Adds a warning, unless it is there already. */
__attribute__((format(printf, 2, 3))) void result_warn(Result *result, const char *format, ...);

/* Whether a doubt concerns a modelled time; a score, through one of its cases; and what it is in words. */
bool result_has_doubt(const DeviceStatistics *statistics, ModelDoubt doubt);
bool result_score_has_doubt(const Result *result, ModelDoubt doubt);
const char *result_doubt_words(ModelDoubt doubt);
/* Computes the time and the rates of a case from its samples. */
void result_time_case(CaseResult *item, const DeviceInfo *device);
/* The same case in the second sitting; NULL: it was not timed there. */
const CaseResult *result_second_case(const Result *result, const CaseResult *item);

/* Computes score and rates if every timed case has a time. The drift of the anchor, which is known only after all
 * cases, becomes part of the uncertainty of each. */
void result_score(Result *result);
/* Sets `unsteady`, if it is empty, when a block was disturbed or the anchor drifted. */
void result_find_unsteady(Result *result);

/* The case that decided the verdict; NULL: all were accepted, or none was judged. */
const CaseResult *result_failed_case(const Result *result);

/* Returns for each resource the most that any kernel uses. */
CompileKernel result_largest_use(const Compiled *compiled);

/* ==== case verdicts =============================================================================================== */

/* The verdict of every sample and hidden case, as JSON (docs/reference/formats.md). For teachers: it names hidden cases
 * and says more of them than result.json may. */

/* Needs Result.all_cases. */
void case_verdicts_json(const Result *result, Text *out);

/* ==== version ===================================================================================================== */

/* The version of the judge, which every run records and --version shows. */

#define CONVJUDGE_VERSION "0.1.0"

#endif
