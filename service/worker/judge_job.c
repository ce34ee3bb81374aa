#include "service/worker/judge_job.h"

#include "base/json.h"
#include "grader/problem/problem_edition.h"
#include "leaderboard/store.h"
#include "service/config/deadlines.h"
#include "service/spool/spool.h"
#include "service/worker/job_files.h"

#include <string.h>
#include <unistd.h>

enum { REPORT_BYTES = 1 << 20, RESULT_BYTES = 48 << 20, MOST_ARGUMENTS = 16, EXIT_TROUBLE = 2 };

typedef struct JudgedJob {
    const SpoolJob *job;
    const JudgeBench *bench;
    Duty *duty;
    Arena *arena;
    JobFiles files;
    SpoolDone *done;
    const char
        *problems; /* "CONVJUDGE_PROBLEMS=..." for an edition that the job names; NULL: the problem as it lies here */
    bool is_accepted;
    int64_t run; /* in the worker's database; 0: none */
} JudgedJob;

typedef struct JobArguments {
    const char *words[MOST_ARGUMENTS]; /* NULL at the end */
    int count;
} JobArguments;

/* ---- child processes --------------------------------------------------------------------------------------------- */

/* The worker's own environment but for a few variables, so that every worker's reports look alike. */
static const char **environment_of(const JudgedJob *judged)
{
    const char *own[] = {"COLUMNS=100",
                         "NO_COLOR=1",
                         "LC_ALL=C.UTF-8",
                         "CLICOLOR_FORCE=0",
                         "CONVJUDGE_PROGRESS=lines",
                         arena_printf(judged->arena, "CONVJUDGE_LOCK_SECONDS=%d", DEADLINE_DEVICE_WAIT_S),
                         arena_printf(judged->arena, "CONVJUDGE_DB=%s", judged->bench->database),
                         judged->problems};
    const size_t own_count = sizeof own / sizeof *own - (judged->problems == NULL);
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    const char **all = arena_array(judged->arena, count + own_count + 1, sizeof *all);
    memcpy(all, own, sizeof own);
    size_t at = own_count;
    for (size_t i = 0; i < count; i++) {
        bool replaced = false;
        for (size_t k = 0; k < own_count; k++)
            replaced = replaced || strncmp(environ[i], own[k], strcspn(own[k], "=") + 1) == 0;
        if (!replaced)
            all[at++] = environ[i];
    }
    return all;
}

static JobArguments arguments_of(const char *subcommand)
{
    return (JobArguments){.words = {CHILD_PROGRAM, subcommand}, .count = 2};
}

/* A value is part of its option's word, so that no value can be taken for an option. */
static void add_option(const JudgedJob *judged, JobArguments *arguments, const char *name, const char *value)
{
    arguments->words[arguments->count++] = arena_printf(judged->arena, "--%s=%s", name, value);
}

static void add_file(const JudgedJob *judged, JobArguments *arguments)
{
    if (judged->bench->unconfined)
        arguments->words[arguments->count++] = "--unconfined";
    arguments->words[arguments->count++] = "--";
    arguments->words[arguments->count++] = judged->files.source;
}

