#include "grader/report/limiter.h"

#include <string.h>

const char *limiter_words(const char *limiter)
{
    static const char *const words[][2] = {
        {"dram", "memory bandwidth"},  {"l2", "L2 bandwidth"},           {"lsu", "load/store units"},
        {"fma", "float32 arithmetic"}, {"fp64", "float64 arithmetic"},   {"integer", "integer arithmetic"},
        {"issue", "issue of warps"},   {"special", "special functions"}, {"constant", "constant cache"},
        {"blocks", "start of blocks"}, {"launch", "launches"},           {"texture", "texture units"},
        {"heap", "heap of kernels"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], limiter) == 0)
            return words[i][1];
    return limiter;
}
