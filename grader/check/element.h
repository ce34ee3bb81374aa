/* element.h - the types and functions with which problems/<id>/oracle.h defines one element of the output.
 *
 * oracle.h is compiled for the host twice. With LANES 1 a Real is a double, and oracle() computes one element. With
 * LANES 8 a Real is a vector with the values of eight neighbours along the last index, and oracle() computes eight
 * elements at once. For a GPU it is compiled with LANES 1, and each thread computes one element. All three do the same
 * operations in the same order and give the same bits. No product is fused with a sum (-ffp-contract=off, -fmad=false),
 * since the compilers might not fuse the same ones.  */
#ifndef GRADER_CHECK_ELEMENT_H
#define GRADER_CHECK_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ORACLE static __device__ __forceinline__
#else
#define ORACLE static inline
#endif

#if LANES == 1

#ifndef REAL
#define REAL double
#endif
typedef REAL Real;

/* The element of an array, as a Real. */
#ifdef __CUDACC__
#define at(array, index) ((Real)__ldg(&(array)[index]))
#else
#define at(array, index) ((Real)(array)[index])
#endif

/* The element where 0 <= position < extent, else 0: an array with ghost cells. `position` is the index of the element
 * within its row (or whatever it must stay inside), `index` that within the array. */
#define at_inside(array, index, position, extent)                                                                      \
    ((position) >= 0 && (position) < (extent) ? at(array, index) : (Real)0)

/* As at(), for neighbours whose elements lie `stride` apart. */
#define at_apart(array, index, stride) at(array, index)

ORACLE Real magnitude_of(Real x)
{
    return x < 0 ? -x : x;
}

ORACLE Real positive_part(Real x)
{
    return x > 0 ? x : 0;
}

#else

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t RealBits __attribute__((vector_size(8 * LANES)));
typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef int32_t Ints __attribute__((vector_size(4 * LANES)));
typedef uint8_t Bytes __attribute__((vector_size(LANES)));

/* The elements from `index` on, one for each neighbour. */
#define AT_FUNCTION(name, element, Elements)                                                                           \
    static inline Real name(const element *array, long index)                                                          \
    {                                                                                                                  \
        Elements elements;                                                                                             \
        memcpy(&elements, array + index, sizeof elements);                                                             \
        return __builtin_convertvector(elements, Real);                                                                \
    }
AT_FUNCTION(at_floats, float, Floats)
AT_FUNCTION(at_ints, int, Ints)
AT_FUNCTION(at_bytes, unsigned char, Bytes)
#define at(array, index)                                                                                               \
    _Generic((array), const float * : at_floats, const int * : at_ints, const unsigned char * : at_bytes)(array, index)

/* At the border some neighbours are inside and some are not; within a row all are inside. */
#define AT_INSIDE_FUNCTION(name, element)                                                                              \
    static inline Real name##_inside(const element *array, long index, long position, long extent)                     \
    {                                                                                                                  \
        Real elements = {0};                                                                                           \
        if (position >= 0 && position + LANES <= extent)                                                               \
            return name(array, index);                                                                                 \
        for (long lane = 0; lane < LANES; lane++)                                                                      \
            if (position + lane >= 0 && position + lane < extent)                                                      \
                elements[lane] = array[index + lane];                                                                  \
        return elements;                                                                                               \
    }
AT_INSIDE_FUNCTION(at_floats, float)
AT_INSIDE_FUNCTION(at_ints, int)
AT_INSIDE_FUNCTION(at_bytes, unsigned char)
#define at_inside(array, index, position, extent)                                                                      \
    _Generic((array), const float *: at_floats_inside, const int *: at_ints_inside,                                    \
             const unsigned char *: at_bytes_inside)(array, index, position, extent)

static inline Real floats_apart(const float *array, long index, long stride)
{
    Real elements = {0};
    for (long lane = 0; lane < LANES; lane++)
        elements[lane] = array[index + lane * stride];
    return elements;
}
#define at_apart(array, index, stride) floats_apart(array, index, stride)

static inline Real magnitude_of(Real x)
{
    return (Real)((RealBits)x & INT64_MAX); /* all bits but the sign */
}

static inline Real positive_part(Real x)
{
    return (Real)((RealBits)x & (x > 0));
}

#endif

/* A sum, and the sum of the magnitudes of its terms, which bounds its rounding error. */
typedef struct Sum {
    Real value, magnitude;
} Sum;

#define SUM_ZERO ((Sum){0})

/* Adds a term, for instance a bias. */
ORACLE Sum sum_add_term(Sum sum, Real term)
{
    sum.value += term;
    sum.magnitude += magnitude_of(term);
    return sum;
}

/* Adds a product with a weight that is the same for all neighbours. */
ORACLE Sum sum_add(Sum sum, Real x, double weight)
{
    return sum_add_term(sum, x * weight);
}

/* Adds a product whose factors both differ from neighbour to neighbour. */
ORACLE Sum sum_add_product(Sum sum, Real x, Real y)
{
    return sum_add_term(sum, x * y);
}

/* Adds an inner sum times a weight that is the same for all neighbours: pass_at(). */
ORACLE Sum sum_add_sum(Sum sum, Sum inner, double weight)
{
    sum.value += inner.value * weight;
    sum.magnitude += inner.magnitude * (weight < 0 ? -weight : weight);
    return sum;
}

/* An oracle.h whose sums consist of inner sums, which neighbours share, can name the function of the inner ones,
 *     #define ORACLE_PASS filtered_in_its_row
 * It has the parameters of oracle(), and a value for each element of an array of the output's shape. oracle() then
 * reads them by pass_at(c, index, position...), where `index` is that of the position in row-major order. Most have been
 * computed before: on a GPU all of them by a kernel, unless there is no memory for them; on the host those that a piece of
 * the output needs. The others are computed where they are read. */
#ifdef __CUDACC__
#define pass_at(c, index, ...)                                                                                         \
    ((c)->kept_pass != NULL ? ((const Sum *)(c)->kept_pass)[index] : ORACLE_PASS(c, __VA_ARGS__))
#else

#include "kept_pass.h"

#include <stdbool.h>

static inline bool pass_is_kept(const KeptPass *kept, int64_t index)
{
    return index >= kept->first && index + LANES <= kept->first + kept->count;
}

static inline Sum kept_at(const KeptPass *kept, int64_t index)
{
    Sum sum = SUM_ZERO;
#if LANES == 1
    sum.value = kept->value[index - kept->first];
    sum.magnitude = kept->magnitude[index - kept->first];
#else
    memcpy(&sum.value, kept->value + (index - kept->first), sizeof sum.value);
    memcpy(&sum.magnitude, kept->magnitude + (index - kept->first), sizeof sum.magnitude);
#endif
    return sum;
}

static inline void note_pass(PassReach *reach, int64_t index)
{
    if (reach == NULL)
        return;
    reach->least = index < reach->least ? index : reach->least;
    reach->most = index > reach->most ? index : reach->most;
    reach->reads++;
}

#define pass_at(c, index, ...)                                                                                         \
    (pass_is_kept((c)->kept_pass, index)                                                                               \
         ? kept_at((c)->kept_pass, index)                                                                              \
         : (note_pass(((const KeptPass *)(c)->kept_pass)->reach, index), ORACLE_PASS(c, __VA_ARGS__)))
#endif

/* max(0, sum), the rectified linear unit. The magnitude stays: the rounding errors of the terms remain. */
ORACLE Sum sum_positive(Sum sum)
{
    sum.value = positive_part(sum.value);
    return sum;
}

#endif
