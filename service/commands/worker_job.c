#include "service/commands/worker_job.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"
#include "base/scratch.h"
#include "grader/problem/problem_edition.h"
#include "grader/problem/solution_source.h"
#include "leaderboard/store.h"
#include "service/commands/exchange.h"
#include "service/store/config.h"
#include "service/store/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== child ======================================================================================================= */

Status judge_program(char path[JUDGE_PROGRAM_BYTES], Message *why)
{
    static const char suffix[] = "-service";
    ssize_t length = readlink("/proc/self/exe", path, JUDGE_PROGRAM_BYTES - 1);
    if (length < 0)
        return fail_errno(why, "/proc/self/exe");
    path[length] = '\0';
    if (length > (ssize_t)sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0)
        path[length - (ssize_t)(sizeof suffix - 1)] = '\0';
    return access(path, X_OK) == 0 ? STATUS_OK : fail_errno(why, "%s", path);
}

enum { READER, WRITER };
enum { PAUSE_MS = 100, MOST_PIECES = 64 }; /* a pipe holds less */

typedef struct Following {
    const ChildSpec *spec;
    pid_t child;
    int output[2], errors[2];
    size_t keep_bytes;
    Text *kept;
    char line[500]; /* of standard error, as far as it has come */
    size_t length;
    ChildProgress progress;
    ChildEnd *end;
} Following;

/* ---- what the child says ----------------------------------------------------------------------------------------- */

/* "progress 1/3 timed cases", as terminal.h has it; false: some other line. */
static bool take_progress(const char *line, ChildProgress *progress)
{
    int done, total, end = 0;
    if (sscanf(line, "progress %d/%d %n", &done, &total, &end) < 2 || end == 0 || done < 0 || total < 0)
        return false;
    *progress = (ChildProgress){.done = done, .total = total};
    snprintf(progress->step, sizeof progress->step, "%s", line + end);
    return true;
}

static void take_line(Following *following)
{
    following->line[following->length] = '\0';
    if (following->length > 0 && !take_progress(following->line, &following->progress))
        memcpy(following->end->last_words, following->line, following->length + 1);
    following->length = 0;
}

/* If a line is too long, its beginning counts. */
static void take_errors(Following *following, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            take_line(following);
        else if (following->length < sizeof following->line - 1)
            following->line[following->length++] = bytes[i];
}

static void take_output(Following *following, const char *bytes, size_t count)
{
    size_t length = following->kept->length;
    size_t room = length < following->keep_bytes ? following->keep_bytes - length : 0;
    text_append(following->kept, bytes, count < room ? count : room);
}

/* Reads what is there; false: nothing will come any more. */
static bool read_piece(Following *following, int reader)
{
    char bytes[16384];
    ssize_t count = read(reader, bytes, sizeof bytes);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    if (reader == following->output[READER])
        take_output(following, bytes, (size_t)count);
    else
        take_errors(following, bytes, (size_t)count);
    return true;
}

/* Bounded, since somebody who holds the other end may never stop writing. */
static void read_rest(Following *following, int reader)
{
    for (int piece = 0; piece < MOST_PIECES; piece++) {
        struct pollfd event = {.fd = reader, .events = POLLIN};
        if (poll(&event, 1, 0) <= 0 || !read_piece(following, reader))
            break;
    }
}

/* ---- its life ---------------------------------------------------------------------------------------------------- */

static bool has_ended(pid_t child)
{
    siginfo_t ended = {0};
    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == child;
}

/* The end of the child wakes this up at once; without pidfd_open(), before Linux 5.3, the next look comes soon. */
static void follow(Following *following)
{
    struct pollfd events[] = {{.fd = following->output[READER], .events = POLLIN},
                              {.fd = following->errors[READER], .events = POLLIN},
                              {.fd = (int)syscall(SYS_pidfd_open, following->child, 0), .events = POLLIN}};
    while (!has_ended(following->child) && !following->end->killed) {
        poll(events, 3, PAUSE_MS);
        for (int i = 0; i < 2; i++)
            if (events[i].revents != 0 && !read_piece(following, events[i].fd))
                events[i].fd = -1;
        following->end->killed = !following->spec->goes_on(following->spec->context, &following->progress);
    }
    if (events[2].fd >= 0)
        close(events[2].fd);
}

