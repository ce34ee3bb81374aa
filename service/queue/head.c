#include "service/queue/head.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/paths.h"
#include "grader/problem/problem.h"
#include "grader/problem/problem_edition.h"
#include "service/store/batches.h"
#include "service/store/judgings.h"
#include "service/store/log.h"
#include "service/store/service_store.h"
#include "service/store/spool.h"
#include "service/store/submissions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== absences ==================================================================================================== */

void missing_jobs_begin(MissingJobs *absences)
{
    for (size_t i = 0; i < absences->count; i++)
        absences->items[i].is_seen = false;
}

static Absence *missing_jobs_find(MissingJobs *absences, SpoolId id)
{
    for (size_t i = 0; i < absences->count; i++)
        if (absences->items[i].id.judging == id.judging && absences->items[i].id.attempt == id.attempt)
            return &absences->items[i];
    return NULL;
}

static Absence *missing_jobs_add(MissingJobs *absences, SpoolId id, double now_s)
{
    if (absences->count == absences->capacity) {
        absences->capacity = absences->capacity == 0 ? 16 : 2 * absences->capacity;
        absences->items = allocated(realloc(absences->items, absences->capacity * sizeof *absences->items));
    }
    absences->items[absences->count] = (Absence){.id = id, .since_s = now_s};
    return &absences->items[absences->count++];
}

double missing_jobs_note(MissingJobs *absences, SpoolId id, double now_s)
{
    Absence *absence = missing_jobs_find(absences, id);
    if (absence == NULL)
        absence = missing_jobs_add(absences, id, now_s);
    absence->is_seen = true;
    return now_s - absence->since_s;
}

void missing_jobs_end(MissingJobs *absences)
{
    size_t kept = 0;
    for (size_t i = 0; i < absences->count; i++)
        if (absences->items[i].is_seen)
            absences->items[kept++] = absences->items[i];
    absences->count = kept;
}

void missing_jobs_free(MissingJobs *absences)
{
    free(absences->items);
    *absences = (MissingJobs){0};
}

/* ==== presences =================================================================================================== */

void idle_workers_begin(IdleWorkers *presences)
{
    for (size_t i = 0; i < presences->count; i++)
        presences->items[i].is_seen = false;
}

static Presence *idle_workers_find(IdleWorkers *presences, const char *worker)
{
    for (size_t i = 0; i < presences->count; i++)
        if (strcmp(presences->items[i].worker, worker) == 0)
            return &presences->items[i];
    return NULL;
}

static Presence *idle_workers_add(IdleWorkers *presences, const SpoolIdle *idle, double now_s)
{
    if (presences->count == presences->capacity) {
        presences->capacity = presences->capacity == 0 ? 16 : 2 * presences->capacity;
        presences->items = allocated(realloc(presences->items, presences->capacity * sizeof *presences->items));
    }
    Presence *added = &presences->items[presences->count++];
    *added = (Presence){.count = idle->count, .changed_s = now_s};
    snprintf(added->worker, sizeof added->worker, "%s", idle->worker);
    return added;
}

double idle_workers_see(IdleWorkers *presences, const SpoolIdle *idle, double now_s)
{
    Presence *presence = idle_workers_find(presences, idle->worker);
    if (presence == NULL)
        presence = idle_workers_add(presences, idle, now_s);
    else if (presence->count != idle->count)
        presence->changed_s = now_s;
    presence->count = idle->count;
    presence->is_held = idle->is_held;
    presence->is_seen = true;
    snprintf(presence->device, sizeof presence->device, "%s", idle->device);
    snprintf(presence->device_name, sizeof presence->device_name, "%s", idle->device_name);
    return now_s - presence->changed_s;
}

void idle_workers_forget(IdleWorkers *presences, const char *worker)
{
    Presence *presence = idle_workers_find(presences, worker);
    if (presence != NULL)
        presence->is_seen = false;
}

bool idle_workers_end(IdleWorkers *presences)
{
    size_t kept = 0;
    for (size_t i = 0; i < presences->count; i++)
        if (presences->items[i].is_seen)
            presences->items[kept++] = presences->items[i];
    const bool some_went = kept < presences->count;
    presences->count = kept;
    return some_went;
}

