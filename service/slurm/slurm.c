#include "service/slurm/slurm.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/hash.h"
#include "harness/sandbox/process.h"
#include "service/log/log.h"
#include "service/slurm/known_pilots.h"
#include "service/slurm/pilot_logs.h"
#include "service/slurm/pilot_script.h"
#include "service/slurm/pilots.h"
#include "service/spool/spool.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double LOOK_S = 1;     /* at the queue and the spool */
static const double LIST_S = 5;     /* at Slurm's list, while there is anything to see */
static const double COMMAND_S = 30; /* of the clock on the wall, for each command of Slurm */

enum { OUTPUT_BYTES = 1 << 20 };

struct Slurm {
    SlurmOptions options;
    PilotCommand command;
    char spool[PATH_MAX], job_name[64];
    Store *store; /* a connection of the thread's own */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows until the blank line */
    pthread_cond_t wake;
    bool stops;
    SlurmHealth health;

    KnownPilots known;
    double listed_s, ran_s; /* when Slurm was last asked with success; when a command last ran */
    bool has_started;       /* a pilot was started, or may have been, since the list was made */
    int command_failures;   /* in a row */
    int fruitless;          /* pilots in a row that have ended without taking anything */
    double fruitless_s;     /* when the last of these was seen */
    Message command_trouble, pilot_trouble,
        job_trouble; /* of a command; of fruitless pilots; of a job that cannot start */
};

/* ---- trouble ----------------------------------------------------------------------------------------------------- */

/* The first that is there counts. It is told once for as long as it stays the same. */
static void tell_trouble(Slurm *slurm)
{
    const char *text = slurm->command_failures > 0 ? slurm->command_trouble.text
                       : slurm->fruitless > 0      ? slurm->pilot_trouble.text
                       : slurm->known.count > 0    ? slurm->job_trouble.text
                                                   : "";
    pthread_mutex_lock(&slurm->lock);
    Message *trouble = &slurm->health.trouble;
    const bool had_one = trouble->text[0] != '\0', is_new = strcmp(trouble->text, text) != 0;
    snprintf(trouble->text, sizeof trouble->text, "%s", text);
    pthread_mutex_unlock(&slurm->lock);
    if (is_new && text[0] != '\0')
        log_event(LEVEL_WARNING, "slurm_trouble", "why", text);
    else if (had_one && text[0] == '\0')
        log_event(LEVEL_INFO, "slurm_trouble_is_over");
}

static void count_failure(Slurm *slurm)
{
    pthread_mutex_lock(&slurm->lock);
    slurm->health.failures++;
    pthread_mutex_unlock(&slurm->lock);
}

/* ---- Slurm's commands -------------------------------------------------------------------------------------------- */

/* The last line that says anything. */
static const char *last_words(const char *text, Arena *arena)
{
    const char *line = "";
    size_t length = 0;
    while (*text != '\0') {
        const size_t next = strcspn(text, "\n");
        if (next > 0) {
            line = text;
            length = next;
        }
        text += next + (text[next] == '\n');
    }
    return arena_copy(arena, line, length < 300 ? length : 300);
}

static Status run(Slurm *slurm, const char **words, Arena *arena, const char **printed, Message *why)
{
    const ProcessSpec spec = {.argv = words, .environment = (const char *const *)environ, .folder = "/"};
    Text output = {0};
    ProcessEnd end;
    Status status = process_run(&spec, COMMAND_S, OUTPUT_BYTES, &output, &end, why);
    *printed = arena_string(arena, output.data == NULL ? "" : output.data);
    text_free(&output);
    slurm->ran_s = now_s();
    if (status == STATUS_OK && end.timed_out)
        status = fail(STATUS_SYSTEM, why, "%s: no answer within %g s", words[1], COMMAND_S);
    else if (status == STATUS_OK && end.exit_status != 0)
        status = fail(STATUS_SYSTEM, why, "%s: exit status %d: %s", words[1], end.exit_status,
                      last_words(*printed, arena));
    slurm->command_failures = status == STATUS_OK ? 0 : slurm->command_failures + 1;
    if (status == STATUS_OK)
        return status;
    slurm->command_trouble = *why;
    count_failure(slurm);
    return status;
}

/* ---- pilots that have ended -------------------------------------------------------------------------------------- */

