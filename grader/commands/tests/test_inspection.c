#include "base/tests/unit.h"

#include "grader/commands/command_check.h"
#include "grader/commands/inspection.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/tests/home.h"

#define STATEMENT "problems/blend/statement.md"
#define HIDDEN "testcases/blend/hidden.json"

static const char statement[] =
    "# Blend\n\n"
    "`rows` and `cols` go up to 1,000.\n\n"
    "## Example\n\n1 + (-7)*1 = -6 and 2.5 + 2147483647*0 = 2.5.\n\n"
    "## What to write\n\n"
    "    extern \"C\" void solve(const float* a, const int* b,\n"
    "                          const unsigned char *mask, float* out,\n"
    "                          int rows, int cols)\n\n"
    "## Arithmetic intensity\n\nLittle.\n\n## When it is right\n\nAlways.\n\n## How fast it is\n\nVery.\n";

/* Cases of the small problem that reach its limits: rows 1 to 1000, cols 2 to 1000, rows <= 2 * cols. */
static const char hidden[] =
    "{\"schema\": 1, \"cases\": [\n"
    "{\"name\": \"least\", \"why\": \"-\", \"sizes\": {\"rows\": 1, \"cols\": 2}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"integers\"},"
    " \"mask\": {\"values\": [1, 2]}}},\n"
    "{\"name\": \"before\", \"why\": \"-\", \"sizes\": {\"rows\": 5, \"cols\": 5}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"constant\"},"
    " \"mask\": {\"generator\": \"constant\"}}},\n"
    "{\"name\": \"again\", \"why\": \"-\", \"addresses\": \"repeat\", \"sizes\": {\"rows\": 5, \"cols\": 5}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"ramp\"}, \"b\": {\"generator\": \"constant\"},"
    " \"mask\": {\"generator\": \"constant\"}}},\n"
    "{\"name\": \"elsewhere\", \"why\": \"-\", \"sizes\": {\"rows\": 5, \"cols\": 5}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"impulse\"}, \"b\": {\"generator\": \"constant\"},"
    " \"mask\": {\"generator\": \"constant\"}}},\n"
    "{\"name\": \"largest\", \"why\": \"-\", \"sizes\": {\"rows\": 1000, \"cols\": 1000}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"integers\"},"
    " \"mask\": {\"generator\": \"constant\"}}},\n"
    "{\"name\": \"fast\", \"why\": \"-\", \"timed\": true, \"sizes\": {\"rows\": 6, \"cols\": 3}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"integers\"},"
    " \"mask\": {\"generator\": \"integers\","
    " \"low\": 0}}}]}\n";

/* The samples without any that is not timed. */
static const char timed_sample[] =
    "{\"schema\": 1, \"cases\": [\n"
    "{\"name\": \"by hand\", \"timed\": true, \"sizes\": {\"rows\": 1, \"cols\": 2}, \"inputs\": {"
    "\"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"integers\"}, "
    "\"mask\": {\"generator\": \"integers\", \"low\": 0}}}]}\n";

typedef Status Inspection(const Problem *problem, const TestcaseSet *set, Message *why);

static Status statement_alone(const Problem *problem, const TestcaseSet *set, Message *why)
{
    return inspect_statement(problem, why);
}

/* All that is missing, in place of the first thing. */
static Status values_in_full(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Text missing = {0};
    text_add(&missing, "");
    Status status = inspect_values(problem, set, &missing, why);
    snprintf(why->text, sizeof why->text, "%s", missing.data);
    text_free(&missing);
    return status;
}

/* The same from the classes of filters on. */
static Status values_of_filters(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Text missing = {0};
    text_add(&missing, "");
    Status status = inspect_values(problem, set, &missing, why);
    const char *filters = strstr(missing.data, "b: no hidden case in which the middle");
    snprintf(why->text, sizeof why->text, "%s", filters == NULL ? "" : filters);
    text_free(&missing);
    return status;
}

