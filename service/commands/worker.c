#include "service/commands/worker.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/paths.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"
#include "service/commands/command_line.h"
#include "service/commands/exchange.h"
#include "service/commands/output.h"
#include "service/store/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== pilot ======================================================================================================= */

double pilot_reserve_s(const Pilot *pilot, double limit_s)
{
    return limit_s < pilot->lifetime_s / 2 ? limit_s : pilot->lifetime_s / 2;
}

static double left_s(const Pilot *pilot, double now_s)
{
    return pilot->started_s + pilot->lifetime_s - PILOT_MARGIN_S - now_s;
}

double pilot_most_s(const Pilot *pilot, double now_s)
{
    const double left = left_s(pilot, now_s);
    return pilot->lifetime_s <= 0 || left >= pilot->lifetime_s / 2 ? 0 : left;
}

bool pilot_ends(const Pilot *pilot, double now_s)
{
    return pilot->lifetime_s > 0 &&
           (pilot->is_short || left_s(pilot, now_s) <= 0 || now_s - pilot->worked_s >= pilot->idle_s);
}

/* ==== workplace =================================================================================================== */

/* ---- the device -------------------------------------------------------------------------------------------------- */

/* "auto" is decided here, once: a GPU that fails later must not become the simulated one. */
static Status describe_device(const WorkerSettings *settings, JudgeBench *bench, Message *why)
{
    DeviceInfo info;
    Toolkit toolkit;
    TRY(device_describe(settings->device, &info, why));
    TRY(info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why));
    if (info.modelled)
        toolkit_mark_times(&toolkit, info.id, sizeof info.id);
    if (info.passed_over[0] != '\0')
        log_event(LEVEL_WARNING, "no_gpu", "why", info.passed_over);
    strcpy(bench->handle, info.handle);
    strcpy(bench->device, info.id);
    strcpy(bench->device_name, info.name);
    bench->simulated = info.modelled;
    return STATUS_OK;
}

/* ---- the name ---------------------------------------------------------------------------------------------------- */

/* "node3-cuda-1"; what is too long is cut. */
static void make_name(const JudgeBench *bench, char name[WORKER_NAME_BYTES + 1])
{
    const size_t most = WORKER_NAME_BYTES / 2 - 1;
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        strcpy(host, "host");
    const size_t length = strcspn(host, ".");
    snprintf(name, WORKER_NAME_BYTES + 1, "%.*s-%.*s", (int)(length < most ? length : most), host, (int)most,
             bench->handle);
    for (char *at = name; *at != '\0'; at++) {
        const char one[] = {*at, '\0'};
        if (!worker_name_is_valid(one))
            *at = '-';
    }
}

static Status choose_name(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    if (settings->name == NULL)
        make_name(&place->bench, place->name);
    else if (!worker_name_is_valid(settings->name))
        return fail(STATUS_BAD_INPUT, why,
                    "work: option '--name': expected 1 to %d letters, digits, '-' and '_', found '%s'",
                    WORKER_NAME_BYTES, settings->name);
    else
        strcpy(place->name, settings->name);
    return STATUS_OK;
}

enum { MOST_PILOTS = 100 }; /* on one host at a time */

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static Status make_private(const char *folder, Message *why)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: the worker's folder cannot be made", folder);
    return STATUS_OK;
}

/* The cache is that of the workers of several servers, which may have one name. */
static Status choose_parent(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    char cache[3900];
    const char *server = place->server.place;
    if (settings->state != NULL) {
        snprintf(place->folder, sizeof place->folder, "%s/workers", settings->state);
        return make_private(settings->state, why);
    }
    TRY(paths_make_cache(cache, sizeof cache, why));
    snprintf(place->folder, sizeof place->folder, "%s/workers-%.16s", cache, hash_of_bytes(server, strlen(server)).hex);
    return STATUS_OK;
}

