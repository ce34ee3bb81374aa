#include "grader/judge/remaining_cases.h"

#include "grader/judge/case_run.h"
#include "grader/judge/loading.h"

enum { MOST_TIME_LIMITS = 2 };

typedef struct Told { /* what a result says of the judging as a whole */
    Verdict verdict;
    const char *text;
    size_t warning_count;
} Told;

static Told told_so_far(const Result *result)
{
    return (Told){result->verdict, result->text, result->warning_count};
}

static void restore(Result *result, const Told *told)
{
    result->verdict = told->verdict;
    result->text = told->text;
    result->warning_count = told->warning_count;
}

bool remaining_cases_are_wanted(const Grading *judging)
{
    return judging->job->all_cases && result_failed_case(judging->result) != NULL;
}

/* A list of its own from the beginning, so that nothing has to be told apart later. */
static CaseVerdict *list_of(Grading *judging)
{
    Result *result = judging->result;
    if (result->all_cases == NULL)
        result->all_cases = arena_array(&result->arena, result->case_count, sizeof *result->all_cases);
    return result->all_cases;
}

/* The runner is new and has been called by nobody; false: not even a constructor ended well, and the verdict says how. */
static Status renew(Grading *judging, bool *is_loaded, Message *why)
{
    judging->is_fresh = judging->ended = judging->runner_is_spent = false;
    Status status = loading_renew_runner(judging, why);
    *is_loaded = !judging->ended;
    judging->is_fresh = false;
    return status;
}

/* The case takes its place among the others, from which its data follow, and leaves it as it was. */
static Status run_in_place(Grading *judging, size_t place, Verdict *verdict, Message *why)
{
    CaseResult *item = &judging->result->cases[place];
    const CaseResult before = *item;
    Status status = case_run(judging, judging->testcases[place], item, why);
    *verdict = item->verdict;
    *item = before;
    return status;
}

static Status run_one(Grading *judging, size_t place, bool *needs_runner, Message *why)
{
    bool is_loaded = true;
    Verdict verdict = VERDICT_ACCEPTED;
    Status status = *needs_runner ? renew(judging, &is_loaded, why) : STATUS_OK;
    if (status == STATUS_OK && is_loaded)
        status = run_in_place(judging, place, &verdict, why);
    else
        verdict = judging->result->verdict;
    *needs_runner = judging->runner_is_spent || (verdict != VERDICT_ACCEPTED && verdict != VERDICT_WRONG_ANSWER);
    list_of(judging)[place] = (CaseVerdict){.judged = true, .verdict = verdict};
    return status;
}

static bool hangs(Grading *judging)
{
    const Result *result = judging->result;
    int time_limits = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseVerdict *later = &list_of(judging)[i];
        time_limits += result->cases[i].judged && result->cases[i].verdict == VERDICT_TIME_LIMIT_EXCEEDED;
        time_limits += later->judged && later->verdict == VERDICT_TIME_LIMIT_EXCEEDED;
    }
    return time_limits >= MOST_TIME_LIMITS;
}

Status remaining_cases_run(Grading *judging, CaseGroup group, Message *why)
{
    Result *result = judging->result;
    const Told told = told_so_far(result);
    bool needs_runner = true;
    Status status = STATUS_OK;
    if (!remaining_cases_are_wanted(judging))
        return STATUS_OK;
    for (size_t i = 0; i < result->case_count && status == STATUS_OK && !hangs(judging); i++)
        if (result->cases[i].group == group && !result->cases[i].judged)
            status = run_one(judging, i, &needs_runner, why);
    restore(result, &told);
    judging->ended = true;
    return status;
}

void remaining_cases_conclude(Grading *judging)
{
    const Result *result = judging->result;
    if (!judging->job->all_cases)
        return;
    CaseVerdict *list = list_of(judging);
    for (size_t i = 0; i < result->case_count; i++) {
        list[i].name = arena_string(&judging->result->arena, judging->testcases[i]->name);
        if (!result->cases[i].judged)
            continue;
        list[i].judged = true;
        list[i].verdict = result->cases[i].verdict;
    }
}
