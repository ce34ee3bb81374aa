#include "service/web/report_folder.h"

#include "base/arena.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "service/store/view.h"
#include "service/web/board_plots.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

typedef struct Folder { /* a report that is being written */
    Store *store;
    const ReportOrder *order;
    cJSON *index; /* the values of its first page */
    size_t pages;
    Arena arena;
} Folder;

static const Site site = {.is_static = true};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static Status write_file(const Folder *folder, const char *name, const Text *text, Message *why)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder->order->folder, name);
    Status status = text_write_file(path.data, text, why);
    text_free(&path);
    return status;
}

static Status write_page(Folder *folder, const char *name, const Text *page, Message *why)
{
    folder->pages++;
    return write_file(folder, name, page, why);
}

static Status write_string(const Folder *folder, const char *name, const char *string, Message *why)
{
    Text text = {0};
    text_add(&text, string);
    Status status = write_file(folder, name, &text, why);
    text_free(&text);
    return status;
}

static Status make_folder(const char *path, Message *why)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return STATUS_OK;
    return fail_errno(why, "%s: cannot make this folder", path);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void list_run(const Folder *folder, const RecordedRun *run)
{
    cJSON *row = cJSON_CreateObject(), *list = cJSON_GetObjectItem(folder->index, "recent");
    int before = 0; /* the newest first */
    for (const cJSON *item = list->child; item != NULL && view_number(item, "number") > (double)run->id;
         item = item->next)
        before++;
    values_put(row, "number=%" PRId64 " person=%s problem=%s file_name=%s received=%s state=%s verdict=%s device=%s",
               run->id, run->run.person, run->run.board.problem, run->run.file_name, run->run.time_utc, "judged",
               run->run.verdict, run->run.board.device);
    values_time(row, run->run.time);
    cJSON_InsertItemInArray(list, before, row);
}

static Status write_shown(Folder *folder, const char *name, const char *template, cJSON *values, Message *why)
{
    Text text = {0};
    site_show(&text, &site, template, values);
    Status status = write_page(folder, name, &text, why);
    text_free(&text);
    return status;
}

static Status write_run_page(Folder *folder, const Problem *problem, const BoardPage *board, const RecordedRun *run,
                             Message *why)
{
    Text name = {0};
    cJSON *result = submission_of_run(&run->run), *sitting = cJSON_Parse(run->run.sitting),
          *page = cJSON_CreateObject();
    size_t rank = 0; /* of the person's best code, if this run is of it */
    for (size_t i = 0; i < board->standing_count; i++)
        rank = board->standings[i].run == run->id ? board->standings[i].rank : rank;
    values_put(page,
               "number=%" PRId64 " person=%s problem=%s problem_title=%s file_name=%s state=%s run=%" PRId64
               " rank=%zu of=%zu",
               run->id, run->run.person, problem->id, problem->title, run->run.file_name, "judged", run->id, rank,
               board->standing_count);
    submission_put(page, &(SubmissionRecord){.result = result,
                                             .sitting = sitting,
                                             .source = folder->order->with_sources ? run->run.source : NULL,
                                             .board = board});
    submission_file(&name, run->id);
    Status status = write_shown(folder, name.data, "submission", page, why);
    cJSON_Delete(result);
    cJSON_Delete(sitting);
    text_free(&name);
    return status;
}

static Status write_run(Folder *folder, const Problem *problem, BoardPage *board, int64_t id, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    Status status = store_run(folder->store, id, &arena, &run, why);
    if (status == STATUS_OK) {
        list_run(folder, &run);
        if (board->device_name == NULL)
            board->device_name = arena_string(&folder->arena, run.run.device_name);
        status = write_run_page(folder, problem, board, &run, why);
    }
    arena_free(&arena);
    return status;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static Status write_board_runs(Folder *folder, const Problem *problem, const Board *board, BoardPage *page,
                               Message *why)
{
    StoredRun *runs;
    size_t count;
    Status status = store_runs(folder->store, board, &folder->arena, &runs, &count, why);
    int64_t *submissions = arena_array(&folder->arena, page->standing_count, sizeof *submissions);
    for (size_t i = 0; i < page->standing_count; i++)
        submissions[i] = page->standings[i].run;
    page->submissions = submissions;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = write_run(folder, problem, page, runs[i].id, why);
    return status;
}

static Status read_boards(Folder *folder, const Problem *problem, BoardPage **pages, size_t *count, Message *why)
{
    Board *boards;
    Status status = board_data_list(folder->store, problem, &folder->arena, &boards, count, why);
    if (status != STATUS_OK)
        return status;
    *pages = arena_array(&folder->arena, *count, sizeof **pages);
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        status = board_data_read(folder->store, problem, &boards[i], &folder->arena, &(*pages)[i], why);
        THEN(status, write_board_runs(folder, problem, &boards[i], &(*pages)[i], why));
    }
    return status;
}

