#include "service/store/queue.h"

#include "base/clock.h"
#include "base/hash.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/problem_edition.h"
#include "service/store/batches.h"
#include "service/store/config.h"
#include "service/store/judgings.h"
#include "service/store/log.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double LOOK_S = 0.2; /* others change the store, too */
static const double OTHERS_S = 3; /* so long others have for a job that failed at a worker */
static const double PRUNE_S = 5, FORGET_S = 3600, READER_S = 1, SILENT_S = 600;
enum { LEFT_TO_OTHERS = 16, MORE_JOBS = 8 };
enum { PERSON_UNKNOWN = -1 };

/* A worker that was heard of lately. It waits for a job, or has one, or it will ask again in a moment. */
typedef struct QueueWorker {
    char name[WORKER_NAME_BYTES + 1];
    char device[64], device_name[256];
    int64_t person; /* PERSON_UNKNOWN: since the server has started, it has not been heard of */
    double seen_s;

    EventStream *stream; /* of its open request; NULL: there is none */
    double until_s, most_s;
    bool is_held; /* it gets no work */

    WorkId job;        /* judging 0: none */
    bool is_confirmed; /* it knows that it has the job */
    double began_s, limit_s;
    char step[64]; /* of the job */
    int done, total;
} QueueWorker;

typedef struct LeftToOthers { /* for a while, since it failed at this worker */
    int64_t judging;
    char worker[WORKER_NAME_BYTES + 1];
    double until_s;
} LeftToOthers;

struct Queue {
    QueueOptions options;
    Store *store;
    char editions[SERVICE_PATH_BYTES];
    QueueWorker *workers;
    size_t count, capacity;
    LeftToOthers left[LEFT_TO_OTHERS];
    size_t left_count; /* ever; the oldest entries are overwritten */
    uint64_t changes;
    bool is_woken, lacks_workers;
    double manned_s; /* when somebody was last there */
    double looked_s, read_s, pruned_s, forgot_s;
    char silent[WORKER_NAME_BYTES + 1]; /* a worker that fell silent in a job */
    double silent_s;
    Message trouble;
};

/* ==== workers ===================================================================================================== */

static QueueWorker *find_worker(Queue *queue, const char *name)
{
    for (size_t i = 0; i < queue->count; i++)
        if (strcmp(queue->workers[i].name, name) == 0)
            return &queue->workers[i];
    return NULL;
}

/* Moves others: pointers to workers end. */
static QueueWorker *add_worker(Queue *queue, const char *name)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? 16 : 2 * queue->capacity;
        queue->workers = allocated(realloc(queue->workers, queue->capacity * sizeof *queue->workers));
    }
    QueueWorker *worker = &queue->workers[queue->count++];
    *worker = (QueueWorker){.person = PERSON_UNKNOWN, .seen_s = now_s()};
    snprintf(worker->name, sizeof worker->name, "%s", name);
    return worker;
}

/* The last one takes its place. */
static void remove_worker(Queue *queue, QueueWorker *worker)
{
    *worker = queue->workers[--queue->count];
}

static bool has_job(const QueueWorker *worker, WorkId id)
{
    return worker->job.judging == id.judging && worker->job.attempt == id.attempt;
}

/* The worker that has the attempt; NULL: no worker has it, or another one, or another person's worker of this name. */
static QueueWorker *find_holder(Queue *queue, int64_t person, const char *name, WorkId id)
{
    QueueWorker *worker = find_worker(queue, name);
    if (worker == NULL || id.judging <= 0 || !has_job(worker, id))
        return NULL;
    return worker->person == person || worker->person == PERSON_UNKNOWN ? worker : NULL;
}

static void answer(QueueWorker *worker, cJSON *object)
{
    Text text = {0};
    json_print(object, &text);
    cJSON_Delete(object);
    if (http_events_finish(worker->stream, text.data))
        worker->seen_s = now_s();
    worker->stream = NULL;
    text_free(&text);
}

static void answer_reason(QueueWorker *worker, const char *reason)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "reason", reason);
    answer(worker, object);
}

/* ==== news ======================================================================================================== */

static void tell(const Queue *queue, const QueuedJob *judging, const char *event, const char *what)
{
    const QueueNews news = {event, judging->submission, judging->person, judging->problem, judging->mode, what};
    if (queue->options.tell != NULL && judging->batch == LIVE_BATCH)
        queue->options.tell(queue->options.context, &news);
}

static void tell_held(const Queue *queue, int64_t id, const char *why)
{
    Arena arena = {0};
    QueuedJob judging;
    if (judgings_read(queue->store, id, &arena, &judging, NULL) == STATUS_OK)
        tell(queue, &judging, "held", why);
    arena_free(&arena);
}

/* ==== attempts ==================================================================================================== */

