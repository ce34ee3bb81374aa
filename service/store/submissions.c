#include "service/store/submissions.h"

#include "base/clock.h"
#include "base/text.h"
#include "leaderboard/database.h"
#include "service/store/batches.h"
#include "service/store/log.h"
#include "service/store/service_store.h"

#include <math.h>
#include <stdio.h>
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
        "SELECT max(position) FILTER (WHERE state IN ('queued', 'offered', 'running', 'held')), (SELECT count(*) FROM submission WHERE person = ?1 AND received_s > ?2),"
        " sum(CASE WHEN received_s > ?3 AND (mode <> 'rank') = ?4 THEN device_s END)"
        " FROM judging JOIN submission ON submission.id = submission WHERE person = ?1 AND batch = 1",
        "iiii", hand_in->person, received_s - RECENT_S, received_s - DAY_S, (int64_t)is_practice);
    if (status != STATUS_OK)
        return status;
    const double over = budget_s > 0 && before.used_s > budget_s ? DAY_S : 0;
    *position = fmax(before.last_position + 1, (double)received_s + rule->penalty_s * before.recent + over);
    return STATUS_OK;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

typedef struct PastHandIn {
    int64_t received_s, bytes;
} PastHandIn;

static void take_past_hand_in(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(PastHandIn *)item = (PastHandIn){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)};
}

/* Those of the last day, oldest first: as many must become older than a day as there are too many of them. */
static void find_refusal(const HandInLimits *limits, const PastHandIn *past, size_t count, int64_t bytes,
                         HandInRefusal *refusal)
{
    int64_t sum = bytes, number = (int64_t)count + 1;
    for (size_t i = 0; i < count; i++)
        sum += past[i].bytes;
    for (size_t i = 0; i < count; i++) {
        const bool is_many = limits->submissions_a_day > 0 && number > limits->submissions_a_day;
        if (!is_many && !(limits->bytes_a_day > 0 && sum > limits->bytes_a_day))
            return;
        *refusal = is_many ? (HandInRefusal){"submissions_a_day", limits->submissions_a_day, past[i].received_s + DAY_S}
                           : (HandInRefusal){"bytes_a_day", limits->bytes_a_day, past[i].received_s + DAY_S};
        sum -= past[i].bytes;
        number--;
    }
}

