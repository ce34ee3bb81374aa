/* key_stream.h - the words of ChaCha20 that test data are made of (generator.h), on the host and many at a time.  */
#ifndef GRADER_PROBLEM_KEY_STREAM_H
#define GRADER_PROBLEM_KEY_STREAM_H

#include "base/status.h"
#include "grader/problem/generator.h"

#include <stdbool.h>

enum { KEY_STREAM_GROUP = GENERATOR_LANES * GENERATOR_WORDS }; /* words of a group */

/* The words of a group of blocks: word w of its block b is words[8 w + b]. */
void key_stream_group(const GeneratorKey *key, uint32_t group, uint32_t words[KEY_STREAM_GROUP]);

/* A key from the kernel's random number generator. */
MUST_USE Status key_new(GeneratorKey *key, Message *why);

enum { KEY_HEX_BYTES = 65 }; /* 64 digits and the terminator */

/* The 32 bytes of the key in the order of RFC 8439, as hexadecimal digits. */
void key_hex(const GeneratorKey *key, char hex[KEY_HEX_BYTES]);
/* False unless `hex` is 64 hexadecimal digits. */
bool key_read(const char *hex, GeneratorKey *key);

#endif