static Status start(Following *following, Message *why)
{
    const ProcessSpec spec = {.argv = following->spec->arguments,
                              .environment = following->spec->environment,
                              .output = following->output[WRITER],
                              .errors = following->errors[WRITER],
                              .limits = {.no_core = true}};
    return process_start(&spec, &following->child, why);
}

static Status follow_to_end(Following *following, Message *why)
{
    Status status = start(following, why);
    close(following->output[WRITER]);
    close(following->errors[WRITER]);
    TRY(status);
    follow(following);
    process_kill(following->child, &following->end->exit_status);
    read_rest(following, following->output[READER]);
    read_rest(following, following->errors[READER]);
    take_line(following);
    return STATUS_OK;
}

/* Only the reading end must not block: the child has the other one. */
static Status open_pipe(int ends[2], Message *why)
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "no pipe");
    fcntl(ends[READER], F_SETFL, O_NONBLOCK);
    return STATUS_OK;
}

Status child_run(const ChildSpec *spec, size_t keep_bytes, Text *output, ChildEnd *end, Message *why)
{
    Following following = {.spec = spec, .keep_bytes = keep_bytes, .kept = output, .end = end};
    *end = (ChildEnd){0};
    text_append(output, "", 0);
    TRY(open_pipe(following.output, why));
    Status status = open_pipe(following.errors, why);
    if (status == STATUS_OK) {
        status = follow_to_end(&following, why);
        close(following.errors[READER]);
    } else {
        close(following.output[WRITER]);
    }
    close(following.output[READER]);
    return status;
}

/* ==== lease ======================================================================================================= */

static const double HEARTBEAT_S = 1;
enum { HEARTBEAT_PATIENCE_S = 10 };

bool job_lease_was_stopped(int signals, int wait_ms)
{
    struct pollfd event = {.fd = signals, .events = POLLIN};
    return poll(&event, 1, wait_ms) > 0;
}

static Status say_alive(JobLease *lease, Message *why)
{
    JsonFile json;
    cJSON *body = work_progress_json(&lease->progress);
    Status status = api_send(&lease->server, api_path("work/alive"), body, &json, why);
    cJSON_Delete(body);
    if (status == STATUS_OK && !cJSON_IsTrue(json_get(json.root, "goes_on")))
        lease->end = LEASE_FORGOTTEN;
    if (status == STATUS_OK)
        json_free(&json);
    return status;
}

/* A server that cannot be reached now may be there again before it gives the job up. Only the first of several failures is an
 * event. */
static void send_heartbeat(JobLease *lease)
{
    Message why;
    const bool failed = say_alive(lease, &why) != STATUS_OK;
    lease->next_heartbeat_s = now_s() + HEARTBEAT_S;
    if (failed && !lease->is_troubled)
        log_event(LEVEL_WARNING, "no_heartbeat", "worker", lease->progress.worker, "why", why.text);
    lease->is_troubled = failed;
}

JobLease job_lease_begin(const Server *server, WorkId id, const char *worker, int signals, double limit_s)
{
    JobLease lease = {.server = *server,
                      .progress = {.id = id, .worker = worker, .step = ""},
                      .signals = signals,
                      .deadline_s = now_s() + limit_s};
    lease.server.patience_s = HEARTBEAT_PATIENCE_S;
    send_heartbeat(&lease);
    return lease;
}

/* Says it where it is time, and looks whether anything ends the judging; a ChildSpec's goes_on(), with a JobLease as context. */
static bool job_lease_goes_on(void *context, const ChildProgress *progress)
{
    JobLease *lease = context;
    if (lease->end != LEASE_GOES_ON)
        return false;
    if (job_lease_was_stopped(lease->signals, 0))
        lease->end = LEASE_STOPPED;
    else if (now_s() >= lease->deadline_s)
        lease->end = LEASE_TIME_IS_UP;
    if (lease->end == LEASE_GOES_ON && now_s() >= lease->next_heartbeat_s) {
        lease->progress.step = progress->step;
        lease->progress.done = progress->done;
        lease->progress.total = progress->total;
        send_heartbeat(lease);
        lease->progress.step = ""; /* `progress` is the caller's */
    }
    return lease->end == LEASE_GOES_ON;
}

