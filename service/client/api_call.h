/* api_call.h - a call of the service's interface (docs/api.md): sends a request, and makes one line of every refusal.  */
#ifndef SERVICE_CLIENT_API_CALL_H
#define SERVICE_CLIENT_API_CALL_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "service/client/exchange.h"

#include <stdbool.h>

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
MUST_USE Status api_delete(const Server *server, ApiPath path, JsonFile *json, Message *why);
/* Hands something in. Repeats the request where its answer is lost (exchange_repeat()); `end` says how the last attempt ended. */
MUST_USE Status api_post(const Server *server, ApiPath path, const cJSON *body, JsonFile *json, ExchangeEnd *end,
                         Message *why);

#endif
