#include "base/tests/unit.h"

#include "base/text.h"
#include "grader/problem/signature.h"

#include <string.h>
#include <time.h>

/* "const float* input, int n": normalised types and names. */
static const char *listed(const Signature *signature, Arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < signature->parameter_count; i++)
        text = arena_printf(arena, "%s%s%s%s%s", text, i > 0 ? ", " : "", signature->parameters[i].type,
                            *signature->parameters[i].name == '\0' ? "" : " ", signature->parameters[i].name);
    return text;
}

/* Sources with one definition each, its parameters and its line. */
static const struct {
    const char *source, *parameters;
    int line;
} found[] = {
    {"extern \"C\" void solve(const float* a, float* b, int n) {}", "const float* a, float* b, int n", 1},
    {"void solve(const float *a,\n   float  *  b , int\tn)\n{\n}", "const float* a, float* b, int n", 1},
    {"void solve(float const *a, float * const b, const int n) {", "const float* a, float* b, int n", 1},
    {"void solve(const float* __restrict__ a, float *__restrict b, int restrict) {", "const float* a, float* b, int",
     1},
    {"void solve(const float a[], float b[10], int n) {", "const float* a, float* b, int n", 1},
    {"void solve(const float*, float*, int) {", "const float*, float*, int", 1},
    {"void solve(unsigned a, unsigned int b, int unsigned c) {", "unsigned int a, unsigned int b, unsigned int c", 1},
    {"void solve(unsigned char *a, char unsigned *b, uint8_t *c) {",
     "unsigned char* a, unsigned char* b, unsigned char* c", 1},
    {"void solve(const std::uint8_t *a, int32_t n, signed m) {", "const unsigned char* a, int n, int m", 1},
    {"void solve(long a, long int b, long long c, short d, long double e, size_t f) {",
     "long int a, long int b, long long int c, short int d, long double e, size_t f", 1},
    {"void solve(float **a, float *b[]) {", "float** a, float** b", 1},
    {"void solve(int n = 3, float x = 2.0f) {", "int n, float x", 1},
    {"void solve(float& a, int n) {", "float& a, int n", 1},
    {"void solve() {", "", 1},
    {"void solve(void) {", "", 1},
    {"// void solve(int wrong) {\nvoid solve(int right) {", "int right", 2},
    {"/* void solve(int wrong) {\n */ void solve(int right) {", "int right", 2},
    {"#define X void solve(int wrong) { \\\n void solve(int wrong) {\nvoid solve(int right) {", "int right", 3},
    {"  # pragma /* a \n comment */ void solve(int wrong) {\nvoid solve(int right) {", "int right", 3},
    {"const char *s = \"void solve(int wrong) { \\\" \"; void solve(int right) {", "int right", 1},
    {"auto s = R\"x(\" void solve(int wrong) { )\" )x\"; void solve(int right) {", "int right", 1},
    {"char c = '\"'; int n = 1'000; void solve(int right) { char d = '\"'; }", "int right", 1},
    {"void solve(int wrong);\nvoid f() { solve(1); }\nvoid solve(int right) {", "int right", 3},
    {"void resolve(int wrong) {}\nvoid solver(int wrong) {}\nvoid solve(int right) {", "int right", 3},
    {"// the next line belongs to this one \\\nvoid solve(int wrong) {\nvoid solve(int right) {", "int right", 3},
    {"// the next line belongs to this one, and is empty \\\n\nvoid solve(int right) {", "int right", 3},
    {"void solve(const float* a, // the input\n  int n /* its size */) {", "const float* a, int n", 1},
    {"\n\nextern \"C\"\nvoid\nsolve\n(int n)\n{", "int n", 5},
};

static void a_definition_is_found_whatever_stands_around_it(void **state)
{
    for (size_t i = 0; i < COUNT_OF(found); i++) {
        Arena arena = {0};
        Signature signature;
        Message why;
        if (signature_find(found[i].source, strlen(found[i].source), &arena, &signature, &why) != STATUS_OK)
            fail_test("row %zu: %s", i, why.text);
        if (strcmp(listed(&signature, &arena), found[i].parameters) != 0)
            fail_test("row %zu: \"%s\" is not \"%s\"", i, listed(&signature, &arena), found[i].parameters);
        assert_int_equal(signature.line, found[i].line);
        arena_free(&arena);
    }
}

