/* chacha20.h - the block function of the stream cipher ChaCha20, for C and for CUDA: random numbers that follow from a key
 * of 256 bits, and that nobody can foresee without it.
 *
 * Source   RFC 8439, "ChaCha20 and Poly1305 for IETF Protocols", section 2.3, "The ChaCha20 Block Function".  */
#ifndef BASE_CHACHA20_H
#define BASE_CHACHA20_H

#include <stdint.h>

#ifdef __CUDACC__
#define CHACHA20 static inline __host__ __device__
#else
#define CHACHA20 static inline
#endif

enum { CHACHA20_WORDS = 16 }; /* of a block */

typedef struct Chacha20Key {
    uint32_t words[8];
} Chacha20Key;

typedef struct Chacha20Block {
    uint32_t words[CHACHA20_WORDS];
} Chacha20Block;

/* Section 2.1, "The ChaCha Quarter Round". The words may be vectors, with one lane for each block. */
#define CHACHA20_QUARTER(a, b, c, d)                                                                                   \
    a += b, d ^= a, d = d << 16 | d >> 16;                                                                             \
    c += d, b ^= c, b = b << 12 | b >> 20;                                                                             \
    a += b, d ^= a, d = d << 8 | d >> 24;                                                                              \
    c += d, b ^= c, b = b << 7 | b >> 25

/* Two of the 20 rounds: the columns of the 4 x 4 words, then the diagonals. */
#define CHACHA20_DOUBLE_ROUND(x)                                                                                       \
    CHACHA20_QUARTER(x[0], x[4], x[8], x[12]);                                                                         \
    CHACHA20_QUARTER(x[1], x[5], x[9], x[13]);                                                                         \
    CHACHA20_QUARTER(x[2], x[6], x[10], x[14]);                                                                        \
    CHACHA20_QUARTER(x[3], x[7], x[11], x[15]);                                                                        \
    CHACHA20_QUARTER(x[0], x[5], x[10], x[15]);                                                                        \
    CHACHA20_QUARTER(x[1], x[6], x[11], x[12]);                                                                        \
    CHACHA20_QUARTER(x[2], x[7], x[8], x[13]);                                                                         \
    CHACHA20_QUARTER(x[3], x[4], x[9], x[14])

/* The words before the first round. */
CHACHA20 Chacha20Block chacha20_state(const Chacha20Key *key, uint32_t counter, uint32_t nonce0, uint32_t nonce1,
                                      uint32_t nonce2)
{
    const Chacha20Block state = {{0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, key->words[0], key->words[1],
                                  key->words[2], key->words[3], key->words[4], key->words[5], key->words[6],
                                  key->words[7], counter, nonce0, nonce1, nonce2}};
    return state;
}

CHACHA20 Chacha20Block chacha20_block(const Chacha20Key *key, uint32_t counter, uint32_t nonce0, uint32_t nonce1,
                                      uint32_t nonce2)
{
    const Chacha20Block state = chacha20_state(key, counter, nonce0, nonce1, nonce2);
    Chacha20Block block = state;
    for (int i = 0; i < 10; i++) {
        CHACHA20_DOUBLE_ROUND(block.words);
    }
    for (int i = 0; i < CHACHA20_WORDS; i++)
        block.words[i] += state.words[i];
    return block;
}

#endif
