#include "service/store/batch_apply.h"

#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/problem_edition.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ==== batch apply ================================================================================================= */

typedef struct Application { /* one transaction */
    Store *store;
    Batch batch;
    const char *person;
    UtcTime now;
    Arena arena;
} Application;

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static Status refuse_held(Application *application, Message *why)
{
    const char *held = "";
    TRY(database_string(application->store, &application->arena, &held, why,
                        "SELECT group_concat(submission, ', ') FROM (SELECT submission FROM judging"
                        " WHERE batch = ?1 AND state = 'held' ORDER BY 1)",
                        "i", application->batch.id));
    return fail(STATUS_BAD_INPUT, why,
                "batch %lld: the judge failed at submissions that are held for a person to look at: %s",
                (long long)application->batch.id, held);
}

static Status check(Application *application, Message *why)
{
    const Batch *batch = &application->batch;
    const int64_t left = batch->waiting - batch->spared + batch->running;
    TRY(batch_expect_open(batch, why));
    if (batch->held > 0)
        return refuse_held(application, why);
    if (left > 0)
        return fail(STATUS_BAD_INPUT, why, "batch %lld: %lld of %lld submissions are not judged yet",
                    (long long)batch->id, (long long)left, (long long)batch->judgings);
    return STATUS_OK;
}

/* ---- a submission ------------------------------------------------------------------------------------------------ */

static Status set_state(Application *application, int64_t judging, const char *state, Message *why)
{
    return database_do(application->store, NULL, why,
                       "UPDATE judging SET state = ?2 WHERE id = ?1 AND state <> 'recorded'", "it", judging, state);
}

static Status add_run(Application *application, const BatchRow *row, int64_t *id, Message *why)
{
    Run run = *row->after.run;
    TRY(submissions_source(application->store, run.source_hash, &application->arena, &run.source, why));
    TRY(service_store_put_run(application->store, &run, id, why));
    return database_do(application->store, NULL, why, "UPDATE judging SET run = ?2 WHERE id = ?1", "ii",
                       row->after.judging, *id);
}

static Status put_ruling(Application *application, Ruling ruling, Message *why)
{
    ruling.time_utc = application->now.text;
    return rulings_put(application->store, &ruling, why);
}

/* A teacher's ruling stands above what a judging finds. */
static Status carry_ruling_over(Application *application, const BatchRow *row, int64_t run, Message *why)
{
    Text reason = {0};
    if (row->ruling.run == 0 || (row->ruling.kind == RULING_ACCEPT && !row->after.ranks))
        return STATUS_OK;
    text_printf(&reason, "as run %lld: %s", (long long)row->before.run_id, row->ruling.why);
    const Ruling same = {.run = run, .kind = row->ruling.kind, .why = reason.data, .person = row->ruling.person};
    Status status = put_ruling(application, same, why);
    text_free(&reason);
    return status;
}

/* Runs that do not rank anyway keep the words that say why. */
static Status retract_replaced(Application *application, const BatchRow *row, int64_t run, Message *why)
{
    Text reason = {0};
    if (strcmp(row->run_state, "ranked") != 0 && strcmp(row->run_state, "quarantined") != 0)
        return STATUS_OK;
    text_add(&reason, "replaced by ");
    if (run > 0)
        text_printf(&reason, "run %lld (", (long long)run);
    text_printf(&reason, "batch %lld: %s%s", (long long)application->batch.id, application->batch.reason,
                run > 0 ? ")" : "");
    const Ruling retraction = {
        .run = row->before.run_id, .kind = RULING_RETRACT, .why = reason.data, .person = application->person};
    Status status = put_ruling(application, retraction, why);
    text_free(&reason);
    return status;
}

static Status apply_row(Application *application, const BatchRow *row, Message *why)
{
    int64_t run = 0;
    if (strcmp(row->before.state, "cancelled") == 0) /* withdrawn meanwhile, which it stays */
        return database_do(application->store, NULL, why, "UPDATE judging SET state = 'cancelled' WHERE id = ?1", "i",
                           row->after.judging);
    if (strcmp(row->after.state, "recorded") != 0)
        return STATUS_OK;
    TRY(row->after.run == NULL ? STATUS_OK : add_run(application, row, &run, why));
    if (run > 0)
        TRY(carry_ruling_over(application, row, run, why));
    TRY(retract_replaced(application, row, run, why));
    return set_state(application, row->before.judging, "cancelled", why);
}

