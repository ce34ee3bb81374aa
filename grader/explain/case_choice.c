#include "grader/explain/case_choice.h"

#include "base/text.h"
#include "grader/problem/testcase_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_timed(const Testcase *testcase)
{
    return testcase->group == CASE_TIMED;
}

static void choose(const TestcaseSet *set, const char *wanted, CaseChoice *choice, Text *names)
{
    char number[16];
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (!is_timed(testcase))
            continue;
        snprintf(number, sizeof number, "%d", ++choice->count);
        text_printf(names, "%s%s (%s)", names->length > 0 ? "; " : "", number, testcase->name);
        if (wanted == NULL || (strcmp(wanted, testcase->name) != 0 && strcmp(wanted, number) != 0))
            continue;
        snprintf(choice->name, sizeof choice->name, "%s", testcase->name);
        choice->number = choice->count;
    }
}

Status case_choice_read(const Problem *problem, const char *wanted, CaseChoice *choice, Message *why)
{
    TestcaseSet set;
    Text names = {0};
    *choice = (CaseChoice){.number = 0};
    Status status = testcases_read(problem, &set, why);
    if (status != STATUS_OK)
        return status;
    choose(&set, wanted, choice, &names);
    if (wanted != NULL && choice->count == 0)
        status = fail(STATUS_BAD_INPUT, why, "--case %s: problem %s has no timed case", wanted, problem->id);
    else if (wanted != NULL && choice->number == 0)
        status = fail(STATUS_BAD_INPUT, why,
                      "--case %s: problem %s has no such timed case; expected a number or name: %s", wanted,
                      problem->id, names.data);
    text_free(&names);
    testcases_free(&set);
    return status;
}

double case_choice_score_gain(int count, double gain)
{
    return count > 0 ? 1 - pow(1 - gain, 1.0 / count) : 0;
}
