#include "harness/device/cuda/cuda_managed.h"

#include <stdbool.h>
#include <string.h>

static const uint64_t TOO_MANY = UINT64_MAX;

enum { LARGEST_ELEMENT = 32 /* .v4 .f64 */ };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? TOO_MANY : product;
}

/* A declaration ends with a semicolon, or where its initial value begins: `.align 4 .b8 table[20000];` (PTX ISA 8.5,
 * "Variable Declaration Directives"). */
static uint64_t declared_bytes(const char *at, const char *end)
{
    bool are_bytes = false;
    uint64_t count = 1;
    for (; at < end && *at != ';' && *at != '='; at++) {
        are_bytes |= end - at >= 4 && memcmp(at, ".b8 ", 4) == 0;
        if (*at != '[')
            continue;
        uint64_t extent = 0;
        for (at++; at < end && is_digit(*at); at++)
            extent = extent > TOO_MANY / 16 ? TOO_MANY / 2 : extent * 10 + (uint64_t)(*at - '0');
        if (at == end || *at != ']' || extent == 0)
            return TOO_MANY;
        count = multiply(count, extent);
    }
    return at == end ? TOO_MANY : are_bytes ? count : multiply(count, LARGEST_ELEMENT);
}

uint64_t cuda_managed_bytes(const void *image, size_t bytes)
{
    static const char MARK[] = ".managed";
    const char *at = image, *end = at + bytes;
    uint64_t sum = 0;
    while ((at = memmem(at, (size_t)(end - at), MARK, sizeof MARK - 1)) != NULL) {
        at += sizeof MARK - 1;
        if (__builtin_add_overflow(sum, declared_bytes(at, end), &sum))
            return TOO_MANY;
    }
    return sum;
}
