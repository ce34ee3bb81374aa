#include "grader/problem/testcase_data.h"

#include "grader/problem/key_stream.h"

#include <string.h>

/* Elements that one thread fills at a time: whole groups of words, whatever they are made into. */
enum { PIECE = 1 << 16, NORMALS = KEY_STREAM_GROUP / GENERATOR_NORMAL_WORDS };

/* What the keys of arrays are derived for. A group of cases that is added to CaseGroup gets a number of its own. */
enum { PURPOSE_SEED = 1, PURPOSE_GROUP };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void fill_uniform(const GeneratorKey *key, size_t first, size_t count, float low, float high, float *data)
{
    uint32_t words[KEY_STREAM_GROUP];
    for (size_t done = 0; done < count; done += KEY_STREAM_GROUP) {
        key_stream_group(key, (uint32_t)((first + done) / KEY_STREAM_GROUP), words);
        for (size_t i = 0; i < smaller(count - done, KEY_STREAM_GROUP); i++)
            data[done + i] = generator_uniform(words[i], low, high);
    }
}

static void fill_normal(const GeneratorKey *key, size_t first, size_t count, float mean, float deviation, float *data)
{
    uint32_t words[KEY_STREAM_GROUP];
    for (size_t done = 0; done < count; done += NORMALS) {
        key_stream_group(key, (uint32_t)((first + done) / NORMALS), words);
        for (size_t i = 0; i < smaller(count - done, NORMALS); i++) {
            const uint32_t *of = words + i / GENERATOR_LANES * GENERATOR_NORMAL_WORDS * GENERATOR_LANES +
                                 i % GENERATOR_LANES;
            data[done + i] = generator_normal(of[0], of[GENERATOR_LANES], of[2 * GENERATOR_LANES],
                                              of[3 * GENERATOR_LANES], mean, deviation);
        }
    }
}

static void fill_integers(const GeneratorKey *key, size_t first, size_t count, const CaseSource *source,
                          ElementType type, void *data)
{
    int64_t low = (int64_t)source->a, high = (int64_t)source->b;
    uint32_t words[KEY_STREAM_GROUP];
    for (size_t done = 0; done < count; done += KEY_STREAM_GROUP) {
        key_stream_group(key, (uint32_t)((first + done) / KEY_STREAM_GROUP), words);
        for (size_t i = 0; i < smaller(count - done, KEY_STREAM_GROUP); i++)
            element_store(type, data, done + i, (double)generator_integer(words[i], low, high));
    }
}

static double perturbed(ElementType type, uint32_t word, double value, double change)
{
    if (type == ELEMENT_FLOAT32)
        return generator_perturbed(word, (float)value, (float)change);
    return (double)generator_integer(word, (int64_t)(value - change), (int64_t)(value + change));
}

static void fill_perturbed(const GeneratorKey *key, size_t first, size_t count, const CaseSource *source,
                           ElementType type, void *data)
{
    uint32_t words[KEY_STREAM_GROUP];
    for (size_t done = 0; done < count; done += KEY_STREAM_GROUP) {
        key_stream_group(key, (uint32_t)((first + done) / KEY_STREAM_GROUP), words);
        for (size_t i = 0; i < smaller(count - done, KEY_STREAM_GROUP); i++) {
            const double value = element_load(type, source->literal.data, first + done + i);
            element_store(type, data, done + i, perturbed(type, words[i], value, source->a));
        }
    }
}

static void fill_ramp(size_t first, size_t count, const CaseSource *source, ElementType type, void *data)
{
    for (size_t i = 0; i < count; i++)
        element_store(type, data, i, generator_ramp(first + i, source->a, source->b));
}

static void fill_piece(const CaseSource *source, ElementType type, const GeneratorKey *key, size_t first, size_t count,
                       void *data)
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
    case SOURCE_PERTURBED: fill_perturbed(key, first, count, source, type, data); break;
    }
}

GeneratorKey testcase_key(const Testcase *testcase, size_t parameter, const GeneratorKey *secret)
{
    static const GeneratorKey known;
    const CaseSource *source = &testcase->sources[parameter];
    if (source->seeded)
        return generator_derive(testcase->group == CASE_SAMPLE ? &known : secret, PURPOSE_SEED, (uint32_t)source->seed,
                                (uint32_t)(source->seed >> 32));
    return generator_derive(secret, PURPOSE_GROUP + (uint32_t)testcase->group, (uint32_t)testcase->number,
                            (uint32_t)parameter);
}

void testcase_fill(const Problem *problem, const Testcase *testcase, size_t parameter, const GeneratorKey *secret,
                   void *data, size_t count)
{
    const CaseSource *source = &testcase->sources[parameter];
    ElementType type = problem->parameters[parameter].type;
    const GeneratorKey key = testcase_key(testcase, parameter, secret);
#pragma omp parallel for schedule(static) if (count > PIECE)
    for (size_t first = 0; first < count; first += PIECE)
        fill_piece(source, type, &key, first, count - first < PIECE ? count - first : PIECE,
                   (char *)data + first * element_bytes(type));
    if (source->kind == SOURCE_IMPULSE)
        element_store(type, data, source->position < 0 ? count / 2 : (size_t)source->position, source->a);
}