static const char *name_attempt(WorkId id, char name[40])
{
    snprintf(name, 40, "%lld-%d", (long long)id.judging, id.attempt);
    return name;
}

static Status drain_if_due(Queue *queue, const char *worker, Message *why)
{
    bool fails = false;
    Status status = worker[0] == '\0' ? STATUS_OK : worker_fails(queue->store, worker, &fails, why);
    if (status != STATUS_OK || !fails)
        return status;
    log_event(LEVEL_WARNING, "worker_drained", "worker", worker);
    return worker_drain(queue->store, worker, "failed at two different submissions in a row", why);
}

static void leave_to_others(Queue *queue, int64_t judging, const char *worker)
{
    LeftToOthers *left = &queue->left[queue->left_count++ % LEFT_TO_OTHERS];
    left->judging = judging;
    left->until_s = now_s() + OTHERS_S;
    snprintf(left->worker, sizeof left->worker, "%s", worker);
}

static bool is_left_to_others(const Queue *queue, int64_t judging, const char *worker)
{
    for (size_t i = 0; i < LEFT_TO_OTHERS; i++)
        if (queue->left[i].judging == judging && strcmp(queue->left[i].worker, worker) == 0 &&
            now_s() < queue->left[i].until_s)
            return true;
    return false;
}

/* An attempt has failed, by the judge and not by the submission; or it is given back. `name` "": no worker had it. */
static Status give_up(Queue *queue, WorkId id, const char *name, const char *outcome, const char *reason, Message *why)
{
    char attempt[40], kept[WORKER_NAME_BYTES + 1];
    bool held = false;
    snprintf(kept, sizeof kept, "%s", name); /* which may be that of a worker that is removed */
    TRY(judgings_fail(queue->store, id.judging, id.attempt, outcome, reason, &held, why));
    log_event(held ? LEVEL_ERROR : LEVEL_WARNING, "attempt_failed", "judging", name_attempt(id, attempt), "worker",
              kept, "outcome", outcome, "held", held ? "yes" : "no", "why", reason);
    if (held)
        tell_held(queue, id.judging, reason);
    QueueWorker *worker = find_worker(queue, kept);
    if (worker != NULL && has_job(worker, id))
        worker->job = (WorkId){0};
    leave_to_others(queue, id.judging, kept);
    queue_wake(queue);
    return drain_if_due(queue, kept, why);
}

/* ---- what a judging is judged by --------------------------------------------------------------------------------- */

/* While a rejudging of the problem is open, what is handed in counts by the edition that counted before, of which the server keeps the
 * files. Everything else is judged by the problem as it lies here now. */
typedef struct Basis {
    Deadlines deadlines;
    Digest revision, edition;
    bool is_kept; /* that is an edition that is kept, no longer the problem as it lies here */
} Basis;

static Status basis_of(const Queue *queue, const Problem *problem, const char *mode, Basis *basis, Message *why)
{
    basis->revision = problem->revision;
    return deadlines_of(problem, judging_mode_named(mode), queue->options.lease_s, &basis->deadlines, why);
}

/* The copy may be damaged, since it was never synced to the disk. */
static Status kept_basis(const Queue *queue, const QueuedJob *judging, Basis *basis, Message *why)
{
    char folder[SERVICE_PATH_BYTES + sizeof(Digest)];
    Problem problem;
    if (!problem_edition_find(queue->editions, judging->edition_before, folder, sizeof folder))
        return fail(STATUS_SYSTEM, why, "%s: the server lacks the files by which this problem counts, edition %.16s",
                    judging->problem, judging->edition_before);
    TRY(problem_read_in(folder, judging->problem, &problem, why));
    basis->is_kept = true;
    Status status = problem_edition(&problem, &basis->edition, why);
    if (status == STATUS_OK && strcmp(basis->edition.hex, judging->edition_before) != 0)
        status = fail(STATUS_SYSTEM, why, "%s: these files are no longer those of the edition", folder);
    THEN(status, basis_of(queue, &problem, judging->mode, basis, why));
    problem_free(&problem);
    return status;
}

static Status find_basis(const Queue *queue, const QueuedJob *judging, Basis *basis, Message *why)
{
    Problem problem;
    *basis = (Basis){.is_kept = false};
    if (judging->edition_before[0] != '\0' && strcmp(judging->mode, "try") != 0)
        return kept_basis(queue, judging, basis, why);
    TRY(problem_read(judging->problem, &problem, why));
    Status status = problem_edition_keep(&problem, queue->editions, &basis->edition, why);
    THEN(status, basis_of(queue, &problem, judging->mode, basis, why));
    problem_free(&problem);
    return status;
}

/* ==== offers ====================================================================================================== */

