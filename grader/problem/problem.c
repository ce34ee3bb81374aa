#include "grader/problem/problem.h"

static const int64_t MAX_ELEMENTS = (int64_t)1 << 31;

Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes, size_t shape[TENSOR_MAX_RANK],
                     size_t *count, Message *why)
{
    const Parameter *array = &problem->parameters[parameter];
    int64_t product = 1;
    for (int i = 0; i < array->rank; i++) {
        int64_t extent;
        Status status = expression_evaluate(&array->shape[i], sizes->values, &extent, why);
        if (status != STATUS_OK)
            return status;
        if (extent < 1)
            return fail(STATUS_BAD_INPUT, why, "%s has the extent \"%s\" = %lld, expected at least 1", array->name,
                        array->shape[i].text, (long long)extent);
        if (__builtin_mul_overflow(product, extent, &product) || product > MAX_ELEMENTS)
            return fail(STATUS_BAD_INPUT, why, "%s has more than %lld elements", array->name, (long long)MAX_ELEMENTS);
        shape[i] = (size_t)extent;
    }
    *count = (size_t)product;
    return STATUS_OK;
}

size_t problem_output(const Problem *problem)
{
    size_t i = 0;
    while (problem->parameters[i].role != ROLE_OUT)
        i++;
    return i;
}

void problem_free(Problem *problem)
{
    arena_free(&problem->arena);
    *problem = (Problem){0};
}
