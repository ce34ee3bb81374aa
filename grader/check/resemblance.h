/* resemblance.h - finds out what a wrong output would be right for: a flipped filter, another border, swapped rows and
 * columns, a bias added too late, the data of an earlier case, a filter that begins where its middle should be.
 *
 * Each experiment is a variant of the case: the oracle computes the output from other inputs, for other sizes, or by
 * another formula. The output is first compared in a few elements, which nearly always rules the variant out, and
 * completely only if they agree. The first variant that explains all elements, right and wrong, is the answer.  */
#ifndef GRADER_CHECK_RESEMBLANCE_H
#define GRADER_CHECK_RESEMBLANCE_H

#include "base/arena.h"
#include "grader/check/diagnosis.h"
#include "grader/check/oracle.h"
#include "grader/problem/problem.h"

/* A case whose inputs solve() may have kept. */
typedef enum EarlierCase {
    EARLIER_BEFORE,
    EARLIER_FIRST, /* that its process was called with; it may be the case before */
    EARLIER_CASES
} EarlierCase;

/* A value that the oracle computes, and the sum of the magnitudes that it is made of. */
typedef struct OracleTerm {
    double value, magnitude;
} OracleTerm;

/* Makes an output element of the values that the oracle computes for it from different inputs. */
typedef OracleTerm OracleFormula(const OracleTerm *terms);

enum { VARIANT_MAX_TERMS = 4 };

/* What solve() may have computed instead. */
typedef struct ResemblanceVariant {
    Sizes sizes;
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    const void *more[VARIANT_MAX_TERMS - 1][PROBLEM_MAX_PARAMETERS]; /* inputs of the further terms */
    OracleFormula *formula;         /* of the terms; NULL: there is one, and it is the output */
    int terms;                      /* with a formula: how many */
    OracleBetween *between;         /* changes inner sums; may be NULL */
    size_t offset[TENSOR_MAX_RANK]; /* of the output within a larger one, which the sizes belong to */
    const void *output;             /* the output of solve(), perhaps in another order */
    bool in_part;                   /* elements of the output with the bits of the poison do not count */
} ResemblanceVariant;

/* Computes the elements [first, first + count) of an output of this shape as the variant has them. */
MUST_USE Status variant_evaluate(const Oracle *oracle, const Problem *problem, const ResemblanceVariant *variant,
                                 const size_t shape[TENSOR_MAX_RANK], size_t first, size_t count, double *value,
                                 double *magnitude, Message *why);

/* Sets `is_right` if the output is right for the variant: in a few elements, or in all. */
typedef Status (*ResemblanceTest)(void *context, const ResemblanceVariant *variant, bool in_all, bool *is_right,
                                  Message *why);

typedef struct ResemblanceSubject {
    const Problem *problem;
    const Oracle *oracle;
    const Sizes *sizes;
    const void *const *inputs;                 /* [parameter] */
    const void *const *earlier[EARLIER_CASES]; /* [parameter] inputs, at least as large; NULL: not known */
    const void *output;
    uint32_t poison;
    size_t wrong;   /* elements of the output */
    double largest; /* sum of magnitudes of an element */
    ResemblanceTest test;
    void *context; /* of the test */
} ResemblanceSubject;

/* Leaves `nature` as it is if the output resembles nothing that is known. Otherwise `*parameter` is the array that the
 * experiment has changed, or parameter_count if it has changed several or none. */
MUST_USE Status resemblance_find(const ResemblanceSubject *subject, WrongNature *nature, size_t *parameter,
                                 Message *why);

/* Which elements of an output have a filter that reaches past the border of the image, where the problem lays it there. */
typedef struct BorderReach {
    bool is_known;              /* false also where no filter reaches past the border, or the image is too large */
    ResemblanceVariant variant; /* its value is not 0 in those elements */
    Arena arena;
} BorderReach;

/* Needs problem, oracle and sizes of the subject. */
MUST_USE Status border_reach_begin(const ResemblanceSubject *subject, BorderReach *reach, Message *why);
void border_reach_free(BorderReach *reach);

#endif
