/* exchange.h - one HTTP request to the service, and its answer.
 *
 * Redirections are not followed, so that the token goes nowhere else. An answer has at most EXCHANGE_MAX_BYTES.
 * Errors   STATUS_OK: there is an answer, whatever its HTTP status. Else `end` of the answer says why there is none.  */
#ifndef SERVICE_CLIENT_EXCHANGE_H
#define SERVICE_CLIENT_EXCHANGE_H

#include "base/status.h"
#include "base/text.h"
#include "service/client/server.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXCHANGE_MAX_BYTES = 16 * 1024 * 1024 };

typedef struct ApiRequest {
    const char *method; /* "GET" */
    const char *path;   /* "/api/v1/me", escaped */
    const Text *body;   /* JSON; NULL: none */
    /* Takes the answer as it comes, of a request that is answered with 200; false: it has seen enough. NULL: the answer is
     * kept in Answer.body, and half of the patience is the limit for all of it, otherwise for each silence. */
    bool (*take)(void *context, const char *bytes, size_t count);
    void *context;
} ApiRequest;

typedef enum ExchangeEnd {
    EXCHANGE_ANSWERED,
    EXCHANGE_UNREACHABLE, /* there was no connection, so nothing has arrived */
    EXCHANGE_LOST,        /* the connection broke or fell silent; the request may have arrived */
    EXCHANGE_INTERRUPTED, /* by the user; the request may have arrived */
    EXCHANGE_REFUSED      /* the server is not to be trusted, or its answer is too large */
} ExchangeEnd;

typedef struct Answer {
    ExchangeEnd end;
    int status;           /* of HTTP */
    double retry_after_s; /* what the server asks for; 0: nothing */
    Text body;
} Answer;

/* Free the answer's body in any case. */
MUST_USE Status exchange_run(const Server *server, const ApiRequest *exchange, Answer *answer, Message *why);

/* The same again and again, while the server's patience lasts, where an answer is lost or the server, or a proxy before it, asks
 * to try again (429, 502 to 504): only for a request that may arrive twice. A server that cannot be reached at the first attempt
 * is not tried again. `step` says to people what is repeated. */
MUST_USE Status exchange_repeat(const Server *server, const ApiRequest *exchange, const char *step, Answer *answer,
                                Message *why);

#endif