void idle_workers_free(IdleWorkers *presences)
{
    free(presences->items);
    *presences = (IdleWorkers){0};
}

/* ==== watch ======================================================================================================= */

void watch_begin(Watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        watch->items[i].is_seen = false;
}

static Watched *find_claim(Watch *watch, const SpoolClaim *claim)
{
    for (size_t i = 0; i < watch->count; i++) {
        const SpoolClaim *known = &watch->items[i].claim;
        if (known->id.judging == claim->id.judging && known->id.attempt == claim->id.attempt &&
            strcmp(known->worker, claim->worker) == 0)
            return &watch->items[i];
    }
    return NULL;
}

static Watched *watch_add(Watch *watch, double now_s)
{
    if (watch->count == watch->capacity) {
        watch->capacity = watch->capacity == 0 ? 16 : 2 * watch->capacity;
        watch->items = allocated(realloc(watch->items, watch->capacity * sizeof *watch->items));
    }
    Watched *added = &watch->items[watch->count++];
    *added = (Watched){.began_s = now_s, .changed_s = now_s};
    return added;
}

Watched *watch_see(Watch *watch, const SpoolClaim *claim, double now_s, bool *is_new)
{
    Watched *watched = find_claim(watch, claim);
    *is_new = watched == NULL;
    if (*is_new)
        watched = watch_add(watch, now_s);
    else if (watched->claim.count != claim->count)
        watched->changed_s = now_s;
    watched->claim = *claim;
    snprintf(watched->step, sizeof watched->step, "%s", claim->step);
    watched->claim.step = watched->step;
    watched->is_seen = true;
    return watched;
}

void watch_end(Watch *watch, size_t *gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->items[i].is_seen)
            watch->items[kept++] = watch->items[i];
    *gone = watch->count - kept;
    watch->count = kept;
    for (size_t i = 0; i < watch->count; i++)
        watch->items[i].claim.step = watch->items[i].step;
}

const Watched *watch_find(const Watch *watch, int64_t judging)
{
    for (size_t i = 0; i < watch->count; i++)
        if (watch->items[i].claim.id.judging == judging)
            return &watch->items[i];
    return NULL;
}

bool watch_is_overdue(const Watched *watched, double now_s, double lease_s)
{
    return now_s - watched->changed_s > lease_s ||
           (watched->limit_s > 0 && now_s - watched->began_s > watched->limit_s);
}

void watch_free(Watch *watch)
{
    free(watch->items);
    *watch = (Watch){0};
}

/* ==== head attempt ================================================================================================ */

void head_note_change(Head *head)
{
    pthread_mutex_lock(&head->lock);
    head->changes++;
    pthread_mutex_unlock(&head->lock);
}

static Status drain_if_due(Head *head, const char *worker, Message *why)
{
    bool fails = false;
    Status status = worker[0] == '\0' ? STATUS_OK : worker_fails(head->store, worker, &fails, why);
    if (status != STATUS_OK || !fails)
        return status;
    status = worker_drain(head->store, worker, "failed at two different submissions in a row", why);
    if (status == STATUS_OK)
        status = spool_hold(head->options.spool, worker, true, why);
    log_event(LEVEL_WARNING, "worker_drained", "worker", worker);
    return status;
}

Status head_give_up(Head *head, SpoolId id, const char *worker, const char *outcome, const char *reason, Message *why)
{
    char judging[32];
    bool held = false;
    Status status = judgings_fail(head->store, id.judging, id.attempt, outcome, reason, &held, why);
    if (status == STATUS_OK)
        status = spool_forget(head->options.spool, id, why);
    snprintf(judging, sizeof judging, "%lld-%d", (long long)id.judging, id.attempt);
    log_event(held ? LEVEL_ERROR : LEVEL_WARNING, "attempt_failed", "judging", judging, "worker", worker, "outcome",
              outcome, "held", held ? "yes" : "no", "why", reason);
    head_note_change(head);
    return status == STATUS_OK ? drain_if_due(head, worker, why) : status;
}

