/* site_submission.c - the page of a submission.  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_read.h"
#include "leaderboard/rulings.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/place.h"
#include "service/api/submission_json.h"
#include "service/api/visible.h"
#include "service/store/judgings.h"

#include <math.h>
#include <string.h>

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
    HeadProgress progress = {0};
    Status status = judgings_outlook(visit->service->store, row->position, &outlook, why);
    if (status != STATUS_OK)
        return status;
    page->ahead = outlook.ahead;
    page->expected_s = ceil((double)(outlook.ahead + 1) * outlook.mean_s);
    if (head_progress(visit->service->head, row->judging, &progress) && progress.step[0] != '\0') {
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
