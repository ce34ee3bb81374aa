/* command_submit.c - the commands that talk to a server: they hand in, look at submissions, and withdraw them. Tables and comparisons
 * are the server's text.  */
#include "service/commands/command_submit.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/record.h"
#include "base/status.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/problem/submission.h"
#include "grader/report/exchange.h"
#include "service/commands/command_line.h"
#include "service/commands/exchange.h"
#include "service/commands/output.h"
#include "service/commands/server.h"
#include "service/web/hand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== remote submission =========================================================================================== */

static const char *const state_names[] = {
    [REMOTE_WAITING] = "waiting", [REMOTE_JUDGING] = "judging",     [REMOTE_JUDGED] = "judged",
    [REMOTE_HELD] = "held",       [REMOTE_WITHDRAWN] = "withdrawn",
};
enum { STATES = sizeof state_names / sizeof *state_names };

#define MOST_NUMBER 9e15 /* far beyond what is true */

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

static Status take_progress(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record);

/* clang-format off */

RECORD_OPEN(progress_table, RemoteSubmission,
    ROW(RemoteSubmission, step, "step"),
    ROW(RemoteSubmission, done, "done", .low = 0, .high = INT32_MAX),
    ROW(RemoteSubmission, total, "total", .low = 0, .high = INT32_MAX));

RECORD_OPEN(submission_table, RemoteSubmission,
    ROW(RemoteSubmission, number, "submission", .required = true, .low = 1, .high = MOST_NUMBER),
    ROW(RemoteSubmission, problem, "problem"),
    ROW(RemoteSubmission, stand, "stand"),
    ROW(RemoteSubmission, verdict, "verdict"),
    ROW(RemoteSubmission, text, "text"),
    ROW_HAND("progress", .json = JSON_ANY, .take = take_progress));

/* clang-format on */

static Status take_progress(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    if (json_string(item, "step") == NULL)
        return json_fail(reading->file, item, reading->why, "expected an object with a \"step\"");
    return record_read(&progress_table, reading->file, item, reading->arena, record, reading->why);
}

Status remote_submission_read(const JsonFile *file, const cJSON *item, RemoteSubmission *submission, Message *why)
{
    *submission = (RemoteSubmission){.json = item, .problem = "", .stand = "", .step = "", .verdict = "", .text = ""};
    if (!cJSON_IsObject(item))
        return json_fail(file, item, why, "expected a submission, an object");
    TRY(read_state(file, item, &submission->state, why));
    return record_read(&submission_table, file, item, NULL, submission, why);
}

bool remote_submission_has_ended(const RemoteSubmission *submission)
{
    return submission->state != REMOTE_WAITING && submission->state != REMOTE_JUDGING;
}

/* Adds "3 ahead, about 40 s" of one that waits, else its state. */
static void add_stand(const RemoteSubmission *submission, Text *out)
{
    const bool says_more = submission->state == REMOTE_WAITING && submission->stand[0] != '\0';
    terminal_add_line(out, says_more ? submission->stand : state_names[submission->state]);
}

/* ==== commands that look at submissions ============================================================================ */

/* Prints what the server says of a path as text, unless standard output is for the JSON. Takes `json`. */
static Status print_text(const Options *options, const Server *server, ApiPath path, cJSON *json, Message *why)
{
    Text said = {0}, out = {0};
    Status status = STATUS_OK;
    if (options->json == NULL || strcmp(options->json, "-") != 0) {
        status = api_add_query(&path, "text", "1", why);
        THEN(status, api_get_text(server, path, &said, why));
    }
    if (said.length > 0)
        text_add_printable(&out, said.data, said.length);
    if (status == STATUS_OK)
        status = output_write(options, json, &out, why);
    else
        cJSON_Delete(json);
    text_free(&said);
    text_free(&out);
    return status;
}

