#include "base/hash.h"

#include <stdint.h>
#include <string.h>

void hash_begin(Hash *hash)
{
    SHA256Init(&hash->state);
}

void hash_add(Hash *hash, const void *bytes, size_t count)
{
    uint64_t length = count;
    SHA256Update(&hash->state, (const uint8_t *)&length, sizeof length);
    SHA256Update(&hash->state, bytes, count);
}

void hash_add_string(Hash *hash, const char *string)
{
    hash_add(hash, string, strlen(string));
}

void hash_add_again(Hash *hash, const void *bytes, size_t count)
{
    SHA256Update(&hash->state, bytes, count);
}

void hash_add_strings(Hash *hash, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        hash_add_string(hash, *strings);
    hash_add_string(hash, "");
}

Digest hash_end(Hash *hash)
{
    Digest digest;
    SHA256End(&hash->state, digest.hex);
    return digest;
}

Digest hash_of_one(const void *bytes, size_t count)
{
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, bytes, count);
    return hash_end(&hash);
}

Digest hash_of_bytes(const void *bytes, size_t count)
{
    Digest digest;
    SHA256Data(bytes, count, digest.hex);
    return digest;
}

uint64_t fnv_mixed(uint64_t hash, const void *bytes, size_t count)
{
    static const uint64_t prime = UINT64_C(1099511628211);
    for (const unsigned char *at = bytes, *end = at + count; at < end; at++)
        hash = (hash ^ *at) * prime;
    return hash;
}
