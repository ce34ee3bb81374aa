#include "base/tests/unit.h"

#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"
#include "grader/tests/home.h"

#include <math.h>

static Status read_blend(TestcaseSet *set, Message *why)
{
    Problem problem;
    assert_int_equal(problem_read("blend", &problem, why), STATUS_OK);
    Status status = testcases_read(&problem, set, why);
    problem_free(&problem);
    return status;
}

static void cases_are_read_in_the_order_of_their_groups(void **state)
{
    static const struct {
        const char *name;
        CaseGroup group;
        int number;
    } rows[] = {
        {"by hand", CASE_SAMPLE, 1}, {"larger", CASE_HIDDEN, 1}, {"steps", CASE_HIDDEN, 2}, {"fast", CASE_TIMED, 1}};
    TestcaseSet set;
    Message why = {0};
    if (read_blend(&set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(set.count, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_string_equal(set.cases[i].name, rows[i].name);
        assert_int_equal(set.cases[i].group, rows[i].group);
        assert_int_equal(set.cases[i].number, rows[i].number);
    }
    assert_string_equal(set.cases[1].why, "rows that do not end with a vector");
    assert_int_equal(set.cases[1].sizes.values[4], 37);
    assert_int_equal(set.cases[1].operations, 3 * 37 * 29);
    assert_int_equal(set.cases[1].bytes, 12 * 37 * 29 + 29);
    testcases_free(&set);
}

static void a_case_can_repeat_the_addresses_of_the_one_before(void **state)
{
    char *text = replaced(home_hidden, "{\"rows\": 2, \"cols\": 3}",
                          "{\"rows\": 37, \"cols\": 29}, \"addresses\": \"repeat\"");
    TestcaseSet set;
    Message why;
    home_write("testcases/blend/hidden.json", text);
    assert_int_equal(read_blend(&set, &why), STATUS_OK);
    assert_false(set.cases[1].repeats_addresses);
    assert_true(set.cases[2].repeats_addresses);
    home_write("testcases/blend/hidden.json", home_hidden);
    testcases_free(&set);
    free(text);
}

static void literal_values_have_the_type_of_their_parameter(void **state)
{
    TestcaseSet set;
    Message why;
    const float a[] = {1, 2.5f}, expected[] = {-6, 2.5f};
    const int32_t b[] = {-7, INT32_MAX};
    const uint8_t mask[] = {1, 0};
    assert_int_equal(read_blend(&set, &why), STATUS_OK);
    assert_memory_equal(set.cases[0].sources[0].literal.data, a, sizeof a);
    assert_memory_equal(set.cases[0].sources[1].literal.data, b, sizeof b);
    assert_memory_equal(set.cases[0].sources[2].literal.data, mask, sizeof mask);
    assert_memory_equal(set.cases[0].expected[3].data, expected, sizeof expected);
    assert_null(set.cases[1].expected[3].data);
    testcases_free(&set);
}

static void what_is_left_out_has_its_default(void **state)
{
    TestcaseSet set;
    Message why;
    assert_int_equal(read_blend(&set, &why), STATUS_OK);
    const CaseSource *normal = &set.cases[3].sources[0], *integers = &set.cases[3].sources[1];
    assert_int_equal(normal->kind, SOURCE_NORMAL);
    assert_true(normal->a == 0 && normal->b == 1 && !normal->seeded);
    assert_true(integers->a == -9 && integers->b == 9);
    assert_int_equal(set.cases[2].sources[1].position, -1);
    assert_int_equal(set.cases[1].sources[2].position, 3);
    assert_true(set.cases[1].sources[0].seeded);
    assert_int_equal(set.cases[1].sources[0].seed, 7);
    testcases_free(&set);
}

static void arrays_of_every_type_are_filled(void **state)
{
    Problem problem;
    TestcaseSet set;
    Message why;
    const GeneratorKey secret = {{1}};
    float a[6];
    int32_t b[6];
    uint8_t mask[3];
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_int_equal(testcases_read(&problem, &set, &why), STATUS_OK);
    testcase_fill(&problem, &set.cases[2], 0, &secret, a, 6);
    testcase_fill(&problem, &set.cases[2], 1, &secret, b, 6);
    testcase_fill(&problem, &set.cases[2], 2, &secret, mask, 3);
    for (int i = 0; i < 6; i++) {
        assert_true(a[i] == 1 + 0.5f * (float)i);
        assert_int_equal(b[i], i == 3 ? -4 : 0);
        assert_int_equal(mask[i / 2], 255);
    }
    testcase_fill(&problem, &set.cases[0], 1, &secret, b, 2);
    assert_int_equal(b[1], INT32_MAX);
    testcases_free(&set);
    problem_free(&problem);
}

/* The places lie in the second half for odd changes, and at an odd position for the second and third. */
static void changes_add_up_from_case_to_case(void **state)
{
    enum { COUNT = 37 * 29, CHANGED = 4 };
    static const char changed[] = "{\"name\": \"change %d\", \"why\": \"-\", \"sizes\": {\"rows\": 37, \"cols\": 29},\n"
                                  " \"inputs\": {\"a\": {\"as_before\": true, \"change\": 0.5},"
                                  " \"b\": {\"as_before\": true}, \"mask\": {\"as_before\": true, \"change\": 9}}},\n";
    Text insertion = {0};
    for (int i = 0; i < CHANGED; i++)
        text_printf(&insertion, changed, i);
    text_add(&insertion, "{\"name\": \"steps\"");
    char *const text = replaced(home_hidden, "{\"name\": \"steps\"", insertion.data);
    const GeneratorKey secret = {{1}};
    static float data[CHANGED + 1][COUNT];
    Problem problem;
    TestcaseSet set;
    Message why = {0};
    home_write("testcases/blend/hidden.json", text);
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    if (testcases_read(&problem, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    home_write("testcases/blend/hidden.json", home_hidden);
    for (size_t i = 0; i <= CHANGED; i++)
        testcase_fill(&problem, &set.cases[1 + i], 0, &secret, data[i], COUNT);
    for (size_t i = 0; i < CHANGED; i++) {
        size_t changes = 0, position = 0;
        for (size_t k = 0; k < COUNT; k++)
            if (data[i + 1][k] != data[i][k]) {
                changes++;
                position = k;
            }
        assert_int_equal(changes, 1);
        assert_true(data[i + 1][position] == data[i][position] + 0.5f);
        assert_int_equal(position % 2, i == 1 || i == 2);
        assert_int_equal(position >= COUNT / 2, i % 2);
    }
    testcases_free(&set);
    problem_free(&problem);
    text_free(&insertion);
    free(text);
}

/* Each row changes a file, which is then refused with a message that contains the last string. */
static const struct {
    const char *file, *from, *to, *message;
} refused[] = {
    {"sample", "\"schema\": 1", "\"schema\": 7", "sample.json:1: schema: expected a whole number from 1 to 1"},
    {"sample", "\"cases\": [", "\"more\": 1, \"cases\": [", "more: unknown key"},
    {"sample", "\"by hand\"", "\"\"", "sample.json:2: name: expected 1 to 100 characters"},
    {"sample", "\"cols\": 2}", "\"cols\": 2, \"depth\": 1}", "sample.json:2: depth: unknown key"},
    {"sample", "\"rows\": 1, ", "", "sizes: the key \"rows\" is missing"},
    {"sample", "\"rows\": 1", "\"rows\": 0", "rows: expected a whole number from 1 to 1000"},
    {"sample", "\"rows\": 1", "\"rows\": 1.5", "rows: expected a whole number"},
    {"sample", "\"rows\": 1", "\"rows\": 5", "sizes: expected rows <= 2 * cols"},
    {"sample", "[1, 2.5]", "[1]", "sample.json:3: values: expected 2 numbers, as the shape of a says, found 1"},
    {"sample", "[1, 2.5]", "[1, 2, 3]", "found 3"},
    {"sample", "[1, 2.5]", "[1, \"2\"]", "sample.json:3: element 1 of a: expected a number of type float"},
    {"sample", "[1, 2.5]", "[1, 1e39]", "element 1 of a: expected a number of type float"},
    {"sample", "[1, 2.5]", "[1, 1e999]", "element 1 of a: expected a number of type float"},
    {"sample", "-7,", "0.5,", "sample.json:4: element 0 of b: expected a number of type int"},
    {"sample", "2147483647", "2147483648", "element 1 of b: expected a number of type int"},
    {"sample", "{\"values\": [1, 0]}", "{\"values\": [1, 256]}",
     "element 1 of mask: expected a number of type unsigned char"},
    {"sample", "{\"values\": [1, 0]}", "{\"values\": [1, -1]}", "element 1 of mask"},
    {"sample", "{\"values\": [1, 0]}", "{\"values\": [1, 0], \"seed\": 1}", "seed: unknown key"},
    {"sample", "{\"values\": [1, 0]}", "{}", "mask: expected \"values\", \"file\", \"generator\" or \"as_before\""},
    {"sample", "{\"values\": [1, 0]}", "[1, 0]", "mask: expected an object"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"uniform\"}", "makes floats; for mask, use \"integers\""},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"integers\"}", "expected whole numbers from 0 to 255"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"noise\"}", "generator: expected uniform, normal"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"ramp\", \"step\": 256}",
     "every element to be a number of type unsigned"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"ramp\", \"step\": 0.5}", "every element to be"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"impulse\", \"position\": 2}",
     "expected a \"position\" from 0 to 1"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"impulse\", \"value\": 300}",
     "expected a \"value\" of type unsigned char"},
    {"sample", "{\"values\": [1, 0]}", "{\"file\": \"../secret.npy\"}", "expected the name of a file beside this one"},
    {"sample", "{\"values\": [1, 0]}", "{\"file\": \"mask.npy\"}", "mask.npy: no such file"},
    {"sample", "[-6, 2.5]", "[-6]", "expected: expected 2 numbers, as the shape of out says, found 1"},
    {"hidden", "\"why\": \"speed\", ", "", "hidden.json:2: the key \"why\" is missing"},
    {"hidden", "\"larger\"", "\"fast\"", "hidden.json:4: name: two cases have the name \"fast\""},
    {"hidden", "\"timed\": true", "\"timed\": true, \"addresses\": \"repeat\"",
     "addresses: the addresses of timed cases are random"},
    {"hidden", "\"timed\": true", "\"addresses\": \"repeat\"", "addresses: no case comes before this one in its group"},
    {"hidden", "\"timed\": true", "\"timed\": true, \"sim_attempt_warp_instructions\": 1",
     "sim_attempt_warp_instructions: only a hidden case that is not timed can be given up"},
    {"sample", "\"name\": \"by hand\"", "\"sim_attempt_warp_instructions\": 1, \"name\": \"by hand\"",
     "sim_attempt_warp_instructions: only a hidden case that is not timed can be given up"},
    {"hidden", "\"name\": \"larger\"", "\"sim_attempt_warp_instructions\": 0, \"name\": \"larger\"",
     "sim_attempt_warp_instructions: expected a whole number from 1"},
    {"hidden", "\"name\": \"larger\"", "\"addresses\": \"keep\", \"name\": \"larger\"",
     "addresses: expected \"repeat\""},
    {"hidden", "{\"rows\": 2, \"cols\": 3}", "{\"rows\": 37, \"cols\": 30}, \"addresses\": \"repeat\"",
     "addresses: a has 4440 bytes: expected at most 4292, as in the case before, \"larger\""},
    {"hidden", "true", "\"sim\"", "timed: expected true, or no \"timed\" at all: all devices time the same cases"},
    {"hidden", "true", "false", "timed: expected true"},
    {"hidden", "\"integers\", \"low\": 1, \"high\": 1", "\"constant\"",
     "hidden.json:3: mask: every timed call must get new data"},
    {"hidden", "\"name\": \"larger\"", "\"timed\": true, \"name\": \"larger\"",
     "hidden.json:5: a: every timed call must get new data: expected a random generator or a file with \"perturb\", "
     "without a seed"},
    {"sample", "\"expected\"", "\"timed\": true, \"expected\"", "sample.json:3: a: every timed call must get new data"},
    {"hidden", "true", "true, \"expected\": [1]", "expected: the data of a are new in every grading"},
    {"sample", "{\"values\": [1, 0]}", "{\"generator\": \"integers\", \"low\": 0, \"high\": 1}",
     "are new in every grading: expected values or a file for them, or a seed"},
    {"hidden", "\"low\": -3, \"high\": 5", "\"low\": 5, \"high\": 5", "expected \"low\" below \"high\""},
    {"hidden", "\"low\": -3, \"high\": 5", "\"low\": -3e38, \"high\": 3e38", "at a distance that is a finite float"},
    {"hidden", "\"low\": -100", "\"low\": 100.5", "expected whole numbers"},
    {"hidden", "\"low\": -100", "\"low\": 101", "\"low\" not above \"high\" and at most 4294967295 below it"},
    {"hidden", "\"generator\": \"normal\"", "\"generator\": \"normal\", \"deviation\": -1",
     "expected a \"deviation\" of at least 0, and finite values up to 6 deviations from the mean"},
    {"hidden", "\"generator\": \"normal\"", "\"generator\": \"normal\", \"low\": -1", "low: unknown key"},
    {"hidden", "\"seed\": 7", "\"seed\": -7", "seed: expected a whole number from 0"},
    {"hidden", "\"seed\": 7", "\"seed\": \"7\"", "seed: expected a number"},

    {"hidden", "\"seed\": 7", "\"pattern\": \"smooth\"", "pattern: expected sparse, emboss, ends or product"},
    {"hidden", "\"seed\": 7", "\"pattern\": \"ends\", \"middle\": 1", "middle: unknown key"},
    {"hidden", "\"seed\": 7", "\"pattern\": \"sparse\", \"one_in\": 1", "expected a whole number \"one_in\" from 2 on"},
    {"hidden", "\"seed\": 7", "\"pattern\": \"sparse\", \"others\": 2", "and \"others\" from -1 to 1"},
    {"hidden", "\"seed\": 7", "\"pattern\": \"sparse\", \"run\": 1.5", "expected a whole number \"run\" from 1 on"},
    {"hidden", "\"seed\": 7", "\"pattern\": \"product\", \"change\": 0",
     "expected a \"change\" from -1 to 1 that is not 0"},
    {"hidden", "-3, \"high\": 5", "-3, \"high\": 5e9, \"pattern\": \"ends\"", "expected numbers from -1e+09 to 1e+09"},
    {"hidden", "\"seed\": 8", "\"seed\": 8, \"pattern\": \"ends\"", "pattern: is for arrays of floats, which b is not"},
    {"hidden", "{\"generator\": \"normal\"}", "{\"generator\": \"normal\", \"pattern\": \"ends\"}",
     "a: every timed call must get new data: expected a random generator or a file with \"perturb\", without a seed or a "
     "pattern"},

    {"hidden", "{\"generator\": \"constant\", \"value\": 255}", "{\"as_before\": true}",
     "mask: expected the shape of mask in the case before, \"larger\", without a size that is drawn"},
    {"hidden",
     "{\"rows\": 2, \"cols\": 3},\n \"inputs\": {\"a\": {\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5}",
     "{\"rows\": 37, \"cols\": 29},\n \"inputs\": {\"a\": {\"as_before\": true, \"change\": 0}",
     "change: expected a number other than 0"},
    {"hidden",
     "{\"rows\": 2, \"cols\": 3},\n \"inputs\": {\"a\": {\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5}",
     "{\"rows\": 37, \"cols\": 29},\n \"inputs\": {\"a\": {\"as_before\": true, \"change\": 1}, \"b\": {\"generator\": \"constant\"}, \"mask\": {\"generator\": \"constant\"}}},\n{\"name\": \"third\", \"why\": \"-\", \"sizes\": {\"rows\": 37, \"cols\": 29},\n \"inputs\": {\"a\": {\"as_before\": true, \"change\": 2}",
     "change: expected 1, as in the case before"},
    {"hidden", "{\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5}",
     "{\"generator\": \"uniform\", \"pattern\": \"emboss\"}",
     "a has 6 elements: expected an odd number, with a middle"},
    {"hidden", "{\"generator\": \"impulse\", \"position\": 3}", "{\"as_before\": true}",
     "mask: no case comes before this one in its group"},
    {"hidden", "{\"generator\": \"constant\", \"value\": 255}", "{\"as_before\": false}",
     "expected \"as_before\": true, in a case that is not timed"},
    {"hidden", "{\"generator\": \"normal\"}", "{\"as_before\": true}", "in a case that is not timed"},

    {"hidden", "\"rows\": 2,", "\"rows\": [2],",
     "rows: expected a whole number from 1 to 1000, or two, the smaller one first"},
    {"hidden", "\"rows\": 2,", "\"rows\": [5, 2],", "rows: expected a whole number from 1 to 1000, or two"},
    {"hidden", "\"rows\": 2,", "\"rows\": [1, 1001],", "rows: expected a whole number from 1 to 1000, or two"},
    {"hidden", "\"rows\": 2,", "\"rows\": [1, 2, 3],", "rows: expected a whole number from 1 to 1000, or two"},
    {"hidden", "\"rows\": 2,", "\"rows\": [7, 1000],", "sizes: 0 of 200 sizes drawn keep the problem's constraints"},
    {"hidden", "\"rows\": 2,", "\"rows\": [1, 5],",
     "a: expected uniform, normal, integers, constant, or an impulse in the middle: the sizes are drawn"},
    {"hidden",
     ", \"seed\": 8},\n \"mask\": {\"generator\": \"impulse\", \"position\": 3}}},\n{\"name\": \"steps\", \"why\": \"generators without a seed\", \"sizes\": {\"rows\": 2, \"cols\": 3},\n \"inputs\": {\"a\": {\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5},\n \"b\": {\"generator\": \"impulse\", \"value\": -4}",
     "},\n \"mask\": {\"generator\": \"impulse\", \"position\": 3}}},\n{\"name\": \"steps\", \"why\": \"generators without a seed\", \"sizes\": {\"rows\": 37, \"cols\": 29},\n \"inputs\": {\"a\": {\"generator\": \"constant\"},\n \"b\": {\"as_before\": true}",
     "b: b of the case before, \"larger\", needs a seed"},
    {"hidden", "{\"rows\": 2, \"cols\": 3}", "{\"rows\": [1, 2], \"cols\": 3}, \"addresses\": \"repeat\"",
     "addresses: the sizes of \"steps\" are drawn in every grading"},
    {"hidden",
     "\"sizes\": {\"rows\": 2, \"cols\": 3},\n \"inputs\": {\"a\": {\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5}",
     "\"expected\": [1], \"sizes\": {\"rows\": [1, 2], \"cols\": 3},\n \"inputs\": {\"a\": {\"generator\": \"constant\"}",
     "expected: the sizes of the case are drawn in every grading"},
    {"hidden", "\"rows\": 3,", "\"rows\": [1, 5],", "sizes: only a hidden case that is not timed can draw its sizes"},
    {"sample", "\"rows\": 1,", "\"rows\": [1, 3],", "sizes: only a hidden case that is not timed can draw its sizes"},
};

static void bad_testcases_are_refused_with_line_and_key(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        bool hidden = strcmp(refused[i].file, "hidden") == 0;
        const char *path = hidden ? "testcases/blend/hidden.json" : "testcases/blend/sample.json";
        const char *original = hidden ? home_hidden : home_sample;
        char *text = replaced(original, refused[i].from, refused[i].to);
        TestcaseSet set;
        Message why = {0};
        home_write(path, text);
        free(text);
        Status status = read_blend(&set, &why);
        if (status != STATUS_BAD_INPUT || strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, refused[i].message);
        home_write(path, original);
    }
}

/* The case "larger" with other keys for its array `a`, of 37 rows and 29 columns, and a case after it. */
static void fill_a(const char *keys, const char *next, const GeneratorKey *secret, float a[1073], float then[1073])
{
    Problem problem;
    TestcaseSet set;
    Message why = {0};
    char after[600], *with_keys = replaced(home_hidden, "\"seed\": 7", keys);
    snprintf(
        after, sizeof after,
        "}},\n{\"name\": \"next\", \"why\": \"-\", \"sizes\": {\"rows\": 37, \"cols\": 29}, \"inputs\": {\"a\": %s,"
        " \"b\": {\"as_before\": true, \"change\": 1}, \"mask\": {\"as_before\": true}}},\n{\"name\": \"steps\"",
        next);
    char *text = replaced(with_keys, "}},\n{\"name\": \"steps\"", after);
    home_write("testcases/blend/hidden.json", text);
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    if (testcases_read(&problem, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    testcase_fill(&problem, &set.cases[1], 0, secret, a, 1073);
    testcase_fill(&problem, &set.cases[2], 0, secret, then, 1073);
    testcases_free(&set);
    problem_free(&problem);
    home_write("testcases/blend/hidden.json", home_hidden);
    free(with_keys);
    free(text);
}

static const char as_before[] = "{\"as_before\": true}";

static void a_sparse_array_keeps_one_element_of_each_run(void **state)
{
    const GeneratorKey secret = {{5}};
    float a[1073], then[1073];
    fill_a("\"seed\": 7, \"pattern\": \"sparse\", \"one_in\": 100", as_before, &secret, a, then);
    for (int run = 0; run < 11; run++) {
        int kept = 0;
        for (int i = 100 * run; i < 100 * (run + 1) && i < 1073; i++)
            kept += a[i] != 0;
        assert_int_equal(kept, 1);
    }
    assert_memory_equal(a, then, sizeof a);
    fill_a("\"seed\": 7, \"pattern\": \"sparse\", \"one_in\": 1073, \"others\": 1e-6", as_before, &secret, a, then);
    int large = 0;
    for (int i = 0; i < 1073; i++) {
        assert_true(a[i] != 0);
        large += fabsf(a[i]) > 6e-6f;
    }
    assert_int_equal(large, 1);
}

static void a_sparse_array_can_keep_runs(void **state)
{
    const GeneratorKey secret = {{5}};
    float a[1073], then[1073];
    fill_a("\"seed\": 7, \"pattern\": \"sparse\", \"one_in\": 2, \"run\": 50", as_before, &secret, a, then);
    for (int pair = 0; pair < 10; pair++) {
        int kept[2] = {0};
        for (int i = 0; i < 100; i++)
            kept[i / 50] += a[100 * pair + i] != 0;
        assert_true((kept[0] == 50 && kept[1] == 0) || (kept[0] == 0 && kept[1] == 50));
    }
}

static void an_embossing_filter_adds_up_to_its_middle(void **state)
{
    const GeneratorKey secret = {{5}};
    float a[1073], then[1073];
    double sum = 0;
    fill_a("\"seed\": 7, \"pattern\": \"emboss\", \"middle\": 3", as_before, &secret, a, then);
    for (int i = 0; i < 1073; i++) {
        sum += a[i];
        assert_true(i == 536 || (a[i] == -a[1072 - i] && a[i] != 0));
    }
    assert_true(sum == 3 && a[536] == 3);
}

static void ends_are_mirror_images_and_the_inner_elements_are_not(void **state)
{
    const GeneratorKey secret = {{5}};
    float a[1073], then[1073];
    int inner = 0;
    fill_a("\"seed\": 7, \"pattern\": \"ends\"", as_before, &secret, a, then);
    for (int row = 0; row < 37; row++)
        for (int col = 0; col < 29; col++) {
            const bool is_end = row == 0 || row == 36 || col == 0 || col == 28;
            const bool is_mirrored = a[row * 29 + col] == a[row * 29 + 28 - col];
            assert_true(!is_end || (is_mirrored && a[row * 29 + col] == a[(36 - row) * 29 + col]));
            inner += !is_end && is_mirrored;
        }
    assert_int_equal(inner, 35); /* the middle column is its own mirror image */
}

static void a_product_lacks_one_element(void **state)
{
    const GeneratorKey secret = {{5}};
    float a[1073], then[1073];
    int others = 0;
    fill_a("\"seed\": 7, \"pattern\": \"product\", \"change\": 0.25", as_before, &secret, a, then);
    for (int row = 0; row < 37; row++)
        for (int col = 0; col < 29; col++) {
            const double product = (double)a[row * 29] * a[col] / a[0];
            others += fabs(product - a[row * 29 + col]) > 1e-5 * fabs(product);
        }
    assert_int_equal(others, 1);
}

static int differing(const float a[1073], const float b[1073], int *place)
{
    int count = 0;
    for (int i = 0; i < 1073; i++)
        if (a[i] != b[i]) {
            count++;
            *place = i;
        }
    return count;
}

static void one_element_differs_from_the_case_before(void **state)
{
    static const char one_more[] = "{\"as_before\": true, \"change\": 1.5}";
    const GeneratorKey secret = {{5}}, other = {{6}};
    float a[1073], then[1073];
    int place = 0, another = 0;
    fill_a("\"seed\": 7", one_more, &secret, a, then);
    assert_int_equal(differing(a, then, &place), 1);
    assert_true(then[place] == a[place] + 1.5f);
    fill_a("\"seed\": 7, \"pattern\": \"ends\"", one_more, &other, a, then);
    assert_int_equal(differing(a, then, &another), 1);
    assert_int_not_equal(place, another);
}

/* Other sizes with each key, all of them within the range and the constraint rows <= 2 * cols. */
static void sizes_are_drawn_for_each_grading(void **state)
{
    Problem problem;
    TestcaseSet set;
    Message why = {0};
    bool seen[1001] = {false};
    int different = 0;
    char *ranged = replaced(home_hidden, "{\"rows\": 37, \"cols\": 29}", "{\"rows\": [10, 900], \"cols\": [20, 300]}");
    char *text = replaced(ranged, "{\"generator\": \"impulse\", \"position\": 3}", "{\"generator\": \"impulse\"}");
    home_write("testcases/blend/hidden.json", text);
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    if (testcases_read(&problem, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const Testcase *drawn = &set.cases[1];
    for (uint32_t word = 0; word < 200; word++) {
        const GeneratorKey secret = {{word}};
        assert_int_equal(testcases_draw(&problem, &set, &secret, &why), STATUS_OK);
        const Sizes sizes = drawn->sizes;
        assert_in_range(sizes.values[4], 10, 900);
        assert_in_range(sizes.values[5], 20, 300);
        assert_true(sizes.values[4] <= 2 * sizes.values[5]);
        assert_int_equal(drawn->operations, 3 * sizes.values[4] * sizes.values[5]);
        different += !seen[sizes.values[4]];
        seen[sizes.values[4]] = true;
        assert_int_equal(testcases_draw(&problem, &set, &secret, &why), STATUS_OK);
        assert_memory_equal(&sizes, &drawn->sizes, sizeof sizes);
    }
    assert_in_range(different, 120, 200);
    assert_int_equal(set.cases[2].sizes.values[4], 2); /* those that are fixed stay */
    testcases_free(&set);
    problem_free(&problem);
    home_write("testcases/blend/hidden.json", home_hidden);
    free(ranged);
    free(text);
}

/* Inputs and expected output of a hidden case from files without a header. */
static void elements_alone_are_an_input_and_an_output(void **state)
{
    static const struct {
        const char *file, *shape, *message;
    } unfit[] = {
        {"a.bin", "[3, 1]", "a.bin: expected the shape of a, 1 x 2, found 3 x 1"},
        {"a.bin", "[2]", "a.bin: expected the shape of a, 1 x 2, found 2"},
        {"a.bin", "[0]", "expected 1 to 4 whole numbers from 1 on"},
        {"short.bin", "[1, 2]", "short.bin: expected 8 bytes of elements, as its shape says, found 4"},
        {"nan.bin", "[1, 2]", "nan.bin: an element is infinite or NaN"},
        {"a.npy", "[1, 2]", "expected \"shape\" only for a file of elements alone (.bin, .raw)"},
        {"../a.bin", "[1, 2]", "expected the name of a file beside this one"},
    };
    TestcaseSet set;
    Message why = {0};
    char source[200], *with_input, *with_both;
    home_write("testcases/blend/a.bin", "abcdABCD");
    home_write("testcases/blend/short.bin", "abcd");
    home_write("testcases/blend/nan.bin", "abcd\xff\xff\xff\xff");
    with_input = replaced(home_sample, "{\"values\": [1, 2.5]}", "{\"file\": \"a.bin\", \"shape\": [1, 2]}");
    with_both = replaced(with_input, "\"expected\": [-6, 2.5]",
                         "\"expected\": {\"file\": \"a.bin\", \"shape\": [1, 2]}");
    home_write("testcases/blend/sample.json", with_both);
    if (read_blend(&set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_memory_equal(set.cases[0].sources[0].literal.data, "abcdABCD", 8);
    assert_memory_equal(set.cases[0].expected[3].data, "abcdABCD", 8);
    testcases_free(&set);
    free(with_both);
    free(with_input);
    for (size_t i = 0; i < COUNT_OF(unfit); i++) {
        snprintf(source, sizeof source, "{\"file\": \"%s\", \"shape\": %s}", unfit[i].file, unfit[i].shape);
        with_input = replaced(home_sample, "{\"values\": [1, 2.5]}", source);
        home_write("testcases/blend/sample.json", with_input);
        free(with_input);
        assert_int_equal(read_blend(&set, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, unfit[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, unfit[i].message);
    }
    home_write("testcases/blend/sample.json", home_sample);
}

static void write_float_file(const char *name, const float *values, size_t count)
{
    char path[200];
    snprintf(path, sizeof path, "%s/testcases/blend/%s", home, name);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(values, sizeof *values, count, file), count);
    fclose(file);
}

/* Text, and numbers that are divided: blend's a has 1 x 2 floats, and b as many integers. */
static void numbers_of_text_are_an_input_and_are_divided_on_request(void **state)
{
    static const struct {
        const char *from, *to, *message; /* message NULL: a is 0.5 and 1.25 */
    } rows[] = {
        {"{\"values\": [1, 2.5]}", "{\"file\": \"a.raw\"}", NULL},
        {"{\"values\": [1, 2.5]}", "{\"file\": \"a.csv\", \"divide\": 2}", NULL},
        {"{\"values\": [1, 2.5]}", "{\"file\": \"b.raw\", \"shape\": [1, 2], \"divide\": 1}", NULL},
        {"{\"values\": [1, 2.5]}", "{\"file\": \"a.csv\", \"divide\": 0}", "expected a number"},
        {"{\"values\": [1, 2.5]}", "{\"file\": \"a.bin\"}", "expected \"shape\" for a file of elements alone (.bin)"},
        {"{\"values\": [1, 2.5]}", "{\"file\": \"a.jpg\"}",
         "a.jpg: expected a name that ends in .npy, .pgm, .ppm, .png, .csv, .dat, .txt, .bin or .raw"},
    };
    const float values[] = {0.5f, 1.25f};
    TestcaseSet set;
    Message why = {0};
    home_write("testcases/blend/a.raw", "2\n0.5\n1.25\n");
    home_write("testcases/blend/a.csv", "1, 2.5\n");
    write_float_file("b.raw", values, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = replaced(home_sample, rows[i].from, rows[i].to);
        home_write("testcases/blend/sample.json", text);
        free(text);
        const Status status = read_blend(&set, &why);
        assert_int_equal(status, rows[i].message == NULL ? STATUS_OK : STATUS_BAD_INPUT);
        if (status == STATUS_OK) {
            assert_memory_equal(set.cases[0].sources[0].literal.data, values, sizeof values);
            testcases_free(&set);
        } else if (strstr(why.text, rows[i].message) == NULL) {
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, rows[i].message);
        }
    }
    home_write("testcases/blend/sample.json", home_sample);
}

/* blend's mask has bytes: floats of a file are converted where each of them is one. */
static void a_file_of_another_type_must_fit(void **state)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    TestcaseSet set;
    Message why = {0};
    char path[200];
    char *text = replaced(home_sample, "{\"values\": [1, 0]}", "{\"file\": \"mask.npy\"}");
    home_write("testcases/blend/sample.json", text);
    free(text);
    snprintf(path, sizeof path, "%s/testcases/blend/mask.npy", home);
    for (int i = 0; i < 2; i++) {
        const float values[] = {1, i == 0 ? 0.0f : 0.5f};
        FILE *file = fopen(path, "wb");
        fprintf(file, "\x93NUMPY\1%c%c%c%-117s\n", '\0', 118, '\0', header);
        assert_int_equal(fwrite(values, sizeof *values, 2, file), 2);
        fclose(file);
        assert_int_equal(read_blend(&set, &why), i == 0 ? STATUS_OK : STATUS_BAD_INPUT);
        if (i == 0)
            testcases_free(&set);
    }
    if (strstr(why.text,
               "mask.npy: expected elements of type unsigned char, found float, not all of which it can hold") == NULL)
        fail_test("%s", why.text);
    home_write("testcases/blend/sample.json", home_sample);
}

/* --- perturbed files ---------------------------------------------------------------------------------------------- */

/* Reads the hidden cases with another source for an array; false and a message if they are refused. */
static bool reads_source(const char *from, const char *to, TestcaseSet *set, Message *why)
{
    char *text = replaced(home_hidden, from, to);
    home_write("testcases/blend/hidden.json", text);
    free(text);
    const Status status = read_blend(set, why);
    home_write("testcases/blend/hidden.json", home_hidden);
    return status == STATUS_OK;
}

static const char timed_a[] = "\"a\": {\"generator\": \"normal\"}";

static void a_timed_case_perturbs_the_values_of_a_file(void **state)
{
    static const float values[12] = {-1, 3, 0, 0.5, -0.75, 2.75, 1, 1, 1, 1, 1, 1};
    TestcaseSet set;
    Message why = {0};
    write_float_file("a.bin", values, 12);
    if (!reads_source(timed_a, "\"a\": {\"file\": \"a.bin\", \"shape\": [3, 4], \"perturb\": 0.125}", &set, &why))
        fail_test("%s", why.text);
    const CaseSource *source = &set.cases[3].sources[0];
    assert_int_equal(source->kind, SOURCE_PERTURBED);
    assert_true(source->a == 0.5 && !source->seeded);
    /* What lies within 0.5 of the ends has moved inward. */
    const float *inner = source->literal.data;
    assert_true(inner[0] == -0.5f && inner[1] == 2.5f && inner[2] == 0 && inner[4] == -0.5f && inner[5] == 2.5f);
    testcases_free(&set);
}

static void perturbed_data_of_every_type_stay_in_the_range_of_the_file(void **state)
{
    enum { ROWS = 37, COLS = 29, COUNT = ROWS * COLS };
    Problem problem;
    TestcaseSet set;
    Message why = {0};
    float a[COUNT], perturbed[2][COUNT];
    uint8_t mask[2][COLS];
    for (size_t i = 0; i < COUNT; i++)
        a[i] = i % 7 == 0 ? 0 : i % 7 == 1 ? 255 : 100;
    write_float_file("a.bin", a, COUNT);
    home_write("testcases/blend/mask.pgm", "P5 29 1 255\n\001abcdefghijklmnopqrstuvwxyz\371\371");
    char *text = replaced(home_problem, "[\"cols\"]", "[\"1\", \"cols\"]");
    home_write("problems/blend/problem.json", text);
    free(text);
    text = replaced(home_hidden, "\"mask\": {\"generator\": \"impulse\", \"position\": 3}",
                    "\"mask\": {\"file\": \"mask.pgm\", \"perturb\": 0.1}");
    char *both = replaced(text, "{\"generator\": \"uniform\", \"low\": -3, \"high\": 5, \"seed\": 7}",
                          "{\"file\": \"a.bin\", \"shape\": [37, 29], \"perturb\": 0.25, \"seed\": 7}");
    home_write("testcases/blend/hidden.json", both);
    free(text);
    free(both);
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    if (testcases_read(&problem, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_true(set.cases[1].sources[0].seeded && set.cases[1].sources[0].seed == 7);
    assert_true(set.cases[1].sources[2].a == 24); /* a tenth of 248, rounded down */
    for (uint32_t key = 0; key < 2; key++) {
        testcase_fill(&problem, &set.cases[1], 0, &(GeneratorKey){{key}}, perturbed[key], COUNT);
        testcase_fill(&problem, &set.cases[1], 2, &(GeneratorKey){{key}}, mask[key], COLS);
    }
    size_t same = 0;
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double inner = i % 7 == 0 ? 63.75 : i % 7 == 1 ? 191.25 : 100;
        assert_true(fabs(perturbed[0][i] - inner) <= 63.75 && perturbed[0][i] >= 0 && perturbed[0][i] <= 255);
        same += perturbed[0][i] == perturbed[1][i];
        sum += perturbed[0][i] - inner;
    }
    assert_true(same <= 1 && fabs(sum / COUNT) < 6); /* the mean of so many has a deviation of 1.1 */
    same = 0;
    for (size_t i = 0; i < COLS; i++) {
        assert_true(mask[0][i] >= 1 && mask[0][i] <= 249);
        same += mask[0][i] == mask[1][i];
    }
    assert_true(same < COLS / 2);
    testcases_free(&set);
    problem_free(&problem);
    home_write("problems/blend/problem.json", home_problem);
    home_write("testcases/blend/hidden.json", home_hidden);
}

static void a_file_that_calls_cannot_perturb_is_refused(void **state)
{
    static const struct {
        const char *source, *message;
    } rows[] = {
        {"{\"file\": \"a.bin\", \"shape\": [3, 4]}",
         "a: every timed call must get new data: expected a random generator or a file with \"perturb\", without a seed"},
        {"{\"file\": \"a.bin\", \"shape\": [4, 3], \"perturb\": 0.1}",
         "a.bin: expected the shape of a, 3 x 4, found 4 x 3"},
        {"{\"file\": \"none.bin\", \"shape\": [3, 4], \"perturb\": 0.1}", "none.bin: no such file"},
        {"{\"file\": \"nan.bin\", \"shape\": [3, 4], \"perturb\": 0.1}", "nan.bin: an element is infinite or NaN"},
        {"{\"file\": \"a.bin\", \"shape\": [3, 4], \"perturb\": 0}",
         "perturb: expected a share of the range of the file's values, above 0 and at most 0.5"},
        {"{\"file\": \"a.bin\", \"shape\": [3, 4], \"perturb\": -0.1}", "above 0 and at most 0.5"},
        {"{\"file\": \"a.bin\", \"shape\": [3, 4], \"perturb\": 0.51}", "above 0 and at most 0.5"},
        {"{\"file\": \"a.bin\", \"shape\": [3, 4], \"perturb\": \"0.1\"}", "perturb: expected a number"},
        {"{\"file\": \"flat.bin\", \"shape\": [3, 4], \"perturb\": 0.1}",
         "perturb: the values of a reach from 1 to 1: a share of 0.1 of that changes nothing"},
        {"{\"file\": \"wide.bin\", \"shape\": [3, 4], \"perturb\": 0.1}",
         "perturb: the values of a reach from -3e+38 to 3e+38, which is no finite float"},
        {"{\"file\": \"a.bin\", \"shape\": [3, 4], \"seed\": 1}", "seed: a file has a seed only with \"perturb\""},
        {"{\"generator\": \"normal\", \"perturb\": 0.1}", "perturb: unknown key"},
        {"{\"values\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], \"perturb\": 0.1}", "perturb: unknown key"},
    };
    static const float values[12] = {0, 1, 2, 3}, no_number[12] = {[5] = NAN}, wide[12] = {-3e38f, 3e38f};
    float flat[12];
    for (size_t i = 0; i < COUNT_OF(flat); i++)
        flat[i] = 1;
    write_float_file("a.bin", values, 12);
    write_float_file("nan.bin", no_number, 12);
    write_float_file("wide.bin", wide, 12);
    write_float_file("flat.bin", flat, 12);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char source[200];
        TestcaseSet set;
        Message why = {0};
        snprintf(source, sizeof source, "\"a\": %s", rows[i].source);
        if (reads_source(timed_a, source, &set, &why) || strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, rows[i].message);
    }
}

/* Whole numbers change by whole numbers. */
static void levels_too_close_together_are_refused(void **state)
{
    TestcaseSet set;
    Message why = {0};
    home_write("testcases/blend/mask.bin", "abab");
    assert_false(reads_source("\"mask\": {\"generator\": \"integers\", \"low\": 1, \"high\": 1}",
                              "\"mask\": {\"file\": \"mask.bin\", \"shape\": [4], \"perturb\": 0.5}", &set, &why));
    assert_non_null(strstr(why.text, "perturb: the values of mask reach from 97 to 98: a share of 0.5 of that changes "
                                     "nothing"));
}

static void a_picture_is_an_input(void **state)
{
    TestcaseSet set;
    Message why = {0};
    char *text = replaced(home_sample, "{\"values\": [1, 2.5]}", "{\"file\": \"photo.pgm\"}");
    const float levels[] = {'a', 'b'};
    home_write("testcases/blend/sample.json", text);
    home_write("testcases/blend/photo.pgm", "P5 2 1 255\nab");
    if (read_blend(&set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(set.cases[0].sources[0].literal.type, ELEMENT_FLOAT32);
    assert_memory_equal(set.cases[0].sources[0].literal.data, levels, sizeof levels);
    testcases_free(&set);
    home_write("testcases/blend/photo.pgm", "P5 1 2 255\nab");
    assert_int_equal(read_blend(&set, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "photo.pgm: expected the shape of a, "));
    free(text);
    text = replaced(home_sample, "{\"values\": [-7, 2147483647]}", "{\"file\": \"photo.pgm\"}");
    home_write("testcases/blend/sample.json", text);
    home_write("testcases/blend/photo.pgm", "P5 2 1 255\nab");
    if (read_blend(&set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_memory_equal(set.cases[0].sources[1].literal.data, ((int[]){'a', 'b'}), 2 * sizeof(int));
    testcases_free(&set);
    free(text);
    home_write("testcases/blend/sample.json", home_sample);
}

/* The small problem with a filter strength, a flag, and an array of halves. */
static const char *const scalar_changes[][2] = {
    {"int rows, int cols)", "int rows, int cols, float strength, double bias, int flip)"},
    {"const int* b", "const __half* b"},
    {"\"max\": 1000}],", "\"max\": 1000},\n{\"name\": \"strength\", \"role\": \"scalar\", \"min\": -1, \"max\": 2},"
                         "{\"name\": \"bias\", \"role\": \"scalar\", \"min\": 0, \"max\": 1},"
                         "{\"name\": \"flip\", \"role\": \"size\", \"values\": [0, 1, 4]}],"}};

static const char scalar_sample[] =
    "{\"schema\": 1, \"cases\": [{\"name\": \"by hand\", \"sizes\": {\"rows\": 1, \"cols\": 2, \"strength\": 1, "
    "\"bias\": 0, \"flip\": 1}, \"inputs\": {\"a\": {\"values\": [1, 2.5]}, \"b\": {\"values\": [-7, 3]}, "
    "\"mask\": {\"values\": [1, 0]}}}]}";

/* Reads one hidden case with these sizes; `message` is what refuses it, NULL: nothing. */
static void read_sizes_of_scalars(const char *sizes, const char *message, TestcaseSet *set, Problem *problem)
{
    char hidden[1000];
    Message why = {0};
    char *text = replaced(home_problem, "blend", "blend");
    for (size_t i = 0; i < COUNT_OF(scalar_changes); i++) {
        char *changed = replaced(text, scalar_changes[i][0], scalar_changes[i][1]);
        free(text);
        text = changed;
    }
    home_write("problems/blend/problem.json", text);
    free(text);
    snprintf(hidden, sizeof hidden,
             "{\"schema\": 1, \"cases\": [{\"name\": \"one\", \"why\": \"sizes\", \"sizes\": {%s}, \"inputs\": {"
             "\"a\": {\"generator\": \"uniform\"}, \"b\": {\"generator\": \"normal\"}, "
             "\"mask\": {\"generator\": \"constant\"}}}]}",
             sizes);
    home_write("testcases/blend/hidden.json", hidden);
    home_write("testcases/blend/sample.json", scalar_sample);
    assert_int_equal(problem_read("blend", problem, &why), STATUS_OK);
    const Status status = testcases_read(problem, set, &why);
    if (message == NULL && status != STATUS_OK)
        fail_test("%s", why.text);
    if (message != NULL && (status == STATUS_OK || strstr(why.text, message) == NULL))
        fail_test("\"%s\" does not hold \"%s\"", why.text, message);
    home_write("problems/blend/problem.json", home_problem);
    home_write("testcases/blend/sample.json", home_sample);
    home_write("testcases/blend/hidden.json", home_hidden);
}

static void scalars_are_listed_and_sizes_follow_from_others(void **state)
{
    TestcaseSet set;
    Problem problem;
    read_sizes_of_scalars("\"rows\": \"2 * cols - 1\", \"cols\": 3, \"strength\": 0.1, \"bias\": 0.1, \"flip\": 4",
                          NULL, &set, &problem);
    const Sizes *sizes = &set.cases[1].sizes;
    assert_int_equal(sizes->values[4], 5);
    assert_int_equal(sizes->values[8], 4);
    assert_true(sizes_scalar(sizes, 6) == (double)0.1f && sizes_scalar(sizes, 7) == 0.1);
    assert_int_equal(sizes_check(&problem, sizes, NULL), STATUS_OK);
    testcases_free(&set);
    problem_free(&problem);
}

static void scalars_and_flags_are_drawn_as_sizes_are(void **state)
{
    static const char ranges[] = "\"rows\": \"cols + 1\", \"cols\": [3, 30], \"strength\": [-1, 2], \"bias\": 0, "
                                 "\"flip\": [1, 4]";
    bool is_drawn[5] = {false};
    int high = 0;
    TestcaseSet set;
    Problem problem;
    Message why = {0};
    read_sizes_of_scalars(ranges, NULL, &set, &problem);
    for (uint32_t word = 0; word < 100; word++) {
        const GeneratorKey secret = {{word}};
        const Sizes *sizes = &set.cases[1].sizes;
        assert_int_equal(testcases_draw(&problem, &set, &secret, &why), STATUS_OK);
        assert_int_equal(sizes->values[4], sizes->values[5] + 1);
        assert_true(sizes_scalar(sizes, 6) >= -1 && sizes_scalar(sizes, 6) < 2 && sizes_scalar(sizes, 7) == 0);
        high += sizes_scalar(sizes, 6) > 0.5;
        is_drawn[sizes->values[8]] = true;
    }
    assert_in_range(high, 20, 80);
    assert_true(is_drawn[1] && is_drawn[4] && !is_drawn[0] && !is_drawn[2] && !is_drawn[3]);
    testcases_free(&set);
    problem_free(&problem);
}

static void scalars_beyond_their_limits_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"\"strength\": 2.5, \"bias\": 0, \"flip\": 0",
         "strength: expected a number from -1 to 2, or two, the smaller"},
        {"\"strength\": [1, 1], \"bias\": 0, \"flip\": 0", "strength: expected a number from -1 to 2, or two"},
        {"\"strength\": \"rows\", \"bias\": 0, \"flip\": 0", "strength: expected a number: only a size follows"},
        {"\"strength\": 1, \"bias\": 0, \"flip\": 3", "flip: expected one of 0, 1, 4, as the statement says, found 3"},
        {"\"strength\": 1, \"bias\": 0, \"flip\": \"flip\"",
         "flip: \"flip\": at character 1: expected the name of a size"},
        {"\"strength\": 1, \"flip\": 0", "the key \"bias\" is missing"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char sizes[300];
        TestcaseSet set;
        Problem problem;
        snprintf(sizes, sizeof sizes, "\"rows\": 2, \"cols\": 3, %s", rows[i][0]);
        read_sizes_of_scalars(sizes, rows[i][1], &set, &problem);
        problem_free(&problem);
    }
}

static void a_coloured_picture_becomes_opaque_where_an_array_has_an_alpha(void **state)
{
    static const char *const shapes[] = {"[\"rows\", \"4 * cols\"]", "[\"rows\", \"cols\", \"4\"]"};
    char *text = replaced(home_sample, "{\"values\": [1, 0]}", "{\"file\": \"photo.ppm\"}");
    home_write("testcases/blend/sample.json", text);
    free(text);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        TestcaseSet set;
        Message why = {0};
        text = replaced(home_problem, "[\"cols\"]", shapes[i]);
        home_write("problems/blend/problem.json", text);
        free(text);
        home_write("testcases/blend/photo.ppm", "P6 2 1 255\nabcdef");
        if (read_blend(&set, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_memory_equal(set.cases[0].sources[2].literal.data,
                            "abc\xff"
                            "def\xff",
                            8);
        testcases_free(&set);
        home_write("testcases/blend/photo.ppm", "P6 1 1 255\nabc");
        assert_int_equal(read_blend(&set, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "photo.ppm: expected the shape of mask, "));
    }
    home_write("problems/blend/problem.json", home_problem);
    home_write("testcases/blend/sample.json", home_sample);
}

static void the_problems_of_the_judge_have_good_testcases(void **state)
{
    Arena arena = {0};
    const char **ids;
    size_t count;
    Message why = {0};
    unsetenv("CONVJUDGE_HOME");
    assert_int_equal(problem_list(&arena, &ids, &count, &why), STATUS_OK);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        Problem problem;
        TestcaseSet set;
        if (problem_read(ids[i], &problem, &why) != STATUS_OK || testcases_read(&problem, &set, &why) != STATUS_OK)
            fail_test("%s", why.text);
        testcases_free(&set);
        problem_free(&problem);
    }
    arena_free(&arena);
    setenv("CONVJUDGE_HOME", home, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_read_in_the_order_of_their_groups),
        cmocka_unit_test(a_case_can_repeat_the_addresses_of_the_one_before),
        cmocka_unit_test(literal_values_have_the_type_of_their_parameter),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(arrays_of_every_type_are_filled),
        cmocka_unit_test(changes_add_up_from_case_to_case),
        cmocka_unit_test(a_sparse_array_keeps_one_element_of_each_run),
        cmocka_unit_test(a_sparse_array_can_keep_runs),
        cmocka_unit_test(an_embossing_filter_adds_up_to_its_middle),
        cmocka_unit_test(ends_are_mirror_images_and_the_inner_elements_are_not),
        cmocka_unit_test(a_product_lacks_one_element),
        cmocka_unit_test(one_element_differs_from_the_case_before),
        cmocka_unit_test(sizes_are_drawn_for_each_grading),
        cmocka_unit_test(bad_testcases_are_refused_with_line_and_key),
        cmocka_unit_test(elements_alone_are_an_input_and_an_output),
        cmocka_unit_test(numbers_of_text_are_an_input_and_are_divided_on_request),
        cmocka_unit_test(a_file_of_another_type_must_fit),
        cmocka_unit_test(a_timed_case_perturbs_the_values_of_a_file),
        cmocka_unit_test(perturbed_data_of_every_type_stay_in_the_range_of_the_file),
        cmocka_unit_test(a_file_that_calls_cannot_perturb_is_refused),
        cmocka_unit_test(levels_too_close_together_are_refused),
        cmocka_unit_test(a_picture_is_an_input),
        cmocka_unit_test(scalars_are_listed_and_sizes_follow_from_others),
        cmocka_unit_test(scalars_and_flags_are_drawn_as_sizes_are),
        cmocka_unit_test(scalars_beyond_their_limits_are_refused),
        cmocka_unit_test(a_coloured_picture_becomes_opaque_where_an_array_has_an_alpha),
        cmocka_unit_test(the_problems_of_the_judge_have_good_testcases),
    };
    return cmocka_run_group_tests_name("testcase", tests, home_with_problem, home_remove);
}
