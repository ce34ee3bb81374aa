/* class_progress.h - how far the judging of a class is, and how long it will take.  */
#ifndef SERVICE_COURSE_CLASS_PROGRESS_H
#define SERVICE_COURSE_CLASS_PROGRESS_H

#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"
#include "service/course/class_file.h"
#include "service/course/intake.h"

#include <cjson/cJSON.h>

/* ==== class hand in =============================================================================================== */

/* Puts what was found in the folder of a class into the queue, each submission once.
 *
 * Key       made of problem and source, so that the same folder, handed in again after an interruption or with new files in it,
 *           adds only what is new. A source that its author hands in again at once after itself is the same submission; one that
 *           he goes back to, after another one, is a new one.
 * Problem   the one that was asked for; else that of a line "// problem: ID"; else that of the assignment or the class, if it has
 *           one only; else the one that solve() fits.
 * Refused   is what has no problem, or one that the class does not have, what is no UTF-8 or too large, and names that cannot be a
 *           person's. It joins the refusals of the intake. */

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

/* Fills in `items`. What was refused of this folder is kept for the points of those whose it is. */
MUST_USE Status class_hand_in(Store *store, const char *folder, ClassRun *run, Message *why);

/* ==== class progress ============================================================================================== */

typedef struct ClassProgress {
    double start_s;
    size_t at_start;     /* submissions that had ended then */
    size_t ended, total; /* submissions, each once */
    size_t running, held;
} ClassProgress;

ClassProgress class_progress_begin(double now_s);

/* Brings the items up to date; `ended` is called for each that has ended since the last time, in their order. */
MUST_USE Status class_progress_look(Store *store, ClassRun *run, ClassProgress *progress,
                                    void (*ended)(void *context, const HandedIn *item), void *context, Message *why);

/* Adds "31 of 60 judged, 2 under way, 1480 an hour, 1 min left". */
void class_progress_add(const ClassProgress *progress, double now_s, Text *text);

/* ==== class report ================================================================================================ */

/* What came of the submissions of a class, for a terminal and as JSON (docs/reference/formats.md). */

/* Adds "Ada Lovelace, conv1d: Wrong Answer (ada.zip/x.cu)", one line. */
void class_report_add_item(const HandedIn *item, Text *text);
/* Adds counts of verdicts, and everything that was not judged, by name. */
void class_report_add_summary(const ClassRun *run, Text *text);
/* Whether there is anything that a person must look at: a refusal, or a submission that the judge failed at. */
bool class_report_has_trouble(const ClassRun *run);

/* The caller frees it. */
cJSON *class_report_json(const ClassRun *run, const char *state);

#endif
