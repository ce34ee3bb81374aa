/* live.h - streams that tell browsers and clients what becomes of a submission.  */
#ifndef SERVICE_WEB_LIVE_H
#define SERVICE_WEB_LIVE_H

#include "service/web/answer.h"

enum { LIVE_STREAMS = 4 }; /* at once for each person */

typedef struct Live Live;

Live *live_new(void);
void live_free(Live *live);

/* False: the person has LIVE_STREAMS open already, or all people together have as many as there may be. */
bool live_open(Live *live, int64_t person, int64_t submission, EventStream **stream);

/* Sends what has changed. To be called often; it looks at the store at most twice a second. */
void live_tick(Service *service);

#endif
