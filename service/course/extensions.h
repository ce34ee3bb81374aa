/* extensions.h - keeps a record of who got how much more time.
 *
 * class.json is the truth of extensions, and everybody who may write that file may change them. So a reader of it
 * for a store compares it with what was read last: each extension that is new, changed or gone becomes a row of the audit log.
 *
 *     extension add      ada, week-1: due 2026-11-16T23:59 instead of 2026-11-09T23:59, by grace: ill (class.json)
 *     extension change   ada, week-1: due 2026-11-17T23:59 instead of 2026-11-16T23:59, by grace: still ill (class.json)
 *     extension remove   ada, week-1: due 2026-11-09T23:59 instead of 2026-11-17T23:59 (class.json)  */
#ifndef SERVICE_COURSE_EXTENSIONS_H
#define SERVICE_COURSE_EXTENSIONS_H

#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"
#include "service/course/class_file.h"

/* ==== due ========================================================================================================= */

/* What a hand-in counts for, and until when.
 *
 * Pure: from class.json, a person, a problem and a moment. A hand-in counts for every assignment that has the problem, is for the
 * person, and is open.
 * Units    seconds since 1970; percent of the points that a submission gets. */

typedef enum DueState { DUE_NOT_OPEN, DUE_IN_TIME, DUE_LATE, DUE_CLOSED } DueState;

typedef struct Due { /* an assignment as one person has it */
    const ClassAssignment *assignment;
    const ClassDeadline *deadline;
    bool is_extended;
    DueState state;   /* at the moment of the hand-in */
    size_t days_late; /* begun; 0: in time */
    double taken_off; /* percent */
} Due;

/* All assignments with the problem that are for the person, in the order of the file. `dues` has room for
 * file->assignment_count. */
size_t due_list(const ClassFile *file, const char *problem, const char *person, int64_t at_s, Due *dues);
/* The same for one assignment, whichever problem it is. */
Due due_of(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t at_s);

/* The first of the assignments that will open, if none of those that have the problem has opened yet; NULL: it may be handed in. */
const ClassAssignment *due_opens_later(const ClassFile *file, const char *problem, const char *person, int64_t at_s);

/* "in 3 hours", "5 days ago", "now": a number with one unit, rounded down. */
void due_add_distance(Text *out, int64_t seconds);

/* What is due, for somebody who may still submit: "due 2026-11-09 23:59 (Europe/Berlin), in 3 hours; then 10 % of the points are
 * taken off for each day begun, until 2026-11-12 23:59". */
void due_add_outlook(Text *out, const ClassFile *file, const Due *due, int64_t now_s);
/* What a submission counts for: "counts for One dimension, due 2026-11-09 23:59 (Europe/Berlin), in 3 hours", "counts for One
 * dimension, 1 day late, so 10 % of its points are taken off; it was due ...", "does not count: One dimension closed ...". */
void due_add_submission(Text *out, const ClassFile *file, const Due *due, int64_t now_s);

/* ==== showing ===================================================================================================== */

/* What students may see of others, and when, as class.json says (`show`).
 *
 * Pure. Teachers see everything at any time; they are not asked about here.
 * Board     hidden while any assignment with its problem hides it, and so are sketch and code of a step.
 * Sources   never before the assignment has closed for everybody, late days and extensions included. */

bool showing_board(const ClassFile *file, const char *problem, int64_t now_s);
/* The same of the sketch of a step of its ladder, and of the code of the step's example. */
bool showing_sketch(const ClassFile *file, const char *problem, int64_t now_s);
bool showing_code(const ClassFile *file, const char *problem, int64_t now_s);

/* Whether those who have not logged in may see the problem: no assignment has it, or one that does has opened. */
bool showing_problem(const ClassFile *file, const char *problem, int64_t now_s);

/* Whether `reader` may read what others handed in for a problem of the assignment (showing_belongs()): it is closed for all, and
 * class.json shows the sources. That the reader has handed in something himself is for the caller to find out. */
bool showing_sources(const ClassFile *file, const ClassAssignment *assignment, const char *problem, const char *reader,
                     int64_t now_s);

/* Whether something that the person submitted at a moment belongs to the assignment: after it opened, and not too late. */
bool showing_belongs(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t received_s);

/* ==== extensions ================================================================================================== */

/* One transaction. `person` is who reads the file. */
MUST_USE Status extensions_audit(Store *store, const ClassFile *file, const char *person, Message *why);

#endif