/* Cases with every class of values: `a` is the input, and the others have no floats. */
static const char values[] =
    "{\"schema\": 1, \"cases\": [\n"
    "{\"name\": \"zero\", \"why\": \"-\", \"sizes\": {\"rows\": 1, \"cols\": [5, 9]}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"constant\", \"value\": 0}, \"b\": {\"generator\": \"constant\", \"value\": 0},"
    " \"mask\": {\"generator\": \"constant\", \"value\": 0}}},\n"
    "{\"name\": \"equal\", \"why\": \"-\", \"sizes\": {\"rows\": 9, \"cols\": 1000}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"constant\", \"value\": 0.5}, \"b\": {\"generator\": \"constant\"},"
    " \"mask\": {\"generator\": \"constant\"}}},\n"
    "{\"name\": \"nearly equal\", \"why\": \"-\", \"sizes\": {\"rows\": 9, \"cols\": 1000}, \"inputs\": {\n"
    " \"a\": {\"as_before\": true, \"change\": 0.25}, \"b\": {\"as_before\": true}, \"mask\": {\"as_before\": true}}},\n"
    "{\"name\": \"huge\", \"why\": \"-\", \"sizes\": {\"rows\": 20, \"cols\": 20}, \"inputs\": {\n"
    " \"a\": {\"generator\": \"uniform\", \"low\": 1, \"high\": 2, \"seed\": 3, \"pattern\": \"sparse\","
    " \"one_in\": 400, \"others\": 1e-6}, \"b\": {\"generator\": \"integers\", \"seed\": 4},"
    " \"mask\": {\"generator\": \"ramp\"}}},\n"
    "{\"name\": \"changed\", \"why\": \"-\", \"sizes\": {\"rows\": 20, \"cols\": 20}, \"inputs\": {\n"
    " \"a\": {\"as_before\": true, \"change\": 0.5}, \"b\": {\"as_before\": true, \"change\": 1},"
    " \"mask\": {\"as_before\": true, \"change\": 7}}},\n"
    "{\"name\": \"again\", \"why\": \"-\", \"sizes\": {\"rows\": 20, \"cols\": 20}, \"inputs\": {\n"
    " \"a\": {\"as_before\": true, \"change\": 0.5}, \"b\": {\"as_before\": true, \"change\": 1},"
    " \"mask\": {\"as_before\": true, \"change\": 7}}}]}\n";

