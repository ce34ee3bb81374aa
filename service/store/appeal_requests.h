/* appeal_requests.h - students who want a run of theirs timed again, and what a teacher says to that.
 *
 *     asked -> granted, or refused
 *
 * Granting times nothing: `convjudge appeal RUN` does, on a host with the device. A run has one request at a time, and a person
 * MOST_APPEALS of them in a week, since each takes minutes of a device.  */
#ifndef SERVICE_STORE_APPEAL_REQUESTS_H
#define SERVICE_STORE_APPEAL_REQUESTS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_APPEALS = 3, APPEALS_SECONDS = 7 * 24 * 3600 };

typedef struct AppealRequest {
    int64_t id, run, submission;
    const char *person, *why, *asked_utc;
    const char *state;  /* "asked", "granted", "refused" */
    const char *answer; /* what the teacher said; "": nothing */
    bool is_done;       /* granted, and timed again since */
} AppealRequest;

typedef enum AppealAnswer { APPEAL_ASKED, APPEAL_ASKED_BEFORE, APPEAL_TOO_MANY } AppealAnswer;

/* With a row of the audit, as all that changes something here. */
MUST_USE Status appeal_requests_ask(Store *store, int64_t submission, int64_t run, int64_t person, const char *name,
                                    const char *why_asked, AppealAnswer *answer, Message *why);

/* *done false: there is no such request that waits for a decision. */
MUST_USE Status appeal_requests_decide(Store *store, int64_t id, bool is_granted, const char *name, const char *answer,
                                       bool *done, Message *why);

/* Oldest first: those of a run; and all that somebody has still something to do about. */
MUST_USE Status appeal_requests_of_run(Store *store, int64_t run, Arena *arena, AppealRequest **requests, size_t *count,
                                       Message *why);
MUST_USE Status appeal_requests_open(Store *store, Arena *arena, AppealRequest **requests, size_t *count, Message *why);

#endif
