#include "base/tests/unit.h"

#include "service/commands/worker_job.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the child, which is this program --------------------------------------------------------------------------- */

static int speak(void)
{
    fputs("progress 0/0 compile\nconvjudge: bad luck\n\nprogress 1/3 timed cases\n", stderr);
    fputs(getenv("GREETING"), stdout);
    return 2;
}

static int speak_much(void)
{
    for (int i = 0; i < 100000; i++) {
        fputs("0123456789", stdout);
        fputs("0123456789", stderr);
    }
    return 0;
}

static int act(const char *name)
{
    if (strcmp(name, "speak") == 0)
        return speak();
    if (strcmp(name, "speak-much") == 0)
        return speak_much();
    if (strcmp(name, "crash") == 0)
        return raise(SIGKILL);
    sleep(100); /* "hang" */
    return 0;
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

typedef struct Seen {
    ChildProgress progress;
    bool impatient;
} Seen;

static bool look(void *context, const ChildProgress *progress)
{
    Seen *seen = context;
    seen->progress = *progress;
    return !seen->impatient;
}

static ChildEnd run_act(const char *name, Seen *seen, size_t keep_bytes, Text *output)
{
    const char *const arguments[] = {"/proc/self/exe", name, NULL};
    const char *const environment[] = {"GREETING=hello", NULL};
    const ChildSpec spec = {.arguments = arguments, .environment = environment, .goes_on = look, .context = seen};
    ChildEnd end;
    Message why;
    assert_int_equal(child_run(&spec, keep_bytes, output, &end, &why), STATUS_OK);
    return end;
}

static void what_a_child_says_is_kept_apart(void **state)
{
    Seen seen = {.impatient = false};
    Text output = {0};
    const ChildEnd end = run_act("speak", &seen, 100, &output);
    assert_int_equal(end.exit_status, 2);
    assert_false(end.killed);
    assert_string_equal(output.data, "hello");
    assert_string_equal(end.last_words, "convjudge: bad luck");
    text_free(&output);
}

static void a_child_that_says_much_is_cut_short_and_not_held_up(void **state)
{
    Seen seen = {.impatient = false};
    Text output = {0};
    const ChildEnd end = run_act("speak-much", &seen, 25, &output);
    assert_int_equal(end.exit_status, 0);
    assert_string_equal(output.data, "0123456789012345678901234");
    assert_int_equal(strlen(end.last_words), sizeof end.last_words - 1);
    text_free(&output);
}

static void a_child_is_killed_where_nobody_waits_for_it(void **state)
{
    Seen seen = {.impatient = true};
    Text output = {0};
    const ChildEnd end = run_act("hang", &seen, 100, &output);
    assert_true(end.killed);
    assert_int_equal(end.exit_status, 128 + SIGKILL);
    assert_string_equal(output.data, "");
    text_free(&output);
}

static void the_signal_that_ended_a_child_shows(void **state)
{
    Seen seen = {.impatient = false};
    Text output = {0};
    const ChildEnd end = run_act("crash", &seen, 100, &output);
    assert_false(end.killed);
    assert_int_equal(end.exit_status, 128 + SIGKILL);
    assert_string_equal(end.last_words, "");
    text_free(&output);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_says_is_kept_apart),
        cmocka_unit_test(a_child_that_says_much_is_cut_short_and_not_held_up),
        cmocka_unit_test(a_child_is_killed_where_nobody_waits_for_it),
        cmocka_unit_test(the_signal_that_ended_a_child_shows),
    };
    return argc > 1 ? act(argv[1]) : cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
