#include "service/classroom/extensions.h"

#include "leaderboard/database.h"
#include "service/store/service_store.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Seen { /* an extension as the file had it when it was read last */
    const char *person, *assignment, *due, *why, *by;
} Seen;

static void take_seen(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Seen *)item = (Seen){database_text(arena, row, 0), database_text(arena, row, 1), database_text(arena, row, 2),
                           database_text(arena, row, 3), database_text(arena, row, 4)};
}

typedef struct TimeComparison {
    Store *store;
    const ClassFile *file;
    const char *person; /* who reads the file */
    const char *path;   /* of the file, whole: one file has one list */
    Arena arena;
    Message *why;
} TimeComparison;

static Status add_row(const TimeComparison *comparison, const char *action, const char *object)
{
    return audit_add(comparison->store, comparison->person, action, object, comparison->why);
}

/* What is due without any extension; "" where the assignment is gone. */
static const char *usual_due(const ClassFile *file, const char *id)
{
    const ClassAssignment *assignment = class_assignment(file, id);
    return assignment == NULL ? "" : assignment->deadline.due.written;
}

static const Seen *find_seen(const Seen *seen, size_t count, const ClassExtension *extension)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(seen[i].person, extension->person) == 0 &&
            strcmp(seen[i].assignment, extension->assignment->id) == 0)
            return &seen[i];
    return NULL;
}

static bool is_same(const Seen *seen, const ClassExtension *extension)
{
    return strcmp(seen->due, extension->deadline.due.written) == 0 && strcmp(seen->why, extension->why) == 0 &&
           strcmp(seen->by, extension->by) == 0;
}

/* A new one, or one that has changed. */
static Status take_extension(TimeComparison *comparison, const ClassExtension *extension, const Seen *seen)
{
    const char *assignment = extension->assignment->id, *due = extension->deadline.due.written;
    if (seen != NULL && is_same(seen, extension))
        return STATUS_OK;
    const char *object = arena_printf(&comparison->arena, "%s, %s: due %s instead of %s, by %s: %s (%s)",
                                      extension->person, assignment, due,
                                      seen == NULL ? usual_due(comparison->file, assignment) : seen->due, extension->by,
                                      extension->why, comparison->path);
    Status status = add_row(comparison, seen == NULL ? "extension add" : "extension change", object);
    if (status != STATUS_OK)
        return status;
    return database_do(comparison->store, NULL, comparison->why,
                       "INSERT INTO seen_extension (class, person, assignment, due, why, given_by)"
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (class, person, assignment)"
                       " DO UPDATE SET due = excluded.due, why = excluded.why, given_by = excluded.given_by",
                       "tttttt", comparison->path, extension->person, assignment, due, extension->why, extension->by);
}

static Status drop_seen(TimeComparison *comparison, const Seen *seen)
{
    for (size_t i = 0; i < comparison->file->extension_count; i++)
        if (find_seen(seen, 1, &comparison->file->extensions[i]) != NULL)
            return STATUS_OK;
    const char *due = usual_due(comparison->file, seen->assignment);
    const char *object = due[0] == '\0'
                             ? arena_printf(&comparison->arena,
                                            "%s, %s: was due %s; there is no such assignment now (%s)", seen->person,
                                            seen->assignment, seen->due, comparison->path)
                             : arena_printf(&comparison->arena, "%s, %s: due %s instead of %s (%s)", seen->person,
                                            seen->assignment, due, seen->due, comparison->path);
    Status status = add_row(comparison, "extension remove", object);
    if (status != STATUS_OK)
        return status;
    return database_do(comparison->store, NULL, comparison->why,
                       "DELETE FROM seen_extension WHERE class = ?1 AND person = ?2 AND assignment = ?3", "ttt",
                       comparison->path, seen->person, seen->assignment);
}

static Status compare(TimeComparison *comparison)
{
    Rows rows = {.arena = &comparison->arena, .item_bytes = sizeof(Seen)};
    Status status = database_query(comparison->store, &rows, take_seen, comparison->why,
                                   "SELECT person, assignment, due, why, given_by FROM seen_extension WHERE class = ?1",
                                   "t", comparison->path);
    const Seen *seen = (const Seen *)(const void *)rows.items;
    for (size_t i = 0; i < comparison->file->extension_count && status == STATUS_OK; i++)
        status = take_extension(comparison, &comparison->file->extensions[i],
                                find_seen(seen, rows.count, &comparison->file->extensions[i]));
    for (size_t i = 0; i < rows.count && status == STATUS_OK; i++)
        status = drop_seen(comparison, &seen[i]);
    return status;
}

Status extensions_audit(Store *store, const ClassFile *file, const char *person, Message *why)
{
    char whole[PATH_MAX];
    TimeComparison comparison = {.store = store, .file = file, .person = person, .why = why};
    comparison.path = realpath(file->path, whole) == NULL ? file->path : whole;
    Status status = database_begin(store, why);
    if (status == STATUS_OK)
        status = database_end(store, compare(&comparison), why);
    arena_free(&comparison.arena);
    return status;
}

static void take_record(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(ExtensionRecord *)item = (ExtensionRecord){database_text(arena, row, 0), database_text(arena, row, 1),
                                                 database_text(arena, row, 2), database_text(arena, row, 3)};
}

Status extensions_records(Store *store, size_t limit, Arena *arena, ExtensionRecord **records, size_t *count,
                          Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof **records};
    Status status = database_query(store, &rows, take_record, why,
                                   "SELECT time_utc, person, action, object FROM audit WHERE action LIKE 'extension %'"
                                   " ORDER BY id DESC LIMIT ?1",
                                   "i", (int64_t)limit);
    *records = (ExtensionRecord *)(void *)rows.items;
    *count = rows.count;
    return status;
}