/* Every file as it should be, but for one place in one of them. */
static const struct {
    Inspection *inspect;
    const char *file, *content, *from, *to;
    const char *missing; /* part of the message; NULL: nothing is missing */
} rows[] = {
    {statement_alone, STATEMENT, statement, "1,000", "1000", NULL},
    {statement_alone, STATEMENT, statement, "1,000", "1-1,000", NULL},
    {statement_alone, STATEMENT, statement, "1,000", "0.1000", "the limit of rows is missing: 1,000"},
    {statement_alone, STATEMENT, statement, "1,000", "1000.5", "the limit of rows is missing: 1,000"},
    {statement_alone, STATEMENT, statement, "1,000", "21,000", "the limit of rows is missing: 1,000"},
    {statement_alone, STATEMENT, statement, "1,000", "10001", "the limit of rows is missing: 1,000"},
    {statement_alone, STATEMENT, statement, "1,000", "1,000,000", "the limit of rows is missing"},
    {statement_alone, STATEMENT, statement, "int cols", "int columns", "the signature is missing"},
    {statement_alone, STATEMENT, statement, "## Example", "### Example", "the section \"## Example\" is missing"},
    {statement_alone, STATEMENT, statement, "## Arithmetic", "## The",
     "the section \"## Arithmetic intensity\" is missing"},
    {inspect_groups, HIDDEN, hidden, "\"timed\": true,", "", "no timed case"},
    {inspect_groups, HIDDEN, hidden, "\"least\"", "\"smallest\"", NULL},
    {inspect_groups, HIDDEN, hidden, "\"addresses\": \"repeat\", ", "",
     "no hidden case with \"addresses\": \"repeat\" has the sizes of the one before it and other data"},
    {inspect_groups, HIDDEN, hidden, "\"ramp\"", "\"impulse\"",
     "no hidden case without \"addresses\" has the sizes of"},
    {inspect_groups, HIDDEN, hidden, "\"rows\": 5", "\"rows\": 6", "no hidden case with \"addresses\": \"repeat\" has"},
    {inspect_limits, HIDDEN, hidden, "\"least\"", "\"smallest\"", NULL},
    {inspect_limits, HIDDEN, hidden, "\"rows\": 1,", "\"rows\": 2,", "the least rows, 1"},
    {inspect_limits, HIDDEN, hidden, "\"cols\": 1000", "\"cols\": 999",
     "no hidden or timed case has the largest cols, 1000"},
    {inspect_limits, HIDDEN, hidden, "\"rows\": 6", "\"rows\": 4",
     "no hidden or timed case is as large as rows <= 2 * cols lets it be"},
    {inspect_limits, "problems/blend/problem.json", home_problem, "rows <= 2 * cols", "rows * cols <= 1000000", NULL},

    {values_in_full, HIDDEN, values, "\"zero\"", "\"nothing\"", NULL},
    {values_in_full, HIDDEN, hidden, "\"least\"", "\"smallest\"",
     "a, b, mask: no hidden case in which all elements are zero\n"
     "a: no hidden case in which all elements are equal, and not zero\n"
     "a: no hidden case in which all elements but one are equal\n"
     "a, b, mask: no hidden case in which one element differs from the case before, as in "
     "{\"as_before\": true, \"change\": 1}, twice in a row\n"
     "a: no hidden case in which one element is a thousand times as large as all others\n"
     "no hidden case without negative elements has "},
    {values_in_full, HIDDEN, values, "\"value\": 0.5", "\"value\": -0.5",
     "no hidden case without negative elements has a line of 1000 elements of a\n"
     "no hidden case with equal taps and without negative elements has a line of 1000 elements of a\n"},
    {values_of_filters, "problems/blend/problem.json", home_problem, "const int* b", "const float* b",
     "b: no hidden case in which the middle tap and the sum of all taps are 1, and others are not 0\n"
     "b: no hidden case in which the first and the last tap are equal, and the filter is not symmetric\n"
     "b: no hidden case in which one tap in eight or fewer is not zero\n"
     "b: no hidden case in which most taps, but not all, are products of one vector for each axis\n"},
    {values_in_full, HIDDEN, values, "\"cols\": [5, 9]", "\"cols\": 5", "no hidden case draws its sizes"},
    {values_in_full, HIDDEN, values, "\"b\": {\"as_before\": true, \"change\": 1}", "\"b\": {\"as_before\": true}",
     "b: no hidden case in which one element differs from the case before"},
    {values_in_full, HIDDEN, values, "\"others\": 1e-6", "\"others\": 0.01",
     "a: no hidden case in which one element is a thousand"},

    {inspect_example, "testcases/blend/sample.json", home_sample, "by hand", "by head", NULL},
    {inspect_example, "testcases/blend/sample.json", home_sample, "{\"values\": [1, 2.5]}",
     "{\"generator\": \"uniform\", \"seed\": 1}",
     "the first case, the statement's example, must be literal: numbers for a"},
    {inspect_example, "testcases/blend/sample.json", home_sample, ",\n \"expected\": [-6, 2.5]", "",
     "must be literal: numbers for \"expected\""},
    {inspect_example, "testcases/blend/sample.json", timed_sample, "by hand", "by head",
     "testcases/blend: no sample case"},
    {inspect_groups, "testcases/blend/sample.json", timed_sample, "by hand", "by head", "no sample case"},
    {inspect_example, STATEMENT, statement, "= -6", "= -16",
     "the example does not show -6, element 0 of \"expected\" of the first sample"},
    {inspect_example, STATEMENT, statement, "(-7)", "(-70)", "the example does not show -7, element 0 of b"},
    {inspect_example, STATEMENT, statement, "## Example", "## Examples", "no section \"## Example\""},
    {inspect_literals, "testcases/blend/sample.json", home_sample, "by hand", "by head", NULL},
    {inspect_literals, "testcases/blend/sample.json", home_sample, "[-6, 2.5]", "[-6, 2.25]",
     "\"by hand\": element 1 of \"expected\" is 2.25, but oracle.h says 2.5"},
    {inspect_precision, "problems/blend/oracle.h", home_oracle, "at(c->a, i), 1)", "at(c->a, i), 3)", NULL},
    {inspect_precision, "problems/blend/oracle.h", home_oracle, "at(c->a, i), 1)",
     "at(c->a, i), sizeof(Real) == 16 ? 1 : 1.00001)", "problems/blend/oracle.h: element 0 of \"by hand\" is "},
};

static void write_all(void)
{
    home_write("problems/blend/problem.json", home_problem);
    home_write("problems/blend/oracle.h", home_oracle);
    home_write(STATEMENT, statement);
    home_write("testcases/blend/sample.json", home_sample);
    home_write(HIDDEN, hidden);
}

static void the_first_thing_missing_is_named(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Problem problem = {0};
        TestcaseSet set = {0};
        Message why = {0};
        write_all();
        char *content = replaced(rows[i].content, rows[i].from, rows[i].to);
        home_write(rows[i].file, content);
        free(content);
        if (problem_read("blend", &problem, &why) != STATUS_OK || testcases_read(&problem, &set, &why) != STATUS_OK)
            fail_test("row %zu: %s", i, why.text);
        Status status = rows[i].inspect(&problem, &set, &why);
        if (status != (rows[i].missing == NULL ? STATUS_OK : STATUS_BAD_INPUT))
            fail_test("row %zu: status %d: %s", i, (int)status, why.text);
        if (rows[i].missing != NULL && strstr(why.text, rows[i].missing) == NULL)
            fail_test("row %zu: expected \"%s\", got: %s", i, rows[i].missing, why.text);
        testcases_free(&set);
        problem_free(&problem);
    }
}

