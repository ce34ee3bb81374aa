#include "service/store/people.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "grader/ranking/person.h"
#include "leaderboard/database.h"
#include "service/store/service_store.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const roles[] = {"student", "teacher", "admin"};

const char *role_name(PersonRole role)
{
    return roles[role];
}

Status role_parse(const char *name, PersonRole *role, Message *why)
{
    for (int i = PERSON_STUDENT; i <= PERSON_ADMIN; i++)
        if (strcmp(name, roles[i]) == 0) {
            *role = (PersonRole)i;
            return STATUS_OK;
        }
    return fail(STATUS_BAD_INPUT, why, "unknown role '%s', expected student, teacher or admin", name);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

#define PERSON_COLUMNS "person.id, person.name, person.pseudonym, person.role, person.removed_utc"

static void take_person(Arena *arena, sqlite3_stmt *row, void *item)
{
    PersonRole role = PERSON_STUDENT;
    if (role_parse((const char *)sqlite3_column_text(row, 3), &role, NULL) != STATUS_OK)
        role = PERSON_STUDENT; /* the table's CHECK lets no other text in */
    *(Person *)item = (Person){.id = sqlite3_column_int64(row, 0),
                               .name = database_text(arena, row, 1),
                               .pseudonym = database_text(arena, row, 2),
                               .role = role,
                               .is_removed = sqlite3_column_type(row, 4) != SQLITE_NULL};
}

Status people_find(Store *store, const char *name, Arena *arena, Person *person, Message *why)
{
    Status status = database_row(store, arena, take_person, person, why,
                                 "SELECT " PERSON_COLUMNS " FROM person WHERE name = ?1"
                                 " OR id = (SELECT person FROM former_name WHERE name = ?1)",
                                 "t", name);
    return status == STATUS_NOT_FOUND ? fail(status, why, "there is no person of this name") : status;
}

/* Names stand in the addresses of pages. */
static Status take_name(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why)
{
    TRY(person_take(given, name, why));
    if (strchr(name, '/') != NULL)
        return fail(STATUS_BAD_INPUT, why, "the name holds a '/', expected one without");
    return STATUS_OK;
}

/* The first person other than `person` who has or had, or whose pseudonym looks like, this name; id 0: none. */
static Status find_look_alike(Store *store, int64_t person, const char *name, bool only_pseudonyms, Arena *arena,
                              Person *found, Message *why)
{
    Person *people;
    size_t count = 0;
    Status status = database_list(store, arena, sizeof *people, take_person, &people, &count, why,
                                  "SELECT " PERSON_COLUMNS " FROM person WHERE id <> ?1"
                                  " AND (pseudonym IS NOT NULL OR ?2 = 0) UNION ALL"
                                  " SELECT person.id, former_name.name, NULL, role, removed_utc FROM former_name"
                                  " JOIN person ON person.id = person WHERE person <> ?1 AND ?2 = 0 ORDER BY 2",
                                  "ii", person, (int64_t)only_pseudonyms);
    *found = (Person){0};
    for (size_t i = 0; i < count && found->id == 0; i++)
        if ((!only_pseudonyms && person_looks_like(people[i].name, name)) ||
            (people[i].pseudonym[0] != '\0' && person_looks_like(people[i].pseudonym, name)))
            *found = people[i];
    return status;
}

/* Whoever goes by the name of a new person goes by their own name again. */
static Status end_pseudonyms(Store *store, const Person *added, Arena *arena, Message *why)
{
    Person other = {.id = -1};
    Status status = STATUS_OK;
    while (status == STATUS_OK && other.id != 0) {
        status = find_look_alike(store, added->id, added->name, true, arena, &other, why);
        if (status == STATUS_OK && other.id != 0)
            status = database_do(store, NULL, why, "UPDATE person SET pseudonym = NULL WHERE id = ?1", "i", other.id);
        if (status == STATUS_OK && other.id != 0)
            status = audit_add(store, added->name, "end pseudonym", other.name, why);
    }
    return status;
}

Status people_admit(Store *store, const char *given, Arena *arena, Person *person, Message *why)
{
    char name[PERSON_MAX_BYTES + 1];
    Status status = people_find(store, given, arena, person, why);
    if (status != STATUS_NOT_FOUND)
        return status;
    status = take_name(given, name, why);
    THEN(status, people_find(store, name, arena, person, why));
    if (status != STATUS_NOT_FOUND)
        return status;
    TRY(database_do(store, NULL, why,
                    "INSERT INTO person (name, role, created_utc) VALUES (?1, 'student', ?2)"
                    " ON CONFLICT (name) DO NOTHING",
                    "tt", name, utc_now().text));
    TRY(people_find(store, name, arena, person, why));
    return end_pseudonyms(store, person, arena, why);
}

Status people_set_role(Store *store, int64_t person, PersonRole role, Message *why)
{
    return database_do(store, NULL, why, "UPDATE person SET role = ?2 WHERE id = ?1", "it", person, role_name(role));
}

/* A pseudonym must not pass for somebody else's name. */
static Status check_pseudonym(Store *store, int64_t person, const char *pseudonym, Message *why)
{
    Arena arena = {0};
    Person other = {0};
    Status status = person_check(pseudonym, why);
    THEN(status, find_look_alike(store, person, pseudonym, false, &arena, &other, why));
    if (status == STATUS_OK && other.id == 0 && people_find(store, pseudonym, &arena, &other, NULL) == STATUS_OK &&
        other.id == person) /* the person's own name */
        other.id = 0;
    if (status == STATUS_OK && other.id != 0)
        status = fail(STATUS_BAD_INPUT, why, "the name '%s' is taken or looks like one that is, expected another one",
                      pseudonym);
    arena_free(&arena);
    return status;
}

Status people_set_pseudonym(Store *store, int64_t person, const char *pseudonym, Message *why)
{
    const bool is_none = pseudonym[0] == '\0';
    TRY(is_none ? STATUS_OK : check_pseudonym(store, person, pseudonym, why));
    return database_do(store, NULL, why, "UPDATE person SET pseudonym = ?2 WHERE id = ?1", "it", person,
                       is_none ? NULL : pseudonym);
}

Status people_list(Store *store, int64_t group, Arena *arena, Person **people, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **people, take_person, people, count, why,
                         "SELECT " PERSON_COLUMNS " FROM person WHERE ?1 = 0 OR EXISTS (SELECT 1 FROM "
                         "membership WHERE class_group = ?1 AND person = person.id) ORDER BY name",
                         "i", group);
}

