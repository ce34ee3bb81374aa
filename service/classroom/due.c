#include "service/classroom/due.h"

#include "service/class/class_time.h"

#include <inttypes.h>
#include <math.h>

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
        text_printf(out, "; what is handed in now loses %g %% of its points, and counts ", due->taken_off);
        add_until(out, file, due);
        break;
    case DUE_CLOSED:
        text_add(out, "closed ");
        add_moment(out, file, class_last_moment(due->deadline), now_s);
        text_add(out, "; what is handed in now is judged, but does not count");
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
