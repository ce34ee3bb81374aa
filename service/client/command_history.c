/* Lists a person's submissions to each problem, oldest first, with the changes of time. */
#include "service/client/client_command.h"

#include "service/client/history_table.h"
#include "service/client/output.h"
#include "service/client/submission_list.h"

#include <stdio.h>
#include <string.h>

/* Whether a submission is the oldest of its problem, in a list that begins with the newest. */
static bool is_first_of_problem(const SubmissionList *list, size_t index)
{
    for (size_t i = index + 1; i < list->count; i++)
        if (strcmp(list->items[i].problem, list->items[index].problem) == 0)
            return false;
    return true;
}

static void add_problem(const SubmissionList *list, const char *problem, cJSON *histories, Text *out)
{
    Arena arena = {0};
    size_t count;
    const HistoryEntry *entries = history_of(list->items, list->count, problem, &arena, &count);
    if (out->length > 0)
        text_add(out, "\n");
    history_table(problem, entries, count, terminal_style(stdout), out);
    cJSON *history = cJSON_CreateObject();
    cJSON_AddStringToObject(history, "problem", problem);
    cJSON_AddItemToObject(history, "submissions", history_json(entries, count));
    cJSON_AddItemToArray(histories, history);
    arena_free(&arena);
}

static Status write_histories(const Options *options, const SubmissionList *list, Message *why)
{
    Text out = {0};
    cJSON *json = output_new(), *histories = cJSON_AddArrayToObject(json, "histories");
    for (size_t i = list->count; i-- > 0;)
        if (is_first_of_problem(list, i))
            add_problem(list, list->items[i].problem, histories, &out);
    if (list->count == 0)
        text_add(&out, "no submissions yet: `convjudge submit FILE` hands one in\n");
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_history(const Options *options, int *exit_status, Message *why)
{
    Server server;
    SubmissionList list = {0};
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = server_find(options->server, &server, why);
    if (status == STATUS_OK)
        status = submission_list_read(&server, options->person, options->problem, SUBMISSION_LIST_MOST, &list, why);
    if (status == STATUS_OK)
        status = write_histories(options, &list, why);
    submission_list_free(&list);
    *exit_status = 0;
    return status;
}
