/* remote_points.h - the points of a judged submission, as the server's class.json gives them.  */
#ifndef SERVICE_CLIENT_REMOTE_POINTS_H
#define SERVICE_CLIENT_REMOTE_POINTS_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/exchange/outcome.h"
#include "service/client/remote_submission.h"
#include "service/client/server.h"

/* Adds points to the outcome; none where the server has no class, the submission is for none of its assignments, or nobody may know
 * them yet. They live in `arena`. */
MUST_USE Status remote_points_read(const Server *server, const RemoteSubmission *submission, Arena *arena,
                                   Outcome *outcome, Message *why);

#endif
