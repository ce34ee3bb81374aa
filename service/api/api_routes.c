/* api_routes.c - the interface of docs/api.md.  */
#include "service/api/routes.h"

#include "base/json.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "service/api/answer.h"
#include "service/api/board_answer.h"
#include "service/api/class_answers.h"
#include "service/api/class_rules.h"
#include "service/api/hand_in.h"
#include "service/api/live.h"
#include "service/api/place.h"
#include "service/api/points_answer.h"
#include "service/api/submission_json.h"
#include "service/api/visible.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <stdlib.h>
#include <string.h>

/* ---- who and what ------------------------------------------------------------------------------------------------ */

static void answer_me(Visit *visit)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "person", visit->person.name);
    cJSON_AddStringToObject(object, "role", role_name(visit->person.role));
    cJSON_AddStringToObject(object, "pseudonym", visit->person.pseudonym);
    answer_json(visit, 200, object);
}

static void answer_problems(Visit *visit)
{
    const char **ids;
    size_t count;
    Message why;
    Status status = problem_list(visit->arena, &ids, &count, &why);
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "problems");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Problem problem;
        if (problem_read(ids[i], &problem, NULL) != STATUS_OK)
            continue; /* nothing can be handed in for it now */
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "id", problem.id);
        cJSON_AddStringToObject(item, "title", problem.title);
        cJSON_AddItemToArray(list, item);
        problem_free(&problem);
    }
    if (status == STATUS_OK) {
        answer_json(visit, 200, object);
        return;
    }
    cJSON_Delete(object);
    answer_failure(visit, status, &why);
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

static void answer_submission_row(Visit *visit, int status_code, int64_t id)
{
    StoredSubmission row;
    cJSON *object;
    Message why;
    Status status = submissions_read(visit->service->store, id, visit->arena, &row, &why);
    if (status == STATUS_OK)
        status = submission_json(visit->service, &row, true, &object, &why);
    if (status == STATUS_OK)
        answer_json(visit, status_code, object);
    else
        answer_failure(visit, status, &why);
}

static void take_submission(Visit *visit, const char *person)
{
    static const JsonKey keys[] = {{"key", JSON_STRING, true},    {"file_name", JSON_STRING, true},
                                   {"source", JSON_STRING, true}, {"problem", JSON_STRING, false},
                                   {"mode", JSON_STRING, false},  {"sizes", JSON_STRING, false}};
    JsonFile file;
    Message why;
    int64_t id = 0;
    bool is_new = false;
    Status status = json_parse("request", visit->request->body, visit->request->body_bytes, &file, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, STATUS_BAD_INPUT, &why);
        return;
    }
    status = json_check(&file, file.root, keys, sizeof keys / sizeof *keys, &why);
    if (status == STATUS_OK) {
        const HandInRequest request = {.key = json_string(file.root, "key"),
                                       .file_name = json_string(file.root, "file_name"),
                                       .source = json_string(file.root, "source"),
                                       .problem = json_string(file.root, "problem"),
                                       .mode = json_string(file.root, "mode"),
                                       .sizes = json_string(file.root, "sizes"),
                                       .person = person};
        status = hand_in(visit, &request, &id, &is_new, &why);
    }
    json_free(&file);
    if (status == STATUS_OK)
        answer_submission_row(visit, is_new ? 201 : 200, id);
    else
        answer_failure(visit, status, &why);
}

static void answer_hand_in(Visit *visit)
{
    take_submission(visit, NULL);
}

static void answer_hand_in_for(Visit *visit)
{
    take_submission(visit, visit->argument);
}

/* A number in the query; `otherwise` where there is none, or no number. */
static int64_t query_number(const Visit *visit, const char *name, int64_t otherwise)
{
    const char *text = http_query(visit->request, name);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return otherwise;
    const long long number = strtoll(text, &end, 10);
    return *end == '\0' ? number : otherwise;
}

/* Whose submissions are wanted: one's own, or for teachers those of whomever the query names, or of all. */
static Status filter_person(const Visit *visit, int64_t *person, Message *why)
{
    const char *name = http_query(visit->request, "person");
    Person found;
    const bool is_teacher = visit->person.role >= PERSON_TEACHER;
    *person = is_teacher ? 0 : visit->person.id;
    if (name == NULL || (!is_teacher && strcmp(name, visit->person.name) == 0))
        return STATUS_OK;
    if (!is_teacher)
        return fail(STATUS_NOT_FOUND, why, "there is no person of this name");
    Status status = people_find(visit->service->store, name, visit->arena, &found, why);
    *person = status == STATUS_OK ? found.id : 0;
    return status;
}

/* Of a problem that is no longer there, the submissions are still listed; an empty list may be that of a misspelt name. */
static Status expect_problem(const char *id, size_t submissions, Message *why)
{
    Problem problem;
    if (id == NULL || submissions > 0)
        return STATUS_OK;
    Status status = problem_read(id, &problem, why);
    if (status == STATUS_OK)
        problem_free(&problem);
    return status;
}

