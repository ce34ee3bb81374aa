/* facts.h - what is known of a class, as far as a summary wants it: who is in it, what is to be done, and what was handed in.
 *
 * Facts are added piece by piece; of a result.json only what a summary counts
 * is kept. People are numbered in the order in which they were added, tasks likewise.
 *
 * Texts    are copied.
 * Errors   none: a result that is no JSON counts as none.  */
#ifndef SERVICE_COURSE_FACTS_H
#define SERVICE_COURSE_FACTS_H

#include "base/arena.h"
#include "leaderboard/store.h"
#include "service/course/scores.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== failure ===================================================================================================== */

/* What a result says went wrong, so that the failures of many can be counted: its kind and its line.
 *
 * Kind     words without names, numbers and lines. Of a case they are `kind` of result.json, from the judge's fixed lists; of a
 *          compile error the compiler's first message without the identifiers in it; else the sentence without its place.
 * Line     of the submission's file, as the judge's sentence or the compiler's message names it. */

typedef struct Failure {
    const char *verdict;   /* "Wrong Answer"; "": there is no result */
    const char *kind;      /* "": accepted */
    const char *case_name; /* the first that failed; "": none decided it */
    long line;             /* 0: unknown */
    const char *line_text; /* without the spaces around it; "": unknown */
} Failure;

/* `result` is the object of result.json, NULL: unknown; `source` the text of the submission, NULL: unknown. */
Failure failure_of(const cJSON *result, const char *source, Arena *arena);

/* A message of the compiler about a file: "mine.cu(3): error: ..." of nvcc, "mine.cu:3:7: error: ..." of clang, "mine.cu: ..." of the
 * judge. */
typedef struct CompilerMessage {
    const char *text; /* without its place; ends with `length`, not with a zero byte */
    size_t length;
    long line; /* 0: the message names none */
    bool is_warning;
} CompilerMessage;

/* The next message about this file; `*at` is where the search begins, and becomes where it goes on. False: there is none. */
bool compiler_message_next(const char **at, const char *file, CompilerMessage *message);

/* ==== facts ======================================================================================================= */

typedef struct FactTask { /* a problem of an assignment */
    const char *assignment, *assignment_title;
    const char *problem, *problem_title;
} FactTask;

typedef struct FactCase {
    const char *name;
    bool is_passed; /* else it failed; a case that was not run is left out */
} FactCase;

typedef struct FactSubmission {
    size_t person, task;
    int64_t number; /* 0: none, as where a folder was graded */
    const char *file_name;
    const char *received_utc;
    const char *device;    /* ""; and the next is nothing where there is no time */
    MeasuredTime time;     /* ms 0: none */
    const FactCase *cases; /* NULL: as result.json has them, where hidden cases have numbers alone */
    size_t case_count;
    Failure failure;                 /* the next are taken from result.json */
    const ReferenceTime *references; /* fastest first; names without folders */
    size_t reference_count;
    bool is_modelled;
} FactSubmission;

typedef struct FactPoints {
    size_t person;
    const char *assignment;
    double points, most;
} FactPoints;

typedef struct FactExpectation { /* a person of whom work is expected for an assignment */
    size_t person;
    const char *assignment;
    const char *refused; /* what of it could not be taken, and why; NULL: nothing */
} FactExpectation;

typedef struct Facts { /* {0} is empty */
    Arena arena;
    const char **people;
    FactTask *tasks;
    FactSubmission *submissions;
    FactPoints *points;
    FactExpectation *expectations;
    size_t people_count, task_count, submission_count, points_count, expectation_count;
    size_t people_room, task_room, submission_room, points_room, expectation_room;
} Facts;

/* The number of a person, who is added where nobody has the name. */
size_t facts_person(Facts *facts, const char *name);
size_t facts_add_task(Facts *facts, const FactTask *task);
void facts_expect(Facts *facts, size_t person, const char *assignment, const char *refused);
/* In the order in which they were received. `verdict` is what the store says of it; `result` is the text of its result.json, NULL
 * or "": none; `source` NULL: unknown. */
void facts_add_submission(Facts *facts, const FactSubmission *submission, const char *verdict, const char *result,
                          const char *source);
void facts_add_points(Facts *facts, const FactPoints *points);
void facts_free(Facts *facts);

/* Adds what scores and their store hold. A task is a problem of an assignment. A submission belongs to it if it was handed in from when
 * the assignment opened until it closed for this person, or at an unknown time. For facts_free() in any case. */
MUST_USE Status summary_facts_read(Store *store, const Scores *scores, Facts *facts, Message *why);

#endif