/* A problem may have changed since the hand-in. */
static Status note_basis(Queue *queue, const QueuedJob *judging, const Basis *basis, Message *why)
{
    TRY(judgings_renew(queue->store, judging->id, basis->revision.hex, basis->edition.hex, why));
    if (judging->batch == LIVE_BATCH && !basis->is_kept && strcmp(judging->mode, "try") != 0)
        TRY(judgings_count_by(queue->store, judging->problem, basis->edition.hex, basis->revision.hex, why));
    return STATUS_OK;
}

/* The first of those who wait that may have it; NULL: there is none. */
static QueueWorker *choose_worker(Queue *queue, const QueuedJob *judging, double limit_s)
{
    for (size_t i = 0; i < queue->count; i++) {
        QueueWorker *worker = &queue->workers[i];
        if (worker->stream == NULL || worker->is_held || is_left_to_others(queue, judging->id, worker->name) ||
            !http_events_have_reader(worker->stream))
            continue;
        if (worker->most_s <= 0 || limit_s <= worker->most_s)
            return worker;
        answer_reason(worker, "too long");
    }
    return NULL;
}

/* The store says first who has it. Where the answer does not arrive, the lease ends. */
static void hand_over(Queue *queue, QueueWorker *worker, const WorkJob *job, double limit_s)
{
    char attempt[40];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "job", work_job_json(job));
    answer(worker, object);
    worker->job = job->id;
    worker->is_confirmed = false;
    worker->began_s = worker->seen_s = now_s();
    worker->limit_s = limit_s;
    worker->step[0] = '\0';
    worker->done = worker->total = 0;
    log_event(LEVEL_INFO, "claimed", "judging", name_attempt(job->id, attempt), "worker", worker->name);
    queue->changes++;
}

/* A judging that cannot be offered to any worker is a failure of the judge. */
static Status refuse(Queue *queue, const QueuedJob *judging, const char *reason, Message *why)
{
    int64_t attempt = 0;
    Status status = judgings_offer(queue->store, judging->id, NULL, &attempt, why);
    return status == STATUS_OK && attempt > 0
               ? give_up(queue, (WorkId){judging->id, (int)attempt}, "", "worker_failed", reason, why)
               : status;
}

static Status offer(Queue *queue, const QueuedJob *judging, Arena *arena, Message *why)
{
    Basis basis;
    int64_t attempt = 0;
    const char *source;
    bool all_cases = false;
    Message reason;
    const Status read = find_basis(queue, judging, &basis, &reason);
    if (read == STATUS_BUSY) /* somebody changes the problem this moment: the next look offers it */
        return STATUS_OK;
    TRY(submissions_source(queue->store, judging->source_hash, arena, &source, why));
    if (read != STATUS_OK || source == NULL)
        return refuse(queue, judging, source == NULL ? "the store has lost the source" : reason.text, why);
    QueueWorker *worker = choose_worker(queue, judging, basis.deadlines.worker_s);
    if (worker == NULL)
        return STATUS_OK;
    Status status = note_basis(queue, judging, &basis, why);
    if (status == STATUS_OK && strcmp(judging->mode, "try") != 0)
        status = case_verdicts_are_wanted(queue->store, judging->problem, &all_cases, why);
    THEN(status, judgings_offer(queue->store, judging->id, worker->name, &attempt, why));
    if (status != STATUS_OK || attempt == 0)
        return status;
    const WorkJob job = {.id = {judging->id, (int)attempt},
                         .mode = judging->mode,
                         .problem = judging->problem,
                         .revision = basis.revision.hex,
                         .source_hash = judging->source_hash,
                         .source = source,
                         .file_name = judging->file_name,
                         .person = judging->person,
                         .sizes = judging->sizes[0] == '\0' ? NULL : judging->sizes,
                         .cases = all_cases ? "all" : NULL,
                         .edition = basis.is_kept ? basis.edition.hex : NULL,
                         .time_limit_s = basis.deadlines.worker_s};
    hand_over(queue, worker, &job, basis.deadlines.server_s);
    return STATUS_OK;
}

static size_t count_waiting(const Queue *queue)
{
    size_t waiting = 0;
    for (size_t i = 0; i < queue->count; i++)
        waiting += queue->workers[i].stream != NULL && !queue->workers[i].is_held;
    return waiting;
}

static Status note_held(Queue *queue, Arena *arena, Message *why)
{
    Drained *drained;
    size_t count;
    Status status = workers_drained(queue->store, arena, &drained, &count, why);
    for (size_t i = 0; i < queue->count && status == STATUS_OK; i++) {
        QueueWorker *worker = &queue->workers[i];
        worker->is_held = false;
        for (size_t k = 0; k < count; k++)
            worker->is_held = worker->is_held || strcmp(drained[k].worker, worker->name) == 0 ||
                              strcmp(drained[k].worker, ALL_WORKERS) == 0;
    }
    return status;
}

