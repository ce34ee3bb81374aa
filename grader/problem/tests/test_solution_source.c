/* Wrong solutions that are written down as changes of another one. */
#include "base/tests/unit.h"

#include "grader/problem/submission.h"
#include "grader/tests/home.h"

static const char base[] = "// problem: blend\n"
                           "// the plain one\n"
                           "#include <a.h>\n"
                           "\n"
                           "void f()\n"
                           "{\n"
                           "    x();\n"
                           "    y();\n"
                           "}\n"
                           "\n"
                           "void g()\n"
                           "{\n"
                           "    x();\n"
                           "    z();\n"
                           "}\n";

#define TOP "// Mistake: none.\n--- blend/accepted/naive.cu\n+++ this file\n"

static void write_both(const char *of, const char *patch)
{
    home_write("solutions/blend/accepted/naive.cu", of);
    home_write("solutions/blend/wrong_answer/a.patch", patch);
}

static Status read_patch(Submission *submission, Message *why)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/solutions/blend/wrong_answer/a.patch", home);
    return submission_read(path, submission, why);
}

static void expands_to(const char *of, const char *patch, const char *expected)
{
    Submission submission;
    Message why = {0};
    write_both(of, patch);
    if (read_patch(&submission, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_string_equal(submission.source.data, expected);
    assert_string_equal(submission.file_name, "a.cu");
    submission_free(&submission);
}

static void refused(const char *of, const char *patch, const char *words)
{
    Submission submission;
    Message why = {0};
    write_both(of, patch);
    assert_int_equal(read_patch(&submission, &why), STATUS_BAD_INPUT);
    if (strstr(why.text, words) == NULL || strchr(why.text, '\n') != NULL)
        fail_test("\"%s\" does not say \"%s\" in one line", why.text, words);
}

static void a_patch_is_read_as_its_base_with_the_changes_and_a_comment_of_its_own(void **state)
{
    expands_to(base, TOP "@@ -7,2 +7,2 @@\n     x();\n-    y();\n+    z();\n+    z();\n@@\n-    x();\n",
               "// Mistake: none.\n#include <a.h>\n\nvoid f()\n{\n    x();\n    z();\n    z();\n}\n"
               "\nvoid g()\n{\n    z();\n}\n");
    expands_to(base, "--- blend/accepted/naive.cu\n+++ this file\n@@\n }\n\n-void g()\n+void h()",
               "#include <a.h>\n\nvoid f()\n{\n    x();\n    y();\n}\n\nvoid h()\n{\n    x();\n    z();\n}\n");
}

static void a_patch_outlives_other_lines_of_its_base(void **state)
{
    expands_to("// one\n// two\n// three\n\n\nint more;\nvoid f()\n{\n    y();\n}", TOP "@@ -5,1 +5,1 @@\n-    y();\n",
               "// Mistake: none.\n\n\nint more;\nvoid f()\n{\n}\n");
}

static void lines_are_found_as_a_whole(void **state)
{
    expands_to("ax\nx\nxb\n", TOP "@@\n-x\n+y\n", "// Mistake: none.\nax\ny\nxb\n");
}

static void a_patch_that_does_not_fit_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *patch, *words;
    } rows[] = {
        {TOP "@@\n-    y();\n@@\n     q();\n-    z();\n",
         "a.patch:6: found the lines of this hunk nowhere in the rest of solutions/blend/accepted/naive.cu, expected once"},
        {TOP "@@\n-    z();\n@@\n-    y();\n", "a.patch:6: found the lines of this hunk nowhere in the rest"},
        {TOP "@@\n-    x();\n", "a.patch:4: found the lines of this hunk twice or more in the rest of solutions/"},
        {TOP "@@\n-// the plain one\n", "a.patch:4: found the lines of this hunk nowhere"},
        {TOP "@@\n+    w();\n", "a.patch:4: the hunk has no line of its base, expected one at least"},
        {TOP "@@\n", "a.patch:4: the hunk has no line of its base, expected one at least"},
        {TOP, "a.patch:4: expected a hunk, which begins with '@@', found ''"},
        {TOP "    y();\n", "a.patch:4: expected a hunk, which begins with '@@', found '    y();'"},
        {TOP "@@\n-    y();\n\\ No newline at end of file\n",
         "a.patch:6: expected a line that begins with ' ', '-', '+' or '@@', found '\\ No newline"},
        {"// Mistake: none.\nvoid solve();\n", "a.patch:2: expected a comment, or the base as "},
        {"--- blend/accepted/naive.cu\n@@\n", "a.patch:2: expected a line that begins with '+++ ', found '@@'"},
        {"", "a.patch: the file is empty"},
        {"--- \xff\n", "a.patch:1: byte 4 is not UTF-8 text"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        refused(base, rows[i].patch, rows[i].words);
}

static void only_sources_below_solutions_are_bases(void **state)
{
    static const char *const names[] = {"/etc/passwd.cu",
                                        "../problems/blend/starter.cu",
                                        "blend/../../problems/blend/starter.cu",
                                        "blend/.hidden.cu",
                                        "blend/accepted/naive.c",
                                        ".cu",
                                        ""};
    Submission submission;
    Message why = {0};
    home_write("problems/blend/starter.cu", base);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char patch[200];
        snprintf(patch, sizeof patch, "--- %s\n+++ this file\n@@\n-    y();\n", names[i]);
        refused(base, patch, "a.patch:1: expected a comment, or the base as '--- conv1d/accepted/naive.cu', ");
    }
    write_both(base, "--- blend/accepted/other.cu\n+++ this file\n@@\n-    y();\n");
    assert_int_equal(read_patch(&submission, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "solutions/blend/accepted/other.cu: no such file"));
}

static void a_long_patch_of_a_long_base_is_applied(void **state)
{
    enum { LINES = 100000 };
    Text of = {0}, patch = {0}, expected = {0};
    text_add(&patch, TOP);
    text_add(&expected, "// Mistake: none.\n");
    for (int i = 0; i < LINES; i++) {
        text_printf(&of, "line %d\n", i);
        text_printf(&expected, i % 10 == 0 ? "other %d\n" : "line %d\n", i);
        if (i % 10 == 0)
            text_printf(&patch, "@@\n-line %d\n+other %d\n", i, i);
    }
    expands_to(of.data, patch.data, expected.data);
    text_free(&of);
    text_free(&patch);
    text_free(&expected);
}

static void reads_as(const char *path, const char *expected)
{
    Submission submission;
    Message why = {0};
    if (submission_read(path, &submission, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_string_equal(submission.source.data, expected);
    submission_free(&submission);
}

static void a_shared_part_stands_where_a_solution_includes_it(void **state)
{
    static const char source[] = "int a;\n#include \"shared/part_2.cuh\"\nint d;";
    char path[1024];
    home_write("solutions/shared/part_2.cuh", "int b;\nint c;\n");
    home_write("solutions/blend/accepted/parts.cu", source);
    snprintf(path, sizeof path, "%s/solutions/blend/accepted/parts.cu", home);
    reads_as(path, "int a;\nint b;\nint c;\nint d;");
    home_write("solutions/blend/wrong_answer/a.patch",
               "// problem: blend\n--- blend/accepted/parts.cu\n+++ this file\n@@\n-int a;\n");
    snprintf(path, sizeof path, "%s/solutions/blend/wrong_answer/a.patch", home);
    reads_as(path, "// problem: blend\nint b;\nint c;\nint d;\n");
    home_write("mine/parts.cu", source);
    snprintf(path, sizeof path, "%s/mine/parts.cu", home);
    reads_as(path, source);
}

static void only_a_part_in_its_folder_is_included(void **state)
{
    static const char other[] =
        "#include \"shared/../x.cuh\"\n#include \"shared/part_2.cuh\" // no\n#include \"shared/a.h\"\n";
    Submission submission;
    Message why = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/solutions/blend/accepted/parts.cu", home);
    home_write("solutions/blend/accepted/parts.cu", other);
    reads_as(path, other);
    home_write("solutions/blend/accepted/parts.cu", "#include \"shared/missing.cuh\"\n");
    assert_int_equal(submission_read(path, &submission, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "solutions/shared/missing.cuh: no such file"));
}

static void a_patch_that_is_handed_in_is_refused(void **state)
{
    Submission submission;
    Message why = {0};
    Text source = {0};
    text_add(&source, TOP "@@\n-    y();\n");
    assert_int_equal(submission_take("mine.patch", &source, &submission, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "mine.patch: a patch of a solution, expected a file with CUDA source text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_is_read_as_its_base_with_the_changes_and_a_comment_of_its_own),
        cmocka_unit_test(a_patch_outlives_other_lines_of_its_base),
        cmocka_unit_test(lines_are_found_as_a_whole),
        cmocka_unit_test(a_patch_that_does_not_fit_is_refused_with_its_line),
        cmocka_unit_test(only_sources_below_solutions_are_bases),
        cmocka_unit_test(a_long_patch_of_a_long_base_is_applied),
        cmocka_unit_test(a_patch_that_is_handed_in_is_refused),
        cmocka_unit_test(a_shared_part_stands_where_a_solution_includes_it),
        cmocka_unit_test(only_a_part_in_its_folder_is_included),
    };
    return cmocka_run_group_tests_name("solution_source", tests, home_with_problem, home_remove);
}
