/* site_batches.c - rejudgings, for administrators: what `convjudge rejudge` does, on pages.  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_list.h"
#include "service/api/answer.h"
#include "service/pages/batch_pages.h"
#include "service/rejudge/rejudging.h"
#include "service/store/batch_table.h"

#include <inttypes.h>
#include <string.h>

static BatchLine line_of(const Batch *batch)
{
    return (BatchLine){.number = batch->id,
                       .problem = batch->problem,
                       .reason = batch->reason,
                       .created = batch->created_utc,
                       .state = batch->state,
                       .submissions = batch->judgings,
                       .judged = batch->recorded,
                       .waiting = batch->waiting,
                       .judging = batch->running,
                       .held = batch->held,
                       .cancelled = batch->cancelled};
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

void site_batches(Visit *visit)
{
    const Site site = site_of(visit);
    Batch *batches;
    const char **problems;
    size_t count = 0, problem_count = 0;
    Message why;
    Status status = batches_list(visit->service->store, visit->arena, &batches, &count, &why);
    if (status == STATUS_OK)
        status = problem_list(visit->arena, &problems, &problem_count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    BatchLine *lines = arena_array(visit->arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = line_of(&batches[i]);
    page_batches(&visit->reply->body, &site, lines, count, problems, problem_count);
}

static BatchVerdict verdict_of(const BatchSide *side)
{
    BatchVerdict verdict = {.verdict = side->verdict, .rank = side->rank};
    if (side->run != NULL)
        verdict.time = side->run->time;
    return verdict;
}

static void fill_changes(const Visit *visit, const BatchRow *rows, size_t count, BatchPage *page)
{
    BatchChange *changes = arena_array(visit->arena, count, sizeof *changes);
    for (size_t i = 0; i < count; i++) {
        if (!batch_row_changes(&rows[i]))
            continue;
        BatchChange *change = &changes[page->change_count++];
        *change = (BatchChange){.submission = rows[i].submission,
                                .person = rows[i].person,
                                .file_name = rows[i].file_name,
                                .before = verdict_of(&rows[i].before),
                                .after = verdict_of(&rows[i].after)};
        change->is_noise = change->before.time.ms > 0 && change->after.time.ms > 0 && !batch_row_time_differs(&rows[i]);
    }
    page->changes = changes;
}

static void fill_omissions(const Visit *visit, const BatchSkip *skips, size_t count, BatchPage *page)
{
    BatchOmission *omissions = arena_array(visit->arena, count, sizeof *omissions);
    for (size_t i = 0; i < count; i++)
        omissions[i] = (BatchOmission){.submission = skips[i].submission, .why = skips[i].why};
    page->omissions = omissions;
    page->omission_count = count;
}

void site_batch(Visit *visit)
{
    const Site site = site_of(visit);
    const int64_t id = answer_number(visit, "batch");
    Store *store = visit->service->store;
    Batch batch;
    BatchRow *rows;
    BatchSkip *skips;
    size_t count = 0, skip_count = 0;
    Message why;
    if (id == 0)
        return;
    Status status = batches_read(store, id, visit->arena, &batch, &why);
    if (status == STATUS_OK)
        status = batch_table(store, id, visit->arena, &rows, &count, &why);
    if (status == STATUS_OK)
        status = batches_skips(store, id, visit->arena, &skips, &skip_count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    BatchPage page = {.line = line_of(&batch), .revision = batch.revision};
    fill_changes(visit, rows, count, &page);
    fill_omissions(visit, skips, skip_count, &page);
    page_batch(&visit->reply->body, &site, &page);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form with the page of the batch. */
static void show(Visit *visit, Status status, int64_t id, const Message *why)
{
    head_wake(visit->service->head);
    if (status == STATUS_OK)
        answer_elsewhere(visit, arena_printf(visit->arena, "/admin/batches/%" PRId64, id));
    else
        answer_failure(visit, status, why);
}

static Status read_request(const Visit *visit, BatchRequest *request, Message *why)
{
    const char *problem = http_field(visit->request, "problem"), *reason = http_field(visit->request, "why");
    const char *since = http_field(visit->request, "since");
    *request = (BatchRequest){.problem = problem, .reason = reason, .since_utc = since == NULL ? "" : since};
    if (problem == NULL)
        return fail(STATUS_BAD_INPUT, why, "expected the name of a problem");
    if (reason == NULL || reason[strspn(reason, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "expected a reason");
    if (request->since_utc[0] != '\0' && !rejudging_is_moment(request->since_utc))
        return fail(STATUS_BAD_INPUT, why, "expected a time such as 2026-01-31T12:00:00Z, found '%.40s'", since);
    return STATUS_OK;
}

void site_begin_batch(Visit *visit)
{
    BatchRequest request;
    Batch batch = {0};
    BatchSkip *skips;
    size_t skip_count;
    Message why;
    Status status = read_request(visit, &request, &why);
    if (status == STATUS_OK)
        status = rejudging_begin(visit->service->store, &request, visit->person.name, visit->arena, &batch, &skips,
                                 &skip_count, &why);
    show(visit, status == STATUS_NOT_FOUND ? STATUS_BAD_INPUT : status, batch.id, &why);
}

static void decide(Visit *visit, Status (*decision)(Store *store, int64_t id, const char *person, Message *why))
{
    const int64_t id = answer_number(visit, "batch");
    Message why;
    if (id == 0)
        return;
    Status status = decision(visit->service->store, id, visit->person.name, &why);
    show(visit, status, id, &why);
}

void site_apply_batch(Visit *visit)
{
    decide(visit, rejudging_apply);
}

void site_drop_batch(Visit *visit)
{
    decide(visit, batches_drop);
}
