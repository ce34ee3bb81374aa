/* site_forms.c - what browsers send: logins, hand-ins, decisions. Each ends by leading to a page, so that loading that page
 * again repeats nothing.  */
#include "service/site/site_answers.h"

#include "leaderboard/rulings.h"
#include "service/api/answer.h"
#include "service/pages/class_pages.h"
#include "service/api/hand_in.h"
#include "service/api/identity.h"
#include "service/api/visible.h"
#include "service/store/service_store.h"

#include <inttypes.h>
#include <string.h>

/* ---- the login --------------------------------------------------------------------------------------------------- */

/* A path of this server, not an address of another one. */
static const char *safe_path(const char *path)
{
    return path != NULL && path[0] == '/' && path[1] != '/' && path[1] != '\\' ? path : "/";
}

void site_login_form(Visit *visit)
{
    const Site site = site_of(visit);
    page_login(&visit->reply->body, &site, NULL, safe_path(http_query(visit->request, "next")));
}

/* The cookie is for requests alone, not for scripts; a proxy with TLS says so, and then it never goes without. */
static void set_cookie(Visit *visit, const char *value, int seconds)
{
    const char *scheme = http_header(visit->request, "X-Forwarded-Proto");
    const bool is_secure = scheme != NULL && strcmp(scheme, "https") == 0;
    http_reply_header(visit->reply, "Set-Cookie",
                      arena_printf(visit->arena, IDENTITY_COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
                                   value, seconds, is_secure ? "; Secure" : ""));
}

void site_login(Visit *visit)
{
    const char *token = http_field(visit->request, "token"), *next = safe_path(http_field(visit->request, "next"));
    const Site site = site_of(visit);
    Secret cookie;
    Message why;
    Status status = login_begin(visit->service->store, token == NULL ? "" : token, &cookie, &why);
    if (status == STATUS_OK) {
        set_cookie(visit, cookie.hex, LOGIN_SECONDS);
        answer_elsewhere(visit, next);
    } else if (status == STATUS_NOT_FOUND) {
        visit->reply->status = 401;
        page_login(&visit->reply->body, &site, "This is not a token that is in force; a teacher gives out new ones.",
                   next);
    } else {
        answer_failure(visit, status, &why);
    }
}

void site_logout(Visit *visit)
{
    const char *cookie = http_cookie(visit->request, IDENTITY_COOKIE);
    Message why;
    Status status = cookie == NULL ? STATUS_OK : login_end(visit->service->store, cookie, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    set_cookie(visit, "", 0);
    answer_elsewhere(visit, "/");
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

static const char *path_of(const Visit *visit, int64_t submission)
{
    return arena_printf(visit->arena, "/submissions/%" PRId64, submission);
}

/* Browsers send each line of a text field with a carriage return, which its author did not write. Source: HTML Living
 * Standard, "Constructing the entry list". */
static const char *without_returns(Arena *arena, const char *text)
{
    char *copy = arena_string(arena, text), *to = copy;
    for (const char *from = text; *from != '\0'; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
    return copy;
}

void site_hand_in(Visit *visit)
{
    const char *key = http_field(visit->request, "key"), *file = http_field(visit->request, "file");
    const char *text = http_field(visit->request, "source"), *mode = http_field(visit->request, "mode");
    const char *file_name = http_file_name(visit->request, "file");
    const bool is_file = file != NULL && file[0] != '\0';
    const HandInRequest request = {.key = key == NULL ? "" : key,
                                   .file_name = is_file && file_name != NULL ? file_name : "submission.cu",
                                   .source = is_file        ? file
                                             : text == NULL ? ""
                                                            : without_returns(visit->arena, text),
                                   .problem = visit->argument,
                                   .mode = mode};
    int64_t id;
    bool is_new;
    Message why;
    Status status = hand_in(visit, &request, &id, &is_new, &why);
    if (status == STATUS_OK)
        answer_elsewhere(visit, path_of(visit, id));
    else
        answer_failure(visit, status, &why);
}

/* The page says what has become of it, whether it could be withdrawn or not. */
void site_withdraw(Visit *visit)
{
    StoredSubmission row;
    bool done;
    if (hand_in_withdraw(visit, &row, &done))
        answer_elsewhere(visit, path_of(visit, row.id));
}

/* ---- of teachers and of groups ----------------------------------------------------------------------------------- */

void site_ruling(Visit *visit)
{
    const char *kind = http_field(visit->request, "ruling"), *reason = http_field(visit->request, "why");
    StoredSubmission row;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    const bool accepts = kind != NULL && strcmp(kind, "accept") == 0,
               rejects = kind != NULL && strcmp(kind, "reject") == 0;
    if ((!accepts && !rejects) || row.run == 0) {
        answer_error(visit, 400, "expected a decision about a run that was recorded");
        return;
    }
    const UtcTime now = utc_now();
    const Ruling ruling = {.run = row.run,
                           .kind = accepts ? RULING_ACCEPT : RULING_REJECT,
                           .why = reason == NULL ? "" : reason,
                           .person = visit->person.name,
                           .time_utc = now.text};
    Status status = rulings_add(visit->service->store, &ruling, &why);
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, kind, path_of(visit, row.id), &why);
    if (status == STATUS_OK)
        answer_elsewhere(visit, "/teacher");
    else
        answer_failure(visit, status, &why);
}

/* A browser, or a program that looks at links in messages, may open a link without anybody's will: so it only asks. */
void site_join_form(Visit *visit)
{
    const Site site = site_of(visit);
    PersonGroup group;
    Message why;
    Status status = people_find_invitation(visit->service->store, visit->argument, visit->arena, &group, &why);
    if (status == STATUS_OK)
        page_join(&visit->reply->body, &site, group.name, visit->argument);
    else
        answer_failure(visit, status, &why);
}

/* Whoever joins twice is in once. An assignment may be for the group, so class.json is looked at anew. */
void site_join(Visit *visit)
{
    PersonGroup group;
    Message why;
    Status status = people_join_group(visit->service->store, visit->argument, visit->person.id, visit->arena, &group,
                                      &why);
    if (status == STATUS_OK) {
        class_watch_look(visit->service->class_watch, true);
        answer_elsewhere(visit, "/");
    } else {
        answer_failure(visit, status, &why);
    }
}