static Status basis_of(const Head *head, const Problem *problem, const char *mode, Basis *basis, Message *why)
{
    basis->revision = problem->revision;
    return deadlines_of(problem, judging_mode_named(mode), head->options.lease_s, &basis->deadlines, why);
}

/* The copy may have been damaged: nobody has synced it to the disk. */
static Status kept_basis(const Head *head, const QueuedJob *judging, const char *keep, Basis *basis, Message *why)
{
    char folder[SPOOL_EDITIONS_BYTES + sizeof(Digest)];
    Problem problem;
    if (!problem_edition_find(keep, judging->edition_before, folder, sizeof folder))
        return fail(STATUS_SYSTEM, why, "%s: the spool lacks the files by which this problem counts, edition %.16s",
                    judging->problem, judging->edition_before);
    Status status = problem_read_in(folder, judging->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    basis->is_kept = true;
    status = problem_edition(&problem, &basis->edition, why);
    if (status == STATUS_OK && strcmp(basis->edition.hex, judging->edition_before) != 0)
        status = fail(STATUS_SYSTEM, why, "%s: these files are no longer those of the edition", folder);
    if (status == STATUS_OK)
        status = basis_of(head, &problem, judging->mode, basis, why);
    problem_free(&problem);
    return status;
}

Status head_basis(const Head *head, const QueuedJob *judging, Basis *basis, Message *why)
{
    char keep[SPOOL_EDITIONS_BYTES];
    Problem problem;
    *basis = (Basis){.is_kept = false};
    spool_editions_path(head->options.spool, keep);
    if (judging->edition_before[0] != '\0' && strcmp(judging->mode, "try") != 0)
        return kept_basis(head, judging, keep, basis, why);
    Status status = problem_read(judging->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = problem_edition_keep(&problem, keep, &basis->edition, why);
    if (status == STATUS_OK)
        status = basis_of(head, &problem, judging->mode, basis, why);
    problem_free(&problem);
    return status;
}

/* ==== head idle =================================================================================================== */

static const double IDLE_LOOK_S = 1; /* workers show themselves every few seconds */

/* A worker that was killed has left its file. */
static Status look_at_idle(Head *head, const SpoolIdle *idle, Message *why)
{
    pthread_mutex_lock(&head->lock);
    const bool is_gone = idle_workers_see(&head->presences, idle, now_s()) > head->options.lease_s;
    if (is_gone)
        idle_workers_forget(&head->presences, idle->worker);
    pthread_mutex_unlock(&head->lock);
    return is_gone ? spool_forget_idle(head->options.spool, idle->worker, why) : STATUS_OK;
}

static void tell_of_workers(bool are_lacking, int64_t waiting)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)waiting);
    if (are_lacking)
        log_event(LEVEL_WARNING, "no_worker", "waiting", number);
    else
        log_event(LEVEL_INFO, "no_worker_is_over");
}

/* A worker that ends its job shows itself as idle a moment later, and another one may take a while to start: so nobody is
 * missed before a lease has passed. */
static Status look_for_workers(Head *head, Message *why)
{
    int64_t waiting = 0;
    Status status = STATUS_OK;
    if (head->presences.count > 0 || head->watch.count > 0)
        head->manned_s = now_s();
    else if (!head->options.workers_come_later && now_s() - head->manned_s > head->options.lease_s)
        status = judgings_waiting(head->store, &waiting, why);
    if (status != STATUS_OK)
        return status;
    const bool are_lacking = waiting > 0, is_new = are_lacking != head->lacks_workers;
    pthread_mutex_lock(&head->lock);
    head->lacks_workers = are_lacking;
    pthread_mutex_unlock(&head->lock);
    if (is_new)
        tell_of_workers(are_lacking, waiting);
    return STATUS_OK;
}

