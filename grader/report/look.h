/* look.h - a look inside a kernel: what its warps ask of memory at a line, and how often a block reads each element.
 *
 * Both come from one block of the first launch of each kernel (simgpu/engine/request.h).  */
#ifndef GRADER_REPORT_LOOK_H
#define GRADER_REPORT_LOOK_H

#include "base/status.h"
#include "base/terminal.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "harness/device/execution_profile.h"

typedef struct Look {
    const Problem *problem;
    const Submission *submission;
    const char *case_name;
    Sizes sizes;
    const ExecutionProfile *profile;
    int line; /* of the submission */
} Look;

/* The line whose accesses take most wavefronts; 0: no line of the file accesses memory. */
int look_hottest_line(const ExecutionProfile *profile);
/* Whether any access of the line was seen. */
bool look_has_line(const ExecutionProfile *profile, int line);

/* For the terminal, by characters. */
void look_write(const Look *look, TerminalStyle style, Text *out);
/* A page of its own, with pictures. */
MUST_USE Status look_page(const Look *look, Text *page, Message *why);

#endif
