#include "base/tests/unit.h"

#include "grader/commands/options.h"

#include <string.h>

/* Command lines of a subcommand that takes --problem and --json, and a part of the message, "" where all is well. */
static const struct {
    const char *words[6];
    const char *message;
} rows[] = {
    {{"grade", "x.cu"}, ""},
    {{"grade", "--problem", "conv1d", "x.cu"}, ""},
    {{"grade", "x.cu", "--json=-"}, ""},
    {{"grade", "--", "--problem"}, ""},
    {{"grade", "--problem"}, "--problem: the option needs a value"},
    {{"grade", "--quickly", "x.cu"}, "--quickly: grade has no such option"},
    {{"grade", "-x", "x.cu"}, "-x: grade has no such option"},
    {{"grade", "--device", "sim"}, "--device: grade has no such option"},
    {{"grade", "--no-record=1"}, "--no-record=1: grade has no such option"},
};

static Status parse(const char *const *words, Options *options, Message *why)
{
    static char copies[6][32]; /* getopt_long() sorts the words, so they outlive this */
    static char *argv[7];
    int argc = 0;
    for (; argc < 6 && words[argc] != NULL; argc++)
        argv[argc] = strcpy(copies[argc], words[argc]);
    argv[argc] = NULL;
    return options_parse(argc, argv, "pj", options, why);
}

static void command_lines_are_taken_or_refused_by_name(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Options options;
        Message why = {0};
        Status status = parse(rows[i].words, &options, &why);
        if ((status == STATUS_OK) != (rows[i].message[0] == '\0') || strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: \"%s\"", i, why.text);
    }
}

static void operands_are_what_is_left_wherever_they_stand(void **state)
{
    Options options;
    Message why;
    const char *const mixed[6] = {"grade", "x.cu", "--problem", "conv1d", "y.cu"};
    const char *const ended[6] = {"grade", "--", "--problem"};
    assert_int_equal(parse(mixed, &options, &why), STATUS_OK);
    assert_string_equal(options.problem, "conv1d");
    assert_int_equal(options.operand_count, 2);
    assert_string_equal(options.operands[1], "y.cu");
    assert_int_equal(parse(ended, &options, &why), STATUS_OK);
    assert_null(options.problem);
    assert_string_equal(options.operands[0], "--problem");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_are_taken_or_refused_by_name),
        cmocka_unit_test(operands_are_what_is_left_wherever_they_stand),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
