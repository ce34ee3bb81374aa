/* api.h - everything that the service answers: finds out who asks, whether he may, and who answers.
 *
 * Routes are one table, which tests walk row by row (tests/service_access.bats).  */
#ifndef SERVICE_API_API_H
#define SERVICE_API_API_H

#include "service/http/http.h"

/* An HttpHandler; the context is a Service. */
void api_handle(void *service, const HttpRequest *request, HttpReply *reply);

#endif
