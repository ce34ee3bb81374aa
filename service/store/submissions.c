#include "service/store/submissions.h"

#include "leaderboard/database.h"
#include "service/store/batches.h"
#include "service/store/service_store.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- handing in -------------------------------------------------------------------------------------------------- */

/* A key stands for what was handed in with it; a browser that goes back shows a form with its old key. */
static Status find_key(Store *store, const HandIn *hand_in, int64_t *id, Message *why)
{
    int64_t is_same = 0;
    *id = 0;
    Status status = database_int(store, id, why, "SELECT id FROM submission WHERE person = ?1 AND key = ?2", "it",
                                 hand_in->person, hand_in->key);
    if (status != STATUS_OK || *id == 0)
        return status;
    status = database_int(store, &is_same, why,
                          "SELECT problem = ?2 AND mode = ?3 AND sizes = ?4 AND source_hash = ?5 FROM submission"
                          " WHERE id = ?1",
                          "itttt", *id, hand_in->problem, hand_in->mode, hand_in->sizes, hand_in->source_hash);
    if (status != STATUS_OK || is_same != 0)
        return status;
    return fail(STATUS_BAD_INPUT, why,
                "key: submission %lld has it, with another source, problem, mode or sizes; expected a new key",
                (long long)*id);
}

/* Now, or the moment of the newest submission where the clock was set back. */
static Status receipt_time(Store *store, int64_t *received_s, Message *why)
{
    int64_t newest = 0;
    Status status = database_int(store, &newest, why, "SELECT received_s FROM submission ORDER BY id DESC LIMIT 1", "");
    const int64_t now = (int64_t)time(NULL);
    *received_s = now > newest ? now : newest;
    return status;
}

typedef struct PastJudgings { /* of a person */
    double last_position, recent, used_s;
} PastJudgings;

static void take_past(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(PastJudgings *)item = (PastJudgings){sqlite3_column_double(row, 0), sqlite3_column_double(row, 1),
                                           sqlite3_column_double(row, 2)};
}

static Status find_position(Store *store, const HandIn *hand_in, const OrderRule *rule, int64_t received_s,
                            double *position, Message *why)
{
    const bool is_practice = strcmp(hand_in->mode, "rank") != 0;
    const double budget_s = is_practice ? rule->practice_budget_s : rule->rank_budget_s;
    PastJudgings before;
    Status status = database_row(
        store, NULL, take_past, &before, why,
        "SELECT max(position), (SELECT count(*) FROM submission WHERE person = ?1 AND received_s > ?2),"
        " sum(CASE WHEN received_s > ?3 AND (mode <> 'rank') = ?4 THEN device_s END)"
        " FROM judging JOIN submission ON submission.id = submission WHERE person = ?1 AND batch = 1",
        "iiii", hand_in->person, received_s - RECENT_S, received_s - DAY_S, (int64_t)is_practice);
    if (status != STATUS_OK)
        return status;
    const double over = budget_s > 0 && before.used_s > budget_s ? DAY_S : 0;
    *position = fmax(before.last_position + 1, (double)received_s + rule->penalty_s * before.recent + over);
    return STATUS_OK;
}

static Status insert_submission(Store *store, const HandIn *hand_in, int64_t received_s, Message *why)
{
    return database_do(
        store, NULL, why,
        "INSERT INTO submission (person, key, problem, mode, sizes, file_name, source_hash, received_utc,"
        " received_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        "ittttttti", hand_in->person, hand_in->key, hand_in->problem, hand_in->mode, hand_in->sizes, hand_in->file_name,
        hand_in->source_hash, utc_of(received_s).text, received_s);
}

static Status note_origin(Store *store, const HandIn *hand_in, int64_t id, Message *why)
{
    if (hand_in->origin == NULL)
        return STATUS_OK;
    return database_do(
        store, NULL, why,
        "INSERT INTO taken_in (submission, origin, received_s, marked_late) VALUES (?1, ?2, nullif(?3, 0), ?4)", "itii",
        id, hand_in->origin, hand_in->origin_received_s, (int64_t)hand_in->origin_marked_late);
}

