#include "harness/runner/submission.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

SolveCall *submission_load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    SolveCall *solve = object == NULL ? NULL : (SolveCall *)(uintptr_t)dlsym(object, SOLVE_SYMBOL);
    fflush(NULL);
    return solve;
}

void submission_call(SolveCall *solve, const unsigned long long *words)
{
    solve(words);
    fflush(NULL);
}
