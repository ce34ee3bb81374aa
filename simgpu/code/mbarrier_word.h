/* mbarrier_word.h - the 64-bit word of shared memory that is an mbarrier.
 *
 * Programs never look inside the word. Here, bits 0 to 19 count the arrivals that are still pending in this phase, bits
 * 20 to 40 the bytes of asynchronous copies that are still pending (a number with a sign: a copy may end before its bytes
 * are expected), bits 41 to 60 hold the arrivals that each phase expects, and bit 63 is the parity of the phase. A phase
 * ends when neither arrivals nor bytes are pending. Bits 61 and 62 tell an mbarrier from memory that nobody has initialised,
 * whose bytes are mostly others.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: mbarrier; its ranges are those of
 *          "Contents of the mbarrier object".  */
#ifndef SIMGPU_CODE_MBARRIER_WORD_H
#define SIMGPU_CODE_MBARRIER_WORD_H

#include <stdbool.h>
#include <stdint.h>

enum { MBARRIER_BYTES_SHIFT = 20, MBARRIER_EXPECTED_SHIFT = 41 };

#define MBARRIER_COUNT 0xFFFFFull
#define MBARRIER_BYTES 0x1FFFFFull
#define MBARRIER_PARITY (1ull << 63)
#define MBARRIER_MARK (1ull << 61)

static inline bool mbarrier_is_set(uint64_t word)
{
    return (word >> 61 & 3) == 1;
}

/* The word after `arrivals`, when `bytes` more are pending. `drops`: the arrivals are not expected in later phases. */
static inline uint64_t mbarrier_after(uint64_t word, uint64_t arrivals, int64_t bytes, bool drops)
{
    uint64_t expected = ((word >> MBARRIER_EXPECTED_SHIFT) - (drops ? arrivals : 0)) & MBARRIER_COUNT;
    uint64_t pending = (word - arrivals) & MBARRIER_COUNT;
    uint64_t left = ((word >> MBARRIER_BYTES_SHIFT) + (uint64_t)bytes) & MBARRIER_BYTES;
    bool ends = pending == 0 && left == 0;
    uint64_t parity = (ends ? ~word : word) & MBARRIER_PARITY;
    return parity | MBARRIER_MARK | expected << MBARRIER_EXPECTED_SHIFT | left << MBARRIER_BYTES_SHIFT |
           (ends ? expected : pending);
}

#endif
