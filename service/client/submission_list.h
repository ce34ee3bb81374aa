/* submission_list.h - the submissions of one person, as the service lists them: newest first, page by page.  */
#ifndef SERVICE_CLIENT_SUBMISSION_LIST_H
#define SERVICE_CLIENT_SUBMISSION_LIST_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "service/client/remote_submission.h"
#include "service/client/server.h"

#include <stddef.h>

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
