#include "service/api/identity.h"

#include <pwd.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void identity_raise_role(const Config *config, Person *person)
{
    if (names_hold(&config->teachers, person->name) && person->role < PERSON_TEACHER)
        person->role = PERSON_TEACHER;
    if (names_hold(&config->admins, person->name))
        person->role = PERSON_ADMIN;
}

static Status admit(Visit *visit, const char *name, Message *why)
{
    Status status = people_admit(visit->service->store, name, visit->arena, &visit->person, why);
    visit->is_known = status == STATUS_OK;
    return status;
}

static Status find_by_kernel(Visit *visit, Message *why)
{
    const uid_t uid = visit->request->peer;
    const struct passwd *user = getpwuid(uid);
    if (user == NULL)
        return fail(STATUS_NOT_FOUND, why, "user %u of this host has no name", (unsigned)uid);
    Status status = admit(visit, user->pw_name, why);
    if (uid == 0 || uid == geteuid()) /* who could change the store anyway */
        visit->person.role = PERSON_ADMIN;
    return status;
}

static Status find_by_proxy(Visit *visit, Message *why)
{
    const char *name = http_header(visit->request, visit->service->config->proxy_socket.header);
    visit->by_browser = true;
    return name == NULL || name[0] == '\0' ? STATUS_OK : admit(visit, name, why);
}

static Status find_by_secret(Visit *visit, Message *why)
{
    const char *authorization = http_header(visit->request, "Authorization");
    const char *cookie = http_cookie(visit->request, IDENTITY_COOKIE);
    TokenScope scope;
    Status status = STATUS_NOT_FOUND;
    if (authorization != NULL) {
        if (strncasecmp(authorization, "Bearer ", 7) != 0)
            return fail(STATUS_NOT_FOUND, why, "expected \"Authorization: Bearer TOKEN\"");
        status = token_owner(visit->service->store, authorization + 7, visit->arena, &visit->person, &scope, why);
        visit->is_known = status == STATUS_OK;
        visit->hands_in_only = visit->is_known && scope == TOKEN_FOR_HAND_IN;
        return status;
    }
    if (cookie == NULL)
        return STATUS_OK;
    visit->by_browser = true;
    status = login_owner(visit->service->store, cookie, visit->arena, &visit->person, why);
    visit->is_known = status == STATUS_OK;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status; /* a login that has ended: the browser may begin another */
}

Status identity_find(Visit *visit, Message *why)
{
    Status status;
    switch (visit->request->door) {
    case DOOR_SOCKET: status = find_by_kernel(visit, why); break;
    case DOOR_PROXY: status = find_by_proxy(visit, why); break;
    default: status = find_by_secret(visit, why);
    }
    if (visit->is_known)
        identity_raise_role(visit->service->config, &visit->person);
    if (visit->hands_in_only) /* whoever made it */
        visit->person.role = PERSON_STUDENT;
    return status;
}

bool identity_is_same_origin(const Visit *visit)
{
    const char *origin = http_header(visit->request, "Origin"), *host = http_header(visit->request, "Host");
    if (!visit->by_browser && origin == NULL)
        return true;
    const char *place = origin == NULL ? NULL : strstr(origin, "://");
    return place != NULL && host != NULL && strcasecmp(place + 3, host) == 0;
}
