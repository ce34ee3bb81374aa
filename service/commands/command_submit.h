/* command_submit.h - takes server-sent events out of the bytes of a stream, however they are cut into pieces.
 *
 * Source   HTML Living Standard, section 9.2.6 "Interpreting an event stream". Fields besides `data` are not needed here, nor
 *          are lines that end with a carriage return alone.  */
#ifndef SERVICE_COMMANDS_COMMAND_SUBMIT_H
#define SERVICE_COMMANDS_COMMAND_SUBMIT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

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
