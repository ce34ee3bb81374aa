/* scores.h - the points of a whole class: for each person and each assignment that is for him.  */
#ifndef SERVICE_COURSE_SCORES_H
#define SERVICE_COURSE_SCORES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/report/exchange.h"
#include "service/course/class_facts.h"
#include "service/course/class_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== points parts ================================================================================================ */

/* What one submission gives for each part of a problem's points, if it counts. */

typedef enum PartKind { PART_ACCEPTED, PART_CASES, PART_SPEED } PartKind;

typedef struct PointsPart {
    PartKind kind;
    const char *name;          /* "accepted", the name of a group of cases, "speed" */
    double points, most;       /* before what is taken off for being late */
    double possible;           /* points, if what is open turns out well; more than `points`: they are not final */
    const char *reason, *told; /* a sentence each */
} PointsPart;

/* The verdict, each group of cases, speed, in this order; as far as the problem gives points for them. Without an arena for words, the
 * sentences are "". */
PointsPart *points_parts_of(const ClassProblem *problem, const SubmissionFact *fact, Arena *words_in, Arena *arena,
                            size_t *count);

/* Whether a verdict of the judge is there, and not that the judge failed. */
bool points_is_decided(const SubmissionFact *fact);

/* ==== result points =============================================================================================== */

/* The points that one result.json is worth by a class.json, where there is no store and nobody's deadline. */

/* Adds to the outcome what its result is worth in the first assignment that has its problem; they live in `arena`. BAD_INPUT: the
 * class is wrong, or has no such problem. `outcome` NULL: only reads the class. */
MUST_USE Status result_points(const char *class_path, Arena *arena, Outcome *outcome, Message *why);

/* ==== points ====================================================================================================== */

/* From what one person has handed in for an assignment to points, each with its reason.
 *
 * Pure: the same class.json and facts give the same points and sentences.
 *
 * What counts    a submission for the ranking that was received from `opens` to the end of the late days, was not withdrawn,
 *                and does not repeat, late, the source of an earlier one. Of several the best for each problem (most points
 *                after what is taken off for being late, the earlier of equals), or the last.
 * Not final      where a submission that could still give more is not judged yet, or the judge failed, or a case that decides was
 *                not judged, or a teacher has to look at a run whose speed would give points; the reason says so.
 * Overridden     points are those that class.json says, with its reason; the sentence has what was counted, too.
 * Reasons        for teachers: they name hidden cases. `told` is the same for the student, without their names. */

typedef struct ProblemPoints {
    const ClassProblem *problem;
    const SubmissionFact *counts; /* NULL: nothing counts */
    size_t days_late;             /* days begun after the deadline; 0: in time */
    int64_t late_s;               /* after the deadline, however long the grace; 0: in time, or no time is known */
    PointsPart *parts;            /* none where nothing counts */
    size_t part_count;
    double taken_off;    /* for being late */
    double points, most; /* rounded to hundredths */
    bool is_final;
    const ClassOverride *override; /* NULL: none */
    const char *reason, *told;     /* of all: which submission counts and why, each part, what is taken off */
} ProblemPoints;

typedef struct AssignmentPoints {
    const ClassAssignment *assignment;
    const ClassExtension *extension; /* NULL: none */
    ProblemPoints *problems;         /* in the order of the file */
    double points, most;
    bool is_final;
} AssignmentPoints;

/* "'ada.zip' was refused: ..." for each file of the person that could not be taken, for this assignment; NULL: none. */
const char *points_refused(const PersonFacts *person, const ClassAssignment *assignment, Arena *arena);

/* The facts are in the order in which they were received, for any problems; the result lives in `arena`. */
AssignmentPoints points_of(const ClassFile *file, const ClassAssignment *assignment, const PersonFacts *person,
                           Arena *arena);

/* ==== scores ====================================================================================================== */

typedef struct PersonScores {
    const PersonFacts *facts;      /* whose they are, and what was handed in */
    const char *groups;            /* that hold the person: "tutorial 1, tutorial 3"; "" */
    AssignmentPoints *assignments; /* in the order of the file; only those that are for this person */
    size_t count;
} PersonScores;

typedef struct Scores {
    const ClassFile *class;
    PersonScores *people; /* by name; without those for whom no assignment is */
    size_t count;
    size_t all; /* people of the class */
    const char **strangers;
    size_t stranger_count;
} Scores;

/* The scores of `most` people of the class from number `first` on. Everything lives in `arena`, or is the class's. */
MUST_USE Status scores_read(Store *store, const ClassFile *class, size_t first, size_t most, Arena *arena,
                            Scores *scores, Message *why);

/* The people in no group, each with the nearest name of one (NULL), where the class has groups; `most`: no more than these. */
typedef struct Stranger {
    const char *person, *nearest;
} Stranger;
Stranger *scores_strangers(const Scores *scores, size_t most, Arena *arena, size_t *count);

/* A line for each person. */
void scores_print(const Scores *scores, Text *text);

/* ==== scores csv ================================================================================================== */

/* Scores as a table for spreadsheets. */

/* A cell of a CSV file (RFC 4180), quoted where it must be, with what comes after it. No spreadsheet takes it for a formula. */
void csv_add_cell(Text *text, const char *cell, const char *end);
/* RFC 4180, with a row for each person, assignment and problem. A cell that a spreadsheet would take for a formula begins with an
 * apostrophe. */
void scores_csv(const Scores *scores, Text *text);

/* ==== scores json ================================================================================================= */

/* Scores for other programs. */

/* The object that docs/reference/formats.md describes. */
void scores_json(const Scores *scores, Text *text);

#endif
