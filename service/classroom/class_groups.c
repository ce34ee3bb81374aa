#include "service/classroom/class_groups.h"

#include "leaderboard/database.h"
#include "service/store/people.h"

#include <string.h>

/* A group that only class.json knows has an invitation that nobody has; a teacher can make no link for it. */
static Status add_group(Store *store, const ClassGroup *group, Message *why)
{
    Secret invitation;
    int64_t known = 0;
    Status status = database_int(store, &known, why, "SELECT count(*) FROM class_group WHERE name = ?1", "t",
                                 group->name);
    return status == STATUS_OK && known == 0 ? people_add_group(store, group->name, &invitation, why) : status;
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
        if (status == STATUS_OK)
            status = database_do(store, NULL, why,
                                 "INSERT INTO membership (class_group, person, by_class)"
                                 " SELECT id, ?2, 1 FROM class_group WHERE name = ?1 ON CONFLICT DO NOTHING",
                                 "ti", group->name, person.id);
    }
    arena_free(&arena);
    return status;
}

/* Those who have joined come behind those that the file lists. */
static Status take_joined(Store *store, ClassFile *file, ClassGroup *group, Message *why)
{
    Rows rows = {.arena = &file->arena, .item_bytes = sizeof(const char *)};
    Status status = database_query(store, &rows, database_take_text, why,
                                   "SELECT person.name FROM membership JOIN person ON person.id = membership.person"
                                   " JOIN class_group ON class_group.id = membership.class_group"
                                   " WHERE class_group.name = ?1 AND by_class = 0 ORDER BY person.name",
                                   "t", group->name);
    const char *const *joined = (const char *const *)(const void *)rows.items;
    const char **people = arena_array(&file->arena, group->person_count + rows.count + 1, sizeof *people);
    size_t count = group->person_count;
    for (size_t i = 0; i < count; i++)
        people[i] = group->people[i];
    for (size_t i = 0; i < rows.count; i++) {
        bool is_listed = false;
        for (size_t k = 0; k < group->person_count && !is_listed; k++)
            is_listed = strcmp(group->people[k], joined[i]) == 0;
        if (!is_listed)
            people[count++] = joined[i];
    }
    group->people = people;
    group->person_count = count;
    return status;
}

Status class_groups_join(Store *store, ClassFile *file, Message *why)
{
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < file->group_count && status == STATUS_OK; i++) {
        status = add_group(store, &file->groups[i], why);
        if (status == STATUS_OK)
            status = add_people(store, &file->groups[i], why);
        if (status == STATUS_OK)
            status = take_joined(store, file, &file->groups[i], why);
    }
    return database_end(store, status, why);
}
