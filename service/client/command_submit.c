/* Hands a file in, and waits for the verdict if that is asked for. */
#include "service/client/client_command.h"

#include "base/random.h"
#include "base/suggestion.h"
#include "grader/exchange/exchange.h"
#include "grader/problem/submission.h"
#include "grader/result/verdict.h"
#include "grader/terminal/json_target.h"
#include "service/client/api_call.h"
#include "service/client/follow.h"
#include "service/client/interrupt.h"
#include "service/client/output.h"
#include "service/client/remote_points.h"
#include "service/client/remote_report.h"
#include "service/client/run_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 16, EXIT_TROUBLE = 2, MOST_MINUTES = 10000 };

typedef struct Submitting {
    const Options *options;
    ExchangeFiles exchange;
    ExchangeFault fault; /* if it fails now */
    long minutes;        /* to wait; 0: any time */
    Server server;
    Submission file;
    JsonFile json;               /* the service's answer; later what it said last */
    RemoteSubmission submission; /* points into it */
    JsonFile result;             /* in the end; its root is NULL where there is none */
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

/* Nothing is known in the end of what nobody waits for. */
static Status check_waiting(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    const char *option = options->gradescope != NULL ? "gradescope"
                         : options->junit != NULL    ? "junit"
                         : options->minutes != NULL  ? "minutes"
                                                     : NULL;
    char *end;
    if (option != NULL && !options->wait)
        return fail(STATUS_BAD_INPUT, why, "submit: option '--%s' is only for --wait", option);
    if (options->minutes == NULL)
        return STATUS_OK;
    submitting->minutes = strtol(options->minutes, &end, 10);
    if (*end == '\0' && submitting->minutes >= 1 && submitting->minutes <= MOST_MINUTES)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "submit: option '--minutes': expected a whole number from 1 to %d, found '%s'",
                MOST_MINUTES, options->minutes);
}

static Status check_options(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    Status status = options_expect_file(options, why);
    if (status == STATUS_OK)
        status = check_mode(options, why);
    if (status == STATUS_OK)
        status = check_waiting(submitting, why);
    if (status == STATUS_OK)
        status = exchange_check(&submitting->exchange, options->operands[0], why);
    return status == STATUS_OK ? json_target_check(options->json, options->operands[0], why) : status;
}

static Status read_file(Submitting *submitting, Message *why)
{
    submitting->fault = FAULT_OF_FILE;
    Status status = submission_read(submitting->options->operands[0], &submitting->file, why);
    if (status == STATUS_OK)
        submitting->fault = FAULT_OF_JUDGE;
    return status;
}

static void put_string(cJSON *object, const char *key, const char *value)
{
    if (value != NULL)
        cJSON_AddStringToObject(object, key, value);
}

/* The same key lets the service recognize a request that arrives twice. */
static Status put_key(const char *chosen, cJSON *request, Message *why)
{
    unsigned char bytes[KEY_BYTES];
    char key[2 * KEY_BYTES + 1];
    if (chosen != NULL) {
        cJSON_AddStringToObject(request, "key", chosen);
        return STATUS_OK;
    }
    Status status = random_bytes(bytes, sizeof bytes, why);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < KEY_BYTES; i++)
        snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    cJSON_AddStringToObject(request, "key", key);
    return STATUS_OK;
}

static Status post(Submitting *submitting, const cJSON *request, Message *why)
{
    const char *person = submitting->options->person;
    ApiPath path = api_path("submissions");
    ExchangeEnd end = EXCHANGE_ANSWERED;
    Status status = person == NULL ? STATUS_OK : api_person_path(person, "submissions", &path, why);
    if (status == STATUS_OK)
        status = api_post(&submitting->server, path, request, &submitting->json, &end, why);
    if (status != STATUS_OK && end == EXCHANGE_INTERRUPTED)
        return fail(STATUS_BUSY, why, "interrupted, maybe after the file was handed in: `convjudge runs` says whether");
    if (status == STATUS_BAD_INPUT && end == EXCHANGE_ANSWERED)
        submitting->fault = FAULT_OF_FILE;
    if (status != STATUS_OK)
        return status;
    return remote_submission_read(&submitting->json, submitting->json.root, &submitting->submission, why);
}

static Status send_file(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    cJSON *request = cJSON_CreateObject();
    Status status = put_key(options->key, request, why);
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
    run_table_add_counting(submission, &line);
    Status status = json_target_write("-", &line, why);
    text_free(&line);
    return status;
}

static Status wait_for_end(Submitting *submitting, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    Message reason;
    Text stand = {0};
    Status status = follow(&submitting->server, &submitting->json, &submitting->submission, &reason);
    if (status == STATUS_OK)
        return STATUS_OK;
    submitting->fault = NO_VERDICT_YET;
    if (submission->state == REMOTE_WAITING)
        remote_submission_add_wait(submission, &stand);
    else
        text_add(&stand, remote_state_name(submission->state));
    fail(status, why, "%.600s; submission %lld is kept: `convjudge show %lld` shows it; last seen: %s", reason.text,
         (long long)submission->number, (long long)submission->number, stand.data);
    text_free(&stand);
    return status;
}

