#include "base/tests/unit.h"

#include "grader/problem/key_stream.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 300007 };

/* ---- the cipher -------------------------------------------------------------------------------------------------- */

/* RFC 8439: section 2.3.2 and appendix A.1, test vectors 1 to 5. A key and a key stream are bytes there. */
static const struct {
    const char *key;
    uint32_t counter, nonce[3];
    const char *stream;
} vectors[] = {
    {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     1,
     {0x09000000, 0x4A000000, 0},
     "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
     "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     0,
     {0, 0, 0},
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     1,
     {0, 0, 0},
     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
    {"0000000000000000000000000000000000000000000000000000000000000001",
     1,
     {0, 0, 0},
     "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
     "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
    {"00ff000000000000000000000000000000000000000000000000000000000000",
     2,
     {0, 0, 0},
     "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
     "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     0,
     {0, 0, 0x02000000},
     "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
     "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"},
};

static GeneratorKey key_of(const char *hex)
{
    GeneratorKey key;
    assert_true(key_read(hex, &key));
    return key;
}

static void blocks_are_those_of_rfc_8439(void **state)
{
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        const GeneratorKey key = key_of(vectors[i].key);
        const uint32_t *nonce = vectors[i].nonce;
        const Chacha20Block block = chacha20_block(&key, vectors[i].counter, nonce[0], nonce[1], nonce[2]);
        char hex[2 * sizeof block + 1];
        key_hex((const GeneratorKey *)(const void *)block.words, hex);
        key_hex((const GeneratorKey *)(const void *)(block.words + 8), hex + 64);
        assert_string_equal(hex, vectors[i].stream);
    }
}

static void many_words_at_a_time_are_those_of_single_blocks(void **state)
{
    const GeneratorKey key = key_of(vectors[0].key);
    uint32_t words[KEY_STREAM_GROUP];
    for (uint32_t group = 0; group < 3; group++) {
        key_stream_group(&key, group * 1000003, words);
        for (uint64_t i = 0; i < KEY_STREAM_GROUP; i++)
            assert_int_equal(words[i], generator_word(&key, (uint64_t)group * 1000003 * KEY_STREAM_GROUP + i));
    }
}

static void keys_are_written_as_64_digits(void **state)
{
    char hex[KEY_HEX_BYTES];
    GeneratorKey key = key_of("00FF000000000000000000000000000000000000000000000000000000000a01");
    key_hex(&key, hex);
    assert_string_equal(hex, "00ff000000000000000000000000000000000000000000000000000000000a01");
    assert_false(key_read("", &key));
    assert_false(key_read("0123456789abcdef", &key));
    assert_false(key_read("x0ff000000000000000000000000000000000000000000000000000000000a01", &key));
    assert_false(key_read("00ff000000000000000000000000000000000000000000000000000000000a010", &key));
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static float *fill_for(CaseGroup group, const CaseSource *source, uint32_t secret, int threads)
{
    static Problem problem; /* one parameter, of float */
    Testcase testcase = {.group = group, .number = 3, .sources = {*source}};
    float *data = malloc(COUNT * sizeof *data);
    omp_set_num_threads(threads);
    testcase_fill(&problem, &testcase, 0, &(GeneratorKey){{secret}}, data, COUNT);
    return data;
}

static float *fill(const CaseSource *source, uint32_t secret, int threads)
{
    return fill_for(CASE_HIDDEN, source, secret, threads);
}

static const CaseSource sources[] = {
    {.kind = SOURCE_UNIFORM, .a = -3, .b = 5},
    {.kind = SOURCE_UNIFORM, .a = 0.1, .b = 0.3, .seeded = true, .seed = 9},
    {.kind = SOURCE_NORMAL, .a = 10, .b = 2},
    {.kind = SOURCE_INTEGERS, .a = -9, .b = 9},
    {.kind = SOURCE_IMPULSE, .a = 4, .position = -1},
    {.kind = SOURCE_RAMP, .a = 1, .b = 0.25},
    {.kind = SOURCE_CONSTANT, .a = -2},
};

static void data_do_not_depend_on_the_number_of_threads(void **state)
{
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        float *one = fill(&sources[i], 42, 1), *three = fill(&sources[i], 42, 3);
        assert_memory_equal(one, three, COUNT * sizeof *one);
        free(one);
        free(three);
    }
}

static void only_seeded_data_of_samples_are_the_same_in_every_grading(void **state)
{
    for (int group = CASE_SAMPLE; group < CASE_GROUPS; group++)
        for (size_t i = 0; i < 4; i++) {
            float *data = fill_for((CaseGroup)group, &sources[i], 42, 2);
            float *again = fill_for((CaseGroup)group, &sources[i], 42, 2);
            float *other = fill_for((CaseGroup)group, &sources[i], 43, 2);
            size_t alike = 0;
            for (size_t j = 0; j < COUNT; j++)
                alike += data[j] == other[j];
            assert_memory_equal(data, again, COUNT * sizeof *data);
            if (sources[i].seeded && group == CASE_SAMPLE)
                assert_int_equal(alike, COUNT);
            else
                assert_true(alike < COUNT / 10); /* of 19 whole numbers, one in 19 is equal by chance */
            free(data);
            free(again);
            free(other);
        }
}

/* Mean, deviation and range over many elements; limits are five standard errors wide. */
static const struct {
    CaseSource source;
    double mean, deviation, low, high;
} statistics[] = {
    {{.kind = SOURCE_UNIFORM, .a = -3, .b = 5}, 1, 2.309401, -3, 5},
    {{.kind = SOURCE_NORMAL, .a = 10, .b = 2}, 10, 2, -2, 22},
    {{.kind = SOURCE_INTEGERS, .a = -9, .b = 9}, 0, 5.477226, -9, 9},
    {{.kind = SOURCE_INTEGERS, .a = 0, .b = 1}, 0.5, 0.5, 0, 1},
};

static void generated_numbers_have_their_distribution(void **state)
{
    for (size_t i = 0; i < COUNT_OF(statistics); i++) {
        float *data = fill(&statistics[i].source, 7, 2);
        double sum = 0, squares = 0;
        for (size_t j = 0; j < COUNT; j++) {
            assert_true(data[j] >= statistics[i].low && data[j] <= statistics[i].high);
            sum += data[j];
            squares += (data[j] - statistics[i].mean) * (data[j] - statistics[i].mean);
        }
        double error = statistics[i].deviation / sqrt(COUNT);
        assert_true(fabs(sum / COUNT - statistics[i].mean) < 5 * error);
        assert_true(fabs(sqrt(squares / COUNT) - statistics[i].deviation) < 5 * error);
        free(data);
    }
}

static void the_upper_end_of_uniform_numbers_is_never_met(void **state)
{
    float low = 1, high = nextafterf(nextafterf(1, 2), 2); /* only two numbers are possible, and most round up */
    const GeneratorKey key = {{5}};
    size_t lows = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        float value = generator_uniform(generator_word(&key, i), low, high);
        assert_true(value >= low && value < high);
        lows += value == low;
    }
    assert_true(lows > 100 && lows < 900);
}

