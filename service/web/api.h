/* api.h - everything that the service answers: finds out who asks, whether he may, and who answers.
 *
 * Routes are one table, which tests walk row by row (tests/service_access.bats).  */
#ifndef SERVICE_WEB_API_H
#define SERVICE_WEB_API_H

#include "service/http/http.h"
#include "service/web/answer.h"

/* ==== identity ==================================================================================================== */

/* Who calls: by the kernel's word, by a token, by a browser's cookie, or by the reverse proxy's header.
 *
 * On the Unix socket the kernel names the user of the process. An address proves nothing, since students have shells on this
 * host, so there it takes a token, or the cookie that a login gave. What a proxy says is believed on its own socket alone.
 *
 * Errors   NOT_FOUND: a token, a cookie or a user that nobody knows, said in one line. */

/* The cookie of a login. Behind TLS its name has a prefix with which browsers take it from this host alone, over TLS, for all paths. */
const char *identity_cookie(const Visit *visit);
bool identity_is_secure(const Visit *visit);

/* The role that the configuration gives a person, which can raise it and not lower it. */
void identity_raise_role(const Config *config, Person *person);

/* Fills in is_known, by_browser and person. */
MUST_USE Status identity_find(Visit *visit, Message *why);

/* ==== api ========================================================================================================= */

/* An HttpHandler; the context is a Service. */
void api_handle(void *service, const HttpRequest *request, HttpReply *reply);
/* HttpOptions.most_body: what a worker reports may be large. */
size_t api_most_body(void *service, const HttpRequest *request);

#endif
