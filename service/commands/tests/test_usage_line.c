#include "base/tests/unit.h"

#include "service/commands/subcommand_tables.h"
#include "service/commands/usage_line.h"

#include <stdio.h>
#include <string.h>

static const char *const usage = "convjudge try [--sizes LIST]\n"
                                 "              [--long] FILE\n"
                                 "    Runs it: without a clock. Without\n"
                                 "    --sizes, runs the samples.\n"
                                 "    --sizes LIST     a number for each\n"
                                 "                     size\n"
                                 "    --long-name-of-an-option\n"
                                 "                     what it does\n"
                                 "    FILE             what to run\n";

static void each_line_has_its_kind(void **state)
{
    static const struct {
        UsageKind kind;
        const char *term, *text;
    } rows[] = {
        {USAGE_SYNOPSIS, "", "convjudge try [--sizes LIST]"},
        {USAGE_MORE_SYNOPSIS, "", "[--long] FILE"},
        {USAGE_DESCRIPTION, "", "Runs it: without a clock. Without"},
        {USAGE_DESCRIPTION, "", "--sizes, runs the samples."},
        {USAGE_OPTION, "--sizes LIST", "a number for each"},
        {USAGE_MORE, "", "size"},
        {USAGE_OPTION, "--long-name-of-an-option", ""},
        {USAGE_MORE, "", "what it does"},
        {USAGE_OPTION, "FILE", "what to run"},
    };
    const char *at = usage;
    UsageLine line = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[80], term[80] = "";
        assert_true(usage_line_next(&at, &line));
        snprintf(text, sizeof text, "%.*s", line.length, line.text);
        if (line.kind == USAGE_OPTION)
            snprintf(term, sizeof term, "%.*s", line.term_length, line.term);
        if (line.kind != rows[i].kind || strcmp(text, rows[i].text) != 0 || strcmp(term, rows[i].term) != 0)
            fail_test("row %zu: kind %d, \"%s\", \"%s\"", i, line.kind, term, text);
    }
    assert_false(usage_line_next(&at, &line));
}

static void the_summary_is_the_first_sentence(void **state)
{
    const char *text;
    int length = usage_line_summary(usage, &text);
    assert_int_equal(length, 7);
    assert_memory_equal(text, "Runs it", 7);
}

/* What --help, the manual page and the completion show of each is made of them. */
static void every_subcommand_has_a_synopsis_and_a_summary(void **state)
{
    for (int n = 0; subcommand_at(n) != NULL; n++) {
        const char *text, *at = subcommand_at(n)->usage;
        char expected[80];
        snprintf(expected, sizeof expected, "convjudge %s", subcommand_at(n)->name);
        if (strncmp(at, expected, strlen(expected)) != 0 || usage_line_summary(at, &text) < 10)
            fail_test("%s: \"%s\"", subcommand_at(n)->name, at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_has_its_kind),
        cmocka_unit_test(the_summary_is_the_first_sentence),
        cmocka_unit_test(every_subcommand_has_a_synopsis_and_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
