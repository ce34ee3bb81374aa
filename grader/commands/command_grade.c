/* Runs a submission on a case of its author's own, or on the samples alone. Nothing is recorded, so the author may know
 * everything about the data. */
#include "base/random.h"
#include "grader/commands/command.h"
#include "grader/commands/request.h"
#include "grader/judge/judge.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/own_case.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/review.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== command try ================================================================================================= */

/* Larger ones are hard to type again. */
enum { DRAWN_SEEDS = 1000000, MOST_SEED = 1000000000 };

typedef struct Trying {
    const Options *options;
    Request request;
    uint64_t seed;
    TestcaseSet set; /* with --sizes */
    Result result;
} Trying;

static Status try_choose_seed(const Options *options, uint64_t *seed, Message *why)
{
    int64_t chosen = 0;
    if (options->seed == NULL) {
        uint32_t drawn = 0;
        Status status = random_bytes(&drawn, sizeof drawn, why);
        *seed = drawn % DRAWN_SEEDS;
        return status;
    }
    Status status = options_number(options, "--seed", options->seed, 0, MOST_SEED, &chosen, why);
    *seed = (uint64_t)chosen;
    return status;
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
    const CustomCase own = {.sizes = options->sizes, .data = options->data, .seed = trying->seed};
    Message unfit;
    Status status = custom_case_make(&trying->request.problem, &own, &trying->set, &unfit);
    return status == STATUS_OK ? status : fail(status, why, "try: %s", unfit.text);
}

static Status try_check_request(Trying *trying, Message *why)
{
    Status status = request_read(trying->options, &trying->request, why);
    if (status == STATUS_OK)
        status = try_choose_seed(trying->options, &trying->seed, why);
    return status == STATUS_OK ? make_case(trying, why) : status;
}

static Status try_judge_file(Trying *trying, Progress *progress, Message *why)
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
    Status status = try_check_request(&trying, why);
    if (status == STATUS_OK)
        status = try_judge_file(&trying, &progress, why);
    if (status == STATUS_OK)
        status = write_result(&trying, why);
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(trying.result.verdict);
    result_free(&trying.result);
    testcases_free(&trying.set);
    request_free(&trying.request);
    return status;
}

/* ==== command grade =============================================================================================== */

typedef struct GradeCommand {
    const Options *options;
    ClassPoints points;
    bool recorded;
    bool file_is_at_fault; /* if the grading fails */
    GeneratorKey seed;     /* if --seed is given */
    char person[PERSON_MAX_BYTES + 1];
    Request request;
    Store *store;  /* NULL: there is no database to read, and nothing will be recorded */
    Ladder ladder; /* filled in when an anchor is chosen */
    Progress progress;
    CallBudget spent;
    Result result;
} GradeCommand;

/* Where nothing is recorded, a database that cannot be read is no error: the report lacks the percentile in the class. */
static Status open_store(GradeCommand *grading, Message *why)
{
    Message unfit;
    if (grading->recorded) {
        Status status = ranking_open(STORE_WRITE, &grading->store, &unfit);
        return status == STATUS_OK ? status
                                   : fail(status, why,
                                          "%s; to judge without keeping the run: --no-record; to keep it elsewhere: "
                                          "CONVJUDGE_DB=FILE",
                                          unfit.text);
    }
    if (ranking_open(STORE_READ, &grading->store, NULL) != STATUS_OK)
        grading->store = NULL;
    return STATUS_OK;
}

/* A run with a known seed could contain the answers, so it is not recorded. */
static Status choose_seed(GradeCommand *grading, Message *why)
{
    const char *seed = grading->options->seed;
    grading->recorded = !grading->options->no_record && !grading->options->untimed && seed == NULL;
    if (seed != NULL && !key_read(seed, &grading->seed))
        return fail(
            STATUS_BAD_INPUT, why,
            "grade: option '--seed': expected the 64 hexadecimal digits of \"seed\" in a result.json, found '%s'",
            seed);
    return STATUS_OK;
}

/* Checks everything that can be wrong with the request, before minutes of judging. */
static Status check_request(GradeCommand *grading, Message *why)
{
    const Options *options = grading->options;
    Status status = choose_seed(grading, why);
    if (status == STATUS_OK)
        status = person_choose(options->person, grading->person, why);
    if (status != STATUS_OK)
        return status;
    status = request_read(options, &grading->request, why);
    if (status == STATUS_OK)
        status = json_target_check(options->all_cases, options->operands[0], why);
    grading->file_is_at_fault = status != STATUS_OK;
    return status == STATUS_OK ? open_store(grading, why) : status;
}

