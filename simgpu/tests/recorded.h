/* recorded.h - what all recordings share: the random numbers of their inputs, and the hash by which they know a row.  */
#ifndef SIMGPU_TESTS_RECORDED_H
#define SIMGPU_TESTS_RECORDED_H

#include <stdint.h>

static inline uint64_t recorded_random(uint64_t seed)
{
    seed += 0x9E3779B97F4A7C15; /* splitmix64 */
    seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9;
    seed = (seed ^ seed >> 27) * 0x94D049BB133111EB;
    return seed ^ seed >> 31;
}

static inline uint32_t recorded_hash(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

#endif
