/* class_facts.h - what each person of a class has handed in, from the store of a service.
 *
 * Only what was handed in for the ranking (mode "rank") to a problem of the class. People are those of all groups, whether they
 * have handed in or not, and students who have without being in a group.
 * Order    people by name (strcmp), facts by the time of their receipt; where only the time is known at which they were taken in
 *          from elsewhere, by that.
 * Owns     everything lives in `arena`.  */
#ifndef SERVICE_COURSE_CLASS_FACTS_H
#define SERVICE_COURSE_CLASS_FACTS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/course/class_file.h"
#include "service/store/submissions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== submission fact ============================================================================================= */

/* What points depend on, of one submission. service/course finds it in the store. */

typedef struct CaseFact { /* of a sample or hidden case */
    const char *name;
    bool is_hidden;
    const char *verdict; /* "Accepted", "Wrong Answer", ...; "" where the case was not judged */
} CaseFact;

/* What a submission's run in the leaderboard is worth; RUN_NONE: it has no time. */
typedef enum RunStanding {
    RUN_NONE,
    RUN_RANKED,
    RUN_UNRANKED,
    RUN_QUARANTINED,
    RUN_RETRACTED,
    RUN_REJECTED
} RunStanding;

typedef struct SubmissionFact {
    int64_t id;          /* its number, for reasons */
    const char *problem; /* id */
    bool has_received;   /* false: nobody knows when it was received */
    int64_t received_s;  /* since 1970 */
    bool marked_late;    /* by the system that it was exported from; matters only without a time */
    const char *source_hash;
    bool is_withdrawn;
    bool is_judged;
    const char *verdict;   /* of the whole: "Accepted"; "" unless judged */
    const char *text;      /* the sentence behind another verdict; "" */
    const CaseFact *cases; /* of one from the store that was accepted none, since all are */
    size_t case_count;
    bool has_all_cases; /* a case without a verdict was tried; false: an earlier one ended the judging */
    RunStanding standing;
    const char *standing_why;    /* of a run that does not rank: why; "" */
    double time_ms;              /* 0: not timed; likewise below */
    double roofline;             /* share of the roofline, 0 to 1; NaN: unknown */
    double percentile;           /* among the reference solutions, 0 to 100; NaN: unknown */
    const char **rungs_reached;  /* file names of the reference solutions that it is not slower than */
    size_t rung_count;           /* of them */
    bool rungs_known;            /* false: the times of the reference solutions are not known */
    const StoredSubmission *row; /* of the store; NULL: it comes from a result.json alone */
} SubmissionFact;

/* ==== judged fact ================================================================================================= */

/* What a judging found out, as points count it: from result.json, and from the verdicts of all cases where
 * those were wanted. */

typedef struct CaseNames { /* of one problem's hidden cases, in the order of their numbers */
    const char *problem;
    const char **hidden;
    size_t hidden_count;
} CaseNames;

/* `verdicts` is the text that `grade --all-cases` wrote; NULL: it was not wanted.
 * Fills in cases, time, roofline, percentile and rungs. `result` is the text of a result.json; NULL, or one that cannot be read: the
 * fact stays as it is. */
void judged_fact_fill(SubmissionFact *fact, const char *result, const char *verdicts, const CaseNames *names,
                      Arena *arena);

/* ==== class facts ================================================================================================= */

typedef struct RefusedFact {         /* a file of a folder that `convjudge grade-class` could not take */
    const char *person, *assignment; /* assignment "": the folder does not say which */
    const char *origin, *why;        /* "ada.zip", "is no archive that can be read" */
} RefusedFact;

typedef struct PersonFacts {
    const char *person;
    const char *id; /* in Moodle, Canvas or Gradescope; "" */
    SubmissionFact *facts;
    size_t count;
    const RefusedFact *refused;
    size_t refused_count;
} PersonFacts;

/* Reads the names of a problem's hidden cases. `id` must live as long as the names. */
MUST_USE Status case_names_read(const char *id, Arena *arena, CaseNames *names, Message *why);

typedef struct ClassFacts {
    PersonFacts *people; /* those that were asked for */
    size_t count;
    size_t all;             /* people of the class */
    const char **strangers; /* those of them whom no group holds, where the class has groups */
    size_t stranger_count;
} ClassFacts;

/* Of `most` people from number `first` on. */
MUST_USE Status class_facts_read(Store *store, const ClassFile *class, size_t first, size_t most, Arena *arena,
                                 ClassFacts *facts, Message *why);
/* The same for one person, by name. */
MUST_USE Status class_facts_of_person(Store *store, const ClassFile *class, const char *person, Arena *arena,
                                      PersonFacts *facts, Message *why);

#endif
