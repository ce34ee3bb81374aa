/* class_progress.h - how far the judging of a class is, and how long it will take.  */
#ifndef SERVICE_GRADING_CLASS_PROGRESS_H
#define SERVICE_GRADING_CLASS_PROGRESS_H

#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"
#include "service/grading/class_hand_in.h"

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

/* Seconds that the rest will take if it goes on like this; below 0: not known yet. */
double class_progress_left_s(const ClassProgress *progress, double now_s);

/* Adds "31 of 60 judged, 2 under way, 1480 an hour, 1 min left". */
void class_progress_add(const ClassProgress *progress, double now_s, Text *text);

#endif