Status head_look_at_idle(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolIdle *idle;
    size_t count;
    if (now_s() < head->looked_at_idle_s + IDLE_LOOK_S)
        return STATUS_OK;
    head->looked_at_idle_s = now_s();
    Status status = spool_list_idle(head->options.spool, &arena, &idle, &count, why);
    if (status == STATUS_OK) {
        idle_workers_begin(&head->presences); /* only this thread writes to the list */
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = look_at_idle(head, &idle[i], why);
    }
    if (status == STATUS_OK) {
        pthread_mutex_lock(&head->lock);
        idle_workers_end(&head->presences);
        pthread_mutex_unlock(&head->lock);
        status = look_for_workers(head, why);
    }
    arena_free(&arena);
    return status;
}

/* ==== head leases ================================================================================================= */

static Status begin_lease(Head *head, const SpoolClaim *claim, double *limit_s, Message *why)
{
    Arena arena = {0};
    QueuedJob judging;
    Basis basis;
    char id[32];
    Status status = judgings_read(head->store, claim->id.judging, &arena, &judging, why);
    const bool is_stale = status == STATUS_NOT_FOUND ||
                          (status == STATUS_OK && !judging_is_at(&judging, claim->id.attempt));
    if (is_stale) {
        status = spool_is_done(head->options.spool, claim->id) ? STATUS_OK
                                                               : spool_forget(head->options.spool, claim->id, why);
    } else if (status == STATUS_OK) {
        status = judgings_start(head->store, claim->id.judging, claim->id.attempt, claim->worker, why);
        if (status == STATUS_OK && head_basis(head, &judging, &basis, NULL) == STATUS_OK)
            *limit_s = basis.deadlines.head_s;
        snprintf(id, sizeof id, "%lld-%d", (long long)claim->id.judging, claim->id.attempt);
        log_event(LEVEL_INFO, "claimed", "judging", id, "worker", claim->worker);
    }
    arena_free(&arena);
    return status;
}

static Status look_at_claim(Head *head, const SpoolClaim *claim, Message *why)
{
    bool is_new;
    double limit_s = 0;
    pthread_mutex_lock(&head->lock);
    Watched *watched = watch_see(&head->watch, claim, now_s(), &is_new);
    const bool is_overdue = watch_is_overdue(watched, now_s(), head->options.lease_s);
    const bool is_alive = now_s() - watched->changed_s <= head->options.lease_s;
    pthread_mutex_unlock(&head->lock);
    if (is_overdue && !spool_is_done(head->options.spool, claim->id))
        return head_give_up(head, claim->id, claim->worker, "lost",
                            is_alive ? "it took longer than all limits of the problem together"
                                     : "the worker has not shown a sign of life",
                            why);
    if (!is_new)
        return STATUS_OK;
    Status status = begin_lease(head, claim, &limit_s, why);
    pthread_mutex_lock(&head->lock);
    watch_see(&head->watch, claim, now_s(), &is_new)->limit_s = limit_s;
    pthread_mutex_unlock(&head->lock);
    return status;
}

Status head_look_at_claims(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count, gone;
    Status status = spool_list_claims(head->options.spool, &arena, &claims, &count, why);
    if (status == STATUS_OK) {
        watch_begin(&head->watch); /* only this thread writes to the list */
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = look_at_claim(head, &claims[i], why);
        pthread_mutex_lock(&head->lock);
        watch_end(&head->watch, &gone);
        head->changes += gone > 0 || count > 0;
        pthread_mutex_unlock(&head->lock);
    }
    arena_free(&arena);
    return status;
}

/* ==== head offers ================================================================================================= */

enum { OFFERS = 4 }; /* in the spool at a time: the queue's order counts for everything that is not offered yet */

/* A problem may have changed since the hand-in. */
static Status note_basis(Head *head, const QueuedJob *judging, const Basis *basis, Message *why)
{
    Status status = judgings_renew(head->store, judging->id, basis->revision.hex, basis->edition.hex, why);
    if (status == STATUS_OK && judging->batch == LIVE_BATCH && !basis->is_kept && strcmp(judging->mode, "try") != 0)
        status = judgings_count_by(head->store, judging->problem, basis->edition.hex, basis->revision.hex, why);
    return status;
}

