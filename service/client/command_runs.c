/* Lists a person's submissions, newest first. */
#include "service/client/client_command.h"

#include "service/client/output.h"
#include "service/client/run_table.h"
#include "service/client/submission_list.h"

#include <stdio.h>
#include <stdlib.h>

enum { USUAL = 50 };

static Status read_top(const char *text, size_t *most, Message *why)
{
    char *end;
    *most = USUAL;
    if (text == NULL)
        return STATUS_OK;
    long number = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < 1 || number > SUBMISSION_LIST_MOST)
        return fail(STATUS_BAD_INPUT, why, "runs: option '--top': expected a number from 1 to %d, found '%s'",
                    SUBMISSION_LIST_MOST, text);
    *most = (size_t)number;
    return STATUS_OK;
}

static Status check_request(const Options *options, Server *server, size_t *most, Message *why)
{
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = read_top(options->top, most, why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

static Status write_list(const Options *options, const SubmissionList *list, Message *why)
{
    Text out = {0};
    cJSON *json = output_new(), *items = cJSON_AddArrayToObject(json, "submissions");
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(items, cJSON_Duplicate(list->items[i].json, 1));
    run_table(list->items, list->count, terminal_style(stdout), &out);
    run_table_add_all_counting(list->items, list->count, &out);
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_runs(const Options *options, int *exit_status, Message *why)
{
    Server server;
    SubmissionList list = {0};
    size_t most;
    Status status = check_request(options, &server, &most, why);
    if (status == STATUS_OK)
        status = submission_list_read(&server, options->person, options->problem, most, &list, why);
    if (status == STATUS_OK)
        status = write_list(options, &list, why);
    submission_list_free(&list);
    *exit_status = 0;
    return status;
}
