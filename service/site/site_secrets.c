/* site_secrets.c - what teachers make and pages show once: links that invite to a group, and tokens of students.  */
#include "service/site/site_answers.h"

#include "service/api/answer.h"
#include "service/api/identity.h"
#include "service/store/service_store.h"

#include <string.h>

static void show(Visit *visit, const SecretPage *page)
{
    const Site site = site_of(visit);
    page_secret(&visit->reply->body, &site, page);
}

static const char *name_field(const Visit *visit)
{
    const char *name = http_field(visit->request, "name");
    return name == NULL ? "" : name;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* With the name of this server as the teacher's browser knows it. */
static const char *invitation_link(const Visit *visit, const Secret *invitation)
{
    const char *host = http_header(visit->request, "Host"), *scheme = http_header(visit->request, "X-Forwarded-Proto");
    const bool is_secure = scheme != NULL && strcmp(scheme, "https") == 0;
    return arena_printf(visit->arena, "%s://%s/join/%s", is_secure ? "https" : "http", host == NULL ? "" : host,
                        invitation->hex);
}

void site_add_group(Visit *visit)
{
    const char *name = name_field(visit);
    Secret invitation;
    Message why;
    Status status = people_add_group(visit->service->store, name, &invitation, &why);
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, "group add", name, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show(visit, &(SecretPage){.title = arena_printf(visit->arena, "Group %s", name),
                              .secret = invitation_link(visit, &invitation),
                              .text = "Give this link to the students of the group. Each logs in, opens it and joins.",
                              .back = "/teacher"});
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* A token is as good as its owner, so a teacher makes none for somebody who may do what students may not. */
static Status make_token(const Visit *visit, const char *name, Secret *token, Message *why)
{
    Store *store = visit->service->store;
    Person person;
    Status status = people_admit(store, name, visit->arena, &person, why);
    if (status != STATUS_OK)
        return status;
    identity_raise_role(visit->service->config, &person);
    if (person.role != PERSON_STUDENT)
        return fail(STATUS_BAD_INPUT, why, "tokens are made here for students alone; convjudge token makes others");
    status = tokens_revoke(store, person.id, why);
    if (status == STATUS_OK)
        status = token_add(store, person.id, TOKEN_FOR_ALL, token, why);
    return status == STATUS_OK ? audit_add(store, visit->person.name, "token add", name, why) : status;
}

void site_add_token(Visit *visit)
{
    const char *name = name_field(visit);
    Secret token;
    Message why;
    Status status = make_token(visit, name, &token, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show(visit, &(SecretPage){.title = arena_printf(visit->arena, "Token of %s", name),
                              .secret = token.hex,
                              .text = "Give it to the student alone: whoever has it hands in under this name.",
                              .back = "/teacher"});
}
