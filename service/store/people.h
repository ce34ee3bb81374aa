/* people.h - who may use the service: persons with their roles, tokens, logins of browsers, and groups.
 *
 * Secrets  a token, a cookie and an invitation are 32 random bytes as 64 hexadecimal digits. The database keeps their
 *          SHA-256 alone, which is enough for secrets that cannot be guessed.
 * Errors   NOT_FOUND: no such person, or a secret that is unknown, revoked or expired. BAD_INPUT: a name that cannot be one,
 *          or that is taken.  */
#ifndef SERVICE_STORE_PEOPLE_H
#define SERVICE_STORE_PEOPLE_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PersonRole {
    PERSON_STUDENT,
    PERSON_TEACHER,
    PERSON_ADMIN
} PersonRole; /* each may do what the one before may */

typedef struct Person {
    int64_t id;
    const char *name;
    const char *pseudonym; /* ""; else what public boards show */
    PersonRole role;
    bool is_removed; /* comes in by no way, until there is a new token */
} Person;

typedef struct Secret {
    char hex[65];
} Secret;

const char *role_name(PersonRole role);
MUST_USE Status role_parse(const char *name, PersonRole *role, Message *why);

/* By the present name, or by a former one. */
MUST_USE Status people_find(Store *store, const char *name, Arena *arena, Person *person, Message *why);
/* The same, and adds a student where there is nobody of that name. */
MUST_USE Status people_admit(Store *store, const char *name, Arena *arena, Person *person, Message *why);
MUST_USE Status people_set_role(Store *store, int64_t person, PersonRole role, Message *why);
/* "" takes the pseudonym away. */
MUST_USE Status people_set_pseudonym(Store *store, int64_t person, const char *pseudonym, Message *why);
/* All of them, by name; `group` 0: of any group or none. */
MUST_USE Status people_list(Store *store, int64_t group, Arena *arena, Person **people, size_t *count, Message *why);

/* What follows is one transaction each, with a row of the audit log about `by`. The old name leads to the person from then on, and is
 * given to nobody else; class.json may go on to use it.
 * BAD_INPUT: the name is somebody else's, or was. */
MUST_USE Status people_rename(Store *store, const Person *person, const char *name, const char *by, Message *why);
/* Two accounts of one person: all that `person` has becomes the other one's, who keeps the role and the pseudonym. */
MUST_USE Status people_merge(Store *store, const Person *person, const Person *into, const char *by, Message *why);
/* Ends tokens and logins and leaves all groups; what was submitted stays. BAD_INPUT: class.json lists the person. */
MUST_USE Status people_remove(Store *store, const Person *person, const char *by, Message *why);
/* A number that grows with every person who is renamed or merged. */
MUST_USE Status people_names_version(Store *store, int64_t *version, Message *why);

/* ---- tokens and logins ------------------------------------------------------------------------------------------- */

typedef enum TokenScope {
    TOKEN_FOR_ALL,     /* everything that the person may do */
    TOKEN_FOR_HAND_IN, /* to hand in for others, and to see what becomes of that */
    TOKEN_FOR_WORK,    /* to judge */
    TOKEN_SCOPES
} TokenScope;

MUST_USE Status token_add(Store *store, int64_t person, TokenScope scope, Secret *token, Message *why);
/* Also ends all logins. Part of the caller's transaction, if there is one. */
MUST_USE Status tokens_revoke(Store *store, int64_t person, Message *why);
MUST_USE Status token_owner(Store *store, const char *token, Arena *arena, Person *person, TokenScope *scope,
                            Message *why);

enum { LOGIN_SECONDS = 30 * 24 * 3600 };
/* With a token for all. Every login has a new cookie, so that an attacker cannot give a browser a known one. */
MUST_USE Status login_begin(Store *store, const char *token, Secret *cookie, Message *why);
MUST_USE Status login_owner(Store *store, const char *cookie, Arena *arena, Person *person, Message *why);
MUST_USE Status login_end(Store *store, const char *cookie, Message *why);
/* All of a person. */
MUST_USE Status logins_end(Store *store, int64_t person, Message *why);

/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct PersonGroup {
    int64_t id;
    const char *name;
    int64_t members;
    int64_t link_ends_s; /* since 1970, and then nobody joins by it; 0: never */
} PersonGroup;

typedef struct GroupMember {
    int64_t id;
    const char *name;
    bool by_class; /* class.json lists the person */
} GroupMember;

/* `ends_s` 0: the link never ends. */
MUST_USE Status people_add_group(Store *store, const char *name, int64_t ends_s, Secret *invitation, Message *why);
MUST_USE Status people_group(Store *store, int64_t id, Arena *arena, PersonGroup *group, Message *why);
MUST_USE Status people_members(Store *store, int64_t group, Arena *arena, GroupMember **members, size_t *count,
                               Message *why);
/* A new link in the place of the old one, which lets nobody in any more. */
MUST_USE Status people_renew_link(Store *store, int64_t group, int64_t ends_s, Secret *invitation, Message *why);
MUST_USE Status people_end_link(Store *store, int64_t group, Message *why);
/* BAD_INPUT: class.json lists the person. */
MUST_USE Status people_leave_group(Store *store, int64_t group, int64_t person, Message *why);
/* The group that an invitation is for, which has not ended. */
MUST_USE Status people_find_invitation(Store *store, const char *invitation, Arena *arena, PersonGroup *group,
                                       Message *why);
/* Joining twice changes nothing. */
MUST_USE Status people_join_group(Store *store, const char *invitation, int64_t person, Arena *arena,
                                  PersonGroup *group, Message *why);
MUST_USE Status people_list_groups(Store *store, Arena *arena, PersonGroup **groups, size_t *count, Message *why);

#endif
