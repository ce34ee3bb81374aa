#include "service/course/class_watch.h"

#include "base/arena.h"
#include "base/clock.h"
#include "leaderboard/database.h"
#include "service/course/class_read.h"
#include "service/course/extensions.h"
#include "service/store/judgings.h"
#include "service/store/log.h"
#include "service/store/people.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ==== class groups ================================================================================================ */

/* Groups of class.json and groups of the server are one thing where their names agree.
 *
 * The people of a group are those that class.json lists and those who have joined by the server's link. The server's boards can
 * be filtered by the groups of class.json, and an assignment for a group is for whoever has joined it, too. Whom class.json lists no
 * more leaves the group; who has joined by a link stays. */

/* A group that only class.json knows gets a random invitation, so a teacher can make no link for it. */
static Status add_group(Store *store, const ClassGroup *group, Message *why)
{
    Secret invitation;
    int64_t known = 0;
    Status status = database_int(store, &known, why, "SELECT count(*) FROM class_group WHERE name = ?1", "t",
                                 group->name);
    return status == STATUS_OK && known == 0 ? people_add_group(store, group->name, 0, &invitation, why) : status;
}

static Status add_people(Store *store, const ClassGroup *group, Message *why)
{
    Arena arena = {0};
    Status status = database_do(store, NULL, why,
                                "DELETE FROM membership WHERE by_class = 1 AND class_group ="
                                " (SELECT id FROM class_group WHERE name = ?1)",
                                "t", group->name);
    for (size_t i = 0; i < group->person_count && status == STATUS_OK; i++) {
        Person person;
        status = people_admit(store, group->people[i], &arena, &person, why);
        THEN(status, database_do(store, NULL, why,
                                 "INSERT INTO membership (class_group, person, by_class)"
                                 " SELECT id, ?2, 1 FROM class_group WHERE name = ?1 ON CONFLICT DO NOTHING",
                                 "ti", group->name, person.id));
    }
    arena_free(&arena);
    return status;
}

/* Adds the people who have joined after those whom the file lists. */
static Status take_joined(Store *store, ClassFile *file, ClassGroup *group, Message *why)
{
    const char **joined;
    size_t joined_count;
    Status status = database_list(store, &file->arena, sizeof *joined, database_take_text, &joined, &joined_count, why,
                                  "SELECT person.name FROM membership JOIN person ON person.id = membership.person"
                                  " JOIN class_group ON class_group.id = membership.class_group"
                                  " WHERE class_group.name = ?1 AND by_class = 0 ORDER BY person.name",
                                  "t", group->name);
    const char **people = arena_array(&file->arena, group->person_count + joined_count + 1, sizeof *people);
    size_t count = group->person_count;
    for (size_t i = 0; i < count; i++)
        people[i] = group->people[i];
    for (size_t i = 0; i < joined_count; i++)
        if (!text_is_among(joined[i], group->people, group->person_count))
            people[count++] = joined[i];
    group->people = people;
    group->person_count = count;
    return status;
}

/* A name that was changed stands for the person who had it. */
static Status follow_name(Store *store, ClassFile *file, const char **name, Message *why)
{
    Person person;
    Status status = people_find(store, *name, &file->arena, &person, why);
    if (status == STATUS_OK)
        *name = person.name;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Whoever stands in a group by two names is in it once. */
static Status follow_names(Store *store, ClassFile *file, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < file->group_count; i++) {
        ClassGroup *group = &file->groups[i];
        const char **people = arena_array(&file->arena, group->person_count + 1, sizeof *people);
        size_t count = 0;
        for (size_t k = 0; k < group->person_count && status == STATUS_OK; k++) {
            people[count] = group->people[k];
            status = follow_name(store, file, &people[count], why);
            count += !text_is_among(people[count], people, count);
        }
        group->people = people;
        group->person_count = count;
    }
    for (size_t i = 0; i < file->extension_count && status == STATUS_OK; i++)
        status = follow_name(store, file, &file->extensions[i].person, why);
    for (size_t i = 0; i < file->override_count && status == STATUS_OK; i++)
        status = follow_name(store, file, &file->overrides[i].person, why);
    for (size_t i = 0; i < file->spelling_count && status == STATUS_OK; i++)
        status = follow_name(store, file, &file->spellings[i].person, why);
    return status;
}