static Status run_child(JudgedJob *judged, const JobArguments *arguments, Text *output, ChildEnd *end, Message *why)
{
    const ChildSpec spec = {.arguments = arguments->words,
                            .environment = environment_of(judged),
                            .goes_on = duty_goes_on,
                            .context = judged->duty};
    return child_run(&spec, REPORT_BYTES, output, end, why);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static Status find_edition(JudgedJob *judged, Message *why)
{
    char keep[SPOOL_EDITIONS_BYTES], folder[SPOOL_EDITIONS_BYTES + 100];
    if (judged->job->edition == NULL)
        return STATUS_OK;
    spool_editions_path(judged->bench->spool, keep);
    if (!problem_edition_find(keep, judged->job->edition, folder, sizeof folder))
        return fail(STATUS_NOT_FOUND, why, "%s: the spool lacks the edition %s", judged->job->problem,
                    judged->job->edition);
    judged->problems = arena_printf(judged->arena, "CONVJUDGE_PROBLEMS=%s", folder);
    return STATUS_OK;
}

static JobArguments judging_arguments(const JudgedJob *judged)
{
    const SpoolJob *job = judged->job;
    const bool tries = strcmp(job->mode, "try") == 0;
    JobArguments arguments = arguments_of(tries ? "try" : "grade");
    add_option(judged, &arguments, "problem", job->problem);
    add_option(judged, &arguments, "device", judged->bench->handle);
    add_option(judged, &arguments, "json", judged->files.result);
    if (!tries)
        add_option(judged, &arguments, "as", job->person);
    if (job->sizes != NULL)
        add_option(judged, &arguments, "sizes", job->sizes);
    if (job->cases != NULL)
        add_option(judged, &arguments, "all-cases", judged->files.verdicts);
    if (strcmp(job->mode, "test") == 0)
        arguments.words[arguments.count++] = "--untimed";
    add_file(judged, &arguments);
    return arguments;
}

/* The program's name in front of a message says nothing here. */
static const char *without_name(const char *words)
{
    const char *name = "convjudge: ";
    return strncmp(words, name, strlen(name)) == 0 ? words + strlen(name) : words;
}

/* Nobody reads how a job ended that the head has forgotten. */
static Status fail_by_end(const JudgedJob *judged, const ChildEnd *end, Message *why)
{
    if (judged->duty->end == DUTY_TIME_IS_UP)
        return fail(STATUS_SYSTEM, why, "no verdict within %g s", judged->job->time_limit_s);
    if (judged->duty->end != DUTY_GOES_ON)
        return fail(STATUS_BUSY, why, "the worker was told to stop");
    if (end->exit_status > 128)
        return fail(STATUS_SYSTEM, why, "the judge was killed by signal %d", end->exit_status - 128);
    if (end->last_words[0] == '\0')
        return fail(STATUS_SYSTEM, why, "the judge ended with exit status %d, without a word", end->exit_status);
    return fail(STATUS_SYSTEM, why, "%s", without_name(end->last_words));
}

/* The number of the run is of the worker's own database, which nobody else can ask. */
static const char *without_run(Arena *arena, const char *report)
{
    const char *run = strstr(report, "\n  recorded  "), *rest = run == NULL ? NULL : strchr(run + 1, '\n');
    if (rest == NULL)
        return arena_string(arena, report);
    return arena_printf(arena, "%.*s%s", (int)(run - report), report, rest);
}

/* The verdict Judge Error has the exit status of a failure, but then there is a result: the submission uses what the judge does
 * not provide, and would fail again anywhere. */
static bool has_verdict(const JudgedJob *judged, const ChildEnd *end)
{
    const bool may_have = end->exit_status < EXIT_TROUBLE ||
                          (end->exit_status == EXIT_TROUBLE && access(judged->files.result, F_OK) == 0);
    return !end->killed && may_have;
}

static Status judge(JudgedJob *judged, Message *why)
{
    const JobArguments arguments = judging_arguments(judged);
    Text output = {0}, report = {0};
    ChildEnd end;
    Status status = run_child(judged, &arguments, &output, &end, why);
    if (status == STATUS_OK && !has_verdict(judged, &end))
        status = fail_by_end(judged, &end, why);
    if (status == STATUS_OK) {
        size_t blank = strspn(output.data, "\n"); /* parts the report from the progress on a terminal */
        text_add_printable(&report, output.data + blank, output.length - blank);
        judged->done->report = without_run(judged->arena, report.data == NULL ? "" : report.data);
    }
    text_free(&output);
    text_free(&report);
    return status;
}

/* ---- what the child has written ---------------------------------------------------------------------------------- */

static Status expect_same(const JsonFile *file, const char *key, const char *expected, Message *why)
{
    const char *found = json_string(file->root, key);
    if (found != NULL && strcmp(found, expected) == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "this worker judged with the %s %s, expected %s", key,
                found == NULL ? "(none)" : found, expected);
}

/* A worker whose checkout is older or newer than the head's would judge by other rules. */
static Status check_result(const JudgedJob *judged, const JsonFile *file, Message *why)
{
    Status status = expect_same(file, "problem", judged->job->problem, why);
    if (status == STATUS_OK)
        status = expect_same(file, "revision", judged->job->revision, why);
    if (status == STATUS_OK)
        status = expect_same(file, "source_hash", judged->job->source_hash, why);
    return status == STATUS_OK ? expect_same(file, "device", judged->bench->device, why) : status;
}

static const char *result_without_run(Arena *arena, const JsonFile *file)
{
    Text text = {0};
    cJSON_DeleteItemFromObjectCaseSensitive(file->root, "run");
    json_keep_digits(file->root);
    json_print(file->root, &text);
    const char *result = arena_string(arena, text.data);
    text_free(&text);
    return result;
}

static void take_result(JudgedJob *judged, const JsonFile *file)
{
    const char *verdict = json_string(file->root, "verdict"), *name = json_string(file->root, "device_name");
    const cJSON *run = json_get(file->root, "run");
    judged->is_accepted = verdict != NULL && strcmp(verdict, "Accepted") == 0;
    judged->run = cJSON_IsNumber(run) ? (int64_t)run->valuedouble : 0;
    if (name != NULL)
        judged->done->device_name = arena_string(judged->arena, name);
    judged->done->result = result_without_run(judged->arena, file);
}

static Status read_result(JudgedJob *judged, Message *why)
{
    JsonFile file;
    Status status = json_read(judged->files.result, RESULT_BYTES, &file, why);
    if (status == STATUS_OK)
        status = check_result(judged, &file, why);
    if (status == STATUS_OK)
        take_result(judged, &file);
    json_free(&file);
    return status;
}

static Status read_verdicts(JudgedJob *judged, Message *why)
{
    JsonFile file;
    if (judged->job->cases == NULL)
        return STATUS_OK;
    Status status = json_read(judged->files.verdicts, RESULT_BYTES, &file, why);
    if (status == STATUS_OK)
        judged->done->case_verdicts = arena_copy(judged->arena, file.text.data, file.text.length);
    json_free(&file);
    return status;
}

/* The head adds the run to its own database, which has the source already. */
static Status read_run(JudgedJob *judged, Message *why)
{
    Store *store = NULL;
    RecordedRun *recorded = arena_alloc(judged->arena, sizeof *recorded);
    if (judged->run == 0)
        return STATUS_OK;
    Status status = store_open(judged->bench->database, STORE_READ, &store, why);
    if (status == STATUS_OK)
        status = store_run(store, judged->run, judged->arena, recorded, why);
    if (status == STATUS_OK) {
        recorded->run.source = NULL;
        judged->done->run = &recorded->run;
    }
    store_close(store);
    return status;
}

/* ---- advice ------------------------------------------------------------------------------------------------------ */

/* Its failure is not the judging's: the advice is missing then. */
static void explain(JudgedJob *judged)
{
    JobArguments arguments = arguments_of("explain");
    Text output = {0};
    JsonFile file = {0};
    ChildEnd end;
    Message ignored;
    add_option(judged, &arguments, "problem", judged->job->problem);
    add_option(judged, &arguments, "device", judged->bench->simulated ? judged->bench->handle : "sim");
    add_option(judged, &arguments, "json", judged->files.explain);
    add_file(judged, &arguments);
    if (run_child(judged, &arguments, &output, &end, &ignored) == STATUS_OK && !end.killed && end.exit_status == 0 &&
        json_read(judged->files.explain, RESULT_BYTES, &file, &ignored) == STATUS_OK)
        judged->done->explain = arena_copy(judged->arena, file.text.data, file.text.length);
    json_free(&file);
    text_free(&output);
}

void judge_job(const SpoolJob *job, const JudgeBench *bench, Duty *duty, Arena *arena, SpoolDone *done)
{
    JudgedJob judged = {.job = job, .bench = bench, .duty = duty, .arena = arena, .done = done};
    Message why;
    Status status = job_files_make(job, &judged.files, &why);
    if (status == STATUS_OK)
        status = find_edition(&judged, &why);
    if (status == STATUS_OK)
        status = judge(&judged, &why);
    if (status == STATUS_OK)
        status = read_result(&judged, &why);
    if (status == STATUS_OK)
        status = read_verdicts(&judged, &why);
    if (status == STATUS_OK)
        status = read_run(&judged, &why);
    if (status == STATUS_OK && judged.is_accepted && bench->explains && strcmp(job->mode, "rank") == 0)
        explain(&judged);
    job_files_remove(&judged.files);
    if (status != STATUS_OK) {
        done->outcome = status == STATUS_BUSY && duty->end == DUTY_STOPPED ? "given_back" : "worker_failed";
        done->why = arena_string(arena, why.text);
        done->result = done->report = done->explain = "";
        done->case_verdicts = NULL;
        done->run = NULL;
    }
}