/* ---- renaming, merging, removing --------------------------------------------------------------------------------- */

/* Runs are never changed, but for the name of their author: the trigger that says so is away meanwhile. That changes the number of the
 * schema, by which those who keep boards in memory learn of it. */
static Status rename_runs(Store *store, const char *from, const char *to, Message *why)
{
    Arena arena = {0};
    const char *trigger = NULL;
    Status status = database_string(store, &arena, &trigger, why,
                                    "SELECT sql FROM sqlite_schema WHERE name = 'runs_are_never_changed'", "");
    THEN(status, database_run(store, "DROP TRIGGER runs_are_never_changed", why));
    THEN(status, database_do(store, NULL, why, "UPDATE runs SET person = ?2 WHERE person = ?1", "tt", from, to));
    if (status == STATUS_OK && trigger != NULL)
        status = database_run(store, trigger, why);
    arena_free(&arena);
    return status;
}

/* Everything that knows a person by the name. */
static Status give_name(Store *store, int64_t person, const char *from, const char *to, Message *why)
{
    TRY(rename_runs(store, from, to, why));
    TRY(database_do(store, NULL, why, "UPDATE OR REPLACE refused_file SET person = ?2 WHERE person = ?1", "tt", from,
                    to));
    TRY(database_do(store, NULL, why, "UPDATE OR REPLACE seen_extension SET person = ?2 WHERE person = ?1", "tt", from,
                    to));
    TRY(database_do(store, NULL, why, "DELETE FROM former_name WHERE name = ?1 AND person = ?2", "ti", to, person));
    return database_do(store, NULL, why, "INSERT INTO former_name (name, person, since_utc) VALUES (?1, ?2, ?3)", "tit",
                       from, person, utc_now().text);
}

static Status note(Store *store, const char *by, const char *action, const char *from, const char *to, Message *why)
{
    Text object = {0};
    text_printf(&object, "%s to %s", from, to);
    Status status = audit_add(store, by, action, object.data, why);
    text_free(&object);
    return status;
}

