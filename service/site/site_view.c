/* site_view.c - what several pages of the server have in common.  */
#include "service/site/site_answers.h"

#include "leaderboard/database.h"
#include "service/api/answer.h"
#include "service/api/submission_json.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/pages/html.h"
#include "service/report/board_data.h"
#include "service/store/batches.h"

#include <string.h>

Site site_of(const Visit *visit)
{
    return (Site){.title = visit->service->config->title,
                  .person = visit->is_known ? visit->person.name : NULL,
                  .is_teacher = visit->is_known && visit->person.role >= PERSON_TEACHER,
                  .is_admin = visit->is_known && visit->person.role >= PERSON_ADMIN};
}

void site_error(Visit *visit, int status, const char *text)
{
    const Site site = site_of(visit);
    visit->reply->status = status;
    page_error(&visit->reply->body, &site, status, text);
}

const char *site_person_path(const Visit *visit, const char *name)
{
    Text path = {0};
    text_add(&path, "/people/");
    html_url_part(&path, name);
    const char *copy = arena_string(visit->arena, path.data);
    text_free(&path);
    return copy;
}

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

SubmissionLine site_line(const StoredSubmission *row)
{
    return (SubmissionLine){.number = row->id,
                            .person = row->person,
                            .problem = row->problem,
                            .file_name = row->file_name,
                            .received = row->received_utc,
                            .state = submission_state(row),
                            .verdict = or_null(row->verdict),
                            .rank_status = or_null(row->rank_status),
                            .time = row->time,
                            .device = or_null(row->device)};
}

SubmissionLine *site_lines(Arena *arena, const StoredSubmission *rows, size_t count)
{
    SubmissionLine *lines = arena_array(arena, count + 1, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = site_line(&rows[i]);
    return lines;
}

static void name_best(const Visit *visit, BoardPage *page)
{
    int64_t person;
    for (size_t i = 0; i < page->best_count; i++)
        page->best[i].person = visible_name(visit, page->best[i].person, &person);
}

static Status name_device(const Visit *visit, BoardPage *page, Message *why)
{
    return database_string(visit->service->store, visit->arena, &page->device_name, why,
                           "SELECT device_name FROM runs WHERE device = ?1 ORDER BY id DESC LIMIT 1", "t",
                           page->device);
}

Status site_boards(const Visit *visit, const Problem *problem, Board **boards, size_t *count, Message *why)
{
    Store *store = visit->service->store;
    const char *revision;
    Status status = batches_board_revision(store, problem->id, problem->revision.hex, visit->arena, &revision, why);
    return status == STATUS_OK ? store_boards(store, problem->id, revision, visit->arena, boards, count, why) : status;
}

Status site_board(const Visit *visit, const Problem *problem, const Board *board, BoardPage *page, Message *why)
{
    int64_t *submissions;
    Status status = board_data_read(visit->service->store, problem, board, visit->arena, page, why);
    if (status != STATUS_OK)
        return status;
    Standing *named = arena_array(visit->arena, page->standing_count + 1, sizeof *named);
    if (page->standing_count > 0)
        memcpy(named, page->standings, page->standing_count * sizeof *named);
    status = visible_standings(visit, named, page->standing_count, &submissions, why);
    page->standings = named;
    page->submissions = submissions;
    name_best(visit, page);
    return status == STATUS_OK ? name_device(visit, page, why) : status;
}

void site_style(Visit *visit)
{
    http_reply_header(visit->reply, "Cache-Control", "max-age=3600");
    answer_text(visit, "text/css; charset=utf-8", style_css);
}

void site_script(Visit *visit)
{
    http_reply_header(visit->reply, "Cache-Control", "max-age=3600");
    answer_text(visit, "text/javascript; charset=utf-8", live_js);
}
