#include "base/tests/unit.h"

#include "grader/problem/problem.h"
#include "grader/problem/problem_edition.h"
#include "grader/tests/home.h"

#include <limits.h>

static Message why;

static void must(Status status)
{
    if (status != STATUS_OK)
        fail_test("%s", why.text);
}

static Problem read_from(const char *folder)
{
    Problem problem;
    must(problem_read_in(folder, "blend", &problem, &why));
    return problem;
}

static Digest edition_in(const char *folder)
{
    Digest edition;
    Problem problem = read_from(folder);
    must(problem_edition(&problem, &edition, &why));
    problem_free(&problem);
    return edition;
}

static void only_what_is_judged_by_makes_another_edition(void **state)
{
    const Digest first = edition_in(NULL);
    home_write("problems/blend/statement.md", "# Blend\n");
    home_write("problems/blend/starter.cu", "void solve() {}\n");
    home_write("testcases/blend/.hidden.json.swp", "of an editor");
    assert_string_equal(edition_in(NULL).hex, first.hex);
    home_write("problems/blend/oracle.h", "/* another */\n");
    assert_string_not_equal(edition_in(NULL).hex, first.hex);
    home_write("problems/blend/oracle.h", home_oracle);
    assert_string_equal(edition_in(NULL).hex, first.hex);
    home_write("testcases/blend/more.pgm", "data");
    assert_string_not_equal(edition_in(NULL).hex, first.hex);
}

static void a_kept_edition_stays_as_it_was(void **state)
{
    char keep[100], folder[300];
    Digest edition, again;
    snprintf(keep, sizeof keep, "%s/keep", home);
    assert_int_equal(mkdir(keep, 0700), 0);
    Problem problem = read_from(NULL);
    must(problem_edition_keep(&problem, keep, &edition, &why));
    must(problem_edition_keep(&problem, keep, &again, &why));
    assert_string_equal(again.hex, edition.hex);
    home_write("testcases/blend/hidden.json", home_sample);
    must(problem_edition_keep(&problem, keep, &again, &why));
    assert_string_not_equal(again.hex, edition.hex);
    assert_true(problem_edition_find(keep, edition.hex, folder, sizeof folder));
    assert_string_equal(edition_in(folder).hex, edition.hex);
    assert_false(problem_edition_find(keep, "0123", folder, sizeof folder));
    problem_free(&problem);
}

static void a_folder_whose_name_is_too_long_is_named(void **state)
{
    char name[PATH_MAX];
    Digest edition;
    Problem problem = read_from(NULL), other;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(problem_edition_keep(&problem, name, &edition, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "xxx...: the name is too long"));
    assert_int_equal(problem_read_in(name, "blend", &other, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "xxx...: the name is too long"));
    problem_free(&problem);
}

/* A killed process leaves a folder of its number, and in it any part of an edition. */
static void what_nobody_needs_is_removed_and_what_was_left_unfinished(void **state)
{
    char keep[100], folder[300];
    Digest first, second;
    Problem problem = read_from(NULL);
    snprintf(keep, sizeof keep, "%s/keep", home);
    home_write("keep/.part-1/problems/blend/oracle.h", "half of it");
    home_write("keep/notes.txt", "somebody's");
    must(problem_edition_keep(&problem, keep, &first, &why));
    home_write("testcases/blend/hidden.json", home_sample);
    must(problem_edition_keep(&problem, keep, &second, &why));
    const char *const needed[] = {"0123", second.hex};
    problem_editions_prune(keep, needed, COUNT_OF(needed));
    assert_false(problem_edition_find(keep, first.hex, folder, sizeof folder));
    assert_true(problem_edition_find(keep, second.hex, folder, sizeof folder));
    assert_string_equal(edition_in(folder).hex, second.hex);
    assert_true(problem_edition_find(keep, "notes.txt", folder, sizeof folder));
    assert_false(problem_edition_find(keep, ".part-1", folder, sizeof folder));
    problem_editions_prune(keep, NULL, 0);
    assert_false(problem_edition_find(keep, second.hex, folder, sizeof folder));
    problem_free(&problem);
}

/* What arrives where a packed edition was sent to; `from` becomes `to` on the way, unless it is NULL. */
static Status sent(const char *keep, const char *other, const char *edition, const char *from, const char *to)
{
    char folder[300];
    cJSON *packed;
    JsonFile files;
    Text text = {0};
    assert_true(problem_edition_find(keep, edition, folder, sizeof folder));
    must(problem_edition_pack(folder, &packed, &why));
    json_print(packed, &text);
    cJSON_Delete(packed);
    if (from != NULL) {
        char *found = strstr(text.data, from);
        assert_non_null(found);
        memcpy(found, to, strlen(from));
    }
    must(json_parse("files", text.data, text.length, &files, &why));
    text_free(&text);
    Status status = problem_edition_unpack(other, edition, &files, &why);
    json_free(&files);
    return status;
}

static void an_edition_arrives_whole_on_another_host_or_not_at_all(void **state)
{
    char keep[100], other[100], folder[300];
    Digest edition;
    snprintf(keep, sizeof keep, "%s/keep", home);
    snprintf(other, sizeof other, "%s/other", home);
    assert_int_equal(mkdir(keep, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    Problem problem = read_from(NULL);
    must(problem_edition_keep(&problem, keep, &edition, &why));
    problem_free(&problem);
    assert_int_equal(sent(keep, other, edition.hex, "problems/blend/oracle.h", "problems/../../oracle.h"),
                     STATUS_BAD_INPUT);
    assert_int_equal(sent(keep, other, edition.hex, "problems/blend/oracle.h", "problems/blend/.racle.h"),
                     STATUS_BAD_INPUT);
    assert_int_equal(sent(keep, other, edition.hex, "problems/blend/oracle.h", "problems/other/oracle.h"),
                     STATUS_BAD_INPUT);
    assert_int_equal(sent(keep, other, edition.hex, "problems/blend/oracle.h", "problems/blend/0racle.h"),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "blend: these are not the files of edition "));
    assert_false(problem_edition_find(other, edition.hex, folder, sizeof folder));
    assert_int_equal(sent(keep, "/proc/nowhere", edition.hex, NULL, NULL), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, ": cannot be made: No such file or directory"));
    must(sent(keep, other, edition.hex, NULL, NULL));
    assert_true(problem_edition_find(other, edition.hex, folder, sizeof folder));
    assert_string_equal(edition_in(folder).hex, edition.hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_what_is_judged_by_makes_another_edition, home_with_problem, home_remove),
        cmocka_unit_test_setup_teardown(a_kept_edition_stays_as_it_was, home_with_problem, home_remove),
        cmocka_unit_test_setup_teardown(an_edition_arrives_whole_on_another_host_or_not_at_all, home_with_problem,
                                        home_remove),
        cmocka_unit_test_setup_teardown(a_folder_whose_name_is_too_long_is_named, home_with_problem, home_remove),
        cmocka_unit_test_setup_teardown(what_nobody_needs_is_removed_and_what_was_left_unfinished, home_with_problem,
                                        home_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