/* Fresh hand-ins come first in the list. */
static Status offer_jobs(Queue *queue, Message *why)
{
    Arena arena = {0};
    QueuedJob *queued = NULL;
    size_t count = 0;
    Status status = note_held(queue, &arena, why);
    const size_t waiting = count_waiting(queue);
    if (status == STATUS_OK && waiting > 0)
        status = judgings_in_state(queue->store, "queued", (int64_t)waiting + MORE_JOBS, &arena, &queued, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK && count_waiting(queue) > 0; i++)
        status = offer(queue, &queued[i], &arena, why);
    arena_free(&arena);
    return status;
}

/* ==== results ===================================================================================================== */

/* A text of JSON that a worker sends, which pages read again. */
static Status read_text(const char *name, const char *text, JsonFile *file, Message *why)
{
    return json_parse(name, text, strlen(text), file, why);
}

static Status check_text(const char *name, const char *text, Message *why)
{
    JsonFile file;
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    TRY(read_text(name, text, &file, why));
    json_free(&file);
    return STATUS_OK;
}

static Status expect(const JsonFile *file, const char *key, const char *expected, Message *why)
{
    const char *found = json_string(file->root, key);
    if (found != NULL && strcmp(found, expected) == 0)
        return STATUS_OK;
    return json_fail(file, json_get(file->root, key), why, "\"%s\": expected %.80s, found %.80s", key, expected,
                     found == NULL ? "none" : found);
}

/* Verdict, sentence and device of a result.json. */
static Status take_result(const JsonFile *file, const QueuedJob *judging, const WorkResult *result, Arena *arena,
                          Recording *recording, Message *why)
{
    const char *verdict = json_string(file->root, "verdict"), *text = json_string(file->root, "text");
    const cJSON *seconds = json_get(file->root, "seconds"), *step;
    Verdict known;
    if (verdict == NULL || !verdict_parse(verdict, &known) || strcmp(verdict_name(known), verdict) != 0)
        return json_fail(file, json_get(file->root, "verdict"), why, "expected a verdict, found %.40s",
                         verdict == NULL ? "none" : verdict);
    Status status = expect(file, "problem", judging->problem, why);
    THEN(status, expect(file, "revision", judging->revision, why));
    THEN(status, expect(file, "source_hash", judging->source_hash, why));
    THEN(status, expect(file, "device", result->device, why));
    recording->verdict = arena_string(arena, verdict);
    recording->text = arena_string(arena, text == NULL ? "" : text);
    cJSON_ArrayForEach(step, seconds) if (cJSON_IsNumber(step) && step->valuedouble > 0)
        recording->device_s += step->valuedouble;
    if (status == STATUS_OK && !isfinite(recording->device_s))
        status = json_fail(file, seconds, why, "expected seconds");
    return status;
}

static Status check_run(const QueuedJob *judging, const WorkResult *result, const char *verdict, Message *why)
{
    const Run *run = result->run;
    if (run == NULL)
        return STATUS_OK;
    if (strcmp(run->board.problem, judging->problem) != 0 || strcmp(run->board.revision, judging->revision) != 0 ||
        strcmp(run->board.device, result->device) != 0 || strcmp(run->verdict, verdict) != 0)
        return fail(STATUS_BAD_INPUT, why,
                    "the run is of another problem, revision, device or verdict than the result");
    if (!(run->time.ms >= 0) || !(run->time.uncertainty >= 0))
        return fail(STATUS_BAD_INPUT, why, "the run has a time or an uncertainty below 0");
    if (!time_model_is_valid(run->time.model))
        return fail(STATUS_BAD_INPUT, why, "the run's model_terms are no list such as \"lsu 0.293, textures 0.322\"");
    cJSON *cases = run->cases == NULL ? NULL : cJSON_ParseWithOpts(run->cases, NULL, true);
    const bool is_list = run->cases == NULL || cJSON_IsArray(cases);
    cJSON_Delete(cases);
    return is_list ? check_text("the run's sitting", run->sitting, why)
                   : fail(STATUS_BAD_INPUT, why, "the run's cases are no list");
}

/* Everything that is written is looked at first. */
static Status check_result(const QueuedJob *judging, const WorkResult *result, Arena *arena, Recording *recording,
                           Message *why)
{
    JsonFile file;
    if (strcmp(result->source_hash, judging->source_hash) != 0)
        return fail(STATUS_BAD_INPUT, why, "the result is of another source");
    if (strcmp(result->revision, judging->revision) != 0)
        return fail(STATUS_BAD_INPUT, why, "the problem has another revision where the worker is");
    TRY(read_text("result.json", result->result, &file, why));
    Status status = take_result(&file, judging, result, arena, recording, why);
    json_free(&file);
    THEN(status, check_run(judging, result, recording->verdict, why));
    THEN(status, check_text("explain.json", result->explain, why));
    return status == STATUS_OK ? check_text("the verdicts of all cases", result->case_verdicts, why) : status;
}