/* One that has taken nothing although something waits could not work, and the next one may not, either. */
static void note_end(Slurm *slurm, const KnownPilot *pilot, int64_t waiting)
{
    Arena arena = {0};
    char job[32];
    snprintf(job, sizeof job, "%lld", (long long)pilot->job);
    const bool is_fruitless = !pilot->has_claimed && waiting > 0;
    const char *words = is_fruitless ? pilot_logs_last_words(slurm->spool, pilot->job, &arena) : "";
    log_event(is_fruitless ? LEVEL_WARNING : LEVEL_INFO, is_fruitless ? "pilot_failed" : "pilot_ended", "job", job,
              "why", words);
    if (is_fruitless) {
        slurm->fruitless++;
        slurm->fruitless_s = now_s();
        count_failure(slurm);
        snprintf(slurm->pilot_trouble.text, sizeof slurm->pilot_trouble.text,
                 "pilot %s has ended without taking anything: %s", job, words);
    }
    arena_free(&arena);
}

/* What keeps a job from running, if it is not just its turn. */
static void note_reasons(Slurm *slurm, const PilotJob *pilots, size_t count)
{
    Message *trouble = &slurm->job_trouble;
    trouble->text[0] = '\0';
    for (size_t i = 0; i < count && trouble->text[0] == '\0'; i++)
        if (pilots[i].state == PILOT_PENDING && !pilots_is_ordinary(pilots[i].reason))
            snprintf(trouble->text, sizeof trouble->text, "pilot %lld does not start: %s", (long long)pilots[i].job,
                     pilots[i].reason);
}

static void take_list(Slurm *slurm, const PilotJob *pilots, size_t count, int64_t waiting)
{
    int64_t pending = 0, running = 0;
    for (size_t i = 0; i < count; i++) {
        pending += pilots[i].state == PILOT_PENDING;
        running += pilots[i].state == PILOT_RUNNING;
        if (pilots[i].state != PILOT_ENDING)
            known_pilots_see(&slurm->known, pilots[i].job);
    }
    KnownPilot ended;
    bool have_ended = false;
    while (known_pilots_take_ended(&slurm->known, &ended)) {
        note_end(slurm, &ended, waiting);
        have_ended = true;
    }
    if (have_ended)
        pilot_logs_limit(slurm->spool);
    pthread_mutex_lock(&slurm->lock);
    slurm->health.pending = pending;
    slurm->health.running = running;
    pthread_mutex_unlock(&slurm->lock);
    note_reasons(slurm, pilots, count);
}

/* ---- one look ---------------------------------------------------------------------------------------------------- */

static Status list_pilots(Slurm *slurm, int64_t waiting, Message *why)
{
    Arena arena = {0};
    PilotJob *pilots;
    size_t count;
    const char *printed;
    Status status = run(slurm, pilot_script_squeue(&slurm->command, &arena), &arena, &printed, why);
    if (status == STATUS_OK)
        status = pilots_parse(printed, &arena, &pilots, &count, why);
    if (status == STATUS_OK) {
        known_pilots_begin(&slurm->known);
        take_list(slurm, pilots, count, waiting);
        slurm->listed_s = now_s();
        slurm->has_started = false;
    }
    arena_free(&arena);
    return status;
}

static Status start_pilot(Slurm *slurm, Message *why)
{
    Arena arena = {0};
    const char *printed;
    char job[32];
    slurm->has_started = true; /* also if it fails: the answer may have been lost, not the request */
    Status status = run(slurm, pilot_script_sbatch(&slurm->command, &arena), &arena, &printed, why);
    const int64_t number = status == STATUS_OK ? pilots_job_of_sbatch(last_words(printed, &arena)) : 0;
    if (status == STATUS_OK && number == 0)
        status = fail(STATUS_SYSTEM, why, "sbatch: expected the number of a job, found \"%s\"",
                      last_words(printed, &arena));
    if (status == STATUS_OK) {
        known_pilots_see(&slurm->known, number);
        snprintf(job, sizeof job, "%lld", (long long)number);
        log_event(LEVEL_INFO, "pilot_started", "job", job);
        pthread_mutex_lock(&slurm->lock);
        slurm->health.started++;
        pthread_mutex_unlock(&slurm->lock);
    }
    arena_free(&arena);
    return status;
}

/* Takes note of which pilots have taken something; *strangers: how many do so that Slurm does not list. */
static Status look_at_claims(Slurm *slurm, int64_t *strangers, Message *why)
{
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count;
    *strangers = 0;
    Status status = spool_list_claims(slurm->spool, &arena, &claims, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const int64_t job = pilots_job_of_worker(claims[i].worker);
        if (job == 0)
            continue;
        slurm->fruitless = 0;
        *strangers += !known_pilots_note_claim(&slurm->known, job);
    }
    arena_free(&arena);
    return status;
}

static bool may_run(const Slurm *slurm)
{
    return now_s() >= slurm->ran_s + pilots_pause_s(slurm->command_failures);
}

static bool may_start(const Slurm *slurm)
{
    return may_run(slurm) && now_s() >= slurm->fruitless_s + pilots_pause_s(slurm->fruitless);
}

