/* Takes back a submission that waits. */
#include "service/client/client_command.h"

#include "service/client/api_call.h"
#include "service/client/output.h"

static Status check_request(const Options *options, int64_t *run, Server *server, Message *why)
{
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "withdraw: expected the number of one RUN, found %d words",
                    options->operand_count);
    Status status = options_run_number(options, "RUN", options->operands[0], run, why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

static Status write_answer(const Options *options, int64_t run, const cJSON *answer, Message *why)
{
    Text out = {0};
    cJSON *json = output_new();
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(answer, 1));
    text_printf(&out, "submission %lld is withdrawn\n", (long long)run);
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_withdraw(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t run = 0;
    JsonFile answer = {0};
    Status status = check_request(options, &run, &server, why);
    if (status == STATUS_OK)
        status = api_delete(&server, api_path("submissions/%lld", (long long)run), &answer, why);
    if (status == STATUS_OK)
        status = write_answer(options, run, answer.root, why);
    json_free(&answer);
    *exit_status = 0;
    return status;
}
