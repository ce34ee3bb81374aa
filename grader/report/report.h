/* report.h - what a person reads on the terminal after a grading.  */
#ifndef GRADER_REPORT_REPORT_H
#define GRADER_REPORT_REPORT_H

#include "base/terminal.h"
#include "base/text.h"
#include "grader/judge/result.h"

/* ==== limiter ===================================================================================================== */

/* Names in words the unit that limits a kernel by the cost model. */

/* Names of simgpu/cost/cost.h: "lsu" is "load/store units". An unknown one stays as it is. */
const char *limiter_words(const char *limiter);

/* ==== report line ================================================================================================= */

/* Pieces that several lines of a report have in common. */

/* Begins a line: "  time        ". */
void report_add_label(Text *out, const char *label);

/* ==== report place ================================================================================================ */

/* Says where an accepted submission stands among the reference solutions and in the class. */

typedef struct ClassPlace {
    bool has_time; /* to compare with those of others */
    Percentile percentile;
    size_t rank;             /* 0: none, and rank_status says why */
    const char *rank_status; /* "not ranked: not accepted" */
    const char *person;
} ClassPlace;

/* The place in the class: the percentile, if there is a time, and the rank. */
void report_add_class_place(const ClassPlace *place, Text *out);

/* ==== report ====================================================================================================== */

void report_write(const Result *result, TerminalStyle style, Text *out);

/* ==== report for editors ========================================================================================== */

/* Lines as gcc writes them, which every editor takes to the place: "work/x.cu:14: error: ...". `path` is the file's name
 * as the caller gave it. */

/* Adds one such line; `line` 0: not known, and solve() or else the first kernel stands for it. */
void report_add_editor_line(const Submission *submission, const char *path, long line, const char *kind,
                            const char *sentence, Text *out);

/* Errors of the compiler, failed cases and remarks, and the report's first line, which has no place. */
void report_write_for_editor(const Result *result, const Submission *submission, const char *path, Text *out);

#endif