static Status note_sender(Store *store, const HandIn *hand_in, int64_t id, Message *why)
{
    if (hand_in->sender == 0)
        return STATUS_OK;
    return database_do(store, NULL, why, "INSERT INTO handed_in_for (submission, by_person) VALUES (?1, ?2)", "ii", id,
                       hand_in->sender);
}

static Status add_submission(Store *store, const HandIn *hand_in, const OrderRule *rule, int64_t *id, Message *why)
{
    int64_t received_s = 0;
    double position = 0;
    const bool is_try = strcmp(hand_in->mode, "try") == 0;
    Status status = receipt_time(store, &received_s, why);
    if (status == STATUS_OK)
        status = find_position(store, hand_in, rule, received_s, &position, why);
    if (status == STATUS_OK && !is_try)
        status = store_put_source(store, hand_in->source_hash, hand_in->source, why);
    if (status == STATUS_OK)
        status = insert_submission(store, hand_in, received_s, why);
    *id = sqlite3_last_insert_rowid(store->database);
    if (status == STATUS_OK)
        status = note_origin(store, hand_in, *id, why);
    if (status == STATUS_OK)
        status = note_sender(store, hand_in, *id, why);
    if (status == STATUS_OK && is_try)
        status = database_do(store, NULL, why, "INSERT INTO try_source (submission, source) VALUES (?1, ?2)", "it", *id,
                             hand_in->source);
    if (status == STATUS_OK)
        status = database_do(store, NULL, why,
                             "INSERT INTO judging (submission, batch, revision, position, state, attempt, failures)"
                             " VALUES (?1, 1, ?2, ?3, 'queued', 0, 0)",
                             "itd", *id, hand_in->revision, position);
    if (status == STATUS_OK && strcmp(hand_in->mode, "rank") == 0)
        status = batches_take_in(store, *id, hand_in->problem, why);
    return status;
}

Status submissions_hand_in(Store *store, const HandIn *hand_in, const OrderRule *rule, int64_t *id, bool *is_new,
                           Message *why)
{
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    status = find_key(store, hand_in, id, why);
    *is_new = status == STATUS_OK && *id == 0;
    if (*is_new)
        status = add_submission(store, hand_in, rule, id, why);
    return database_end(store, status, why);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define ROW_COLUMNS                                                                                                            \
    "SELECT submission.id, submission.person, person.name, submission.problem, judging.revision, mode, sizes,"                 \
    " submission.file_name, submission.source_hash, received_utc, judging.id, judging.state, judging.verdict,"                 \
    " judging.text, coalesce(judging.device, ''), position, attempt, judging.run, run_states.state, rank_status, device_name," \
    " epoch, score_ms, uncertainty, taken_in.origin, taken_in.received_s, taken_in.marked_late,"                               \
    " CASE WHEN taken_in.submission IS NULL THEN submission.received_s ELSE coalesce(taken_in.received_s, 0) END"              \
    " FROM submission JOIN person ON person.id = submission.person"                                                            \
    " LEFT JOIN taken_in ON taken_in.submission = submission.id"                                                               \
    " JOIN current_judging AS judging ON judging.submission = submission.id"                                                   \
    " LEFT JOIN runs ON runs.id = judging.run LEFT JOIN run_states ON run_states.run = runs.id "

static void take_row(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(StoredSubmission *)item = (StoredSubmission){
        .id = sqlite3_column_int64(row, 0),
        .person_id = sqlite3_column_int64(row, 1),
        .person = database_text(arena, row, 2),
        .problem = database_text(arena, row, 3),
        .revision = database_text(arena, row, 4),
        .mode = database_text(arena, row, 5),
        .sizes = database_text(arena, row, 6),
        .file_name = database_text(arena, row, 7),
        .source_hash = database_text(arena, row, 8),
        .received_utc = database_text(arena, row, 9),
        .judging = sqlite3_column_int64(row, 10),
        .state = database_text(arena, row, 11),
        .verdict = database_text(arena, row, 12),
        .text = database_text(arena, row, 13),
        .device = database_text(arena, row, 14),
        .position = sqlite3_column_double(row, 15),
        .attempt = sqlite3_column_int64(row, 16),
        .run = sqlite3_column_int64(row, 17),
        .rank_state = database_text(arena, row, 18),
        .rank_status = database_text(arena, row, 19),
        .device_name = database_text(arena, row, 20),
        .epoch = sqlite3_column_int(row, 21),
        .time = {.ms = sqlite3_column_double(row, 22), .uncertainty = sqlite3_column_double(row, 23)},
        .origin = database_text(arena, row, 24),
        .origin_received_s = sqlite3_column_int64(row, 25),
        .origin_marked_late = sqlite3_column_int(row, 26) != 0,
        .handed_in_s = sqlite3_column_int64(row, 27),
    };
}

Status submissions_read(Store *store, int64_t id, Arena *arena, StoredSubmission *row, Message *why)
{
    Status status = database_row(store, arena, take_row, row, why, ROW_COLUMNS "WHERE submission.id = ?1", "i", id);
    return status == STATUS_NOT_FOUND ? fail(status, why, "there is no submission %lld", (long long)id) : status;
}

Status submissions_of_run(Store *store, int64_t run, int64_t *id, Message *why)
{
    *id = 0;
    return database_int(store, id, why, "SELECT submission FROM judging WHERE run = ?1", "i", run);
}

Status submissions_list(Store *store, const SubmissionFilter *filter, Arena *arena, StoredSubmission **rows,
                        size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **rows, take_row, rows, count, why,
                         ROW_COLUMNS "WHERE (?1 IS NULL OR submission.problem = ?1) AND (?2 = 0 OR "
                                     "submission.person = ?2) AND (?3 = 0 OR submission.id < ?3)"
                                     " ORDER BY submission.id DESC LIMIT ?4",
                         "tiii", filter->problem, filter->person, filter->before, filter->limit);
}

