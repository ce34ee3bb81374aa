#include "base/tests/unit.h"

#include "grader/problem/problem.h"
#include "grader/tests/home.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static void a_problem_is_read(void **state)
{
    Problem problem;
    Message why = {0};
    char folder[100];
    if (problem_read("blend", &problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    snprintf(folder, sizeof folder, "%s/problems/blend", home);
    assert_string_equal(problem.id, "blend");
    assert_string_equal(problem.title, "Blend");
    assert_string_equal(problem.folder, folder);
    assert_int_equal(problem.parameter_count, 6);
    assert_string_equal(problem.parameters[2].c_type, "const unsigned char*");
    assert_int_equal(problem.parameters[2].type, ELEMENT_UINT8);
    assert_int_equal(problem.parameters[2].rank, 1);
    assert_int_equal(problem.parameters[5].low, 2);
    assert_int_equal(problem_output(&problem), 3);
    assert_int_equal(problem.limits.host_bytes, 20u << 20);
    assert_true(problem.limits.wall_seconds == 6.5);
    assert_true(problem.tolerance.rms == 2e-5);
    assert_true(problem.kernel_must_write_output);
    assert_int_equal(problem.timed_calls, 100);
    assert_true(problem.review_factor == 1.3); /* the default */
    problem_free(&problem);
}

static void shapes_follow_from_sizes(void **state)
{
    Problem problem;
    Message why;
    Sizes sizes = {.values = {[4] = 5, [5] = 7}};
    size_t shape[TENSOR_MAX_RANK], count;
    int64_t operations;
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_int_equal(problem_shape(&problem, 3, &sizes, shape, &count, &why), STATUS_OK);
    assert_int_equal(shape[0], 5);
    assert_int_equal(shape[1], 7);
    assert_int_equal(count, 35);
    assert_int_equal(expression_evaluate(&problem.operations, sizes.values, &operations, &why), STATUS_OK);
    assert_int_equal(operations, 105);
    sizes.values[5] = 0;
    assert_int_equal(problem_shape(&problem, 3, &sizes, shape, &count, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "out has the extent \"cols\" = 0, expected at least 1"));
    problem_free(&problem);
}

/* Each row changes the file, which is then refused with a message that contains the last string. */
static const struct {
    const char *from, *to, *message;
} refused[] = {
    {"\"schema\": 1", "\"schema\": 2", "problem.json:1: schema: expected a whole number from 1 to 1"},
    {"\"id\": \"blend\"", "\"id\": \"other\"", "problem.json:1: id: expected \"blend\", the name of the folder"},
    {"\"easy\"", "\"trivial\"", "difficulty: expected \"easy\", \"medium\" or \"hard\""},
    {"\"easy\"", "\"easy\", \"headers\": [\"oracle.h\"]",
     "headers: expected names of headers beside problem.json, such as \"wb.h\", and neither oracle.h, which is secret, "
     "nor student.h, which each submission includes"},
    {"\"easy\"", "\"easy\", \"headers\": [\"../x.h\"]", "headers: expected names of headers beside problem.json"},
    {"\"easy\"", "\"easy\", \"headers\": [7]", "headers: expected names of headers beside problem.json"},
    {"\"easy\"", "\"easy\", \"headers\": [\"wb.h\"]", "/problems/blend/wb.h: no such file"},
    {"\"title\"", "\"Title\"", "Title: unknown key"},
    {"\"title\"", "\"titel\"", "problem.json:1: titel: unknown key; did you mean 'title'? expected one of: "},
    {"\"difficulty\"", "\"title\": \"again\", \"difficulty\"", "problem.json:1: title: this key is repeated"},
    {"cols\"],\n\"operations", "cols\"]\n\"operations", "problem.json:11: not valid JSON from here on"},
    {"void solve(", "int solve(", "problem.json:2: signature: expected a declaration"},
    {"int cols)", "int cols, int more)", "parameters: the signature has 7 parameters, found 6 here"},
    {"const float* a", "const float* x",
     "problem.json:4: name: expected \"x\", which is next in the signature, found \"a\""},
    {"const float* a", "const bool* a", "role: \"in\" is for a pointer to one of float, int, unsigned char, double, "},
    {"const float* a", "const uchar5* a", "or to a vector such as uchar4; the signature has \"const uchar5* a\""},
    {"const float* a", "const float** a", "role: \"in\" is for a pointer to one of float"},
    {"float* out", "const float* out", "not const; the signature has \"const float* out\""},
    {"float* out", "int* out", "sum_factor: unknown key"},
    {"int rows", "float rows", "role: \"size\" is for one of int, size_t, unsigned int, long int"},
    {"\"role\": \"out\"", "\"role\": \"output\"",
     "problem.json:7: role: expected \"in\", \"out\", \"inout\", \"size\" or \"scalar\""},
    {"\"role\": \"out\"", "\"role\": \"in\"",
     "parameters: expected a parameter of role \"out\" or \"inout\", found none"},
    {"\"min\": 2, \"max\": 1000", "\"values\": [2, 1]",
     "values: expected whole numbers from -2147483648 to 2147483647 in rising"},
    {"\"min\": 2, \"max\": 1000", "\"values\": [1.5]",
     "values: expected whole numbers from -2147483648 to 2147483647 in rising"},
    {"\"min\": 2, \"max\": 1000", "\"values\": []", "values: expected at least one number"},
    {"\"min\": 2, \"max\": 1000", "\"min\": 2, \"values\": [2]", "min: unknown key"},
    {"\"role\": \"size\", \"min\": 2", "\"role\": \"scalar\", \"min\": 2",
     "role: \"scalar\" is for float or double; the signature has \"int cols\""},
    {"{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5", "{\"absolute\": 1e-3", "the key \"relative\" is missing"},
    {"{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5", "{\"absolute\": 1e-3, \"relative\": 2",
     "relative: expected a number from 0"},
    {"{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5", "{\"bound_factor\": -1",
     "bound_factor: expected a number from 0"},
    {"\"tolerance\": {\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"as for sums\"},\n", "",
     "problem.json:7: the key \"tolerance\" is missing, here or for the whole problem"},
    {"\"out\", \"shape\": [\"rows\", \"cols\"]",
     "\"out\", \"shape\": [\"rows\", \"cols\"], \"tolerance\": {\"absolute\": 0, \"relative\": 0, \"why\": \"-\"}",
     "tolerance: each output has a tolerance of its own"},
    {"\"in\", \"shape\": [\"cols\"]", "\"in\", \"shape\": [\"cols\"], \"tolerance\": {}", "tolerance: unknown key"},
    {"\"in\", \"shape\": [\"cols\"]", "\"in\", \"min\": 1, \"max\": 1", "min: unknown key"},
    {"\"min\": 1, ", "", "the key \"min\" is missing"},
    {"\"min\": 2, \"max\": 1000", "\"min\": 2, \"max\": 1", "max: expected a whole number from 2 to"},
    {"\"min\": 2", "\"min\": -3e9", "min: expected a whole number from -2147483648 to 2147483647"},
    {"[\"cols\"]", "[]", "shape: expected 1 to 4 expressions, found 0"},
    {"[\"cols\"]", "[7]", "problem.json:6: shape: expected a list of expressions"},
    {"[\"cols\"]", "[\"colz\"]",
     "problem.json:6: shape: \"colz\": at character 1: expected the name of a size parameter"},
    {"[\"cols\"]", "[\"mask\"]", "expected the name of a size parameter"},
    {"[\"cols\"]", "[\"cols - 2\"]", "shape: mask has the extent \"cols - 2\" = 0, expected at least 1"},
    {"[\"cols\"]", "[\"cols * cols * cols * 10\"]", "mask has more than 2147483648 elements"},
    {"\"rows <= 2 * cols\"", "\"rows <= \"", "constraints: \"rows <= \": at character 9"},
    {"\"rows <= 2 * cols\"", "\"rows > cols\"", "constraints: expected them to hold for the smallest sizes"},
    {"\"rows <= 2 * cols\"", "4", "constraints: expected a list of expressions"},
    {"\"3 * rows * cols\"", "\"3 * row * cols\"",
     "operations: \"3 * row * cols\": at character 5: expected the name of a size"},
    {"\"3 * rows * cols\"", "\"rows - 1\"", "operations: is 0 for the smallest or largest sizes"},
    {"\"12 * rows", "\"9223372036854775807 * rows", "bytes: "},
    {"\"sum_factor\": 32", "\"sum_factor\": -1", "sum_factor: expected a number from 0"},
    {"\"sum_factor\": 32", "\"levels\": 1", "levels: unknown key"},
    {"\"as for sums\"", "\"\"", "why: expected a derivation of the tolerance"},
    {"\"host_seconds\": 5", "\"host_seconds\": \"5\"", "problem.json:14: host_seconds: expected a number"},
    {"\"device_mebibytes\": 10, ", "", "the key \"device_mebibytes\" is missing"},
    {"write_output\": true", "write_output\": 1", "kernel_must_write_output: expected true or false"},
    {"write_output\": true", "write_output\": true, \"constant_filter\": \"filter\"",
     "constant_filter: expected the name of an input of floats, found \"filter\""},
    {"write_output\": true", "write_output\": true, \"constant_filter\": \"b\"",
     "constant_filter: expected the name of an input of floats, found \"b\""},
    {"write_output\": true", "write_output\": true, \"constant_filter\": true", "constant_filter: expected a string"},
    {"\"blocks\": 3", "\"blocks\": 0", "blocks: expected a whole number from 1"},
    {"\"timed_calls\": 100}", "\"timed_calls\": 100, \"calls\": 1}", "calls: unknown key"},
    {"\"timed_calls\": 100}", "\"timed_calls\": 100, \"review_factor\": 1}",
     "review_factor: expected a number from 1.05"},
    {"{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 1000}", "7", "problem.json:8: expected an object"},
};

static void contradictions_are_refused_with_line_and_key(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        Problem problem;
        Message why = {0};
        char *text = replaced(home_problem, refused[i].from, refused[i].to);
        home_write("problems/blend/problem.json", text);
        free(text);
        assert_int_equal(problem_read("blend", &problem, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, refused[i].message);
    }
    home_write("problems/blend/problem.json", home_problem);
}

/* Writes the small problem with other text in some places. */
static void write_changed(const char *const changes[][2], size_t count)
{
    char *text = replaced(home_problem, "blend", "blend");
    for (size_t i = 0; i < count; i++) {
        char *changed = replaced(text, changes[i][0], changes[i][1]);
        free(text);
        text = changed;
    }
    home_write("problems/blend/problem.json", text);
    free(text);
}

static void read_changed(const char *const changes[][2], size_t count, Problem *problem)
{
    Message why = {0};
    write_changed(changes, count);
    if (problem_read("blend", problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    home_write("problems/blend/problem.json", home_problem);
}

static void each_output_has_a_view_and_a_tolerance(void **state)
{
    static const char *const changes[][2] = {
        {"const float* a,", "half* a,"},
        {"\"a\", \"role\": \"in\"", "\"a\", \"role\": \"out\""},
        {"const int* b", "short* b"},
        {"\"b\", \"role\": \"in\", \"shape\": [\"rows\", \"cols\"]",
         "\"b\", \"role\": \"inout\", \"shape\": [\"rows\"], \"tolerance\": {\"levels\": 0, \"why\": \"exact\"}"},
        {"float* out", "double* out"},
        {"\"out\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]",
         "\"out\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"], "
         "\"tolerance\": {\"absolute\": 1e-9, \"relative\": 1e-7, \"why\": \"-\"}"},
    };
    Problem problem, view;
    read_changed(changes, COUNT_OF(changes), &problem);
    assert_int_equal(problem_output(&problem), 0);
    assert_int_equal(problem.parameters[0].type, ELEMENT_FLOAT16);
    assert_true(problem.tolerance.unit == 0x1p-10 && problem.tolerance.sum_factor == 32);
    assert_true(problem_of_output(&problem, 1, &view));
    assert_int_equal(problem_output(&view), 1);
    assert_int_equal(view.parameters[1].type, ELEMENT_INT16);
    assert_true(view.tolerance.absolute == 0 && view.tolerance.sum_factor == 0);
    assert_true(problem_of_output(&problem, 2, &view));
    assert_int_equal(view.parameters[problem_output(&view)].type, ELEMENT_FLOAT64);
    assert_true(view.tolerance.of_expected && view.tolerance.unit == 1 && view.tolerance.sum_factor == 1e-7);
    assert_true(view.tolerance.absolute == 1e-9);
    assert_false(problem_of_output(&problem, 3, &view));
    problem_free(&problem);
}

static void a_vector_has_one_more_extent(void **state)
{
    static const struct {
        const char *type;
        ElementType element;
        size_t components;
    } rows[] = {{"const uchar4*", ELEMENT_UINT8, 4},
                {"const float2*", ELEMENT_FLOAT32, 2},
                {"int3*", ELEMENT_INT32, 3},
                {"const half2*", ELEMENT_FLOAT16, 2},
                {"const __nv_bfloat162 *", ELEMENT_BFLOAT16, 2},
                {"const uint16_t*", ELEMENT_UINT16, 1},
                {"char*", ELEMENT_INT8, 1},
                {"uint*", ELEMENT_UINT32, 1},
                {"const int64_t*", ELEMENT_INT64, 1},
                {"long long*", ELEMENT_INT64, 1},
                {"const size_t*", ELEMENT_UINT64, 1},
                {"const ulonglong2*", ELEMENT_UINT64, 2}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char declared[60];
        snprintf(declared, sizeof declared, "%s mask", rows[i].type);
        const char *const changes[][2] = {{"const unsigned char *mask", declared}};
        Problem problem;
        size_t shape[TENSOR_MAX_RANK], count;
        const Sizes sizes = {{[4] = 2, [5] = 6}};
        read_changed(changes, 1, &problem);
        assert_int_equal(problem.parameters[2].type, rows[i].element);
        assert_int_equal(problem_shape(&problem, 2, &sizes, shape, &count, NULL), STATUS_OK);
        assert_int_equal(count, 6 * rows[i].components);
        assert_int_equal(problem.parameters[2].rank, rows[i].components > 1 ? 2 : 1);
        problem_free(&problem);
    }
}

static void bytes_are_tolerated_by_levels(void **state)
{
    Problem problem;
    Message why = {0};
    home_write_levels("{\"levels\": 2, \"why\": \"rounding\"}");
    if (problem_read("blend", &problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    Digest two = problem.revision;
    assert_int_equal(problem.parameters[3].type, ELEMENT_UINT8);
    assert_true(problem.tolerance.absolute == 2);
    assert_true(problem.tolerance.sum_factor == 0 && problem.tolerance.max_factor == 0 && problem.tolerance.rms == 0);
    problem_free(&problem);

    home_write_levels("{\"levels\": 1, \"why\": \"rounding\"}");
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_string_not_equal(problem.revision.hex, two.hex);
    problem_free(&problem);
    home_write("problems/blend/problem.json", home_problem);
}

static void tolerances_of_bytes_and_floats_are_not_mixed(void **state)
{
    static const struct {
        const char *tolerance, *message;
    } rows[] = {
        {"{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"sums\"}", "sum_factor: unknown key"},
        {"{\"levels\": 1, \"rms\": 1, \"why\": \"rounding\"}", "rms: unknown key"},
        {"{\"levels\": 1.5, \"why\": \"rounding\"}", "levels: expected a whole number from 0 to 255"},
        {"{\"levels\": 256, \"why\": \"rounding\"}", "levels: expected a whole number from 0 to 255"},
        {"{\"levels\": 1, \"why\": \"\"}", "why: expected a derivation of the tolerance"},
        {"{\"why\": \"rounding\"}", "the key \"levels\" is missing"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Problem problem;
        Message why = {0};
        home_write_levels(rows[i].tolerance);
        assert_int_equal(problem_read("blend", &problem, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, rows[i].message);
    }
    home_write("problems/blend/problem.json", home_problem);
}

static void an_unknown_problem_is_answered_with_the_list(void **state)
{
    Problem problem;
    Message why;
    home_write("problems/another/statement.md", "");
    home_write("problems/notes", "a file is no problem");
    assert_int_equal(problem_read("conv9", &problem, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "unknown problem 'conv9'; known problems: another, blend");
    assert_int_equal(problem_read("anther", &problem, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "unknown problem 'anther'; did you mean 'another'? known problems: another, blend");
}

static void an_id_is_not_a_path(void **state)
{
    static const char *const ids[] = {"", "../blend", "Blend", "blend/", "-blend", "a b", "a\x1b[31m"};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        Problem problem;
        Message why;
        assert_int_equal(problem_read(ids[i], &problem, &why), STATUS_NOT_FOUND);
        assert_non_null(strstr(why.text, "known problems: "));
    }
}

static Digest revision_with(const char *file, const char *text, const char *from, const char *to)
{
    Problem problem;
    Message why = {0};
    char *changed = replaced(text, from, to);
    home_write(file, changed);
    free(changed);
    if (problem_read("blend", &problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    Digest revision = problem.revision;
    problem_free(&problem);
    home_write(file, text);
    return revision;
}

static void the_revision_changes_with_what_is_measured(void **state)
{
    static const struct {
        const char *file, *text, *from, *to;
        int same;
    } rows[] = {
        {"problems/blend/problem.json", home_problem, "\"Blend\"", "\"Blending\"", 1},
        {"problems/blend/problem.json", home_problem, "\"rms\": 2e-5", "\"rms\": 0.00002", 1},
        {"problems/blend/problem.json", home_problem, "\"sum_factor\": 32", "\"sum_factor\": 33", 0},
        {"problems/blend/problem.json", home_problem, "float* a", "float *a", 1},
        {"testcases/blend/sample.json", home_sample, "2.5", "2.25", 1},
        {"testcases/blend/hidden.json", home_hidden, "\"speed\"", "\"pace\"", 1},
        {"testcases/blend/hidden.json", home_hidden, "\"fast\"", "\"quick\"", 1},
        {"testcases/blend/hidden.json", home_hidden, "\"rows\": 3", "\"rows\": 4", 0},
        {"testcases/blend/hidden.json", home_hidden, "\"normal\"", "\"uniform\"", 0},
        {"testcases/blend/hidden.json", home_hidden, "\"timed\": true, ", "", 0},
        {"testcases/blend/hidden.json", home_hidden, "\"seed\": 7", "\"seed\": 9", 1},
    };
    Digest original = revision_with("problems/blend/problem.json", home_problem, "Blend", "Blend");
    assert_int_equal(strlen(original.hex), 64);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Digest revision = revision_with(rows[i].file, rows[i].text, rows[i].from, rows[i].to);
        if ((strcmp(revision.hex, original.hex) == 0) != rows[i].same)
            fail_test("%s instead of %s: %s", rows[i].to, rows[i].from, rows[i].same ? "changed" : "did not change");
    }
}

static void the_revision_changes_with_the_files_of_timed_cases(void **state)
{
    static const char input[] = "{\"file\": \"a.pgm\", \"perturb\": 0.25}";
    Digest revisions[3];
    for (int i = 0; i < 3; i++) {
        home_write("testcases/blend/a.pgm", i == 2 ? "P5 4 3 255\nabcdefghijkl" : "P5 4 3 255\nabcdefghijkL");
        revisions[i] = revision_with("testcases/blend/hidden.json", home_hidden, "{\"generator\": \"normal\"}", input);
    }
    assert_string_equal(revisions[0].hex, revisions[1].hex);
    assert_string_not_equal(revisions[1].hex, revisions[2].hex);
}

/* Folders of this repository, whose files have not changed just now. */
static void the_revision_of_a_file_is_kept_until_it_is_another_file(void **state)
{
    static const char *const folders[] = {"testcases/conv1d", "testcases/conv1d", "testcases/conv2d",
                                          "testcases/conv1d"};
    Digest revisions[COUNT_OF(folders)];
    char place[PATH_MAX], aside[PATH_MAX], target[PATH_MAX];
    snprintf(place, sizeof place, "%s/testcases/blend", home);
    snprintf(aside, sizeof aside, "%s/testcases/aside", home);
    assert_int_equal(rename(place, aside), 0);
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        Problem problem;
        Message why = {0};
        assert_non_null(realpath(folders[i], target));
        assert_int_equal(symlink(target, place), 0);
        if (problem_read("blend", &problem, &why) != STATUS_OK)
            fail_test("%s", why.text);
        revisions[i] = problem.revision;
        problem_free(&problem);
        assert_int_equal(unlink(place), 0);
    }
    assert_int_equal(rename(aside, place), 0);
    assert_string_equal(revisions[0].hex, revisions[1].hex);
    assert_string_not_equal(revisions[1].hex, revisions[2].hex);
    assert_string_equal(revisions[0].hex, revisions[3].hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_is_read),
        cmocka_unit_test(shapes_follow_from_sizes),
        cmocka_unit_test(contradictions_are_refused_with_line_and_key),
        cmocka_unit_test(each_output_has_a_view_and_a_tolerance),
        cmocka_unit_test(a_vector_has_one_more_extent),
        cmocka_unit_test(bytes_are_tolerated_by_levels),
        cmocka_unit_test(tolerances_of_bytes_and_floats_are_not_mixed),
        cmocka_unit_test(an_unknown_problem_is_answered_with_the_list),
        cmocka_unit_test(an_id_is_not_a_path),
        cmocka_unit_test(the_revision_changes_with_what_is_measured),
        cmocka_unit_test(the_revision_changes_with_the_files_of_timed_cases),
        cmocka_unit_test(the_revision_of_a_file_is_kept_until_it_is_another_file),
    };
    return cmocka_run_group_tests_name("problem", tests, home_with_problem, home_remove);
}
