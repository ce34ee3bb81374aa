/* Compares two submissions by their results. */
#include "service/client/client_command.h"

#include "service/client/api_call.h"
#include "service/client/output.h"
#include "service/client/run_comparison.h"
#include "service/client/run_comparison_report.h"

#include <stdio.h>

static Status check_request(const Options *options, int64_t runs[2], Server *server, Message *why)
{
    if (options->operand_count != 2)
        return fail(STATUS_BAD_INPUT, why, "compare: expected the numbers of two runs, found %d words",
                    options->operand_count);
    Status status = options_run_number(options, "the first RUN", options->operands[0], &runs[0], why);
    if (status == STATUS_OK)
        status = options_run_number(options, "the second RUN", options->operands[1], &runs[1], why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

static Status write_comparison(const Options *options, const RunComparison *comparison, Message *why)
{
    Text out = {0};
    cJSON *json = output_new();
    run_comparison_put(comparison, json);
    run_comparison_report(comparison, terminal_style(stdout), &out);
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_compare(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t runs[2] = {0};
    JsonFile results[2] = {{0}, {0}};
    RunComparison comparison = {0};
    Status status = check_request(options, runs, &server, why);
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        status = api_get(&server, api_path("submissions/%lld/result", (long long)runs[side]), &results[side], why);
    if (status == STATUS_OK)
        status = run_comparison_make(results, runs, &comparison, why);
    if (status == STATUS_OK)
        status = write_comparison(options, &comparison, why);
    run_comparison_free(&comparison);
    json_free(&results[0]);
    json_free(&results[1]);
    *exit_status = 0;
    return status;
}
