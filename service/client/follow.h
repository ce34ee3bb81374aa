/* follow.h - waits until a submission has ended, and shows meanwhile how it goes.
 *
 * The service sends an event at each change (server-sent events). Where events do not come, or the connection breaks, the
 * submission is asked for again and again, in growing pauses.
 * Errors   the service gave no answer for as long as the server's patience lasts, or the user interrupted.  */
#ifndef SERVICE_CLIENT_FOLLOW_H
#define SERVICE_CLIENT_FOLLOW_H

#include "service/client/remote_submission.h"
#include "service/client/server.h"

/* `*json` holds the submission before and, as it was seen last, after the call; `*submission` points into it. */
MUST_USE Status follow(const Server *server, JsonFile *json, RemoteSubmission *submission, Message *why);

#endif
