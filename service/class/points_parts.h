/* points_parts.h - what one submission gives for each part of a problem's points, if it counts.  */
#ifndef SERVICE_CLASS_POINTS_PARTS_H
#define SERVICE_CLASS_POINTS_PARTS_H

#include "base/arena.h"
#include "service/class/class_file.h"
#include "service/class/submission_fact.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum PartKind { PART_ACCEPTED, PART_CASES, PART_SPEED } PartKind;

typedef struct PointsPart {
    PartKind kind;
    const char *name;          /* "accepted", the name of a group of cases, "speed" */
    double points, most;       /* before what is taken off for being late */
    double possible;           /* points, if what is open turns out well; more than `points`: they are not final */
    const char *reason, *told; /* a sentence each */
} PointsPart;

/* The verdict, each group of cases, speed, in this order; as far as the problem gives points for them. */
PointsPart *points_parts_of(const ClassProblem *problem, const SubmissionFact *fact, Arena *arena, size_t *count);

/* Whether a verdict of the judge is there, and not that the judge failed. */
bool points_is_decided(const SubmissionFact *fact);

#endif