static Status keep_limits(Store *store, const HandIn *hand_in, const OrderRule *rule, Message *why)
{
    const HandInLimits *limits = &rule->limits;
    Arena arena = {0};
    PastHandIn *past;
    size_t count;
    int64_t waiting = 0;
    if (rule->refusal == NULL)
        return STATUS_OK;
    *rule->refusal = (HandInRefusal){0};
    Status status = database_int(store, &waiting, why,
                                 "SELECT count(*) FROM judging JOIN submission ON submission.id = judging.submission"
                                 " WHERE " IS_UNFINISHED "submission.person = ?1 AND batch = 1",
                                 "i", hand_in->person);
    if (status == STATUS_OK)
        status = database_list(store, &arena, sizeof *past, take_past_hand_in, &past, &count, why,
                               "SELECT received_s, source_bytes FROM submission WHERE person = ?1 AND received_s > ?2"
                               " ORDER BY received_s",
                               "ii", hand_in->person, (int64_t)time(NULL) - DAY_S);
    if (status == STATUS_OK && limits->waiting > 0 && waiting >= limits->waiting)
        *rule->refusal = (HandInRefusal){"waiting", limits->waiting, 0};
    else if (status == STATUS_OK)
        find_refusal(limits, past, count, (int64_t)strlen(hand_in->source), rule->refusal);
    arena_free(&arena);
    if (status == STATUS_OK && rule->refusal->limit != NULL)
        return fail(STATUS_BUSY, why, "the limit %s refuses it", rule->refusal->limit);
    return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static Status insert_submission(Store *store, const HandIn *hand_in, int64_t received_s, Message *why)
{
    return database_do(
        store, NULL, why,
        "INSERT INTO submission (id, person, key, problem, mode, sizes, file_name, source_hash, received_utc, received_s,"
        " source_bytes)"
        " SELECT max(next_number.submission, coalesce((SELECT max(id) + 1 FROM submission), 1)),"
        " ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM next_number",
        "itttttttii", hand_in->person, hand_in->key, hand_in->problem, hand_in->mode, hand_in->sizes,
        hand_in->file_name, hand_in->source_hash, utc_of(received_s).text, received_s,
        (int64_t)strlen(hand_in->source));
}

static Status note_origin(Store *store, const HandIn *hand_in, int64_t id, Message *why)
{
    if (hand_in->origin == NULL)
        return STATUS_OK;
    return database_do(store, NULL, why,
                       "INSERT INTO taken_in (submission, origin, received_s, marked_late, person_id)"
                       " VALUES (?1, ?2, nullif(?3, 0), ?4, coalesce(?5, ''))",
                       "itiit", id, hand_in->origin, hand_in->origin_received_s, (int64_t)hand_in->origin_marked_late,
                       hand_in->origin_person_id);
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
    const int64_t received_s = (int64_t)time(NULL);
    double position = 0;
    const bool is_try = strcmp(hand_in->mode, "try") == 0;
    Status status = find_position(store, hand_in, rule, received_s, &position, why);
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
        status = keep_limits(store, hand_in, rule, why);
    if (status == STATUS_OK && *is_new)
        status = add_submission(store, hand_in, rule, id, why);
    return database_end(store, status, why);
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

enum { JUMP_S = 30, LOOK_S = 10 };

/* How far the clock that tells the time of the day is ahead of the one that nobody can set. */
static double clock_difference_s(void)
{
    struct timespec day, ever;
    clock_gettime(CLOCK_REALTIME, &day);
    clock_gettime(CLOCK_MONOTONIC, &ever);
    return (double)(day.tv_sec - ever.tv_sec) + 1e-9 * (double)(day.tv_nsec - ever.tv_nsec);
}

static Status note_jump(ClockWatch *watch, Store *store, double jump_s, Message *why)
{
    char words[80];
    Status status = database_int(store, &watch->newest, why, "SELECT max(id) FROM submission", "");
    if (status != STATUS_OK)
        return status;
    if (fabs(watch->jumped_s) < JUMP_S)
        watch->last_before = watch->newest;
    watch->jumped_s += jump_s;
    snprintf(words, sizeof words, "%+.0f s after submission %lld", jump_s, (long long)watch->newest);
    log_event(LEVEL_ERROR, "clock_jumped", "by", words);
    return audit_add(store, "convjudge serve", "clock jump", words, why);
}

typedef struct FutureReceipts {
    int64_t first, last, newest;
} FutureReceipts;

static void take_future(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(FutureReceipts *)item = (FutureReceipts){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                               sqlite3_column_int64(row, 2)};
}

Status clock_watch_look(ClockWatch *watch, Store *store, Message *why)
{
    const double difference_s = clock_difference_s(), jump_s = difference_s - watch->difference_s;
    const bool has_jumped = watch->has_looked && fabs(jump_s) > JUMP_S;
    FutureReceipts future = {0};
    if (watch->has_looked && !has_jumped && now_s() < watch->looked_s + LOOK_S)
        return STATUS_OK;
    Status status = has_jumped ? note_jump(watch, store, jump_s, why) : STATUS_OK;
    watch->has_looked = true;
    watch->looked_s = now_s();
    watch->difference_s = difference_s;
    if (status == STATUS_OK) /* a clock that was wrong was so lately */
        status = database_row(
            store, NULL, take_future, &future, why,
            "SELECT min(id) FILTER (WHERE received_s > ?1), max(id) FILTER (WHERE received_s > ?1), max(id)"
            " FROM submission WHERE id > (SELECT max(id) FROM submission) - 10000",
            "i", (int64_t)time(NULL) + JUMP_S);
    if (status != STATUS_OK)
        return status;
    watch->first_future = future.first;
    watch->last_future = future.last;
    watch->newest = future.newest;
    return STATUS_OK;
}

void clock_watch_trust(ClockWatch *watch)
{
    watch->jumped_s = 0;
    watch->looked_s = 0;
    watch->has_looked = false;
}

bool clock_watch_alarm(const ClockWatch *watch, char *text, size_t size)
{
    text[0] = '\0';
    if (fabs(watch->jumped_s) >= JUMP_S)
        snprintf(text, size,
                 "the clock has jumped by %+.0f s: submissions after %lld have the time of the clock as it is now",
                 watch->jumped_s, (long long)watch->last_before);
    else if (watch->first_future != 0)
        snprintf(text, size, "submissions %lld to %lld have a time of receipt in the future",
                 (long long)watch->first_future, (long long)watch->last_future);
    return text[0] != '\0';
}

static Status expect_past(Store *store, int64_t first, int64_t last, int64_t by_s, Message *why)
{
    int64_t newest = 0;
    Status status = database_int(
        store, &newest, why, "SELECT max(received_s) FROM submission WHERE id BETWEEN ?1 AND ?2", "ii", first, last);
    if (status != STATUS_OK)
        return status;
    if (newest == 0)
        return fail(STATUS_BAD_INPUT, why, "there are no submissions from %lld to %lld", (long long)first,
                    (long long)last);
    if (newest + by_s > (int64_t)time(NULL) + JUMP_S || newest + by_s < 0)
        return fail(STATUS_BAD_INPUT, why,
                    "with %+lld s the last of them would have been received at %s, expected a time "
                    "before now",
                    (long long)by_s, utc_of(newest + by_s).text);
    return STATUS_OK;
}

Status submissions_correct_receipts(Store *store, int64_t first, int64_t last, int64_t by_s, const char *person,
                                    const char *reason, Message *why)
{
    Text words = {0};
    text_printf(&words, "submissions %lld to %lld by %+lld s: %s", (long long)first, (long long)last, (long long)by_s,
                reason);
    Status status = database_begin(store, why);
    if (status == STATUS_OK) {
        status = expect_past(store, first, last, by_s, why);
        if (status == STATUS_OK)
            status = database_do(store, NULL, why,
                                 "UPDATE submission SET received_s = received_s + ?3,"
                                 " received_utc = strftime('%Y-%m-%dT%H:%M:%SZ', received_s + ?3, 'unixepoch')"
                                 " WHERE id BETWEEN ?1 AND ?2",
                                 "iii", first, last, by_s);
        if (status == STATUS_OK)
            status = database_do(store, NULL, why,
                                 "UPDATE judging SET position = position + ?3 WHERE " IS_UNFINISHED
                                 "batch = 1 AND submission BETWEEN ?1 AND ?2",
                                 "iii", first, last, by_s);
        if (status == STATUS_OK)
            status = audit_add(store, person, "correct receipts", words.data, why);
        status = database_end(store, status, why);
    }
    text_free(&words);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* SQLite would join run_states by making all of it first. */
#define ROW_COLUMNS                                                                                                    \
    "SELECT submission.id, submission.person, person.name, submission.problem, judging.revision, mode, sizes,"         \
    " submission.file_name, submission.source_hash, received_utc, judging.id, judging.state, judging.verdict,"         \
    " judging.text, coalesce(judging.device, ''), position, attempt, judging.run,"                                     \
    " (SELECT state FROM run_states WHERE run = judging.run) AS run_state, rank_status, device_name,"                  \
    " epoch, score_ms, uncertainty, taken_in.origin, taken_in.received_s, taken_in.marked_late, taken_in.person_id,"   \
    " CASE WHEN taken_in.submission IS NULL THEN submission.received_s ELSE coalesce(taken_in.received_s, 0) END,"     \
    " (SELECT model FROM run_models WHERE run_models.run = judging.run)"                                               \
    " FROM submission JOIN person ON person.id = submission.person"                                                    \
    " LEFT JOIN taken_in ON taken_in.submission = submission.id"                                                       \
    " JOIN current_judging AS judging ON judging.submission = submission.id"                                           \
    " LEFT JOIN runs ON runs.id = judging.run "

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
        .time = time_made(sqlite3_column_double(row, 22), sqlite3_column_double(row, 23),
                          (const char *)sqlite3_column_text(row, 29)),
        .origin = database_text(arena, row, 24),
        .origin_received_s = sqlite3_column_int64(row, 25),
        .origin_marked_late = sqlite3_column_int(row, 26) != 0,
        .origin_person_id = database_text(arena, row, 27),
        .handed_in_s = sqlite3_column_int64(row, 28),
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
    const char *sql = arena_printf(
        arena, "%sWHERE (?1 IS NULL OR +submission.problem = ?1) AND submission.received_s >= ?6%s%s%s%s%s",
        ROW_COLUMNS, filter->person == 0 ? "" : " AND submission.person = ?2",
        filter->before == 0 ? "" : " AND submission.id < ?3",
        filter->verdict == NULL ? "" : " AND judging.verdict = ?5",
        filter->most_ms > 0 ? " AND judging.run IN (SELECT id FROM runs WHERE score_ms <= ?7)" : "",
        " ORDER BY submission.id DESC LIMIT ?4");
    return database_list(store, arena, sizeof **rows, take_row, rows, count, why, sql, "tiiitid", filter->problem,
                         filter->person, filter->before, filter->limit, filter->verdict, filter->since_s,
                         filter->most_ms);
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

Status submissions_accepted(Store *store, const char *problem, int64_t person, int64_t most, Arena *arena,
                            StoredSubmission **rows, size_t *count, Message *why)
{
    return database_list(
        store, arena, sizeof **rows, take_row, rows, count, why,
        ROW_COLUMNS
        "WHERE submission.problem = ?1 AND submission.person = ?2 AND mode = 'rank' AND judging.verdict = 'Accepted'"
        " AND coalesce(run_state, '') NOT IN ('quarantined', 'retracted', 'rejected') ORDER BY submission.id DESC"
        " LIMIT ?3",
        "tii", problem, person, most);
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
