#include "service/client/follow.h"

#include "base/clock.h"
#include "grader/terminal/progress.h"
#include "service/client/api_call.h"
#include "service/client/event_reader.h"
#include "service/client/interrupt.h"

#include <stdio.h>
#include <string.h>

static const double FIRST_PAUSE_S = 0.5, LONGEST_PAUSE_S = 5;

typedef struct SubmissionFollower {
    const Server *server;
    JsonFile *json;
    RemoteSubmission *submission;
    Progress progress;
    char step[64]; /* that progress shows; "": none */
    bool has_news; /* a submission has come by the events that are listened to */
} SubmissionFollower;

/* ---- what people see --------------------------------------------------------------------------------------------- */

static const char *step_of(const RemoteSubmission *submission)
{
    if (remote_submission_has_ended(submission))
        return "";
    if (submission->state == REMOTE_WAITING)
        return "waiting";
    return submission->step[0] == '\0' ? "judging" : submission->step;
}

static void begin_step(SubmissionFollower *follower, const char *step)
{
    Text name = {0};
    if (follower->step[0] != '\0')
        progress_end(&follower->progress, "done");
    terminal_add_line(&name, step);
    text_add(&name, "");
    snprintf(follower->step, sizeof follower->step, "%s", name.data);
    if (step[0] != '\0')
        progress_begin_at(&follower->progress, follower->step, (int)follower->submission->done,
                          (int)follower->submission->total);
    text_free(&name);
}

static void show(SubmissionFollower *follower)
{
    const RemoteSubmission *submission = follower->submission;
    Text wait = {0};
    if (strncmp(step_of(submission), follower->step, sizeof follower->step - 1) != 0)
        begin_step(follower, step_of(submission));
    if (submission->state == REMOTE_WAITING) {
        remote_submission_add_wait(submission, &wait);
        progress_note(&follower->progress, "%s", wait.data);
    }
    while (submission->state == REMOTE_JUDGING && follower->progress.done < submission->done &&
           follower->progress.done < follower->progress.total)
        progress_advance(&follower->progress);
    text_free(&wait);
}

/* ---- news -------------------------------------------------------------------------------------------------------- */

/* Takes over `json`, unless it is not the submission that is followed. */
static Status take_news(SubmissionFollower *follower, JsonFile *json, Message *why)
{
    RemoteSubmission news;
    Status status = remote_submission_read(json, json->root, &news, why);
    if (status == STATUS_OK && news.number != follower->submission->number)
        status = json_fail(json, NULL, why, "expected submission %lld, found %lld",
                           (long long)follower->submission->number, (long long)news.number);
    if (status != STATUS_OK) {
        json_free(json);
        return status;
    }
    json_free(follower->json);
    *follower->json = *json;
    *follower->submission = news;
    show(follower);
    return STATUS_OK;
}

/* An event that cannot be read ends the stream; asking for the submission then says what is wrong. */
static bool take_event(void *context, const Text *data)
{
    SubmissionFollower *follower = context;
    JsonFile json;
    if (json_parse("event", data->data, data->length, &json, NULL) != STATUS_OK ||
        take_news(follower, &json, NULL) != STATUS_OK)
        return false;
    follower->has_news = true;
    return !remote_submission_has_ended(follower->submission);
}

static bool add_bytes(void *context, const char *bytes, size_t count)
{
    return event_reader_add(context, bytes, count);
}

/* Listens to events until the submission has ended or the stream breaks, which is no error: asking is the way out. */
static Status listen_to_events(SubmissionFollower *follower, Message *why)
{
    EventReader stream = {.take = take_event, .context = follower};
    const ApiPath path = api_path("submissions/%lld/events", (long long)follower->submission->number);
    const ApiRequest exchange = {.method = "GET", .path = path.text, .take = add_bytes, .context = &stream};
    Answer answer;
    follower->has_news = false;
    Status status = exchange_run(follower->server, &exchange, &answer, why);
    text_free(&answer.body);
    event_reader_free(&stream);
    return status != STATUS_OK && answer.end == EXCHANGE_INTERRUPTED ? status : STATUS_OK;
}

static Status ask(SubmissionFollower *follower, Message *why)
{
    JsonFile json;
    Status status = api_get(follower->server, api_path("submissions/%lld", (long long)follower->submission->number),
                            &json, why);
    return status == STATUS_OK ? take_news(follower, &json, why) : status;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static Status wait_for_end(SubmissionFollower *follower, Message *why)
{
    double pause_s = FIRST_PAUSE_S, heard_s = now_s();
    while (!remote_submission_has_ended(follower->submission)) {
        Status status = listen_to_events(follower, why);
        if (status != STATUS_OK || remote_submission_has_ended(follower->submission))
            return status;
        if (follower->has_news)
            pause_s = FIRST_PAUSE_S;
        if (interrupt_sleep(follower->server->interrupt, pause_s))
            return fail(STATUS_BUSY, why, "interrupted");
        status = ask(follower, why);
        if (status == STATUS_OK || follower->has_news)
            heard_s = now_s();
        else if (status != STATUS_BUSY)
            return status;
        else if (now_s() - heard_s > follower->server->patience_s)
            return status;
        pause_s = pause_s * 1.5 < LONGEST_PAUSE_S ? pause_s * 1.5 : LONGEST_PAUSE_S;
    }
    return STATUS_OK;
}

Status follow(const Server *server, JsonFile *json, RemoteSubmission *submission, Message *why)
{
    SubmissionFollower follower = {
        .server = server, .json = json, .submission = submission, .progress = progress_new(stderr)};
    show(&follower);
    Status status = wait_for_end(&follower, why);
    if (follower.step[0] != '\0')
        progress_end(&follower.progress, status == STATUS_OK ? "done" : "");
    return status;
}
