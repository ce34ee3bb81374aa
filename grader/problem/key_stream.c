#include "grader/problem/key_stream.h"

#include "base/machine.h"
#include "base/random.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One word of each block of a group. */
typedef uint32_t Lanes __attribute__((vector_size(sizeof(uint32_t) * GENERATOR_LANES)));

/* Compiled once for each level: vectors of 32 bytes make it three times as fast. */
static inline __attribute__((always_inline)) void group_words(const GeneratorKey *key, uint32_t group, uint32_t *words)
{
    const Chacha20Block first = chacha20_state(key, group * GENERATOR_LANES, 0, 0, 0);
    const Lanes order = {0, 1, 2, 3, 4, 5, 6, 7};
    Lanes state[GENERATOR_WORDS], x[GENERATOR_WORDS];
    for (int i = 0; i < GENERATOR_WORDS; i++)
        state[i] = (Lanes){0} + first.words[i];
    state[12] += order; /* the counter */
    memcpy(x, state, sizeof x);
    for (int i = 0; i < 10; i++) {
        CHACHA20_DOUBLE_ROUND(x);
    }
    for (int i = 0; i < GENERATOR_WORDS; i++)
        x[i] += state[i];
    memcpy(words, x, sizeof x);
}

#define LEVEL(NAME, MARCH, TARGET)                                                                                     \
    static TARGET void group_words_##NAME(const GeneratorKey *key, uint32_t group, uint32_t *words)                    \
    {                                                                                                                  \
        group_words(key, group, words);                                                                                \
    }
MACHINE_LEVELS(LEVEL)
#undef LEVEL

void key_stream_group(const GeneratorKey *key, uint32_t group, uint32_t words[KEY_STREAM_GROUP])
{
#define LEVEL(NAME, MARCH, TARGET) group_words_##NAME,
    static void (*const best[])(const GeneratorKey *, uint32_t, uint32_t *) = {MACHINE_LEVELS(LEVEL)};
#undef LEVEL
    best[machine_level()](key, group, words);
}

Status key_new(GeneratorKey *key, Message *why)
{
    return random_bytes(key, sizeof *key, why);
}

void key_hex(const GeneratorKey *key, char hex[KEY_HEX_BYTES])
{
    for (size_t i = 0; i < sizeof *key; i++)
        snprintf(hex + 2 * i, 3, "%02x", key->words[i / 4] >> 8 * (i % 4) & 0xFF);
}

bool key_read(const char *hex, GeneratorKey *key)
{
    *key = (GeneratorKey){0};
    if (strlen(hex) != KEY_HEX_BYTES - 1)
        return false;
    for (size_t i = 0; i < KEY_HEX_BYTES - 1; i++) {
        if (!isxdigit((unsigned char)hex[i]))
            return false;
        uint32_t digit = isdigit((unsigned char)hex[i]) ? (uint32_t)(hex[i] - '0')
                                                        : (uint32_t)(tolower((unsigned char)hex[i]) - 'a' + 10);
        size_t byte = i / 2;
        key->words[byte / 4] |= digit << (8 * (byte % 4) + (i % 2 == 0 ? 4 : 0));
    }
    return true;
}
