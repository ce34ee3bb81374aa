#include "service/store/judgings.h"

#include "base/json.h"
#include "leaderboard/database.h"
#include "service/store/service_store.h"
#include "service/store/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== case verdicts =============================================================================================== */

/* ---- what is wanted ----------------------------------------------------------------------------------------------- */

static bool are_alike(const char *const *one, size_t one_count, const char *const *other, size_t other_count)
{
    bool alike = true;
    for (size_t i = 0; i < one_count; i++)
        alike = alike && text_is_among(one[i], other, other_count);
    for (size_t i = 0; i < other_count; i++)
        alike = alike && text_is_among(other[i], one, one_count);
    return alike;
}

static Status replace(Store *store, const char *const *problems, size_t count, Message *why)
{
    TRY(database_begin(store, why));
    Status status = database_do(store, NULL, why, "DELETE FROM wants_all_cases", "");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = database_do(store, NULL, why, "INSERT OR IGNORE INTO wants_all_cases VALUES (?1)", "t", problems[i]);
    return database_end(store, status, why);
}

Status case_verdicts_want(Store *store, const char *const *problems, size_t count, Message *why)
{
    Arena arena = {0};
    const char **wanted;
    size_t wanted_count;
    Status status = database_list(store, &arena, sizeof *wanted, database_take_text, &wanted, &wanted_count, why,
                                  "SELECT problem FROM wants_all_cases", "");
    if (status == STATUS_OK && !are_alike(wanted, wanted_count, problems, count))
        status = replace(store, problems, count, why);
    arena_free(&arena);
    return status;
}

Status case_verdicts_are_wanted(Store *store, const char *problem, bool *wanted, Message *why)
{
    int64_t found = 0;
    Status status = database_int(store, &found, why, "SELECT count(*) FROM wants_all_cases WHERE problem = ?1", "t",
                                 problem);
    *wanted = found > 0;
    return status;
}

/* ---- what was found ----------------------------------------------------------------------------------------------- */

/* Keeps what `grade --all-cases` wrote for a judging; part of the caller's transaction. NULL and "" are nothing. */
static MUST_USE Status case_verdicts_put(Store *store, int64_t judging, const char *text, Message *why)
{
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    return database_do(store, NULL, why, "INSERT INTO case_verdicts (judging, text) VALUES (?1, ?2)", "it", judging,
                       text);
}

Status case_verdicts_read(Store *store, int64_t judging, Arena *arena, const char **text, Message *why)
{
    *text = NULL;
    return database_string(store, arena, text, why, "SELECT text FROM case_verdicts WHERE judging = ?1", "i", judging);
}

/* ==== host times ================================================================================================== */

enum { NEWEST_RUNS = 101 };

/* ---- one sitting ------------------------------------------------------------------------------------------------- */

static AnchorTime anchor_of(const cJSON *anchor, Arena *arena)
{
    const char *name = anchor == NULL ? NULL : json_string(anchor, "name");
    const double before = json_value(anchor, "before_ms"), after = json_value(anchor, "after_ms");
    if (name == NULL || !(before > 0) || !(after > 0))
        return (AnchorTime){0};
    return (AnchorTime){arena_string(arena, name), (before + after) / 2, fabs(after - before) / before};
}

AnchorTime host_times_anchor(const char *sitting, Arena *arena)
{
    JsonFile file;
    if (sitting == NULL || json_parse("sitting", sitting, strlen(sitting), &file, NULL) != STATUS_OK)
        return (AnchorTime){0};
    const cJSON *anchor = json_get(file.root, "anchor");
    const AnchorTime time = cJSON_IsObject(anchor) ? anchor_of(anchor, arena) : (AnchorTime){0};
    json_free(&file);
    return time;
}

bool host_times_agree(AnchorTime a, AnchorTime b)
{
    if (a.name == NULL || b.name == NULL || strcmp(a.name, b.name) != 0)
        return true; /* nothing says that they differ */
    return fabs(a.ms - b.ms) <= (HOST_TIMES_AGREE + a.drift + b.drift) * fmin(a.ms, b.ms);
}

/* ---- a board ----------------------------------------------------------------------------------------------------- */

