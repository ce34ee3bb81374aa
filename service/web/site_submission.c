/* site_submission.c - the page of a submission.  */
#include "base/hash.h"
#include "base/paths.h"
#include "base/random.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"
#include "service/store/judgings.h"
#include "service/web/answer.h"
#include "service/web/board_plots.h"
#include "service/web/site_answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== site submission ============================================================================================= */

static Status read_json(const Visit *visit, int64_t judging, const char *kind, cJSON **json, Message *why)
{
    const char *text;
    Status status = judgings_document(visit->service->store, judging, kind, visit->arena, &text, why);
    *json = status == STATUS_OK && text != NULL ? cJSON_Parse(text) : NULL;
    return status;
}

static Status fill_outlook(const Visit *visit, const StoredSubmission *row, SubmissionPage *page, Message *why)
{
    QueueOutlook outlook;
    QueueProgress progress = {0};
    Status status = judgings_outlook(visit->service->store, row->position, &outlook, why);
    if (status != STATUS_OK)
        return status;
    page->ahead = outlook.ahead;
    page->expected_s = ceil((double)(outlook.ahead + 1) * outlook.mean_s);
    if (queue_progress(visit->service->queue, row->judging, &progress) && progress.step[0] != '\0') {
        page->step = arena_string(visit->arena, progress.step);
        page->done = progress.done;
        page->total = progress.total;
    }
    return STATUS_OK;
}

static void find_rank(const StoredSubmission *row, const char *shown, SubmissionPage *page)
{
    for (size_t i = 0; i < page->board->standing_count; i++)
        if (strcmp(page->board->standings[i].person, shown) == 0) {
            page->rank = (int64_t)page->board->standings[i].rank;
            page->of = (int64_t)page->board->standing_count;
        }
    if (strcmp(row->rank_state, "ranked") != 0)
        page->rank = page->of = 0;
}

