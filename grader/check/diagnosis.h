/* diagnosis.h - the kind of mistake: where the wrong elements lie, and what they have in common.
 *
 * It is given all elements, right and wrong, in order of their index, and keeps one byte for each position along
 * each index. The result is a short phrase, "the last 3 columns: never written", "every 32nd element", and its kind,
 * which is all that hidden cases tell of it.  */
#ifndef GRADER_CHECK_DIAGNOSIS_H
#define GRADER_CHECK_DIAGNOSIS_H

#include "base/tensor.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== wrong output ================================================================================================ */

/* The kinds of wrong output (wrong_output.def). */

#define WRONG_PLACE(constant, words) WRONG_PLACE_##constant,
typedef enum WrongPlace {
#include "grader/check/wrong_output.def"
    WRONG_PLACES
} WrongPlace;
#undef WRONG_PLACE

#define WRONG_NATURE(constant, words) WRONG_NATURE_##constant,
typedef enum WrongNature {
#include "grader/check/wrong_output.def"
    WRONG_NATURES
} WrongNature;
#undef WRONG_NATURE

typedef struct WrongOutput { /* all 0: nothing is wrong */
    WrongPlace place;
    WrongNature nature;
} WrongOutput;

const char *wrong_place_words(WrongPlace place);
const char *wrong_nature_words(WrongNature nature);

/* ==== diagnosis =================================================================================================== */

enum { DIAGNOSIS_BLOCK = 1024 }; /* size of the largest block of threads whose edges are recognised */

/* The positions of wrong elements along one index. */
typedef struct DiagnosisAxis {
    size_t extent, least, largest;
    size_t previous, step; /* `step`: greatest common divisor of the distances; 0: only one position so far */
    size_t distinct;       /* number of different positions */
    unsigned char *marked; /* one byte for each position */
    bool residue[DIAGNOSIS_BLOCK];
} DiagnosisAxis;

typedef struct Diagnosis {
    int rank;
    DiagnosisAxis axes[TENSOR_MAX_RANK];
    size_t count, wrong;
    size_t first, last, step;                             /* of wrong elements, by row-major index */
    size_t right_first, right_last, right_step;           /* of right elements, likewise */
    size_t border;                                        /* largest distance of a wrong element from the border */
    size_t reaching_wrong, reaching_right;                /* numbers of elements with `reaches_outside` */
    size_t never_written, nan, infinite, zero, imprecise; /* numbers of wrong elements of each kind */
    size_t whole, fractions;           /* numbers of wrong elements that are whole, and of those that should not be */
    size_t like_before, like_after;    /* wrong elements with the value expected of their neighbour */
    size_t without_neighbour;          /* wrong elements where a neighbour is not known */
    double least_ratio, largest_ratio; /* got / expected, of elements far larger than their bound */
    size_t with_ratio;                 /* number of those elements */
} Diagnosis;

typedef struct DiagnosisElement {
    size_t index;
    bool wrong, never_written;
    bool reaches_outside; /* its filter reaches past the border of the image, as far as that is known */
    double got, expected, bound;
    double imprecise;             /* largest error that too little precision can explain */
    const double *before, *after; /* expected values of the neighbours; NULL: not known */
} DiagnosisElement;

void diagnosis_begin(Diagnosis *diagnosis, int rank, const size_t *shape);
void diagnosis_add(Diagnosis *diagnosis, const DiagnosisElement *element);
void diagnosis_free(Diagnosis *diagnosis);

/* Writes "the last 3 columns". At least one element must be wrong. */
WrongPlace diagnosis_where(const Diagnosis *diagnosis, char *text, size_t size);
/* WRONG_NATURE_UNKNOWN if the wrong values have nothing in common that it knows. */
WrongNature diagnosis_what(const Diagnosis *diagnosis);

#endif