static void a_source_without_a_definition_has_none(void **state)
{
    static const char *const sources[] = {"",
                                          "void solve",
                                          "void solve(",
                                          "void solve(int n);",
                                          "int main() { solve(1); }",
                                          "// void solve() {",
                                          "/*",
                                          "\"",
                                          "R\"(void solve() {",
                                          "'",
                                          "#",
                                          "\\",
                                          "#\\",
                                          "R\"",
                                          "void solve(((((",
                                          "int solve() {",
                                          "//\\",
                                          "/* void solve() { ",
                                          "\"\\"};
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        Arena arena = {0};
        Signature signature;
        Message why;
        assert_int_equal(signature_find(sources[i], strlen(sources[i]), &arena, &signature, &why), STATUS_NOT_FOUND);
        arena_free(&arena);
    }
}

static void a_hostile_source_costs_little(void **state)
{
    Arena arena = {0};
    Signature signature;
    Message why;
    Text source = {0};
    clock_t start = clock();
    for (int i = 0; i < 50000; i++)
        text_add(&source, "void solve((((");
    text_append(&source, "\0\xff\x80", 3);
    assert_int_equal(signature_find(source.data, source.length, &arena, &signature, &why), STATUS_NOT_FOUND);
    text_add(&source, "\nvoid solve(");
    for (int i = 0; i < 1000; i++)
        text_add(&source, "a,");
    text_add(&source, "a) {");
    assert_int_equal(signature_find(source.data, source.length, &arena, &signature, &why), STATUS_OK);
    assert_int_equal(signature.line, 2);
    text_free(&source);
    for (int i = 0; i < 50000; i++)
        text_add(&source, "for (k = 0;");
    for (int i = 0; i < 50000; i++)
        text_add(&source, "y; for (k = 0; k;) {");
    SourceLoop loops[SOURCE_MOST_LOOPS];
    assert_int_equal(source_loops(source.data, source.length, &arena, loops), 0);
    assert_true(clock() - start < 5 * CLOCKS_PER_SEC); /* quadratic time would be a minute */
    text_free(&source);
    arena_free(&arena);
}

/* Sources, and their loops: variable, condition, lines. */
static const struct {
    const char *source, *loops;
} with_loops[] = {
    {"for (int k = 0; k < n; k++)\n    sum += x[k];\n", "k: k < n (1 to 2)\n"},
    {"for (unsigned i=t;i<f(a;b);++i) {\n  // }\n  x;\n}\n", "i: i<f(a;b) (1 to 4)\n"},
    {"{\n  for (r = 0;\n       r < 3; r++)\n    for (int s = 1, u = 2; s < 3; s++)\n      if (a)\n        x;\n      else\n"
     "        y;\n  z;\n}\n",
     "r:\n       r < 3 (2 to 8)\ns: s < 3 (4 to 8)\n"},
    {"if (a)\n  for (int k = 0; k < n; k++)\n    x;\nelse\n  y;\n", "k: k < n (2 to 3)\n"},
    {"for (int r = 0; r < 3; r++) for (int s = 0; s < 3; s++) { x; }\n", "r: r < 3 (1 to 1)\ns: s < 3 (1 to 1)\n"},
    {"for (;;) { x; }\nfor (int k = 0;; k++) { x; }\nfor (; k < n; k++)\n  x;\nfor (auto x : list) y;\n", ""},
    {"#define EACH for (int k = 0; k < n; k++)\n// for (int k = 0; k < n; k++)\nformat(k = 0; k < n; k++);\n", ""},
    {"for (int k = 0; k < n; k++) x; sum += y;\ny; for (int k = 0; k < n; k++)\n  x;\n", ""}, /* other code there */
    {"for (int k = 0; k < n; k++", ""},
};

static void loops_are_found_with_their_lines(void **state)
{
    for (size_t i = 0; i < COUNT_OF(with_loops); i++) {
        Arena arena = {0};
        SourceLoop loops[SOURCE_MOST_LOOPS];
        const char *source = with_loops[i].source, *text = "";
        const size_t count = source_loops(source, strlen(source), &arena, loops);
        for (size_t k = 0; k < count; k++) {
            const char *condition = arena_copy(&arena, source + loops[k].condition,
                                               loops[k].condition_end - loops[k].condition);
            text = arena_printf(&arena, "%s%s:%s%s (%d to %d)\n", text, loops[k].variable,
                                condition[0] == ' ' || condition[0] == '\n' ? "" : " ", condition, loops[k].first_line,
                                loops[k].last_line);
        }
        assert_string_equal(text, with_loops[i].loops);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_is_found_whatever_stands_around_it),
        cmocka_unit_test(a_source_without_a_definition_has_none),
        cmocka_unit_test(a_hostile_source_costs_little),
        cmocka_unit_test(loops_are_found_with_their_lines),
    };
    return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