static Status fill_board(const Visit *visit, const StoredSubmission *row, BoardPage *board, SubmissionPage *page,
                         Message *why)
{
    Problem problem;
    int64_t person;
    Status status = problem_read(row->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    page->problem_title = arena_string(visit->arena, problem.title);
    if (row->run != 0) {
        page->run = row->run;
        const Board of_run = {
            .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
        status = site_board(visit, &problem, &of_run, board, why);
        if (class_hides_board_from(visit, row->problem)) /* the times of reference solutions are no secret */
            board->standing_count = board->best_count = 0;
        board->device_name = row->device_name;
        page->board = board;
    }
    problem_free(&problem);
    if (status == STATUS_OK && page->board != NULL)
        find_rank(row, visible_name(visit, row->person, &person), page);
    return status;
}

static Status fill_sitting(const Visit *visit, const StoredSubmission *row, cJSON **sitting, Message *why)
{
    RecordedRun run;
    if (row->run == 0)
        return STATUS_OK;
    Status status = store_run(visit->service->store, row->run, visit->arena, &run, why);
    *sitting = status == STATUS_OK ? cJSON_Parse(run.run.sitting) : NULL;
    return status;
}

/* The teacher's own words. */
static Status fill_ruling(const Visit *visit, const StoredSubmission *row, SubmissionPage *page, Message *why)
{
    Ruling ruling;
    if (strcmp(row->rank_state, "retracted") != 0 && strcmp(row->rank_state, "rejected") != 0)
        return STATUS_OK;
    Status status = rulings_in_force(visit->service->store, row->run, visit->arena, &ruling, why);
    if (status == STATUS_OK)
        page->retracted = ruling.run == 0 ? row->rank_state : ruling.why;
    return status;
}

static Status fill_times_again(const Visit *visit, const StoredSubmission *row, SubmissionPage *page, Message *why)
{
    StoredRun *again;
    if (row->run == 0)
        return STATUS_OK;
    Status status = store_times_again(visit->service->store, row->run, visit->arena, &again, &page->again_count, why);
    page->again = again;
    return status;
}

typedef struct Documents {
    cJSON *result, *explain, *sitting;
} Documents;

static Status fill(const Visit *visit, const StoredSubmission *row, Documents *documents, BoardPage *board,
                   SubmissionPage *page, Message *why)
{
    Status status = read_json(visit, row->judging, "result", &documents->result, why);
    if (documents->result != NULL && class_hides_board_from(visit, row->problem))
        place_take_out(documents->result);
    if (status == STATUS_OK)
        status = read_json(visit, row->judging, "explain", &documents->explain, why);
    if (status == STATUS_OK)
        status = fill_sitting(visit, row, &documents->sitting, why);
    if (status == STATUS_OK)
        status = submissions_source(visit->service->store, row->source_hash, visit->arena, &page->source, why);
    if (status == STATUS_OK)
        status = fill_board(visit, row, board, page, why);
    if (status == STATUS_OK)
        status = fill_ruling(visit, row, page, why);
    if (status == STATUS_OK)
        status = fill_times_again(visit, row, page, why);
    if (status == STATUS_OK && !submission_has_ended(row))
        status = fill_outlook(visit, row, page, why);
    page->result = documents->result;
    page->explain = documents->explain;
    page->sitting = documents->sitting;
    return status;
}

void site_submission(Visit *visit)
{
    const Site site = site_of(visit);
    StoredSubmission row;
    BoardPage board = {0};
    Documents documents = {0};
    Message why;
    if (!visible_submission(visit, &row))
        return;
    const bool is_own = row.person_id == visit->person.id;
    SubmissionPage page = {.number = row.id,
                           .person = row.person,
                           .problem = row.problem,
                           .problem_title = row.problem,
                           .file_name = row.file_name,
                           .received = row.received_utc,
                           .mode = row.mode,
                           .state = submission_state(&row),
                           .counts_for = site_counts_for(visit, &row),
                           .can_withdraw = is_own && strcmp(submission_state(&row), "waiting") == 0};
    Status status = fill(visit, &row, &documents, &board, &page, &why);
    if (status == STATUS_OK)
        page_submission(&visit->reply->body, &site, &page);
    cJSON_Delete(documents.result);
    cJSON_Delete(documents.explain);
    cJSON_Delete(documents.sitting);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}

/* ==== site problem ================================================================================================ */

/* site_submission.c - the list of problems, and the page of each.  */

enum { STATEMENT_BYTES = 1 << 20 };

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* The board that most people rank on. */
static Status fill_row(const Visit *visit, const Problem *problem, ProblemRow *row, Message *why)
{
    Board *boards;
    size_t count;
    if (class_hides_board_from(visit, problem->id))
        return STATUS_OK;
    Status status = site_boards(visit, problem, &boards, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        BoardPage board;
        status = site_board(visit, problem, &boards[i], &board, why);
        if (status != STATUS_OK || board.standing_count <= row->people)
            continue;
        row->people = board.standing_count;
        row->best_name = board.standings[0].person;
        row->best = board.standings[0].time;
        row->best_device = board.device;
    }
    return status;
}

/* The visitor's best one: Accepted, or else the newest. */
static Status find_verdict(const Visit *visit, const Problem *problem, const char **verdict, Message *why)
{
    return database_string(visit->service->store, visit->arena, verdict, why,
                           "SELECT verdict FROM submission JOIN current_judging AS judging"
                           " ON judging.submission = submission.id WHERE submission.person = ?1"
                           " AND submission.problem = ?2 AND mode <> 'try' AND verdict IS NOT NULL"
                           " ORDER BY verdict = 'Accepted' DESC, submission.id DESC LIMIT 1",
                           "it", visit->person.id, problem->id);
}

/* A problem whose files are broken, perhaps since somebody changes them just now, takes the others away from nobody. */
static Status list_problem(const Visit *visit, const char *id, ProblemRow *row, Message *why)
{
    Problem problem;
    *row = (ProblemRow){.id = id, .title = id, .difficulty = "out of order"};
    Status status = problem_read(id, &problem, NULL);
    if (status != STATUS_OK)
        return STATUS_OK;
    *row = (ProblemRow){.id = arena_string(visit->arena, problem.id),
                        .title = arena_string(visit->arena, problem.title),
                        .difficulty = arena_string(visit->arena, problem.difficulty)};
    status = fill_row(visit, &problem, row, why);
    if (status == STATUS_OK && visit->is_known)
        status = find_verdict(visit, &problem, &row->verdict, why);
    problem_free(&problem);
    return status;
}

static Status list_recent(const Visit *visit, IndexPage *page, Message *why)
{
    const SubmissionFilter filter = {.person = visit->person.id, .limit = 10};
    StoredSubmission *rows;
    if (!visit->is_known)
        return STATUS_OK;
    Status status = submissions_list(visit->service->store, &filter, visit->arena, &rows, &page->recent_count, why);
    if (status == STATUS_OK)
        page->recent = site_lines(visit->arena, rows, page->recent_count);
    return status;
}

void site_index(Visit *visit)
{
    const Site site = site_of(visit);
    const char **ids;
    IndexPage page = {0};
    Message why;
    Status status = problem_list(visit->arena, &ids, &page.problem_count, &why);
    ProblemRow *rows = arena_array(visit->arena, page.problem_count + 1, sizeof *rows);
    for (size_t i = 0; i < page.problem_count && status == STATUS_OK; i++)
        status = list_problem(visit, ids[i], &rows[i], &why);
    page.problems = rows;
    site_fill_assignments(visit, &page);
    if (status == STATUS_OK)
        status = list_recent(visit, &page, &why);
    if (status == STATUS_OK)
        page_index(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}

/* ---- one problem ------------------------------------------------------------------------------------------------- */

static Status read_file(const Visit *visit, const char *id, const char *name, const char **text, Message *why)
{
    char relative[200], path[4096];
    Text file = {0};
    snprintf(relative, sizeof relative, "problems/%s/%s", id, name);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status == STATUS_OK)
        status = text_read_file(path, STATEMENT_BYTES, &file, why);
    if (status == STATUS_OK)
        *text = arena_copy(visit->arena, file.length == 0 ? "" : file.data, file.length);
    text_free(&file);
    return status;
}

static Status make_key(Arena *arena, const char **key, Message *why)
{
    unsigned char bytes[32];
    Status status = random_bytes(bytes, sizeof bytes, why);
    if (status == STATUS_OK)
        *key = arena_string(arena, hash_of_bytes(bytes, sizeof bytes).hex);
    return status;
}

static Status fill_boards(const Visit *visit, const Problem *problem, ProblemPage *page, Message *why)
{
    Board *boards;
    Status status = site_boards(visit, problem, &boards, &page->board_count, why);
    BoardPage *filled = arena_array(visit->arena, page->board_count + 1, sizeof *filled);
    for (size_t i = 0; i < page->board_count && status == STATUS_OK; i++)
        status = site_board(visit, problem, &boards[i], &filled[i], why);
    page->boards = filled;
    page->hides_board = class_hides_board_from(visit, problem->id);
    page->board_count = page->hides_board ? 0 : page->board_count;
    return status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool is_among(const Person *people, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(people[i].name, name) == 0 || strcmp(people[i].pseudonym, name) == 0)
            return true;
    return false;
}

/* Keeps a group's people, with their ranks among all. The best times over the weeks are everybody's. */
static Status keep_group(const Visit *visit, int64_t group, ProblemPage *page, Message *why)
{
    Person *people;
    size_t count;
    Status status = people_list(visit->service->store, group, visit->arena, &people, &count, why);
    for (size_t b = 0; b < page->board_count && status == STATUS_OK; b++) {
        BoardPage *board = (BoardPage *)&page->boards[b];
        Standing *kept = arena_array(visit->arena, board->standing_count + 1, sizeof *kept);
        int64_t *submissions = arena_array(visit->arena, board->standing_count + 1, sizeof *submissions);
        size_t number = 0;
        for (size_t i = 0; i < board->standing_count; i++)
            if (is_among(people, count, board->standings[i].person)) {
                submissions[number] = board->submissions[i];
                kept[number++] = board->standings[i];
            }
        board->standings = kept;
        board->submissions = submissions;
        board->standing_count = number;
        board->best_count = 0;
    }
    return status;
}

static Status fill_groups(const Visit *visit, ProblemPage *page, Message *why)
{
    const char *chosen = http_query(visit->request, "group");
    PersonGroup *groups;
    size_t count;
    Status status = people_list_groups(visit->service->store, visit->arena, &groups, &count, why);
    if (status != STATUS_OK || count == 0)
        return status;
    const char **names = arena_array(visit->arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        names[i] = groups[i].name;
        if (chosen != NULL && strcmp(chosen, groups[i].name) == 0) {
            page->group = groups[i].name;
            status = keep_group(visit, groups[i].id, page, why);
        }
    }
    page->groups = names;
    return status;
}

static Status find_sources(const Visit *visit, const char *problem, bool *has_sources, Message *why)
{
    StoredSubmission *rows;
    size_t count = 0;
    if (class_of(visit) == NULL)
        return STATUS_OK;
    Status status = class_open_sources(visit, problem, &rows, &count, why);
    *has_sources = count > 0;
    return status;
}

static Status fill_problem(const Visit *visit, const Problem *problem, ProblemPage *page, Message *why)
{
    Status status = read_file(visit, problem->id, "statement.md", &page->statement, why);
    if (status == STATUS_OK && read_file(visit, problem->id, "starter.cu", &page->starter, NULL) != STATUS_OK)
        page->starter = NULL;
    if (status == STATUS_OK)
        status = fill_boards(visit, problem, page, why);
    if (status == STATUS_OK)
        status = fill_groups(visit, page, why);
    page->deadlines = site_deadlines(visit, problem->id);
    if (status == STATUS_OK && visit->is_known)
        status = find_sources(visit, problem->id, &page->has_sources, why);
    if (status == STATUS_OK && visit->is_known)
        status = make_key(visit->arena, &page->key, why);
    return status;
}

static Status show_problem(Visit *visit, const Problem *problem, Message *why)
{
    const Site site = site_of(visit);
    TestcaseSet cases;
    ProblemPage page = {.problem = problem, .testcases = &cases};
    Status status = testcases_read(problem, &cases, why);
    if (status != STATUS_OK)
        return status;
    status = fill_problem(visit, problem, &page, why);
    if (status == STATUS_OK)
        page_problem(&visit->reply->body, &site, &page);
    testcases_free(&cases);
    return status;
}

void site_problem(Visit *visit)
{
    Problem problem;
    Message why;
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK) {
        status = show_problem(visit, &problem, &why);
        problem_free(&problem);
    }
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}

void site_starter(Visit *visit)
{
    Problem problem;
    Message why;
    const char *starter = NULL;
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK) {
        status = read_file(visit, problem.id, "starter.cu", &starter, &why);
        problem_free(&problem);
    }
    if (status == STATUS_OK) {
        http_reply_header(visit->reply, "Content-Disposition", "attachment; filename=\"starter.cu\"");
        answer_text(visit, "text/plain; charset=utf-8", starter);
    } else {
        answer_failure(visit, status, &why);
    }
}
