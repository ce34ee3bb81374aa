/* test_counting.c - what submissions count for, in lines.  */
#include "base/tests/unit.h"

#include "service/commands/run_table.h"

#include <string.h>

#define COUNTS(text) "\"counts_for\": [{\"assignment\": \"week-1\", \"counts\": true, \"text\": \"" text "\"}]"

static void submissions_of_which_the_same_can_be_said_share_a_line(void **state)
{
    static const char *const answers[] = {
        "{\"submission\": 30, \"state\": \"judged\", " COUNTS("counts for One\\u001b[31m, due tomorrow") "}",
        "{\"submission\": 29, \"state\": \"judged\"}",
        "{\"submission\": 28, \"state\": \"judged\", " COUNTS("does not count: Two closed") "}",
        "{\"submission\": 27, \"state\": \"judged\", \"counts_for\": [{\"new\": 1}, 7]}",
    };
    enum { MORE = 12, ALL = COUNT_OF(answers) + MORE };
    JsonFile files[ALL];
    RemoteSubmission submissions[ALL];
    Message why;
    Text out = {0};
    for (size_t i = 0; i < ALL; i++) {
        const char *text = answers[i < COUNT_OF(answers) ? i : 0];
        assert_int_equal(json_parse("answer", text, strlen(text), &files[i], &why), STATUS_OK);
        assert_int_equal(remote_submission_read(&files[i], files[i].root, &submissions[i], &why), STATUS_OK);
    }
    run_table_add_all_counting(submissions, ALL, &out);
    assert_string_equal(out.data, "30, 30, 30, 30, 30, 30, 30, 30 and 5 more: counts for One?[31m, due tomorrow\n"
                                  "28: does not count: Two closed\n");
    text_free(&out);
    run_table_add_counting(&submissions[2], &out);
    assert_string_equal(out.data, "does not count: Two closed\n");
    run_table_add_counting(&submissions[1], &out);
    run_table_add_counting(&submissions[3], &out);
    assert_string_equal(out.data, "does not count: Two closed\n");
    text_free(&out);
    for (size_t i = 0; i < ALL; i++)
        json_free(&files[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submissions_of_which_the_same_can_be_said_share_a_line),
    };
    return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