static Status offer(Head *head, const QueuedJob *judging, Arena *arena, Message *why)
{
    Basis basis;
    int64_t attempt = 0;
    const char *source;
    Message reason;
    const Status read = head_basis(head, judging, &basis, &reason);
    if (read == STATUS_BUSY) /* somebody changes the problem this moment: the next look offers it */
        return STATUS_OK;
    Status status = submissions_source(head->store, judging->source_hash, arena, &source, why);
    if (status == STATUS_OK && read == STATUS_OK)
        status = note_basis(head, judging, &basis, why);
    if (status == STATUS_OK)
        status = judgings_offer(head->store, judging->id, &attempt, why);
    bool all_cases = false;
    if (status == STATUS_OK && strcmp(judging->mode, "try") != 0)
        status = case_verdicts_are_wanted(head->store, judging->problem, &all_cases, why);
    if (status != STATUS_OK || attempt == 0)
        return status;
    const SpoolId id = {judging->id, (int)attempt};
    if (source == NULL)
        return head_give_up(head, id, "", "worker_failed", "the store has lost the source", why);
    if (read != STATUS_OK)
        return head_give_up(head, id, "", "worker_failed", reason.text, why);
    const SpoolJob job = {.id = id,
                          .mode = judging->mode,
                          .problem = judging->problem,
                          .revision = basis.revision.hex,
                          .source_hash = judging->source_hash,
                          .source = source,
                          .file_name = judging->file_name,
                          .person = judging->person,
                          .sizes = judging->sizes[0] == '\0' ? NULL : judging->sizes,
                          .avoid = judging->worker[0] == '\0' ? NULL : judging->worker,
                          .cases = all_cases ? "all" : NULL,
                          .edition = basis.is_kept ? basis.edition.hex : NULL,
                          .device = "",
                          .priority = judging->position,
                          .time_limit_s = basis.deadlines.worker_s};
    return spool_offer(head->options.spool, &job, why);
}

static size_t count_live(const QueuedJob *judgings, size_t count)
{
    size_t live = 0;
    for (size_t i = 0; i < count; i++)
        live += judgings[i].batch == LIVE_BATCH;
    return live;
}

/* Fresh hand-ins come first in both lists. While one waits, no rejudging is offered, and those that are offered already take
 * no place from it. */
Status head_offer(Head *head, Message *why)
{
    Arena arena = {0};
    QueuedJob *offered = NULL, *queued = NULL;
    size_t offers = 0, count = 0;
    Status status = judgings_in_state(head->store, "offered", OFFERS, &arena, &offered, &offers, why);
    const size_t live = count_live(offered, offers);
    if (status == STATUS_OK && live < OFFERS)
        status = judgings_in_state(head->store, "queued", (int64_t)(OFFERS - live), &arena, &queued, &count, why);
    const size_t fresh = count_live(queued, count);
    if (live + fresh > 0)
        count = fresh;
    else if (count > OFFERS - offers)
        count = OFFERS - offers;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = offer(head, &queued[i], &arena, why);
    arena_free(&arena);
    return status;
}

/* ==== head reconcile ============================================================================================== */

static bool has_id(const SpoolId *ids, size_t count, const QueuedJob *judging)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i].judging == judging->id && ids[i].attempt == judging->attempt)
            return true;
    return false;
}

typedef struct SpoolView { /* every attempt that is somewhere in the spool */
    Arena arena;
    SpoolId *ids;
    size_t count, capacity;
} SpoolView;

static void view_add(SpoolView *view, SpoolId id)
{
    view->ids = arena_grown(&view->arena, view->ids, view->count, &view->capacity, sizeof *view->ids);
    view->ids[view->count++] = id;
}

/* In the order in which files move from folder to folder, so that one that moves meanwhile is seen twice, not missed. */
static Status view_spool(const Head *head, SpoolView *view, Message *why)
{
    SpoolJob *jobs;
    SpoolClaim *claims;
    SpoolId *done;
    size_t count;
    Status status = spool_list_ready(head->options.spool, &view->arena, &jobs, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, jobs[i].id);
    if (status == STATUS_OK)
        status = spool_list_claims(head->options.spool, &view->arena, &claims, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, claims[i].id);
    if (status == STATUS_OK)
        status = spool_list_done(head->options.spool, &view->arena, &done, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, done[i]);
    return status;
}

