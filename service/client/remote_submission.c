#include "service/client/remote_submission.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