static Status rename_now(Store *store, const Person *person, const char *name, const char *by, Message *why)
{
    Arena arena = {0};
    Person other = {0};
    Status status = people_find(store, name, &arena, &other, why);
    if (strcmp(person->name, name) == 0)
        status = fail(STATUS_BAD_INPUT, why, "the name is '%s' already, expected another one", name);
    else if (status == STATUS_OK && other.id != person->id)
        status = fail(STATUS_BAD_INPUT, why, "the name '%s' is or was %s's, expected one that nobody had", name,
                      other.name);
    else if (status == STATUS_OK || status == STATUS_NOT_FOUND)
        status = find_look_alike(store, person->id, name, false, &arena, &other, why);
    if (status == STATUS_OK && other.id != 0 && other.id != person->id)
        status = fail(STATUS_BAD_INPUT, why, "the name '%s' looks like %s's, expected another one", name, other.name);
    THEN(status, give_name(store, person->id, person->name, name, why));
    THEN(status, database_do(store, NULL, why, "UPDATE person SET name = ?2 WHERE id = ?1", "it", person->id, name));
    other = (Person){.id = person->id, .name = name};
    THEN(status, end_pseudonyms(store, &other, &arena, why));
    THEN(status, note(store, by, "rename", person->name, name, why));
    arena_free(&arena);
    return status;
}

Status people_rename(Store *store, const Person *person, const char *name, const char *by, Message *why)
{
    char taken[PERSON_MAX_BYTES + 1];
    TRY(take_name(name, taken, why));
    TRY(database_begin(store, why));
    return database_end(store, rename_now(store, person, taken, by, why), why);
}

/* A key of both is made another one; it has served once its submission was acknowledged. */
static const char *const merge_steps[] = {
    "UPDATE submission SET key = 'of' || ?1 || key WHERE person = ?1 AND key IN (SELECT key FROM submission WHERE person = ?2)",
    "UPDATE submission SET person = ?2 WHERE person = ?1",
    "UPDATE token SET person = ?2 WHERE person = ?1",
    "UPDATE login SET person = ?2 WHERE person = ?1",
    "UPDATE handed_in_for SET by_person = ?2 WHERE by_person = ?1",
    "INSERT INTO membership (class_group, person, by_class) SELECT class_group, ?2, by_class FROM membership WHERE person = ?1"
    " ON CONFLICT DO NOTHING",
    "DELETE FROM membership WHERE person = ?1",
    "UPDATE former_name SET person = ?2 WHERE person = ?1",
    "DELETE FROM person WHERE id = ?1 AND ?2 <> ?1",
};

Status people_merge(Store *store, const Person *person, const Person *into, const char *by, Message *why)
{
    if (person->id == into->id)
        return fail(STATUS_BAD_INPUT, why, "'%s' is this person already, expected somebody else", into->name);
    TRY(database_begin(store, why));
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof merge_steps / sizeof *merge_steps && status == STATUS_OK; i++)
        status = database_do(store, NULL, why, merge_steps[i], "ii", person->id, into->id);
    THEN(status, give_name(store, into->id, person->name, into->name, why));
    THEN(status, note(store, by, "merge", person->name, into->name, why));
    return database_end(store, status, why);
}

static Status remove_now(Store *store, const Person *person, const char *by, Message *why)
{
    int64_t listed = 0;
    TRY(database_int(store, &listed, why, "SELECT count(*) FROM membership WHERE person = ?1 AND by_class = 1", "i",
                     person->id));
    if (listed > 0)
        return fail(STATUS_BAD_INPUT, why, "class.json lists %s; remove the name from its groups first", person->name);
    TRY(tokens_revoke(store, person->id, why));
    TRY(database_do(store, NULL, why, "DELETE FROM membership WHERE person = ?1", "i", person->id));
    TRY(database_do(store, NULL, why, "UPDATE person SET removed_utc = ?2 WHERE id = ?1", "it", person->id,
                    utc_now().text));
    return audit_add(store, by, "remove", person->name, why);
}

Status people_remove(Store *store, const Person *person, const char *by, Message *why)
{
    TRY(database_begin(store, why));
    return database_end(store, remove_now(store, person, by, why), why);
}

Status people_names_version(Store *store, int64_t *version, Message *why)
{
    return database_int(store, version, why, "PRAGMA schema_version", ""); /* see rename_runs() */
}

/* ---- secrets ----------------------------------------------------------------------------------------------------- */

