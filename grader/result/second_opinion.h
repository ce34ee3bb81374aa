/* second_opinion.h - what the simulated GPU says of a submission that a real GPU judges, and why they may differ.
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
 *         loop over positions, for (int c = max(col - radius, 0); ...).  */
#ifndef GRADER_RESULT_SECOND_OPINION_H
#define GRADER_RESULT_SECOND_OPINION_H

#include "grader/result/verdict.h"
#include "harness/device/mistake.h"

#include <stdbool.h>

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

/* Whether to run the submission again: a wrong result is not confirmed. */
bool opinion_wants_retry(Verdict here, Verdict simulated);
/* The reason after running it again: as it is, and with -Xptxas -O0 (not looked at if it was `accepted_again`). */
OpinionReason opinion_reason_of_retry(bool accepted_again, bool accepted_unoptimised);

/* "undefined behaviour", for result.json. */
const char *opinion_reason_name(OpinionReason reason);
/* One or more sentences, for people. */
const char *opinion_reason_words(OpinionReason reason);

#endif