static void take_anchor(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(AnchorTime *)item = host_times_anchor(database_text(arena, row, 0), arena);
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const AnchorTime *)a)->ms, y = ((const AnchorTime *)b)->ms;
    return (x > y) - (x < y);
}

static AnchorTime median_of(AnchorTime *times, size_t count, const char *name)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        if (times[i].name != NULL && strcmp(times[i].name, name) == 0)
            times[same++] = times[i];
    if (same == 0)
        return (AnchorTime){0};
    qsort(times, same, sizeof *times, by_time);
    return (AnchorTime){name, times[same / 2].ms, times[same / 2].drift};
}

/* The median of the anchor's time over the newest ranked runs of a board that have the same anchor; name NULL: there is
 * none. */
static MUST_USE Status host_times_of_board(Store *store, const Board *board, const char *anchor, AnchorTime *median,
                                           Message *why)
{
    Arena arena = {0};
    AnchorTime *times;
    size_t count;
    Status status = database_list(store, &arena, sizeof *times, take_anchor, &times, &count, why,
                                  "SELECT sitting FROM runs JOIN run_states ON run_states.run = runs.id"
                                  " WHERE problem = ?1 AND revision = ?2 AND device = ?3 AND epoch = ?4"
                                  " AND state = 'ranked' ORDER BY id DESC LIMIT ?5",
                                  "tttii", board->problem, board->revision, board->device, (int64_t)board->epoch,
                                  (int64_t)NEWEST_RUNS);
    *median = status == STATUS_OK ? median_of(times, count, anchor) : (AnchorTime){0};
    arena_free(&arena);
    return status;
}

Status host_times_review(Store *store, const Run *run, Arena *arena, const char **rank_status, Message *why)
{
    const AnchorTime own = host_times_anchor(run->sitting, arena);
    AnchorTime board;
    *rank_status = run->rank_status;
    if (own.name == NULL || strcmp(run->rank_status, "ranked") != 0)
        return STATUS_OK;
    TRY(host_times_of_board(store, &run->board, own.name, &board, why));
    if (!host_times_agree(own, board))
        *rank_status = arena_printf(arena,
                                    "quarantined: this machine times %s at %.4g ms and those of the board at %.4g ms, "
                                    "which differ by more than they are uncertain by",
                                    own.name, own.ms, board.ms);
    return STATUS_OK;
}

/* ==== judgings ==================================================================================================== */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define JUDGING_COLUMNS                                                                                                \
    "SELECT judging.id, submission, batch, attempt, judging.state, judging.revision, submission.problem, mode, sizes," \
    " file_name, source_hash, person.name, position, (SELECT worker FROM attempt WHERE judging = judging.id AND"       \
    " n = judging.attempt), (SELECT edition_before FROM batch WHERE batch.problem = submission.problem"                \
    " AND batch.state = 'open' AND judging.batch = 1)"                                                                 \
    " FROM judging JOIN submission ON submission.id = judging.submission"                                              \
    " JOIN person ON person.id = submission.person "

static void take_judging(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(QueuedJob *)item = (QueuedJob){.id = sqlite3_column_int64(row, 0),
                                     .submission = sqlite3_column_int64(row, 1),
                                     .batch = sqlite3_column_int64(row, 2),
                                     .attempt = sqlite3_column_int64(row, 3),
                                     .state = database_text(arena, row, 4),
                                     .revision = database_text(arena, row, 5),
                                     .problem = database_text(arena, row, 6),
                                     .mode = database_text(arena, row, 7),
                                     .sizes = database_text(arena, row, 8),
                                     .file_name = database_text(arena, row, 9),
                                     .source_hash = database_text(arena, row, 10),
                                     .person = database_text(arena, row, 11),
                                     .position = sqlite3_column_double(row, 12),
                                     .worker = database_text(arena, row, 13),
                                     .edition_before = database_text(arena, row, 14)};
}

Status judgings_in_state(Store *store, const char *state, int64_t limit, Arena *arena, QueuedJob **judgings,
                         size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **judgings, take_judging, judgings, count, why,
                         JUDGING_COLUMNS "WHERE " IS_UNFINISHED
                                         "judging.state = ?1 ORDER BY position, judging.id LIMIT ?2",
                         "ti", state, limit);
}

