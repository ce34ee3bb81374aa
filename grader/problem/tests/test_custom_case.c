#include "base/tests/unit.h"

#include "grader/problem/custom_case.h"
#include "grader/problem/problem.h"
#include "grader/tests/home.h"

static Problem problem;

static int read_problem(void **state)
{
    Message why = {0};
    int status = home_with_problem(state);
    if (status == 0 && problem_read("blend", &problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return status;
}

static int forget_problem(void **state)
{
    problem_free(&problem);
    return home_remove(state);
}

static Status make(const char *sizes, const char *data, TestcaseSet *set, Message *why)
{
    return custom_case_make(&problem, &(CustomCase){.sizes = sizes, .data = data, .seed = 5}, set, why);
}

static void sizes_make_a_sample_with_its_formulas(void **state)
{
    TestcaseSet set;
    Message why = {0};
    assert_int_equal(make(" cols = 4,rows=3", NULL, &set, &why), STATUS_OK);
    assert_int_equal(set.count, 1);
    const Testcase *one = &set.cases[0];
    assert_string_equal(one->name, " cols = 4,rows=3");
    assert_string_equal(one->why, "");
    assert_int_equal(one->group, CASE_SAMPLE);
    assert_int_equal(one->number, 1);
    assert_int_equal(one->sizes.values[4], 3);
    assert_int_equal(one->sizes.values[5], 4);
    assert_int_equal(one->operations, 36);
    assert_int_equal(one->bytes, 148);
    testcases_free(&set);
}

/* Covers each type of element: floats, integers and bytes. */
static void what_no_file_gives_is_random_within_the_range_of_its_type(void **state)
{
    static const CaseSource expected[] = {{.kind = SOURCE_UNIFORM, .a = -1, .b = 1},
                                          {.kind = SOURCE_INTEGERS, .a = -9, .b = 9},
                                          {.kind = SOURCE_INTEGERS, .a = 0, .b = 255}};
    TestcaseSet set;
    Message why = {0};
    assert_int_equal(make("rows=3,cols=4", NULL, &set, &why), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const CaseSource *source = &set.cases[0].sources[i];
        assert_int_equal(source->kind, expected[i].kind);
        assert_true(source->seeded);
        assert_int_equal(source->seed, 5 * PROBLEM_MAX_PARAMETERS + i);
        assert_true(source->a == expected[i].a && source->b == expected[i].b);
        assert_int_equal(source->position, -1);
    }
    testcases_free(&set);
}

static void the_limits_of_the_statement_are_allowed(void **state)
{
    static const char *const sizes[] = {"rows=1,cols=2", "rows=1000,cols=1000", "rows=4,cols=2", "rows=  7  ,cols=9"};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        TestcaseSet set;
        Message why = {0};
        if (make(sizes[i], NULL, &set, &why) != STATUS_OK)
            fail_test("%s: %s", sizes[i], why.text);
        testcases_free(&set);
    }
}

static const struct {
    const char *sizes, *data, *message;
} refused[] = {
    {"rows=3", NULL, "sizes: cols is missing; sizes of blend: rows, cols"},
    {"cols=3", NULL, "sizes: rows is missing; sizes of blend: rows, cols"},
    {"", NULL, "sizes: expected name=number, found ''; sizes of blend: rows, cols"},
    {"3,4", NULL, "sizes: expected name=number, found '3'; sizes of blend: rows, cols"},
    {"row=3,cols=4", NULL, "sizes: 'row' is no size of blend; did you mean 'rows'? expected: rows, cols"},
    {"a=3,cols=4", NULL, "sizes: 'a' is no size of blend; expected: rows, cols"},
    {"rows=0,cols=4", NULL, "sizes: rows: expected a number from 1 to 1000, as the statement says, found '0'"},
    {"rows=1001,cols=999", NULL, "sizes: rows: expected a number from 1 to 1000, as the statement says, found '1001'"},
    {"rows=1,cols=1", NULL, "sizes: cols: expected a number from 2 to 1000, as the statement says, found '1'"},
    {"rows=,cols=4", NULL, "sizes: rows: expected a number from 1 to 1000, as the statement says, found ''"},
    {"rows=3x,cols=4", NULL, "sizes: rows: expected a number from 1 to 1000, as the statement says, found '3x'"},
    {"rows=3 cols=4", NULL,
     "sizes: rows: expected a number from 1 to 1000, as the statement says, found '3 cols=4'; commas separate sizes"},
    {"rows=99999999999999999999,cols=4", NULL,
     "sizes: rows: expected a number from 1 to 1000, as the statement says, found '99999999999999999999'"},
    {"rows=3,rows=3,cols=4", NULL, "sizes: rows is given twice"},
    {"rows=5,cols=2", NULL, "sizes: expected rows <= 2 * cols, as the statement says"},
    {"rows=1,cols=2", "masks=x.npy", "data: 'masks' is no input of blend; did you mean 'mask'? expected: a, b, mask"},
    {"rows=1,cols=2", "out=x.npy", "data: 'out' is no input of blend; expected: a, b, mask"},
    {"rows=1,cols=2", "rows=x.npy", "data: 'rows' is no input of blend; expected: a, b, mask"},
};

static void what_is_no_size_and_no_input_is_refused_by_name(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        TestcaseSet set;
        Message why = {0};
        Status status = make(refused[i].sizes, refused[i].data, &set, &why);
        if (status != STATUS_BAD_INPUT || strcmp(why.text, refused[i].message) != 0)
            fail_test("row %zu: status %d, \"%s\", expected \"%s\"", i, status, why.text, refused[i].message);
    }
}

