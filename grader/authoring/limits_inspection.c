#include "grader/authoring/limits_inspection.h"

#include "grader/problem/expression.h"

/* A limit that only real GPUs reach is no limit that the simulated one can judge by. */
static bool is_for_each_device(const Testcase *testcase)
{
    return testcase->group == CASE_HIDDEN || testcase->group == CASE_TIMED_SIM;
}

static bool some_case_has(const TestcaseSet *set, size_t parameter, int64_t value)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_for_each_device(&set->cases[i]) && set->cases[i].sizes.values[parameter] == value)
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
        if (is_for_each_device(&set->cases[i]) && is_on_the_edge(problem, constraint, &set->cases[i]))
            return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why,
                "testcases/%s: no hidden case, nor one that is timed on \"sim\", is as large as %s lets it be",
                problem->id, constraint->text);
}

static Status count_outputs(const Problem *problem, const Testcase *testcase, size_t *count, Message *why)
{
    size_t shape[TENSOR_MAX_RANK];
    return problem_shape(problem, problem_output(problem), &testcase->sizes, shape, count, why);
}

/* A grid that is capped leaves outputs out only where there are enough of them. */
static Status inspect_outputs(const Problem *problem, const TestcaseSet *set, Message *why)
{
    size_t most = 0, most_on_cuda = 0;
    Status status = STATUS_OK;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++) {
        size_t count = 0, *largest = is_for_each_device(&set->cases[i]) ? &most : &most_on_cuda;
        status = count_outputs(problem, &set->cases[i], &count, why);
        *largest = count > *largest ? count : *largest;
    }
    if (status == STATUS_OK && most < most_on_cuda)
        return fail(
            STATUS_BAD_INPUT, why,
            "testcases/%s: a case has %zu outputs, but no hidden case, nor one that is timed on \"sim\", has more "
            "than %zu",
            problem->id, most_on_cuda, most);
    return status;
}

static Status inspect_sizes(const Problem *problem, const TestcaseSet *set, Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *size = &problem->parameters[i];
        if (size->role != ROLE_SIZE)
            continue;
        if (!some_case_has(set, i, size->low))
            return fail(STATUS_BAD_INPUT, why,
                        "testcases/%s: no hidden case, nor one that is timed on \"sim\", has the least %s, %lld",
                        problem->id, size->name, (long long)size->low);
        if (!some_case_has(set, i, size->high))
            return fail(STATUS_BAD_INPUT, why,
                        "testcases/%s: no hidden case, nor one that is timed on \"sim\", has the largest %s, %lld",
                        problem->id, size->name, (long long)size->high);
    }
    return STATUS_OK;
}

Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Status status = inspect_sizes(problem, set, why);
    for (size_t i = 0; i < problem->constraint_count && status == STATUS_OK; i++)
        status = inspect_constraint(problem, &problem->constraints[i], set, why);
    return status == STATUS_OK ? inspect_outputs(problem, set, why) : status;
}