/* Likewise; --json gets the members of what the server says as JSON. */
static Status print_answer(const Options *options, const Server *server, ApiPath path, Message *why)
{
    JsonFile answer = {0};
    const cJSON *item;
    TRY(options->json == NULL ? STATUS_OK : api_get(server, path, &answer, why));
    cJSON *json = output_new();
    cJSON_ArrayForEach(item, answer.root)
    {
        cJSON_AddItemToObject(json, item->string, cJSON_Duplicate(item, 1));
    }
    Status status = print_text(options, server, path, json, why);
    json_free(&answer);
    return status;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

enum { USUAL = 50, MOST_LISTED = 5000 };

/* A teacher sees everybody's submissions, so the caller's own must be asked for by name. */
static Status add_person(const Options *options, const Server *server, ApiPath *path, Message *why)
{
    JsonFile me;
    if (options->person != NULL)
        return api_add_query(path, "person", options->person, why);
    Status status = api_get(server, api_path("me"), &me, why);
    TRY(status);
    if (json_string(me.root, "person") == NULL)
        status = json_fail(&me, NULL, why, "the key \"%s\" is missing", "person");
    else
        status = api_add_query(path, "person", json_string(me.root, "person"), why);
    json_free(&me);
    return status;
}

static Status print_list(const Options *options, const char *name, int64_t usual, Message *why)
{
    Server server;
    ApiPath path = api_path("%s", name);
    int64_t most = usual;
    TRY(options_expect_no_file(options, why));
    TRY(options_number(options, "--top", options->top, 1, MOST_LISTED, &most, why));
    TRY(server_find(options->server, &server, why));
    TRY(add_person(options, &server, &path, why));
    TRY(api_add_query(&path, "problem", options->problem, why));
    TRY(api_add_query(&path, "since", options->since, why));
    TRY(api_add_number(&path, "limit", most, why));
    return print_answer(options, &server, path, why);
}

Status command_runs(const Options *options, int *exit_status, Message *why)
{
    *exit_status = 0;
    return print_list(options, "submissions", USUAL, why);
}

Status command_history(const Options *options, int *exit_status, Message *why)
{
    *exit_status = 0;
    return print_list(options, "history", MOST_LISTED, why);
}

/* ---- by number --------------------------------------------------------------------------------------------------- */

/* The numbers of runs that a command is about, and the server. */
static Status read_numbers(const Options *options, int count, int64_t *runs, Server *server, Message *why)
{
    static const char *const one[] = {"RUN"}, *const two[] = {"the first RUN", "the second RUN"};
    Status status = STATUS_OK;
    if (options->operand_count != count)
        return fail(STATUS_BAD_INPUT, why, "%s: expected the number%s, found %d words", options->subcommand,
                    count == 1 ? " of one RUN" : "s of two runs", options->operand_count);
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = options_run_number(options, count == 1 ? one[i] : two[i], options->operands[i], &runs[i], why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

/* The submission and its report, which it has once it is judged. */
static Status read_shown(const Server *server, ApiPath path, int64_t run, cJSON *json, Message *why)
{
    JsonFile answer;
    RemoteSubmission submission;
    Text report = {0};
    TRY(api_get(server, path, &answer, why));
    Status status = remote_submission_read(&answer, answer.root, &submission, why);
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(answer.root, 1));
    if (status == STATUS_OK && submission.state == REMOTE_JUDGED)
        status = api_get_text(server, api_path("submissions/%lld/report", (long long)run), &report, why);
    if (report.length > 0 && text_is_utf8(report.data, report.length, NULL))
        cJSON_AddStringToObject(json, "report", report.data);
    text_free(&report);
    json_free(&answer);
    return status;
}

Status command_show(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t run = 0;
    *exit_status = 0;
    Status status = read_numbers(options, 1, &run, &server, why);
    TRY(status);
    const ApiPath path = api_path("submissions/%lld%s", (long long)run, options->no_code ? "" : "?code=1");
    cJSON *json = output_new();
    if (options->json != NULL)
        status = read_shown(&server, path, run, json, why);
    if (status == STATUS_OK)
        return print_text(options, &server, path, json, why);
    cJSON_Delete(json);
    return status;
}

Status command_compare(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t runs[2] = {0};
    *exit_status = 0;
    TRY(read_numbers(options, 2, runs, &server, why));
    return print_answer(options, &server,
                        api_path("submissions/%lld/comparison?before=%lld", (long long)runs[1], (long long)runs[0]),
                        why);
}

Status command_withdraw(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t run = 0;
    JsonFile answer = {0};
    Text out = {0};
    *exit_status = 0;
    TRY(read_numbers(options, 1, &run, &server, why));
    TRY(api_delete(&server, api_path("submissions/%lld", (long long)run), &answer, why));
    cJSON *json = output_new();
    cJSON_AddItemToObject(json, "submission", cJSON_Duplicate(answer.root, 1));
    text_printf(&out, "submission %lld is withdrawn\n", (long long)run);
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    json_free(&answer);
    return status;
}

/* ==== remote report =============================================================================================== */

/* The report of a judged submission, as the service keeps it: the text that `make grade` prints. */

/* Reads the report; an empty text where the submission is not judged. */
static MUST_USE Status remote_report_read(const Server *server, const RemoteSubmission *submission, Text *report,
                                          Message *why)
{
    text_add(report, "");
    if (submission->state != REMOTE_JUDGED)
        return STATUS_OK;
    return api_get_text(server, api_path("submissions/%lld/report", (long long)submission->number), report, why);
}

/* Adds it, printable, with the verdict with which it begins, after empty lines, in colour. */
static void remote_report_add(const RemoteSubmission *submission, const Text *report, TerminalStyle style, Text *out)
{
    const char *text = report->data;
    const size_t spaces = strspn(text, "\n"), length = strlen(submission->verdict);
    Verdict verdict;
    text_append(out, text, spaces);
    text += spaces;
    if (verdict_parse(submission->verdict, &verdict) && strncmp(text, submission->verdict, length) == 0) {
        terminal_colour(style, out, verdict == VERDICT_ACCEPTED ? COLOUR_GOOD : COLOUR_BAD, submission->verdict);
        text += length;
    }
    text_add_printable(out, text, strlen(text));
}

/* ==== event reader ================================================================================================ */

static void empty(Text *text)
{
    text->length = 0;
    text_add(text, "");
}

/* The data of an event may be on several lines. */
static void add_data(EventReader *stream, const char *value)
{
    if (stream->has_data)
        text_add(&stream->data, "\n");
    stream->has_data = true;
    text_add(&stream->data, value + (value[0] == ' '));
}

/* An empty line ends an event. */
static bool end_event(EventReader *stream)
{
    bool goes_on = !stream->has_data || stream->take(stream->context, &stream->data);
    stream->has_data = false;
    empty(&stream->data);
    return goes_on;
}

static bool end_line(EventReader *stream)
{
    Text *line = &stream->line;
    bool goes_on = true;
    text_add(line, "");
    if (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    if (line->length == 0)
        goes_on = end_event(stream);
    else if (strncmp(line->data, "data:", 5) == 0)
        add_data(stream, line->data + 5);
    empty(line);
    return goes_on;
}

bool event_reader_add(EventReader *stream, const char *bytes, size_t count)
{
    bool goes_on = true;
    while (goes_on && count > 0) {
        const char *end = memchr(bytes, '\n', count);
        size_t length = end == NULL ? count : (size_t)(end - bytes);
        if (stream->line.length + stream->data.length + length > EVENT_MAX_BYTES)
            return false;
        text_append(&stream->line, bytes, length);
        if (end != NULL)
            goes_on = end_line(stream);
        bytes += length + (end != NULL);
        count -= length + (end != NULL);
    }
    return goes_on;
}

void event_reader_free(EventReader *stream)
{
    text_free(&stream->line);
    text_free(&stream->data);
    stream->has_data = false;
}

/* ==== follow ====================================================================================================== */

/* Waits until a submission has ended, and shows meanwhile how it goes.
 *
 * The service sends an event at each change (server-sent events). Where events do not come, or the connection breaks, the
 * submission is asked for again and again, in growing pauses.
 * Errors   the service gave no answer for as long as the server's patience lasts, or the user interrupted. */

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

static void show_events(SubmissionFollower *follower)
{
    const RemoteSubmission *submission = follower->submission;
    Text wait = {0};
    if (strncmp(step_of(submission), follower->step, sizeof follower->step - 1) != 0)
        begin_step(follower, step_of(submission));
    if (submission->state == REMOTE_WAITING) {
        add_stand(submission, &wait);
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
    show_events(follower);
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
    TRY(api_get(follower->server, api_path("submissions/%lld", (long long)follower->submission->number), &json, why));
    return take_news(follower, &json, why);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static Status wait_for_verdict(SubmissionFollower *follower, Message *why)
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

/* `*json` holds the submission before and, as it was seen last, after the call; `*submission` points into it. */
static MUST_USE Status follow(const Server *server, JsonFile *json, RemoteSubmission *submission, Message *why)
{
    SubmissionFollower follower = {
        .server = server, .json = json, .submission = submission, .progress = progress_new(stderr)};
    show_events(&follower);
    Status status = wait_for_verdict(&follower, why);
    if (follower.step[0] != '\0')
        progress_end(&follower.progress, status == STATUS_OK ? "done" : "");
    return status;
}

/* ==== remote points =============================================================================================== */

/* The points of a judged submission, as the server's class.json gives them. */

static const double MOST_POINTS = 1e9;

static Status take_part(const JsonFile *file, const cJSON *item, Arena *arena, OutcomePoints *points, Message *why)
{
    const char *name = cJSON_IsObject(item) ? json_string(item, "name") : NULL;
    const char *text = cJSON_IsObject(item) ? json_string(item, "text") : NULL;
    if (name == NULL)
        return json_fail(file, item, why, "expected points, an object with a \"name\"");
    *points = (OutcomePoints){.name = arena_string(arena, name),
                              .reason = arena_string(arena, text == NULL ? "" : text)};
    TRY(json_number(file, item, "points", 0, MOST_POINTS, &points->points, why));
    return json_number(file, item, "most", 0, MOST_POINTS, &points->most, why);
}

static Status take_parts(const JsonFile *file, Arena *arena, Outcome *outcome, Message *why)
{
    const cJSON *parts = json_get(file->root, "parts"), *item;
    OutcomePoints *points = arena_array(arena, (size_t)cJSON_GetArraySize(parts), sizeof *points);
    Status status = STATUS_OK;
    size_t count = 0;
    cJSON_ArrayForEach(item, parts)
    {
        THEN(status, take_part(file, item, arena, &points[count++], why));
    }
    outcome->points = points;
    outcome->point_count = count;
    outcome->points_are_public = cJSON_IsTrue(json_get(file->root, "shown"));
    return status;
}

/* 404, 409 and 403: an older server, no class, nothing decided, not for students yet. */
static bool has_none(Status status)
{
    return status == STATUS_NOT_FOUND || status == STATUS_BUSY || status == STATUS_SYSTEM;
}

/* Adds points to the outcome; none where the server has no class, the submission is for none of its assignments, or nobody may know
 * them yet. They live in `arena`. */
static MUST_USE Status remote_points_read(const Server *server, const RemoteSubmission *submission, Arena *arena,
                                          Outcome *outcome, Message *why)
{
    JsonFile file;
    Status status = api_get(server, api_path("submissions/%lld/points", (long long)submission->number), &file, why);
    if (status != STATUS_OK)
        return has_none(status) ? STATUS_OK : status;
    status = take_parts(&file, arena, outcome, why);
    json_free(&file);
    return status;
}

/* ==== command submit ============================================================================================== */

/* Hands a file in, and waits for the verdict if that is asked for. */

enum { KEY_BYTES = 16, EXIT_TROUBLE = 2, MOST_MINUTES = 10000 };

typedef struct Submitting {
    const Options *options;
    ExchangeFiles exchange;
    ExchangeFault fault; /* if it fails now */
    int64_t minutes;     /* to wait; 0: any time */
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

/* These options need the verdict, which only --wait waits for. */
static Status check_waiting(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    const char *option = options->gradescope != NULL ? "gradescope"
                         : options->junit != NULL    ? "junit"
                         : options->minutes != NULL  ? "minutes"
                                                     : NULL;
    if (option != NULL && !options->wait)
        return fail(STATUS_BAD_INPUT, why, "submit: option '--%s' is only for --wait", option);
    return options_number(options, "--minutes", options->minutes, 1, MOST_MINUTES, &submitting->minutes, why);
}

static Status check_options(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    TRY(options_expect_file(options, why));
    TRY(check_mode(options, why));
    TRY(check_waiting(submitting, why));
    TRY(exchange_check(&submitting->exchange, options->operands[0], why));
    return json_target_check(options->json, options->operands[0], why);
}

static Status read_file(Submitting *submitting, Message *why)
{
    submitting->fault = FAULT_OF_FILE;
    TRY(submission_read(submitting->options->operands[0], &submitting->file, why));
    submitting->fault = FAULT_OF_JUDGE;
    return STATUS_OK;
}

/* The same key lets the service recognize a request that arrives twice. */
static Status choose_key(const char *chosen, Arena *arena, const char **key, Message *why)
{
    unsigned char bytes[KEY_BYTES];
    *key = chosen == NULL ? "" : chosen;
    Status status = chosen == NULL ? random_bytes(bytes, sizeof bytes, why) : STATUS_OK;
    for (int i = 0; chosen == NULL && i < KEY_BYTES; i++)
        *key = arena_printf(arena, "%s%02x", *key, bytes[i]);
    return status;
}

static Status post(Submitting *submitting, const cJSON *request, Message *why)
{
    const char *person = submitting->options->person;
    ApiPath path = api_path("submissions");
    ExchangeEnd end = EXCHANGE_ANSWERED;
    Status status = person == NULL ? STATUS_OK : api_person_path(person, "submissions", &path, why);
    THEN(status, api_post(&submitting->server, path, request, &submitting->json, &end, why));
    if (status != STATUS_OK && end == EXCHANGE_INTERRUPTED)
        return fail(STATUS_BUSY, why, "interrupted, maybe after the file was submitted: `convjudge runs` says whether");
    if (status == STATUS_BAD_INPUT && end == EXCHANGE_ANSWERED)
        submitting->fault = FAULT_OF_FILE;
    TRY(status);
    return remote_submission_read(&submitting->json, submitting->json.root, &submitting->submission, why);
}

static Status send_file(Submitting *submitting, Message *why)
{
    const Options *options = submitting->options;
    HandInRequest request = {.file_name = submitting->file.file_name,
                             .source = submitting->file.source.data,
                             .problem = options->problem,
                             .mode = options->mode,
                             .sizes = options->sizes};
    cJSON *json = cJSON_CreateObject();
    Arena arena = {0};
    Status status = choose_key(options->key, &arena, &request.key, why);
    record_write(&hand_in_table, &request, json);
    THEN(status, post(submitting, json, why));
    cJSON_Delete(json);
    arena_free(&arena);
    return status;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* Says at once that the file has arrived, whatever happens while it is waited for. */
static Status announce(const Submitting *submitting, Message *why)
{
    const RemoteSubmission *submission = &submitting->submission;
    const char *json = submitting->options->json;
    const cJSON *due;
    Text line = {0};
    if (json != NULL && strcmp(json, "-") == 0)
        return STATUS_OK;
    text_printf(&line, "submission %lld: ", (long long)submission->number);
    add_stand(submission, &line);
    text_add(&line, "\n");
    cJSON_ArrayForEach(due, json_get(submission->json, "counts_for"))
    {
        const char *text = json_string(due, "text");
        if (text == NULL)
            continue;
        terminal_add_line(&line, text);
        text_add(&line, "\n");
    }
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
    add_stand(submission, &stand);
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
    THEN(status, exchange_write(&submitting->exchange, &outcome, why));
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
    THEN(status, remote_report_read(&submitting->server, submission, &report, why));
    THEN(status, write_exchange(submitting, &report, why));
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
    THEN(status, read_file(submitting, why));
    THEN(status, interrupt_open(&submitting->server.interrupt, why));
    if (status == STATUS_OK && submitting->minutes > 0)
        interrupt_after(60 * (unsigned)submitting->minutes);
    THEN(status, send_file(submitting, why));
    THEN(status, announce(submitting, why));
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