static Status secret_new(Secret *secret, Message *why)
{
    unsigned char bytes[32];
    Status status = random_bytes(bytes, sizeof bytes, why);
    for (size_t i = 0; i < sizeof bytes && status == STATUS_OK; i++)
        snprintf(secret->hex + 2 * i, 3, "%02x", bytes[i]);
    return status;
}

static Digest secret_hash(const char *secret)
{
    return hash_of_bytes(secret, strlen(secret));
}

static const char *const scope_names[] = {"all", "hand_in", "hand_in"}; /* what works may not hand in, either */

Status token_add(Store *store, int64_t person, TokenScope scope, Secret *token, Message *why)
{
    TRY(secret_new(token, why));
    TRY(database_do(store, NULL, why, "UPDATE person SET removed_utc = NULL WHERE id = ?1", "i", person));
    return database_do(store, NULL, why,
                       "INSERT INTO token (hash, person, created_utc, scope, works) VALUES (?1, ?2, ?3, ?4, ?5)",
                       "titti", secret_hash(token->hex).hex, person, utc_now().text, scope_names[scope],
                       (int64_t)(scope == TOKEN_FOR_WORK));
}

Status tokens_revoke(Store *store, int64_t person, Message *why)
{
    TRY(database_do(store, NULL, why, "UPDATE token SET revoked_utc = ?2 WHERE person = ?1 AND revoked_utc IS NULL",
                    "it", person, utc_now().text));
    return logins_end(store, person, why);
}

static Status owner_of(Store *store, const char *token, TokenScope scope, Arena *arena, Person *person, Message *why)
{
    Status status = database_row(store, arena, take_person, person, why,
                                 "SELECT " PERSON_COLUMNS " FROM token JOIN person ON person.id = token.person"
                                 " WHERE hash = ?1 AND revoked_utc IS NULL AND scope = ?2 AND works = ?3",
                                 "tti", secret_hash(token).hex, scope_names[scope], (int64_t)(scope == TOKEN_FOR_WORK));
    return status == STATUS_NOT_FOUND ? fail(status, why, "unknown token") : status;
}

Status token_owner(Store *store, const char *token, Arena *arena, Person *person, TokenScope *scope, Message *why)
{
    Status status = STATUS_NOT_FOUND;
    for (*scope = TOKEN_FOR_ALL; *scope < TOKEN_SCOPES; ++*scope) {
        status = owner_of(store, token, *scope, arena, person, why);
        if (status != STATUS_NOT_FOUND)
            break;
    }
    return status;
}

Status login_begin(Store *store, const char *token, Secret *cookie, Message *why)
{
    Arena arena = {0};
    Person person;
    Status status = owner_of(store, token, TOKEN_FOR_ALL, &arena, &person, why);
    THEN(status, secret_new(cookie, why));
    THEN(status, database_do(store, NULL, why, "DELETE FROM login WHERE expires_s < ?1", "i", (int64_t)time(NULL)));
    THEN(status,
         database_do(store, NULL, why, "INSERT INTO login (hash, person, token, expires_s) VALUES (?1, ?2, ?3, ?4)",
                     "titi", secret_hash(cookie->hex).hex, person.id, secret_hash(token).hex,
                     (int64_t)time(NULL) + LOGIN_SECONDS));
    arena_free(&arena);
    return status;
}

Status login_owner(Store *store, const char *cookie, Arena *arena, Person *person, Message *why)
{
    Status status = database_row(store, arena, take_person, person, why,
                                 "SELECT " PERSON_COLUMNS " FROM login JOIN person ON person.id = login.person"
                                 " WHERE hash = ?1 AND expires_s >= ?2",
                                 "ti", secret_hash(cookie).hex, (int64_t)time(NULL));
    return status == STATUS_NOT_FOUND ? fail(status, why, "not logged in") : status;
}

Status login_end(Store *store, const char *cookie, Message *why)
{
    return database_do(store, NULL, why, "DELETE FROM login WHERE hash = ?1", "t", secret_hash(cookie).hex);
}