Status judgings_read(Store *store, int64_t id, Arena *arena, QueuedJob *judging, Message *why)
{
    Status status = database_row(store, arena, take_judging, judging, why, JUDGING_COLUMNS "WHERE judging.id = ?1", "i",
                                 id);
    return status == STATUS_NOT_FOUND ? fail(status, why, "there is no judging %lld", (long long)id) : status;
}

static void take_state(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(JudgingState *)item = (JudgingState){.submission = sqlite3_column_int64(row, 0),
                                           .state = database_text(arena, row, 1),
                                           .verdict = database_text(arena, row, 2)};
}

Status judgings_states(Store *store, int64_t first, int64_t last, Arena *arena, JudgingState **states, size_t *count,
                       Message *why)
{
    return database_list(store, arena, sizeof **states, take_state, states, count, why,
                         "SELECT submission, state, verdict FROM judging WHERE batch = 1"
                         " AND submission BETWEEN ?1 AND ?2 ORDER BY submission",
                         "ii", first, last);
}

Status judgings_last_failure(Store *store, int64_t submission, Arena *arena, const char **reason, Message *why)
{
    *reason = "";
    return database_string(store, arena, reason, why,
                           "SELECT why FROM attempt JOIN judging ON judging.id = judging WHERE submission = ?1"
                           " AND outcome IN ('worker_failed', 'lost') ORDER BY n DESC LIMIT 1",
                           "i", submission);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

static Status end_attempt(Store *store, int64_t id, int64_t attempt, const char *outcome, const char *reason,
                          Message *why)
{
    return database_do(store, NULL, why,
                       "UPDATE attempt SET ended_utc = ?3, outcome = ?4, why = ?5 WHERE judging = ?1 AND n = ?2"
                       " AND outcome IS NULL",
                       "iittt", id, attempt, utc_now().text, outcome, reason);
}

Status judgings_renew(Store *store, int64_t id, const char *revision, const char *edition, Message *why)
{
    return database_do(store, NULL, why,
                       "UPDATE judging SET revision = ?2, edition = ?3 WHERE id = ?1 AND state = 'queued'", "itt", id,
                       revision, edition);
}

Status judgings_count_by(Store *store, const char *problem, const char *edition, const char *revision, Message *why)
{
    return database_do(
        store, NULL, why,
        "INSERT INTO counting_edition (problem, edition, revision) VALUES (?1, ?2, ?3) ON CONFLICT (problem)"
        " DO UPDATE SET edition = excluded.edition, revision = excluded.revision"
        " WHERE edition <> excluded.edition",
        "ttt", problem, edition, revision);
}

Status judgings_offer(Store *store, int64_t id, const char *worker, int64_t *attempt, Message *why)
{
    int64_t changed = 0, number = 0;
    *attempt = 0;
    TRY(database_begin(store, why));
    Status status = database_do(
        store, &changed, why,
        "UPDATE judging SET state = 'offered', attempt = attempt + 1 WHERE id = ?1 AND state = 'queued'", "i", id);
    if (status == STATUS_OK && changed > 0)
        status = database_do(store, NULL, why,
                             "INSERT INTO attempt (judging, n, offered_utc, worker)"
                             " SELECT id, attempt, ?2, ?3 FROM judging WHERE id = ?1",
                             "itt", id, utc_now().text, worker);
    if (status == STATUS_OK && changed > 0)
        status = database_int(store, &number, why, "SELECT attempt FROM judging WHERE id = ?1", "i", id);
    status = database_end(store, status, why);
    if (status == STATUS_OK)
        *attempt = number;
    return status;
}

Status judgings_was_given(Store *store, int64_t id, int64_t attempt, const char *worker, bool *given, Message *why)
{
    int64_t count = 0;
    Status status = database_int(store, &count, why,
                                 "SELECT count(*) FROM attempt WHERE judging = ?1 AND n = ?2 AND worker = ?3", "iit",
                                 id, attempt, worker);
    *given = count > 0;
    return status;
}

Status judgings_start(Store *store, int64_t id, int64_t attempt, Message *why)
{
    return database_do(store, NULL, why,
                       "UPDATE judging SET state = 'running' WHERE id = ?1 AND attempt = ?2 AND state = 'offered'",
                       "ii", id, attempt);
}

Status judgings_fail(Store *store, int64_t id, int64_t attempt, const char *outcome, const char *reason, bool *held,
                     Message *why)
{
    int64_t changed = 0, holds = 0;
    TRY(database_begin(store, why));
    Status status = database_do(store, &changed, why,
                                "UPDATE judging SET state = 'queued', failures = failures + (?3 <> 'given_back')"
                                " WHERE id = ?1 AND attempt = ?2 AND state IN ('offered', 'running')",
                                "iit", id, attempt, outcome);
    if (status == STATUS_OK && changed > 0)
        status = end_attempt(store, id, attempt, outcome, reason, why);
    if (status == STATUS_OK && changed > 0)
        status = database_do(store, &holds, why, "UPDATE judging SET state = 'held' WHERE id = ?1 AND failures >= ?2",
                             "ii", id, (int64_t)MOST_FAILURES);
    *held = holds > 0;
    return database_end(store, status, why);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static Status put_document(Store *store, int64_t judging, const char *kind, const char *text, Message *why)
{
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    return database_do(store, NULL, why, "INSERT INTO document (judging, kind, text) VALUES (?1, ?2, ?3)", "itt",
                       judging, kind, text);
}

static Status put_documents(Store *store, const Recording *recording, Message *why)
{
    TRY(put_document(store, recording->judging, "result", recording->result, why));
    TRY(put_document(store, recording->judging, "explain", recording->explain, why));
    TRY(put_document(store, recording->judging, "report", recording->report, why));
    return case_verdicts_put(store, recording->judging, recording->case_verdicts, why);
}

static Status is_live(Store *store, int64_t judging, bool *live, Message *why)
{
    int64_t batch = 0;
    Status status = database_int(store, &batch, why, "SELECT batch FROM judging WHERE id = ?1", "i", judging);
    *live = batch == LIVE_BATCH;
    return status;
}

/* A run in the leaderboard ranks. That of a rejudging is kept as a document, until the batch is applied (batch_apply.c). */
static Status put_run(Store *store, const Recording *recording, int64_t *run, Message *why)
{
    bool live = true;
    Text text = {0};
    Status status = is_live(store, recording->judging, &live, why);
    if (status != STATUS_OK || live)
        return status == STATUS_OK ? service_store_put_run(store, recording->run, run, why) : status;
    work_write_run(recording->run, &text);
    status = put_document(store, recording->judging, "run", text.data, why);
    text_free(&text);
    return status;
}

/* The caller's transaction holds all of it, or nothing. */
static Status put_recording(Store *store, const Recording *recording, Message *why)
{
    int64_t run = 0;
    TRY(end_attempt(store, recording->judging, recording->attempt, "judged", NULL, why));
    if (recording->run != NULL)
        TRY(put_run(store, recording, &run, why));
    TRY(database_do(store, NULL, why,
                    "UPDATE judging SET verdict = ?2, text = ?3, device = ?4, device_s = ?5, run = nullif(?6, 0)"
                    " WHERE id = ?1",
                    "itttdi", recording->judging, recording->verdict, recording->text, recording->device,
                    recording->device_s, run));
    return put_documents(store, recording, why);
}

static Status is_recorded(Store *store, const Recording *recording, bool *same, Message *why)
{
    int64_t count = 0;
    Status status = database_int(store, &count, why,
                                 "SELECT count(*) FROM judging WHERE id = ?1 AND attempt = ?2 AND state = 'recorded'",
                                 "ii", recording->judging, recording->attempt);
    *same = count > 0;
    return status;
}

static Status note_late(Store *store, const Recording *recording, Message *why)
{
    return database_do(store, NULL, why,
                       "UPDATE attempt SET outcome = 'late', ended_utc = ?3 WHERE judging = ?1 AND n = ?2", "iit",
                       recording->judging, recording->attempt, utc_now().text);
}

Status judgings_record(Store *store, const Recording *recording, RecordingOutcome *outcome, Message *why)
{
    int64_t changed = 0;
    bool same = false;
    TRY(database_begin(store, why));
    Status status = database_do(store, &changed, why,
                                "UPDATE judging SET state = 'recorded' WHERE id = ?1 AND attempt = ?2"
                                " AND state IN ('offered', 'running')",
                                "ii", recording->judging, recording->attempt);
    if (status == STATUS_OK && changed > 0)
        status = put_recording(store, recording, why);
    else if (status == STATUS_OK)
        status = is_recorded(store, recording, &same, why);
    *outcome = changed > 0 ? RECORDED : same ? RECORDED_BEFORE : TOO_LATE;
    if (status == STATUS_OK && *outcome == TOO_LATE)
        status = note_late(store, recording, why);
    return database_end(store, status, why);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

Status judgings_withdraw(Store *store, int64_t submission, bool *done, Message *why)
{
    int64_t changed = 0;
    Status status = database_do(
        store, &changed, why,
        "UPDATE judging SET state = 'cancelled' WHERE state IN ('queued', 'held') AND submission IN"
        " (SELECT submission FROM current_judging WHERE submission = ?1 AND state IN ('queued', 'held'))",
        "i", submission);
    *done = changed > 0;
    return status;
}

Status judgings_release(Store *store, int64_t id, bool *done, Message *why)
{
    int64_t changed = 0;
    Status status = database_do(store, &changed, why,
                                "UPDATE judging SET state = 'queued', failures = 0 WHERE id = ?1 AND state = 'held'",
                                "i", id);
    *done = changed > 0;
    return status;
}

Status judgings_document(Store *store, int64_t judging, const char *kind, Arena *arena, const char **text, Message *why)
{
    *text = NULL;
    return database_string(store, arena, text, why, "SELECT text FROM document WHERE judging = ?1 AND kind = ?2", "it",
                           judging, kind);
}

static void take_outlook(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(QueueOutlook *)item = (QueueOutlook){.ahead = sqlite3_column_int64(row, 0),
                                           .mean_s = sqlite3_column_double(row, 1)};
}

Status judgings_outlook(Store *store, double position, QueueOutlook *outlook, Message *why)
{
    return database_row(store, NULL, take_outlook, outlook, why,
                        "SELECT (SELECT count(*) FROM judging WHERE " IS_UNFINISHED
                        "state IN ('queued', 'offered', 'running')"
                        " AND position < ?1),"
                        " (SELECT avg(device_s) FROM (SELECT device_s FROM judging WHERE device_s IS NOT NULL"
                        " ORDER BY id DESC LIMIT 20))",
                        "d", position);
}

Status judgings_waiting(Store *store, int64_t *count, Message *why)
{
    return database_int(store, count, why,
                        "SELECT count(*) FROM judging WHERE " IS_UNFINISHED "state IN ('queued', 'offered')", "");
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

Status worker_fails(Store *store, const char *worker, bool *fails, Message *why)
{
    int64_t count = 0;
    Status status = database_int(store, &count, why,
                                 "SELECT count(DISTINCT submission) FROM (SELECT submission, outcome FROM attempt"
                                 " JOIN judging ON judging.id = judging WHERE worker = ?1 AND outcome IS NOT NULL"
                                 " ORDER BY ended_utc DESC, judging DESC LIMIT 2)"
                                 " WHERE outcome IN ('worker_failed', 'lost')",
                                 "t", worker);
    *fails = count >= 2;
    return status;
}

Status worker_drain(Store *store, const char *worker, const char *reason, Message *why)
{
    return database_do(store, NULL, why,
                       "INSERT INTO drained (worker, since_utc, why) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING", "ttt",
                       worker, utc_now().text, reason);
}

Status worker_undrain(Store *store, const char *worker, Message *why)
{
    return database_do(store, NULL, why, "DELETE FROM drained WHERE worker = ?1", "t", worker);
}

static void take_drained(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Drained *)item = (Drained){.worker = database_text(arena, row, 0),
                                 .since_utc = database_text(arena, row, 1),
                                 .why = database_text(arena, row, 2)};
}

Status workers_drained(Store *store, Arena *arena, Drained **drained, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **drained, take_drained, drained, count, why,
                         "SELECT worker, since_utc, why FROM drained ORDER BY worker", "");
}

Status queue_pause(Store *store, Arena *arena, const Drained **pause, Message *why)
{
    Drained *all;
    size_t count = 0;
    *pause = NULL;
    TRY(workers_drained(store, arena, &all, &count, why));
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].worker, ALL_WORKERS) == 0)
            *pause = &all[i];
    return STATUS_OK;
}
