/* command_submit.h - what `submit` reads of a server.  */
#ifndef SERVICE_COMMANDS_COMMAND_SUBMIT_H
#define SERVICE_COMMANDS_COMMAND_SUBMIT_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== remote submission =========================================================================================== */

/* A submission as the service describes it (docs/reference/api.md).
 *
 * A newer service may say more: keys that are not known here are left alone. Strings belong to the JSON, and may hold anything
 * that people chose: print them with terminal_add_line(). */

typedef enum RemoteState { REMOTE_WAITING, REMOTE_JUDGING, REMOTE_JUDGED, REMOTE_HELD, REMOTE_WITHDRAWN } RemoteState;

typedef struct RemoteSubmission {
    const cJSON *json;
    int64_t number;
    RemoteState state;
    /* "": absent; likewise the other strings */
    const char *problem, *verdict, *text;
    const char *stand; /* of one that waits: "3 ahead, about 40 s" */
    const char *step;  /* of the judging */
    int64_t done, total;
} RemoteSubmission;

MUST_USE Status remote_submission_read(const JsonFile *file, const cJSON *item, RemoteSubmission *submission,
                                       Message *why);

/* It is judged, held, or withdrawn: the service does nothing more about it by itself. */
bool remote_submission_has_ended(const RemoteSubmission *submission);

/* ==== event reader ================================================================================================ */

/* Takes server-sent events out of the bytes of a stream, however they are cut into pieces.
 *
 * Source   HTML Living Standard, section 9.2.6 "Interpreting an event stream". Fields besides `data` are not needed here, nor
 *          are lines that end with a carriage return alone. */

enum { EVENT_MAX_BYTES = 1024 * 1024 };

typedef struct EventReader { /* {0} is empty; the caller sets the first two */
    /* Takes the data of an event; false: it wants no more. */
    bool (*take)(void *context, const Text *data);
    void *context;
    Text line, data; /* of the event that has begun */
    bool has_data;
} EventReader;

/* False: the caller wants no more, or an event is too long. */
bool event_reader_add(EventReader *stream, const char *bytes, size_t count);
/* Forgets what has begun. */
void event_reader_free(EventReader *stream);

#endif
