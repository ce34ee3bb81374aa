/* failure.h - what a result says went wrong, so that the failures of many can be counted: its kind and its line.
 *
 * Kind     words without names, numbers and lines. Of a case they are `kind` of result.json, from the judge's fixed lists; of a
 *          compile error the compiler's first message without the identifiers in it; else the sentence without its place.
 * Line     of the submission's file, as the judge's sentence or the compiler's message names it.  */
#ifndef SERVICE_SUMMARY_FAILURE_H
#define SERVICE_SUMMARY_FAILURE_H

#include "base/arena.h"

#include <cjson/cJSON.h>

typedef struct Failure {
    const char *verdict;   /* "Wrong Answer"; "": there is no result */
    const char *kind;      /* "": accepted */
    const char *case_name; /* the first that failed; "": none decided it */
    long line;             /* 0: unknown */
    const char *line_text; /* without the spaces around it; "": unknown */
} Failure;

/* `result` is the object of result.json, NULL: unknown; `source` the text of the submission, NULL: unknown. */
Failure failure_of(const cJSON *result, const char *source, Arena *arena);

#endif
