/* generator.h - the elements of generated test data. Each depends only on a key of 256 bits and on its index.
 *
 * All elements of any number of arrays do not help to compute an element of an array with another key: that would
 * break the cipher. This holds for keys from the kernel's random number generator, and for keys that generator_derive()
 * makes of one secret key. A derived key is a part of the cipher's block for a nonce of its own, and to those who do not
 * know the secret, such blocks look like independent random ones. So a derived key, or its data, tells neither the secret
 * nor another derived key.
 *
 * Layout   A block has 16 words of 32 bits. A group is 8 blocks that follow one another: word 0 of each block, then word
 *          1 of each block, and so on. So 8 blocks are computed side by side, on a processor with vectors or by 8
 *          threads of a GPU, and what they store lies side by side. A uniform, perturbed or whole number takes one word. A nearly
 *          normal number takes 4 words of one block: the first 8 take words 0 to 3 of each block, and so on.
 *
 * The cipher counts blocks, so it needs no state: any number of threads can make the elements in any order, on the host
 * or on a GPU. The bits are the same everywhere: every product of floating-point numbers below fits into the 53 bits
 * of a double and is exact, whether or not a compiler fuses it with the sum that follows.  */
#ifndef GRADER_PROBLEM_GENERATOR_H
#define GRADER_PROBLEM_GENERATOR_H

#include "base/chacha20.h"

#include <stdint.h>

#define GENERATOR CHACHA20

enum {
    GENERATOR_LANES = 8,              /* blocks of a group */
    GENERATOR_WORDS = CHACHA20_WORDS, /* of a block; and numbers made from them: */
    GENERATOR_NORMALS = 4,            /* nearly normal numbers of a block */
    GENERATOR_NORMAL_WORDS = 4,       /* words for one */
};

typedef Chacha20Key GeneratorKey;

/* ---- keys and words -------------------------------------------------------------------------------------------- */

/* A key for a part, for instance for one array, from the key of the whole. Parts have different `purpose`, `a` or `b`;
 * `purpose` is not 0, which is the nonce of data. Neither key tells anything about another part's. */
GENERATOR GeneratorKey generator_derive(const GeneratorKey *key, uint32_t purpose, uint32_t a, uint32_t b)
{
    const Chacha20Block block = chacha20_block(key, 0, purpose, a, b);
    GeneratorKey derived;
    for (int i = 0; i < 8; i++)
        derived.words[i] = block.words[i];
    return derived;
}

/* Block `number` of the data of `key`. */
GENERATOR Chacha20Block generator_data(const GeneratorKey *key, uint32_t number)
{
    return chacha20_block(key, number, 0, 0, 0);
}

/* The word that element `index` of an array of uniform, perturbed or whole numbers is made of. */
GENERATOR uint32_t generator_word(const GeneratorKey *key, uint64_t index)
{
    uint64_t group = index / (GENERATOR_LANES * GENERATOR_WORDS);
    uint32_t place = (uint32_t)(index % (GENERATOR_LANES * GENERATOR_WORDS));
    uint32_t number = (uint32_t)(group * GENERATOR_LANES + place % GENERATOR_LANES);
    return generator_data(key, number).words[place / GENERATOR_LANES];
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* One of 2^24 equally spaced numbers in [low, high). If the largest of them would round up to `high`, it becomes
 * `low`. */
GENERATOR float generator_uniform(uint32_t word, float low, float high)
{
    float width = high - low;
    double step = (double)(int32_t)(word >> 8) * 0x1p-24; /* 24 bits */
    float value = (float)(low + width * step);
    return value < high ? value : low;
}

/* The sum of the three numbers of 10 bits in a word. */
GENERATOR uint32_t generator_thirds(uint32_t word)
{
    return (word & 1023) + (word >> 10 & 1023) + (word >> 20 & 1023);
}

/* Nearly normal: the sum of twelve uniform numbers has mean 6 and deviation 1. It never leaves 6 deviations. Each has 10
 * bits; the 8 bits that are left divide a step of the sum into 256. */
GENERATOR float generator_normal(uint32_t a, uint32_t b, uint32_t c, uint32_t d, float mean, float deviation)
{
    uint32_t sum = generator_thirds(a) + generator_thirds(b) + generator_thirds(c) + generator_thirds(d);
    uint32_t rest = a >> 30 | b >> 30 << 2 | c >> 30 << 4 | d >> 30 << 6;
    /* The mean of a number of k bits is half a step below 2^(k-1). Of these steps, `sum` lacks 12 * 128 and `rest`
     * has 127.5 too many, so that the mean is exact. */
    double standard = ((double)(int32_t)(sum << 8 | rest) + 1408.5) * 0x1p-18 - 6; /* 25 bits */
    return (float)(mean + deviation * standard);
}

/* A whole number in [low, high]; high - low must be below 2^32. */
GENERATOR int64_t generator_integer(uint32_t word, int64_t low, int64_t high)
{
    uint64_t count = (uint64_t)(high - low) + 1;
    return low + (int64_t)(word * count >> 32);
}

/* `value` changed by one of 2^24 equally spaced numbers in [-change, change), rounded once. */
GENERATOR float generator_perturbed(uint32_t word, float value, float change)
{
    double step = (double)(int32_t)(word >> 8) * 0x1p-23 - 1; /* 24 bits */
    return (float)(value + change * step);
}

/* start + step * index, rounded once. The product is exact: `step` has 24 bits and an index of an array at most 31. */
GENERATOR double generator_ramp(uint64_t index, double start, double step)
{
    return start + step * (double)(int64_t)index;
}

#endif
