/* site_submission.c - the page of a submission.  */
#include "base/hash.h"
#include "base/paths.h"
#include "base/random.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "grader/report/look.h"
#include "grader/report/steps.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"
#include "service/store/judgings.h"
#include "service/store/view.h"
#include "service/web/answer.h"
#include "service/web/site_answers.h"
#include "service/web/template.h"

#include <inttypes.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== site submission ============================================================================================= */

static Status read_json(const Visit *visit, int64_t judging, const char *kind, cJSON **json, Message *why)
{
    const char *text;
    Status status = judgings_document(visit->service->store, judging, kind, visit->arena, &text, why);
    *json = status == STATUS_OK && text != NULL ? cJSON_Parse(text) : NULL;
    return status;
}

static Status put_outlook(const Visit *visit, const StoredSubmission *row, cJSON *page, Message *why)
{
    QueueOutlook outlook;
    QueueProgress progress = {0};
    TRY(judgings_outlook(visit->service->store, row->position, &outlook, why));
    queue_progress(visit->service->queue, row->judging, &progress);
    values_put(page, "ahead=%" PRId64 " expected_s=%g step=%s done=%d total=%d", outlook.ahead,
               ceil((double)(outlook.ahead + 1) * outlook.mean_s), progress.step, progress.done, progress.total);
    return STATUS_OK;
}

static void put_rank(cJSON *page, const StoredSubmission *row, const BoardPage *board, const char *shown)
{
    size_t rank = 0;
    for (size_t i = 0; i < board->standing_count && strcmp(row->rank_state, "ranked") == 0; i++)
        if (strcmp(board->standings[i].person, shown) == 0)
            rank = board->standings[i].rank;
    values_put(page, "rank=%zu of=%zu", rank, board->standing_count);
}