static Status make_folder(const char *parent, const char *name, WorkerContext *place, Message *why)
{
    Status status = make_private(parent, why);
    snprintf(place->folder, sizeof place->folder, "%s/%s", parent, name);
    THEN(status, make_private(place->folder, why));
    snprintf(place->database, sizeof place->database, "%s/judged.db", place->folder);
    snprintf(place->editions, sizeof place->editions, "%s/editions", place->folder);
    place->bench.database = place->database;
    place->bench.editions = place->editions;
    return status;
}

/* The system releases the lock when the process ends, however it ends; a child process does not inherit it. */
static Status lock_folder(WorkerContext *place, Message *why)
{
    char path[4200];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/lock", place->folder);
    place->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (place->lock < 0)
        return fail_errno(why, "%s: cannot be opened", path);
    if (fcntl(place->lock, F_SETLK, &whole) == 0)
        return STATUS_OK;
    if (errno != EACCES && errno != EAGAIN)
        return fail_errno(why, "%s: cannot be locked", path);
    close(place->lock);
    place->lock = -1;
    return fail(STATUS_BUSY, why, "a worker called %s runs here already, expected another --name", place->name);
}

/* Pilots have a new name each time. So that not each must take reference times anew, they use the folders HOST-DEVICE-1,
 * HOST-DEVICE-2, ... one after the other: the first that no other one has. */
static Status find_pilot_folder(const char *parent, WorkerContext *place, Message *why)
{
    char base[WORKER_NAME_BYTES + 1], name[WORKER_NAME_BYTES + 20];
    Status status = STATUS_BUSY;
    make_name(&place->bench, base);
    for (int number = 1; number <= MOST_PILOTS && status == STATUS_BUSY; number++) {
        snprintf(name, sizeof name, "%s-%d", base, number);
        status = make_folder(parent, name, place, why);
        THEN(status, lock_folder(place, why));
    }
    return status;
}

static Status take_folder(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    char parent[sizeof place->folder];
    Status status = choose_parent(settings, place, why);
    memcpy(parent, place->folder, sizeof parent);
    if (status == STATUS_OK && settings->pilot_minutes > 0)
        return find_pilot_folder(parent, place, why);
    THEN(status, make_folder(parent, place->name, place, why));
    return status == STATUS_OK ? lock_folder(place, why) : status;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* Must come first: a thread of CUDA's driver that does not block them would let them end the process. */
static Status catch_signals(WorkerContext *place, Message *why)
{
    sigset_t stopping;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTERM);
    sigaddset(&stopping, SIGINT);
    sigprocmask(SIG_BLOCK, &stopping, NULL);
    signal(SIGPIPE, SIG_IGN); /* nobody may read the log any more */
    place->signals = signalfd(-1, &stopping, SFD_CLOEXEC | SFD_NONBLOCK);
    return place->signals >= 0 ? STATUS_OK : fail_errno(why, "signals cannot be read");
}

Status worker_context_open(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    *place = (WorkerContext){
        .lock = -1, .signals = -1, .bench = {.unconfined = settings->unconfined, .explains = settings->explains}};
    place->bench.program = place->program;
    place->bench.server = &place->server;
    Status status = catch_signals(place, why);
    THEN(status, judge_program(place->program, why));
    THEN(status, server_find(settings->server, &place->server, why));
    place->server.interrupt = place->signals;
    THEN(status, describe_device(settings, &place->bench, why));
    THEN(status, choose_name(settings, place, why));
    THEN(status, take_folder(settings, place, why));
    if (status != STATUS_OK)
        worker_context_close(place);
    return status;
}

void worker_context_close(const WorkerContext *place)
{
    if (place->signals >= 0)
        close(place->signals);
    if (place->lock >= 0)
        close(place->lock);
}

/* Whether the running program was replaced by another. Its parts might not fit each other, so the worker ends, and
 * its supervisor starts the new one. */
static bool worker_context_was_replaced(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0 && access(path, X_OK) != 0;
}

/* ==== worker ====================================================================================================== */

