/* test_failure.c - the kind and the line of what went wrong.  */
#include "service/course/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char source[] = "// mine\n__global__ void k(float *o)\n{\n    o[threadIdx.x] = foo;  \n}\n";

static Arena arena;

static Failure failure(const char *result)
{
    cJSON *object = cJSON_Parse(result);
    assert_non_null(object);
    const Failure found = failure_of(object, source, &arena);
    cJSON_Delete(object);
    return found;
}

static int end_arena(void **state)
{
    arena_free(&arena);
    return 0;
}

static void the_first_case_that_failed_tells_kind_and_line(void **state)
{
    const Failure found = failure(
        "{\"verdict\": \"Wrong Answer\", \"text\": \"?\", \"file\": \"mine.cu\", \"cases\": [{\"name\": \"one\", \"verdict\": "
        "\"Accepted\"}, {\"name\": \"hidden 4\", \"verdict\": \"Wrong Answer\", \"kind\": \"every element: never written\", "
        "\"text\": \"every element: never written; reads (mine.cu:9: no line of the judge's) at o[0] (mine.cu:4: `o[0]`)\"}, "
        "{\"name\": \"hidden 5\", \"verdict\": \"not run\"}]}");
    assert_string_equal(found.verdict, "Wrong Answer");
    assert_string_equal(found.kind, "every element: never written");
    assert_string_equal(found.case_name, "hidden 4");
    assert_int_equal(found.line, 4);
    assert_string_equal(found.line_text, "o[threadIdx.x] = foo;");
}

static void a_result_without_kinds_is_counted_by_its_sentence(void **state)
{
    const Failure found = failure(
        "{\"verdict\": \"Rule Violation\", \"text\": \"thread 12 of s_2 waits 3.5 times (mine.cu:2: `k`)\", "
        "\"file\": \"mine.cu\"}");
    assert_string_equal(found.kind, "thread N of s_2 waits N times");
    assert_int_equal(found.line, 2);
    assert_string_equal(found.case_name, "");
}

static void a_compilers_message_is_counted_without_identifiers(void **state)
{
    static const struct {
        const char *diagnostics, *kind;
        long line;
    } rows[] = {
        {"mine.cu(1): warning: variable \\\"x\\\" is unused\\nmine.cu(4): error: identifier \\\"foo\\\" is undefined\\n",
         "identifier \"...\" is undefined", 4},
        {"mine.cu:4:22: error: use of undeclared identifier 'foo'", "use of undeclared identifier '...'", 4},
        {"mine.cu(5): error: expected a \\\";\\\"", "expected a \";\"", 5},
        {"mine.cu: no function solve() with the signature `void solve(int n)`\\ncollect2: error",
         "no function solve() with the signature `...`", 0},
        {"/usr/include/x.h(3): error: something", "the compiler refused the file", 0},
        {"mine.cu(99): error: unclosed 'x", "unclosed 'x", 99},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Failure found = failure(arena_printf(
            &arena,
            "{\"verdict\": \"Compile Error\", \"text\": \"the compiler refused the file\", \"file\": \"mine.cu\", "
            "\"compile\": {\"diagnostics\": \"%s\"}}",
            rows[i].diagnostics));
        assert_string_equal(found.kind, rows[i].kind);
        assert_int_equal(found.line, rows[i].line);
    }
}

static void what_is_accepted_or_unknown_has_no_kind(void **state)
{
    assert_string_equal(failure("{\"verdict\": \"Accepted\", \"text\": \"\"}").kind, "");
    assert_string_equal(failure("{}").verdict, "");
    assert_string_equal(failure_of(NULL, NULL, &arena).kind, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_case_that_failed_tells_kind_and_line),
        cmocka_unit_test(a_result_without_kinds_is_counted_by_its_sentence),
        cmocka_unit_test(a_compilers_message_is_counted_without_identifiers),
        cmocka_unit_test(what_is_accepted_or_unknown_has_no_kind),
    };
    return cmocka_run_group_tests_name("failure", tests, NULL, end_arena);
}
