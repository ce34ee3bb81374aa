/* duty.h - what a worker owes the head while it judges a job: a beat each second. And what ends the judging before its time.  */
#ifndef SERVICE_WORKER_DUTY_H
#define SERVICE_WORKER_DUTY_H

#include "service/spool/spool.h"
#include "service/worker/child.h"

#include <stdbool.h>

typedef enum DutyEnd {
    DUTY_GOES_ON,
    DUTY_TIME_IS_UP,
    DUTY_STOPPED,  /* the worker was told to stop */
    DUTY_FORGOTTEN /* the head has given the job to somebody else, or nobody wants it any more */
} DutyEnd;

typedef struct Duty {
    const char *spool;
    SpoolClaim claim; /* with the newest beat */
    int signals;      /* a signalfd: something to read there tells the worker to stop */
    double deadline_s, next_beat_s;
    bool is_troubled; /* the last beat could not be written */
    DutyEnd end;
} Duty;

/* Beats at once. */
Duty duty_begin(const char *spool, const SpoolClaim *claim, int signals, double limit_s);

/* Beats where it is time, and looks whether anything ends the judging; a ChildSpec's goes_on(), with a Duty as context. */
bool duty_goes_on(void *duty, const ChildProgress *progress);

/* Whether the worker has been told to stop; waits that long for it, in milliseconds. */
bool duty_was_stopped(int signals, int wait_ms);

#endif
