#include "grader/problem/testcase_data.h"

#include "grader/problem/generator.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

enum { PIECE = 1 << 16 }; /* elements that one thread fills at a time */

static void fill_uniform(uint64_t key, size_t first, size_t count, float low, float high, float *data)
{
    for (size_t i = 0; i < count; i++)
        data[i] = generator_uniform(key, first + i, low, high);
}

static void fill_normal(uint64_t key, size_t first, size_t count, float mean, float deviation, float *data)
{
    for (size_t i = 0; i < count; i++)
        data[i] = generator_normal(key, first + i, mean, deviation);
}

static void fill_integers(uint64_t key, size_t first, size_t count, const CaseSource *source, ElementType type,
                          void *data)
{
    int64_t low = (int64_t)source->a, high = (int64_t)source->b;
    for (size_t i = 0; i < count; i++)
        element_store(type, data, i, (double)generator_integer(key, first + i, low, high));
}

static void fill_ramp(size_t first, size_t count, const CaseSource *source, ElementType type, void *data)
{
    for (size_t i = 0; i < count; i++)
        element_store(type, data, i, generator_ramp(first + i, source->a, source->b));
}

static void fill_piece(const CaseSource *source, ElementType type, uint64_t key, size_t first, size_t count, void *data)
{
    switch (source->kind) {
    case SOURCE_UNIFORM: fill_uniform(key, first, count, (float)source->a, (float)source->b, data); break;
    case SOURCE_NORMAL: fill_normal(key, first, count, (float)source->a, (float)source->b, data); break;
    case SOURCE_INTEGERS: fill_integers(key, first, count, source, type, data); break;
    case SOURCE_RAMP: fill_ramp(first, count, source, type, data); break;
    case SOURCE_CONSTANT: fill_ramp(first, count, &(CaseSource){.a = source->a}, type, data); break;
    case SOURCE_IMPULSE: memset(data, 0, count * element_bytes(type)); break;
    case SOURCE_VALUES:
    case SOURCE_FILE:
        memcpy(data, (const char *)source->literal.data + first * element_bytes(type), count * element_bytes(type));
        break;
    }
}

uint64_t testcase_key(const Testcase *testcase, size_t parameter, uint64_t secret)
{
    const CaseSource *source = &testcase->sources[parameter];
    if (source->seeded)
        return generator_key(source->seed, 0);
    uint64_t number = (uint64_t)testcase->group << 32 | (uint32_t)testcase->number;
    return generator_key(generator_key(secret, number), parameter);
}

void testcase_fill(const Problem *problem, const Testcase *testcase, size_t parameter, uint64_t secret, void *data,
                   size_t count)
{
    const CaseSource *source = &testcase->sources[parameter];
    ElementType type = problem->parameters[parameter].type;
    uint64_t key = testcase_key(testcase, parameter, secret);
#pragma omp parallel for schedule(static) if (count > PIECE)
    for (size_t first = 0; first < count; first += PIECE)
        fill_piece(source, type, key, first, count - first < PIECE ? count - first : PIECE,
                   (char *)data + first * element_bytes(type));
    if (source->kind == SOURCE_IMPULSE)
        element_store(type, data, source->position < 0 ? count / 2 : (size_t)source->position, source->a);
}

Status secret_seed(uint64_t *seed, Message *why)
{
    ssize_t got;
    do
        got = getrandom(seed, sizeof *seed, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *seed)
        return fail_errno(why, "the kernel's random number generator");
    return STATUS_OK;
}
