#include "base/tests/unit.h"

#include "grader/problem/problem.h"
#include "grader/tests/home.h"

static void add_problem(const char *id, const char *signature_from, const char *signature_to, const char *from,
                        const char *to)
{
    char folder[100];
    char *named = replaced(home_problem, "\"blend\"", id);
    char *signature = replaced(named, signature_from, signature_to);
    char *text = replaced(signature, from, to);
    snprintf(folder, sizeof folder, "problems/%.*s/problem.json", (int)strlen(id) - 2, id + 1);
    home_write(folder, text);
    snprintf(folder, sizeof folder, "testcases/%.*s/sample.json", (int)strlen(id) - 2, id + 1);
    home_write(folder, home_sample);
    snprintf(folder, sizeof folder, "testcases/%.*s/hidden.json", (int)strlen(id) - 2, id + 1);
    home_write(folder, home_hidden);
    free(named);
    free(signature);
    free(text);
}

/* blend and twin have the same types, lone has other ones, and twin2 has the names and types of twin. */
static int make_problems(void **state)
{
    int status = home_with_problem(state);
    add_problem("\"twin\"", "float* a,", "float* first,", "\"name\": \"a\"", "\"name\": \"first\"");
    add_problem("\"twin2\"", "float* a,", "float* first,", "\"name\": \"a\"", "\"name\": \"first\"");
    add_problem("\"lone\"", "const unsigned char *mask", "const float* mask", "\"Blend\"", "\"Lone\"");
    return status;
}

static const struct {
    const char *source;
    Status status;
    const char *answer; /* the id, or a part of the message */
} told[] = {
    {"// problem: conv1d\n", STATUS_OK, "conv1d"},
    {"\n\n  //problem:conv-2d \r\nvoid solve() {}", STATUS_OK, "conv-2d"},
    {"/* problem: lone */", STATUS_OK, "lone"},
    {"// problem: twin\nvoid solve(const float*, const int*, const float*, float*, int, int) {}", STATUS_OK, "twin"},
    {"// the problem: none\nvoid solve(const float*, const int*, const float*, float*, int, int) {}", STATUS_OK,
     "lone"},
    {"void solve(const float* x, const int* y, const float* z, float* o, int n, int m) {}", STATUS_OK, "lone"},
    {"void solve(const float* a, const int* b, const unsigned char* mask, float* out, int rows, int cols) {}",
     STATUS_OK, "blend"},
    {"void solve(const float* first, const int* b, const unsigned char* mask, float* out, int rows, int cols) {}",
     STATUS_NOT_FOUND,
     "line 1: the parameters of solve() fit several problems: blend, twin, twin2; add --problem ID, or a line "
     "'// problem: ID' to the file"},
    {"void solve(const float*, const int*, const unsigned char*, float*, int, int) {}", STATUS_NOT_FOUND,
     "fit several problems: blend, twin, twin2"},
    {"\nvoid solve(int n) {}", STATUS_NOT_FOUND,
     "line 2: no problem has the parameters of this solve(); known problems: blend, lone, twin, twin2; add --problem"},
    {"int main() {}", STATUS_NOT_FOUND, "no definition of \"void solve(...)\" found"},
};

static void the_problem_is_told_by_line_then_types_then_names(void **state)
{
    for (size_t i = 0; i < COUNT_OF(told); i++) {
        Arena arena = {0};
        const char *id = NULL;
        Message why = {0};
        Status status = identify_problem(told[i].source, strlen(told[i].source), &arena, &id, &why);
        const char *answer = status == STATUS_OK ? id : why.text;
        if (status != told[i].status || strstr(answer, told[i].answer) == NULL)
            fail_test("row %zu: status %d, \"%s\"", i, status, answer);
        arena_free(&arena);
    }
}

static void only_the_first_lines_can_name_the_problem(void **state)
{
    Arena arena = {0};
    Text source = {0};
    const char *id;
    Message why;
    for (int i = 0; i < 49; i++)
        text_add(&source, "\n");
    text_add(&source, "// problem: lone");
    assert_int_equal(identify_problem(source.data, source.length, &arena, &id, &why), STATUS_OK);
    assert_int_equal(identify_problem("\n// problem: lone", 0, &arena, &id, &why), STATUS_NOT_FOUND);
    text_free(&source);
    text_add(&source, "\n");
    for (int i = 0; i < 49; i++)
        text_add(&source, "\n");
    text_add(&source, "// problem: lone");
    assert_int_equal(identify_problem(source.data, source.length, &arena, &id, &why), STATUS_NOT_FOUND);
    text_free(&source);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_problem_is_told_by_line_then_types_then_names),
        cmocka_unit_test(only_the_first_lines_can_name_the_problem),
    };
    return cmocka_run_group_tests_name("identify", tests, make_problems, home_remove);
}
