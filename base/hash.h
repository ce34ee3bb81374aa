/* hash.h - SHA-256 as 64 hexadecimal digits, for keys of the compile cache, revisions of problems and machine code; FNV-1a for tables.  */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <sys/types.h>
#include <sha256.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Hash {
    SHA2_CTX state;
} Hash;

typedef struct Digest {
    char hex[65]; /* terminated */
} Digest;

void hash_begin(Hash *hash);
/* Adds the length and the bytes, so that ("ab", "c") and ("a", "bc") differ. */
void hash_add(Hash *hash, const void *bytes, size_t count);
void hash_add_string(Hash *hash, const char *string);
/* Adds what several hash_add() have added before: each one's length, of 8 bytes, and its bytes. */
void hash_add_again(Hash *hash, const void *bytes, size_t count);
/* Adds a list that ends with NULL, and a mark for its end. */
void hash_add_strings(Hash *hash, const char *const *strings);
Digest hash_end(Hash *hash);

/* The hash of a single hash_add(). */
Digest hash_of_one(const void *bytes, size_t count);
/* The plain SHA-256 of some bytes, as sha256sum(1) prints it. */
Digest hash_of_bytes(const void *bytes, size_t count);

/* FNV-1a (Fowler, Noll and Vo, draft-eastlake-fnv-17, section 5), which begins with FNV_BASIS. For tables alone: collisions
 * are easily made. */
#define FNV_BASIS UINT64_C(14695981039346656037)
uint64_t fnv_mixed(uint64_t hash, const void *bytes, size_t count);

#endif
