#include "base/tests/unit.h"

#include "harness/compile/toolkit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_find_program.XXXXXX";

static void path_of(const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void write_program(const char *name, const char *content, mode_t mode)
{
    char path[PATH_MAX];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static int make_folder(void **state)
{
    char path[PATH_MAX];
    if (mkdtemp(folder) == NULL)
        return -1;
    path_of("sub", path);
    if (mkdir(path, 0755) != 0)
        return -1;
    write_program("sub/compiler", "#!/bin/sh\necho version 1.2\n", 0755);
    write_program("compiler", "no program", 0644);
    path_of("link", path);
    return symlink("sub/compiler", path);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"sub/compiler", "compiler", "link", "fails", "silent", "sub", ""};
    char path[PATH_MAX];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        path_of(names[i], path);
        remove(path);
    }
    return 0;
}

static void a_program_is_what_can_be_executed_without_links(void **state)
{
    char path[PATH_MAX], expected[PATH_MAX], program[PATH_MAX];
    path_of("sub/compiler", path);
    assert_non_null(realpath(path, expected));
    path_of("link", path);
    assert_true(program_at(path, program));
    assert_string_equal(program, expected);
    path_of("none", path);
    assert_false(program_at(path, program));
    if (geteuid() != 0) {
        path_of("compiler", path);
        assert_false(program_at(path, program));
    }
}

/* In PATH, %s stands for the folder. */
static void the_first_folder_of_path_with_the_program_counts(void **state)
{
    static const struct {
        const char *path;
        bool found;
    } rows[] = {
        {"%s/sub", true},
        {"/no/such:%s/sub", true},
        {"%s/sub:/no/such", true},
        {"%s/none::%s/sub", true},
        {"%s/sub/", true},
        {"%s/none", false},
        {"", false},
        {":", false},
        {"tests:.:%s/no", false},
    };
    char kept[PATH_MAX * 4], program[PATH_MAX], expected[PATH_MAX], path[PATH_MAX];
    snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    path_of("sub/compiler", path);
    assert_non_null(realpath(path, expected));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, rows[i].path, folder, folder);
#pragma GCC diagnostic pop
        assert_int_equal(setenv("PATH", path, 1), 0);
        bool found = program_on_path("compiler", program);
        if (found != rows[i].found || (found && strcmp(program, expected) != 0))
            fail_test("PATH=%s", path);
    }
    assert_int_equal(unsetenv("PATH"), 0);
    assert_false(program_on_path("compiler", program));
    assert_int_equal(setenv("PATH", kept, 1), 0);
}

/* A folder that one names relative to where the judge stands is somebody else's. */
static void a_relative_folder_of_path_is_passed_over(void **state)
{
    char kept[PATH_MAX * 4], here[PATH_MAX], program[PATH_MAX];
    snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(setenv("PATH", "sub:./sub", 1), 0);
    bool found = program_on_path("compiler", program);
    assert_int_equal(setenv("PATH", kept, 1), 0);
    assert_int_equal(chdir(here), 0);
    assert_false(found);
}

static bool read_version(void *context, const char *output)
{
    return program_read_after(output, "version ", "\n", context, 8);
}

