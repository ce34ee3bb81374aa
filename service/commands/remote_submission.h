/* remote_submission.h - a submission as the service describes it (docs/reference/api.md).
 *
 * A newer service may say more: keys that are not known here are left alone. Strings belong to the JSON, and may hold anything
 * that people chose: print them with terminal_add_line().  */
#ifndef SERVICE_COMMANDS_REMOTE_SUBMISSION_H
#define SERVICE_COMMANDS_REMOTE_SUBMISSION_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/commands/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== remote submission =========================================================================================== */

typedef enum RemoteState { REMOTE_WAITING, REMOTE_JUDGING, REMOTE_JUDGED, REMOTE_HELD, REMOTE_WITHDRAWN } RemoteState;

typedef struct RemoteSubmission {
    const cJSON *json;
    int64_t number;
    RemoteState state;
    /* "": absent; likewise the other strings */
    const char *person, *problem, *mode, *file_name, *received;
    int64_t ahead;     /* jobs before it; -1: unknown */
    double expected_s; /* until it is judged; -1: unknown */
    const char *step;  /* of the judging */
    int64_t done, total;
    const char *verdict, *text, *rank_status, *device, *device_name;
    bool modelled;
    MeasuredTime score; /* ms 0: none */
    int64_t rank, of;   /* 0: it does not rank */
} RemoteSubmission;

MUST_USE Status remote_submission_read(const JsonFile *file, const cJSON *item, RemoteSubmission *submission,
                                       Message *why);

/* It is judged, held, or withdrawn: the service does nothing more about it by itself. */
bool remote_submission_has_ended(const RemoteSubmission *submission);
/* As docs/reference/api.md writes it: "waiting". */
const char *remote_state_name(RemoteState state);
/* Adds "3 ahead, about 40 s", of one that waits. */
void remote_submission_add_wait(const RemoteSubmission *submission, Text *out);

/* ==== submission list ============================================================================================= */

/* The submissions of one person, as the service lists them: newest first, page by page. */

enum { SUBMISSION_LIST_MOST = 5000 };

typedef struct SubmissionList {
    RemoteSubmission *items;
    size_t count, capacity;
    JsonFile *pages; /* that the items belong to */
    size_t page_count, page_capacity;
    Arena arena;
} SubmissionList;

/* Up to `most` submissions, at most SUBMISSION_LIST_MOST, to `problem` (NULL: any) by `person` (NULL: the caller). Free the
 * list in any case. */
MUST_USE Status submission_list_read(const Server *server, const char *person, const char *problem, size_t most,
                                     SubmissionList *list, Message *why);
void submission_list_free(SubmissionList *list);

#endif