static void answer_list(Visit *visit)
{
    enum { USUAL = 50, MOST = 200 };
    StoredSubmission *rows = NULL;
    size_t count = 0;
    Message why;
    int64_t limit = query_number(visit, "limit", USUAL);
    SubmissionFilter filter = {.problem = http_query(visit->request, "problem"),
                               .before = query_number(visit, "before", 0),
                               .limit = limit < 1      ? 1
                                        : limit > MOST ? MOST
                                                       : limit};
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "submissions"), *item;
    Status status = filter_person(visit, &filter.person, &why);
    if (status == STATUS_OK)
        status = submissions_list(visit->service->store, &filter, visit->arena, &rows, &count, &why);
    if (status == STATUS_OK)
        status = expect_problem(filter.problem, count, &why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = submission_json(visit->service, &rows[i], false, &item, &why);
        if (status == STATUS_OK)
            cJSON_AddItemToArray(list, item);
    }
    if (status == STATUS_OK) {
        answer_json(visit, 200, object);
        return;
    }
    cJSON_Delete(object);
    answer_failure(visit, status, &why);
}

static void answer_submission(Visit *visit)
{
    StoredSubmission row;
    cJSON *object;
    const char *source = NULL, *code = http_query(visit->request, "code");
    Message why;
    if (!visible_submission(visit, &row))
        return;
    Status status = submission_json(visit->service, &row, true, &object, &why);
    if (status == STATUS_OK && code != NULL && strcmp(code, "1") == 0) {
        status = submissions_source(visit->service->store, row.source_hash, visit->arena, &source, &why);
        if (status == STATUS_OK && source != NULL)
            cJSON_AddStringToObject(object, "source", source);
        if (status != STATUS_OK)
            cJSON_Delete(object);
    }
    if (status == STATUS_OK)
        answer_json(visit, 200, object);
    else
        answer_failure(visit, status, &why);
}

static void answer_document(Visit *visit, const char *kind, const char *type)
{
    StoredSubmission row;
    const char *text;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    Status status = judgings_document(visit->service->store, row.judging, kind, visit->arena, &text, &why);
    if (status == STATUS_OK && text != NULL)
        status = place_document(visit, &row, kind, text, &text, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (text != NULL)
        answer_text(visit, type, text);
    else if (submission_has_ended(&row))
        answer_error(visit, 404, "submission %lld has none", (long long)row.id);
    else
        answer_error(visit, 409, "submission %lld is not judged yet", (long long)row.id);
}

static void answer_report(Visit *visit)
{
    answer_document(visit, "report", "text/plain; charset=utf-8");
}

static void answer_result(Visit *visit)
{
    answer_document(visit, "result", "application/json");
}

static void answer_explain(Visit *visit)
{
    answer_document(visit, "explain", "application/json");
}

static void answer_events(Visit *visit)
{
    StoredSubmission row;
    if (!visible_submission(visit, &row))
        return;
    if (live_open(visit->service->live, visit->person.id, row.id, &visit->reply->events))
        return;
    http_reply_header(visit->reply, "Retry-After", "5");
    answer_error(visit, 429, "%d streams are open already; ask for /api/v1/submissions/%lld now and then instead",
                 LIVE_STREAMS, (long long)row.id);
}

static void answer_withdraw(Visit *visit)
{
    StoredSubmission row;
    bool done;
    if (!hand_in_withdraw(visit, &row, &done))
        return;
    if (done)
        answer_submission_row(visit, 200, row.id);
    else
        answer_error(visit, 409, "submission %lld does not wait any more", (long long)row.id);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const Route api_routes[] = {
    {"GET", "/api/v1/me", ACCESS_PERSONS, answer_me, false},
    {"GET", "/api/v1/problems", ACCESS_READERS, answer_problems, false},
    {"POST", "/api/v1/submissions", ACCESS_PERSONS, answer_hand_in, false},
    {"POST", "/api/v1/people/*/submissions", ACCESS_TEACHERS_AND_KITS, answer_hand_in_for, false},
    {"GET", "/api/v1/submissions", ACCESS_PERSONS, answer_list, false},
    {"GET", "/api/v1/submissions/*", ACCESS_PERSONS_AND_KITS, answer_submission, false},
    {"DELETE", "/api/v1/submissions/*", ACCESS_PERSONS, answer_withdraw, false},
    {"GET", "/api/v1/submissions/*/report", ACCESS_PERSONS_AND_KITS, answer_report, false},
    {"GET", "/api/v1/submissions/*/result", ACCESS_PERSONS_AND_KITS, answer_result, false},
    {"GET", "/api/v1/submissions/*/points", ACCESS_PERSONS_AND_KITS, points_answer, false},
    {"GET", "/api/v1/submissions/*/explain", ACCESS_PERSONS, answer_explain, false},
    {"GET", "/api/v1/submissions/*/events", ACCESS_PERSONS_AND_KITS, answer_events, false},
    {"GET", "/api/v1/assignments", ACCESS_PERSONS, class_answer_assignments, false},
    {"GET", "/api/v1/problems/*/sources", ACCESS_PERSONS, class_answer_sources, false},
    {"GET", "/api/v1/sources/*", ACCESS_PERSONS, class_answer_source, false},
    {"GET", "/api/v1/boards/*", ACCESS_READERS, board_answer, false},
    {"GET", "/api/v1/boards/*/csv", ACCESS_READERS, board_answer_csv, false},
    {0},
};
