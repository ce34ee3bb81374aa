#include "service/web/report_folder.h"

#include "base/arena.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "service/web/parts.h"
#include "service/web/board_plots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Folder { /* a report that is being written */
    Store *store;
    const ReportOrder *order;
    ProblemRow *problems;
    SubmissionLine *runs; /* that rank, of all problems */
    size_t run_count, run_capacity;
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

static void list_run(Folder *folder, const RecordedRun *run)
{
    folder->runs = arena_grown(&folder->arena, folder->runs, folder->run_count, &folder->run_capacity,
                               sizeof *folder->runs);
    folder->runs[folder->run_count++] = (SubmissionLine){
        .number = run->id,
        .person = arena_string(&folder->arena, run->run.person),
        .problem = arena_string(&folder->arena, run->run.board.problem),
        .file_name = arena_string(&folder->arena, run->run.file_name),
        .received = arena_string(&folder->arena, run->run.time_utc),
        .state = "judged",
        .verdict = arena_string(&folder->arena, run->run.verdict),
        .time = run->run.time,
        .device = arena_string(&folder->arena, run->run.board.device),
    };
}

/* The rank of the person's best code, if this run is of it. */
static void find_rank(const BoardPage *board, const RecordedRun *run, SubmissionPage *page)
{
    for (size_t i = 0; i < board->standing_count; i++)
        if (board->standings[i].run == run->id) {
            page->rank = (int64_t)board->standings[i].rank;
            page->of = (int64_t)board->standing_count;
        }
}

static Status write_run_page(Folder *folder, const Problem *problem, const BoardPage *board, const RecordedRun *run,
                             Message *why)
{
    Text text = {0}, name = {0};
    cJSON *result = submission_of_run(&run->run), *sitting = cJSON_Parse(run->run.sitting);
    SubmissionPage page = {
        .number = run->id,
        .person = run->run.person,
        .problem = problem->id,
        .problem_title = problem->title,
        .file_name = run->run.file_name,
        .state = "judged",
        .result = result,
        .sitting = sitting,
        .source = folder->order->with_sources ? run->run.source : NULL,
        .board = board,
        .run = run->id,
    };
    find_rank(board, run, &page);
    page_submission(&text, &site, &page);
    submission_file(&name, run->id);
    Status status = write_page(folder, name.data, &text, why);
    cJSON_Delete(result);
    cJSON_Delete(sitting);
    text_free(&text);
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

static Status read_boards(Folder *folder, ProblemPage *page, Message *why)
{
    Board *boards;
    Status status = board_data_list(folder->store, page->problem, &folder->arena, &boards, &page->board_count, why);
    if (status != STATUS_OK)
        return status;
    BoardPage *pages = arena_array(&folder->arena, page->board_count, sizeof *pages);
    page->boards = pages;
    for (size_t i = 0; status == STATUS_OK && i < page->board_count; i++) {
        status = board_data_read(folder->store, page->problem, &boards[i], &folder->arena, &pages[i], why);
        if (status == STATUS_OK)
            status = write_board_runs(folder, page->problem, &boards[i], &pages[i], why);
    }
    return status;
}

/* The row of the index: the best of the board with the most people. */
static void fill_row(Folder *folder, const ProblemPage *page, ProblemRow *row)
{
    *row = (ProblemRow){.id = arena_string(&folder->arena, page->problem->id),
                        .title = arena_string(&folder->arena, page->problem->title),
                        .difficulty = arena_string(&folder->arena, page->problem->difficulty)};
    for (size_t i = 0; i < page->board_count; i++) {
        const BoardPage *board = &page->boards[i];
        if (board->standing_count <= row->people)
            continue;
        row->people = board->standing_count;
        row->best = board->standings[0].time;
        row->best_name = board->standings[0].person;
        row->best_device = board->device;
    }
}

static Status write_problem_page(Folder *folder, const ProblemPage *page, Message *why)
{
    Text text = {0}, name = {0}, starter = {0};
    page_problem(&text, &site, page);
    problem_file(&name, page->problem->id);
    Status status = write_page(folder, name.data, &text, why);
    if (status == STATUS_OK && page->starter != NULL) {
        starter_file(&starter, page->problem->id);
        status = write_string(folder, starter.data, page->starter, why);
    }
    text_free(&text);
    text_free(&name);
    text_free(&starter);
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

static Status write_problem(Folder *folder, const char *id, ProblemRow *row, Message *why)
{
    Problem problem;
    TestcaseSet testcases = {0};
    ProblemPage page = {.problem = &problem, .testcases = &testcases, .statement = ""};
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = testcases_read(&problem, &testcases, why);
    read_problem_file(folder, &problem, "statement.md", &page.statement);
    read_problem_file(folder, &problem, "starter.cu", &page.starter);
    if (status == STATUS_OK)
        status = read_boards(folder, &page, why);
    if (status == STATUS_OK)
        status = write_problem_page(folder, &page, why);
    if (status == STATUS_OK)
        fill_row(folder, &page, row);
    testcases_free(&testcases);
    problem_free(&problem);
    return status;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static int newest_first(const void *a, const void *b)
{
    const SubmissionLine *x = a, *y = b;
    return (x->number < y->number) - (x->number > y->number);
}

static Status write_index(Folder *folder, Message *why)
{
    enum { MOST = 200 };
    Text text = {0};
    if (folder->run_count > 0)
        qsort(folder->runs, folder->run_count, sizeof *folder->runs, newest_first);
    const IndexPage index = {.problems = folder->problems,
                             .problem_count = folder->order->problem_count,
                             .recent = folder->runs,
                             .recent_count = folder->run_count < MOST ? folder->run_count : MOST};
    page_index(&text, &site, &index);
    Status status = write_page(folder, "index.html", &text, why);
    text_free(&text);
    return status;
}

static Status write_pages(Folder *folder, Message *why)
{
    const ReportOrder *order = folder->order;
    Status status = write_string(folder, "style.css", style_css, why);
    folder->problems = arena_array(&folder->arena, order->problem_count, sizeof *folder->problems);
    for (size_t i = 0; status == STATUS_OK && i < order->problem_count; i++)
        status = write_problem(folder, order->problems[i], &folder->problems[i], why);
    return status == STATUS_OK ? write_index(folder, why) : status;
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