/* There is no anchor where no times are stored yet (this run, or the next, will take them), and none in a student's
 * kit, which has the times of the reference solutions but not their sources. */
static const Submission *choose_anchor(void *context, const DeviceInfo *device)
{
    GradeCommand *grading = context;
    const Board board = {grading->request.problem.id, grading->request.problem.revision.hex, device->id, device->epoch};
    Message ignored;
    if (grading->ladder.count == 0 &&
        ranking_ladder(grading->store, &grading->request.problem, &board, &grading->ladder, &ignored) != STATUS_OK)
        return NULL;
    const Rung *anchor = ladder_anchor(&grading->ladder);
    return anchor == NULL || anchor->submission.source.length == 0 ? NULL : &anchor->submission;
}

static JudgeJob job_of(GradeCommand *grading)
{
    return (JudgeJob){
        .problem = &grading->request.problem,
        .submission = &grading->request.submission,
        .secret = grading->options->seed != NULL ? &grading->seed : NULL,
        .device = request_device(grading->options),
        .untimed_only = grading->options->untimed,
        .all_cases = grading->options->all_cases != NULL || grading->options->class_file != NULL,
        .second_opinion = !grading->options->no_second_opinion,
        .spent = &grading->spent,
        .progress = &grading->progress,
        .anchor = choose_anchor,
        .context = grading,
    };
}

static Status judge_file(GradeCommand *grading, Message *why)
{
    const JudgeJob job = job_of(grading);
    return judge_submission(&job, &grading->result, why);
}

static void decide_rank(const GradeCommand *grading, bool recorded, Result *result)
{
    ranking_decide(result, recorded);
    if (grading->options->untimed && result->verdict == VERDICT_ACCEPTED)
        snprintf(result->rank_status, sizeof result->rank_status, "not ranked: without timed cases (--untimed)");
}

/* A result that would rank is reviewed first, which needs the times of the reference solutions. The run is recorded before
 * it is reported, so that nothing reported can be lost. */
static Status rank_result(GradeCommand *grading, Message *why)
{
    Result *result = &grading->result;
    const bool recorded = grading->recorded && !result->on_cpu, compared = result->score.ms > 0 && !result->on_cpu;
    const JudgeJob job = job_of(grading);
    Status status = STATUS_OK;
    result->person = grading->person;
    decide_rank(grading, recorded, result);
    if (compared)
        status = ranking_compare(grading->store, recorded, job.device, job.progress, result, why);
    if (status == STATUS_OK && strcmp(result->rank_status, "ranked") == 0)
        status = review_result(grading->store, &job, result, why);
    if (status == STATUS_OK && recorded)
        status = ranking_record(grading->store, grading->request.submission.source.data, result, why);
    if (status == STATUS_OK && compared && grading->store != NULL)
        status = ranking_place(grading->store, result, why);
    return status;
}

static Status write_verdicts(const GradeCommand *grading, Message *why)
{
    Text text = {0};
    if (grading->options->all_cases == NULL)
        return STATUS_OK;
    case_verdicts_json(&grading->result, &text);
    Status status = json_target_write(grading->options->all_cases, &text, why);
    text_free(&text);
    return status;
}

static void free_grading(GradeCommand *grading)
{
    result_free(&grading->result);
    ladder_free(&grading->ladder);
    store_close(grading->store);
    request_free(&grading->request);
}

static Status grade(GradeCommand *grading, Message *why)
{
    Status status = check_request(grading, why);
    if (status == STATUS_OK)
        status = judge_file(grading, why);
    if (status == STATUS_OK)
        status = rank_result(grading, why);
    if (status == STATUS_OK)
        status = write_verdicts(grading, why);
    if (status == STATUS_OK)
        status = request_exchange(grading->options, &grading->result, grading->points, why);
    return status == STATUS_OK ? request_write(grading->options, &grading->result, "", why) : status;
}

Status command_grade(const Options *options, ClassPoints points, int *exit_status, Message *why)
{
    GradeCommand grading = {.options = options, .points = points, .progress = progress_new(stderr)};
    const ExchangeFiles files = request_exchange_files(options);
    ExchangeFailure failure = {0};
    Status status = options_expect_file(options, why);
    if (status == STATUS_OK)
        status = exchange_check(&files, options->operands[0], why);
    if (status == STATUS_OK)
        status = request_check_class(options, points, why);
    if (status != STATUS_OK)
        return status;
    status = failure.status = grade(&grading, &failure.reason);
    failure.fault = grading.file_is_at_fault ? FAULT_OF_FILE : FAULT_OF_JUDGE;
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(grading.result.verdict);
    else
        status = exchange_fail(&files, &failure, why);
    free_grading(&grading);
    return status;
}
