#include "base/tests/unit.h"

#include <string.h>

#include "service/commands/command_submit.h"

static Status read(const char *text, JsonFile *file, RemoteSubmission *submission, Message *why)
{
    assert_int_equal(json_parse("answer", text, strlen(text), file, why), STATUS_OK);
    Status status = remote_submission_read(file, file->root, submission, why);
    return status;
}

static void refused(const char *text, const char *expected)
{
    JsonFile file;
    RemoteSubmission submission;
    Message why;
    assert_int_equal(read(text, &file, &submission, &why), STATUS_BAD_INPUT);
    if (strstr(why.text, expected) == NULL)
        fail_test("expected \"%s\", found \"%s\"", expected, why.text);
    json_free(&file);
}

static void a_judged_submission_is_read(void **state)
{
    JsonFile file;
    RemoteSubmission submission;
    Message why;
    assert_int_equal(read("{\"submission\": 12, \"state\": \"judged\", \"person\": \"ada\", \"verdict\": \"Accepted\","
                          "\"score_ms\": 0.0516, \"uncertainty\": 0.005, \"modelled\": true, \"rank\": 3, \"of\": 20,"
                          "\"a key of tomorrow\": [1]}",
                          &file, &submission, &why),
                     STATUS_OK);
    assert_int_equal(submission.number, 12);
    assert_int_equal(submission.state, REMOTE_JUDGED);
    assert_string_equal(submission.verdict, "Accepted");
    assert_string_equal(submission.problem, "");
    assert_string_equal(submission.stand, "");
    assert_true(remote_submission_has_ended(&submission));
    json_free(&file);
}

static void what_it_waits_for_is_the_servers_word(void **state)
{
    JsonFile file;
    RemoteSubmission submission;
    Message why;
    assert_int_equal(
        read("{\"submission\": 1, \"state\": \"waiting\", \"stand\": \"3 ahead\"}", &file, &submission, &why),
        STATUS_OK);
    assert_false(remote_submission_has_ended(&submission));
    assert_string_equal(submission.stand, "3 ahead");
    json_free(&file);
}

static void what_is_no_submission_is_refused(void **state)
{
    refused("{\"submission\": 1}", "\"state\": expected waiting, judging, judged, held or withdrawn, found ''");
    refused("{\"state\": \"judged\"}", "the key \"submission\" is missing");
    refused("{\"submission\": 1.5, \"state\": \"judged\"}", "expected a whole number");
    refused("{\"submission\": -1, \"state\": \"judged\"}", "expected a whole number");
    refused("{\"submission\": 1, \"state\": \"judged\", \"problem\": 3}", "answer:1: problem: expected a string");
    refused("{\"submission\": 1, \"state\": \"judging\", \"progress\": 3}", "expected an object with a \"step\"");
    refused("{\"submission\": 1, \"state\": \"judging\", \"progress\": {\"step\": \"x\", \"done\": -2}}",
            "expected a whole number");
}

static void an_item_that_is_no_object_is_refused(void **state)
{
    static const char text[] = "{\"submissions\": [3]}";
    JsonFile file;
    RemoteSubmission submission;
    Message why;
    assert_int_equal(json_parse("answer", text, strlen(text), &file, &why), STATUS_OK);
    assert_int_equal(remote_submission_read(&file, json_get(file.root, "submissions")->child, &submission, &why),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected a submission, an object"));
    json_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judged_submission_is_read),
        cmocka_unit_test(what_it_waits_for_is_the_servers_word),
        cmocka_unit_test(what_is_no_submission_is_refused),
        cmocka_unit_test(an_item_that_is_no_object_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
