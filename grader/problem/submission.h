/* submission.h - the file that a student hands in.  */
#ifndef GRADER_PROBLEM_SUBMISSION_H
#define GRADER_PROBLEM_SUBMISSION_H

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"

#include <stdbool.h>

typedef struct Submission {
    const char *path; /* as the user wrote it; belongs to the caller */
    char *file_name;  /* last part of the path, printable */
    Text source;
    Digest hash;
} Submission;

/* Reads the file and checks it: a regular file (no folder, link or pipe), not empty, UTF-8 text. Any name is
 * allowed. A patch (solution_source.h) is read as the source that it stands for, and its name ends with ".cu" then. */
MUST_USE Status submission_read(const char *path, Submission *submission, Message *why);
/* The same for a text that has come in another way, which must be no patch. Takes `source`, whatever happens. */
MUST_USE Status submission_take(const char *path, Text *source, Submission *submission, Message *why);
void submission_free(Submission *submission);

/* True for plain C, which runs on the CPU: the name ends with ".c". */
bool submission_is_c(const Submission *submission);

/* Reads the problem `id`, or if that is NULL the one that the file names or fits (problem.h), and checks the size
 * of the file against its limit. The caller frees the problem. */
MUST_USE Status submission_problem(const Submission *submission, const char *id, Problem *problem, Message *why);

#endif
