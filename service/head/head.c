#include "service/head/head.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "service/head/head_state.h"
#include "service/log/log.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LOOK_S = 0.2, RECONCILE_S = 5, FORGET_S = 3600;

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static Status look(Head *head, Message *why)
{
    Status status = head_take_results(head, why);
    if (status == STATUS_OK)
        status = head_look_at_claims(head, why);
    if (status == STATUS_OK)
        status = head_look_at_idle(head, why);
    if (status == STATUS_OK && now_s() > head->reconciled_s + RECONCILE_S) {
        status = head_reconcile(head, why);
        head->reconciled_s = now_s();
    }
    if (status == STATUS_OK && now_s() > head->forgot_s + FORGET_S) {
        status = submissions_forget_tries(head->store, (int64_t)time(NULL) - DAY_S, why);
        head->forgot_s = now_s();
    }
    return status == STATUS_OK ? head_offer(head, why) : status;
}

/* Trouble, a full disk for example, is told once and tried again: nothing is lost, since files stay in the spool until the
 * store has what they say. */
static void note_look(Head *head, Status status, const Message *why)
{
    pthread_mutex_lock(&head->lock);
    const bool is_new = status != STATUS_OK && strcmp(why->text, head->trouble.text) != 0;
    const bool is_over = status == STATUS_OK && head->trouble.text[0] != '\0';
    if (status == STATUS_OK) {
        head->looked_s = now_s();
        head->trouble.text[0] = '\0';
    } else {
        head->trouble = *why;
    }
    pthread_mutex_unlock(&head->lock);
    if (is_new)
        log_event(LEVEL_ERROR, "trouble", "why", why->text);
    if (is_over)
        log_event(LEVEL_INFO, "trouble_is_over");
}

static bool rest(Head *head)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(LOOK_S * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&head->lock);
    while (!head->stops && !head->is_woken && pthread_cond_timedwait(&head->wake, &head->lock, &until) != ETIMEDOUT)
        ;
    head->is_woken = false;
    const bool goes_on = !head->stops;
    pthread_mutex_unlock(&head->lock);
    return goes_on;
}

static void *run(void *context)
{
    Head *head = context;
    do {
        Message why = {0};
        pthread_mutex_lock(&head->turn);
        const Status status = look(head, &why);
        pthread_mutex_unlock(&head->turn);
        note_look(head, status, &why);
    } while (rest(head));
    return NULL;
}

static Status open_store(Head *head, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    Status status = service_store_path(head->options.state, path, why);
    return status == STATUS_OK ? store_open(path, STORE_WRITE, &head->store, why) : status;
}

/* Workers that are drained stay so, although the folder may be a new one. */
static Status hold_drained(Head *head, Message *why)
{
    Arena arena = {0};
    Drained *drained;
    size_t count;
    Status status = workers_drained(head->store, &arena, &drained, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = spool_hold(head->options.spool, drained[i].worker, true, why);
    arena_free(&arena);
    return status;
}

/* What another host has written shows within the lease: operators mount the spool so (docs/operating.md). */
static Status choose_patience(Head *head, Message *why)
{
    const char *network;
    Status status = file_system_network(head->options.spool, &network, why);
    head->patience_s = status == STATUS_OK && network != NULL ? head->options.lease_s : 0;
    return status;
}

Status head_start(const HeadOptions *options, Head **head, Message *why)
{
    Head *started = zeroed(1, sizeof *started);
    pthread_condattr_t clock;
    started->options = *options;
    started->looked_s = started->manned_s = now_s();
    Status status = spool_make(options->spool, why);
    if (status == STATUS_OK)
        status = choose_patience(started, why);
    if (status == STATUS_OK)
        status = spool_sweep(options->spool, why);
    if (status == STATUS_OK)
        status = open_store(started, why);
    if (status == STATUS_OK)
        status = hold_drained(started, why);
    if (status == STATUS_OK)
        status = head_reconcile(started, why);
    pthread_mutex_init(&started->turn, NULL);
    pthread_mutex_init(&started->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&started->wake, &clock);
    if (status == STATUS_OK && pthread_create(&started->thread, NULL, run, started) != 0)
        status = fail(STATUS_SYSTEM, why, "no thread can be started");
    *head = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK) {
        store_close(started->store);
        free(started);
    }
    return status;
}

