#include "service/api/board_answer.h"

#include "base/json.h"
#include "grader/problem/problem_read.h"
#include "leaderboard/standing.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/store/batches.h"

#include <string.h>

typedef struct Shown {  /* what a visitor sees of a board */
    const char *device; /* NULL: nobody ranks yet, and there are no standings */
    const Standing *standings;
    const int64_t *submissions; /* of each standing; 0: not for this visitor */
    size_t count;
} Shown;

/* The board of the device that the query names, or the first one. */
static const Board *choose_board(const Visit *visit, const Board *boards, size_t count)
{
    const char *device = http_query(visit->request, "device");
    for (size_t i = 0; i < count; i++)
        if (device == NULL || strcmp(boards[i].device, device) == 0)
            return &boards[i];
    return NULL;
}

static Status show_board(const Visit *visit, const Board *board, Shown *shown, Message *why)
{
    StoredRun *runs;
    size_t run_count;
    int64_t *submissions = NULL;
    Status status = store_runs(visit->service->store, board, visit->arena, &runs, &run_count, why);
    if (status != STATUS_OK)
        return status;
    Standing *standings = standings_of(runs, run_count, visit->arena, &shown->count);
    status = visible_standings(visit, standings, shown->count, &submissions, why);
    shown->device = arena_string(visit->arena, board->device);
    shown->standings = standings;
    shown->submissions = submissions;
    return status;
}

/* False: the failure has been answered. */
static bool read_board(Visit *visit, Shown *shown)
{
    Problem problem;
    Board *boards;
    size_t count;
    Message why;
    *shown = (Shown){0};
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK && class_hides_board_from(visit, problem.id)) {
        problem_free(&problem);
        answer_error(visit, 403, "the board of %s is not shown now", visit->argument);
        return false;
    }
    if (status == STATUS_OK) {
        const char *revision;
        status = batches_board_revision(visit->service->store, problem.id, problem.revision.hex, visit->arena,
                                        &revision, &why);
        if (status == STATUS_OK)
            status = store_boards(visit->service->store, problem.id, revision, visit->arena, &boards, &count, &why);
        const Board *board = status == STATUS_OK ? choose_board(visit, boards, count) : NULL;
        if (board != NULL)
            status = show_board(visit, board, shown, &why);
        problem_free(&problem);
    }
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

void board_answer(Visit *visit)
{
    Shown shown;
    if (!read_board(visit, &shown))
        return;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "problem", visit->argument);
    if (shown.device != NULL) {
        cJSON_AddStringToObject(object, "device", shown.device);
        cJSON_AddBoolToObject(object, "modelled", strncmp(shown.device, "sim-", 4) == 0);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "standings");
    for (size_t i = 0; i < shown.count; i++) {
        const Standing *standing = &shown.standings[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "rank", (double)standing->rank);
        cJSON_AddStringToObject(item, "person", standing->person);
        json_put_number(item, "time_ms", standing->time.ms);
        json_put_number(item, "uncertainty", standing->time.uncertainty);
        cJSON_AddStringToObject(item, "time_utc", standing->time_utc);
        if (shown.submissions[i] != 0)
            cJSON_AddNumberToObject(item, "submission", (double)shown.submissions[i]);
        cJSON_AddItemToArray(list, item);
    }
    answer_json(visit, 200, object);
}

/* A spreadsheet takes a text that begins with one of these for a formula; an apostrophe makes it a text again. */
static void add_quoted(Text *out, const char *text)
{
    text_add(out, strchr("=+-@", text[0]) != NULL && text[0] != '\0' ? "\"'" : "\"");
    for (const char *c = text; *c != '\0'; c++)
        text_append(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    text_add(out, "\"");
}

void board_answer_csv(Visit *visit)
{
    Shown shown;
    if (!read_board(visit, &shown))
        return;
    Text *out = &visit->reply->body;
    visit->reply->type = "text/csv; charset=utf-8";
    text_add(out, "rank,person,time_ms,uncertainty,time_utc\r\n");
    for (size_t i = 0; i < shown.count; i++) {
        const Standing *standing = &shown.standings[i];
        text_printf(out, "%zu,", standing->rank);
        add_quoted(out, standing->person);
        text_printf(out, ",%.9g,%.3g,%s\r\n", standing->time.ms, standing->time.uncertainty, standing->time_utc);
    }
}
