#include "grader/problem/testcase_data.h"

#include "grader/problem/key_stream.h"

#include <string.h>

/* Elements that one thread fills at a time: whole groups of words, whatever they are made into. */
enum { PIECE = 1 << 16, NORMALS = KEY_STREAM_GROUP / GENERATOR_NORMAL_WORDS };

/* What keys are derived for from the key of an array, whose elements have the purpose 0. */
enum { PURPOSE_PATTERN = 1, PURPOSE_CHANGE };

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void fill_uniform(const GeneratorKey *key, size_t first, size_t count, const CaseSource *source,
                         ElementType type, void *data)
{
    const float low = (float)source->a, high = (float)source->b;
    uint32_t words[KEY_STREAM_GROUP];
    double values[KEY_STREAM_GROUP];
    for (size_t done = 0; done < count; done += KEY_STREAM_GROUP) {
        key_stream_group(key, (uint32_t)((first + done) / KEY_STREAM_GROUP), words);
        for (size_t i = 0; i < smaller(count - done, KEY_STREAM_GROUP); i++)
            values[i] = generator_uniform(words[i], low, high);
        element_store_all(type, data, done, smaller(count - done, KEY_STREAM_GROUP), values);
    }
}

static void fill_normal(const GeneratorKey *key, size_t first, size_t count, const CaseSource *source, ElementType type,
                        void *data)
{
    const float mean = (float)source->a, deviation = (float)source->b;
    uint32_t words[KEY_STREAM_GROUP];
    double values[NORMALS];
    for (size_t done = 0; done < count; done += NORMALS) {
        key_stream_group(key, (uint32_t)((first + done) / NORMALS), words);
        for (size_t i = 0; i < smaller(count - done, NORMALS); i++) {
            const uint32_t *of = words + i / GENERATOR_LANES * GENERATOR_NORMAL_WORDS * GENERATOR_LANES +
                                 i % GENERATOR_LANES;
            values[i] = generator_normal(of[0], of[GENERATOR_LANES], of[2 * GENERATOR_LANES], of[3 * GENERATOR_LANES],
                                         mean, deviation);
        }
        element_store_all(type, data, done, smaller(count - done, NORMALS), values);
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
    if (!element_is_whole(type))
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
    case SOURCE_UNIFORM: fill_uniform(key, first, count, source, type, data); break;
    case SOURCE_NORMAL: fill_normal(key, first, count, source, type, data); break;
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

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static void keep_one_of_each(const CasePattern *pattern, const GeneratorKey *key, float *data, size_t count)
{
    const size_t run = (size_t)pattern->c, group = (size_t)pattern->a * run;
    for (size_t first = 0; first < count; first += group) {
        const size_t length = smaller(group, count - first);
        const int64_t last_run = (int64_t)((length - 1) / run);
        const size_t kept = (size_t)generator_integer(generator_word(key, first / group), 0, last_run);
        for (size_t i = 0; i < length; i++)
            if (i / run != kept)
                data[first + i] *= (float)pattern->b;
    }
}

static void emboss(const CasePattern *pattern, float *data, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
        data[count - 1 - i] = -data[i];
    data[count / 2] = (float)pattern->a;
}

/* The place of an element along one axis, whose neighbours lie `stride` elements apart. */
typedef struct ArrayAxis {
    size_t extent, stride;
} ArrayAxis;

static int axes_of(const Problem *problem, const Testcase *testcase, size_t parameter, ArrayAxis axes[TENSOR_MAX_RANK])
{
    size_t shape[TENSOR_MAX_RANK], stride;
    Message unfit;
    if (problem_shape(problem, parameter, &testcase->sizes, shape, &stride, &unfit) != STATUS_OK)
        return 0;
    for (int i = 0; i < problem->parameters[parameter].rank; i++) {
        stride /= shape[i];
        axes[i] = (ArrayAxis){shape[i], stride};
    }
    return problem->parameters[parameter].rank;
}

/* An element at an end gets the value of the one that lies nearest to the first along each axis. That one stays. */
static void mirror_ends(const ArrayAxis *axes, int rank, float *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t image = 0;
        bool is_end = false;
        for (int k = 0; k < rank; k++) {
            const size_t at = i / axes[k].stride % axes[k].extent, behind = axes[k].extent - 1 - at;
            image += smaller(at, behind) * axes[k].stride;
            is_end = is_end || at == 0 || behind == 0;
        }
        if (is_end)
            data[i] = data[image];
    }
}

/* The vector of an axis is what lies along it from the first element on. The last element is computed first, so that the
 * vectors are there until the end. */
static void multiply_axes(const CasePattern *pattern, const GeneratorKey *key, const ArrayAxis *axes, int rank,
                          float *data, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        float product = 1;
        for (int k = 0; k < rank; k++)
            product *= data[i / axes[k].stride % axes[k].extent * axes[k].stride];
        data[i] = product;
    }
    data[generator_integer(generator_word(key, 0), 0, (int64_t)count - 1)] *= (float)(1 + pattern->a);
}