/* Attempts that the spool does not have. */
static Status mend(Head *head, const SpoolView *view, const char *state, Message *why)
{
    Arena arena = {0};
    QueuedJob *judgings;
    size_t count;
    Status status = judgings_in_state(head->store, state, INT64_MAX, &arena, &judgings, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolId id = {judgings[i].id, (int)judgings[i].attempt};
        if (has_id(view->ids, view->count, &judgings[i]) ||
            missing_jobs_note(&head->absences, id, now_s()) < head->patience_s)
            continue;
        status = strcmp(state, "offered") == 0
                     ? judgings_take_back(head->store, id.judging, id.attempt, why)
                     : head_give_up(head, id, judgings[i].worker, "lost", "its claim is gone from the spool", why);
    }
    arena_free(&arena);
    return status;
}

/* Also takes away what is offered although it was withdrawn or recorded. */
static Status mend_offers(Head *head, const SpoolView *view, Message *why)
{
    Arena arena = {0};
    Status status = STATUS_OK;
    for (size_t i = 0; i < view->count && status == STATUS_OK; i++) {
        QueuedJob judging;
        bool withdrawn;
        status = judgings_read(head->store, view->ids[i].judging, &arena, &judging, why);
        if (status == STATUS_NOT_FOUND || (status == STATUS_OK && !judging_is_at(&judging, view->ids[i].attempt)))
            status = spool_withdraw(head->options.spool, view->ids[i], &withdrawn, why);
    }
    arena_free(&arena);
    return status;
}

/* Copies of problems that nothing is judged by any more: of batches that have ended, of tries. */
static Status prune_editions(const Head *head, Message *why)
{
    Arena arena = {0};
    char keep[SPOOL_EDITIONS_BYTES];
    const char **needed;
    size_t count;
    Status status = batches_editions(head->store, &arena, &needed, &count, why);
    spool_editions_path(head->options.spool, keep);
    if (status == STATUS_OK)
        problem_editions_prune(keep, needed, count);
    arena_free(&arena);
    return status;
}

Status head_reconcile(Head *head, Message *why)
{
    SpoolView view = {0};
    missing_jobs_begin(&head->absences);
    Status status = view_spool(head, &view, why);
    if (status == STATUS_OK)
        status = mend(head, &view, "offered", why);
    if (status == STATUS_OK)
        status = mend(head, &view, "running", why);
    if (status == STATUS_OK)
        status = mend_offers(head, &view, why);
    if (status == STATUS_OK)
        missing_jobs_end(&head->absences);
    if (status == STATUS_OK)
        status = prune_editions(head, why);
    arena_free(&view.arena);
    return status;
}

/* ==== head results ================================================================================================ */

/* Verdict, sentence and device of a result.json. */
static Status read_result(const SpoolDone *done, Arena *arena, Recording *recording, Message *why)
{
    JsonFile file;
    Status status = json_parse("result.json", done->result, strlen(done->result), &file, why);
    if (status != STATUS_OK)
        return status;
    const cJSON *seconds = json_get(file.root, "seconds"), *step;
    const char *verdict = json_string(file.root, "verdict"), *text = json_string(file.root, "text");
    recording->verdict = arena_string(arena, verdict == NULL ? "" : verdict);
    recording->text = arena_string(arena, text == NULL ? "" : text);
    cJSON_ArrayForEach(step, seconds) if (cJSON_IsNumber(step)) recording->device_s += step->valuedouble;
    json_free(&file);
    return verdict == NULL ? fail(STATUS_BAD_INPUT, why, "result.json: there is no verdict") : STATUS_OK;
}

