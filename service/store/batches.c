#include "service/store/batches.h"

#include "base/text.h"
#include "leaderboard/database.h"
#include "service/store/service_store.h"
#include "service/store/work.h"

#include <stdio.h>
#include <string.h>

/* ==== batch table ================================================================================================= */

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct ReadRow {
    BatchRow row;
    const char *run; /* as a document; "": none */
} ReadRow;

/* The judging before is the one that view current_judging would show without this batch and those that came later. */
static const char rows_of_a_batch[] =
    "SELECT submission.id, person.name, file_name, received_utc, own.id, own.state, own.verdict, own.run,"
    " before.id, before.state, before.verdict, before.run, document.text FROM judging AS own"
    " JOIN submission ON submission.id = own.submission JOIN person ON person.id = submission.person"
    " JOIN judging AS before ON before.id = (SELECT other.id FROM judging AS other JOIN batch ON batch.id = other.batch"
    " WHERE other.submission = own.submission AND batch.state = 'applied' AND other.batch < own.batch"
    " ORDER BY other.batch DESC LIMIT 1)"
    " LEFT JOIN document ON document.judging = own.id AND document.kind = 'run'"
    " WHERE own.batch = ?1 ORDER BY submission.id";

static BatchSide side_of(Arena *arena, sqlite3_stmt *row, int column)
{
    return (BatchSide){.judging = sqlite3_column_int64(row, column),
                       .state = database_text(arena, row, column + 1),
                       .verdict = database_text(arena, row, column + 2),
                       .run_id = sqlite3_column_int64(row, column + 3)};
}

static void take_row(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(ReadRow *)item = (ReadRow){.row = {.submission = sqlite3_column_int64(row, 0),
                                         .person = database_text(arena, row, 1),
                                         .file_name = database_text(arena, row, 2),
                                         .received_utc = database_text(arena, row, 3),
                                         .after = side_of(arena, row, 4),
                                         .before = side_of(arena, row, 8),
                                         .run_state = ""},
                                 .run = database_text(arena, row, 12)};
}

static Status read_run_before(Store *store, BatchRow *row, Arena *arena, Message *why)
{
    RecordedRun *recorded = arena_alloc(arena, sizeof *recorded);
    if (row->before.run_id == 0)
        return STATUS_OK;
    TRY(store_run(store, row->before.run_id, arena, recorded, why));
    row->before.run = &recorded->run;
    row->run_state = recorded->state;
    row->before.ranks = strcmp(recorded->state, "ranked") == 0;
    return rulings_in_force(store, row->before.run_id, arena, &row->ruling, why);
}

/* A teacher's decision about a submission also holds after a rejudging. */
static bool will_rank(const char *rank_status, const Ruling *ruling)
{
    const bool is_accepted = ruling->run != 0 && ruling->kind == RULING_ACCEPT;
    if (strcmp(rank_status, "ranked") == 0)
        return ruling->run == 0 || is_accepted;
    return strncmp(rank_status, "quarantined:", 12) == 0 && is_accepted;
}

static Status read_run_after(BatchRow *row, const char *text, Arena *arena, Message *why)
{
    Run *run = arena_alloc(arena, sizeof *run);
    if (text[0] == '\0')
        return STATUS_OK;
    Status status = work_parse_run("the run of a rejudging", text, arena, run, why);
    row->after.run = status == STATUS_OK ? run : NULL;
    row->after.ranks = status == STATUS_OK && will_rank(run->rank_status, &row->ruling);
    return status;
}

static Status read_rows(Store *store, int64_t batch, Arena *arena, BatchRow **rows, size_t *count, Message *why)
{
    ReadRow *found;
    Status status = database_list(store, arena, sizeof *found, take_row, &found, count, why, rows_of_a_batch, "i",
                                  batch);
    *rows = arena_array(arena, *count, sizeof **rows);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        BatchRow *row = &(*rows)[i];
        *row = found[i].row;
        status = read_run_before(store, row, arena, why);
        THEN(status, read_run_after(row, found[i].run, arena, why));
    }
    return status;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

typedef struct BoardRanks { /* of one board, now and if the batch were applied */
    const Board *board;
    Standing *now, *then;
    size_t now_count, then_count;
} BoardRanks;

static bool is_same_board(const Board *a, const Board *b)
{
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->revision, b->revision) == 0 &&
           strcmp(a->device, b->device) == 0 && a->epoch == b->epoch;
}

