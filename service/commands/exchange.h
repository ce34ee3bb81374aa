/* exchange.h - one HTTP request to the service, and its answer.
 *
 * Redirections are not followed, so that the token goes nowhere else. An answer has at most EXCHANGE_MAX_BYTES.
 * Errors   STATUS_OK: there is an answer, whatever its HTTP status. Else `end` of the answer says why there is none.  */
#ifndef SERVICE_COMMANDS_EXCHANGE_H
#define SERVICE_COMMANDS_EXCHANGE_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "service/commands/server.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== exchange ==================================================================================================== */

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

/* ==== posts ======================================================================================================= */

/* POSTs that go out beside other work, and whose answers nobody waits for: each is sent once, and the log names one that fails. */
typedef struct Posts Posts;

Posts *posts_new(void);
/* `json` is the body. */
void posts_send(Posts *posts, const char *url, const char *json);
/* To be called often; waits for nothing. */
void posts_tick(Posts *posts);
/* What is under way is given up. */
void posts_free(Posts *posts);

/* ==== api call ==================================================================================================== */

/* A call of the service's interface (docs/reference/api.md): sends a request, and makes one line of every refusal. */

typedef struct ApiPath {
    char text[600];
} ApiPath;

/* "/api/v1/" and what printf makes of the rest. */
__attribute__((format(printf, 1, 2))) ApiPath api_path(const char *format, ...);
/* Adds "problem=conv1d" to the query of a path; nothing where `value` is NULL. A value too long for a path is refused. */
MUST_USE Status api_add_query(ApiPath *path, const char *key, const char *value, Message *why);
/* "/api/v1/people/NAME/REST", with the name as an address has it. */
MUST_USE Status api_person_path(const char *name, const char *rest, ApiPath *path, Message *why);
MUST_USE Status api_add_number(ApiPath *path, const char *key, int64_t value, Message *why);

/* The answer, an object. STATUS_NOT_FOUND: the server says 404, STATUS_BUSY: 409, 429 or 500 and above, or
 * there is no answer, STATUS_SYSTEM: 401, 403 or a redirection, STATUS_BAD_INPUT: it does not take what was sent. */
MUST_USE Status api_get(const Server *server, ApiPath path, JsonFile *json, Message *why);
/* The same of an answer that is text, as the server wrote it: print it with text_add_printable(). */
MUST_USE Status api_get_text(const Server *server, ApiPath path, Text *text, Message *why);
/* Sends a body once. The caller decides whether to send it again. */
MUST_USE Status api_send(const Server *server, ApiPath path, const cJSON *body, JsonFile *json, Message *why);
MUST_USE Status api_delete(const Server *server, ApiPath path, JsonFile *json, Message *why);
/* Hands something in. Repeats the request where its answer is lost (exchange_repeat()); `end` says how the last attempt ended. */
MUST_USE Status api_post(const Server *server, ApiPath path, const cJSON *body, JsonFile *json, ExchangeEnd *end,
                         Message *why);

#endif
