/* service.h - what every answer of the service needs.  */
#ifndef SERVICE_API_SERVICE_H
#define SERVICE_API_SERVICE_H

#include "leaderboard/store.h"
#include "service/classroom/class_watch.h"
#include "service/config/config.h"
#include "service/head/head.h"
#include "service/http/http.h"
#include "service/slurm/slurm.h"
#include "service/store/people.h"

#include <stdbool.h>

struct Visit;

typedef struct Service {
    const Config *config;
    Store *store;
    Head *head;
    Slurm *slurm;      /* NULL: workers judge that are no batch jobs */
    struct Live *live; /* live.h */
    const char *spool;
    ClassWatch *class_watch;           /* NULL: there is no class */
    const struct Route *const *routes; /* tables (routes.h), up to NULL */
    /* Answers with a page that says what went wrong. */
    void (*show_error)(struct Visit *visit, int status, const char *text);
} Service;

typedef struct Visit { /* one request, and whose it is */
    Service *service;
    const HttpRequest *request;
    HttpReply *reply;
    Arena *arena;       /* the request's */
    bool is_known;      /* false: nobody has said who it is, and `person` is empty */
    bool hands_in_only; /* by a token that is for handing in for others alone */
    bool by_browser;    /* by a cookie, or by the proxy: not by something that only a program sends */
    Person person;
    bool wants_page;      /* an error is shown as a page, not as JSON */
    const char *argument; /* the part of the path that the route leaves open; NULL: none */
} Visit;

#endif
