/* class_hand_in.h - puts what was found in the folder of a class into the queue, each submission once.
 *
 * Key       made of problem and source, so that the same folder, handed in again after an interruption or with new files in it,
 *           adds only what is new. A source that its author hands in again at once after itself is the same submission; one that
 *           he goes back to, after another one, is a new one.
 * Problem   the one that was asked for; else that of a line "// problem: ID"; else that of the assignment or the class, if it has
 *           one only; else the one that solve() fits.
 * Refused   is what has no problem, or one that the class does not have, what is no UTF-8 or too large, and names that cannot be a
 *           person's. It joins the refusals of the intake.  */
#ifndef SERVICE_GRADING_CLASS_HAND_IN_H
#define SERVICE_GRADING_CLASS_HAND_IN_H

#include "base/status.h"
#include "leaderboard/store.h"
#include "service/class/class_file.h"
#include "service/intake/intake_list.h"

typedef struct HandedIn {
    const FoundFile *file;
    const char *problem;
    const char *source_hash;
    int64_t submission;
    bool is_new;         /* false: an earlier start has handed it in */
    const char *same_as; /* origin of the same source, by the same person right before; NULL: there is none */
    const char *state;   /* of the judging, as it was seen last */
    const char *verdict; /* "" until it is recorded */
    const char *failure; /* why the judge failed at it, where `state` is "held" */
} HandedIn;

typedef struct ClassRun {
    Intake *intake;
    const ClassFile *class; /* NULL: there is none */
    const char *problem;    /* asked for; NULL */
    HandedIn *items;        /* in the intake's arena; without what was refused */
    size_t count;
} ClassRun;

/* Fills in `items`. */
MUST_USE Status class_hand_in(Store *store, ClassRun *run, Message *why);

#endif
