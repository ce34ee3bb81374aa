/* The oracle of one problem on a GPU: kernels that make inputs, and one that tallies an output.
 *
 * This file is compiled for each problem (grader/check/device_oracle.c), with
 *   LANES         1
 *   generated.h   the declarations of oracle_case_header(), the type Output of the output's elements and what it can hold,
 *                 INPUT_TYPES, the rows of base/element_type.h for the inputs, OF_EXPECTED (Tolerance), ORACLE_FILE, "problems/<id>/oracle.h", and CHECKER_FILE if there is one
 * Products are not fused with sums (-fmad=false), so that each value has the same bits as on the CPU. Most of the time
 * goes into arithmetic and conversions in double. Neighbouring threads compute neighbouring elements of the output, so
 * that they read neighbouring elements, and a warp reads each weight once. */
#include "generated.h"
#include "grader/problem/generator.h"
#include "grader/check/oracle_kernels.h"
#include "grader/check/element.h"

#include ORACLE_FILE
#ifdef CHECKER_FILE
#include CHECKER_FILE
#define RIGHT_FUNCTION CHECKER_FUNCTION
#else
#define RIGHT_FUNCTION ORACLE_FUNCTION
#endif

static __device__ uint64_t my_element(void)
{
    return (uint64_t)blockIdx.x * ORACLE_BLOCK + threadIdx.x;
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */

/* A thread makes all numbers of one block of the cipher. Neighbouring threads store neighbouring elements. */
#define FILL(name, type, make, numbers, value)                                                                               \
    extern "C" __global__ void __launch_bounds__(ORACLE_BLOCK) name(const OracleFill fill)                             \
    {                                                                                                                  \
        const uint32_t number = (uint32_t)my_element(), lane = number % GENERATOR_LANES;                               \
        const uint64_t first = (uint64_t)(number / GENERATOR_LANES) * GENERATOR_LANES * (numbers) + lane;              \
        if (first >= fill.count)                                                                                       \
            return;                                                                                                    \
        const Chacha20Block block = generator_data(&fill.key, number);                                                 \
        _Pragma("unroll") for (int k = 0; k < (numbers); k++)                                                          \
        {                                                                                                              \
            const uint64_t i = first + (uint64_t)k * GENERATOR_LANES;                                                  \
            if (i < fill.count)                                                                                        \
                ((type *)fill.data)[i] = make(value);                                                                \
        }                                                                                                              \
    }

static __device__ double perturbed(bool is_whole, uint32_t word, double value, double change)
{
    return is_whole ? (double)generator_integer(word, (int64_t)(value - change), (int64_t)(value + change))
                    : generator_perturbed(word, (float)value, (float)change);
}

#define FILLS(NAME, name, type, C_NAME, VECTOR, NPY, READ, make, LOWEST, HIGHEST, EPSILON)                             \
    FILL(uniform_##name, type, make, GENERATOR_WORDS,                                                                  \
         generator_uniform(block.words[k], (float)fill.a, (float)fill.b))                                              \
    FILL(normal_##name, type, make, GENERATOR_NORMALS,                                                                 \
         generator_normal(block.words[4 * k], block.words[4 * k + 1], block.words[4 * k + 2], block.words[4 * k + 3],  \
                          (float)fill.a, (float)fill.b))                                                               \
    FILL(integers_##name, type, make, GENERATOR_WORDS,                                                                 \
         (double)generator_integer(block.words[k], (int64_t)fill.a, (int64_t)fill.b))                                  \
    FILL(perturbed_##name, type, make, GENERATOR_WORDS,                                                                \
         perturbed(!((EPSILON) > 0), block.words[k], READ(((const type *)fill.file)[i]), fill.a))                      \
    extern "C" __global__ void __launch_bounds__(ORACLE_BLOCK) ramp_##name(const OracleFill fill)                      \
    {                                                                                                                  \
        const uint64_t i = my_element();                                                                               \
        if (i < fill.count)                                                                                            \
            ((type *)fill.data)[i] = make(generator_ramp(i, fill.a, fill.b));                                          \
    }

INPUT_TYPES(FILLS)

/* --- the output --------------------------------------------------------------------------------------------------- */

static __device__ void position_of(const OracleTally &tally, uint32_t index, int64_t position[RANK])
{
    for (int i = RANK - 1; i >= 0; i--) {
        position[i] = index % tally.shape[i];
        index /= tally.shape[i];
    }
}

/* The elements of a thread lie a whole grid apart, so that neighbouring threads take neighbours. */
#define EACH_ELEMENT(i, count) for (uint64_t i = my_element(); i < (count); i += (uint64_t)gridDim.x * ORACLE_BLOCK)

#ifdef ORACLE_PASS
extern "C" __global__ void __launch_bounds__(ORACLE_BLOCK) pass(const OracleTally tally)
{
    const Case c = CASE_OF(tally.inputs, tally.sizes);
    int64_t position[RANK];
    EACH_ELEMENT(i, tally.count)
    {
        position_of(tally, (uint32_t)i, position);
        ((Sum *)tally.pass)[i] = ORACLE_CALL(ORACLE_PASS, &c, position);
    }
}
#endif

static __device__ double as_output(double value)
{
    return OUTPUT_IS_WHOLE ? tally_whole(value, OUTPUT_LOWEST, OUTPUT_HIGHEST) : value;
}

/* Adds up neighbouring parts, then neighbouring sums: always in the same order. */
static __device__ void add_up(Tally *tallies)
{
    for (unsigned parts = 1; parts < ORACLE_BLOCK; parts *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * parts) == 0)
            tally_add(&tallies[threadIdx.x], &tallies[threadIdx.x + parts]);
    }
}

extern "C" __global__ void __launch_bounds__(ORACLE_BLOCK) tally(const OracleTally tally)
{
    __shared__ Tally tallies[ORACLE_BLOCK];
    Case c = CASE_OF(tally.inputs, tally.sizes);
    c.kept_pass = tally.pass;
    int64_t position[RANK];
    Tally mine = tally_empty();
    EACH_ELEMENT(i, tally.count)
    {
        position_of(tally, (uint32_t)i, position);
        const Sum right = ORACLE_CALL(RIGHT_FUNCTION, &c, position);
        const double expected = as_output(right.value);
        tally_element(&mine, number_at((const Output *)tally.output, (long)i), expected,
                      OF_EXPECTED ? fabs(expected) : right.magnitude, tally.share);
    }
    tallies[threadIdx.x] = mine;
    add_up(tallies);
    if (threadIdx.x == 0)
        tally.tallies[blockIdx.x] = tallies[0];
}
