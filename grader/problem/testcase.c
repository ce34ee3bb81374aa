#include "grader/problem/testcase.h"

void testcases_free(TestcaseSet *set)
{
    for (size_t i = 0; i < set->count; i++) {
        tensor_free(&set->cases[i].expected);
        for (size_t j = 0; j < PROBLEM_MAX_PARAMETERS; j++)
            tensor_free(&set->cases[i].sources[j].literal);
    }
    arena_free(&set->arena);
    *set = (TestcaseSet){0};
}
