/* points.h - from what one person has handed in for an assignment to points, each with its reason.
 *
 * Pure: the same class.json and facts give the same points and sentences.
 *
 * What counts    a submission for the ranking that was received from `opens` to the end of the late days, was not withdrawn,
 *                and does not repeat, late, the source of an earlier one. Of several the best for each problem (most points
 *                after what is taken off for being late, the earlier of equals), or the last.
 * Not final      where a submission that could still give more is not judged yet, or the judge failed, or a case that decides was
 *                not judged, or a teacher has to look at a run whose speed would give points; the reason says so.
 * Reasons        for teachers: they name hidden cases. `told` is the same for the student, without their names.  */
#ifndef SERVICE_CLASS_POINTS_H
#define SERVICE_CLASS_POINTS_H

#include "base/arena.h"
#include "service/class/class_file.h"
#include "service/class/points_parts.h"
#include "service/class/submission_fact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
