/* operation_set.h - a set of the operations of one window of the queue (sim_queue.h), by their numbers in it.  */
#ifndef HARNESS_DEVICE_SIM_OPERATION_SET_H
#define HARNESS_DEVICE_SIM_OPERATION_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_OPERATIONS = 1024, SET_WORDS = QUEUE_OPERATIONS / 64 };

typedef struct OperationSet {
    uint64_t window; /* of another window than the queue's: the set is empty */
    uint64_t word[SET_WORDS];
} OperationSet;

static inline bool set_has(const OperationSet *set, uint32_t number)
{
    return set->word[number / 64] >> number % 64 & 1;
}

static inline void set_add(OperationSet *set, uint32_t number)
{
    set->word[number / 64] |= 1ull << number % 64;
}

static inline void set_remove(OperationSet *set, uint32_t number)
{
    set->word[number / 64] &= ~(1ull << number % 64);
}

/* The three sets must be of the same window. */
static inline void set_join(OperationSet *sum, const OperationSet *part)
{
    for (int i = 0; i < SET_WORDS; i++)
        sum->word[i] |= part->word[i];
}

static inline OperationSet set_both(const OperationSet *a, const OperationSet *b)
{
    OperationSet both = {.window = a->window};
    for (int i = 0; i < SET_WORDS; i++)
        both.word[i] = a->word[i] & b->word[i];
    return both;
}

static inline OperationSet set_without(const OperationSet *a, const OperationSet *b)
{
    OperationSet rest = {.window = a->window};
    for (int i = 0; i < SET_WORDS; i++)
        rest.word[i] = a->word[i] & ~b->word[i];
    return rest;
}

/* The lowest and the highest number in the set; -1: it is empty. */
static inline int set_lowest(const OperationSet *set)
{
    for (int i = 0; i < SET_WORDS; i++)
        if (set->word[i] != 0)
            return 64 * i + __builtin_ctzll(set->word[i]);
    return -1;
}

static inline int set_highest(const OperationSet *set)
{
    for (int i = SET_WORDS - 1; i >= 0; i--)
        if (set->word[i] != 0)
            return 64 * i + 63 - __builtin_clzll(set->word[i]);
    return -1;
}

static inline uint32_t set_count(const OperationSet *set)
{
    uint32_t count = 0;
    for (int i = 0; i < SET_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(set->word[i]);
    return count;
}

#endif
