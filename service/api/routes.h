/* routes.h - who may ask for what, and which function answers.  */
#ifndef SERVICE_API_ROUTES_H
#define SERVICE_API_ROUTES_H

#include "service/api/service.h"

typedef enum RouteAccess {
    ACCESS_ALL,     /* nobody has to say who he is */
    ACCESS_READERS, /* likewise where the pages are public, else persons */
    ACCESS_PERSONS,
    ACCESS_PERSONS_AND_KITS, /* also with a token that only hands in for others */
    ACCESS_TEACHERS,
    ACCESS_TEACHERS_AND_KITS,
    ACCESS_ADMINS
} RouteAccess;

typedef struct Route {
    const char *method, *path; /* "*" in the path stands for one part, which becomes visit->argument */
    RouteAccess access;
    void (*answer)(Visit *visit);
    bool is_page; /* a person who is not known is led to the login, not refused */
} Route;

/* The last one has no method. */
extern const Route api_routes[], operating_routes[];

#endif
