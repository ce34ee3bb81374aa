#include "service/client/submission_list.h"

#include "service/client/api_call.h"

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
