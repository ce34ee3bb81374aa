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

/* Whether none of the problem's assignments hides something: the member of ClassAssignment at this offset. */
static bool none_hides(const ClassFile *file, const char *problem, size_t member, int64_t now_s)
{
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const ClassShow *show = (const ClassShow *)((const char *)assignment + member);
        if (class_problem(assignment, problem) != NULL && !class_shows(file, assignment, show, now_s))
            return false;
    }
    return true;
}

bool showing_board(const ClassFile *file, const char *problem, int64_t now_s)
{
    return none_hides(file, problem, offsetof(ClassAssignment, board), now_s);
}

bool showing_sketch(const ClassFile *file, const char *problem, int64_t now_s)
{
    return none_hides(file, problem, offsetof(ClassAssignment, sketch), now_s);
}

bool showing_code(const ClassFile *file, const char *problem, int64_t now_s)
{
    return none_hides(file, problem, offsetof(ClassAssignment, code), now_s);
}

bool showing_problem(const ClassFile *file, const char *problem, int64_t now_s)
{
    bool is_assigned = false;
    for (size_t i = 0; i < file->assignment_count; i++) {
        if (class_problem(&file->assignments[i], problem) == NULL)
            continue;
        if (now_s >= file->assignments[i].opens.utc_s)
            return true;
        is_assigned = true;
    }
    return !is_assigned;
}

bool showing_belongs(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t received_s)
{
    return class_takes_part(assignment, person) && received_s >= assignment->opens.utc_s &&
           received_s <= class_last_moment(class_deadline(file, assignment, person));
}

bool showing_sources(const ClassFile *file, const ClassAssignment *assignment, const char *problem, const char *reader,
                     int64_t now_s)
{
    return class_problem(assignment, problem) != NULL && class_takes_part(assignment, reader) &&
           now_s > class_closes_s(file, assignment) && class_shows(file, assignment, &assignment->sources, now_s);
}

/* ==== extensions ================================================================================================== */

/* An extension, or an override of points, as the file had it when it was read last. */
typedef struct Seen {
    const char *person;
    const char *about; /* the assignment; of an override "week-1/conv1d" */
    const char *value; /* when it is due; of an override "3 points" */
    const char *why, *by;
} Seen;

static void take_seen(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Seen *)item = (Seen){database_text(arena, row, 0), database_text(arena, row, 1), database_text(arena, row, 2),
                           database_text(arena, row, 3), database_text(arena, row, 4)};
}

typedef struct ExceptionComparison {
    Store *store;
    const ClassFile *file;
    const char *person; /* who reads the file */
    const char *path;   /* of the file, whole: one file has one list */
    Arena arena;
    Message *why;
} ExceptionComparison;

static bool is_override(const Seen *seen)
{
    return strchr(seen->about, '/') != NULL;
}

/* "extension add", "override remove" */
static Status add_row(ExceptionComparison *comparison, const Seen *seen, const char *what, const char *object)
{
    const char *action = arena_printf(&comparison->arena, "%s %s", is_override(seen) ? "override" : "extension", what);
    return audit_add(comparison->store, comparison->person, action, object, comparison->why);
}

/* What the file has now. */
static Seen *list_now(ExceptionComparison *comparison, size_t *count)
{
    const ClassFile *file = comparison->file;
    Arena *arena = &comparison->arena;
    Seen *now = arena_array(arena, file->extension_count + file->override_count + 1, sizeof *now);
    *count = 0;
    for (size_t i = 0; i < file->extension_count; i++) {
        const ClassExtension *it = &file->extensions[i];
        now[(*count)++] = (Seen){it->person, it->assignment->id, it->deadline.due.written, it->why, it->by};
    }
    for (size_t i = 0; i < file->override_count; i++) {
        const ClassOverride *it = &file->overrides[i];
        now[(*count)++] = (Seen){it->person, arena_printf(arena, "%s/%s", it->assignment->id, it->problem),
                                 arena_printf(arena, "%.15g points", it->points), it->why, it->by};
    }
    return now;
}

