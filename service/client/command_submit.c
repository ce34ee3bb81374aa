/* Hands a file in, and waits for the verdict if that is asked for. */
#include "service/client/client_command.h"

#include "base/suggestion.h"
#include "grader/problem/submission.h"
#include "grader/result/verdict.h"
#include "grader/terminal/json_target.h"
#include "service/client/api_call.h"
#include "service/client/follow.h"
#include "service/client/interrupt.h"
#include "service/client/output.h"
#include "service/client/remote_report.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { KEY_BYTES = 16, EXIT_TROUBLE = 2 };

typedef struct Submitting {
    const Options *options;
    Server server;
    Submission file;
    JsonFile json;               /* the service's answer; later what it said last */
    RemoteSubmission submission; /* points into it */
} Submitting;

/* ---- the request ------------------------------------------------------------------------------------------------- */

static Status check_mode(const Options *options, Message *why)
{
    static const char modes[] = "try, test, rank";
    const char *mode = options->mode == NULL ? "rank" : options->mode;
    if (strcmp(mode, "try") != 0 && strcmp(mode, "test") != 0 && strcmp(mode, "rank") != 0)
        return fail(STATUS_BAD_INPUT, why, "submit: unknown mode '%s'; %sexpected one of: %s", mode,
                    suggestion_for(mode, modes).text, modes);
    if (options->sizes != NULL && strcmp(mode, "try") != 0)
        return fail(STATUS_BAD_INPUT, why, "submit: option '--sizes' is only for --mode try");
    return STATUS_OK;
}

static Status check_request(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    Status status = options_expect_file(options, why);
    if (status == STATUS_OK)
        status = check_mode(options, why);
    if (status == STATUS_OK)
        status = server_find(options->server, &submitting->server, why);
    if (status == STATUS_OK)
        status = submission_read(options->operands[0], &submitting->file, why);
    return status == STATUS_OK ? json_target_check(options->json, options->operands[0], why) : status;
}

static void put_string(cJSON *object, const char *key, const char *value)
{
    if (value != NULL)
        cJSON_AddStringToObject(object, key, value);
}

/* The same key lets the service recognize a request that arrives twice. */
static Status put_key(cJSON *request, Message *why)
{
    unsigned char bytes[KEY_BYTES];
    char key[2 * KEY_BYTES + 1];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return fail_errno(why, "getrandom");
    for (int i = 0; i < KEY_BYTES; i++)
        snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    cJSON_AddStringToObject(request, "key", key);
    return STATUS_OK;
}

static Status post(Submitting *submitting, const cJSON *request, Message *why)
{
    ExchangeEnd end;
    Status status = api_post(&submitting->server, api_path("submissions"), request, &submitting->json, &end, why);
    if (status != STATUS_OK && end == EXCHANGE_INTERRUPTED)
        return fail(STATUS_BUSY, why, "interrupted, maybe after the file was handed in: `convjudge runs` says whether");
    if (status != STATUS_OK)
        return status;
    return remote_submission_read(&submitting->json, submitting->json.root, &submitting->submission, why);
}

static Status send_file(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    cJSON *request = cJSON_CreateObject();
    Status status = put_key(request, why);
    put_string(request, "file_name", submitting->file.file_name);
    put_string(request, "source", submitting->file.source.data);
    put_string(request, "problem", options->problem);
    put_string(request, "mode", options->mode);
    put_string(request, "sizes", options->sizes);
    if (status == STATUS_OK)
        status = post(submitting, request, why);
    cJSON_Delete(request);
    return status;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* Says at once that the file has arrived, whatever happens while it is waited for. */
static Status announce(const Submitting *submitting, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    const char *json = submitting->options->json;
    Text line = {0};
    if (json != NULL && strcmp(json, "-") == 0)
        return STATUS_OK;
    text_printf(&line, "submission %lld: ", (long long)submission->number);
    if (submission->state == REMOTE_WAITING)
        remote_submission_add_wait(submission, &line);
    else
        text_add(&line, remote_state_name(submission->state));
    text_add(&line, "\n");
    Status status = json_target_write("-", &line, why);
    text_free(&line);
    return status;
}

static Status wait_for_end(Submitting *submitting, Message *why)
{
    Message reason;
    Status status = follow(&submitting->server, &submitting->json, &submitting->submission, &reason);
    if (status == STATUS_OK)
        return STATUS_OK;
    return fail(status, why, "%.600s; submission %lld is kept: `convjudge show %lld` shows it", reason.text,
                (long long)submitting->submission.number, (long long)submitting->submission.number);
}

/* result.json is copied as it came, so that no digit changes. There is none of a file that does not compile, for example. */
static Status put_result(const Submitting *submitting, cJSON *json, Message *why)
{
    JsonFile result;
    Status status = api_get(&submitting->server,
                            api_path("submissions/%lld/result", (long long)submitting->submission.number), &result,
                            why);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status != STATUS_OK)
        return status;
    cJSON_AddItemToObject(json, "result", cJSON_Duplicate(result.root, 1));
    json_free(&result);
    return STATUS_OK;
}

static Status add_end(const Submitting *submitting, cJSON *json, Text *out, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    Text report = {0};
    Status status = STATUS_OK;
    if (submission->state == REMOTE_JUDGED && submitting->options->json != NULL)
        status = put_result(submitting, json, why);
    if (status == STATUS_OK)
        status = remote_report_read(&submitting->server, submission, &report, why);
    if (status == STATUS_OK)
        remote_report_add(submission, &report, terminal_style(stdout), out);
    if (submission->state == REMOTE_HELD)
        text_add(out, "held: the judge failed, not your submission; a person will look at it\n");
    if (submission->state == REMOTE_WITHDRAWN)
        text_add(out, "withdrawn before it was judged\n");
    text_free(&report);
    return status;
}

static Status write_end(const Submitting *submitting, Message *why)
{
    Text out = {0};
    cJSON *json = output_new();
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(submitting->submission.json, 1));
    Status status = add_end(submitting, json, &out, why);
    if (status == STATUS_OK)
        status = output_write(submitting->options, json, &out, why);
    else
        cJSON_Delete(json);
    text_free(&out);
    return status;
}

static int exit_status_of(const Submitting *submitting)
{
    Verdict verdict;
    if (!submitting->options->wait)
        return 0;
    if (submitting->submission.state != REMOTE_JUDGED || !verdict_parse(submitting->submission.verdict, &verdict))
        return EXIT_TROUBLE;
    return verdict_exit_status(verdict);
}

static void free_submitting(Submitting *submitting)
{
    interrupt_close(submitting->server.interrupt);
    json_free(&submitting->json);
    submission_free(&submitting->file);
}

Status command_submit(const Options *options, int *exit_status, Message *why)
{
    Submitting submitting = {.options = options, .server.interrupt = INTERRUPT_NONE};
    Status status = check_request(&submitting, why);
    if (status == STATUS_OK)
        status = interrupt_open(&submitting.server.interrupt, why);
    if (status == STATUS_OK)
        status = send_file(&submitting, why);
    if (status == STATUS_OK)
        status = announce(&submitting, why);
    if (status == STATUS_OK && options->wait)
        status = wait_for_end(&submitting, why);
    if (status == STATUS_OK && (options->wait || options->json != NULL))
        status = write_end(&submitting, why);
    if (status == STATUS_OK)
        *exit_status = exit_status_of(&submitting);
    free_submitting(&submitting);
    return status;
}