static bool is_replaced(int64_t run, const BatchRow *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].before.run_id == run && strcmp(rows[i].after.state, "recorded") == 0)
            return true;
    return false;
}

/* The runs that rank now, without those that are replaced, and with the new ones. */
static StoredRun *runs_then(const StoredRun *now, size_t now_count, const Board *board, const BatchRow *rows,
                            size_t row_count, Arena *arena, size_t *count)
{
    StoredRun *then = arena_array(arena, now_count + row_count, sizeof *then);
    *count = 0;
    for (size_t i = 0; i < now_count; i++)
        if (!is_replaced(now[i].id, rows, row_count))
            then[(*count)++] = now[i];
    for (size_t i = 0; i < row_count; i++) {
        const Run *run = rows[i].after.run;
        if (rows[i].after.ranks && is_same_board(&run->board, board))
            then[(*count)++] = (StoredRun){.time_utc = run->time_utc,
                                           .person = run->person,
                                           .machine_code = run->machine_code == NULL ? "" : run->machine_code,
                                           .time = run->time};
    }
    return then;
}

static Status find_board(Store *store, const Board *board, const BatchRow *rows, size_t count, Rows *boards,
                         const BoardRanks **found, Message *why)
{
    const BoardRanks *known = (const BoardRanks *)(const void *)boards->items;
    StoredRun *now;
    size_t now_count, then_count;
    for (size_t i = 0; i < boards->count; i++)
        if (is_same_board(known[i].board, board)) {
            *found = &known[i];
            return STATUS_OK;
        }
    TRY(store_runs(store, board, boards->arena, &now, &now_count, why));
    BoardRanks *added = database_rows_next(boards);
    const StoredRun *then = runs_then(now, now_count, board, rows, count, boards->arena, &then_count);
    *added = (BoardRanks){.board = board};
    added->now = standings_of(now, now_count, boards->arena, &added->now_count);
    added->then = standings_of(then, then_count, boards->arena, &added->then_count);
    *found = added;
    return STATUS_OK;
}

static size_t rank_of(const Standing *standings, size_t count, const char *person)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(standings[i].person, person) == 0)
            return standings[i].rank;
    return 0;
}

static Status add_ranks(Store *store, BatchRow *rows, size_t count, Arena *arena, Message *why)
{
    Rows boards = {.arena = arena, .item_bytes = sizeof(BoardRanks)};
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const BoardRanks *board;
        BatchRow *row = &rows[i];
        if (row->before.ranks) {
            status = find_board(store, &row->before.run->board, rows, count, &boards, &board, why);
            if (status == STATUS_OK)
                row->before.rank = rank_of(board->now, board->now_count, row->person);
        }
        if (status == STATUS_OK && row->after.ranks) {
            status = find_board(store, &row->after.run->board, rows, count, &boards, &board, why);
            if (status == STATUS_OK)
                row->after.rank = rank_of(board->then, board->then_count, row->person);
        }
    }
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static Status is_open(Store *store, int64_t batch, bool *open, Message *why)
{
    int64_t found = 0;
    Status status = database_int(store, &found, why, "SELECT state = 'open' FROM batch WHERE id = ?1", "i", batch);
    *open = found != 0;
    return status;
}

Status batch_table(Store *store, int64_t batch, Arena *arena, BatchRow **rows, size_t *count, Message *why)
{
    bool open = false;
    Status status = is_open(store, batch, &open, why);
    THEN(status, read_rows(store, batch, arena, rows, count, why));
    return status == STATUS_OK && open ? add_ranks(store, *rows, *count, arena, why) : status;
}

bool batch_row_time_differs(const BatchRow *row)
{
    if (row->before.run == NULL || row->after.run == NULL)
        return false;
    const MeasuredTime before = row->before.run->time, after = row->after.run->time;
    return before.ms > 0 && after.ms > 0 && (time_is_faster(before, after) || time_is_faster(after, before));
}

bool batch_row_changes(const BatchRow *row)
{
    return strcmp(row->after.state, "recorded") == 0 &&
           (strcmp(row->before.verdict, row->after.verdict) != 0 || row->before.rank != row->after.rank ||
            batch_row_time_differs(row));
}

/* ==== batches ===================================================================================================== */

