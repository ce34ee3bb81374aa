/* Runs a submission on a case of its author's own, or on the samples alone. Nothing is recorded, so the author may know
 * everything about the data. */
#include "grader/commands/command.h"
#include "grader/commands/request.h"

#include "base/random.h"
#include "grader/judge/judge.h"
#include "grader/problem/own_case.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Larger ones are hard to type again. */
enum { DRAWN_SEEDS = 1000000, MOST_SEED = 1000000000 };

typedef struct Trying {
    const Options *options;
    Request request;
    uint64_t seed;
    TestcaseSet set; /* with --sizes */
    Result result;
} Trying;

static Status choose_seed(const Options *options, uint64_t *seed, Message *why)
{
    char *end;
    if (options->seed == NULL) {
        uint32_t drawn = 0;
        Status status = random_bytes(&drawn, sizeof drawn, why);
        *seed = drawn % DRAWN_SEEDS;
        return status;
    }
    errno = 0;
    long long value = strtoll(options->seed, &end, 10);
    if (end == options->seed || *end != '\0' || errno != 0 || value < 0 || value > MOST_SEED)
        return fail(STATUS_BAD_INPUT, why, "try: option '--seed': expected a number from 0 to %d, found '%s'",
                    MOST_SEED, options->seed);
    *seed = (uint64_t)value;
    return STATUS_OK;
}

static Status make_case(Trying *trying, Message *why)
{
    const Options *options = trying->options;
    if (options->sizes == NULL) {
        const char *other = options->seed != NULL ? "seed" : options->data != NULL ? "data" : NULL;
        return other == NULL ? STATUS_OK
                             : fail(STATUS_BAD_INPUT, why,
                                    "try: '--%s' needs '--sizes': the samples have data of their own", other);
    }
    const OwnCase own = {.sizes = options->sizes, .data = options->data, .seed = trying->seed};
    Message unfit;
    Status status = own_case_make(&trying->request.problem, &own, &trying->set, &unfit);
    return status == STATUS_OK ? status : fail(status, why, "try: %s", unfit.text);
}

static Status check_request(Trying *trying, Message *why)
{
    Status status = request_read(trying->options, &trying->request, why);
    if (status == STATUS_OK)
        status = choose_seed(trying->options, &trying->seed, why);
    return status == STATUS_OK ? make_case(trying, why) : status;
}

static Status judge_file(Trying *trying, Progress *progress, Message *why)
{
    const JudgeJob job = {
        .problem = &trying->request.problem,
        .submission = &trying->request.submission,
        .cases = trying->options->sizes == NULL ? NULL : &trying->set,
        .device = request_device(trying->options),
        .samples_only = true,
        .second_opinion = !trying->options->no_second_opinion,
        .progress = progress,
    };
    return judge_submission(&job, &trying->result, why);
}

static Status write_result(const Trying *trying, Message *why)
{
    char data[100] = "";
    if (trying->options->sizes != NULL)
        snprintf(data, sizeof data,
                 trying->options->data == NULL
                     ? "  the data: random ones with SEED=%llu, which repeats them\n"
                     : "  the data: what no file gives is random, with SEED=%llu, which repeats it\n",
                 (unsigned long long)trying->seed);
    return request_write(trying->options, &trying->result, data, why);
}

Status command_try(const Options *options, int *exit_status, Message *why)
{
    Trying trying = {.options = options};
    Progress progress = progress_new(stderr);
    Status status = check_request(&trying, why);
    if (status == STATUS_OK)
        status = judge_file(&trying, &progress, why);
    if (status == STATUS_OK)
        status = write_result(&trying, why);
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(trying.result.verdict);
    result_free(&trying.result);
    testcases_free(&trying.set);
    request_free(&trying.request);
    return status;
}
