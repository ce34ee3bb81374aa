/* verdict.h - the verdicts and their names. */
#ifndef GRADER_RESULT_VERDICT_H
#define GRADER_RESULT_VERDICT_H

#include <stdbool.h>

typedef enum Verdict {
    VERDICT_ACCEPTED,
    VERDICT_WRONG_ANSWER,
    VERDICT_RUN_TIME_ERROR,
    VERDICT_TIME_LIMIT_EXCEEDED,
    VERDICT_MEMORY_LIMIT_EXCEEDED,
    VERDICT_COMPILE_ERROR,
    VERDICT_RULE_VIOLATION,
    VERDICT_INTEGRITY_VIOLATION,
    VERDICT_JUDGE_ERROR, /* the device, the runtime or the compiler of this judge lacks what the submission needs */
    VERDICT_COUNT
} Verdict;

/* "Wrong Answer" */
const char *verdict_name(Verdict verdict);
/* "wrong_answer": the name of the folder under solutions/<id>/ that claims it */
const char *verdict_folder(Verdict verdict);
/* Accepts either name. */
bool verdict_parse(const char *name, Verdict *verdict);

/* Of a command that judges one submission: 0 if it was accepted, 2 after a judge error, else 1. */
int verdict_exit_status(Verdict verdict);

#endif