/* Two numbers, as Python's numpy.save() writes them: `description` and the bytes of the array. */
static const char *npy(const char *name, const char *description, const void *data, size_t bytes)
{
    static char path[200];
    char header[119];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1, 2), }", description);
    fprintf(file, "\x93NUMPY\1%c%c%c%-117s\n", '\0', 118, '\0', header);
    fwrite(data, bytes, 1, file);
    fclose(file);
    return path;
}

static void files_go_to_the_first_input_or_to_the_one_that_is_named(void **state)
{
    static const float floats[] = {1, 2}, quarters[] = {0.25f, 0.5f};
    static const int32_t numbers[] = {3, 4};
    char data[600], floats_path[200];
    TestcaseSet set;
    Message why = {0};
    strcpy(floats_path, npy("floats.npy", "<f4", floats, sizeof floats));
    snprintf(data, sizeof data, "%s,b=%s", floats_path, npy("numbers.npy", "<i4", numbers, sizeof numbers));
    if (make("rows=1,cols=2", data, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const CaseSource *sources = set.cases[0].sources;
    assert_int_equal(sources[0].kind, SOURCE_FILE);
    assert_memory_equal(sources[0].literal.data, floats, sizeof floats);
    assert_int_equal(sources[1].kind, SOURCE_FILE);
    assert_memory_equal(sources[1].literal.data, numbers, sizeof numbers);
    assert_int_equal(sources[2].kind, SOURCE_INTEGERS);
    testcases_free(&set);
    snprintf(data, sizeof data, "%s/4", floats_path);
    if (make("rows=1,cols=2", data, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_memory_equal(set.cases[0].sources[0].literal.data, quarters, sizeof quarters);
    testcases_free(&set);
    snprintf(data, sizeof data, "b=%s/4", npy("numbers.npy", "<i4", numbers, sizeof numbers));
    assert_int_equal(make("rows=1,cols=2", data, &set, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "numbers.npy: only floats can be divided"));
    snprintf(data, sizeof data, "a=%s,a=%s", floats_path, floats_path);
    assert_int_equal(make("rows=1,cols=2", data, &set, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "data: a is given twice");
    snprintf(data, sizeof data, "a=%s,%s", floats_path, floats_path); /* the second one belongs to no input */
    assert_int_equal(make("rows=1,cols=2", data, &set, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "is no input of blend; expected: a, b, mask"));
}

/* blend has rows from 1, columns from 2 on, and rows <= 2 * cols. */
static void sizes_fit_as_the_statement_says_and_make_a_case_each(void **state)
{
    static const Sizes fitting[] = {{.values = {[4] = 3, [5] = 4}}, {.values = {[4] = 4, [5] = 2}}};
    static const Sizes others[] = {{.values = {[4] = 3, [5] = 1}}, {.values = {[4] = 5, [5] = 2}}, {.values = {0}}};
    TestcaseSet set;
    Message why = {0};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(sizes_check(&problem, &others[i], NULL), STATUS_BAD_INPUT);
    for (size_t i = 0; i < COUNT_OF(fitting); i++)
        assert_int_equal(sizes_check(&problem, &fitting[i], NULL), STATUS_OK);
    if (custom_cases_of(&problem, fitting, COUNT_OF(fitting), 5, &set, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(set.count, 2);
    assert_string_equal(set.cases[0].name, "rows=3,cols=4");
    assert_int_equal(set.cases[0].operations, 36);
    assert_string_equal(set.cases[1].name, "rows=4,cols=2");
    assert_int_equal(set.cases[1].number, 2);
    assert_int_equal(set.cases[1].sources[1].seed, 5 * PROBLEM_MAX_PARAMETERS + 1);
    testcases_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_make_a_sample_with_its_formulas),
        cmocka_unit_test(what_no_file_gives_is_random_within_the_range_of_its_type),
        cmocka_unit_test(the_limits_of_the_statement_are_allowed),
        cmocka_unit_test(what_is_no_size_and_no_input_is_refused_by_name),
        cmocka_unit_test(files_go_to_the_first_input_or_to_the_one_that_is_named),
        cmocka_unit_test(sizes_fit_as_the_statement_says_and_make_a_case_each),
    };
    return cmocka_run_group_tests_name("custom_case", tests, read_problem, forget_problem);
}