/* What the server knows better than a worker: who handed it in, when, under which name, and how other machines time. */
static Status complete_run(Head *head, const QueuedJob *judging, const SpoolDone *done, Arena *arena, Run *run,
                           Message *why)
{
    StoredSubmission row;
    Status status = submissions_read(head->store, judging->submission, arena, &row, why);
    if (status != STATUS_OK)
        return status;
    *run = *done->run;
    run->person = row.person;
    run->time_utc = row.received_utc;
    run->file_name = row.file_name;
    run->source_hash = row.source_hash;
    status = host_times_review(head->store, run, arena, &run->rank_status, why);
    if (status != STATUS_OK)
        return status;
    return submissions_source(head->store, row.source_hash, arena, &run->source, why);
}

static Status record(Head *head, const QueuedJob *judging, const SpoolDone *done, Arena *arena, Message *why)
{
    Run run;
    RecordingOutcome outcome;
    char id[32];
    Recording recording = {.judging = judging->id,
                           .attempt = done->id.attempt,
                           .device = done->device,
                           .result = done->result,
                           .explain = done->explain,
                           .report = done->report,
                           .case_verdicts = done->case_verdicts};
    Status status = read_result(done, arena, &recording, why);
    if (status == STATUS_OK && done->run != NULL && strcmp(judging->mode, "rank") == 0) {
        status = complete_run(head, judging, done, arena, &run, why);
        recording.run = &run;
    }
    if (status == STATUS_OK)
        status = judgings_record(head->store, &recording, &outcome, why);
    if (status != STATUS_OK)
        return status;
    snprintf(id, sizeof id, "%lld-%d", (long long)done->id.judging, done->id.attempt);
    log_event(LEVEL_INFO, outcome == TOO_LATE ? "late_result" : "recorded", "judging", id, "worker", done->worker,
              "verdict", recording.verdict);
    return STATUS_OK;
}

/* A result must be of this very source and revision. */
static const char *mismatch(const QueuedJob *judging, const SpoolDone *done)
{
    if (strcmp(done->source_hash, judging->source_hash) != 0)
        return "the result is of another source";
    if (strcmp(done->revision, judging->revision) != 0)
        return "the problem has another revision where the worker is";
    return NULL;
}

static Status take_done(Head *head, SpoolId id, Arena *arena, Message *why)
{
    SpoolDone done;
    QueuedJob judging;
    Message damage;
    Status read = spool_read_done(head->options.spool, id, arena, &done, &damage);
    if (read == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (read == STATUS_BAD_INPUT)
        return head_give_up(head, id, "", "worker_failed", damage.text, why);
    if (read != STATUS_OK) {
        *why = damage;
        return read;
    }
    Status status = judgings_read(head->store, id.judging, arena, &judging, why);
    if (status == STATUS_NOT_FOUND)
        return spool_forget(head->options.spool, id, why); /* of another store */
    if (status != STATUS_OK)
        return status;
    status = judgings_start(head->store, id.judging, id.attempt, done.worker, why);
    if (status != STATUS_OK)
        return status;
    if (strcmp(done.outcome, "judged") != 0)
        return head_give_up(head, id, done.worker, done.outcome, done.why, why);
    if (mismatch(&judging, &done) != NULL)
        return head_give_up(head, id, done.worker, "worker_failed", mismatch(&judging, &done), why);
    status = record(head, &judging, &done, arena, why);
    if (status == STATUS_BAD_INPUT)
        return head_give_up(head, id, done.worker, "worker_failed", why->text, why);
    head_note_change(head);
    return status == STATUS_OK ? spool_forget(head->options.spool, id, why) : status;
}

Status head_take_results(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolId *ids;
    size_t count;
    Status status = spool_list_done(head->options.spool, &arena, &ids, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Arena one = {0};
        status = take_done(head, ids[i], &one, why);
        arena_free(&one);
    }
    arena_free(&arena);
    return status;
}

/* ==== head ======================================================================================================== */

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

/* What another host has written shows within the lease: operators mount the spool so (docs/guides/operate.md). */
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
    missing_jobs_free(&head->absences);
    idle_workers_free(&head->presences);
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
    const IdleWorkers *presences = &head->presences;
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
