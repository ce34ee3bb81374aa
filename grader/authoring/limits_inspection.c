#include "grader/authoring/limits_inspection.h"

#include "grader/problem/expression.h"

/* Of a sample anyone may know that it reaches a limit. */
static bool is_secret(const Testcase *testcase)
{
    return testcase->group != CASE_SAMPLE;
}

static bool some_case_has(const TestcaseSet *set, size_t parameter, int64_t value)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_secret(&set->cases[i]) && set->cases[i].sizes.values[parameter] == value)
            return true;
    return false;
}

/* Whether a size cannot grow by one, or shrink by one, without breaking the constraint. */
static bool is_on_the_edge(const Problem *problem, const Expression *constraint, const Testcase *testcase)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        for (int step = -1; step <= 1 && problem->parameters[i].role == ROLE_SIZE; step += 2) {
            Sizes beyond = testcase->sizes;
            int64_t holds = 1;
            Message unfit;
            beyond.values[i] += step;
            if (expression_evaluate(constraint, beyond.values, &holds, &unfit) == STATUS_OK && !holds)
                return true;
        }
    return false;
}

static Status inspect_constraint(const Problem *problem, const Expression *constraint, const TestcaseSet *set,
                                 Message *why)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_secret(&set->cases[i]) && is_on_the_edge(problem, constraint, &set->cases[i]))
            return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case is as large as %s lets it be",
                problem->id, constraint->text);
}

static Status inspect_sizes(const Problem *problem, const TestcaseSet *set, Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *size = &problem->parameters[i];
        if (size->role != ROLE_SIZE)
            continue;
        if (!some_case_has(set, i, size->low))
            return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case has the least %s, %lld",
                        problem->id, size->name, (long long)size->low);
        if (!some_case_has(set, i, size->high))
            return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case has the largest %s, %lld",
                        problem->id, size->name, (long long)size->high);
    }
    return STATUS_OK;
}

Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Status status = inspect_sizes(problem, set, why);
    for (size_t i = 0; i < problem->constraint_count && status == STATUS_OK; i++)
        status = inspect_constraint(problem, &problem->constraints[i], set, why);
    return status;
}
