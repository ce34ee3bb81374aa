/* Shows one submission: its head, its report, and its source. */
#include "service/client/client_command.h"

#include "grader/report/report_line.h"
#include "service/client/api_call.h"
#include "service/client/output.h"
#include "service/client/remote_report.h"
#include "service/client/run_table.h"

#include <string.h>

static Status check_request(const Options *options, int64_t *run, Server *server, Message *why)
{
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "show: expected the number of one RUN, found %d words",
                    options->operand_count);
    Status status = options_run_number(options, "RUN", options->operands[0], run, why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void add_line(const char *label, const char *text, Text *out)
{
    if (text[0] == '\0')
        return;
    report_add_label(out, label);
    terminal_add_line(out, text);
    text_add(out, "\n");
}

static void add_state(const RemoteSubmission *submission, Text *out)
{
    report_add_label(out, "state");
    text_add(out, remote_state_name(submission->state));
    if (submission->state == REMOTE_WAITING) {
        text_add(out, ", ");
        remote_submission_add_wait(submission, out);
    } else if (submission->state == REMOTE_JUDGING && submission->step[0] != '\0') {
        text_add(out, ": ");
        terminal_add_line(out, submission->step);
        if (submission->total > 0)
            text_printf(out, ", %lld of %lld", (long long)submission->done, (long long)submission->total);
    } else if (submission->state == REMOTE_HELD) {
        text_add(out, ": the judge failed, not the submission; a person will look at it");
    }
    text_add(out, "\n");
}

static void add_rank(const RemoteSubmission *submission, Text *out)
{
    if (submission->rank <= 0 || submission->of <= 0)
        return;
    report_add_label(out, "rank now");
    text_printf(out, "%lld of %lld\n", (long long)submission->rank, (long long)submission->of);
}

static void add_head(const RemoteSubmission *submission, Text *out)
{
    Text received = {0};
    text_printf(out, "submission %lld of ", (long long)submission->number);
    terminal_add_line(out, submission->person);
    text_add(out, "\n");
    add_line("file", submission->file_name, out);
    add_line("problem", submission->problem, out);
    add_line("mode", submission->mode, out);
    run_table_add_moment(submission->received, "%Y-%m-%d %H:%M:%S %Z", &received);
    text_add(&received, "");
    add_line("received", received.data, out);
    add_state(submission, out);
    add_rank(submission, out);
    text_free(&received);
}

/* ---- report and source ------------------------------------------------------------------------------------------- */

static Status add_report(const Server *server, const RemoteSubmission *submission, cJSON *json, Text *out, Message *why)
{
    Text report = {0};
    Status status = remote_report_read(server, submission, &report, why);
    remote_report_add(submission, &report, terminal_style(stdout), out);
    if (report.length > 0 && text_is_utf8(report.data, report.length, NULL))
        cJSON_AddStringToObject(json, "report", report.data);
    text_free(&report);
    return status;
}

/* A submission that somebody else handed in may hide its source from the caller. */
static void add_source(const RemoteSubmission *submission, Text *out)
{
    const char *source = json_string(submission->json, "source");
    if (source == NULL)
        return;
    text_add(out, "\n");
    text_add_printable(out, source, strlen(source));
    if (out->data[out->length - 1] != '\n')
        text_add(out, "\n");
}

static Status show(const Options *options, const Server *server, const RemoteSubmission *submission, Message *why)
{
    Text out = {0};
    cJSON *json = output_new();
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(submission->json, 1));
    add_head(submission, &out);
    Status status = add_report(server, submission, json, &out, why);
    add_source(submission, &out);
    if (status == STATUS_OK)
        status = output_write(options, json, &out, why);
    else
        cJSON_Delete(json);
    text_free(&out);
    return status;
}

Status command_show(const Options *options, int *exit_status, Message *why)
{
    Server server;
    JsonFile answer = {0};
    RemoteSubmission submission;
    int64_t run = 0;
    Status status = check_request(options, &run, &server, why);
    if (status == STATUS_OK)
        status = api_get(&server, api_path("submissions/%lld%s", (long long)run, options->no_code ? "" : "?code=1"),
                         &answer, why);
    if (status == STATUS_OK)
        status = remote_submission_read(&answer, answer.root, &submission, why);
    if (status == STATUS_OK)
        status = show(options, &server, &submission, why);
    json_free(&answer);
    *exit_status = 0;
    return status;
}