/* Fills in what the server knows better than a worker: author, time of receipt, file name, and how other machines time. */
static Status complete_run(Queue *queue, const QueuedJob *judging, const WorkResult *result, Arena *arena, Run *run,
                           Message *why)
{
    StoredSubmission row;
    TRY(submissions_read(queue->store, judging->submission, arena, &row, why));
    *run = *result->run;
    run->person = row.person;
    run->time_utc = row.received_utc;
    run->file_name = row.file_name;
    run->source_hash = row.source_hash;
    TRY(host_times_review(queue->store, run, arena, &run->rank_status, why));
    return submissions_source(queue->store, row.source_hash, arena, &run->source, why);
}

static Status record(Queue *queue, const WorkResult *result, Arena *arena, const char **outcome, Message *why)
{
    QueuedJob judging;
    Run run;
    RecordingOutcome recorded;
    char attempt[40];
    Recording recording = {.judging = result->id.judging,
                           .attempt = result->id.attempt,
                           .device = result->device,
                           .result = result->result,
                           .explain = result->explain,
                           .report = result->report,
                           .case_verdicts = result->case_verdicts};
    Status status = judgings_read(queue->store, result->id.judging, arena, &judging, why);
    THEN(status, check_result(&judging, result, arena, &recording, why));
    if (status == STATUS_OK && result->run != NULL && strcmp(judging.mode, "rank") == 0) {
        status = complete_run(queue, &judging, result, arena, &run, why);
        recording.run = &run;
    }
    THEN(status, judgings_record(queue->store, &recording, &recorded, why));
    if (status != STATUS_OK)
        return status;
    *outcome = recorded == TOO_LATE ? "late" : "recorded";
    log_event(LEVEL_INFO, recorded == TOO_LATE ? "late_result" : "recorded", "judging",
              name_attempt(result->id, attempt), "worker", result->worker, "verdict", recording.verdict);
    if (recorded == RECORDED) /* a worker that got no answer reports again */
        tell(queue, &judging, "judged", recording.verdict);
    if (recorded == RECORDED && recording.run != NULL && strcmp(run.rank_status, "ranked") == 0)
        tell(queue, &judging, "board", recording.verdict);
    return STATUS_OK;
}