/* What holds without any exception; "" where the assignment is gone. */
static const char *usual_value(const ClassFile *file, const Seen *seen)
{
    const ClassAssignment *assignment = class_assignment(file, seen->about);
    if (is_override(seen))
        return "those that are counted";
    return assignment == NULL ? "" : assignment->deadline.due.written;
}

static const Seen *find_seen(const Seen *list, size_t count, const Seen *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].person, wanted->person) == 0 && strcmp(list[i].about, wanted->about) == 0)
            return &list[i];
    return NULL;
}

static bool is_same(const Seen *a, const Seen *b)
{
    return strcmp(a->value, b->value) == 0 && strcmp(a->why, b->why) == 0 && strcmp(a->by, b->by) == 0;
}

/* A new one, or one that has changed. */
static Status take_exception(ExceptionComparison *comparison, const Seen *now, const Seen *before)
{
    if (before != NULL && is_same(before, now))
        return STATUS_OK;
    const char *object = arena_printf(&comparison->arena, "%s, %s: %s%s instead of %s, by %s: %s (%s)", now->person,
                                      now->about, is_override(now) ? "" : "due ", now->value,
                                      before == NULL ? usual_value(comparison->file, now) : before->value, now->by,
                                      now->why, comparison->path);
    TRY(add_row(comparison, now, before == NULL ? "add" : "change", object));
    return database_do(comparison->store, NULL, comparison->why,
                       "INSERT INTO seen_extension (class, person, assignment, due, why, given_by)"
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (class, person, assignment)"
                       " DO UPDATE SET due = excluded.due, why = excluded.why, given_by = excluded.given_by",
                       "tttttt", comparison->path, now->person, now->about, now->value, now->why, now->by);
}

static Status drop_exception(ExceptionComparison *comparison, const Seen *before)
{
    const char *usual = usual_value(comparison->file, before), *due = is_override(before) ? "" : "due ";
    const char *object = usual[0] == '\0'
                             ? arena_printf(&comparison->arena,
                                            "%s, %s: was due %s; there is no such assignment now (%s)", before->person,
                                            before->about, before->value, comparison->path)
                             : arena_printf(&comparison->arena, "%s, %s: %s%s instead of %s (%s)", before->person,
                                            before->about, due, usual, before->value, comparison->path);
    TRY(add_row(comparison, before, "remove", object));
    return database_do(comparison->store, NULL, comparison->why,
                       "DELETE FROM seen_extension WHERE class = ?1 AND person = ?2 AND assignment = ?3", "ttt",
                       comparison->path, before->person, before->about);
}

static Status compare(ExceptionComparison *comparison)
{
    Seen *before;
    size_t before_count, now_count;
    const Seen *now = list_now(comparison, &now_count);
    TRY(database_list(
        comparison->store, &comparison->arena, sizeof *before, take_seen, &before, &before_count, comparison->why,
        "SELECT person, assignment, due, why, given_by FROM seen_extension WHERE class = ?1", "t", comparison->path));
    for (size_t i = 0; i < now_count; i++)
        TRY(take_exception(comparison, &now[i], find_seen(before, before_count, &now[i])));
    for (size_t i = 0; i < before_count; i++)
        if (find_seen(now, now_count, &before[i]) == NULL)
            TRY(drop_exception(comparison, &before[i]));
    return STATUS_OK;
}

Status extensions_audit(Store *store, const ClassFile *file, const char *person, Message *why)
{
    char whole[PATH_MAX];
    ExceptionComparison comparison = {.store = store, .file = file, .person = person, .why = why};
    comparison.path = realpath(file->path, whole) == NULL ? file->path : whole;
    Status status = database_begin(store, why);
    THEN(status, database_end(store, compare(&comparison), why));
    arena_free(&comparison.arena);
    return status;
}