/* Asks the server for jobs, one at a time, and reports how each has ended.
 *
 * One program for a worker beside the server, on another host, and in a batch job. It can be killed at any moment: when a worker of
 * the same name asks again, the server knows that what the killed one had is lost. Told to stop (SIGTERM, SIGINT), it gives its
 * job back and ends. */

enum { WAIT_S = 20, CLAIM_PATIENCE_S = 2 * (WAIT_S + 10), REPORT_PATIENCE_S = 240, LAST_PATIENCE_S = 10 };
enum { IDLE_MS = 100, TROUBLE_MS = 1000, MOST_PAUSE_MS = 60000 };

typedef struct JudgeWorker {
    WorkerContext place;
    Pilot pilot;
    int failures;     /* in a row */
    bool is_troubled; /* the server could not be asked */
} JudgeWorker;

static Log log_job(LogLevel level, const char *event, const JudgeWorker *worker, WorkId id)
{
    Log log = log_begin(level, event);
    log_integer(&log, "judging", id.judging);
    log_integer(&log, "attempt", id.attempt);
    log_text(&log, "worker", worker->place.name);
    return log;
}

static WorkResult result_of(const JudgeWorker *worker, WorkId id)
{
    return (WorkResult){
        .id = id,
        .source_hash = "",
        .revision = "",
        .worker = worker->place.name,
        .device = worker->place.bench.device,
        .device_name = worker->place.bench.device_name,
        .outcome = "judged",
        .why = "",
        .result = "",
        .report = "",
        .explain = "",
    };
}

