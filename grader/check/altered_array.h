/* altered_array.h - copies of an array as a mistake would have it: in another order, without a part, moved.
 *
 * Owns     each copy is the caller's, who frees it.  */
#ifndef GRADER_CHECK_ALTERED_ARRAY_H
#define GRADER_CHECK_ALTERED_ARRAY_H

#include "base/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_AXES = TENSOR_MAX_RANK + 1 };

/* How an array lies in memory, if it is not in row-major order. */
typedef struct ArrayOrder {
    int rank;
    size_t shape[MOST_AXES];
    int axes[MOST_AXES];        /* the index that counts slowest first */
    size_t reversed[MOST_AXES]; /* how many positions along an index, from the first on, are in reverse order */
    size_t rotated[MOST_AXES];  /* by how many positions along an index the elements are moved, in a circle */
} ArrayOrder;

typedef struct AlteredArray {
    size_t parameter, count, element; /* `element`: in bytes */
    ArrayOrder order;                 /* row-major */
} AlteredArray;

/* By how many positions an array lies too far on along each index; too far back, if `back`. */
typedef struct ArrayMove {
    size_t by[MOST_AXES];
    bool back;
} ArrayMove;

/* The array in row-major order, if it lies in memory as `order` says. */
char *array_in_order(const char *data, const AlteredArray *array, const ArrayOrder *order);
/* The array with zeros in the first position along each index whose bit is set in `firsts`, and in the last one along
 * those of `lasts`. */
char *array_cut_off(const char *data, const AlteredArray *array, unsigned firsts, unsigned lasts);
/* The array moved to where it belongs, with zeros where nothing comes to lie. */
char *array_moved(const char *data, const AlteredArray *array, const ArrayMove *move);
/* The same with call_poison_word() in place of zeros. */
char *output_moved(const char *data, const AlteredArray *array, const ArrayMove *move, uint32_t poison, bool of_floats);
/* How many elements have a place after the move. */
size_t array_move_keeps(const AlteredArray *array, const ArrayMove *move);

#endif
