/* paths.c: the judge's own files, and the variables that move them. */
#include "base/paths.h"
#include "base/tests/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_tail(const char *path, const char *tail)
{
    assert_true(strlen(path) >= strlen(tail));
    assert_string_equal(path + strlen(path) - strlen(tail), tail);
}

static void home_is_found_above_the_program(void **state)
{
    char path[PATH_MAX];
    Message why;
    unsetenv("CONVJUDGE_HOME");
    assert_int_equal(paths_home("simgpu/profiles/h200.json", path, sizeof path, &why), STATUS_OK);
    expect_tail(path, "/simgpu/profiles/h200.json");
    assert_int_equal(access(path, R_OK), 0);
}

static void home_is_where_the_variable_says(void **state)
{
    char path[PATH_MAX];
    Message why;
    setenv("CONVJUDGE_HOME", "/some/where", 1);
    assert_int_equal(paths_home("problems", path, sizeof path, &why), STATUS_OK);
    assert_string_equal(path, "/some/where/problems");
    assert_int_equal(paths_home("", path, sizeof path, &why), STATUS_OK);
    assert_string_equal(path, "/some/where");
    unsetenv("CONVJUDGE_HOME");
}

static void an_empty_variable_counts_as_unset(void **state)
{
    char path[PATH_MAX];
    Message why;
    setenv("CONVJUDGE_HOME", "", 1);
    assert_int_equal(paths_home("problems", path, sizeof path, &why), STATUS_OK);
    expect_tail(path, "/problems");
    unsetenv("CONVJUDGE_HOME");
}

static void expect_cache(const char *chosen, const char *cache_home, const char *home, const char *tail)
{
    char path[PATH_MAX];
    Message why;
    setenv("CONVJUDGE_CACHE", chosen, 1);
    setenv("XDG_CACHE_HOME", cache_home, 1);
    setenv("HOME", home, 1);
    assert_int_equal(paths_cache(path, sizeof path, &why), STATUS_OK);
    expect_tail(path, tail);
    unsetenv("CONVJUDGE_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
}

static void the_cache_outlives_a_checkout(void **state)
{
    expect_cache("/some/cache", "/home/ada/.cached", "/home/ada", "e/cache");
    expect_cache("", "/home/ada/.cached", "/home/ada", "/home/ada/.cached/convjudge");
    expect_cache("", "", "/home/ada", "/home/ada/.cache/convjudge");
    expect_cache("", "relative", "/home/ada", "/home/ada/.cache/convjudge");
    expect_cache("", "", "", "/build/cache");
}

static void the_cache_is_made_with_the_folders_above_it(void **state)
{
    char folder[] = "/tmp/test_paths.XXXXXX", home[64], path[PATH_MAX];
    struct stat info;
    Message why;
    assert_non_null(mkdtemp(folder));
    snprintf(home, sizeof home, "%s/ada", folder);
    setenv("HOME", home, 1);
    assert_int_equal(paths_make_cache(path, sizeof path, &why), STATUS_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(rmdir(path), 0);
    for (int up = 0; up < 3; up++) { /* .cache, ada, the folder itself */
        *strrchr(path, '/') = '\0';
        assert_int_equal(rmdir(path), 0);
    }
    unsetenv("HOME");
}

static void what_was_built_is_found_in_a_folder_above_the_program(void **state)
{
    char path[PATH_MAX];
    Message why;
    assert_int_equal(paths_build("libbase.a", path, sizeof path, &why), STATUS_OK);
    expect_tail(path, "/libbase.a");
    assert_int_equal(paths_build("no such file", path, sizeof path, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "no such file: in none of the folders above this program"));
}

static void too_long_a_path_is_refused(void **state)
{
    char path[8];
    Message why;
    setenv("CONVJUDGE_HOME", "/some/where", 1);
    assert_int_equal(paths_home("problems", path, sizeof path, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "/some/where...: the path of the judge's folder is too long");
    assert_int_equal(paths_chosen("CONVJUDGE_HOME", "problems", path, sizeof path, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "CONVJUDGE_HOME: the path is too long");
    unsetenv("CONVJUDGE_HOME");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(home_is_found_above_the_program),
        cmocka_unit_test(home_is_where_the_variable_says),
        cmocka_unit_test(an_empty_variable_counts_as_unset),
        cmocka_unit_test(the_cache_outlives_a_checkout),
        cmocka_unit_test(the_cache_is_made_with_the_folders_above_it),
        cmocka_unit_test(what_was_built_is_found_in_a_folder_above_the_program),
        cmocka_unit_test(too_long_a_path_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
