/* api_routes.h - the workers of the service and what each is at, from the store's attempts and from what the queue sees.
 *
 * States   "judging"; "idle"; "gets no work"; "not there": it has judged or failed within a week, and neither judges nor waits
 *          now; "ended": likewise, a pilot in Slurm, which ends when it has nothing to do.
 * Owns     nothing; all lives in the arena of the visit.  */
#ifndef SERVICE_WEB_API_ROUTES_H
#define SERVICE_WEB_API_ROUTES_H

#include "service/web/answer.h"

#include <stddef.h>

typedef struct KnownWorker {
    const char *name, *device, *state;
    const char *since;      /* when its last attempt was offered or ended; NULL: it has had none */
    const char *drained;    /* why it gets no work; NULL: it does */
    int64_t judging;        /* a submission; 0: none */
    int64_t judged, failed; /* attempts */
} KnownWorker;

/* By name; first those that have ever had an attempt. */
MUST_USE Status workers_known(const Visit *visit, KnownWorker **workers, size_t *count, Message *why);

/* What the API says of submissions; each answers one route. */
void api_list(Visit *visit);
void api_history(Visit *visit);
void api_submission(Visit *visit);
void api_report(Visit *visit);
void api_result(Visit *visit);
void api_explain(Visit *visit);
void api_comparison(Visit *visit);

/* The text that the command line prints. Rows are listed newest first; a history has those of each problem, oldest first. */
void list_text(const Visit *visit, const StoredSubmission *rows, size_t count, Text *out);
void history_text(const StoredSubmission *rows, size_t count, Arena *arena, Text *out);
/* Of what comparison() has found. */
void comparison_text(const cJSON *values, const StoredSubmission *after, Text *out);

#endif
