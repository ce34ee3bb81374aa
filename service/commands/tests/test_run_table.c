#include "base/tests/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/commands/run_comparison.h"
#include "service/commands/run_table.h"

/* Each field as long as it can be. */
static RemoteSubmission longest(void)
{
    return (RemoteSubmission){
        .number = 99999,
        .state = REMOTE_JUDGED,
        .person = "ada",
        .problem = "a-problem-with-a-very-long-name-that-nobody-can-read",
        .mode = "rank",
        .file_name = "mine.cu",
        .received = "2026-11-23T12:00:00Z",
        .verdict = "Memory Limit Exceeded",
        .text = "",
        .step = "",
        .rank_status = "quarantined: too fast",
        .device = "sim-h200",
        .device_name = "NVIDIA H200 (simulated)",
        .score = {999.9, 0.995},
    };
}

static void no_line_is_wider_than(const Text *text, int columns)
{
    for (const char *line = text->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        if (terminal_columns(copy) > columns)
            fail_test("%d columns of %d: %s", terminal_columns(copy), columns, copy);
        free(copy);
        line += length + (line[length] == '\n');
    }
}

static void the_table_is_as_wide_as_the_terminal(void **state)
{
    const RemoteSubmission submission = longest();
    for (int width = 40; width <= 120; width++) {
        Text text = {0};
        run_table(&submission, 1, (TerminalStyle){.width = width}, &text);
        no_line_is_wider_than(&text, width);
        text_free(&text);
    }
}

static void a_rank_that_is_kept_back_is_named(void **state)
{
    Text text = {0};
    RemoteSubmission submissions[3] = {longest(), longest(), longest()};
    submissions[1].rank_status = "not ranked: not accepted";
    submissions[2].rank = 3;
    submissions[2].of = 20;
    run_table(submissions, 3, (TerminalStyle){.width = 80}, &text);
    assert_non_null(strstr(text.data, " quarantined\n"));
    assert_non_null(strstr(text.data, "      -\n"));
    assert_non_null(strstr(text.data, " 3 of 20\n"));
    text_free(&text);
}

static void a_verdict_is_cut_between_words(void **state)
{
    Text text = {0};
    const RemoteSubmission submission = longest();
    run_table_add_state_cell(&submission, 16, (TerminalStyle){0}, &text);
    assert_string_equal(text.data, "Memory Limit    ");
    text_free(&text);
}

static void modelled_times_are_named(void **state)
{
    Text text = {0};
    RemoteSubmission submissions[3] = {longest(), longest(), longest()};
    submissions[1].number = 4, submissions[1].score.ms = 0;
    submissions[2].number = 3;
    for (int i = 0; i < 3; i++)
        submissions[i].modelled = true;
    run_table(submissions, 3, (TerminalStyle){.width = 80}, &text);
    assert_non_null(strstr(text.data, "\ntimes are modelled\n"));
    text_free(&text);
    submissions[2].modelled = false;
    run_table(submissions, 3, (TerminalStyle){.width = 80}, &text);
    assert_non_null(strstr(text.data, "\nmodelled times: 99999\n"));
    text_free(&text);
    run_table(&submissions[2], 1, (TerminalStyle){.width = 80}, &text);
    assert_null(strstr(text.data, "modelled"));
    text_free(&text);
}

static void moments_are_shown_in_the_users_time_zone(void **state)
{
    Text text = {0};
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    run_table_add_moment("2026-07-23T12:00:00Z", "%H:%M %Z", &text);
    assert_string_equal(text.data, "14:00 CEST");
    text_free(&text);
    run_table_add_moment("yester\033day", "%H:%M", &text);
    assert_string_equal(text.data, "yester?day");
    text_free(&text);
}

static void colour_stands_around_the_verdict_alone(void **state)
{
    Text text = {0};
    const RemoteSubmission submission = longest();
    run_table_add_state_cell(&submission, 23, (TerminalStyle){.colour = true}, &text);
    assert_string_equal(text.data, "\033[1;31mMemory Limit Exceeded  \033[0m");
    text_free(&text);
}

static void history_compares_times_of_one_device(void **state)
{
    Arena arena = {0};
    size_t count;
    RemoteSubmission listed[5]; /* newest first */
    for (int i = 0; i < 5; i++) {
        listed[i] = longest();
        listed[i].number = 5 - i;
        listed[i].problem = i == 3 ? "other" : "mine";
        listed[i].score = (MeasuredTime){10.0 + i, 0.005};
    }
    listed[1].device = "cuda-h200";
    listed[2].score.ms = 0;
    const HistoryEntry *entries = history_of(listed, 5, "mine", &arena, &count);
    assert_int_equal(count, 4);
    assert_int_equal(entries[0].submission->number, 1);
    assert_true(entries[0].is_best && entries[0].change.order == TIME_UNKNOWN);
    assert_int_equal(entries[1].submission->number, 3);
    assert_true(!entries[1].is_best && entries[1].best.ms == 0);
    assert_true(entries[2].is_best && entries[2].change.order == TIME_UNKNOWN);
    assert_true(entries[3].is_best && entries[3].change.order == TIME_FASTER && entries[3].change.ratio == 10.0 / 14);
    arena_free(&arena);
}

static void history_is_as_wide_as_the_terminal(void **state)
{
    const RemoteSubmission submission = longest();
    HistoryEntry entry = {.submission = &submission,
                          .change = {.ratio = 12345, .uncertainty = 0.1, .order = TIME_NOISE},
                          .best = {999.9, 0.1},
                          .is_best = true};
    for (int width = 70; width <= 120; width++) {
        Text text = {0};
        history_table("conv1d", &entry, 1, (TerminalStyle){.width = width}, &text);
        no_line_is_wider_than(&text, width);
        assert_non_null(strstr(text.data, "best so far"));
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_as_wide_as_the_terminal),
        cmocka_unit_test(a_rank_that_is_kept_back_is_named),
        cmocka_unit_test(a_verdict_is_cut_between_words),
        cmocka_unit_test(modelled_times_are_named),
        cmocka_unit_test(moments_are_shown_in_the_users_time_zone),
        cmocka_unit_test(colour_stands_around_the_verdict_alone),
        cmocka_unit_test(history_compares_times_of_one_device),
        cmocka_unit_test(history_is_as_wide_as_the_terminal),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
