/* generator.h - the elements of generated test data, each made on its own from a key and its index.
 *
 * Counter-based: there is no state, so any element can be made anywhere, in any order, by any number of threads, on the
 * host or on a GPU. The results are the same bits everywhere, since every product of floating-point numbers below fits
 * into the 53 bits of a double: it is exact, whether or not a compiler joins it with the sum that follows.
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

/* A bijection of 64-bit numbers that leaves no trace of its argument. */
GENERATOR uint64_t generator_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* 64 random bits: number `index` of the sequence that belongs to `key`. */
GENERATOR uint64_t generator_bits(uint64_t key, uint64_t index)
{
    return generator_mix(key + (index + 1) * 0x9E3779B97F4A7C15u);
}

/* The key of a part of what belongs to `key`: of one testcase, of one parameter. */
GENERATOR uint64_t generator_key(uint64_t key, uint64_t part)
{
    return generator_bits(generator_mix(key), part);
}

/* One of 2^24 equally spaced numbers in [low, high). Where the largest of them rounds up to `high`, `low` takes its
 * place. */
GENERATOR float generator_uniform(uint64_t key, uint64_t index, float low, float high)
{
    float width = high - low;
    double step = (double)(int32_t)(generator_bits(key, index) >> 40) * 0x1p-24; /* 24 bits */
    float value = (float)(low + width * step);
    return value < high ? value : low;
}

/* Close to normal: the sum of twelve uniform numbers has the mean 6 and the deviation 1. Never beyond 6 deviations. */
GENERATOR float generator_normal(uint64_t key, uint64_t index, float mean, float deviation)
{
    const uint64_t mask = (1u << 21) - 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t bits = generator_bits(key, 4 * index + i);
        sum += (bits & mask) + (bits >> 21 & mask) + (bits >> 42 & mask);
    }
    /* The middle of each of the 2^21 steps, so that the mean is exact: 12 times one half is 6. */
    double standard = ((double)(int32_t)sum + 6) * 0x1p-21 - 6; /* 26 bits */
    return (float)(mean + deviation * standard);
}

/* A whole number in [low, high], which are at most 2^32 - 1 apart. */
GENERATOR int64_t generator_integer(uint64_t key, uint64_t index, int64_t low, int64_t high)
{
    uint64_t count = (uint64_t)(high - low) + 1;
    return low + (int64_t)((generator_bits(key, index) >> 32) * count >> 32);
}

/* start + step * index, rounded once. Exact products: `step` has 24 bits, an index of an array at most 31. */
GENERATOR double generator_ramp(uint64_t index, double start, double step)
{
    return start + step * (double)(int64_t)index;
}

#endif