static void whole_numbers_reach_both_ends(void **state)
{
    const GeneratorKey key = {{1}};
    int seen[5] = {0};
    for (uint64_t i = 0; i < 200; i++)
        seen[generator_integer(generator_word(&key, i), -2, 2) + 2]++;
    for (int i = 0; i < 5; i++)
        assert_true(seen[i] > 10);
    for (uint64_t i = 0; i < 200; i++) {
        int64_t value = generator_integer(generator_word(&key, i), INT32_MIN, INT32_MAX);
        assert_true(value >= INT32_MIN && value <= INT32_MAX);
    }
}

static void simple_data_are_what_they_say(void **state)
{
    float *impulse = fill(&sources[4], 1, 2), *ramp = fill(&sources[5], 1, 2), *constant = fill(&sources[6], 1, 2);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(impulse[i] == (i == COUNT / 2 ? 4 : 0));
        assert_true(ramp[i] == 1 + 0.25f * (float)i);
        assert_true(constant[i] == -2);
    }
    free(impulse);
    free(ramp);
    free(constant);
}

static void no_two_arrays_of_a_run_are_alike(void **state)
{
    static Problem problem;
    const CaseSource source = {.kind = SOURCE_UNIFORM, .a = 0, .b = 1};
    float first[16][8];
    size_t count = 0;
    for (int group = CASE_HIDDEN; group <= CASE_TIMED; group++)
        for (int number = 1; number <= 4; number++)
            for (size_t parameter = 0; parameter < 2; parameter++) {
                Testcase testcase = {.group = (CaseGroup)group, .number = number, .sources = {source, source}};
                testcase_fill(&problem, &testcase, parameter, &(GeneratorKey){{1}}, first[count], 8);
                for (size_t i = 0; i < count; i++)
                    assert_memory_not_equal(first[i], first[count], sizeof first[i]);
                count++;
            }
}