/* --- the solutions ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *file, *source;
    const char *missing; /* part of the message; NULL: nothing is missing */
} headers[] = {
    {"accepted/a.cu", "// a: the idea.\n// Intensity: 3 operations for 12 bytes.\nvoid solve();\n", NULL},
    {"accepted/a.cu", "// a: the idea, 1/4 operation a byte.", NULL},
    {"accepted/a.cu", "// a: the idea.\nvoid solve(); // 3 operations for 12 bytes\n",
     "solutions/blend/accepted/a.cu: the comment at the top does not state the arithmetic intensity"},
    {"accepted/a.cu", "void solve();\n// 3 operations for 12 bytes", "does not state the arithmetic intensity"},
    {"cpu_baselines/a.c", "void solve() {}\n", NULL},
    {"wrong_answer/a.cu", "// problem: blend\n// Mistake: it does nothing.\nvoid solve();\n", NULL},
    {"run_time_error/a.cu", "// It does nothing.\nvoid solve(); // Mistake: none.\n",
     "solutions/blend/run_time_error/a.cu: the comment at the top does not name the mistake"},
};

static void comments_say_the_idea_or_the_mistake(void **state)
{
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        Paths paths = {0};
        Message why = {0};
        char path[200], relative[100];
        snprintf(relative, sizeof relative, "solutions/blend/%s", headers[i].file);
        snprintf(path, sizeof path, "%s/%s", home, relative);
        home_write(relative, headers[i].source);
        paths_add(&paths, path);
        Status status = inspect_headers(&paths, &why);
        if (status != (headers[i].missing == NULL ? STATUS_OK : STATUS_BAD_INPUT))
            fail_test("row %zu: status %d: %s", i, (int)status, why.text);
        if (headers[i].missing != NULL && strstr(why.text, headers[i].missing) == NULL)
            fail_test("row %zu: expected \"%s\", got: %s", i, headers[i].missing, why.text);
        arena_free(&paths.arena);
    }
}

static const struct {
    int hidden, references, wrong;
    const char *missing; /* all of the message; NULL: nothing is missing */
} counts[] = {
    {14, 6, 8, NULL},
    {13, 6, 8, "testcases/blend: 13 hidden cases, expected at least 14"},
    {14, 5, 8, "solutions/blend: 5 reference solutions, expected at least 6"},
    {14, 6, 7, "solutions/blend: 7 wrong solutions, expected at least 8"},
    {0, 0, 0, "testcases/blend: 0 hidden cases, expected at least 14"},
};

static void there_must_be_enough_of_everything(void **state)
{
    const Problem problem = {.id = "blend"};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        Testcase cases[20] = {{.group = CASE_TIMED}, {.group = CASE_SAMPLE}};
        const TestcaseSet set = {.cases = cases, .count = 2 + (size_t)counts[i].hidden};
        Paths paths = {0};
        Message why = {0};
        for (int k = 0; k < counts[i].hidden; k++)
            cases[2 + k].group = CASE_HIDDEN;
        for (int k = 0; k < counts[i].references; k++)
            paths_add(&paths, "/home/solutions/blend/accepted/a.cu");
        for (int k = 0; k < counts[i].wrong; k++)
            paths_add(&paths, k % 2 == 0 ? "/home/solutions/blend/wrong_answer/a.cu"
                                         : "/home/solutions/blend/rule_violation/a.cu");
        paths_add(&paths, "/home/solutions/blend/cpu_baselines/a.c");
        Status status = inspect_counts(&problem, &set, &paths, &why);
        assert_int_equal(status, counts[i].missing == NULL ? STATUS_OK : STATUS_BAD_INPUT);
        if (counts[i].missing != NULL)
            assert_string_equal(why.text, counts[i].missing);
        arena_free(&paths.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_thing_missing_is_named),
        cmocka_unit_test(comments_say_the_idea_or_the_mistake),
        cmocka_unit_test(there_must_be_enough_of_everything),
    };
    return cmocka_run_group_tests_name("inspection", tests, home_with_problem, home_remove);
}