/* A shadow position comes after all positions of submissions.h, which are seconds since 1970. */
#define SHADOW_POSITION "1e15 + "

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A hand-in that came later than the batch waits in vain if its own judging is of the same edition, and no worker has seen the
 * second one. */
#define IS_SPARED                                                                                                      \
    "(judging.state = 'queued' AND judging.attempt = 0 AND EXISTS (SELECT * FROM submission JOIN judging AS own"       \
    " ON own.submission = submission.id AND own.batch = 1 WHERE submission.id = judging.submission"                    \
    " AND received_utc > batch.created_utc AND own.state = 'recorded' AND own.revision = judging.revision"             \
    " AND own.edition IS batch.edition))"

#define BATCH_COLUMNS                                                                                                  \
    "SELECT batch.id, batch.problem, min(revision), reason, batch.state, created_utc, count(*),"                       \
    " sum(judging.state = 'recorded'), sum(judging.state IN ('queued', 'offered')), sum(judging.state = 'running'),"   \
    " sum(judging.state = 'held'), sum(judging.state = 'cancelled'), sum(" IS_SPARED                                   \
    "), min(revision) <> max(revision) OR total(judging.edition <> batch.edition) > 0, batch.edition,"                 \
    " edition_before FROM batch"                                                                                       \
    " JOIN judging ON judging.batch = batch.id WHERE kind = 'rejudge' "

static void take_batch(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Batch *)item = (Batch){.id = sqlite3_column_int64(row, 0),
                             .problem = database_text(arena, row, 1),
                             .revision = database_text(arena, row, 2),
                             .reason = database_text(arena, row, 3),
                             .state = database_text(arena, row, 4),
                             .created_utc = database_text(arena, row, 5),
                             .judgings = sqlite3_column_int64(row, 6),
                             .recorded = sqlite3_column_int64(row, 7),
                             .waiting = sqlite3_column_int64(row, 8),
                             .running = sqlite3_column_int64(row, 9),
                             .held = sqlite3_column_int64(row, 10),
                             .cancelled = sqlite3_column_int64(row, 11),
                             .spared = sqlite3_column_int64(row, 12),
                             .is_mixed = sqlite3_column_int(row, 13) != 0,
                             .edition = database_text(arena, row, 14),
                             .edition_before = database_text(arena, row, 15)};
}

Status batches_read(Store *store, int64_t id, Arena *arena, Batch *batch, Message *why)
{
    Status status = database_row(store, arena, take_batch, batch, why,
                                 BATCH_COLUMNS "AND batch.id = ?1 GROUP BY batch.id", "i", id);
    return status == STATUS_NOT_FOUND ? fail(status, why, "there is no batch %lld", (long long)id) : status;
}

Status batches_list(Store *store, Arena *arena, Batch **batches, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **batches, take_batch, batches, count, why,
                         BATCH_COLUMNS "GROUP BY batch.id ORDER BY batch.id DESC", "");
}

Status batches_board_revision(Store *store, const char *problem, const char *now, Arena *arena, const char **revision,
                              Message *why)
{
    *revision = arena_string(arena, now);
    return database_string(store, arena, revision, why,
                           "SELECT revision FROM counting_edition AS counting JOIN batch ON batch.problem ="
                           " counting.problem WHERE state = 'open' AND edition_before = counting.edition"
                           " AND counting.problem = ?1",
                           "t", problem);
}

Status batches_editions(Store *store, Arena *arena, const char ***editions, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **editions, database_take_text, editions, count, why,
                         "SELECT edition FROM counting_edition"
                         " UNION SELECT edition FROM batch WHERE state = 'open' AND edition IS NOT NULL"
                         " UNION SELECT edition_before FROM batch WHERE state = 'open'"
                         " AND edition_before IS NOT NULL"
                         " UNION SELECT edition FROM judging WHERE " IS_UNFINISHED
                         "state IN ('offered', 'running') AND edition IS NOT NULL",
                         "");
}

static void take_skip(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(BatchSkip *)item = (BatchSkip){sqlite3_column_int64(row, 0), database_text(arena, row, 1)};
}

Status batches_skips(Store *store, int64_t batch, Arena *arena, BatchSkip **skips, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **skips, take_skip, skips, count, why,
                         "SELECT submission, why FROM batch_skip WHERE batch = ?1 ORDER BY submission", "i", batch);
}

