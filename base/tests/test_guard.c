#include "base/process.h"
#include "base/tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every process that these tests start holds a pipe open: its end says that all are gone. */
typedef struct Line {
    const char *text; /* for sh, whose standard output is the pipe */
    int output;
} Line;

static void run_line(void *context)
{
    const Line *line = context;
    dup2(line->output, 1);
    execl("/bin/sh", "sh", "-c", line->text, (char *)NULL);
}

/* Reads what has been written so far, at least one line. */
static void await_line(int pipe_end, char *text, size_t size)
{
    size_t length = 0;
    while (length < size - 1 && read(pipe_end, text + length, 1) == 1 && text[length] != '\n')
        length++;
    text[length] = '\0';
}

static bool all_gone(int pipe_end)
{
    char byte;
    return read(pipe_end, &byte, 1) == 0;
}

static pid_t guard_line(const char *text, int ends[2])
{
    assert_int_equal(pipe(ends), 0);
    Line line = {.text = text, .output = ends[1]};
    const pid_t guard = guard_start(run_line, &line);
    assert_true(guard > 0);
    close(ends[1]);
    return guard;
}

static int status_of(pid_t guard)
{
    int how = -1;
    while (waitpid(guard, &how, 0) < 0 && errno == EINTR)
        ;
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static void a_guard_ends_as_its_process_does(void **state)
{
    int ends[2];
    assert_int_equal(status_of(guard_line("exit 7", ends)), 7);
    close(ends[0]);
    assert_int_equal(status_of(guard_line("kill -9 $$", ends)), 128 + SIGKILL);
    close(ends[0]);
}

static void it_waits_for_whatever_outlives_the_process(void **state)
{
    char text[20];
    int ends[2];
    const pid_t guard = guard_line(
        "exec 3>&1; { setsid sh -c 'echo; exec >&3; sleep 0.3; echo cleaned up' & } | read begun; exit 3", ends);
    assert_int_equal(status_of(guard), 3);
    await_line(ends[0], text, sizeof text);
    assert_string_equal(text, "cleaned up");
    assert_true(all_gone(ends[0]));
    close(ends[0]);
}

static void it_stops_the_process_and_its_group(void **state)
{
    char text[20];
    int ends[2];
    const pid_t guard = guard_line("sleep 1000 & echo begun; sleep 1000", ends);
    await_line(ends[0], text, sizeof text);
    guard_stop_and_wait(guard);
    assert_true(all_gone(ends[0]));
    assert_int_equal(kill(guard, 0), -1);
    close(ends[0]);
}

/* A daemon that has nothing to do with the group is killed after a while. */
static void nothing_escapes(void **state)
{
    char text[20];
    int ends[2];
    const pid_t guard = guard_line("(setsid sh -c '(sleep 1000 &); echo begun; sleep 1000' &); sleep 1000", ends);
    await_line(ends[0], text, sizeof text);
    guard_stop_and_wait(guard);
    assert_true(all_gone(ends[0]));
    close(ends[0]);
}

static void all_end_with_the_caller(void **state)
{
    char text[20];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t caller = fork();
    if (caller == 0) {
        Line line = {.text = "sleep 1000 & echo begun; sleep 1000", .output = ends[1]};
        guard_start(run_line, &line);
        pause();
        _exit(0);
    }
    close(ends[1]);
    await_line(ends[0], text, sizeof text);
    assert_string_equal(text, "begun");
    kill(caller, SIGKILL);
    waitpid(caller, NULL, 0);
    assert_true(all_gone(ends[0]));
    close(ends[0]);
}

static void the_guard_keeps_no_descriptor_open(void **state)
{
    char text[20];
    int ends[2], other[2];
    assert_int_equal(pipe2(other, O_CLOEXEC), 0);
    const pid_t guard = guard_line("echo begun; sleep 1000", ends);
    await_line(ends[0], text, sizeof text);
    close(other[1]);
    assert_true(all_gone(other[0]));
    guard_stop_and_wait(guard);
    close(other[0]);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_ends_as_its_process_does),
        cmocka_unit_test(it_waits_for_whatever_outlives_the_process),
        cmocka_unit_test(it_stops_the_process_and_its_group),
        cmocka_unit_test(nothing_escapes),
        cmocka_unit_test(all_end_with_the_caller),
        cmocka_unit_test(the_guard_keeps_no_descriptor_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
