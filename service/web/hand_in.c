#include "service/web/hand_in.h"

#include "base/record.h"
#include "grader/problem/custom_case.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "service/store/config.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"
#include "service/web/answer.h"
#include "service/web/api.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MAX_KEY_BYTES = 64, MAX_FILE_NAME_BYTES = 100 };

/* clang-format off */

RECORD_PUBLIC(hand_in_table, HandInRequest,
    ROW(HandInRequest, key, "key", .required = true),
    ROW(HandInRequest, file_name, "file_name", .required = true),
    ROW(HandInRequest, source, "source", .required = true),
    ROW(HandInRequest, problem, "problem"),
    ROW(HandInRequest, mode, "mode"),
    ROW(HandInRequest, sizes, "sizes"));

/* clang-format on */

static Status check_key(const char *key, Message *why)
{
    size_t length = strlen(key);
    for (const char *c = key; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            length = 0;
    if (length == 0 || length > MAX_KEY_BYTES)
        return fail(STATUS_BAD_INPUT, why, "key: expected 1 to %d letters and digits", MAX_KEY_BYTES);
    return STATUS_OK;
}

/* The name is shown to others, and a worker gives it to the file. */
static Status check_file_name(const char *name, Message *why)
{
    const size_t length = strlen(name);
    if (length == 0 || length > MAX_FILE_NAME_BYTES || name[0] == '.' || name[0] == '-' || strchr(name, '/') != NULL)
        return fail(STATUS_BAD_INPUT, why,
                    "file_name: expected the name of a file, of at most %d bytes and without '/'", MAX_FILE_NAME_BYTES);
    for (const char *c = name; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return fail(STATUS_BAD_INPUT, why, "file_name: found a control character");
    return STATUS_OK;
}

static Status check_mode(const HandInRequest *request, const char **mode, Message *why)
{
    *mode = request->mode == NULL ? "rank" : request->mode;
    if (judging_mode_named(*mode) == JUDGING_MODES)
        return fail(STATUS_BAD_INPUT, why, "mode: expected try, test or rank, found '%.40s'", *mode);
    if (request->sizes != NULL && strcmp(*mode, "try") != 0)
        return fail(STATUS_BAD_INPUT, why, "sizes: only for the mode try, found the mode %s", *mode);
    return STATUS_OK;
}

/* Sizes are checked here as `try` does, so that a worker gets none that cannot work. */
static Status check_sizes(const HandInRequest *request, const Problem *problem, Message *why)
{
    const CustomCase own = {.sizes = request->sizes, .seed = 1};
    TestcaseSet set;
    if (request->sizes == NULL)
        return STATUS_OK;
    TRY(custom_case_make(problem, &own, &set, why));
    testcases_free(&set);
    return STATUS_OK;
}

static Status check_author(const Visit *visit, Person author, Message *why)
{
    identity_raise_role(visit->service->config, &author);
    return author.role == PERSON_STUDENT
               ? STATUS_OK
               : fail(STATUS_BAD_INPUT, why, "this token submits for students only, and the role of '%s' is %s",
                      author.name, role_name(author.role));
}

/* A token that only hands in is for the class: for the problems of its assignments, where the server has a class.json. */
static Status check_problem(const Visit *visit, const char *problem, Message *why)
{
    const ClassFile *class = visit->hands_in_only ? class_of(visit) : NULL;
    if (class == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_problem(&class->assignments[i], problem) != NULL)
            return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "no assignment of the class has the problem '%s'", problem);
}

/* Whose submission it will be. The audit comes first, so that nothing is handed in for others without it. */
static Status find_author(const Visit *visit, const HandInRequest *request, Person *author, Message *why)
{
    Text object = {0};
    *author = visit->person;
    if (request->person == NULL)
        return STATUS_OK;
    Status status = people_admit(visit->service->store, request->person, visit->arena, author, why);
    if (status == STATUS_OK && visit->hands_in_only)
        status = check_author(visit, *author, why);
    TRY(status);
    const char *const action = "hand in"; /* as it is in the audit logs of earlier versions */
    text_printf(&object, "%s for %s, key %s", request->file_name, author->name, request->key);
    status = audit_add(visit->service->store, visit->person.name, action, object.data, why);
    text_free(&object);
    return status;
}

/* class.json's, else the server's. */
static HandInLimits limits_of(const Visit *visit)
{
    HandInLimits limits = visit->service->config->limits;
    const ClassFile *class = class_of(visit);
    if (class == NULL)
        return limits;
    limits.waiting = class->limits.waiting > 0 ? class->limits.waiting : limits.waiting;
    limits.submissions_a_day = class->limits.submissions_a_day > 0 ? class->limits.submissions_a_day
                                                                   : limits.submissions_a_day;
    limits.bytes_a_day = class->limits.bytes_a_day > 0 ? class->limits.bytes_a_day : limits.bytes_a_day;
    return limits;
}

/* Says when the next one is possible. */
static void tell_limit(Visit *visit, const HandInRefusal *refusal, Message *why)
{
    const ClassFile *class = class_of(visit);
    visit->is_limited = true;
    const int64_t wait_s = refusal->next_s - (int64_t)time(NULL);
    const char *when = class == NULL
                           ? arena_string(visit->arena, utc_of(refusal->next_s).text)
                           : arena_printf(visit->arena, "%s (%s)", class_time_local(&class->zone, refusal->next_s).text,
                                          class->zone.name);
    http_reply_header(visit->reply, "Retry-After",
                      arena_printf(visit->arena, "%" PRId64,
                                   refusal->next_s == 0 ? 10
                                   : wait_s > 0         ? wait_s
                                                        : 1));
    if (refusal->next_s == 0)
        (void)!fail(STATUS_BUSY, why,
                    "%" PRId64 " of your submissions wait, which is the most; the next is possible when one is judged",
                    refusal->most);
    else
        (void)!fail(STATUS_BUSY, why, "within 24 hours you may submit %" PRId64 " %s; the next is possible at %s",
                    refusal->most, strcmp(refusal->limit, "bytes_a_day") == 0 ? "bytes" : "files", when);
}

static Status put(Visit *visit, const HandInRequest *request, const char *mode, const Submission *submission,
                  const Problem *problem, int64_t *id, bool *is_new, Message *why)
{
    const Config *config = visit->service->config;
    HandInRefusal refusal = {0};
    OrderRule rule = {.penalty_s = config->penalty_s,
                      .rank_budget_s = config->rank_device_s,
                      .practice_budget_s = config->practice_device_s,
                      .limits = limits_of(visit)};
    Person author;
    TRY(find_author(visit, request, &author, why));
    identity_raise_role(config, &author);
    rule.refusal = author.role == PERSON_STUDENT ? &refusal : NULL;
    const HandIn row = {.person = author.id,
                        .key = request->key,
                        .problem = problem->id,
                        .revision = problem->revision.hex,
                        .mode = mode,
                        .sizes = request->sizes == NULL ? "" : request->sizes,
                        .file_name = submission->file_name,
                        .source = submission->source.data,
                        .source_hash = submission->hash.hex,
                        .sender = request->person == NULL ? 0 : visit->person.id};
    const Status status = submissions_hand_in(visit->service->store, &row, &rule, id, is_new, why);
    if (refusal.limit != NULL)
        tell_limit(visit, &refusal, why);
    if (status == STATUS_OK)
        queue_wake(visit->service->queue);
    return status;
}

Status hand_in(Visit *visit, const HandInRequest *request, int64_t *id, bool *is_new, Message *why)
{
    Submission submission = {0};
    Problem problem;
    const char *mode;
    Text source = {0};
    *id = 0;
    TRY(check_key(request->key, why));
    TRY(check_file_name(request->file_name, why));
    TRY(check_mode(request, &mode, why));
    text_append(&source, request->source, request->source_bytes == 0 ? strlen(request->source) : request->source_bytes);
    TRY(submission_take(request->file_name, &source, &submission, why));
    Status status = submission_problem(&submission, request->problem, &problem, why);
    if (status == STATUS_OK) {
        status = submission_is_c(&submission)
                     ? fail(STATUS_BAD_INPUT, why, "%s: plain C runs only on the CPU, expected CUDA",
                            request->file_name)
                     : check_sizes(request, &problem, why);
        THEN(status, check_problem(visit, problem.id, why));
        THEN(status, class_expect_open(visit, problem.id, mode, why));
        THEN(status, put(visit, request, mode, &submission, &problem, id, is_new, why));
        problem_free(&problem);
    }
    submission_free(&submission);
    return status == STATUS_NOT_FOUND ? STATUS_BAD_INPUT : status; /* an unknown problem is a wrong request */
}

bool hand_in_withdraw(Visit *visit, StoredSubmission *row, bool *done)
{
    Message why;
    *done = false;
    if (!visible_submission(visit, row))
        return false;
    if (row->person_id != visit->person.id) {
        answer_error(visit, 403, "only its author can withdraw a submission");
        return false;
    }
    Status status = queue_withdraw(visit->service->queue, row->id, done, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}
