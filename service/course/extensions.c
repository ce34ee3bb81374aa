#include "service/course/extensions.h"

#include "leaderboard/database.h"
#include "service/store/service_store.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== due ========================================================================================================= */

Due due_of(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t at_s)
{
    const ClassDeadline *deadline = class_deadline(file, assignment, person);
    Due due = {.assignment = assignment,
               .deadline = deadline,
               .is_extended = class_extension(file, assignment, person) != NULL,
               .state = DUE_CLOSED};
    if (at_s < assignment->opens.utc_s)
        due.state = DUE_NOT_OPEN;
    else if (at_s <= deadline->grace_end_s)
        due.state = DUE_IN_TIME;
    for (size_t i = 0; due.state == DUE_CLOSED && i < deadline->day_count; i++)
        if (at_s <= deadline->day_ends_s[i]) {
            due.state = DUE_LATE;
            due.days_late = i + 1;
            due.taken_off = fmin(100, (double)due.days_late * assignment->late.percent_per_day);
        }
    return due;
}

size_t due_list(const ClassFile *file, const char *problem, const char *person, int64_t at_s, Due *dues)
{
    size_t count = 0;
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && class_takes_part(assignment, person))
            dues[count++] = due_of(file, assignment, person, at_s);
    }
    return count;
}

const ClassAssignment *due_opens_later(const ClassFile *file, const char *problem, const char *person, int64_t at_s)
{
    const ClassAssignment *first = NULL;
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) == NULL || !class_takes_part(assignment, person))
            continue;
        if (at_s >= assignment->opens.utc_s)
            return NULL;
        if (first == NULL || assignment->opens.utc_s < first->opens.utc_s)
            first = assignment;
    }
    return first;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

void due_add_distance(Text *out, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}};
    const int64_t distance = seconds < 0 ? -seconds : seconds;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const int64_t number = distance / units[i].seconds;
        /* 30 hours are more telling than one day. */
        if (number < (units[i].seconds == 86400 ? 2 : 1))
            continue;
        text_printf(out, "%s%" PRId64 " %s%s%s", seconds < 0 ? "" : "in ", number, units[i].name,
                    number == 1 ? "" : "s", seconds < 0 ? " ago" : "");
        return;
    }
    text_add(out, seconds < 0 ? "a moment ago" : "in less than a minute");
}

/* "2026-11-09 23:59 (Europe/Berlin), in 3 hours" */
static void add_moment(Text *out, const ClassFile *file, int64_t moment_s, int64_t now_s)
{
    text_printf(out, "%s (%s), ", class_time_local(&file->zone, moment_s).text, file->zone.name);
    due_add_distance(out, moment_s - now_s);
}

static void add_until(Text *out, const ClassFile *file, const Due *due)
{
    text_printf(out, "until %s", class_time_local(&file->zone, class_last_moment(due->deadline)).text);
}

void due_add_outlook(Text *out, const ClassFile *file, const Due *due, int64_t now_s)
{
    const double percent = due->assignment->late.percent_per_day;
    switch (due->state) {
    case DUE_NOT_OPEN:
        text_add(out, "opens ");
        add_moment(out, file, due->assignment->opens.utc_s, now_s);
        break;
    case DUE_IN_TIME:
        text_add(out, due->is_extended ? "due, with your extension, " : "due ");
        add_moment(out, file, due->deadline->due.utc_s, now_s);
        if (due->deadline->day_count > 0) {
            text_printf(out, "; then %g %% of the points are taken off for each day begun, ", percent);
            add_until(out, file, due);
        }
        break;
    case DUE_LATE:
        text_add(out, "was due ");
        add_moment(out, file, due->deadline->due.utc_s, now_s);
        text_printf(out, "; submissions now lose %g %% of their points, and count ", due->taken_off);
        add_until(out, file, due);
        break;
    case DUE_CLOSED:
        text_add(out, "closed ");
        add_moment(out, file, class_last_moment(due->deadline), now_s);
        text_add(out, "; submissions are judged now, but do not count");
        break;
    }
}

void due_add_submission(Text *out, const ClassFile *file, const Due *due, int64_t now_s)
{
    const char *title = due->assignment->title;
    switch (due->state) {
    case DUE_NOT_OPEN:
        text_printf(out, "does not count: %s opens ", title);
        add_moment(out, file, due->assignment->opens.utc_s, now_s);
        break;
    case DUE_IN_TIME:
        text_printf(out, "counts for %s, due ", title);
        add_moment(out, file, due->deadline->due.utc_s, now_s);
        break;
    case DUE_LATE:
        text_printf(out, "counts for %s, %zu day%s late, so %g %% of its points are taken off; it was due ", title,
                    due->days_late, due->days_late == 1 ? "" : "s", due->taken_off);
        add_moment(out, file, due->deadline->due.utc_s, now_s);
        break;
    case DUE_CLOSED:
        text_printf(out, "does not count: %s closed ", title);
        add_moment(out, file, class_last_moment(due->deadline), now_s);
        break;
    }
}

/* ==== showing ===================================================================================================== */

bool showing_board(const ClassFile *file, const char *problem, int64_t now_s)
{
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && !class_shows(file, assignment, &assignment->board, now_s))
            return false;
    }
    return true;
}

bool showing_belongs(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t received_s)
{
    return class_takes_part(assignment, person) && received_s >= assignment->opens.utc_s &&
           received_s <= class_last_moment(class_deadline(file, assignment, person));
}

const ClassAssignment *showing_source(const ClassFile *file, const char *problem, const char *reader,
                                      const char *author, int64_t received_s, int64_t now_s)
{
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && class_takes_part(assignment, reader) &&
            showing_belongs(file, assignment, author, received_s) && now_s > class_closes_s(file, assignment) &&
            class_shows(file, assignment, &assignment->sources, now_s))
            return assignment;
    }
    return NULL;
}

/* ==== extensions ================================================================================================== */

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
    TRY(add_row(comparison, seen == NULL ? "extension add" : "extension change", object));
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
    TRY(add_row(comparison, "extension remove", object));
    return database_do(comparison->store, NULL, comparison->why,
                       "DELETE FROM seen_extension WHERE class = ?1 AND person = ?2 AND assignment = ?3", "ttt",
                       comparison->path, seen->person, seen->assignment);
}

static Status compare(TimeComparison *comparison)
{
    Seen *seen;
    size_t count;
    TRY(database_list(comparison->store, &comparison->arena, sizeof *seen, take_seen, &seen, &count, comparison->why,
                      "SELECT person, assignment, due, why, given_by FROM seen_extension WHERE class = ?1", "t",
                      comparison->path));
    for (size_t i = 0; i < comparison->file->extension_count; i++)
        TRY(take_extension(comparison, &comparison->file->extensions[i],
                           find_seen(seen, count, &comparison->file->extensions[i])));
    for (size_t i = 0; i < count; i++)
        TRY(drop_seen(comparison, &seen[i]));
    return STATUS_OK;
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
