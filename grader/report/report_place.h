/* report_place.h - where an accepted submission stands among the reference solutions and in the class.  */
#ifndef GRADER_REPORT_REPORT_PLACE_H
#define GRADER_REPORT_REPORT_PLACE_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

typedef struct ClassPlace {
    bool has_time; /* to compare with those of others */
    Percentile percentile;
    size_t rank;             /* 0: none, and rank_status says why */
    const char *rank_status; /* "not ranked: not accepted" */
    const char *person;
} ClassPlace;

/* The place in the class: the percentile, if there is a time, and the rank. */
void report_add_class_place(const ClassPlace *place, Text *out);
/* The percentiles, if there is a time to compare, and the rank. */
void report_add_place(const Result *result, Text *out);
/* What proves later that the run was recorded; nothing if it was not. */
void report_add_run(const Result *result, Text *out);
/* Bars for the reference solutions and the submission, fastest first, and the next one to beat. */
void report_add_ladder(const Result *result, TerminalStyle style, Text *out);

#endif