/* ==== job files =================================================================================================== */

enum { NAME_BYTES = 200 };

/* Names that end with ".c" are of plain C, which no device judges, and those of patches of solutions, which students may not
 * hand in. */
const char *job_file_name(const char *file_name)
{
    size_t length = strlen(file_name);
    bool fits = length > 0 && length <= NAME_BYTES && strchr(file_name, '/') == NULL;
    bool harmless = file_name[0] != '-' && file_name[0] != '.';
    bool plain_c = length >= 2 && strcmp(file_name + length - 2, ".c") == 0;
    return fits && harmless && !plain_c && !patch_is_name(file_name) ? file_name : "submission.cu";
}

/* The source has a folder of its own, so that no name of a student is that of a result. */
static Status write_source(const WorkJob *job, JobFiles *files, Message *why)
{
    char folder[sizeof files->folder + 10];
    Text text = {0};
    snprintf(folder, sizeof folder, "%s/source", files->folder);
    if (mkdir(folder, 0700) != 0)
        return fail_errno(why, "%s: cannot be made", folder);
    snprintf(files->source, sizeof files->source, "%s/%s", folder, job_file_name(job->file_name));
    text_add(&text, job->source);
    Status status = text_write_file(files->source, &text, why);
    text_free(&text);
    return status;
}

/* Makes the folder, and writes the source. It goes when the process ends, however that ends (scratch.h). */
static MUST_USE Status job_files_make(const WorkJob *job, JobFiles *files, Message *why)
{
    *files = (JobFiles){0};
    Status status = scratch_new(files->folder, sizeof files->folder, why);
    if (status != STATUS_OK) {
        files->folder[0] = '\0';
        return status;
    }
    snprintf(files->result, sizeof files->result, "%s/result.json", files->folder);
    snprintf(files->explain, sizeof files->explain, "%s/explain.json", files->folder);
    snprintf(files->trace, sizeof files->trace, "%s/trace.json", files->folder);
    snprintf(files->look, sizeof files->look, "%s/look.json", files->folder);
    snprintf(files->verdicts, sizeof files->verdicts, "%s/verdicts.json", files->folder);
    return write_source(job, files, why);
}

/* Makes the folder, and writes the source. It goes when the process ends, however that ends (scratch.h). */
static void job_files_remove(const JobFiles *files)
{
    if (files->folder[0] != '\0')
        scratch_remove(files->folder);
}

/* ==== judge job =================================================================================================== */

enum { REPORT_BYTES = 1 << 20, RESULT_BYTES = 48 << 20, MOST_ARGUMENTS = 16, EXIT_TROUBLE = 2 };