/* Adds to the store what the file has, and to the groups in memory what the store has. One transaction. */
static MUST_USE Status class_groups_join(Store *store, ClassFile *file, Message *why)
{
    Status status = database_begin(store, why);
    TRY(status);
    for (size_t i = 0; i < file->group_count && status == STATUS_OK; i++) {
        status = add_group(store, &file->groups[i], why);
        THEN(status, add_people(store, &file->groups[i], why));
        THEN(status, take_joined(store, file, &file->groups[i], why));
    }
    return database_end(store, status, why);
}

/* ==== class watch ================================================================================================= */

struct ClassWatch {
    const char *path, *person;
    Store *store;
    ClassFile file;
    struct stat seen; /* of the file that was read, or refused, last */
    double looked_s;
    int64_t names;         /* people_names_version() then */
    pthread_rwlock_t lock; /* of `file`, between who looks and who reads */
};

/* From now on, workers judge all cases of the problems that give points for groups of them. */
static Status want_cases(Store *store, const ClassFile *file, Message *why)
{
    Arena arena = {0};
    size_t count;
    const char **problems = class_problems_with_groups(file, &arena, &count);
    Status status = case_verdicts_want(store, problems, count, why);
    arena_free(&arena);
    return status;
}

Status class_take_for(ClassFile *file, Store *store, const char *person, Message *why)
{
    TRY(follow_names(store, file, why));
    TRY(class_groups_join(store, file, why));
    TRY(extensions_audit(store, file, person, why));
    return want_cases(store, file, why);
}

/* Reads a file once. `person` is who reads it, for the audit log. */
static MUST_USE Status class_read_for(const char *path, Store *store, const char *person, ClassFile *file, Message *why)
{
    Status status = class_file_read(path, file, why);
    THEN(status, class_take_for(file, store, person, why));
    if (status != STATUS_OK)
        class_file_free(file);
    return status;
}

/* Readers come all the time, so a new file must not wait until there are none. */
static void make_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(lock, &kind);
    pthread_rwlockattr_destroy(&kind);
}

void class_watch_hold(ClassWatch *watch)
{
    if (watch != NULL)
        pthread_rwlock_rdlock(&watch->lock);
}

void class_watch_release(ClassWatch *watch)
{
    if (watch != NULL)
        pthread_rwlock_unlock(&watch->lock);
}

Status class_watch_start(const char *path, Store *store, const char *person, ClassWatch **watch, Message *why)
{
    ClassWatch *started = zeroed(1, sizeof *started);
    *started = (ClassWatch){.path = path, .person = person, .store = store, .looked_s = now_s()};
    make_lock(&started->lock);
    /* Looked at first: what is written meanwhile is read again. */
    if (stat(path, &started->seen) != 0)
        started->seen = (struct stat){0};
    Status status = people_names_version(store, &started->names, why);
    THEN(status, class_read_for(path, store, person, &started->file, why));
    *watch = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK)
        free(started);
    return status;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void read_anew(ClassWatch *watch)
{
    ClassFile file = {0};
    Message why;
    if (class_read_for(watch->path, watch->store, watch->person, &file, &why) != STATUS_OK) {
        log_event(LEVEL_ERROR, "class_refused", "path", watch->path, "why", why.text, "kept", "the one read before");
        return;
    }
    pthread_rwlock_wrlock(&watch->lock);
    class_file_free(&watch->file);
    watch->file = file;
    pthread_rwlock_unlock(&watch->lock);
    log_event(LEVEL_INFO, "class_read", "path", watch->path);
}

void class_watch_look(ClassWatch *watch, bool is_told)
{
    struct stat now = {0};
    const double moment_s = now_s();
    if (watch == NULL || (!is_told && moment_s < watch->looked_s + CLASS_LOOK_S))
        return;
    watch->looked_s = moment_s;
    int64_t names = watch->names;
    (void)!people_names_version(watch->store, &names, NULL); /* else at the next look */
    is_told = is_told || names != watch->names;
    watch->names = names;
    if (stat(watch->path, &now) != 0)
        now = (struct stat){0};
    if (!is_told && is_same(&now, &watch->seen))
        return;
    watch->seen = now;
    read_anew(watch);
}

const ClassFile *class_watch_file(const ClassWatch *watch)
{
    return watch == NULL ? NULL : &watch->file;
}

void class_watch_stop(ClassWatch *watch)
{
    if (watch != NULL)
        class_file_free(&watch->file);
    free(watch);
}