/* ---- the batch --------------------------------------------------------------------------------------------------- */

static Status finish(Application *application, Message *why)
{
    char object[40];
    const int64_t id = application->batch.id;
    snprintf(object, sizeof object, "batch %lld", (long long)id);
    /* Judgings that still wait are spared (batches.h); their first judging goes on counting. */
    TRY(database_do(application->store, NULL, why, "DELETE FROM judging WHERE batch = ?1 AND state = 'queued'", "i",
                    id));
    TRY(database_do(application->store, NULL, why, "UPDATE batch SET state = 'applied' WHERE id = ?1", "i", id));
    if (application->batch.edition[0] != '\0')
        TRY(judgings_count_by(application->store, application->batch.problem, application->batch.edition,
                              application->batch.revision, why));
    return audit_add(application->store, application->person, "rejudge apply", object, why);
}

static Status apply(Application *application, int64_t id, Message *why)
{
    BatchRow *rows = NULL;
    size_t count = 0;
    TRY(batches_read(application->store, id, &application->arena, &application->batch, why));
    TRY(check(application, why));
    TRY(batch_table(application->store, id, &application->arena, &rows, &count, why));
    for (size_t i = 0; i < count; i++)
        TRY(apply_row(application, &rows[i], why));
    return finish(application, why);
}

Status batch_apply(Store *store, int64_t id, const char *person, Message *why)
{
    Application application = {.store = store, .person = person, .now = utc_now()};
    TRY(database_begin(store, why));
    Status status = apply(&application, id, why);
    status = database_end(store, status, why);
    arena_free(&application.arena);
    return status;
}

/* ==== rejudging =================================================================================================== */

/* Formatted again it must be the same text, so that neither a day such as 31 February nor a digit too few passes. */
bool rejudging_is_moment(const char *text)
{
    struct tm utc = {0};
    char again[32] = "";
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (end != NULL && *end == '\0')
        strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return strcmp(again, text) == 0;
}

static Status name_problem(BatchRequest *request, Arena *arena, Message *why)
{
    Problem problem;
    TRY(problem_read(request->problem, &problem, why));
    request->problem = arena_string(arena, problem.id);
    request->revision = arena_string(arena, problem.revision.hex);
    Digest edition;
    Status status = problem_edition(&problem, &edition, why);
    request->edition = arena_string(arena, edition.hex);
    problem_free(&problem);
    return status;
}

static bool is_as_begun(const Batch *batch, const Problem *problem, const Digest *edition)
{
    return !batch->is_mixed && strcmp(problem->revision.hex, batch->revision) == 0 &&
           (batch->edition[0] == '\0' || strcmp(edition->hex, batch->edition) == 0);
}

Status rejudging_begin(Store *store, const BatchRequest *request, const char *person, Arena *arena, Batch *batch,
                       BatchSkip **skips, size_t *skip_count, Message *why)
{
    BatchRequest named = *request;
    int64_t id;
    TRY(name_problem(&named, arena, why));
    TRY(batches_open(store, &named, person, arena, &id, skips, skip_count, why));
    return batches_read(store, id, arena, batch, why);
}

static Status check_revision(Store *store, int64_t id, Arena *arena, Message *why)
{
    Batch batch;
    Problem problem;
    Digest edition;
    TRY(batches_read(store, id, arena, &batch, why));
    TRY(batch_expect_open(&batch, why));
    TRY(problem_read(batch.problem, &problem, why));
    Status status = problem_edition(&problem, &edition, why);
    if (status == STATUS_OK && !is_as_begun(&batch, &problem, &edition))
        status = fail(STATUS_BAD_INPUT, why,
                      "batch %lld: problem %s has changed since; drop the batch, and begin another", (long long)id,
                      batch.problem);
    problem_free(&problem);
    return status;
}

Status rejudging_apply(Store *store, int64_t batch, const char *person, Message *why)
{
    Arena arena = {0};
    Status status = check_revision(store, batch, &arena, why);
    arena_free(&arena);
    return status == STATUS_OK ? batch_apply(store, batch, person, why) : status;
}
