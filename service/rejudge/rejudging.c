#include "service/rejudge/rejudging.h"

#include "grader/problem/problem_edition.h"
#include "grader/problem/problem_read.h"
#include "service/store/batch_apply.h"

#include <string.h>
#include <time.h>

/* Formatted again it must be the same text, so that neither a day such as 31 February nor a digit too few passes. */
bool rejudging_is_moment(const char *text)
{
    struct tm utc = {0};
    char again[32] = "";
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (end != NULL && *end == '\0')
        strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return strcmp(again, text) == 0;
}

static Status name_problem(BatchRequest *request, Arena *arena, Message *why)
{
    Problem problem;
    Status status = problem_read(request->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    request->problem = arena_string(arena, problem.id);
    request->revision = arena_string(arena, problem.revision.hex);
    Digest edition;
    status = problem_edition(&problem, &edition, why);
    request->edition = arena_string(arena, edition.hex);
    problem_free(&problem);
    return status;
}

static bool is_as_begun(const Batch *batch, const Problem *problem, const Digest *edition)
{
    return !batch->is_mixed && strcmp(problem->revision.hex, batch->revision) == 0 &&
           (batch->edition[0] == '\0' || strcmp(edition->hex, batch->edition) == 0);
}

Status rejudging_begin(Store *store, const BatchRequest *request, const char *person, Arena *arena, Batch *batch,
                       BatchSkip **skips, size_t *skip_count, Message *why)
{
    BatchRequest named = *request;
    int64_t id;
    Status status = name_problem(&named, arena, why);
    if (status == STATUS_OK)
        status = batches_open(store, &named, person, arena, &id, skips, skip_count, why);
    return status == STATUS_OK ? batches_read(store, id, arena, batch, why) : status;
}

static Status check_revision(Store *store, int64_t id, Arena *arena, Message *why)
{
    Batch batch;
    Problem problem;
    Digest edition;
    Status status = batches_read(store, id, arena, &batch, why);
    if (status == STATUS_OK)
        status = batch_expect_open(&batch, why);
    if (status == STATUS_OK)
        status = problem_read(batch.problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = problem_edition(&problem, &edition, why);
    if (status == STATUS_OK && !is_as_begun(&batch, &problem, &edition))
        status = fail(STATUS_BAD_INPUT, why,
                      "batch %lld: problem %s has changed since; drop the batch, and begin another", (long long)id,
                      batch.problem);
    problem_free(&problem);
    return status;
}

Status rejudging_apply(Store *store, int64_t batch, const char *person, Message *why)
{
    Arena arena = {0};
    Status status = check_revision(store, batch, &arena, why);
    arena_free(&arena);
    return status == STATUS_OK ? batch_apply(store, batch, person, why) : status;
}
