#include "grader/problem/problem_formulas.h"

/* --- compiling ---------------------------------------------------------------------------------------------------- */

/* The text is the string `item`; a mistake in it is reported at `place`. */
static Status compile_formula(const JsonFile *file, const cJSON *place, const cJSON *item, Problem *problem,
                              Expression *formula, Message *why)
{
    const char *names[PROBLEM_MAX_PARAMETERS];
    Message unfit = {0};
    if (!cJSON_IsString(item))
        return json_fail(file, place, why, "expected a list of expressions, each a string");
    for (size_t i = 0; i < problem->parameter_count; i++)
        names[i] = problem->parameters[i].role == ROLE_SIZE ? problem->parameters[i].name : NULL;
    if (expression_compile(item->valuestring, names, problem->parameter_count, &problem->arena, formula, &unfit) !=
        STATUS_OK)
        return json_fail(file, place, why, "%s", unfit.text);
    return STATUS_OK;
}

static Status read_shapes(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *item = json_get(file->root, "parameters")->child;
    for (size_t i = 0; i < problem->parameter_count; i++, item = item->next) {
        const cJSON *shape = json_get(item, "shape"), *extent = shape == NULL ? NULL : shape->child;
        for (size_t k = 0; extent != NULL; k++, extent = extent->next) {
            Status status = compile_formula(file, shape, extent, problem, &problem->parameters[i].shape[k], why);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

static Status read_constraints(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *list = json_get(file->root, "constraints");
    Status status = STATUS_OK;
    problem->constraints = arena_array(&problem->arena, (size_t)cJSON_GetArraySize(list) + 1,
                                       sizeof *problem->constraints);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = compile_formula(file, list, item, problem, &problem->constraints[problem->constraint_count++], why);
    return status;
}

Status problem_read_formulas(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *operations = json_get(file->root, "operations"), *bytes = json_get(file->root, "bytes");
    Status status = read_shapes(file, problem, why);
    if (status == STATUS_OK)
        status = read_constraints(file, problem, why);
    if (status == STATUS_OK)
        status = compile_formula(file, operations, operations, problem, &problem->operations, why);
    return status == STATUS_OK ? compile_formula(file, bytes, bytes, problem, &problem->bytes, why) : status;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static Status check_constraints(const JsonFile *file, const Problem *problem, const Sizes *sizes, bool *hold,
                                Message *why)
{
    Message unfit = {0};
    *hold = true;
    for (size_t i = 0; i < problem->constraint_count; i++) {
        int64_t holds;
        if (expression_evaluate(&problem->constraints[i], sizes->values, &holds, &unfit) != STATUS_OK)
            return json_fail(file, json_get(file->root, "constraints"), why, "%s", unfit.text);
        *hold = *hold && holds != 0;
    }
    return STATUS_OK;
}

static Status check_shapes(const JsonFile *file, const Problem *problem, const Sizes *sizes, Message *why)
{
    Message unfit = {0};
    size_t shape[TENSOR_MAX_RANK], count;
    const cJSON *item = json_get(file->root, "parameters")->child;
    for (size_t i = 0; i < problem->parameter_count; i++, item = item->next)
        if (problem->parameters[i].role != ROLE_SIZE &&
            problem_shape(problem, i, sizes, shape, &count, &unfit) != STATUS_OK)
            return json_fail(file, json_get(item, "shape"), why, "%s", unfit.text);
    return STATUS_OK;
}

static Status check_formula(const JsonFile *file, const char *key, const Expression *formula, const Sizes *sizes,
                            Message *why)
{
    Message unfit = {0};
    int64_t value;
    if (expression_evaluate(formula, sizes->values, &value, &unfit) != STATUS_OK)
        return json_fail(file, json_get(file->root, key), why, "%s", unfit.text);
    if (value < 1)
        return json_fail(file, json_get(file->root, key), why,
                         "is %lld for the smallest or largest sizes, expected at least 1", (long long)value);
    return STATUS_OK;
}

/* Checks every formula at these sizes, if the constraints allow them. */
static Status check_formulas_at(const JsonFile *file, const Problem *problem, const Sizes *sizes, Message *why)
{
    bool possible;
    Status status = check_constraints(file, problem, sizes, &possible, why);
    if (status != STATUS_OK || !possible)
        return status;
    status = check_shapes(file, problem, sizes, why);
    if (status == STATUS_OK)
        status = check_formula(file, "operations", &problem->operations, sizes, why);
    if (status == STATUS_OK)
        status = check_formula(file, "bytes", &problem->bytes, sizes, why);
    return status;
}

Status problem_check_formulas(const JsonFile *file, const Problem *problem, Message *why)
{
    Sizes least = {0}, largest = {0};
    bool possible;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        least.values[i] = problem->parameters[i].low;
        largest.values[i] = problem->parameters[i].high;
    }
    Status status = check_constraints(file, problem, &least, &possible, why);
    if (status == STATUS_OK && !possible)
        return json_fail(file, json_get(file->root, "constraints"), why,
                         "expected them to hold for the smallest sizes");
    if (status == STATUS_OK)
        status = check_formulas_at(file, problem, &least, why);
    if (status == STATUS_OK)
        status = check_formulas_at(file, problem, &largest, why);
    return status;
}
