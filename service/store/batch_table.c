#include "service/store/batch_table.h"

#include "leaderboard/database.h"
#include "leaderboard/standing.h"
#include "service/spool/spool_record.h"

#include <string.h>

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
    Status status = store_run(store, row->before.run_id, arena, recorded, why);
    if (status != STATUS_OK)
        return status;
    row->before.run = &recorded->run;
    row->run_state = recorded->state;
    row->before.ranks = strcmp(recorded->state, "ranked") == 0;
    return rulings_in_force(store, row->before.run_id, arena, &row->ruling, why);
}

/* What a teacher decided about a submission holds after a rejudging, too. */
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
    Status status = spool_parse_run("the run of a rejudging", text, arena, run, why);
    row->after.run = status == STATUS_OK ? run : NULL;
    row->after.ranks = status == STATUS_OK && will_rank(run->rank_status, &row->ruling);
    return status;
}

static Status read_rows(Store *store, int64_t batch, Arena *arena, BatchRow **rows, size_t *count, Message *why)
{
    Rows read = {.arena = arena, .item_bytes = sizeof(ReadRow)};
    Status status = database_query(store, &read, take_row, why, rows_of_a_batch, "i", batch);
    const ReadRow *found = (const ReadRow *)(const void *)read.items;
    *count = read.count;
    *rows = arena_array(arena, read.count, sizeof **rows);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        BatchRow *row = &(*rows)[i];
        *row = found[i].row;
        status = read_run_before(store, row, arena, why);
        if (status == STATUS_OK)
            status = read_run_after(row, found[i].run, arena, why);
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
                                           .time = run->time,
                                           .cases = run->cases};
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
    Status status = store_runs(store, board, boards->arena, &now, &now_count, why);
    if (status != STATUS_OK)
        return status;
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
    if (status == STATUS_OK)
        status = read_rows(store, batch, arena, rows, count, why);
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
