#include "service/queue/worker.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/paths.h"
#include "harness/compile/toolkit.h"
#include "harness/device/cuda/device_open.h"
#include "service/store/log.h"
#include "service/store/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

bool pilot_has_time(const Pilot *pilot, double now_s, double limit_s)
{
    return pilot->lifetime_s <= 0 || left_s(pilot, now_s) >= pilot_reserve_s(pilot, limit_s);
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
    Status status = device_describe(settings->device, &info, why);
    if (status == STATUS_OK)
        status = info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why);
    if (status != STATUS_OK)
        return status;
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
static void make_name(const JudgeBench *bench, char name[SPOOL_WORKER_BYTES + 1])
{
    const size_t most = SPOOL_WORKER_BYTES / 2 - 1;
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        strcpy(host, "host");
    const size_t length = strcspn(host, ".");
    snprintf(name, SPOOL_WORKER_BYTES + 1, "%.*s-%.*s", (int)(length < most ? length : most), host, (int)most,
             bench->handle);
    for (char *at = name; *at != '\0'; at++) {
        const char one[] = {*at, '\0'};
        if (!spool_worker_is_valid(one))
            *at = '-';
    }
}

static Status choose_name(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    if (settings->name == NULL)
        make_name(&place->bench, place->name);
    else if (!spool_worker_is_valid(settings->name))
        return fail(STATUS_BAD_INPUT, why,
                    "work: option '--name': expected 1 to %d letters, digits, '-' and '_', found '%s'",
                    SPOOL_WORKER_BYTES, settings->name);
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

/* The cache is that of several spools, whose workers may have one name. */
static Status choose_cache(const char *spool, WorkerContext *place, Message *why)
{
    char cache[3900], whole[PATH_MAX];
    Status status = paths_make_cache(cache, sizeof cache, why);
    if (status == STATUS_OK && realpath(spool, whole) == NULL)
        status = fail_errno(why, "%s", spool);
    if (status == STATUS_OK)
        snprintf(place->folder, sizeof place->folder, "%s/workers-%.16s", cache,
                 hash_of_bytes(whole, strlen(whole)).hex);
    return status;
}

static Status choose_parent(const char *spool, WorkerContext *place, Message *why)
{
    const char *network;
    Status status = file_system_network(spool, &network, why);
    if (status == STATUS_OK && network != NULL)
        return choose_cache(spool, place, why);
    snprintf(place->folder, sizeof place->folder, "%s/workers", spool);
    return status;
}

static Status make_folder(const char *parent, const char *name, WorkerContext *place, Message *why)
{
    Status status = make_private(parent, why);
    snprintf(place->folder, sizeof place->folder, "%s/%s", parent, name);
    if (status == STATUS_OK)
        status = make_private(place->folder, why);
    snprintf(place->database, sizeof place->database, "%s/judged.db", place->folder);
    place->bench.database = place->database;
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
    char base[SPOOL_WORKER_BYTES + 1], name[SPOOL_WORKER_BYTES + 20];
    Status status = STATUS_BUSY;
    make_name(&place->bench, base);
    for (int number = 1; number <= MOST_PILOTS && status == STATUS_BUSY; number++) {
        snprintf(name, sizeof name, "%s-%d", base, number);
        status = make_folder(parent, name, place, why);
        if (status == STATUS_OK)
            status = lock_folder(place, why);
    }
    return status;
}

static Status take_folder(const WorkerSettings *settings, WorkerContext *place, Message *why)
{
    char parent[sizeof place->folder];
    Status status = choose_parent(settings->spool, place, why);
    memcpy(parent, place->folder, sizeof parent);
    if (status == STATUS_OK && settings->pilot_minutes > 0)
        return find_pilot_folder(parent, place, why);
    if (status == STATUS_OK)
        status = make_folder(parent, place->name, place, why);
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
        .lock = -1,
        .signals = -1,
        .bench = {.unconfined = settings->unconfined, .explains = settings->explains, .spool = settings->spool}};
    Status status = catch_signals(place, why);
    if (status == STATUS_OK)
        status = describe_device(settings, &place->bench, why);
    if (status == STATUS_OK)
        status = choose_name(settings, place, why);
    if (status == STATUS_OK)
        status = take_folder(settings, place, why);
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

bool worker_context_was_replaced(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0 && access(path, X_OK) != 0;
}

/* ==== worker ====================================================================================================== */

/* Takes jobs from the spool, one at a time, and reports how each has ended.
 *
 * One program for a worker beside the head, on another host with a shared folder, and in a batch job. It can be killed at
 * any moment: when a worker of the same name starts again, it reports what the killed one had in hand. Told to stop
 * (SIGTERM, SIGINT), it reports its job as failed and ends. */

enum { IDLE_MS = 200, TROUBLE_MS = 1000, MOST_PAUSE_MS = 60000 };

static const double IDLE_BEAT_S = 3; /* between two signs of life of a worker that waits */
static const double OTHERS_S = 3;    /* so long others have for a job that failed here */

enum { DECLINED = 16 }; /* more than are ever offered at once */

typedef struct Declined { /* a job that is left to others, */
    SpoolId id;
    double since_s; /* since this moment */
} Declined;

typedef struct JudgeWorker {
    const char *spool;
    WorkerContext place;
    Pilot pilot;
    int failures; /* in a row */
    Declined declined[DECLINED];
    size_t declined_count; /* ever; the oldest entries are overwritten */
    bool is_troubled;      /* the spool could not be read */
    bool is_held;          /* the head gives it no work */
    int64_t idle_count;
    double next_idle_s; /* when it shows itself again while it waits */
    bool is_unseen;     /* that could not be written */
} JudgeWorker;

static Log log_job(LogLevel level, const char *event, const JudgeWorker *worker, SpoolId id)
{
    Log log = log_begin(level, event);
    log_integer(&log, "judging", id.judging);
    log_integer(&log, "attempt", id.attempt);
    log_text(&log, "worker", worker->place.name);
    return log;
}

static SpoolClaim claim_of(const JudgeWorker *worker, SpoolId id)
{
    SpoolClaim claim = {.id = id, .step = ""};
    snprintf(claim.worker, sizeof claim.worker, "%s", worker->place.name);
    return claim;
}

static SpoolDone done_of(const JudgeWorker *worker, const SpoolJob *job)
{
    return (SpoolDone){
        .id = job->id,
        .source_hash = job->source_hash == NULL ? "" : job->source_hash,
        .revision = job->revision == NULL ? "" : job->revision,
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

static void fail_job(SpoolDone *done, const char *why)
{
    done->outcome = "worker_failed";
    done->why = why;
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static bool has_failed(const SpoolDone *done)
{
    return strcmp(done->outcome, "judged") != 0;
}

static void log_end_of_job(const JudgeWorker *worker, const SpoolDone *done, double seconds)
{
    Log log = log_job(has_failed(done) ? LEVEL_WARNING : LEVEL_INFO, done->outcome, worker, done->id);
    log_seconds(&log, "seconds", seconds);
    if (has_failed(done))
        log_text(&log, "why", done->why);
    log_end(&log);
}

/* What was judged must not be lost: where the spool cannot be written now, this tries again until it can, or until the head
 * gives the job up, or somebody stops the worker. */
static void report(const JudgeWorker *worker, const SpoolClaim *claim, const SpoolDone *done, double seconds)
{
    Message why;
    bool is_told = false;
    while (spool_finish(worker->spool, done, &why) != STATUS_OK) {
        if (!is_told) {
            Log log = log_job(LEVEL_ERROR, "no_report", worker, done->id);
            log_text(&log, "why", why.text);
            log_end(&log);
        }
        is_told = true;
        if (job_lease_was_stopped(worker->place.signals, TROUBLE_MS) || !spool_is_claimed(worker->spool, claim))
            return;
    }
    log_end_of_job(worker, done, seconds);
}

/* What a worker of this name had in hand when it was killed. */
static Status report_leftover(const JudgeWorker *worker, const SpoolClaim *claim, Arena *arena, Message *why)
{
    SpoolJob job;
    if (spool_is_done(worker->spool, claim->id))
        return STATUS_OK;
    Status status = spool_read_claimed(worker->spool, claim, arena, &job, why);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status; /* the head has forgotten it */
    SpoolDone done = done_of(worker, &job);
    fail_job(&done, "the worker was restarted");
    report(worker, claim, &done, 0);
    return STATUS_OK;
}

static Status report_leftovers(const JudgeWorker *worker, Message *why)
{
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count;
    Status status = spool_list_claims(worker->spool, &arena, &claims, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (strcmp(claims[i].worker, worker->place.name) == 0)
            status = report_leftover(worker, &claims[i], &arena, why);
    arena_free(&arena);
    return status;
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

/* A judging that a pilot gives back is nobody's failure, unless it had all the time that a pilot can offer: it would go from
 * pilot to pilot for ever. */
static void own_up(const JudgeWorker *worker, const SpoolJob *job, double seconds, Arena *arena, SpoolDone *done)
{
    const double reserve_s = pilot_reserve_s(&worker->pilot, job->time_limit_s);
    if (worker->pilot.lifetime_s > 0 && has_failed(done) && seconds > reserve_s)
        fail_job(done, arena_printf(arena, "no verdict within %.0f s, when the batch job ended", seconds));
}

/* A file that stays does no harm: its counter stands still. */
static void stop_idling(JudgeWorker *worker)
{
    Message ignored;
    if (spool_forget_idle(worker->spool, worker->place.name, &ignored) == STATUS_OK)
        worker->next_idle_s = 0;
}

static void work_on(JudgeWorker *worker, const SpoolJob *job, Arena *arena)
{
    const SpoolClaim claim = claim_of(worker, job->id);
    SpoolDone done = done_of(worker, job);
    const double start_s = now_s();
    Message ignored;
    Log log = log_job(LEVEL_INFO, "claimed", worker, job->id);
    log_end(&log);
    stop_idling(worker);
    JobLease duty = job_lease_begin(worker->spool, &claim, worker->place.signals, job->time_limit_s);
    if (job->damage != NULL) {
        fail_job(&done, job->damage);
        if (spool_set_aside(worker->spool, &claim, &ignored) != STATUS_OK)
            done.why = arena_printf(arena, "%s; %s", job->damage, ignored.text);
    } else {
        judge_job(job, &worker->place.bench, &duty, arena, &done);
    }
    worker->pilot.worked_s = now_s();
    if (duty.end == DUTY_STOPPED)
        own_up(worker, job, now_s() - start_s, arena, &done);
    if (job->damage == NULL)
        worker->failures = has_failed(&done) ? worker->failures + 1 : 0;
    if (duty.end == DUTY_FORGOTTEN) {
        spool_release(worker->spool, &claim);
        log = log_job(LEVEL_WARNING, "given_up", worker, job->id);
        log_end(&log);
    } else {
        report(worker, &claim, &done, now_s() - start_s);
    }
}

static bool suits(const JudgeWorker *worker, const SpoolJob *job)
{
    return job->damage != NULL || job->device[0] == '\0' || strcmp(job->device, worker->place.bench.device) == 0;
}

/* Since when a job is left to others: from now on, if it was not before. */
static double declined_since(JudgeWorker *worker, SpoolId id)
{
    for (size_t i = 0; i < DECLINED; i++) {
        const Declined *declined = &worker->declined[i];
        if (declined->id.judging == id.judging && declined->id.attempt == id.attempt)
            return declined->since_s;
    }
    worker->declined[worker->declined_count++ % DECLINED] = (Declined){id, now_s()};
    return now_s();
}

/* A job that failed here is tried elsewhere, if another worker is there to take it. */
static bool is_left_to_others(JudgeWorker *worker, const SpoolJob *job)
{
    return job->avoid != NULL && strcmp(job->avoid, worker->place.name) == 0 &&
           now_s() < declined_since(worker, job->id) + OTHERS_S;
}

/* Takes the most urgent job that suits this worker and that no other one takes first; `*job` is NULL if there is none. */
static Status take_job(JudgeWorker *worker, Arena *arena, const SpoolJob **job, Message *why)
{
    SpoolJob *jobs;
    size_t count;
    bool claimed = false;
    *job = NULL;
    worker->is_held = worker->pilot.is_short = spool_is_held(worker->spool, worker->place.name);
    if (worker->is_held)
        return STATUS_OK;
    Status status = spool_list_ready(worker->spool, arena, &jobs, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK && !claimed; i++) {
        if (!suits(worker, &jobs[i]) || is_left_to_others(worker, &jobs[i]))
            continue;
        if (!pilot_has_time(&worker->pilot, now_s(), jobs[i].time_limit_s)) {
            worker->pilot.is_short = true;
            continue;
        }
        status = spool_claim(worker->spool, jobs[i].id, worker->place.name, &claimed, why);
        if (claimed)
            *job = &jobs[i];
    }
    return status;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* A spool on another host may be out of reach for a while. Only the first of several failures is an event. */
static void tell_of_trouble(JudgeWorker *worker, Status status, const Message *why)
{
    if (status != STATUS_OK && !worker->is_troubled)
        log_event(LEVEL_WARNING, "spool_unreadable", "worker", worker->place.name, "why", why->text);
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

/* Only the first of several failures is an event. */
static void show_idle(JudgeWorker *worker)
{
    Message why;
    if (worker->is_troubled || now_s() < worker->next_idle_s)
        return;
    SpoolIdle idle = {.count = ++worker->idle_count,
                      .device = worker->place.bench.device,
                      .device_name = worker->place.bench.device_name,
                      .is_held = worker->is_held};
    snprintf(idle.worker, sizeof idle.worker, "%s", worker->place.name);
    worker->next_idle_s = now_s() + IDLE_BEAT_S;
    const bool failed = spool_show_idle(worker->spool, &idle, &why) != STATUS_OK;
    if (failed && !worker->is_unseen)
        log_event(LEVEL_WARNING, "no_beat", "worker", worker->place.name, "why", why.text);
    worker->is_unseen = failed;
}

/* Waits, in view of the head; false: the worker was told to stop. */
static bool rest(JudgeWorker *worker, int pause)
{
    const double until_s = now_s() + pause / 1000.0;
    bool goes_on = true;
    do {
        if (pause > 0)
            show_idle(worker);
        const double left_s = until_s - now_s(), most_s = left_s < IDLE_BEAT_S ? left_s : IDLE_BEAT_S;
        goes_on = !job_lease_was_stopped(worker->place.signals, most_s > 0 ? (int)(most_s * 1000) + 1 : 0);
    } while (goes_on && now_s() < until_s);
    return goes_on;
}

static void work(JudgeWorker *worker, bool once)
{
    bool has_worked = false;
    do {
        Arena arena = {0};
        const SpoolJob *job;
        Message why;
        Status status = take_job(worker, &arena, &job, &why);
        tell_of_trouble(worker, status, &why);
        has_worked = job != NULL;
        if (has_worked)
            work_on(worker, job, &arena);
        arena_free(&arena);
    } while (!once && !worker_context_was_replaced() && (has_worked || !pilot_ends(&worker->pilot, now_s())) &&
             rest(worker, pause_ms(worker, has_worked)));
    stop_idling(worker);
}

static void log_worker(const JudgeWorker *worker, const char *event)
{
    log_event(LEVEL_INFO, event, "worker", worker->place.name, "device", worker->place.bench.device, "device_name",
              worker->place.bench.device_name, "spool", worker->spool);
}

/* Works until it is told to stop. */
static MUST_USE Status worker_run(const WorkerSettings *settings, Message *why)
{
    JudgeWorker worker = {.spool = settings->spool,
                          .pilot = {.lifetime_s = 60.0 * settings->pilot_minutes,
                                    .idle_s = settings->idle_s,
                                    .started_s = now_s(),
                                    .worked_s = now_s()}};
    Status status = spool_make(settings->spool, why);
    if (status == STATUS_OK)
        status = worker_context_open(settings, &worker.place, why);
    if (status != STATUS_OK)
        return status;
    log_worker(&worker, "started");
    status = report_leftovers(&worker, why);
    if (status == STATUS_OK) {
        work(&worker, settings->once);
        log_worker(&worker, worker_context_was_replaced() ? "ended_for_a_new_program" : "ended");
    }
    worker_context_close(&worker.place);
    return status;
}

/* ==== worker command ============================================================================================== */

enum { MOST_MINUTES = 7 * 24 * 60, MOST_IDLE_S = 24 * 3600 };

static Status read_number(const char *option, const char *text, long least, long most, int *number, Message *why)
{
    char *end;
    if (text == NULL)
        return STATUS_OK;
    const long value = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        return fail(STATUS_BAD_INPUT, why, "work: option '%s': expected a number from %ld to %ld, found '%s'", option,
                    least, most, text);
    *number = (int)value;
    return STATUS_OK;
}

static Status read_pilot(const Options *options, WorkerSettings *settings, Message *why)
{
    Status status = read_number("--pilot", options->pilot, PILOT_LEAST_MINUTES, MOST_MINUTES, &settings->pilot_minutes,
                                why);
    if (status == STATUS_OK)
        status = read_number("--idle", options->idle, 1, MOST_IDLE_S, &settings->idle_s, why);
    if (status == STATUS_OK && options->idle != NULL && options->pilot == NULL)
        return fail(STATUS_BAD_INPUT, why, "work: option '--idle' is for a worker with '--pilot'");
    return status;
}

Status command_work(const Options *options, int *exit_status, Message *why)
{
    WorkerSettings settings = {
        .spool = options->spool,
        .device = options->device == NULL ? "auto" : options->device,
        .name = options->name,
        .once = options->once,
        .idle_s = PILOT_IDLE_S,
        .explains = !options->no_explain,
        .unconfined = options->unconfined,
    };
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->spool == NULL)
        status = fail(STATUS_BAD_INPUT, why, "work: option '--spool' is missing");
    if (status == STATUS_OK)
        status = read_pilot(options, &settings, why);
    if (status == STATUS_OK)
        status = worker_run(&settings, why);
    *exit_status = 0;
    return status;
}
