/* points.h - from what one person has handed in for an assignment to points, each with its reason.
 *
 * Pure: the same class.json and facts give the same points and sentences.
 *
 * What counts    a submission for the ranking that was received from `opens` to the end of the late days, was not withdrawn,
 *                and does not repeat, late, the source of an earlier one. Of several the best for each problem (most points
 *                after what is taken off for being late, the earlier of equals), or the last.
 * Not final      where a submission that may count is not judged yet, or the judge failed, or a teacher has to look at a run
 *                whose speed would give points; the reason says so.
 * Reasons        for teachers: they name hidden cases. `told` is the same for the student, without their names.  */
#ifndef SERVICE_CLASS_POINTS_H
#define SERVICE_CLASS_POINTS_H

#include "base/arena.h"
#include "service/class/class_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CaseFact { /* of a sample or hidden case */
    const char *name;
    bool is_hidden;
    const char *verdict; /* "Accepted", "Wrong Answer", ...; "" where the case was not judged */
} CaseFact;

/* What a submission's run in the leaderboard is worth; RUN_NONE: it has no time. */
typedef enum RunStanding { RUN_NONE, RUN_RANKED, RUN_UNRANKED, RUN_QUARANTINED, RUN_RETRACTED, RUN_REJECTED } RunStanding;

typedef struct SubmissionFact {
    int64_t id;             /* its number, for reasons */
    const char *problem;    /* id */
    bool has_received;      /* false: nobody knows when it was received */
    int64_t received_s;     /* since 1970 */
    bool marked_late;       /* by the system that it was exported from; matters only without a time */
    const char *source_hash;
    bool is_withdrawn;
    bool is_judged;
    const char *verdict; /* of the whole: "Accepted"; "" unless judged */
    const char *text;    /* the sentence behind another verdict; "" */
    CaseFact *cases;
    size_t case_count;
    RunStanding standing;
    const char *standing_why;   /* of a run that does not rank: why; "" */
    double time_ms;             /* 0: not timed; likewise below */
    double roofline;            /* share of the roofline, 0 to 1; negative: unknown */
    double percentile;          /* among the reference solutions, 0 to 100; negative: unknown */
    const char **rungs_reached; /* file names of the reference solutions that it is not slower than */
    size_t rung_count;          /* of them */
    bool rungs_known;           /* false: the times of the reference solutions are not known */
} SubmissionFact;

typedef enum PartKind { PART_ACCEPTED, PART_CASES, PART_SPEED } PartKind;

typedef struct PointsPart {
    PartKind kind;
    const char *name;     /* "accepted", the name of a group of cases, "speed" */
    double points, most;  /* before what is taken off for being late */
    bool is_final;
    const char *reason, *told; /* a sentence each */
} PointsPart;

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
    const char *reason, *told; /* of all: which submission counts and why, each part, what is taken off */
} ProblemPoints;

typedef struct AssignmentPoints {
    const ClassAssignment *assignment;
    const ClassExtension *extension; /* NULL: none */
    ProblemPoints *problems;         /* in the order of the file */
    double points, most;
    bool is_final;
} AssignmentPoints;

/* `facts` are of this person, in the order in which they were received, for any problems; the result lives in `arena`. */
AssignmentPoints points_of(const ClassFile *file, const ClassAssignment *assignment, const char *person,
                           const SubmissionFact *facts, size_t fact_count, Arena *arena);

#endif