Status batch_expect_open(const Batch *batch, Message *why)
{
    if (strcmp(batch->state, "open") == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "batch %lld was %s already", (long long)batch->id, batch->state);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

typedef struct BatchCandidate {
    int64_t submission;
    const char *problem, *mode, *received_utc, *state;
    bool has_source;
} BatchCandidate;

static void take_candidate(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(BatchCandidate *)item = (BatchCandidate){.submission = sqlite3_column_int64(row, 0),
                                               .problem = database_text(arena, row, 1),
                                               .mode = database_text(arena, row, 2),
                                               .received_utc = database_text(arena, row, 3),
                                               .state = database_text(arena, row, 4),
                                               .has_source = sqlite3_column_int(row, 5) != 0};
}

#define CANDIDATES                                                                                                     \
    "SELECT submission.id, problem, mode, received_utc, state, EXISTS (SELECT * FROM sources"                          \
    " WHERE sources.source_hash = submission.source_hash) FROM submission"                                             \
    " JOIN current_judging ON current_judging.submission = submission.id "

static Status find_candidates(Store *store, const BatchRequest *request, Rows *rows, Message *why)
{
    Status status = STATUS_OK;
    if (request->submission_count == 0)
        return database_query(store, rows, take_candidate, why,
                              CANDIDATES
                              "WHERE problem = ?1 AND mode = 'rank' AND received_utc >= ?2 ORDER BY submission.id",
                              "tt", request->problem, request->since_utc);
    for (size_t i = 0; i < request->submission_count && status == STATUS_OK; i++) {
        const size_t before = rows->count;
        status = database_query(store, rows, take_candidate, why, CANDIDATES "WHERE submission.id = ?1", "i",
                                request->submissions[i]);
        if (status == STATUS_OK && rows->count == before)
            *(BatchCandidate *)database_rows_next(rows) = (BatchCandidate){.submission = request->submissions[i]};
    }
    return status;
}

/* NULL: it is judged again. */
static const char *reason_to_skip(const BatchRequest *request, const BatchCandidate *candidate)
{
    if (candidate->problem == NULL)
        return "no submission has this number";
    if (strcmp(candidate->problem, request->problem) != 0)
        return "it is of another problem";
    if (strcmp(candidate->mode, "rank") != 0)
        return "it was not submitted for the ranking";
    if (strcmp(candidate->received_utc, request->since_utc) < 0)
        return "it was submitted earlier";
    if (strcmp(candidate->state, "cancelled") == 0)
        return "its author has withdrawn it";
    return candidate->has_source ? NULL : "the store does not have its source";
}

static Status refuse_second_batch(Store *store, const char *problem, Message *why)
{
    int64_t open = 0;
    Status status = database_int(store, &open, why, "SELECT id FROM batch WHERE problem = ?1 AND state = 'open'", "t",
                                 problem);
    if (status != STATUS_OK || open == 0)
        return status;
    return fail(STATUS_BAD_INPUT, why, "batch %lld of problem %s is open; apply or drop it before another is begun",
                (long long)open, problem);
}

static Status insert_batch(Store *store, const BatchRequest *request, int64_t *batch, Message *why)
{
    Status status = database_do(store, NULL, why,
                                "INSERT INTO batch (kind, problem, reason, state, created_utc, edition, edition_before)"
                                " VALUES ('rejudge', ?1, ?2, 'open', ?3, ?4, (SELECT edition FROM counting_edition"
                                " WHERE problem = ?1 AND edition <> ?4))",
                                "tttt", request->problem, request->reason, utc_now().text, request->edition);
    *batch = sqlite3_last_insert_rowid(store->database);
    return status;
}

static Status insert_judging(Store *store, int64_t batch, int64_t submission, const char *revision, int64_t *added,
                             Message *why)
{
    return database_do(store, added, why,
                       "INSERT INTO judging (submission, batch, revision, position, state, attempt, failures)"
                       " VALUES (?1, ?2, ?3, " SHADOW_POSITION "?1, 'queued', 0, 0) ON CONFLICT DO NOTHING",
                       "iit", submission, batch, revision);
}

/* "; submission 4: its author has withdrawn it", for the first few. */
static Status refuse_empty(const BatchRequest *request, const Rows *skips, Message *why)
{
    enum { MOST_NAMED = 5 };
    const BatchSkip *skip = (const BatchSkip *)(const void *)skips->items;
    Text text = {0};
    text_printf(&text, "problem %s has nothing to judge again", request->problem);
    for (size_t i = 0; i < skips->count && i < MOST_NAMED; i++)
        text_printf(&text, "; submission %lld: %s", (long long)skip[i].submission, skip[i].why);
    Status status = fail(STATUS_BAD_INPUT, why, "%s", text.data);
    text_free(&text);
    return status;
}

static Status insert_skip(Store *store, int64_t batch, const BatchSkip *skip, Message *why)
{
    return database_do(store, NULL, why,
                       "INSERT INTO batch_skip (batch, submission, why) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                       "iit", batch, skip->submission, skip->why);
}

static Status insert_judgings(Store *store, const BatchRequest *request, const Rows *candidates, int64_t batch,
                              Rows *skips, Message *why)
{
    const BatchCandidate *candidate = (const BatchCandidate *)(const void *)candidates->items;
    int64_t count = 0, added = 0;
    Status status = STATUS_OK;
    for (size_t i = 0; i < candidates->count && status == STATUS_OK; i++) {
        const char *reason = reason_to_skip(request, &candidate[i]);
        if (reason != NULL) {
            const BatchSkip skip = {candidate[i].submission, reason};
            *(BatchSkip *)database_rows_next(skips) = skip;
            status = insert_skip(store, batch, &skip, why);
            continue;
        }
        status = insert_judging(store, batch, candidate[i].submission, request->revision, &added, why);
        count += added;
    }
    return status == STATUS_OK && count == 0 ? refuse_empty(request, skips, why) : status;
}

static Status note(Store *store, const char *person, const char *action, int64_t batch, const char *reason,
                   Message *why)
{
    Text object = {0};
    text_printf(&object, "batch %lld%s%s", (long long)batch, reason == NULL ? "" : ": ", reason == NULL ? "" : reason);
    Status status = audit_add(store, person, action, object.data, why);
    text_free(&object);
    return status;
}

static Status open_batch(Store *store, const BatchRequest *request, const char *person, Arena *arena, int64_t *batch,
                         Rows *skips, Message *why)
{
    Rows candidates = {.arena = arena, .item_bytes = sizeof(BatchCandidate)};
    TRY(refuse_second_batch(store, request->problem, why));
    TRY(find_candidates(store, request, &candidates, why));
    TRY(insert_batch(store, request, batch, why));
    TRY(insert_judgings(store, request, &candidates, *batch, skips, why));
    return note(store, person, "rejudge", *batch, request->reason, why);
}

Status batches_open(Store *store, const BatchRequest *request, const char *person, Arena *arena, int64_t *batch,
                    BatchSkip **skips, size_t *skip_count, Message *why)
{
    Rows skipped = {.arena = arena, .item_bytes = sizeof **skips};
    TRY(database_begin(store, why));
    Status status = database_end(store, open_batch(store, request, person, arena, batch, &skipped, why), why);
    *skips = (BatchSkip *)(void *)skipped.items;
    *skip_count = skipped.count;
    return status;
}

Status batches_take_in(Store *store, int64_t submission, const char *problem, Message *why)
{
    return database_do(store, NULL, why,
                       "INSERT INTO judging (submission, batch, revision, position, state, attempt, failures)"
                       " SELECT ?1, batch.id, (SELECT revision FROM judging WHERE judging.batch = batch.id LIMIT 1),"
                       " " SHADOW_POSITION "?1, 'queued', 0, 0 FROM batch"
                       " WHERE kind = 'rejudge' AND state = 'open' AND problem = ?2",
                       "it", submission, problem);
}

/* ---- dropping ---------------------------------------------------------------------------------------------------- */

static Status drop(Store *store, int64_t id, const char *person, Arena *arena, Message *why)
{
    Batch batch;
    TRY(batches_read(store, id, arena, &batch, why));
    TRY(batch_expect_open(&batch, why));
    TRY(database_do(store, NULL, why, "UPDATE judging SET state = 'cancelled' WHERE batch = ?1 AND state <> 'recorded'",
                    "i", id));
    TRY(database_do(store, NULL, why, "UPDATE batch SET state = 'dropped' WHERE id = ?1", "i", id));
    return note(store, person, "rejudge drop", id, NULL, why);
}

Status batches_drop(Store *store, int64_t id, const char *person, Message *why)
{
    Arena arena = {0};
    Status status = database_begin(store, why);
    THEN(status, database_end(store, drop(store, id, person, &arena, why), why));
    arena_free(&arena);
    return status;
}
