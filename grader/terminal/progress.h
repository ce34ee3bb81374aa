/* progress.h - the steps of a grading, as they happen, on standard error.
 *
 * On a terminal the step under way is a bar, drawn over at most 20 times a second; elsewhere each step is one line,
 * begun with the step and ended with it. A NULL Progress shows nothing.  */
#ifndef GRADER_TERMINAL_PROGRESS_H
#define GRADER_TERMINAL_PROGRESS_H

#include "grader/terminal/terminal.h"

#include <stdio.h>

typedef struct Progress {
    FILE *stream;
    TerminalStyle style;
    const char *step;
    int done, total;
    double drawn_at_s;
    double noted_at_s;
} Progress;

Progress progress_new(FILE *stream);

/* `step` lives until progress_end(). `total` 0: it is not known how much there is to do. */
void progress_begin(Progress *progress, const char *step, int total);
/* Likewise, a step of several: number `done`, from 0. */
void progress_begin_at(Progress *progress, const char *step, int done, int total);
void progress_advance(Progress *progress);
/* Says something about the step under way: in place of the bar until it is next drawn; elsewhere in a line of its own,
 * not more often than every ten seconds. */
__attribute__((format(printf, 2, 3))) void progress_note(Progress *progress, const char *format, ...);
/* Replaces the bar by what came of it. */
void progress_end(Progress *progress, const char *outcome);

#endif
