#include "grader/result/verdict.h"

#include <string.h>

static const struct {
    const char *name, *folder;
} verdicts[VERDICT_COUNT] = {
    [VERDICT_ACCEPTED] = {"Accepted", "accepted"},
    [VERDICT_WRONG_ANSWER] = {"Wrong Answer", "wrong_answer"},
    [VERDICT_RUN_TIME_ERROR] = {"Run-Time Error", "run_time_error"},
    [VERDICT_TIME_LIMIT_EXCEEDED] = {"Time Limit Exceeded", "time_limit_exceeded"},
    [VERDICT_MEMORY_LIMIT_EXCEEDED] = {"Memory Limit Exceeded", "memory_limit_exceeded"},
    [VERDICT_COMPILE_ERROR] = {"Compile Error", "compile_error"},
    [VERDICT_RULE_VIOLATION] = {"Rule Violation", "rule_violation"},
    [VERDICT_INTEGRITY_VIOLATION] = {"Integrity Violation", "integrity_violation"},
    [VERDICT_JUDGE_ERROR] = {"Judge Error", "judge_error"},
};

const char *verdict_name(Verdict verdict)
{
    return verdicts[verdict].name;
}

const char *verdict_folder(Verdict verdict)
{
    return verdicts[verdict].folder;
}

bool verdict_parse(const char *name, Verdict *verdict)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (strcmp(name, verdicts[i].name) == 0 || strcmp(name, verdicts[i].folder) == 0) {
            *verdict = (Verdict)i;
            return true;
        }
    return false;
}

int verdict_exit_status(Verdict verdict)
{
    return verdict == VERDICT_ACCEPTED ? 0 : verdict == VERDICT_JUDGE_ERROR ? 2 : 1;
}
