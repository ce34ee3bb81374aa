#include "service/web/api.h"

#include "leaderboard/database.h"

#include <ctype.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const double MOST_WAIT_S = 2; /* for a lock of the store */

/* ==== identity ==================================================================================================== */

void identity_raise_role(const Config *config, Person *person)
{
    if (names_hold(&config->teachers, person->name) && person->role < PERSON_TEACHER)
        person->role = PERSON_TEACHER;
    if (names_hold(&config->admins, person->name))
        person->role = PERSON_ADMIN;
}

static Status admit(Visit *visit, const char *name, Message *why)
{
    Store *store = visit->service->store;
    Status status = people_find(store, name, visit->arena, &visit->person, why);
    if (status == STATUS_NOT_FOUND)
        status = database_can_write(store) ? people_admit(store, name, visit->arena, &visit->person, why)
                                           : fail(STATUS_BUSY, why, "the store is locked by another program");
    if (status == STATUS_OK && visit->person.is_removed)
        return fail(STATUS_NOT_FOUND, why, "%s was removed; a teacher lets you in again by a new token", name);
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

/* A proxy with TLS says so. */
bool identity_is_secure(const Visit *visit)
{
    const char *scheme = http_header(visit->request, "X-Forwarded-Proto");
    return scheme != NULL && strcmp(scheme, "https") == 0;
}

/* Source   RFC 6265bis, section "The __Host- Prefix".  */
const char *identity_cookie(const Visit *visit)
{
    return identity_is_secure(visit) ? "__Host-convjudge" : "convjudge";
}

static Status find_by_secret(Visit *visit, Message *why)
{
    const char *authorization = http_header(visit->request, "Authorization");
    const char *cookie = http_cookie(visit->request, identity_cookie(visit));
    TokenScope scope;
    Status status = STATUS_NOT_FOUND;
    if (authorization != NULL) {
        if (strncasecmp(authorization, "Bearer ", 7) != 0)
            return fail(STATUS_NOT_FOUND, why, "expected \"Authorization: Bearer TOKEN\"");
        status = token_owner(visit->service->store, authorization + 7, visit->arena, &visit->person, &scope, why);
        if (status == STATUS_OK && scope == TOKEN_FOR_WORK)
            return fail(STATUS_NOT_FOUND, why, "this token is only for workers");
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
    if (visit->hands_in_only) /* whatever its owner's role is */
        visit->person.role = PERSON_STUDENT;
    return status;
}

/* A worker is no person of the class, so this adds no person. */
static MUST_USE Status identity_find_worker(Visit *visit, Message *why)
{
    const HttpRequest *request = visit->request;
    const char *authorization = http_header(request, "Authorization");
    TokenScope scope = TOKEN_FOR_ALL;
    if (request->door == DOOR_SOCKET && (request->peer == 0 || request->peer == geteuid()))
        return STATUS_OK;
    if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0)
        return fail(STATUS_NOT_FOUND, why, "expected a worker's token, of `convjudge token add NAME --work-only`");
    TRY(token_owner(visit->service->store, authorization + 7, visit->arena, &visit->person, &scope, why));
    if (scope != TOKEN_FOR_WORK)
        return fail(STATUS_NOT_FOUND, why, "this token is not for workers");
    return STATUS_OK;
}

/* Whether a request that changes something comes from a page of this server: a browser sends `Origin`, and no page of
 * others can forge it. A request that is not by a browser need not say it. */
static bool identity_is_same_origin(const Visit *visit)
{
    const char *origin = http_header(visit->request, "Origin"), *host = http_header(visit->request, "Host");
    if (!visit->by_browser && origin == NULL)
        return true;
    const char *place = origin == NULL ? NULL : strstr(origin, "://");
    return place != NULL && host != NULL && strcasecmp(place + 3, host) == 0;
}

/* ==== api ========================================================================================================= */

/* Whether a path fits a pattern; the part that "*" stands for is copied into the request's arena. */
static bool fits(const char *pattern, const char *path, Arena *arena, const char **argument)
{
    while (*pattern != '\0' && *pattern != '*') {
        if (*pattern++ != *path++)
            return false;
    }
    if (*pattern == '\0')
        return *path == '\0';
    const size_t length = strcspn(path, "/");
    if (length == 0 || strcmp(pattern + 1, path + length) != 0)
        return false;
    *argument = arena_copy(arena, path, length);
    return true;
}

/* NULL: there is none. *is_path: there is one for another method. */
static const Route *find_route(const Service *service, const HttpRequest *request, const char **argument, bool *is_path)
{
    const bool is_head = strcmp(request->method, "HEAD") == 0;
    *is_path = false;
    for (const Route *const *table = service->routes; *table != NULL; table++)
        for (const Route *route = *table; route->method != NULL; route++) {
            if (!fits(route->path, request->path, request->arena, argument))
                continue;
            *is_path = true;
            if (strcmp(route->method, is_head ? "GET" : request->method) == 0)
                return route;
        }
    return NULL;
}

/* After the login the browser goes on to the page that was asked for. */
static void redirect_to_login(Visit *visit)
{
    static const char hexadecimal[] = "0123456789ABCDEF";
    Text path = {0};
    text_add(&path, "/login?next=");
    for (const char *c = visit->request->path; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (isalnum(byte) || strchr("-._~/", byte) != NULL)
            text_append(&path, c, 1);
        else
            text_printf(&path, "%%%c%c", hexadecimal[byte / 16], hexadecimal[byte % 16]);
    }
    answer_redirect(visit, arena_string(visit->arena, path.data));
    text_free(&path);
}

static bool is_for_kits(const Route *route)
{
    return route->access == ACCESS_PERSONS_AND_KITS || route->access == ACCESS_TEACHERS_AND_KITS;
}

static PersonRole least_role(const Route *route)
{
    switch (route->access) {
    case ACCESS_ADMINS: return PERSON_ADMIN;
    case ACCESS_TEACHERS:
    case ACCESS_TEACHERS_AND_KITS: return PERSON_TEACHER;
    default: return PERSON_STUDENT;
    }
}

/* Answers itself where the visitor may not. */
static bool is_admitted(Visit *visit, const Route *route)
{
    const bool is_open = route->access == ACCESS_ALL ||
                         (route->access == ACCESS_READERS && visit->service->config->is_public);
    const PersonRole least = least_role(route);
    if (!is_open && !visit->is_known && route->kind == ROUTE_PAGE && strcmp(route->method, "GET") == 0)
        redirect_to_login(visit);
    else if (!is_open && !visit->is_known && route->kind == ROUTE_PAGE)
        visit->service->ask_for_login(visit);
    else if (!is_open && !visit->is_known)
        answer_error(visit, 401, "who are you? expected \"Authorization: Bearer TOKEN\"; a teacher gives out tokens");
    else if (!is_open && visit->hands_in_only && !is_for_kits(route))
        answer_error(visit, 403, "this token only submits for others");
    else if (!is_open && visit->person.role < least && !visit->hands_in_only)
        answer_error(visit, 403, "this is for %ss", role_name(least));
    else if (strcmp(route->method, "GET") != 0 && !identity_is_same_origin(visit))
        answer_error(visit, 403, "the request does not come from a page of this server");
    else
        return true;
    return false;
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

/* Whoever only reads is answered on a thread of its own, from one moment of the store and a copy of what the server knows. All else
 * is done by the server's thread, one after the other. */

typedef struct Reading {
    Visit visit;
    Service service;
    const Route *route;
} Reading;

static void read_alone(void *work, size_t reader)
{
    Reading *reading = work;
    Message why;
    Store *store = reading->service.store = reading->service.reading[reader];
    class_watch_hold(reading->service.class_watch);
    Status status = store_begin_reading(store, &why);
    if (status == STATUS_OK) {
        reading->route->answer(&reading->visit);
        (void)!store_end_reading(store, NULL); /* what was read stands */
    } else {
        answer_failure(&reading->visit, status, &why);
    }
    class_watch_release(reading->service.class_watch);
}

static void have_read(const Visit *visit, const Route *route)
{
    Reading *reading = arena_alloc(visit->arena, sizeof *reading);
    *reading = (Reading){.visit = *visit, .service = *visit->service, .route = route};
    reading->visit.service = &reading->service;
    if (reading->service.queue != NULL)
        reading->service.queue = queue_seen(reading->service.queue, visit->arena);
    visit->reply->prepare = read_alone;
    visit->reply->work = reading;
}

/* Somebody else holds the lock of the store: the answer waits for it, and the server goes on meanwhile. */
static bool waits_for_store(Visit *visit)
{
    if (database_can_write(visit->service->store))
        return false;
    visit->reply->is_postponed = visit->request->waited_s < MOST_WAIT_S;
    if (!visit->reply->is_postponed) {
        http_reply_header(visit->reply, "Retry-After", "5");
        answer_error(visit, 503, "the store is locked by another program for more than %g s; try again", MOST_WAIT_S);
    }
    return true;
}

static void answer_route(Visit *visit, const Route *route)
{
    const bool only_reads = strcmp(route->method, "GET") == 0 && route->kind != ROUTE_CHANGES;
    if (only_reads && visit->service->reading_count > 0)
        have_read(visit, route);
    else if (only_reads || !waits_for_store(visit))
        route->answer(visit);
}

void api_handle(void *service, const HttpRequest *request, HttpReply *reply)
{
    Visit visit = {.service = service,
                   .request = request,
                   .reply = reply,
                   .arena = request->arena,
                   .wants_page = strncmp(request->path, "/api/", 5) != 0};
    bool is_path;
    Message why;
    const Route *route = find_route(service, request, &visit.argument, &is_path);
    if (route == NULL) {
        answer_error(&visit, is_path ? 405 : 404, is_path ? "this cannot be done here" : "there is no such page");
        return;
    }
    const bool is_for_workers = route->access == ACCESS_WORKERS;
    Status status = is_for_workers ? identity_find_worker(&visit, &why) : identity_find(&visit, &why);
    if (status == STATUS_NOT_FOUND)
        answer_error(&visit, 401, "%s", why.text);
    else if (status != STATUS_OK && (status != STATUS_BUSY || !waits_for_store(&visit)))
        answer_failure(&visit, status, &why);
    else if (status == STATUS_OK && (is_for_workers || is_admitted(&visit, route)))
        answer_route(&visit, route);
}

size_t api_most_body(void *service, const HttpRequest *request)
{
    Visit visit = {.service = service, .request = request, .arena = request->arena};
    bool is_path;
    const Route *route = find_route(service, request, &visit.argument, &is_path);
    return route != NULL && route->access == ACCESS_WORKERS && identity_find_worker(&visit, NULL) == STATUS_OK
               ? WORK_RESULT_BYTES
               : 0;
}
