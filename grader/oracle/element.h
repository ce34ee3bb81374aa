/* element.h - the words in which problems/<id>/oracle.h defines one element of the output.
 *
 * oracle.h is compiled for the host twice. With LANES 1 a Real is a double, and oracle() computes one element. With
 * LANES 8 a Real is a vector of the values for eight outputs that are neighbours along the last index, and oracle()
 * computes eight at once. For a GPU it is compiled with LANES 1, each thread with an element of its own. All do the
 * same operations in the same order, so all give the same bits; no product is joined with a sum into one rounding
 * (-ffp-contract=off, -fmad=false), since the forms would not be sure to do so alike.  */
#ifndef GRADER_ORACLE_ELEMENT_H
#define GRADER_ORACLE_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ORACLE static __device__ __forceinline__
#else
#define ORACLE static inline
#endif

#if LANES == 1

typedef double Real;

/* The element of an array as a number. */
#ifdef __CUDACC__
#define at(array, index) ((Real)__ldg(&(array)[index]))
#else
#define at(array, index) ((Real)(array)[index])
#endif

ORACLE Real magnitude_of(Real x)
{
    return fabs(x);
}

#else

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t RealBits __attribute__((vector_size(8 * LANES)));
typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef int32_t Ints __attribute__((vector_size(4 * LANES)));
typedef uint8_t Bytes __attribute__((vector_size(LANES)));

/* The elements from `index` on, one for each of the neighbours. */
#define AT_FUNCTION(name, element, Elements)                                                                           \
    static inline Real name(const element *array, long index)                                                         \
    {                                                                                                                  \
        Elements elements;                                                                                             \
        memcpy(&elements, array + index, sizeof elements);                                                             \
        return __builtin_convertvector(elements, Real);                                                                \
    }
AT_FUNCTION(at_floats, float, Floats)
AT_FUNCTION(at_ints, int, Ints)
AT_FUNCTION(at_bytes, unsigned char, Bytes)
#define at(array, index)                                                                                               \
    _Generic((array), const float *: at_floats, const int *: at_ints, const unsigned char *: at_bytes)(array, index)

static inline Real magnitude_of(Real x)
{
    return (Real)((RealBits)x & INT64_MAX); /* all bits but the sign */
}

#endif

/* A sum, and the sum of the magnitudes of its terms, by which its rounding error is judged. */
typedef struct Sum {
    Real value, magnitude;
} Sum;

#define SUM_ZERO ((Sum){0})

/* Adds a product. */
ORACLE Sum sum_add(Sum sum, Real x, double weight)
{
    Real term = x * weight;
    sum.value += term;
    sum.magnitude += magnitude_of(term);
    return sum;
}

#endif