typedef struct JudgedJob {
    const WorkJob *job;
    const JudgeBench *bench;
    JobLease *lease;
    Arena *arena;
    JobFiles files;
    WorkResult *result;
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
                         "CONVJUDGE_TOKEN=",
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

static JobArguments arguments_of(const JudgedJob *judged, const char *subcommand)
{
    return (JobArguments){.words = {judged->bench->program, subcommand}, .count = 2};
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
                            .goes_on = job_lease_goes_on,
                            .context = judged->lease};
    return child_run(&spec, REPORT_BYTES, output, end, why);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static Status fetch_edition(const JudgedJob *judged, Message *why)
{
    JsonFile files;
    const JudgeBench *bench = judged->bench;
    if (mkdir(bench->editions, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: cannot be made", bench->editions);
    problem_editions_prune(bench->editions, NULL, 0);
    TRY(api_get(bench->server, api_path("work/editions/%s", judged->job->edition), &files, why));
    Status status = problem_edition_unpack(bench->editions, judged->job->edition, &files, why);
    json_free(&files);
    return status;
}

static Status find_edition(JudgedJob *judged, Message *why)
{
    char folder[sizeof judged->files.folder + sizeof(Digest)];
    const char *keep = judged->bench->editions, *edition = judged->job->edition;
    if (edition == NULL)
        return STATUS_OK;
    TRY(problem_edition_find(keep, edition, folder, sizeof folder) ? STATUS_OK : fetch_edition(judged, why));
    judged->problems = arena_printf(judged->arena, "CONVJUDGE_PROBLEMS=%s", folder);
    return STATUS_OK;
}

/* The data of a trace must be those that were judged. */
static void add_custom_case(const JudgedJob *judged, JobArguments *arguments)
{
    enum { SEEDS = 1000000 };
    add_option(judged, arguments, "sizes", judged->job->sizes);
    add_option(judged, arguments, "seed", arena_printf(judged->arena, "%d", (int)(judged->job->id.judging % SEEDS)));
}

static JobArguments judging_arguments(const JudgedJob *judged)
{
    const WorkJob *job = judged->job;
    const bool tries = strcmp(job->mode, "try") == 0;
    JobArguments arguments = arguments_of(judged, tries ? "try" : "grade");
    add_option(judged, &arguments, "problem", job->problem);
    add_option(judged, &arguments, "device", judged->bench->handle);
    add_option(judged, &arguments, "json", judged->files.result);
    if (!tries)
        add_option(judged, &arguments, "as", job->person);
    if (job->sizes != NULL)
        add_custom_case(judged, &arguments);
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

/* The server has forgotten the job, so its result is discarded. */
static Status fail_by_end(const JudgedJob *judged, const ChildEnd *end, Message *why)
{
    if (judged->lease->end == LEASE_TIME_IS_UP)
        return fail(STATUS_SYSTEM, why, "no verdict within %g s", judged->job->time_limit_s);
    if (judged->lease->end != LEASE_GOES_ON)
        return fail(STATUS_BUSY, why, "the worker was told to stop");
    if (end->exit_status > 128)
        return fail(STATUS_SYSTEM, why, "the judge was killed by signal %d", end->exit_status - 128);
    if (end->last_words[0] == '\0')
        return fail(STATUS_SYSTEM, why, "the judge ended with exit status %d, and printed nothing", end->exit_status);
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
        judged->result->report = without_run(judged->arena, report.data == NULL ? "" : report.data);
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

/* A worker whose checkout is older or newer than the server's would judge by other rules. */
static Status check_result(const JudgedJob *judged, const JsonFile *file, Message *why)
{
    TRY(expect_same(file, "problem", judged->job->problem, why));
    TRY(expect_same(file, "revision", judged->job->revision, why));
    TRY(expect_same(file, "source_hash", judged->job->source_hash, why));
    return expect_same(file, "device", judged->bench->device, why);
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

/* ---- why a sample is wrong --------------------------------------------------------------------------------------- */

static bool has_wrong_sample(const cJSON *result)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "cases"))
    {
        if (json_get(item, "first_wrong") != NULL)
            return true;
    }
    return false;
}

/* Each trace becomes a member of its case. */
static void put_traces(const cJSON *result, const JsonFile *traces)
{
    cJSON *item, *trace;
    cJSON_ArrayForEach(item, json_get(result, "cases"))
    {
        const char *name = json_string(item, "name");
        cJSON_ArrayForEach(trace, json_get(traces->root, "traces"))
        {
            const char *of = json_string(trace, "case");
            if (name != NULL && of != NULL && strcmp(name, of) == 0 && json_get(item, "first_wrong") != NULL)
                cJSON_AddItemToObject(item, "trace", cJSON_Duplicate(trace, true));
        }
    }
}

/* Has `convjudge trace` or `look` write a file about a sample, or the case of the student's own. Its failure is not the
 * judging's: what it would tell is missing then. */
static bool tell_more(JudgedJob *judged, const char *command, const char *path, JsonFile *file)
{
    JobArguments arguments = arguments_of(judged, command);
    Text output = {0};
    ChildEnd end;
    Message ignored;
    add_option(judged, &arguments, "problem", judged->job->problem);
    add_option(judged, &arguments, "device", judged->bench->simulated ? judged->bench->handle : "sim");
    add_option(judged, &arguments, "json", path);
    if (judged->job->sizes != NULL)
        add_custom_case(judged, &arguments);
    else if (strcmp(command, "look") == 0)
        arguments.words[arguments.count++] = "--sample";
    add_file(judged, &arguments);
    const bool is_told = run_child(judged, &arguments, &output, &end, &ignored) == STATUS_OK && !end.killed &&
                         json_read(path, RESULT_BYTES, file, &ignored) == STATUS_OK;
    text_free(&output);
    return is_told;
}

static void trace_samples(JudgedJob *judged, const JsonFile *result)
{
    JsonFile file = {0};
    if (!has_wrong_sample(result->root))
        return;
    if (tell_more(judged, "trace", judged->files.trace, &file))
        put_traces(result->root, &file);
    json_free(&file);
}

/* The look inside becomes a member of the result, where a sample has run. */
static void look_at_sample(JudgedJob *judged, const JsonFile *result)
{
    const cJSON *first = json_get(result->root, "cases");
    JsonFile file = {0};
    if (!cJSON_IsArray(first) || first->child == NULL)
        return;
    if (tell_more(judged, "look", judged->files.look, &file) && json_get(file.root, "accesses") != NULL)
        cJSON_AddItemToObject(result->root, "look", cJSON_Duplicate(file.root, true));
    json_free(&file);
}

static void take_result(JudgedJob *judged, const JsonFile *file)
{
    const char *verdict = json_string(file->root, "verdict"), *name = json_string(file->root, "device_name");
    const cJSON *run = json_get(file->root, "run");
    judged->is_accepted = verdict != NULL && strcmp(verdict, "Accepted") == 0;
    judged->run = cJSON_IsNumber(run) ? (int64_t)run->valuedouble : 0;
    if (name != NULL)
        judged->result->device_name = arena_string(judged->arena, name);
    judged->result->result = result_without_run(judged->arena, file);
}

static Status read_result(JudgedJob *judged, Message *why)
{
    JsonFile file;
    Status status = json_read(judged->files.result, RESULT_BYTES, &file, why);
    THEN(status, check_result(judged, &file, why));
    if (status == STATUS_OK) {
        if (judged->bench->explains) {
            trace_samples(judged, &file);
            look_at_sample(judged, &file);
        }
        take_result(judged, &file);
    }
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
        judged->result->case_verdicts = arena_copy(judged->arena, file.text.data, file.text.length);
    json_free(&file);
    return status;
}

/* The server adds the run to its own database, which has the source already. */
static Status read_run(JudgedJob *judged, Message *why)
{
    Store *store = NULL;
    RecordedRun *recorded = arena_alloc(judged->arena, sizeof *recorded);
    if (judged->run == 0)
        return STATUS_OK;
    Status status = store_open(judged->bench->database, STORE_READ, &store, why);
    THEN(status, store_run(store, judged->run, judged->arena, recorded, why));
    if (status == STATUS_OK) {
        recorded->run.source = NULL;
        judged->result->run = &recorded->run;
    }
    store_close(store);
    return status;
}

/* ---- advice ------------------------------------------------------------------------------------------------------ */

/* Its failure is not the judging's: the advice is missing then. */
static void explain(JudgedJob *judged)
{
    JobArguments arguments = arguments_of(judged, "explain");
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
        judged->result->explain = arena_copy(judged->arena, file.text.data, file.text.length);
    json_free(&file);
    text_free(&output);
}

void judge_job(const WorkJob *job, const JudgeBench *bench, JobLease *lease, Arena *arena, WorkResult *result)
{
    JudgedJob judged = {.job = job, .bench = bench, .lease = lease, .arena = arena, .result = result};
    Message why;
    Status status = job_files_make(job, &judged.files, &why);
    THEN(status, find_edition(&judged, &why));
    THEN(status, judge(&judged, &why));
    THEN(status, read_result(&judged, &why));
    THEN(status, read_verdicts(&judged, &why));
    THEN(status, read_run(&judged, &why));
    if (status == STATUS_OK && judged.is_accepted && bench->explains && strcmp(job->mode, "rank") == 0)
        explain(&judged);
    job_files_remove(&judged.files);
    if (status != STATUS_OK) {
        const bool is_stopped = lease->end == LEASE_STOPPED || job_lease_was_stopped(lease->signals, 0);
        result->outcome = status == STATUS_BUSY && is_stopped ? "given_back" : "worker_failed";
        result->why = arena_string(arena, why.text);
        result->result = result->report = result->explain = "";
        result->case_verdicts = NULL;
        result->run = NULL;
    }
}