static void fail_job(WorkResult *result, const char *why)
{
    result->outcome = "worker_failed";
    result->why = why;
    result->result = result->report = result->explain = "";
    result->case_verdicts = NULL;
    result->run = NULL;
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static bool has_failed(const WorkResult *result)
{
    return strcmp(result->outcome, "judged") != 0;
}

static void log_end_of_job(const JudgeWorker *worker, const WorkResult *result, double seconds)
{
    Log log = log_job(has_failed(result) ? LEVEL_WARNING : LEVEL_INFO, result->outcome, worker, result->id);
    log_seconds(&log, "seconds", seconds);
    if (has_failed(result))
        log_text(&log, "why", result->why);
    log_end(&log);
}

/* A worker that was told to stop ends soon. */
static Status send_result(const JudgeWorker *worker, const WorkResult *result, bool is_stopped, Message *why)
{
    Server server = worker->place.server;
    JsonFile json;
    cJSON *body = work_result_json(result);
    server.patience_s = is_stopped ? LAST_PATIENCE_S : REPORT_PATIENCE_S;
    server.interrupt = is_stopped ? INTERRUPT_NONE : server.interrupt;
    json_keep_digits(body);
    Status status = api_send(&server, api_path("work/done"), body, &json, why);
    cJSON_Delete(body);
    if (status == STATUS_OK)
        json_free(&json);
    return status;
}

static void log_no_report(const JudgeWorker *worker, const WorkResult *result, const Message *why)
{
    Log log = log_job(LEVEL_ERROR, "no_report", worker, result->id);
    log_text(&log, "why", why->text);
    log_end(&log);
}

/* What was judged must not be lost: where the server does not answer, this tries again until it does, or somebody stops the worker.
 * What the server does not take becomes a failure. */
static void report(const JudgeWorker *worker, WorkResult *result, double seconds)
{
    Message why;
    bool is_told = false, is_stopped;
    Status status;
    do {
        is_stopped = job_lease_was_stopped(worker->place.signals, is_told ? TROUBLE_MS : 0);
        status = send_result(worker, result, is_stopped, &why);
        if (status != STATUS_OK && !is_told)
            log_no_report(worker, result, &why);
        if (status == STATUS_BAD_INPUT && !has_failed(result)) {
            fail_job(result, why.text);
            status = send_result(worker, result, is_stopped, &(Message){0});
        }
        is_told = true;
    } while (status == STATUS_BUSY && !is_stopped);
    log_end_of_job(worker, result, seconds);
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

/* A judging that a pilot gives back is nobody's failure, unless it had all the time that a pilot can offer: it would go from
 * pilot to pilot for ever. */
static void own_up(const JudgeWorker *worker, const WorkJob *job, double seconds, Arena *arena, WorkResult *result)
{
    const double reserve_s = pilot_reserve_s(&worker->pilot, job->time_limit_s);
    if (worker->pilot.lifetime_s > 0 && has_failed(result) && seconds > reserve_s)
        fail_job(result, arena_printf(arena, "no verdict within %.0f s, when the batch job ended", seconds));
}

static void work_on(JudgeWorker *worker, const WorkJob *job, Arena *arena)
{
    WorkResult result = result_of(worker, job->id);
    const double start_s = now_s();
    result.source_hash = job->source_hash;
    result.revision = job->revision;
    Log log = log_job(LEVEL_INFO, "claimed", worker, job->id);
    log_end(&log);
    JobLease lease = job_lease_begin(&worker->place.server, job->id, worker->place.name, worker->place.signals,
                                     job->time_limit_s);
    if (lease.end == LEASE_GOES_ON)
        judge_job(job, &worker->place.bench, &lease, arena, &result);
    worker->pilot.worked_s = now_s();
    if (lease.end == LEASE_STOPPED)
        own_up(worker, job, now_s() - start_s, arena, &result);
    if (lease.end == LEASE_FORGOTTEN) {
        log = log_job(LEVEL_WARNING, "given_up", worker, job->id);
        log_end(&log);
        return;
    }
    report(worker, &result, now_s() - start_s);
    worker->failures = has_failed(&result) ? worker->failures + 1 : 0;
}

/* A job that this program cannot read is a failure of the worker. */
static void refuse_job(JudgeWorker *worker, const cJSON *job, const char *why)
{
    const cJSON *judging = json_get(job, "judging"), *attempt = json_get(job, "attempt");
    if (!cJSON_IsNumber(judging) || !cJSON_IsNumber(attempt))
        return;
    WorkResult result = result_of(worker, (WorkId){(int64_t)judging->valuedouble, attempt->valueint});
    fail_job(&result, why);
    report(worker, &result, 0);
    worker->failures++;
}

static Status ask(JudgeWorker *worker, double wait_s, JsonFile *answer, Message *why)
{
    Server server = worker->place.server;
    const WorkClaim claim = {.worker = worker->place.name,
                             .device = worker->place.bench.device,
                             .device_name = worker->place.bench.device_name,
                             .wait_s = wait_s,
                             .most_s = pilot_most_s(&worker->pilot, now_s())};
    cJSON *body = work_claim_json(&claim);
    server.patience_s = CLAIM_PATIENCE_S;
    Status status = api_send(&server, api_path("work/claim"), body, answer, why);
    cJSON_Delete(body);
    return status;
}

/* Takes a job, if there is one within the time, and judges it. */
static Status work_once(JudgeWorker *worker, double wait_s, bool *has_worked, Message *why)
{
    Arena arena = {0};
    JsonFile answer;
    WorkJob job;
    *has_worked = false;
    TRY(ask(worker, wait_s, &answer, why));
    const cJSON *found = json_get(answer.root, "job");
    const char *reason = json_string(answer.root, "reason");
    worker->pilot.is_short = found == NULL && reason != NULL && reason[0] != '\0';
    *has_worked = found != NULL;
    if (found != NULL && work_read_job(&answer, found, &arena, &job, why) == STATUS_OK)
        work_on(worker, &job, &arena);
    else if (found != NULL)
        refuse_job(worker, found, why->text);
    json_free(&answer);
    arena_free(&arena);
    return STATUS_OK;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Only the first of several failures is an event. */
static void tell_of_trouble(JudgeWorker *worker, Status status, const Message *why)
{
    const bool is_stopped = job_lease_was_stopped(worker->place.signals, 0); /* which cuts the request short */
    if (status != STATUS_OK && !worker->is_troubled && !is_stopped)
        log_event(LEVEL_WARNING, "no_server", "worker", worker->place.name, "why", why->text);
    worker->is_troubled = status != STATUS_OK;
}

/* A worker whose device is broken fails fast. It waits longer after each failure, so that others get the jobs. */
static int pause_ms(const JudgeWorker *worker, bool has_worked)
{
    if (worker->is_troubled)
        return TROUBLE_MS;
    if (!has_worked)
        return IDLE_MS;
    int pause = worker->failures < 2 ? 0 : TROUBLE_MS << (worker->failures < 8 ? worker->failures - 2 : 6);
    return pause < MOST_PAUSE_MS ? pause : MOST_PAUSE_MS;
}

/* How long the server may keep it waiting for a job. */
static double wait_of(const JudgeWorker *worker, bool once)
{
    const Pilot *pilot = &worker->pilot;
    const double left_s = pilot->worked_s + pilot->idle_s - now_s();
    if (once)
        return 0;
    return pilot->lifetime_s <= 0 || left_s > WAIT_S ? WAIT_S : left_s > 0 ? left_s : 0;
}

static void work(JudgeWorker *worker, bool once)
{
    bool has_worked = false;
    do {
        Message why;
        Status status = work_once(worker, wait_of(worker, once), &has_worked, &why);
        tell_of_trouble(worker, status, &why);
    } while (!once && !worker_context_was_replaced() && (has_worked || !pilot_ends(&worker->pilot, now_s())) &&
             !job_lease_was_stopped(worker->place.signals, pause_ms(worker, has_worked)));
}

static void log_worker(const JudgeWorker *worker, const char *event)
{
    log_event(LEVEL_INFO, event, "worker", worker->place.name, "device", worker->place.bench.device, "device_name",
              worker->place.bench.device_name, "server", worker->place.server.place);
}

/* Works until it is told to stop. */
static MUST_USE Status worker_run(const WorkerSettings *settings, Message *why)
{
    JudgeWorker worker = {.pilot = {.lifetime_s = 60.0 * settings->pilot_minutes,
                                    .idle_s = settings->idle_s,
                                    .started_s = now_s(),
                                    .worked_s = now_s()}};
    TRY(worker_context_open(settings, &worker.place, why));
    log_worker(&worker, "started");
    work(&worker, settings->once);
    log_worker(&worker, worker_context_was_replaced() ? "ended_for_a_new_program" : "ended");
    worker_context_close(&worker.place);
    return STATUS_OK;
}

/* ==== worker command ============================================================================================== */

enum { MOST_MINUTES = 7 * 24 * 60, MOST_IDLE_S = 24 * 3600 };

static Status read_pilot(const Options *options, WorkerSettings *settings, Message *why)
{
    TRY(options_number(options, "--pilot", options->pilot, PILOT_LEAST_MINUTES, MOST_MINUTES, &settings->pilot_minutes,
                       why));
    TRY(options_number(options, "--idle", options->idle, 1, MOST_IDLE_S, &settings->idle_s, why));
    if (options->idle != NULL && options->pilot == NULL)
        return fail(STATUS_BAD_INPUT, why, "work: option '--idle' is for a worker with '--pilot'");
    return STATUS_OK;
}

Status command_work(const Options *options, int *exit_status, Message *why)
{
    WorkerSettings settings = {
        .server = options->server,
        .state = options->state,
        .device = options->device == NULL ? "auto" : options->device,
        .name = options->name,
        .once = options->once,
        .idle_s = PILOT_IDLE_S,
        .explains = !options->no_explain,
        .unconfined = options->unconfined,
    };
    Status status = options_expect_no_file(options, why);
    THEN(status, read_pilot(options, &settings, why));
    THEN(status, worker_run(&settings, why));
    *exit_status = 0;
    return status;
}