/* The result is copied as it came, so that no digit changes. A judging of an older server may have none. */
static Status read_result(Submitting *submitting, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    if (submission->state != REMOTE_JUDGED)
        return STATUS_OK;
    Status status = api_get(&submitting->server, api_path("submissions/%lld/result", (long long)submission->number),
                            &submitting->result, why);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* What is known without it: the verdict, and the sentence beside it. */
static cJSON *short_result(const RemoteSubmission *submission)
{
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "verdict", submission->verdict);
    cJSON_AddStringToObject(result, "text", submission->text);
    cJSON_AddStringToObject(result, "problem", submission->problem);
    return result;
}

static const char *words_of_end(RemoteState state)
{
    switch (state) {
    case REMOTE_HELD: return "held: the judge failed, not your submission; a person will look at it";
    case REMOTE_WITHDRAWN: return "withdrawn before it was judged";
    default: return NULL;
    }
}

static Status write_exchange(const Submitting *submitting, const Text *report, Message *why)
{
    if (submitting->exchange.gradescope == NULL && submitting->exchange.junit == NULL)
        return STATUS_OK;
    const RemoteSubmission *submission = &submitting->submission;
    cJSON *made = submission->state == REMOTE_JUDGED && submitting->result.root == NULL ? short_result(submission)
                                                                                        : NULL;
    Arena arena = {0};
    Outcome outcome = {
        .result = made == NULL ? submitting->result.root : made,
        .report = report->length == 0 ? NULL : report->data + strspn(report->data, "\n"),
        .trouble = words_of_end(submission->state),
        .keeper = submitting->server.place,
        .submission = submission->number,
    };
    Status status = STATUS_OK;
    if (outcome.result != NULL && submitting->exchange.gradescope != NULL)
        status = remote_points_read(&submitting->server, submission, &arena, &outcome, why);
    if (status == STATUS_OK)
        status = exchange_write(&submitting->exchange, &outcome, why);
    arena_free(&arena);
    cJSON_Delete(made);
    return status;
}

/* Text for people, result.json, and the files of other systems. */
static Status write_end(Submitting *submitting, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    const char *words = words_of_end(submission->state);
    Text out = {0}, report = {0};
    cJSON *json = output_new();
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(submission->json, 1));
    Status status = read_result(submitting, why);
    if (status == STATUS_OK && submitting->result.root != NULL)
        cJSON_AddItemToObject(json, "result", cJSON_Duplicate(submitting->result.root, 1));
    if (status == STATUS_OK)
        status = remote_report_read(&submitting->server, submission, &report, why);
    if (status == STATUS_OK)
        status = write_exchange(submitting, &report, why);
    if (status == STATUS_OK) {
        remote_report_add(submission, &report, terminal_style(stdout), &out);
        if (words != NULL)
            text_printf(&out, "%s\n", words);
        status = output_write(submitting->options, json, &out, why);
    } else {
        cJSON_Delete(json);
    }
    text_free(&report);
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
    json_free(&submitting->result);
    json_free(&submitting->json);
    submission_free(&submitting->file);
}

static Status submit(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    Status status = server_find(options->server, &submitting->server, why);
    if (status == STATUS_OK)
        status = read_file(submitting, why);
    if (status == STATUS_OK)
        status = interrupt_open(&submitting->server.interrupt, why);
    if (status == STATUS_OK && submitting->minutes > 0)
        interrupt_after(60 * (unsigned)submitting->minutes);
    if (status == STATUS_OK)
        status = send_file(submitting, why);
    if (status == STATUS_OK)
        status = announce(submitting, why);
    if (status == STATUS_OK && options->wait)
        status = wait_for_end(submitting, why);
    return status == STATUS_OK && (options->wait || options->json != NULL) ? write_end(submitting, why) : status;
}

Status command_submit(const Options *options, int *exit_status, Message *why)
{
    Submitting submitting = {.options = options,
                             .exchange = {.gradescope = options->gradescope, .junit = options->junit},
                             .server.interrupt = INTERRUPT_NONE};
    ExchangeFailure failure = {0};
    Status status = check_options(&submitting, why);
    if (status == STATUS_OK) {
        status = failure.status = submit(&submitting, &failure.reason);
        failure.fault = submitting.fault;
        failure.keeper = submitting.submission.number > 0 ? submitting.server.place : NULL;
        failure.submission = submitting.submission.number;
        if (status != STATUS_OK)
            status = exchange_fail(&submitting.exchange, &failure, why);
    }
    if (status == STATUS_OK)
        *exit_status = exit_status_of(&submitting);
    free_submitting(&submitting);
    return status;
}
