/* element.h - the types and functions with which problems/<id>/oracle.h defines one element of the output.
 *
 * oracle.h is compiled for the host twice. With LANES 1 a Real is a double, and oracle() computes one element. With
 * LANES 8 a Real is a vector with the values of eight neighbours along the last index, and oracle() computes eight
 * elements at once. For a GPU it is compiled with LANES 1, and each thread computes one element. All three do the same
 * operations in the same order and give the same bits. No product is fused with a sum (-ffp-contract=off, -fmad=false),
 * since the compilers might not fuse the same ones. base/element_type.h comes first.
 *
 * An output whose index does not grow with its inputs' along the last index, as that of a transposed convolution, has no
 * neighbours to be computed with: #define ORACLE_SINGLE in oracle.h leaves out LANES 8, and a Real is a double.  */
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

#ifndef REAL
#define REAL double
#endif

/* The number at an index, the same for all neighbours: c->filter[index], of any type of elements. */
#ifdef __CUDACC__
template <typename Element> ORACLE Element load_element(const Element *element)
{
    return *element;
}
ORACLE float load_element(const float *element)
{
    return __ldg(element);
}
ORACLE int32_t load_element(const int32_t *element)
{
    return __ldg(element);
}
ORACLE uint8_t load_element(const uint8_t *element)
{
    return __ldg(element);
}
#define NUMBER_FUNCTION(NAME, name, Element, C_NAME, VECTOR, NPY, READ, ...)                                           \
    ORACLE double number_at(const Element *array, long index)                                                          \
    {                                                                                                                  \
        return READ(load_element(array + index));                                                                      \
    }
#else
#define NUMBER_FUNCTION(NAME, name, Element, C_NAME, VECTOR, NPY, READ, ...)                                           \
    static inline double number_##name(const Element *array, long index)                                               \
    {                                                                                                                  \
        return READ(array[index]);                                                                                     \
    }
#define FOR_TYPE(NAME, name, Element, ...) const Element * : number_##name,
#define number_at(array, index) _Generic((array), ELEMENT_TYPES(FOR_TYPE) default : number_float32)(array, index)
#endif
ELEMENT_TYPES(NUMBER_FUNCTION)

/* The value of a scalar, of which Sizes has the bits. */
ORACLE double scalar_of(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#if LANES == 1

typedef REAL Real;

/* The element of an array, as a Real. */
#define at(array, index) ((Real)number_at(array, index))

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

ORACLE Real larger_of(Real x, Real y)
{
    return x > y ? x : y;
}

#ifdef __CUDACC__
#define REAL_FUNCTION(name)                                                                                            \
    ORACLE Real real_##name(Real x)                                                                                    \
    {                                                                                                                  \
        return name(x);                                                                                                \
    }
#else
#define REAL_FUNCTION(name)                                                                                            \
    static inline Real real_##name(Real x)                                                                             \
    {                                                                                                                  \
        return _Generic(x, long double : name##l, default : name)(x);                                                  \
    }
#endif

#else

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t RealBits __attribute__((vector_size(8 * LANES)));

/* The elements from `index` on, one for each neighbour; at the border, where some of them are not inside, one by one. */
#define AT_NUMBERS(NAME, name, Element, ...)                                                                           \
    static inline Real at_##name(const Element *array, long index)                                                     \
    {                                                                                                                  \
        typedef Element Elements __attribute__((vector_size(LANES * sizeof(Element))));                                \
        Elements elements;                                                                                             \
        memcpy(&elements, array + index, sizeof elements);                                                             \
        return __builtin_convertvector(elements, Real);                                                                \
    }
#define AT_HALVES(NAME, name, Element, C_NAME, VECTOR, NPY, READ, ...)                                                 \
    static inline Real at_##name(const Element *array, long index)                                                     \
    {                                                                                                                  \
        Real elements = {0};                                                                                           \
        for (long lane = 0; lane < LANES; lane++)                                                                      \
            elements[lane] = READ(array[index + lane]);                                                                \
        return elements;                                                                                               \
    }
#define AT_OTHERS(NAME, name, Element, C_NAME, VECTOR, NPY, READ, ...)                                                 \
    static inline Real at_##name##_inside(const Element *array, long index, long position, long extent)                \
    {                                                                                                                  \
        Real elements = {0};                                                                                           \
        if (position >= 0 && position + LANES <= extent)                                                               \
            return at_##name(array, index);                                                                            \
        for (long lane = 0; lane < LANES; lane++)                                                                      \
            if (position + lane >= 0 && position + lane < extent)                                                      \
                elements[lane] = READ(array[index + lane]);                                                            \
        return elements;                                                                                               \
    }                                                                                                                  \
    static inline Real at_##name##_apart(const Element *array, long index, long stride)                                \
    {                                                                                                                  \
        Real elements = {0};                                                                                           \
        for (long lane = 0; lane < LANES; lane++)                                                                      \
            elements[lane] = READ(array[index + lane * stride]);                                                       \
        return elements;                                                                                               \
    }
ELEMENT_NUMBERS(AT_NUMBERS)
ELEMENT_HALVES(AT_HALVES)
ELEMENT_TYPES(AT_OTHERS)

#define AT_FOR_TYPE(NAME, name, Element, ...) const Element * : at_##name,
#define INSIDE_FOR_TYPE(NAME, name, Element, ...) const Element * : at_##name##_inside,
#define APART_FOR_TYPE(NAME, name, Element, ...) const Element * : at_##name##_apart,
#define at(array, index) _Generic((array), ELEMENT_TYPES(AT_FOR_TYPE) default : at_float32)(array, index)
#define at_inside(array, index, position, extent)                                                                      \
    _Generic((array), ELEMENT_TYPES(INSIDE_FOR_TYPE) default : at_float32_inside)(array, index, position, extent)
#define at_apart(array, index, stride)                                                                                 \
    _Generic((array), ELEMENT_TYPES(APART_FOR_TYPE) default : at_float32_apart)(array, index, stride)

static inline Real magnitude_of(Real x)
{
    return (Real)((RealBits)x & INT64_MAX); /* all bits but the sign */
}

static inline Real positive_part(Real x)
{
    return (Real)((RealBits)x & (x > 0));
}

static inline Real larger_of(Real x, Real y)
{
    const RealBits is_larger = x > y;
    return (Real)(((RealBits)x & is_larger) | ((RealBits)y & ~is_larger));
}

#define REAL_FUNCTION(name)                                                                                            \
    static inline Real real_##name(Real x)                                                                             \
    {                                                                                                                  \
        for (int lane = 0; lane < LANES; lane++)                                                                       \
            x[lane] = name(x[lane]);                                                                                   \
        return x;                                                                                                      \
    }

#endif

/* real_exp(x) and so on, of each neighbour. On a GPU the last bits may differ from those of the host. */
REAL_FUNCTION(exp)
REAL_FUNCTION(log)
REAL_FUNCTION(sqrt)
REAL_FUNCTION(tanh)
REAL_FUNCTION(floor)

/* A sum, and the sum of the magnitudes of its terms, which bounds its rounding error. */
typedef struct Sum {
    Real value, magnitude;
} Sum;

#define SUM_ZERO ((Sum){0})

/* A value that is no sum, and the bound of its error, of which "bound_factor" in problem.json takes a multiple. */
ORACLE Sum bounded(Real value, Real bound)
{
    Sum sum;
    sum.value = value;
    sum.magnitude = bound;
    return sum;
}

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