/* One line, not longer than a person wants to read. */
static const char *line_of(const char *why, Arena *arena)
{
    enum { MOST_WORDS = 500 };
    char *line = arena_copy(arena, why, strlen(why) < MOST_WORDS ? strlen(why) : MOST_WORDS);
    for (char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
    return line;
}

/* Takes the end of an attempt that still counts. */
static Status take_end(Queue *queue, const WorkResult *result, Arena *arena, const char **outcome, Message *why)
{
    Message trouble;
    if (strcmp(result->outcome, "judged") != 0) {
        *outcome = "noted";
        return give_up(queue, result->id, result->worker, result->outcome, line_of(result->why, arena), why);
    }
    Status status = record(queue, result, arena, outcome, why);
    if (status == STATUS_BAD_INPUT &&
        give_up(queue, result->id, result->worker, "worker_failed", why->text, &trouble) != STATUS_OK)
        return fail(STATUS_SYSTEM, why, "%s", trouble.text);
    QueueWorker *worker = find_worker(queue, result->worker);
    if (status == STATUS_OK && worker != NULL && has_job(worker, result->id))
        worker->job = (WorkId){0};
    queue->changes += status == STATUS_OK;
    return status;
}

/* One of an attempt that does not count any more, or that has been recorded. */
static Status take_late(Queue *queue, const WorkResult *result, Arena *arena, const char **outcome, Message *why)
{
    bool given = false;
    Status status = judgings_was_given(queue->store, result->id.judging, result->id.attempt, result->worker, &given,
                                       why);
    if (status == STATUS_OK && !given)
        return fail(STATUS_NOT_FOUND, why, "attempt %lld-%d was not given to %s", (long long)result->id.judging,
                    result->id.attempt, result->worker);
    *outcome = "noted";
    return status == STATUS_OK && strcmp(result->outcome, "judged") == 0 ? record(queue, result, arena, outcome, why)
                                                                         : status;
}

/* A message that is none can still say which attempt it is of. */
static void give_up_sender(Queue *queue, int64_t person, const JsonFile *file, const char *reason)
{
    int64_t judging = 0, attempt = 0;
    Message why;
    const char *name = json_string(file->root, "worker");
    if (name == NULL || json_integer(file, file->root, "judging", 1, INT64_C(1) << 53, &judging, NULL) != STATUS_OK ||
        json_integer(file, file->root, "attempt", 1, INT32_MAX, &attempt, NULL) != STATUS_OK)
        return;
    const WorkId id = {judging, (int)attempt};
    if (find_holder(queue, person, name, id) != NULL &&
        give_up(queue, id, name, "worker_failed", reason, &why) != STATUS_OK)
        log_event(LEVEL_ERROR, "trouble", "why", why.text);
}

Status queue_finish(Queue *queue, int64_t person, const JsonFile *file, const char **outcome, Message *why)
{
    Arena arena = {0};
    WorkResult result;
    Status status = work_read_result(file, &arena, &result, why);
    if (status != STATUS_OK) {
        give_up_sender(queue, person, file, why->text);
    } else {
        QueueWorker *holder = find_holder(queue, person, result.worker, result.id);
        const QueueWorker *named = find_worker(queue, result.worker);
        if (holder != NULL)
            holder->seen_s = now_s();
        if (holder == NULL && named != NULL && named->person != person && named->person != PERSON_UNKNOWN)
            status = fail(STATUS_NOT_FOUND, why, "the worker %s belongs to another account", result.worker);
        else
            status = holder == NULL ? take_late(queue, &result, &arena, outcome, why)
                                    : take_end(queue, &result, &arena, outcome, why);
    }
    arena_free(&arena);
    return status;
}

/* ==== requests ==================================================================================================== */

/* A worker that asks for work has lost the job that it had. It is not the worker's failure if a killed server took the worker with
 * it. */
static Status end_former_life(Queue *queue, const QueueWorker *worker, Message *why)
{
    if (worker->job.judging == 0)
        return STATUS_OK;
    const bool is_blameless = !worker->is_confirmed || worker->person == PERSON_UNKNOWN;
    return give_up(queue, worker->job, worker->name, is_blameless ? "given_back" : "worker_failed",
                   is_blameless ? "the worker does not have it" : "the worker was restarted", why);
}

Status queue_claim(Queue *queue, int64_t person, const WorkClaim *claim, EventStream **stream, Message *why)
{
    QueueWorker *worker = find_worker(queue, claim->worker);
    if (worker == NULL)
        worker = add_worker(queue, claim->worker);
    else if (worker->person != person && worker->person != PERSON_UNKNOWN)
        return fail(STATUS_BUSY, why, "another worker is called %s, expected another name", claim->worker);
    TRY(end_former_life(queue, worker, why));
    if (worker->stream != NULL)
        answer_reason(worker, "");
    snprintf(worker->device, sizeof worker->device, "%s", claim->device);
    snprintf(worker->device_name, sizeof worker->device_name, "%s", claim->device_name);
    if (strcmp(queue->silent, worker->name) == 0)
        queue->silent[0] = '\0';
    worker->person = person;
    worker->seen_s = now_s();
    worker->until_s = now_s() + claim->wait_s;
    worker->most_s = claim->most_s;
    *stream = worker->stream = http_events_open();
    queue->is_woken = true;
    return STATUS_OK;
}

Status queue_note_alive(Queue *queue, int64_t person, const WorkProgress *progress, bool *goes_on, Message *why)
{
    QueueWorker *worker = find_holder(queue, person, progress->worker, progress->id);
    *goes_on = worker != NULL;
    if (worker == NULL)
        return STATUS_OK;
    TRY(worker->is_confirmed ? STATUS_OK
                             : judgings_start(queue->store, progress->id.judging, progress->id.attempt, why));
    const bool is_new = !worker->is_confirmed || strcmp(worker->step, progress->step) != 0 ||
                        worker->done != progress->done;
    worker->is_confirmed = true;
    worker->person = person;
    worker->seen_s = now_s();
    worker->done = progress->done;
    worker->total = progress->total;
    snprintf(worker->step, sizeof worker->step, "%s", progress->step);
    queue->changes += is_new;
    return STATUS_OK;
}

Status queue_edition(const Queue *queue, const char *edition, cJSON **files, Message *why)
{
    char folder[SERVICE_PATH_BYTES + sizeof(Digest)];
    const bool is_name = strlen(edition) == sizeof(Digest) - 1 &&
                         strspn(edition, "0123456789abcdef") == sizeof(Digest) - 1;
    if (!is_name || !problem_edition_find(queue->editions, edition, folder, sizeof folder))
        return fail(STATUS_NOT_FOUND, why, "there is no such edition");
    return problem_edition_pack(folder, files, why);
}

/* ==== course ====================================================================================================== */

/* ---- leases ------------------------------------------------------------------------------------------------------ */

static bool is_overdue(const Queue *queue, const QueueWorker *worker)
{
    return now_s() - worker->seen_s > queue->options.lease_s ||
           (worker->limit_s > 0 && now_s() - worker->began_s > worker->limit_s);
}

static Status end_lease(Queue *queue, const QueueWorker *worker, Message *why)
{
    const bool is_silent = now_s() - worker->seen_s > queue->options.lease_s;
    if (is_silent) {
        snprintf(queue->silent, sizeof queue->silent, "%s", worker->name);
        queue->silent_s = now_s();
    }
    if (!worker->is_confirmed)
        return give_up(queue, worker->job, worker->name, "given_back", "the worker did not begin it", why);
    return give_up(queue, worker->job, worker->name, "lost",
                   is_silent ? "the worker has not shown a sign of life"
                             : "it took longer than all limits of the problem together",
                   why);
}

/* Those whose connection is gone do not wait any more. */
static void look_at_readers(Queue *queue)
{
    if (now_s() < queue->read_s + READER_S)
        return;
    queue->read_s = now_s();
    for (size_t i = queue->count; i-- > 0;) {
        QueueWorker *worker = &queue->workers[i];
        if (worker->stream == NULL || http_events_have_reader(worker->stream))
            continue;
        http_events_close(worker->stream);
        remove_worker(queue, worker);
    }
}

static Status end_leases(Queue *queue, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = queue->count; i-- > 0 && status == STATUS_OK;) {
        QueueWorker *worker = &queue->workers[i];
        const bool has_a_job = worker->job.judging != 0;
        if (worker->stream != NULL && now_s() >= worker->until_s)
            answer_reason(worker, worker->is_held ? "held" : "");
        if (worker->stream != NULL || !is_overdue(queue, worker))
            continue;
        if (has_a_job)
            status = end_lease(queue, worker, why);
        if (status == STATUS_OK)
            remove_worker(queue, worker);
    }
    return status;
}