Status logins_end(Store *store, int64_t person, Message *why)
{
    return database_do(store, NULL, why, "DELETE FROM login WHERE person = ?1", "i", person);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void take_group(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(PersonGroup *)item = (PersonGroup){.id = sqlite3_column_int64(row, 0),
                                         .name = database_text(arena, row, 1),
                                         .members = sqlite3_column_int64(row, 2),
                                         .link_ends_s = sqlite3_column_int64(row, 3)};
}

#define GROUP_COLUMNS                                                                                                  \
    "class_group.id, class_group.name, (SELECT count(*) FROM membership WHERE class_group = class_group.id), link_ends_s"

Status people_add_group(Store *store, const char *name, int64_t ends_s, Secret *invitation, Message *why)
{
    int64_t added = 0;
    TRY(person_check(name, why));
    TRY(secret_new(invitation, why));
    TRY(database_do(
        store, &added, why,
        "INSERT INTO class_group (name, invitation, created_utc, link_ends_s) VALUES (?1, ?2, ?3, nullif(?4, 0))"
        " ON CONFLICT (name) DO NOTHING",
        "ttti", name, secret_hash(invitation->hex).hex, utc_now().text, ends_s));
    if (added == 0)
        return fail(STATUS_BAD_INPUT, why, "there is a group '%s' already, expected another name", name);
    return STATUS_OK;
}

Status people_group(Store *store, int64_t id, Arena *arena, PersonGroup *group, Message *why)
{
    Status status = database_row(store, arena, take_group, group, why,
                                 "SELECT " GROUP_COLUMNS " FROM class_group WHERE id = ?1", "i", id);
    return status == STATUS_NOT_FOUND ? fail(status, why, "there is no such group") : status;
}

static void take_member(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(GroupMember *)item = (GroupMember){.id = sqlite3_column_int64(row, 0),
                                         .name = database_text(arena, row, 1),
                                         .by_class = sqlite3_column_int(row, 2) != 0};
}

Status people_members(Store *store, int64_t group, Arena *arena, GroupMember **members, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **members, take_member, members, count, why,
                         "SELECT person.id, person.name, by_class FROM membership JOIN person ON person.id = person"
                         " WHERE class_group = ?1 ORDER BY person.name",
                         "i", group);
}

Status people_renew_link(Store *store, int64_t group, int64_t ends_s, Secret *invitation, Message *why)
{
    TRY(secret_new(invitation, why));
    return database_do(store, NULL, why,
                       "UPDATE class_group SET invitation = ?2, link_ends_s = nullif(?3, 0) WHERE id = ?1", "iti",
                       group, secret_hash(invitation->hex).hex, ends_s);
}

Status people_end_link(Store *store, int64_t group, Message *why)
{
    return database_do(store, NULL, why, "UPDATE class_group SET link_ends_s = ?2 WHERE id = ?1", "ii", group,
                       (int64_t)time(NULL));
}

Status people_leave_group(Store *store, int64_t group, int64_t person, Message *why)
{
    int64_t removed = 0;
    TRY(database_do(store, &removed, why,
                    "DELETE FROM membership WHERE class_group = ?1 AND person = ?2 AND by_class = 0", "ii", group,
                    person));
    return removed > 0 ? STATUS_OK
                       : fail(STATUS_BAD_INPUT, why,
                              "this person did not join by a link; remove the name from the group in class.json");
}

/* ?1: the invitation, ?3: now. */
#define IS_INVITATION "invitation = ?1 AND (link_ends_s IS NULL OR link_ends_s > ?3)"

Status people_find_invitation(Store *store, const char *invitation, Arena *arena, PersonGroup *group, Message *why)
{
    Status status = database_row(store, arena, take_group, group, why,
                                 "SELECT " GROUP_COLUMNS " FROM class_group WHERE " IS_INVITATION " AND ?2 = 0", "tii",
                                 secret_hash(invitation).hex, (int64_t)0, (int64_t)time(NULL));
    return status == STATUS_NOT_FOUND ? fail(status, why, "unknown invitation, or one that has ended") : status;
}

Status people_join_group(Store *store, const char *invitation, int64_t person, Arena *arena, PersonGroup *group,
                         Message *why)
{
    TRY(database_do(store, NULL, why,
                    "INSERT INTO membership (class_group, person, by_class) SELECT id, ?2, 0 FROM class_group"
                    " WHERE " IS_INVITATION " ON CONFLICT DO NOTHING",
                    "tii", secret_hash(invitation).hex, person, (int64_t)time(NULL)));
    return people_find_invitation(store, invitation, arena, group, why);
}

Status people_list_groups(Store *store, Arena *arena, PersonGroup **groups, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **groups, take_group, groups, count, why,
                         "SELECT " GROUP_COLUMNS " FROM class_group ORDER BY name", "");
}