/* The index shows the board with the most people. */
static const BoardPage *fullest(const BoardPage *boards, size_t count)
{
    const BoardPage *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (best == NULL || boards[i].standing_count > best->standing_count)
            best = &boards[i];
    return best;
}

static Status write_problem_page(Folder *folder, const Problem *problem, const char *starter, cJSON *values,
                                 Message *why)
{
    Text name = {0}, starter_name = {0};
    problem_file(&name, problem->id);
    Status status = write_shown(folder, name.data, "problem", values, why);
    if (status == STATUS_OK && starter != NULL) {
        starter_file(&starter_name, problem->id);
        status = write_string(folder, starter_name.data, starter, why);
    }
    text_free(&name);
    text_free(&starter_name);
    return status;
}

/* Reads a file of the problem's folder; without a text if there is none. */
static void read_problem_file(Folder *folder, const Problem *problem, const char *name, const char **text)
{
    Text content = {0};
    Message why;
    if (text_read_file(arena_printf(&folder->arena, "%s/%s", problem->folder, name), 1 << 20, &content, &why) ==
        STATUS_OK)
        *text = arena_string(&folder->arena, content.data);
    text_free(&content);
}

static Status write_problem(Folder *folder, const char *id, Message *why)
{
    Problem problem;
    TestcaseSet testcases = {0};
    BoardPage *boards;
    size_t count = 0;
    const char *statement = "", *starter = NULL;
    TRY(problem_read(id, &problem, why));
    Status status = testcases_read(&problem, &testcases, why);
    read_problem_file(folder, &problem, "statement.md", &statement);
    read_problem_file(folder, &problem, "starter.cu", &starter);
    THEN(status, read_boards(folder, &problem, &boards, &count, why));
    if (status == STATUS_OK) {
        cJSON *values = problem_values(&problem, &testcases, statement, starter);
        problem_put_boards(values, boards, count, NULL);
        problem_put_row(cJSON_GetObjectItem(folder->index, "problems"), &problem, "", fullest(boards, count));
        status = write_problem_page(folder, &problem, starter, values, why);
    }
    testcases_free(&testcases);
    problem_free(&problem);
    return status;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static Status write_pages(Folder *folder, Message *why)
{
    const ReportOrder *order = folder->order;
    Status status = write_string(folder, "style.css", style_css, why);
    folder->index = cJSON_CreateObject();
    cJSON_AddArrayToObject(folder->index, "problems");
    cJSON_AddArrayToObject(folder->index, "recent");
    for (size_t i = 0; status == STATUS_OK && i < order->problem_count; i++)
        status = write_problem(folder, order->problems[i], why);
    if (status == STATUS_OK)
        return write_shown(folder, "index.html", "index", folder->index, why);
    cJSON_Delete(folder->index);
    return status;
}

Status report_folder_write(Store *store, const ReportOrder *order, size_t *pages, Message *why)
{
    Folder folder = {.store = store, .order = order};
    Status status = make_folder(order->folder, why);
    if (status == STATUS_OK && store != NULL)
        status = store_begin_reading(store, why);
    if (status != STATUS_OK)
        return status;
    status = write_pages(&folder, why);
    if (status == STATUS_OK && store != NULL)
        status = store_end_reading(store, why);
    *pages = folder.pages;
    arena_free(&folder.arena);
    return status;
}