Status submissions_sender(Store *store, int64_t submission, int64_t *person, Message *why)
{
    *person = 0;
    return database_int(store, person, why, "SELECT by_person FROM handed_in_for WHERE submission = ?1", "i",
                        submission);
}

Status submissions_source(Store *store, const char *source_hash, Arena *arena, const char **source, Message *why)
{
    *source = NULL;
    return database_string(store, arena, source, why,
                           "SELECT source FROM sources WHERE source_hash = ?1 UNION ALL"
                           " SELECT source FROM try_source JOIN submission ON submission.id = try_source.submission"
                           " WHERE source_hash = ?1 LIMIT 1",
                           "t", source_hash);
}

/* ---- forgetting -------------------------------------------------------------------------------------------------- */

Status submissions_accepted(Store *store, const char *problem, Arena *arena, StoredSubmission **rows, size_t *count,
                            Message *why)
{
    return database_list(store, arena, sizeof **rows, take_row, rows, count, why,
                         ROW_COLUMNS
                         "WHERE submission.problem = ?1 AND mode = 'rank' AND judging.verdict = 'Accepted'"
                         " AND coalesce(run_states.state, '') NOT IN ('quarantined', 'retracted', 'rejected')"
                         " ORDER BY submission.id DESC",
                         "t", problem);
}

Status submissions_forget_tries(Store *store, int64_t before_s, Message *why)
{
    /* "ended" names what goes; rows that refer to others go before these. */
    static const char *const steps[] = {
        "CREATE TEMP TABLE IF NOT EXISTS ended (submission INTEGER PRIMARY KEY, judging INTEGER)",
        "DELETE FROM ended",
        "INSERT INTO ended SELECT submission.id, judging.id FROM submission JOIN judging ON judging.submission = submission.id"
        " WHERE mode = 'try' AND received_s < ?1 AND submission.id < (SELECT max(id) FROM submission) AND judging.state IN ('recorded', 'held', 'cancelled')",
        "DELETE FROM document WHERE judging IN (SELECT judging FROM ended)",
        "DELETE FROM attempt WHERE judging IN (SELECT judging FROM ended)",
        "DELETE FROM judging WHERE id IN (SELECT judging FROM ended)",
        "DELETE FROM handed_in_for WHERE submission IN (SELECT submission FROM ended)",
        "DELETE FROM try_source WHERE submission IN (SELECT submission FROM ended)",
        "DELETE FROM submission WHERE id IN (SELECT submission FROM ended)",
    };
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
        status = strchr(steps[i], '?') == NULL ? database_run(store, steps[i], why)
                                               : database_do(store, NULL, why, steps[i], "i", before_s);
    return database_end(store, status, why);
}