static void what_a_program_answers_is_read(void **state)
{
    char path[PATH_MAX], version[8] = "";
    Message why = {0};
    const char *argv[] = {path, NULL};
    path_of("sub/compiler", path);
    if (program_ask(argv, read_version, version, "its version", "install it", &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_string_equal(version, "1.2");
}

static void check_answer(const char *const *argv, const char *expected)
{
    char version[8] = "";
    Message why = {0};
    if (program_ask(argv, read_version, version, "its version", "install it", &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_string_equal(version, expected);
}

/* A copy of `cat`, which answers what a file holds. */
static void an_answer_is_kept_until_the_program_changes(void **state)
{
    char cache[PATH_MAX], program[PATH_MAX], file[PATH_MAX], command[3 * PATH_MAX];
    const char *const argv[] = {program, file, NULL};
    path_of("cache", cache);
    path_of("cat", program);
    path_of("answer", file);
    setenv("CONVJUDGE_CACHE", cache, 1);
    snprintf(command, sizeof command, "cp /bin/cat %s", program);
    assert_int_equal(system(command), 0);
    write_program("answer", "version 1\n", 0644);
    check_answer(argv, "1");
    write_program("answer", "version 2\n", 0644);
    check_answer(argv, "1");
    assert_int_equal(utimensat(AT_FDCWD, program, (const struct timespec[]){{.tv_sec = 1}, {.tv_sec = 1}}, 0), 0);
    check_answer(argv, "2");
    snprintf(command, sizeof command, "rm -r %s %s %s", cache, program, file);
    assert_int_equal(system(command), 0);
    unsetenv("CONVJUDGE_CACHE");
}

/* It may call another one, which changes without it. */
static void the_answer_of_a_script_is_not_kept(void **state)
{
    Hash hash;
    char path[PATH_MAX];
    hash_begin(&hash);
    path_of("sub/compiler", path);
    assert_false(program_hash(path, &hash));
    assert_true(program_hash("/bin/cat", &hash));
    assert_false(program_hash("/nowhere", &hash));
}

static void a_program_without_an_answer_is_named_with_advice(void **state)
{
    char path[PATH_MAX], version[8], expected[PATH_MAX + 100];
    const char *argv[] = {path, NULL};
    write_program("fails", "#!/bin/sh\necho version 1.2\nexit 3\n", 0755);
    write_program("silent", "#!/bin/sh\n", 0755);
    for (int i = 0; i < 2; i++) {
        Message why = {0};
        path_of(i == 0 ? "fails" : "silent", path);
        assert_int_equal(program_ask(argv, read_version, version, "its version", "install it", &why), STATUS_NOT_FOUND);
        snprintf(expected, sizeof expected, "%s: does not report its version; install it", path);
        assert_string_equal(why.text, expected);
    }
}

static void what_stands_behind_a_word_is_read_up_to_its_end(void **state)
{
    char value[4] = "";
    assert_true(program_read_after("a 1 release 123, x", "release ", ",", value, sizeof value));
    assert_string_equal(value, "123");
    assert_true(program_read_after("release 12", "release ", ",", value, sizeof value));
    assert_string_equal(value, "12");
    assert_false(program_read_after("release 1234,", "release ", ",", value, sizeof value));
    assert_false(program_read_after("release ,", "release ", ",", value, sizeof value));
    assert_false(program_read_after("nothing", "release ", ",", value, sizeof value));
}

static void architectures_are_the_numbers_behind_sm(void **state)
{
    Toolkit toolkit = {.version = "13.0.88"};
    assert_true(toolkit_read_architectures(&toolkit, "sm_75 sm_90a\nsm_x sm_0 sm_100"));
    assert_int_equal(toolkit.architecture_count, 3);
    assert_int_equal(toolkit.architectures[0], 75);
    assert_int_equal(toolkit.architectures[1], 90);
    assert_int_equal(toolkit.architectures[2], 100);
    for (int i = 0; i < 2 * TOOLKIT_MAX_ARCHITECTURES; i++)
        assert_true(toolkit_read_architectures(&toolkit, "sm_80"));
    assert_int_equal(toolkit.architecture_count, TOOLKIT_MAX_ARCHITECTURES);
    assert_false(toolkit_read_architectures(&(Toolkit){0}, "compute_75"));
    toolkit_set_name(&toolkit, "nvcc");
    assert_string_equal(toolkit.name, "nvcc 13.0.88");
    assert_int_equal(toolkit.major, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_what_can_be_executed_without_links),
        cmocka_unit_test(the_first_folder_of_path_with_the_program_counts),
        cmocka_unit_test(a_relative_folder_of_path_is_passed_over),
        cmocka_unit_test(what_a_program_answers_is_read),
        cmocka_unit_test(an_answer_is_kept_until_the_program_changes),
        cmocka_unit_test(the_answer_of_a_script_is_not_kept),
        cmocka_unit_test(a_program_without_an_answer_is_named_with_advice),
        cmocka_unit_test(what_stands_behind_a_word_is_read_up_to_its_end),
        cmocka_unit_test(architectures_are_the_numbers_behind_sm),
    };
    return cmocka_run_group_tests_name("find_program", tests, make_folder, remove_folder);
}
