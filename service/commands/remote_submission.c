#include "service/commands/remote_submission.h"

#include "base/record.h"
#include "service/commands/exchange.h"

#include <stdio.h>
#include <string.h>

/* ==== submission list ============================================================================================= */

enum { PAGE = 200 };

/* A teacher sees everybody's submissions, so the caller's own must be asked for by name. */
static Status find_own_name(const Server *server, Arena *arena, const char **person, Message *why)
{
    JsonFile json;
    Status status = api_get(server, api_path("me"), &json, why);
    if (status != STATUS_OK)
        return status;
    const char *name = json_string(json.root, "person");
    if (name == NULL)
        status = json_fail(&json, NULL, why, "the key \"%s\" is missing", "person");
    else
        *person = arena_string(arena, name);
    json_free(&json);
    return status;
}

/* Numbers must fall, or a server could keep us asking for ever. */
static Status add_item(const JsonFile *page, const cJSON *item, SubmissionList *list, Message *why)
{
    list->items = arena_grown(&list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    RemoteSubmission *submission = &list->items[list->count];
    Status status = remote_submission_read(page, item, submission, why);
    if (status == STATUS_OK && list->count > 0 && submission->number >= submission[-1].number)
        status = json_fail(page, item, why, "expected a submission older than %lld, found %lld",
                           (long long)submission[-1].number, (long long)submission->number);
    list->count += status == STATUS_OK;
    return status;
}

static Status add_items(const JsonFile *page, size_t most, SubmissionList *list, Message *why)
{
    const cJSON *items = json_get(page->root, "submissions"), *item;
    if (!cJSON_IsArray(items))
        return json_fail(page, items, why, "expected a list of \"submissions\"");
    cJSON_ArrayForEach(item, items)
    {
        Status status = list->count < most ? add_item(page, item, list, why) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status read_page(const Server *server, const char *person, const char *problem, size_t most,
                        SubmissionList *list, Message *why)
{
    const size_t wanted = most - list->count;
    ApiPath path = api_path("submissions?limit=%zu", wanted < PAGE ? wanted : (size_t)PAGE);
    Status status = api_add_query(&path, "person", person, why);
    if (status == STATUS_OK)
        status = api_add_query(&path, "problem", problem, why);
    if (status == STATUS_OK && list->count > 0)
        status = api_add_number(&path, "before", list->items[list->count - 1].number, why);
    if (status != STATUS_OK)
        return status;
    list->pages = arena_grown(&list->arena, list->pages, list->page_count, &list->page_capacity, sizeof *list->pages);
    JsonFile *page = &list->pages[list->page_count];
    status = api_get(server, path, page, why);
    if (status != STATUS_OK)
        return status;
    list->page_count++;
    return add_items(page, most, list, why);
}

Status submission_list_read(const Server *server, const char *person, const char *problem, size_t most,
                            SubmissionList *list, Message *why)
{
    *list = (SubmissionList){0};
    if (most > SUBMISSION_LIST_MOST)
        most = SUBMISSION_LIST_MOST;
    Status status = person == NULL ? find_own_name(server, &list->arena, &person, why) : STATUS_OK;
    bool more = true;
    while (status == STATUS_OK && more && list->count < most) {
        size_t before = list->count;
        status = read_page(server, person, problem, most, list, why);
        more = list->count - before == PAGE;
    }
    return status;
}

void submission_list_free(SubmissionList *list)
{
    for (size_t i = 0; i < list->page_count; i++)
        json_free(&list->pages[i]);
    arena_free(&list->arena);
    *list = (SubmissionList){0};
}

/* ==== remote submission =========================================================================================== */

static const char *const state_names[] = {
    [REMOTE_WAITING] = "waiting", [REMOTE_JUDGING] = "judging",     [REMOTE_JUDGED] = "judged",
    [REMOTE_HELD] = "held",       [REMOTE_WITHDRAWN] = "withdrawn",
};
enum { STATES = sizeof state_names / sizeof *state_names };

#define MOST_NUMBER 9e15 /* far beyond what is true */

static Status read_state(const JsonFile *file, const cJSON *item, RemoteState *state, Message *why)
{
    const char *name = json_string(item, "state");
    for (int i = 0; name != NULL && i < STATES; i++)
        if (strcmp(name, state_names[i]) == 0) {
            *state = (RemoteState)i;
            return STATUS_OK;
        }
    return json_fail(file, item, why, "\"state\": expected waiting, judging, judged, held or withdrawn, found '%.40s'",
                     name == NULL ? "" : name);
}

static Status take_progress(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record);

/* clang-format off */

RECORD_OPEN(progress_table, RemoteSubmission,
    ROW(RemoteSubmission, step, "step"),
    ROW(RemoteSubmission, done, "done", .low = 0, .high = INT32_MAX),
    ROW(RemoteSubmission, total, "total", .low = 0, .high = INT32_MAX));

RECORD_OPEN(submission_table, RemoteSubmission,
    ROW(RemoteSubmission, person, "person"),
    ROW(RemoteSubmission, problem, "problem"),
    ROW(RemoteSubmission, mode, "mode"),
    ROW(RemoteSubmission, file_name, "file_name"),
    ROW(RemoteSubmission, received, "received"),
    ROW(RemoteSubmission, verdict, "verdict"),
    ROW(RemoteSubmission, text, "text"),
    ROW(RemoteSubmission, rank_status, "rank_status"),
    ROW(RemoteSubmission, device, "device"),
    ROW(RemoteSubmission, device_name, "device_name"),
    ROW(RemoteSubmission, modelled, "modelled"),
    ROW(RemoteSubmission, number, "submission", .required = true, .low = 1, .high = MOST_NUMBER),
    ROW(RemoteSubmission, ahead, "ahead", .low = 0, .high = MOST_NUMBER),
    ROW(RemoteSubmission, expected_s, "expected_s", .low = 0, .high = 1e9),
    ROW(RemoteSubmission, score.ms, "score_ms", .low = 0, .high = 1e12),
    ROW(RemoteSubmission, score.uncertainty, "uncertainty", .low = 0, .high = MOST_NUMBER),
    ROW(RemoteSubmission, rank, "rank", .low = 1, .high = MOST_NUMBER),
    ROW(RemoteSubmission, of, "of", .low = 1, .high = MOST_NUMBER),
    ROW_HAND("progress", .json = JSON_ANY, .take = take_progress));

/* clang-format on */

static Status take_progress(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    if (json_string(item, "step") == NULL)
        return json_fail(reading->file, item, reading->why, "expected an object with a \"step\"");
    return record_read(&progress_table, reading->file, item, reading->arena, record, reading->why);
}

Status remote_submission_read(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    *submission = (RemoteSubmission){.json = item,
                                     .ahead = -1,
                                     .expected_s = -1,
                                     .person = "",
                                     .problem = "",
                                     .mode = "",
                                     .file_name = "",
                                     .received = "",
                                     .step = "",
                                     .verdict = "",
                                     .text = "",
                                     .rank_status = "",
                                     .device = "",
                                     .device_name = ""};
    if (!cJSON_IsObject(item))
        return json_fail(file, item, why, "expected a submission, an object");
    Status status = read_state(file, item, &submission->state, why);
    return status == STATUS_OK ? record_read(&submission_table, file, item, NULL, submission, why) : status;
}

bool remote_submission_has_ended(const RemoteSubmission *submission)
{
    return submission->state != REMOTE_WAITING && submission->state != REMOTE_JUDGING;
}

const char *remote_state_name(RemoteState state)
{
    return state_names[state];
}

static void add_duration(double seconds, Text *out)
{
    if (seconds < 100)
        text_printf(out, "%.0f s", seconds);
    else if (seconds < 100 * 60.0)
        text_printf(out, "%.0f min", seconds / 60);
    else
        text_printf(out, "%.0f h", seconds / 3600);
}

void remote_submission_add_wait(const RemoteSubmission *submission, Text *out)
{
    if (submission->ahead < 0)
        text_add(out, "waiting");
    else if (submission->ahead == 0)
        text_add(out, "next");
    else
        text_printf(out, "%lld ahead", (long long)submission->ahead);
    if (submission->expected_s >= 0) {
        text_add(out, ", about ");
        add_duration(submission->expected_s, out);
    }
}
