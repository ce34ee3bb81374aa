#include "base/tests/unit.h"

#include "grader/problem/submission.h"
#include "grader/ranking/person.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int new_folder(void **state)
{
    strcpy(folder, "/tmp/convjudge-test-submission.XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"x.cu", "link.cu", "pipe.cu", "-a $(b) \"c\"; 'd'\n.cu"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        unlink(names[i]);
    rmdir("folder.cu");
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static void write_file(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void refused(const char *path, const char *message)
{
    Submission submission;
    Message why = {0};
    assert_int_not_equal(submission_read(path, &submission, &why), STATUS_OK);
    if (strstr(why.text, message) == NULL || strchr(why.text, '\n') != NULL)
        fail_test("\"%s\" does not say \"%s\" in one line", why.text, message);
}

static void what_is_no_text_file_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *message;
    } rows[] = {
        {"", 0, "x.cu: the file is empty"},
        {"a\nb\0c", 5, "x.cu:2: byte 3 is not UTF-8 text"},
        {"\x7f"
         "ELF\x02\x01\x01\x00",
         8, "not UTF-8 text"},
        {"caf\xe9", 4, "x.cu:1: byte 3 is not UTF-8 text"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        write_file("x.cu", rows[i].bytes, rows[i].count);
        refused("x.cu", rows[i].message);
    }
}

static void what_is_no_regular_file_is_refused(void **state)
{
    write_file("x.cu", "x", 1);
    assert_int_equal(mkdir("folder.cu", 0700), 0);
    assert_int_equal(symlink("x.cu", "link.cu"), 0);
    assert_int_equal(mkfifo("pipe.cu", 0600), 0);
    refused("missing.cu", "missing.cu: no such file");
    refused("folder.cu", "folder.cu: a folder");
    refused("link.cu", "link.cu: a symbolic link");
    refused("pipe.cu", "pipe.cu: not a regular file");
}

static void any_name_will_do_and_is_shown_printable(void **state)
{
    const char *name = "-a $(b) \"c\"; 'd'\n.cu";
    Submission submission;
    Message why = {0};
    write_file(name, "void solve();", 13);
    assert_int_equal(submission_read(name, &submission, &why), STATUS_OK);
    assert_string_equal(submission.file_name, "-a $(b) \"c\"; 'd'?.cu");
    assert_int_equal(submission.source.length, 13);
    submission_free(&submission);
}

static void only_printable_names_of_people_are_taken(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } rows[] = {
        {"Ada", true},
        {"Zoë 学生 O'Brien; --", true},
        {"1234567890123456789012345678901234567890123456789012345678901234", true},
        {"12345678901234567890123456789012345678901234567890123456789012345", false},
        {"", false},
        {" ", false},
        {"Ada ", false},
        {"a\033[2J", false},
        {"a\nb", false},
        {"a\tb", false},
        {"a\xff", false},
        {"a\u202e"
         "b",
         false},
        {"a\xC2\x85"
         "b",
         false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Message why = {0};
        if ((person_check(rows[i].name, &why) == STATUS_OK) != rows[i].good)
            fail_test("row %zu: %s", i, why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_text_file_is_refused, new_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_regular_file_is_refused, new_folder, remove_folder),
        cmocka_unit_test_setup_teardown(any_name_will_do_and_is_shown_printable, new_folder, remove_folder),
        cmocka_unit_test(only_printable_names_of_people_are_taken),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("submission", tests, NULL, NULL);
}