/* `board` stays empty where the submission has no run. */
static Status put_board(const Visit *visit, const StoredSubmission *row, BoardPage *board, cJSON *page, Message *why)
{
    Problem problem;
    int64_t person;
    const Board of_run = {
        .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
    Status status = problem_read(row->problem, &problem, why);
    TRY(status);
    values_put(page, "problem_title=%s", problem.title);
    if (row->run != 0) {
        status = site_board(visit, &problem, &of_run, BOARD_ROWS, board, why);
        if (class_hides_board_from(visit, row->problem)) /* the times of reference solutions are no secret */
            board->standing_count = board->best_count = 0;
        board->device_name = row->device_name;
    }
    problem_free(&problem);
    put_rank(page, row, board, visible_name(visit, row->person, &person));
    return status;
}

static Status read_sitting(const Visit *visit, const StoredSubmission *row, cJSON **sitting, Message *why)
{
    RecordedRun run;
    if (row->run == 0)
        return STATUS_OK;
    Status status = store_run(visit->service->store, row->run, visit->arena, &run, why);
    *sitting = status == STATUS_OK ? cJSON_Parse(run.run.sitting) : NULL;
    return status;
}

/* The teacher's own words. */
static Status put_ruling(const Visit *visit, const StoredSubmission *row, cJSON *page, Message *why)
{
    Ruling ruling;
    if (strcmp(row->rank_state, "retracted") != 0 && strcmp(row->rank_state, "rejected") != 0)
        return STATUS_OK;
    TRY(rulings_in_force(visit->service->store, row->run, visit->arena, &ruling, why));
    values_put(page, "retracted=%s", ruling.run == 0 ? row->rank_state : ruling.why);
    return STATUS_OK;
}

/* Later times of the same source, oldest first. */
static Status put_times_again(const Visit *visit, const StoredSubmission *row, cJSON *list, Message *why)
{
    StoredRun *again;
    size_t count = 0;
    if (row->run == 0)
        return STATUS_OK;
    Status status = store_times_again(visit->service->store, row->run, visit->arena, &again, &count, why);
    for (size_t i = 0; i < count; i++) {
        cJSON *line = values_row(list);
        values_put(line, "run=%" PRId64 " time_utc=%s", again[i].id, again[i].time_utc);
        values_time(line, again[i].time);
    }
    return status;
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

static void put_example(const char *problem, const LadderStep *step, cJSON *page)
{
    char relative[512], path[4096];
    Submission example;
    Message ignored;
    snprintf(relative, sizeof relative, "solutions/%s/accepted/%s", problem, step->example);
    if (paths_home(relative, path, sizeof path, &ignored) != STATUS_OK ||
        submission_read(path, &example, &ignored) != STATUS_OK)
        return;
    values_put(page, "step_code=%s", example.source.data);
    submission_free(&example);
}

/* The sketch of the step that explain.json names, and the code of its example, as far as the visitor may see them. The
 * problem's files may have changed since: then the step is the one that has the name now, or nothing is shown. */
static void put_step(const Visit *visit, const StoredSubmission *row, const cJSON *explain, cJSON *page)
{
    const char *name = view_text(view_item(explain, "step"), "name");
    Problem problem;
    Steps steps = {0};
    Message ignored;
    if (name[0] == '\0' || problem_read(row->problem, &problem, &ignored) != STATUS_OK)
        return;
    if (steps_read(&problem, &steps, &ignored) != STATUS_OK)
        steps = (Steps){0};
    for (size_t i = 0; i < steps.count; i++) {
        if (strcmp(steps.steps[i].name, name) != 0)
            continue;
        if (class_shows_step(visit, row->problem, false))
            values_put(page, "step_sketch=%s", steps.steps[i].sketch);
        if (class_shows_step(visit, row->problem, true))
            put_example(row->problem, &steps.steps[i], page);
    }
    steps_free(&steps);
    problem_free(&problem);
}

/* ---- the submission ---------------------------------------------------------------------------------------------- */

typedef struct Documents {
    cJSON *result, *explain, *sitting;
    Problem problem;
    TestcaseSet testcases;
    bool has_problem, has_testcases;
} Documents;

static Status put_submission(const Visit *visit, const StoredSubmission *row, Documents *documents, cJSON *page,
                             Message *why)
{
    BoardPage board = {0};
    const char *source = NULL;
    Status status = read_json(visit, row->judging, "result", &documents->result, why);
    if (documents->result != NULL && class_hides_board_from(visit, row->problem))
        place_take_out(documents->result);
    THEN(status, read_json(visit, row->judging, "explain", &documents->explain, why));
    THEN(status, read_sitting(visit, row, &documents->sitting, why));
    THEN(status, submissions_source(visit->service->store, row->source_hash, visit->arena, &source, why));
    THEN(status, put_board(visit, row, &board, page, why));
    THEN(status, put_ruling(visit, row, page, why));
    THEN(status, put_times_again(visit, row, cJSON_AddArrayToObject(page, "again"), why));
    if (status == STATUS_OK && !submission_has_ended(row))
        status = put_outlook(visit, row, page, why);
    if (status == STATUS_OK)
        put_step(visit, row, documents->explain, page);
    /* A problem may have gone, or be out of order at this moment: then the samples stand without their inputs. */
    documents->has_problem = problem_read(row->problem, &documents->problem, NULL) == STATUS_OK;
    documents->has_testcases = documents->has_problem &&
                               testcases_read(&documents->problem, &documents->testcases, NULL) == STATUS_OK;
    if (status == STATUS_OK)
        submission_put(page, &(SubmissionRecord){.result = documents->result,
                                                 .problem = documents->has_problem ? &documents->problem : NULL,
                                                 .testcases = documents->has_testcases ? &documents->testcases : NULL,
                                                 .sitting = documents->sitting,
                                                 .explain = documents->explain,
                                                 .source = source,
                                                 .board = row->run == 0 ? NULL : &board});
    return status;
}

/* The author's submission to the same problem before this one, of which a source is kept; 0: there is none. */
static Status find_one_before(const Visit *visit, const StoredSubmission *row, int64_t *before, Message *why)
{
    return database_int(visit->service->store, before, why,
                        "SELECT max(id) FROM submission WHERE person = ?1 AND problem = ?2 AND id < ?3", "iti",
                        row->person_id, row->problem, row->id);
}

void site_submission(Visit *visit)
{
    StoredSubmission row;
    Documents documents = {0};
    Message why;
    if (!visible_submission(visit, &row))
        return;
    cJSON *page = cJSON_CreateObject();
    const char *state = submission_state(&row);
    values_put(page,
               "number=%" PRId64 " person=%s problem=%s file_name=%s received=%s mode=%s state=%s run=%" PRId64
               " can_withdraw=%d",
               row.id, row.person, row.problem, row.file_name, row.received_utc, row.mode, state, row.run,
               row.person_id == visit->person.id && strcmp(state, "waiting") == 0);
    site_put_counts_for(visit, &row, cJSON_AddArrayToObject(page, "counts_for"));
    int64_t before = 0;
    Status status = find_one_before(visit, &row, &before, &why);
    values_put(page, "before=%" PRId64 " can_edit=%d", before, row.person_id == visit->person.id);
    THEN(status, put_submission(visit, &row, &documents, page, &why));
    site_answer(visit, status, &why, "submission", page);
    cJSON_Delete(documents.result);
    cJSON_Delete(documents.explain);
    cJSON_Delete(documents.sitting);
    if (documents.has_testcases)
        testcases_free(&documents.testcases);
    if (documents.has_problem)
        problem_free(&documents.problem);
}

/* ==== site look =================================================================================================== */

/* A look inside the submission (grader/report/look.h): its worker looked at a sample, or at the case of the student's own. */

/* What the query names; else, and where it is no number, the first request of the hottest line. */
static int64_t number_of_query(const Visit *visit, const char *name, int64_t otherwise)
{
    const char *text = http_query(visit->request, name);
    char *end;
    const long long number = text == NULL ? 0 : strtoll(text, &end, 10);
    return text == NULL || end == text || *end != '\0' || number < 0 || number > INT32_MAX ? otherwise : number;
}

static void draw_look(const Visit *visit, const StoredSubmission *row, const LookView *view, const char *source,
                      cJSON *page)
{
    const LookChoice choice = {.line = (int)number_of_query(visit, "line", view->hottest_line),
                               .access = (size_t)number_of_query(visit, "access", 0),
                               .warp = (uint32_t)number_of_query(visit, "warp", 0),
                               .time = (uint32_t)number_of_query(visit, "time", 1),
                               .address = arena_printf(visit->arena, "/submissions/%" PRId64 "/look", row->id)};
    Text sections = {0};
    look_sections(view, source == NULL ? "" : source, &choice, &sections);
    values_markup(page, "sections", &sections);
}

/* What a worker of another version has written is not shown. */
static Status put_look(const Visit *visit, const StoredSubmission *row, cJSON *page, Message *why)
{
    cJSON *result = NULL;
    const char *source = NULL;
    LookView view = {0};
    Status status = read_json(visit, row->judging, "result", &result, why);
    THEN(status, submissions_source(visit->service->store, row->source_hash, visit->arena, &source, why));
    const cJSON *look = view_item(result, "look");
    const JsonFile file = {.path = (char *)"look", .root = (cJSON *)look};
    if (status == STATUS_OK &&
        (look == NULL || record_read(&look_table, &file, look, visit->arena, &view, NULL) != STATUS_OK ||
         !look_view_is_sound(&view)))
        status = fail(STATUS_NOT_FOUND, why, "there is no look inside submission %" PRId64, row->id);
    if (status == STATUS_OK)
        draw_look(visit, row, &view, source, page);
    cJSON_Delete(result);
    return status;
}

void site_look(Visit *visit)
{
    StoredSubmission row;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    cJSON *page = cJSON_CreateObject();
    values_put(page, "number=%" PRId64 " problem=%s file_name=%s", row.id, row.problem, row.file_name);
    Status status = put_look(visit, &row, page, &why);
    site_answer(visit, status, &why, "look", page);
}

/* ==== site problem ================================================================================================ */

/* The list of problems, and the page of each. */

enum { STATEMENT_BYTES = 1 << 20 };

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* The board that most people rank on. */
static Status find_best(const Visit *visit, const Problem *problem, BoardPage *best, Message *why)
{
    Board *boards;
    int64_t *submissions;
    size_t count;
    if (class_hides_board_from(visit, problem->id))
        return STATUS_OK;
    Status status = site_boards(visit, problem, &boards, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Standings found;
        status = store_standings(visit->service->store, &boards[i], visit->arena, &found, why);
        if (status == STATUS_OK && found.count > best->standing_count)
            *best = (BoardPage){.device = boards[i].device, .standings = found.people, .standing_count = found.count};
    }
    if (status == STATUS_OK && best->standing_count > 0)
        status = visible_standings(visit, best->standings, 1, 1, &submissions, why);
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

typedef struct ListedProblem {
    Problem problem;
    bool is_broken;
    size_t assignment; /* the first one that has it; as many as there are: none */
    int difficulty;    /* easy ones first */
} ListedProblem;

static int compare_listed(const void *a, const void *b)
{
    const ListedProblem *first = a, *second = b;
    if (first->assignment != second->assignment)
        return first->assignment < second->assignment ? -1 : 1;
    return first->difficulty != second->difficulty ? first->difficulty - second->difficulty
                                                   : strcmp(first->problem.title, second->problem.title);
}

/* A problem with broken files, which somebody may be changing at this moment, does not hide the others. */
static ListedProblem listed(const Visit *visit, const char *id)
{
    static const char *const difficulties[] = {"easy", "medium", "hard"};
    enum { COUNT = sizeof difficulties / sizeof *difficulties };
    const ClassFile *class = class_of(visit);
    ListedProblem one = {.difficulty = 0};
    if (problem_read(id, &one.problem, NULL) != STATUS_OK) {
        one.problem = (Problem){.id = id, .title = id, .difficulty = "out of order"};
        one.is_broken = true;
    }
    while (class != NULL && one.assignment < class->assignment_count &&
           class_problem(&class->assignments[one.assignment], id) == NULL)
        one.assignment++;
    while (one.difficulty < COUNT && strcmp(difficulties[one.difficulty], one.problem.difficulty) != 0)
        one.difficulty++;
    return one;
}

static Status list_problem(const Visit *visit, const ListedProblem *one, cJSON *list, Message *why)
{
    BoardPage best = {0};
    const char *verdict = "";
    Status status = one->is_broken ? STATUS_OK : find_best(visit, &one->problem, &best, why);
    if (status == STATUS_OK && !one->is_broken && visit->is_known)
        status = find_verdict(visit, &one->problem, &verdict, why);
    problem_put_row(list, &one->problem, verdict, one->is_broken ? NULL : &best);
    return status;
}

static Status put_recent(const Visit *visit, cJSON *list, Message *why)
{
    const SubmissionFilter filter = {.person = visit->person.id, .limit = 10};
    StoredSubmission *rows;
    size_t count = 0;
    Status status = visit->is_known ? submissions_list(visit->service->store, &filter, visit->arena, &rows, &count, why)
                                    : STATUS_OK;
    for (size_t i = 0; i < count; i++)
        site_row(list, &rows[i]);
    return status;
}

void site_index(Visit *visit)
{
    cJSON *page = cJSON_CreateObject(), *problems = cJSON_AddArrayToObject(page, "problems");
    const char **ids;
    size_t count = 0;
    Message why;
    Status status = problem_list(visit->arena, &ids, &count, &why);
    ListedProblem *all = arena_array(visit->arena, count + 1, sizeof *all);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if (class_shows_problem(visit, ids[i]))
            all[shown++] = listed(visit, ids[i]);
    count = shown;
    if (count > 0)
        qsort(all, count, sizeof *all, compare_listed);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = list_problem(visit, &all[i], problems, &why);
    for (size_t i = 0; i < count; i++)
        if (!all[i].is_broken)
            problem_free(&all[i].problem);
    values_put(page, "next=%s", site_next_deadline(visit));
    site_put_assignments(visit, cJSON_AddArrayToObject(page, "assignments"));
    THEN(status, put_recent(visit, cJSON_AddArrayToObject(page, "recent"), &why));
    site_answer(visit, status, &why, "index", page);
}

/* ---- one problem ------------------------------------------------------------------------------------------------- */

static Status read_file(const Visit *visit, const char *id, const char *name, const char **text, Message *why)
{
    char relative[200], path[4096];
    Text file = {0};
    snprintf(relative, sizeof relative, "problems/%s/%s", id, name);
    Status status = paths_home(relative, path, sizeof path, why);
    THEN(status, text_read_file(path, STATEMENT_BYTES, &file, why));
    if (status == STATUS_OK)
        *text = arena_copy(visit->arena, file.length == 0 ? "" : file.data, file.length);
    text_free(&file);
    return status;
}

static Status make_key(Arena *arena, const char **key, Message *why)
{
    unsigned char bytes[32];
    TRY(random_bytes(bytes, sizeof bytes, why));
    *key = arena_string(arena, hash_of_bytes(bytes, sizeof bytes).hex);
    return STATUS_OK;
}

static Status read_boards(const Visit *visit, const Problem *problem, BoardPage **pages, size_t *count, Message *why)
{
    const size_t most = http_query(visit->request, "group") == NULL ? BOARD_ROWS
                                                                    : SIZE_MAX; /* a group's may be anywhere */
    Board *boards;
    *count = 0;
    if (class_hides_board_from(visit, problem->id))
        return STATUS_OK;
    Status status = site_boards(visit, problem, &boards, count, why);
    *pages = arena_array(visit->arena, *count + 1, sizeof **pages);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++)
        status = site_board(visit, problem, &boards[i], most, &(*pages)[i], why);
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
static Status keep_group(const Visit *visit, int64_t group, BoardPage *boards, size_t board_count, Message *why)
{
    Person *people;
    size_t count;
    Status status = people_list(visit->service->store, group, visit->arena, &people, &count, why);
    for (size_t b = 0; b < board_count && status == STATUS_OK; b++) {
        BoardPage *board = &boards[b];
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

static Status put_groups(const Visit *visit, cJSON *page, BoardPage *boards, size_t board_count, Message *why)
{
    const char *chosen = http_query(visit->request, "group"), *shown = "";
    cJSON *list = cJSON_AddArrayToObject(page, "groups");
    PersonGroup *groups;
    size_t count = 0;
    Status status = people_list_groups(visit->service->store, visit->arena, &groups, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const bool is_shown = chosen != NULL && strcmp(chosen, groups[i].name) == 0;
        values_put(values_row(list), "name=%s is_shown=%d", groups[i].name, is_shown);
        if (is_shown) {
            shown = groups[i].name;
            status = keep_group(visit, groups[i].id, boards, board_count, why);
        }
    }
    values_put(page, "group=%s", shown);
    return status;
}

static Status find_sources(const Visit *visit, const char *problem, bool *has_sources, Message *why)
{
    StoredSubmission *rows;
    size_t count = 0;
    if (class_of(visit) == NULL)
        return STATUS_OK;
    Status status = class_open_sources(visit, problem, 0, INT64_MAX, 1, &rows, &count, why);
    *has_sources = count > 0;
    return status;
}

/* What the editor begins with: an earlier submission that is edited ("?from=17"), or the starter. */
static Status put_program(const Visit *visit, const Problem *problem, const char *starter, cJSON *page, Message *why)
{
    const char *number = http_query(visit->request, "from"), *source = NULL;
    StoredSubmission row = {0};
    const bool is_edited = number != NULL && visit->is_known &&
                           submissions_read(visit->service->store, strtoll(number, NULL, 10), visit->arena, &row,
                                            why) == STATUS_OK &&
                           row.person_id == visit->person.id && strcmp(row.problem, problem->id) == 0;
    Status status = is_edited ? submissions_source(visit->service->store, row.source_hash, visit->arena, &source, why)
                              : STATUS_OK;
    values_put(page, "from=%" PRId64 " program=%s has_codemirror=%d", source == NULL ? 0 : row.id,
               source != NULL    ? source
               : starter != NULL ? starter
                                 : "",
               site_has_codemirror());
    cJSON_AddBoolToObject(page, "is_editor", true);
    return status;
}

/* Adds what only a server knows: boards, groups, deadlines, and a key for a hand-in. */
static Status put_problem(const Visit *visit, const Problem *problem, const char *starter, cJSON *page, Message *why)
{
    const char *key = "";
    BoardPage *boards = NULL;
    size_t board_count;
    bool has_sources = false;
    Status status = read_boards(visit, problem, &boards, &board_count, why);
    THEN(status, put_groups(visit, page, boards, board_count, why));
    if (status == STATUS_OK && visit->is_known)
        status = find_sources(visit, problem->id, &has_sources, why);
    if (status == STATUS_OK && visit->is_known)
        status = make_key(visit->arena, &key, why);
    if (status == STATUS_OK && visit->is_known)
        status = put_program(visit, problem, starter, page, why);
    site_put_deadlines(visit, problem->id, cJSON_AddArrayToObject(page, "deadlines"));
    values_put(page, "key=%s has_sources=%d hides_board=%d", key, has_sources,
               class_hides_board_from(visit, problem->id));
    if (status == STATUS_OK)
        problem_put_boards(page, boards, board_count, visit->is_known ? visit->person.name : NULL);
    return status;
}

static Status show_problem(Visit *visit, const Problem *problem, Message *why)
{
    TestcaseSet cases;
    const char *statement, *starter;
    TRY(testcases_read(problem, &cases, why));
    Status status = read_file(visit, problem->id, "statement.md", &statement, why);
    if (read_file(visit, problem->id, "starter.cu", &starter, NULL) != STATUS_OK)
        starter = NULL;
    cJSON *page = status == STATUS_OK ? problem_values(problem, &cases, statement, starter) : NULL;
    testcases_free(&cases);
    THEN(status, put_problem(visit, problem, starter, page, why));
    if (status == STATUS_OK)
        site_answer(visit, status, why, "problem", page);
    else
        cJSON_Delete(page);
    return status;
}

/* A problem that this visitor may see. */
static Status read_problem(const Visit *visit, Problem *problem, Message *why)
{
    if (!class_shows_problem(visit, visit->argument))
        return fail(STATUS_NOT_FOUND, why, "this problem is not public yet; log in to see it");
    return problem_read(visit->argument, problem, why);
}

void site_problem(Visit *visit)
{
    Problem problem;
    Message why;
    Status status = read_problem(visit, &problem, &why);
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
    Status status = read_problem(visit, &problem, &why);
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
