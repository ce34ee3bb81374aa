/* hand_in.h - takes a submission: checks what came in as strictly as a file of a person's, and puts it into the queue.  */
#ifndef SERVICE_WEB_HAND_IN_H
#define SERVICE_WEB_HAND_IN_H

#include "service/store/submissions.h"
#include "service/web/answer.h"

typedef struct HandInRequest { /* all but sizes, problem, mode and person are needed */
    const char *key, *file_name, *source;
    const char *problem; /* NULL: what the source says */
    const char *mode;    /* NULL: "rank" */
    const char *sizes;   /* NULL: none */
    const char *person;  /* whose it is, who is added where nobody has this name; NULL: the visitor's own */
} HandInRequest;

/* Its rows, but for the person: what `convjudge submit` sends and the service reads. */
extern const struct RecordTable hand_in_table;

/* A hand-in for somebody else is recorded in the audit log; the route has checked that the visitor may.
 * `*id` is the number, `*is_new` false where the key was used before. BAD_INPUT: the request is wrong, in one line. */
MUST_USE Status hand_in(Visit *visit, const HandInRequest *request, int64_t *id, bool *is_new, Message *why);

/* Withdraws the submission that the path names, if it waits; else `*done` is false. False: it is not there, or not the visitor's own, which has been answered. */
bool hand_in_withdraw(Visit *visit, StoredSubmission *row, bool *done);

#endif
