#include "base/tests/unit.h"

#include "grader/commands/options.h"

#include <string.h>

/* Command lines, and the message, "" where all is well. */
static const struct {
    const char *words[6];
    const char *message;
} rows[] = {
    {{"grade", "x.cu"}, ""},
    {{"grade", "--problem", "conv1d", "x.cu"}, ""},
    {{"grade", "x.cu", "--json=-"}, ""},
    {{"grade", "--json", "-", "x.cu"}, ""},
    {{"grade", "--", "--problem"}, ""},
    {{"grade", "--prob=conv1d", "--no-r", "--no-s", "x.cu"}, ""},
    {{"grade", "--no", "x.cu"},
     "grade: unknown option '--no'; did you mean '--no-record'? `convjudge grade --help` lists all"},
    {{"explain", "-h"}, ""},
    {{"grade", "--problem"}, "grade: option '--problem' needs a value"},
    {{"grade", "x.cu", "--problem", "--json=-"}, "grade: option '--problem' needs a value"},
    {{"grade", "--json", "-h"}, "grade: option '--json' needs a value"},
    {{"grade", "--quickly", "x.cu"}, "grade: unknown option '--quickly'; `convjudge grade --help` lists all"},
    {{"grade", "-x", "x.cu"}, "grade: unknown option '-x'; `convjudge grade --help` lists all"},
    {{"grade", "-xyz", "x.cu"}, "grade: unknown option '-xyz'; `convjudge grade --help` lists all"},
    {{"grade", "--=x"}, "grade: unknown option '--'; `convjudge grade --help` lists all"},
    {{"grade", "--devise=x"},
     "grade: unknown option '--devise'; did you mean '--device'? `convjudge grade --help` lists all"},
    {{"grade", "--devise", "x"},
     "grade: unknown option '--devise'; did you mean '--device'? `convjudge grade --help` lists all"},
    {{"grade", "-problem", "conv1d"},
     "grade: unknown option '-problem'; did you mean '--problem'? `convjudge grade --help` lists all"},
    {{"grade", "--no_record"},
     "grade: unknown option '--no_record'; did you mean '--no-record'? `convjudge grade --help` lists all"},
    {{"check", "--n"}, "check: unknown option '--n'; `convjudge check --help` lists all"},
    {{"check", "--tmied"},
     "check: unknown option '--tmied'; did you mean '--timed'? `convjudge check --help` lists all"},
    {{"grade", "--timed", "x.cu"}, "grade does not take the option '--timed', which is for: check"},
    {{"sweep", "--seed=1"},
     "sweep does not take the option '--seed', which is for: grade, check-problem, try, trace, look"},
    {{"quarantine", "--accept", "12", "--why=read it"}, ""},
    {{"retract", "12", "--why", "copied"}, ""},
    {{"check-problem", "--thorough", "--seed", "7", "--only", "mutants"}, ""},
    {{"check-problem", "--mutants"}, "check-problem: option '--mutants' needs a value"},
    {{"check", "--thorough"}, "check does not take the option '--thorough', which is for: check-problem"},
    {{"verify-leaderboard", "--json=-"}, ""},
    {{"grade", "--accept", "12"}, "grade does not take the option '--accept', which is for: quarantine"},
    {{"grade", "--no-record=1"}, "grade: option '--no-record' takes no value, found '1'"},
    {{"grade", "--no-record", "--no-record"}, "grade: option '--no-record' is given twice"},
    {{"grade", "--device=sim", "--device", "cuda"}, "grade: option '--device' is given twice: 'sim' and 'cuda'"},
};

static Status parse(const char *const *words, Options *options, Message *why)
{
    static char copies[6][32]; /* options_parse() moves the words, so they outlive this */
    static char *argv[7];
    int argc = 0;
    for (; argc < 6 && words[argc] != NULL; argc++)
        argv[argc] = strcpy(copies[argc], words[argc]);
    argv[argc] = NULL;
    return options_parse(argc, argv, options, why);
}

static void command_lines_are_taken_or_refused_by_name(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Options options;
        Message why = {0};
        Status status = parse(rows[i].words, &options, &why);
        if ((status == STATUS_OK) != (rows[i].message[0] == '\0') || strcmp(why.text, rows[i].message) != 0)
            fail_test("row %zu: \"%s\"", i, why.text);
    }
}

static void a_gpu_is_a_cuda_device(void **state)
{
    static const char *const names[][2] = {{"gpu", "cuda"}, {"gpu:1", "cuda:1"}, {"gpus", "gpus"}, {"sim", "sim"}};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *const words[6] = {"grade", "--device", names[i][0], "x.cu"};
        Options options;
        Message why;
        assert_int_equal(parse(words, &options, &why), STATUS_OK);
        assert_string_equal(options.device, names[i][1]);
    }
}

static void a_subcommand_says_what_it_expects(void **state)
{
    Options options;
    Message why;
    const char *const one[6] = {"leaderboard", "--problem", "conv1d", "x.cu"}, *const none[6] = {"sweep"};
    assert_int_equal(parse(one, &options, &why), STATUS_OK);
    assert_int_equal(options_expect_file(&options, &why), STATUS_OK);
    assert_int_equal(options_expect_problem(&options, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "leaderboard: expected no file, found 'x.cu'");
    assert_int_equal(parse(none, &options, &why), STATUS_OK);
    assert_int_equal(options_expect_file(&options, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "sweep: expected one FILE, found 0");
    assert_int_equal(options_expect_problem(&options, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "sweep: option '--problem' is missing");
    assert_int_equal(options_expect_no_file(&options, &why), STATUS_OK);
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
        cmocka_unit_test(a_gpu_is_a_cuda_device),
        cmocka_unit_test(a_subcommand_says_what_it_expects),
        cmocka_unit_test(operands_are_what_is_left_wherever_they_stand),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
