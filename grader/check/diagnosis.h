/* diagnosis.h - the kind of mistake: where the wrong elements lie, and what they have in common.
 *
 * Elements are shown to it in order of their index, right ones too; nothing of the size of the output is kept but one
 * byte for each position along each index. What comes out is a short sentence with no data in it, fit for hidden cases:
 * "the last 3 columns: never written", "every 32nd element", "every element: shifted by one".  */
#ifndef GRADER_CHECK_DIAGNOSIS_H
#define GRADER_CHECK_DIAGNOSIS_H

#include "base/tensor.h"

#include <stdbool.h>
#include <stddef.h>

enum { DIAGNOSIS_BLOCK = 1024 }; /* the largest block of threads whose edges are looked for */

/* Positions of wrong elements along one index. */
typedef struct DiagnosisAxis {
    size_t extent, least, largest;
    size_t previous, step; /* `step`: greatest common divisor of the distances; 0 while there is only one position */
    size_t distinct;       /* how many positions */
    unsigned char *marked; /* one byte for each position, owned */
    bool residue[DIAGNOSIS_BLOCK];
} DiagnosisAxis;

typedef struct Diagnosis {
    int rank;
    DiagnosisAxis axes[TENSOR_MAX_RANK];
    size_t count, wrong;
    size_t first, last, step;                             /* of wrong elements, by row-major index */
    size_t right_first, right_last, right_step;           /* of right elements, likewise */
    size_t border;                                        /* largest distance of a wrong element from the border */
    size_t never_written, nan, infinite, zero, imprecise; /* wrong elements that are so */
    size_t like_before, like_after, without_neighbour;    /* that have the value expected before or after them */
    double least_ratio, largest_ratio;                    /* got / expected, where it says something */
    size_t with_ratio;
} Diagnosis;

typedef struct DiagnosisElement {
    size_t index;
    bool wrong, never_written;
    double got, expected, bound;
    double imprecise;             /* an error up to here may come from too little precision */
    const double *before, *after; /* the expected values beside it, NULL where there is none at hand */
} DiagnosisElement;

void diagnosis_begin(Diagnosis *diagnosis, int rank, const size_t *shape);
void diagnosis_add(Diagnosis *diagnosis, const DiagnosisElement *element);
void diagnosis_free(Diagnosis *diagnosis);

/* "the last 3 columns"; at least one element is wrong. */
void diagnosis_where(const Diagnosis *diagnosis, char *text, size_t size);
/* "never written"; NULL where the values have nothing known in common. */
const char *diagnosis_what(const Diagnosis *diagnosis);

#endif
