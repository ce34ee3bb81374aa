#include "service/commands/remote_submission.h"

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

static const double MOST_NUMBER = 9e15, MOST_SECONDS = 1e9, MOST_MS = 1e12; /* far beyond what is true */

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

static Status read_strings(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    const struct {
        const char *key, **value;
    } rows[] = {
        {"person", &submission->person},     {"problem", &submission->problem},
        {"mode", &submission->mode},         {"file_name", &submission->file_name},
        {"received", &submission->received}, {"verdict", &submission->verdict},
        {"text", &submission->text},         {"rank_status", &submission->rank_status},
        {"device", &submission->device},     {"device_name", &submission->device_name},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].value = json_string(item, rows[i].key);
        if (*rows[i].value == NULL && json_get(item, rows[i].key) != NULL)
            return json_fail(file, json_get(item, rows[i].key), why, "expected a string");
        if (*rows[i].value == NULL)
            *rows[i].value = "";
    }
    return STATUS_OK;
}

static Status read_numbers(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    const int64_t most = (int64_t)MOST_NUMBER;
    Status status = json_integer(file, item, "submission", 1, most, &submission->number, why);
    if (status == STATUS_OK && submission->number == 0)
        status = json_fail(file, item, why, "the key \"%s\" is missing", "submission");
    if (status == STATUS_OK)
        status = json_integer(file, item, "ahead", 0, most, &submission->ahead, why);
    if (status == STATUS_OK)
        status = json_number(file, item, "expected_s", 0, MOST_SECONDS, &submission->expected_s, why);
    if (status == STATUS_OK)
        status = json_number(file, item, "score_ms", 0, MOST_MS, &submission->score.ms, why);
    if (status == STATUS_OK)
        status = json_number(file, item, "uncertainty", 0, MOST_NUMBER, &submission->score.uncertainty, why);
    if (status == STATUS_OK)
        status = json_integer(file, item, "rank", 1, most, &submission->rank, why);
    if (status == STATUS_OK)
        status = json_integer(file, item, "of", 1, most, &submission->of, why);
    return status;
}

static Status read_progress(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    const cJSON *progress = json_get(item, "progress");
    submission->step = "";
    if (progress == NULL)
        return STATUS_OK;
    const char *step = json_string(progress, "step");
    if (step == NULL)
        return json_fail(file, progress, why, "expected an object with a \"step\"");
    submission->step = step;
    Status status = json_integer(file, progress, "done", 0, INT32_MAX, &submission->done, why);
    return status == STATUS_OK ? json_integer(file, progress, "total", 0, INT32_MAX, &submission->total, why) : status;
}

Status remote_submission_read(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    *submission = (RemoteSubmission){.json = item, .ahead = -1, .expected_s = -1};
    if (!cJSON_IsObject(item))
        return json_fail(file, item, why, "expected a submission, an object");
    submission->modelled = cJSON_IsTrue(json_get(item, "modelled"));
    Status status = read_state(file, item, &submission->state, why);
    if (status == STATUS_OK)
        status = read_strings(file, item, submission, why);
    if (status == STATUS_OK)
        status = read_numbers(file, item, submission, why);
    return status == STATUS_OK ? read_progress(file, item, submission, why) : status;
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
