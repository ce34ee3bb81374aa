/* resemblance.h - finds out what a wrong output would be right for: a flipped filter, swapped rows and columns, two
 * inputs taken for each other, channels in another order, the data of an earlier case, an input that is left out or cut
 * off, a filter that begins where its middle should be.
 *
 * Each variant changes one array, or takes it from an earlier case. The output is first compared in a few
 * elements, which nearly always rules the variant out, and completely only if they agree.  */
#ifndef GRADER_CHECK_RESEMBLANCE_H
#define GRADER_CHECK_RESEMBLANCE_H

#include "grader/check/diagnosis.h"
#include "grader/problem/problem.h"

/* A case whose inputs solve() may have kept. */
typedef enum EarlierCase {
    EARLIER_BEFORE,
    EARLIER_FIRST, /* that its process was called with; it may be the case before */
    EARLIER_CASES
} EarlierCase;

/* What solve() may have computed instead. */
typedef struct ResemblanceVariant {
    Sizes sizes;
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    const void *output; /* the output of solve(), perhaps in another order */
    bool in_part;       /* elements of the output with the bits of the poison do not count */
} ResemblanceVariant;

/* Sets `is_right` if the output is right for the sizes and inputs: in a few elements, or in all. */
typedef Status (*ResemblanceTest)(void *context, const ResemblanceVariant *variant, bool in_all, bool *is_right,
                                  Message *why);

typedef struct ResemblanceSubject {
    const Problem *problem;
    const Sizes *sizes;
    const void *const *inputs;                 /* [parameter] */
    const void *const *earlier[EARLIER_CASES]; /* [parameter] inputs, at least as large; NULL: not known */
    const void *output;
    uint32_t poison;
    size_t wrong; /* elements of the output */
    ResemblanceTest test;
    void *context; /* of the test */
} ResemblanceSubject;

/* Leaves `nature` as it is if the output resembles nothing that is known. */
MUST_USE Status resemblance_find(const ResemblanceSubject *subject, WrongNature *nature, Message *why);

#endif
