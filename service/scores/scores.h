/* scores.h - the points of a whole class: for each person and each assignment that is for him.  */
#ifndef SERVICE_SCORES_SCORES_H
#define SERVICE_SCORES_SCORES_H

#include "base/text.h"
#include "service/class/points.h"
#include "service/scores/class_facts.h"

typedef struct PersonScores {
    const PersonFacts *facts;      /* whose they are, and what was handed in */
    AssignmentPoints *assignments; /* in the order of the file; only those that are for this person */
    size_t count;
} PersonScores;

typedef struct Scores {
    const ClassFile *class;
    PersonScores *people; /* by name; without those for whom no assignment is */
    size_t count;
} Scores;

/* Everything lives in `arena`, or is the class's. */
MUST_USE Status scores_read(Store *store, const ClassFile *class, Arena *arena, Scores *scores, Message *why);

/* The groups that hold a person: "tutorial 1, tutorial 3"; "". */
const char *scores_groups(const ClassFile *class, const char *person, Arena *arena);

/* The row of the store that a fact of this person comes from. */
const StoredSubmission *scores_row(const PersonScores *person, const SubmissionFact *fact);

/* A line for each person. */
void scores_print(const Scores *scores, Text *text);

#endif