static int bits_apart(const GeneratorKey *a, const GeneratorKey *b)
{
    int bits = 0;
    for (int i = 0; i < 8; i++)
        bits += __builtin_popcount(a->words[i] ^ b->words[i]);
    return bits;
}

/* Two random keys of 256 bits differ in 128 bits, with a deviation of 8; the limits are 8 deviations wide. */
static void look_independent(const GeneratorKey *a, const GeneratorKey *b)
{
    int bits = bits_apart(a, b);
    if (bits < 64 || bits > 192)
        fail_test("%d of 256 bits of two keys differ", bits);
}

static void keys_of_two_calls_share_nothing(void **state)
{
    static GeneratorKey keys[64];
    const Testcase testcase = {.group = CASE_TIMED, .number = 1, .sources = {{.kind = SOURCE_UNIFORM}}};
    Message why;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        assert_int_equal(key_new(&keys[i], &why), STATUS_OK);
        const GeneratorKey array = testcase_key(&testcase, 0, &keys[i]), next = testcase_key(&testcase, 1, &keys[i]);
        look_independent(&keys[i], &array);
        look_independent(&array, &next);
        for (size_t j = 0; j < i; j++) {
            const GeneratorKey other = testcase_key(&testcase, 0, &keys[j]);
            look_independent(&keys[i], &keys[j]);
            look_independent(&array, &other);
        }
    }
}

static void one_bit_of_a_key_changes_all_data(void **state)
{
    const GeneratorKey key = {{0}};
    for (int bit = 0; bit < 256; bit++) {
        GeneratorKey other = key;
        other.words[bit / 32] ^= 1u << bit % 32;
        const GeneratorKey a = generator_derive(&key, 1, 2, 3), b = generator_derive(&other, 1, 2, 3);
        look_independent(&a, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_rfc_8439),
        cmocka_unit_test(many_words_at_a_time_are_those_of_single_blocks),
        cmocka_unit_test(keys_are_written_as_64_digits),
        cmocka_unit_test(data_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(only_seeded_data_of_samples_are_the_same_in_every_grading),
        cmocka_unit_test(generated_numbers_have_their_distribution),
        cmocka_unit_test(the_upper_end_of_uniform_numbers_is_never_met),
        cmocka_unit_test(whole_numbers_reach_both_ends),
        cmocka_unit_test(simple_data_are_what_they_say),
        cmocka_unit_test(no_two_arrays_of_a_run_are_alike),
        cmocka_unit_test(keys_of_two_calls_share_nothing),
        cmocka_unit_test(one_bit_of_a_key_changes_all_data),
    };
    return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
