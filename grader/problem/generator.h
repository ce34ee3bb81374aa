/* generator.h - the elements of generated test data. Each depends only on a key and on its index.
 *
 * The generator is counter-based. It has no state, so that any number of threads can make the elements in any order, on
 * the host or on a GPU. The bits are the same everywhere: every product of floating-point numbers below fits into the
 * 53 bits of a double and is exact, whether or not a compiler fuses it with the sum that follows.
 *
 * Source   splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), with the constants
 *          of Stafford's mix 13.  */
#ifndef GRADER_PROBLEM_GENERATOR_H
#define GRADER_PROBLEM_GENERATOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define GENERATOR static inline __host__ __device__
#else
#define GENERATOR static inline
#endif

/* A bijection of 64-bit numbers whose results look random. */
GENERATOR uint64_t generator_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* 64 random bits: element `index` of the sequence of `key`. */
GENERATOR uint64_t generator_bits(uint64_t key, uint64_t index)
{
    return generator_mix(key + (index + 1) * 0x9E3779B97F4A7C15u);
}

/* Derives the key of a part, for instance of one testcase or one parameter, from the key of the whole. */
GENERATOR uint64_t generator_key(uint64_t key, uint64_t part)
{
    return generator_bits(generator_mix(key), part);
}

/* One of 2^24 equally spaced numbers in [low, high). If the largest of them would round up to `high`, it becomes
 * `low`. */
GENERATOR float generator_uniform(uint64_t key, uint64_t index, float low, float high)
{
    float width = high - low;
    double step = (double)(int32_t)(generator_bits(key, index) >> 40) * 0x1p-24; /* 24 bits */
    float value = (float)(low + width * step);
    return value < high ? value : low;
}

/* Nearly normal: the sum of twelve uniform numbers has mean 6 and deviation 1. It never leaves 6 deviations. */
GENERATOR float generator_normal(uint64_t key, uint64_t index, float mean, float deviation)
{
    const uint64_t mask = (1u << 21) - 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t bits = generator_bits(key, 4 * index + i);
        sum += (bits & mask) + (bits >> 21 & mask) + (bits >> 42 & mask);
    }
    /* Adds half a step for each of the 12 numbers, so that the mean is exact. */
    double standard = ((double)(int32_t)sum + 6) * 0x1p-21 - 6; /* 26 bits */
    return (float)(mean + deviation * standard);
}

/* A whole number in [low, high]; high - low must be below 2^32. */
GENERATOR int64_t generator_integer(uint64_t key, uint64_t index, int64_t low, int64_t high)
{
    uint64_t count = (uint64_t)(high - low) + 1;
    return low + (int64_t)((generator_bits(key, index) >> 32) * count >> 32);
}

/* start + step * index, rounded once. The product is exact: `step` has 24 bits and an index of an array at most 31. */
GENERATOR double generator_ramp(uint64_t index, double start, double step)
{
    return start + step * (double)(int64_t)index;
}

#endif
