#include "base/tests/unit.h"

#include "service/store/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *words[] = {"--mem=64G", "--constraint=h200"}, *program[] = {"env", "A=it's", "convjudge"};

static const SlurmSettings settings = {.partition = "gpu",
                                       .account = "",
                                       .gres = "gpu:1",
                                       .device = "cuda",
                                       .server = "",
                                       .logs = "",
                                       .time_minutes = 240,
                                       .pilots = 4,
                                       .idle_seconds = 60,
                                       .options = {words, COUNT_OF(words)},
                                       .program = {program, COUNT_OF(program)}};

static bool has_word(const char **all, const char *word)
{
    for (; *all != NULL; all++)
        if (strcmp(*all, word) == 0)
            return true;
    return false;
}

static void sbatch_gets_what_the_settings_say(void **state)
{
    const PilotCommand command = {&settings, "/run/socket", "/shared/50% logs", "/usr/bin/convjudge", "convjudge-1234"};
    Arena arena = {0};
    const char **all = pilot_script_sbatch(&command, &arena);
    static const char *const expected[] = {"sbatch",
                                           "--parsable",
                                           "--requeue",
                                           "--signal=B:TERM@60",
                                           "--time=240",
                                           "--partition=gpu",
                                           "--mem=64G",
                                           "--constraint=h200",
                                           "--gres=gpu:1",
                                           "--job-name=convjudge-1234",
                                           "--output=/shared/50%% logs/%j.log"};
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (!has_word(all, expected[i]))
            fail_test("missing: %s", expected[i]);
    assert_false(has_word(all, "--account="));
    assert_true(has_word(pilot_script_squeue(&command, &arena), "--name=convjudge-1234"));
    arena_free(&arena);
}

/* What a shell makes of the script, where the program is one that prints its words. */
static void a_shell_reads_the_words_of_the_script_as_they_are(void **state)
{
    static const char *print[] = {"printf", "<%s>"};
    SlurmSettings own = settings;
    own.program = (Names){print, COUNT_OF(print)};
    const PilotCommand command = {&own, "/a 'quoted' $(touch x)/socket", "/logs", "", ""};
    Text script = {0};
    char said[400] = "";
    pilot_script(&command, &script);
    setenv("SLURM_JOB_ID", "17", 1);
    setenv("SLURM_RESTART_COUNT", "2", 1);
    char *shell = strdup(script.data);
    setenv("SCRIPT", shell, 1);
    FILE *output = popen("sh -c \"$SCRIPT\"", "r");
    assert_non_null(output);
    assert_non_null(fgets(said, sizeof said, output));
    pclose(output);
    static const char begin[] =
        "<work><--server></a 'quoted' $(touch x)/socket><--device><cuda><--pilot><240><--idle><60>"
        "<--name><slurm-17-2-";
    assert_memory_equal(said, begin, sizeof begin - 1);
    assert_int_equal(strlen(said), sizeof begin - 1 + 6 + 1);
    free(shell);
    text_free(&script);
}

static void the_own_program_is_used_where_none_is_named(void **state)
{
    SlurmSettings own = settings;
    own.program = (Names){0};
    const PilotCommand command = {&own, "/socket", "/logs", "/usr/bin/convjudge", ""};
    Text script = {0};
    pilot_script(&command, &script);
    assert_non_null(strstr(script.data, "\nexec '/usr/bin/convjudge' work "));
    text_free(&script);
}

static void write_log(const char *folder, int64_t job, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%lld.log", folder, (long long)job);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_last_words_of_a_pilot_are_found_and_old_logs_go(void **state)
{
    char folder[] = "/tmp/convjudge-pilots-XXXXXX";
    Arena arena = {0};
    Message why;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(pilot_logs_make(folder, &why), STATUS_OK);
    assert_int_equal(pilot_logs_make(folder, &why), STATUS_OK);
    write_log(folder, 17, "first\nconvjudge: no \x1b[31m GPU\n\n");
    assert_string_equal(pilot_logs_last_words(folder, 17, &arena), "convjudge: no ?[31m GPU");
    assert_string_equal(pilot_logs_last_words(folder, 18, &arena), "");
    char *large = calloc(1, 10001);
    memset(large, 'x', 10000);
    write_log(folder, 18, large);
    assert_int_equal(strlen(pilot_logs_last_words(folder, 18, &arena)), 300);
    free(large);
    for (int64_t job = 19; job < 19 + PILOT_LOGS_KEPT; job++)
        write_log(folder, job, "");
    pilot_logs_limit(folder);
    int left = 0;
    for (int64_t job = 17; job < 19 + PILOT_LOGS_KEPT; job++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%lld.log", folder, (long long)job);
        left += unlink(path) == 0;
    }
    assert_int_equal(left, PILOT_LOGS_KEPT);
    assert_int_equal(rmdir(folder), 0);
    arena_free(&arena);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    Message why;
    assert_int_equal(pilot_logs_make("/proc/nowhere", &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "/proc/nowhere: this folder cannot be made"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sbatch_gets_what_the_settings_say),
        cmocka_unit_test(a_shell_reads_the_words_of_the_script_as_they_are),
        cmocka_unit_test(the_own_program_is_used_where_none_is_named),
        cmocka_unit_test(the_last_words_of_a_pilot_are_found_and_old_logs_go),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
