#include "grader/result/second_opinion.h"

static const struct {
    const char *name, *words;
} reasons[OPINION_REASONS] = {
    [OPINION_AGREES] = {"agrees", ""},
    [OPINION_UNDEFINED] = {"undefined behaviour",
                           "this is undefined behaviour: what a real GPU makes of it depends on what happens to lie in "
                           "memory, and can change with the sizes, the GPU, and the compiler"},
    [OPINION_RACE] = {"race", "this is a race: what a real GPU makes of it depends on which thread happens to come "
                              "first, and can change from run to run"},
    [OPINION_UNSEEN] = {"rule", "a real GPU does not show which kernel reads and writes what; the simulated one does"},
    [OPINION_UNEXPLAINED] = {"unexplained",
                             "undefined behaviour or a race that the simulated GPU does not recognise, or "
                             "code that asks on which GPU it runs"},
    [OPINION_VARIES] = {"varies",
                        "run again on this GPU, the same program is accepted. That is how a race looks that the "
                        "simulated GPU does not recognise"},
    [OPINION_PTXAS] =
        {"ptxas", "compiled with -Xptxas -O0, the file is accepted on this GPU as well. So ptxas's "
                  "optimisation changes the result. Either it shows undefined behaviour, or it is a mistake "
                  "of ptxas: the one of CUDA 13.0 miscompiles right loops over offsets between clamped bounds, such "
                  "as s = max(-radius, -col). Loop over positions instead, c = max(col - radius, 0), or test for the "
                  "border inside the loop"},
    [OPINION_NOT_PTXAS] = {"not ptxas",
                           "compiled with -Xptxas -O0, the file is not accepted on this GPU either. So it is "
                           "not ptxas's optimisation: a race that the simulated GPU does not recognise, "
                           "undefined behaviour, or code that asks on which GPU it runs"},
    [OPINION_JUDGES_LIMIT] = {"a limit of the judge", "the judge cannot run this file on both"},
};

/* What the simulated GPU's finding says about a real GPU. */
static OpinionReason reason_of_mistake(MistakeKind mistake)
{
    switch (mistake) {
#define MISTAKE(constant, words)
#define OUTSIDE(constant, verb, array, kind) case MISTAKE_##constant:
#include "harness/device/mistake.def"
#undef MISTAKE
    case MISTAKE_WRITE_READ_ONLY:
    case MISTAKE_FREED_MEMORY:
    case MISTAKE_NOT_DEVICE_MEMORY:
    case MISTAKE_MISALIGNED:
    case MISTAKE_BARRIER:
    case MISTAKE_UNSET_MBARRIER:
    case MISTAKE_NO_STACK:
    case MISTAKE_BAD_HANDLE:
    case MISTAKE_MIXED_BARRIERS:
    case MISTAKE_UNINITIALISED:
    case MISTAKE_UNSET_VARIABLE:
    case MISTAKE_BAD_SHUFFLE: return OPINION_UNDEFINED;
    case MISTAKE_RACE_OF_BLOCKS:
    case MISTAKE_NO_FENCE:
    case MISTAKE_RACE_OF_WARPS:
    case MISTAKE_RACE_OF_LANES:
    case MISTAKE_RACE_WITH_COPY:
    case MISTAKE_RACE_WITH_PRODUCT:
    case MISTAKE_UNWAITED_PRODUCT:
    case MISTAKE_UNFENCED_PRODUCT:
    case MISTAKE_NO_PROXY_FENCE:
    case MISTAKE_RACE_IN_CLUSTER:
    case MISTAKE_RACE_IN_WARP:
    case MISTAKE_KERNEL_NOT_ORDERED:
    case MISTAKE_COPY_NOT_ORDERED:
    case MISTAKE_NO_GRID_WAIT:
    case MISTAKE_HOST_TOO_EARLY: return OPINION_RACE;
    case MISTAKE_NOT_BY_KERNEL:
    case MISTAKE_FROM_HOST:
    case MISTAKE_NOT_THROUGH_CONSTANTS:
    case MISTAKE_FOREIGN_CODE: return OPINION_UNSEEN;
    default: return OPINION_UNEXPLAINED;
    }
}

OpinionReason opinion_reason(Verdict here, Verdict simulated, MistakeKind mistake)
{
    if (here == simulated)
        return OPINION_AGREES;
    if (here == VERDICT_JUDGE_ERROR)
        return OPINION_JUDGES_LIMIT;
    return simulated == VERDICT_ACCEPTED ? OPINION_UNEXPLAINED : reason_of_mistake(mistake);
}

bool opinion_wants_retry(Verdict here, Verdict simulated)
{
    return simulated == VERDICT_ACCEPTED && (here == VERDICT_WRONG_ANSWER || here == VERDICT_RUN_TIME_ERROR);
}

OpinionReason opinion_reason_of_retry(bool accepted_again, bool accepted_unoptimised)
{
    if (accepted_again)
        return OPINION_VARIES;
    return accepted_unoptimised ? OPINION_PTXAS : OPINION_NOT_PTXAS;
}

const char *opinion_reason_name(OpinionReason reason)
{
    return reasons[reason].name;
}

const char *opinion_reason_words(OpinionReason reason)
{
    return reasons[reason].words;
}