/* ---- whether somebody is there ----------------------------------------------------------------------------------- */

static void tell_of_workers(bool are_lacking, int64_t waiting)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)waiting);
    if (are_lacking)
        log_event(LEVEL_WARNING, "no_worker", "waiting", number);
    else
        log_event(LEVEL_INFO, "no_worker_is_over");
}

/* Workers take a while to start, so a lack of workers is reported only after the length of a lease. */
static Status look_for_workers(Queue *queue, Message *why)
{
    int64_t waiting = 0;
    Status status = STATUS_OK;
    if (queue->count > 0)
        queue->manned_s = now_s();
    else if (!queue->options.workers_come_later && now_s() - queue->manned_s > queue->options.lease_s)
        status = judgings_waiting(queue->store, &waiting, why);
    if (status != STATUS_OK)
        return status;
    if ((waiting > 0) != queue->lacks_workers)
        tell_of_workers(waiting > 0, waiting);
    queue->lacks_workers = waiting > 0;
    return STATUS_OK;
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

/* Copies of problems that nothing is judged by any more: of batches that have ended, of tries. */
static Status prune_editions(const Queue *queue, Message *why)
{
    Arena arena = {0};
    const char **needed;
    size_t count;
    Status status = batches_editions(queue->store, &arena, &needed, &count, why);
    if (status == STATUS_OK)
        problem_editions_prune(queue->editions, needed, count);
    arena_free(&arena);
    return status;
}

static Status tidy(Queue *queue, Message *why)
{
    Status status = STATUS_OK;
    if (now_s() > queue->pruned_s + PRUNE_S) {
        status = prune_editions(queue, why);
        queue->pruned_s = now_s();
    }
    if (status == STATUS_OK && now_s() > queue->forgot_s + FORGET_S) {
        status = submissions_forget_tries(queue->store, (int64_t)time(NULL) - DAY_S, why);
        queue->forgot_s = now_s();
    }
    return status;
}

/* ---- one look ---------------------------------------------------------------------------------------------------- */

static Status look(Queue *queue, Message *why)
{
    look_at_readers(queue);
    TRY(offer_jobs(queue, why));
    TRY(end_leases(queue, why));
    TRY(look_for_workers(queue, why));
    return tidy(queue, why);
}

/* Trouble, a full disk for example, is told once and tried again. */
static void note_look(Queue *queue, Status status, const Message *why)
{
    const bool is_new = status != STATUS_OK && strcmp(why->text, queue->trouble.text) != 0;
    const bool is_over = status == STATUS_OK && queue->trouble.text[0] != '\0';
    if (is_new)
        log_event(LEVEL_ERROR, "trouble", "why", why->text);
    if (is_over)
        log_event(LEVEL_INFO, "trouble_is_over");
    if (status == STATUS_OK)
        queue->trouble.text[0] = '\0';
    else
        queue->trouble = *why;
}

void queue_tick(Queue *queue)
{
    Message why = {0};
    if (!queue->is_woken && now_s() < queue->looked_s + LOOK_S)
        return;
    queue->is_woken = false;
    queue->looked_s = now_s();
    note_look(queue, look(queue, &why), &why);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* Running attempts get fresh leases. One that names no worker, or a second one of the same worker, goes back. */
static Status adopt(Queue *queue, const QueuedJob *judging, Message *why)
{
    Basis basis;
    const WorkId id = {judging->id, (int)judging->attempt};
    if (!worker_name_is_valid(judging->worker) || find_worker(queue, judging->worker) != NULL)
        return give_up(queue, id, "", "given_back", "no worker has it", why);
    QueueWorker *worker = add_worker(queue, judging->worker);
    worker->job = id;
    worker->is_confirmed = strcmp(judging->state, "running") == 0;
    worker->began_s = now_s();
    if (find_basis(queue, judging, &basis, NULL) == STATUS_OK)
        worker->limit_s = basis.deadlines.server_s;
    return STATUS_OK;
}

static Status adopt_all(Queue *queue, const char *state, Message *why)
{
    Arena arena = {0};
    QueuedJob *judgings;
    size_t count;
    Status status = judgings_in_state(queue->store, state, INT64_MAX, &arena, &judgings, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = adopt(queue, &judgings[i], why);
    arena_free(&arena);
    return status;
}

static Status make_editions(Queue *queue, Message *why)
{
    const int length = snprintf(queue->editions, sizeof queue->editions, "%s/editions", queue->options.state);
    if (length >= (int)sizeof queue->editions)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", queue->options.state);
    return mkdir(queue->editions, 0700) == 0 || errno == EEXIST ? STATUS_OK : fail_errno(why, "%s", queue->editions);
}

Status queue_start(const QueueOptions *options, Store *store, Queue **queue, Message *why)
{
    Queue *started = zeroed(1, sizeof *started);
    started->options = *options;
    started->store = store;
    started->manned_s = now_s();
    Status status = make_editions(started, why);
    THEN(status, prune_editions(started, why));
    THEN(status, adopt_all(started, "running", why));
    THEN(status, adopt_all(started, "offered", why));
    *queue = started;
    if (status != STATUS_OK) {
        queue_stop(started);
        *queue = NULL;
    }
    return status;
}

void queue_stop(Queue *queue)
{
    if (queue == NULL)
        return;
    for (size_t i = 0; i < queue->count; i++)
        if (queue->workers[i].stream != NULL)
            http_events_close(queue->workers[i].stream);
    free(queue->workers);
    free(queue);
}

/* ==== questions =================================================================================================== */

void queue_wake(Queue *queue)
{
    queue->is_woken = true;
    queue->changes++;
}

uint64_t queue_changes(const Queue *queue)
{
    return queue->changes;
}

const char *queue_trouble(const Queue *queue)
{
    return queue->trouble.text;
}

Status queue_withdraw(Queue *queue, int64_t submission, bool *done, Message *why)
{
    queue_wake(queue);
    return judgings_withdraw(queue->store, submission, done, why);
}

Queue *queue_seen(const Queue *queue, Arena *arena)
{
    Queue *seen = arena_alloc(arena, sizeof *seen);
    *seen = *queue;
    seen->store = NULL;
    seen->workers = arena_array(arena, queue->count, sizeof *seen->workers);
    if (queue->count > 0)
        memcpy(seen->workers, queue->workers, queue->count * sizeof *seen->workers);
    return seen;
}

bool queue_progress(const Queue *queue, int64_t judging, QueueProgress *progress)
{
    for (size_t i = 0; i < queue->count; i++) {
        const QueueWorker *worker = &queue->workers[i];
        if (worker->job.judging != judging)
            continue;
        progress->done = worker->done;
        progress->total = worker->total;
        snprintf(progress->step, sizeof progress->step, "%s", worker->step);
        return true;
    }
    return false;
}

void queue_idle_workers(const Queue *queue, Arena *arena, IdleWorker **workers, size_t *count)
{
    *workers = arena_array(arena, queue->count, sizeof **workers);
    *count = 0;
    for (size_t i = 0; i < queue->count; i++)
        if (queue->workers[i].job.judging == 0)
            (*workers)[(*count)++] = (IdleWorker){.name = arena_string(arena, queue->workers[i].name),
                                                  .device = arena_string(arena, queue->workers[i].device),
                                                  .device_name = arena_string(arena, queue->workers[i].device_name)};
}

const char *queue_silent_worker(const Queue *queue)
{
    return now_s() < queue->silent_s + SILENT_S ? queue->silent : "";
}

bool queue_hears(Queue *queue, const char *name)
{
    const QueueWorker *worker = find_worker(queue, name);
    return worker != NULL && (worker->stream != NULL || now_s() - worker->seen_s <= queue->options.lease_s);
}

bool queue_lacks_workers(const Queue *queue)
{
    return queue->lacks_workers;
}
