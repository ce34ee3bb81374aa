/* progress.h - shows the steps of a grading on standard error while they run.
 *
 * On a terminal the current step is a bar, redrawn at most 20 times per second. Elsewhere each step is one line, which
 * begins and ends with the step. A NULL Progress shows nothing.
 *
 * With CONVJUDGE_PROGRESS=lines in the environment, another program reads along: each change is a line of its own,
 * "progress 1/3 timed cases", and "progress 0/0 compile" where the amount of work is unknown. There are no notes and no
 * outcomes then.  */
#ifndef GRADER_TERMINAL_PROGRESS_H
#define GRADER_TERMINAL_PROGRESS_H

#include "grader/terminal/terminal.h"

#include <stdio.h>

typedef struct Progress {
    FILE *stream;
    TerminalStyle style;
    bool lines; /* for a program that reads along */
    const char *step;
    int done, total;
    double drawn_at_s;
    double noted_at_s;
} Progress;

Progress progress_new(FILE *stream);

/* `step` must live until progress_end(). `total` 0: the amount of work is unknown. */
void progress_begin(Progress *progress, const char *step, int total);
/* Likewise, with `done` of `total` parts done already. */
void progress_begin_at(Progress *progress, const char *step, int done, int total);
void progress_advance(Progress *progress);
/* `parts` of those that are left will not be needed. */
void progress_skip(Progress *progress, int parts);
/* Says something about the current step: on a terminal instead of the bar until that is redrawn; elsewhere in a line of
 * its own, at most every ten seconds. */
__attribute__((format(printf, 2, 3))) void progress_note(Progress *progress, const char *format, ...);
/* Replaces the bar by the outcome. */
void progress_end(Progress *progress, const char *outcome);

#endif
