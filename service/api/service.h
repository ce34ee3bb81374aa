/* service.h - what every answer of the service needs.  */
#ifndef SERVICE_API_SERVICE_H
#define SERVICE_API_SERVICE_H

#include "leaderboard/store.h"
#include "service/config/config.h"
#include "service/head/head.h"
#include "service/http/http.h"
#include "service/store/people.h"

#include <stdbool.h>

typedef struct Service {
    const Config *config;
    Store *store;
    Head *head;
    struct Live *live; /* live.h */
    const char *spool;
} Service;

typedef struct Visit { /* one request, and whose it is */
    Service *service;
    const HttpRequest *request;
    HttpReply *reply;
    Arena *arena;    /* the request's */
    bool is_known;   /* false: nobody has said who it is, and `person` is empty */
    bool by_browser; /* by a cookie, or by the proxy: not by something that only a program sends */
    Person person;
    const char *argument; /* the part of the path that the route leaves open; NULL: none */
} Visit;

/* Whether the visitor may see what belongs to this person. */
bool visit_may_see(const Visit *visit, int64_t person);

#endif
