#include "service/worker/worker.h"

#include "base/clock.h"
#include "service/log/log.h"
#include "service/spool/spool.h"
#include "service/spool/spool_idle.h"
#include "service/worker/duty.h"
#include "service/worker/judge_job.h"
#include "service/worker/pilot.h"
#include "service/worker/workplace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    Workplace place;
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
        if (duty_was_stopped(worker->place.signals, TROUBLE_MS) || !spool_is_claimed(worker->spool, claim))
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
    Duty duty = duty_begin(worker->spool, &claim, worker->place.signals, job->time_limit_s);
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
        goes_on = !duty_was_stopped(worker->place.signals, most_s > 0 ? (int)(most_s * 1000) + 1 : 0);
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
    } while (!once && !workplace_was_replaced() && (has_worked || !pilot_ends(&worker->pilot, now_s())) &&
             rest(worker, pause_ms(worker, has_worked)));
    stop_idling(worker);
}

static void log_worker(const JudgeWorker *worker, const char *event)
{
    log_event(LEVEL_INFO, event, "worker", worker->place.name, "device", worker->place.bench.device, "device_name",
              worker->place.bench.device_name, "spool", worker->spool);
}

Status worker_run(const WorkerSettings *settings, Message *why)
{
    JudgeWorker worker = {.spool = settings->spool,
                          .pilot = {.lifetime_s = 60.0 * settings->pilot_minutes,
                                    .idle_s = settings->idle_s,
                                    .started_s = now_s(),
                                    .worked_s = now_s()}};
    Status status = spool_make(settings->spool, why);
    if (status == STATUS_OK)
        status = workplace_open(settings, &worker.place, why);
    if (status != STATUS_OK)
        return status;
    log_worker(&worker, "started");
    status = report_leftovers(&worker, why);
    if (status == STATUS_OK) {
        work(&worker, settings->once);
        log_worker(&worker, workplace_was_replaced() ? "ended_for_a_new_program" : "ended");
    }
    workplace_close(&worker.place);
    return status;
}
