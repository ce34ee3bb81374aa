/* due.h - what a hand-in counts for, and until when.
 *
 * Pure: from class.json, a person, a problem and a moment. A hand-in counts for every assignment that has the problem, is for the
 * person, and is open.
 * Units    seconds since 1970; percent of the points that a submission gets.  */
#ifndef SERVICE_CLASSROOM_DUE_H
#define SERVICE_CLASSROOM_DUE_H

#include "base/text.h"
#include "service/class/class_file.h"

typedef enum DueState { DUE_NOT_OPEN, DUE_IN_TIME, DUE_LATE, DUE_CLOSED } DueState;

typedef struct Due { /* an assignment as one person has it */
    const ClassAssignment *assignment;
    const ClassDeadline *deadline;
    bool is_extended;
    DueState state;   /* at the moment of the hand-in */
    size_t days_late; /* begun; 0: in time */
    double taken_off; /* percent */
} Due;

/* Of all assignments with the problem that are for the person, in the order of the file. `dues` has room for
 * file->assignment_count. */
size_t due_list(const ClassFile *file, const char *problem, const char *person, int64_t at_s, Due *dues);
/* Of one assignment, whichever problem it is. */
Due due_of(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t at_s);

/* The first of the assignments that will open, if none of those that have the problem has opened yet; NULL: it may be handed in. */
const ClassAssignment *due_opens_later(const ClassFile *file, const char *problem, const char *person, int64_t at_s);

/* "in 3 hours", "5 days ago", "now": a number with one unit, rounded down. */
void due_add_distance(Text *out, int64_t seconds);

/* What is due, for somebody who may still hand in: "due 2026-11-09 23:59 (Europe/Berlin), in 3 hours; then 10 % of the points are
 * taken off for each day begun, until 2026-11-12 23:59". */
void due_add_outlook(Text *out, const ClassFile *file, const Due *due, int64_t now_s);
/* What a submission counts for: "counts for One dimension, due 2026-11-09 23:59 (Europe/Berlin), in 3 hours", "counts for One
 * dimension, 1 day late, so 10 % of its points are taken off; it was due ...", "does not count: One dimension closed ...". */
void due_add_submission(Text *out, const ClassFile *file, const Due *due, int64_t now_s);

#endif