void head_stop(Head *head)
{
    if (head == NULL)
        return;
    pthread_mutex_lock(&head->lock);
    head->stops = true;
    pthread_cond_signal(&head->wake);
    pthread_mutex_unlock(&head->lock);
    pthread_join(head->thread, NULL);
    watch_free(&head->watch);
    absences_free(&head->absences);
    presences_free(&head->presences);
    store_close(head->store);
    free(head);
}

/* ---- for other threads ------------------------------------------------------------------------------------------- */

bool head_progress(Head *head, int64_t judging, HeadProgress *progress)
{
    pthread_mutex_lock(&head->lock);
    const Watched *watched = watch_find(&head->watch, judging);
    if (watched != NULL) {
        progress->done = watched->claim.done;
        progress->total = watched->claim.total;
        snprintf(progress->step, sizeof progress->step, "%s", watched->step);
        snprintf(progress->worker, sizeof progress->worker, "%s", watched->claim.worker);
    }
    pthread_mutex_unlock(&head->lock);
    return watched != NULL;
}

void head_idle_workers(Head *head, Arena *arena, IdleWorker **workers, size_t *count)
{
    pthread_mutex_lock(&head->lock);
    const Presences *presences = &head->presences;
    IdleWorker *copies = arena_array(arena, presences->count, sizeof *copies);
    for (size_t i = 0; i < presences->count; i++)
        copies[i] = (IdleWorker){.name = arena_string(arena, presences->items[i].worker),
                                 .device = arena_string(arena, presences->items[i].device),
                                 .device_name = arena_string(arena, presences->items[i].device_name),
                                 .is_held = presences->items[i].is_held};
    *workers = copies;
    *count = presences->count;
    pthread_mutex_unlock(&head->lock);
}

bool head_lacks_workers(Head *head)
{
    pthread_mutex_lock(&head->lock);
    const bool lacks_workers = head->lacks_workers;
    pthread_mutex_unlock(&head->lock);
    return lacks_workers;
}

uint64_t head_changes(Head *head)
{
    pthread_mutex_lock(&head->lock);
    const uint64_t changes = head->changes;
    pthread_mutex_unlock(&head->lock);
    return changes;
}

void head_wake(Head *head)
{
    pthread_mutex_lock(&head->lock);
    head->is_woken = true;
    head->changes++;
    pthread_cond_signal(&head->wake);
    pthread_mutex_unlock(&head->lock);
}

static Status take_offer_back(Head *head, Store *store, int64_t judging, Message *why)
{
    Arena arena = {0};
    QueuedJob read;
    bool is_back = false;
    Status status = judgings_read(store, judging, &arena, &read, why);
    if (status == STATUS_OK && strcmp(read.state, "offered") == 0) {
        const SpoolId id = {read.id, (int)read.attempt};
        status = spool_withdraw(head->options.spool, id, &is_back, why);
        if (status == STATUS_OK && is_back)
            status = judgings_take_back(store, id.judging, id.attempt, why);
    }
    arena_free(&arena);
    return status;
}

Status head_withdraw(Head *head, Store *store, int64_t submission, int64_t judging, bool *done, Message *why)
{
    pthread_mutex_lock(&head->turn);
    Status status = take_offer_back(head, store, judging, why);
    if (status == STATUS_OK)
        status = judgings_withdraw(store, submission, done, why);
    pthread_mutex_unlock(&head->turn);
    head_wake(head);
    return status;
}

HeadHealth head_health(Head *head)
{
    HeadHealth health;
    pthread_mutex_lock(&head->lock);
    health.since_s = now_s() - head->looked_s;
    health.trouble = head->trouble;
    pthread_mutex_unlock(&head->lock);
    return health;
}