static void apply_pattern(const Problem *problem, const Testcase *testcase, size_t parameter,
                          const GeneratorKey *array_key, float *data, size_t count)
{
    const CasePattern *pattern = &testcase->sources[parameter].pattern;
    const GeneratorKey key = generator_derive(array_key, PURPOSE_PATTERN, 0, 0);
    ArrayAxis axes[TENSOR_MAX_RANK];
    const int rank = axes_of(problem, testcase, parameter, axes);
    switch (pattern->kind) {
    case CASE_PATTERN_NONE: break;
    case CASE_PATTERN_SPARSE: keep_one_of_each(pattern, &key, data, count); break;
    case CASE_PATTERN_EMBOSS: emboss(pattern, data, count); break;
    case CASE_PATTERN_ENDS: mirror_ends(axes, rank, data, count); break;
    case CASE_PATTERN_PRODUCT: multiply_axes(pattern, &key, axes, rank, data, count); break;
    }
}

/* Whoever compares every other element, or one half, with the last call must not be lucky: four changes in a row lie at an
 * even and an odd position of each half. */
static size_t changed_position(uint32_t word, int change, size_t count)
{
    const bool in_second_half = change % 2 == 1;
    const size_t odd = change % 4 == 1 || change % 4 == 2;
    const size_t first = in_second_half ? count / 2 : 0, end = in_second_half || count == 1 ? count : count / 2;
    const size_t drawn = (size_t)generator_integer(word, (int64_t)first, (int64_t)end - 1);
    return drawn % 2 == odd ? drawn : drawn > first ? drawn - 1 : smaller(drawn + 1, count - 1);
}

/* Downwards where the type ends above. */
static void change_elements(const CaseSource *source, ElementType type, const GeneratorKey *array_key, void *data,
                            size_t count)
{
    const double highest = element_traits[type].highest;
    const GeneratorKey key = generator_derive(array_key, PURPOSE_CHANGE, 0, 0);
    for (int i = 0; i < source->changes; i++) {
        const size_t position = changed_position(generator_word(&key, (size_t)i), i, count);
        const double value = element_load(type, data, position);
        element_store(type, data, position,
                      value + source->change <= highest ? value + source->change : value - source->change);
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

GeneratorKey testcase_key(const Testcase *testcase, size_t parameter, const GeneratorKey *secret)
{
    static const GeneratorKey known;
    const CaseSource *source = &testcase->sources[parameter];
    if (source->seeded)
        return generator_derive(testcase->group == CASE_SAMPLE ? &known : secret, CASE_KEY_SEED, (uint32_t)source->seed,
                                (uint32_t)(source->seed >> 32));
    return generator_derive(secret, CASE_KEY_GROUP + (uint32_t)testcase->group, (uint32_t)testcase->number,
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
    if (source->pattern.kind != CASE_PATTERN_NONE)
        apply_pattern(problem, testcase, parameter, &key, data, count);
    change_elements(source, type, &key, data, count);
}
