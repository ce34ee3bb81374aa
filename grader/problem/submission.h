/* submission.h - the file that a student hands in.  */
#ifndef GRADER_PROBLEM_SUBMISSION_H
#define GRADER_PROBLEM_SUBMISSION_H

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"

#include <stdbool.h>

typedef struct Submission {
    const char *path; /* as given; the caller's */
    char *file_name;  /* its last part, printable */
    Text source;
    Digest hash;
} Submission;

/* Reads and vets: a regular file (no folder, link or pipe), not empty, UTF-8 text. Any name will do. */
MUST_USE Status submission_read(const char *path, Submission *submission, Message *why);
void submission_free(Submission *submission);

/* Plain C, for the CPU: its name ends with ".c". */
bool submission_is_c(const Submission *submission);

/* The problem: `id`, or where that is NULL what the file says or fits (signature.h). The file must then be within the
 * problem's limit. The problem is the caller's to free. */
MUST_USE Status submission_problem(const Submission *submission, const char *id, Problem *problem, Message *why);

#endif