static bool wants_more(const Slurm *slurm, int64_t waiting, int64_t strangers)
{
    return may_start(slurm) &&
           pilots_to_start(waiting, slurm->known.count + strangers, slurm->options.settings->pilots) > 0;
}

static bool is_fresh(const Slurm *slurm)
{
    return !slurm->has_started && slurm->listed_s > 0 && now_s() < slurm->listed_s + LIST_S;
}

static Status look(Slurm *slurm, Message *why)
{
    int64_t waiting = 0, strangers = 0;
    Status status = judgings_waiting(slurm->store, &waiting, why);
    if (status == STATUS_OK)
        status = look_at_claims(slurm, &strangers, why);
    if (status != STATUS_OK)
        return status;
    if (waiting == 0)
        slurm->fruitless = 0;
    const bool is_new = slurm->listed_s <= 0, is_due = now_s() >= slurm->listed_s + LIST_S;
    if (may_run(slurm) &&
        (is_new || (is_due && slurm->known.count > 0) || (wants_more(slurm, waiting, strangers) && !is_fresh(slurm))))
        status = list_pilots(slurm, waiting, why);
    if (status == STATUS_OK && is_fresh(slurm) && wants_more(slurm, waiting, strangers))
        status = start_pilot(slurm, why);
    return status;
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static bool rest(Slurm *slurm)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)LOOK_S;
    pthread_mutex_lock(&slurm->lock);
    while (!slurm->stops && pthread_cond_timedwait(&slurm->wake, &slurm->lock, &until) != ETIMEDOUT)
        ;
    const bool goes_on = !slurm->stops;
    pthread_mutex_unlock(&slurm->lock);
    return goes_on;
}

static void *keep_pilots(void *context)
{
    Slurm *slurm = context;
    do {
        Message why = {0};
        if (look(slurm, &why) != STATUS_OK && slurm->command_failures == 0) {
            slurm->command_failures = 1; /* the store or the spool; the head tells of them, too */
            slurm->command_trouble = why;
        }
        tell_trouble(slurm);
    } while (rest(slurm));
    return NULL;
}

static Status open_store(Slurm *slurm, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    Status status = service_store_path(slurm->options.state, path, why);
    return status == STATUS_OK ? store_open(path, STORE_WRITE, &slurm->store, why) : status;
}

/* The name is the same after a restart, and another one for another spool of the same user. */
static Status name_pilots(Slurm *slurm, Message *why)
{
    const char *network = NULL;
    if (realpath(slurm->options.spool, slurm->spool) == NULL)
        return fail_errno(why, "%s", slurm->options.spool);
    snprintf(slurm->job_name, sizeof slurm->job_name, "convjudge-%.8s",
             hash_of_bytes(slurm->spool, strlen(slurm->spool)).hex);
    slurm->command = (PilotCommand){.settings = slurm->options.settings,
                                    .spool = slurm->spool,
                                    .program = slurm->options.program,
                                    .job_name = slurm->job_name};
    Status status = file_system_network(slurm->spool, &network, why);
    if (status == STATUS_OK && network == NULL)
        log_event(LEVEL_WARNING, "spool_is_local", "spool", slurm->spool, "why",
                  "it is on no network file system that is known here; pilots on other hosts must see it");
    return status;
}

Status slurm_start(const SlurmOptions *options, Slurm **slurm, Message *why)
{
    pthread_condattr_t clock;
    Slurm *started = zeroed(1, sizeof *started);
    started->options = *options;
    Status status = name_pilots(started, why);
    if (status == STATUS_OK)
        status = pilot_logs_make(started->spool, why);
    if (status == STATUS_OK)
        status = open_store(started, why);
    pthread_mutex_init(&started->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&started->wake, &clock);
    if (status == STATUS_OK && pthread_create(&started->thread, NULL, keep_pilots, started) != 0)
        status = fail(STATUS_SYSTEM, why, "no thread can be started");
    *slurm = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK) {
        store_close(started->store);
        free(started);
    }
    return status;
}

void slurm_stop(Slurm *slurm)
{
    if (slurm == NULL)
        return;
    pthread_mutex_lock(&slurm->lock);
    slurm->stops = true;
    pthread_cond_signal(&slurm->wake);
    pthread_mutex_unlock(&slurm->lock);
    pthread_join(slurm->thread, NULL);
    known_pilots_free(&slurm->known);
    store_close(slurm->store);
    free(slurm);
}

SlurmHealth slurm_health(Slurm *slurm)
{
    pthread_mutex_lock(&slurm->lock);
    const SlurmHealth health = slurm->health;
    pthread_mutex_unlock(&slurm->lock);
    return health;
}
