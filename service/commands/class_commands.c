/* class_commands.c - the commands that read a class.json and nothing else: check-class, and what --class adds to `grade` and
 * `similar`, since the grader knows nothing of it.  */
#include "base/text.h"
#include "grader/commands/command.h"
#include "service/commands/command_line.h"
#include "service/course/class_file.h"
#include "service/course/class_read.h"
#include "service/course/scores.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== grade and similar =========================================================================================== */

Status command_grade_class_points(const Options *options, int *exit_status, Message *why)
{
    return command_grade(options, result_points, exit_status, why);
}

/* Behind those of the command line. */
static Status add_paths(const ClassFile *class_file, const char *key, const char *const *paths, size_t count,
                        OptionValues *values, Message *why)
{
    for (size_t i = 0; i < count; i++) {
        if (values->count == OPTION_MOST_VALUES)
            return fail(STATUS_BAD_INPUT, why, "%s: \"%s\" and the command line name more than %d paths",
                        class_file->path, key, OPTION_MOST_VALUES);
        values->items[values->count++] = paths[i];
    }
    return STATUS_OK;
}

Status command_similar_class(const Options *options, int *exit_status, Message *why)
{
    ClassFile class_file = {0};
    Options all = *options;
    if (options->class_file == NULL)
        return command_similar(options, exit_status, why);
    Status status = class_file_read(options->class_file, &class_file, why);
    THEN(status, class_file_check_paths(&class_file, why));
    THEN(status, add_paths(&class_file, "earlier", class_file.earlier, class_file.earlier_count, &all.earlier, why));
    THEN(status, add_paths(&class_file, "handed_out", class_file.handed_out, class_file.handed_out_count,
                           &all.handed_out, why));
    THEN(status, command_similar(&all, exit_status, why));
    class_file_free(&class_file);
    return status;
}

/* ==== check-class ================================================================================================= */

static const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void add_time(Text *text, const Zone *zone, const char *what, int64_t utc_s)
{
    text_printf(text, "  %-9s %-19s  %s\n", what, class_time_local(zone, utc_s).text, class_time_utc(utc_s).text);
}

static void add_note(Text *text, const ClassTime *time, const char *which)
{
    if (time->kind == LOCAL_TWICE)
        text_printf(text, "            clocks show %s twice on this day; it is the %s\n", time->written, which);
    if (time->kind == LOCAL_SKIPPED)
        text_printf(text, "            clocks skip %s on this day; it is counted on from before\n", time->written);
}

static void add_late(Text *text, const Zone *zone, const ClassAssignment *assignment)
{
    const ClassLate *late = &assignment->late;
    const ClassDeadline *deadline = &assignment->deadline;
    if (late->grace_minutes > 0)
        add_time(text, zone, "grace", deadline->grace_end_s);
    for (size_t day = 0; day < deadline->day_count; day++)
        if (day < 3 || day + 1 == deadline->day_count) {
            char what[32];
            snprintf(what, sizeof what, "day %zu", day + 1);
            add_time(text, zone, what, deadline->day_ends_s[day]);
        }
    if (late->days > 0)
        text_printf(text, "  late      %.15g %% off for each day begun, nothing after %" PRId64 " %s\n",
                    late->percent_per_day, late->days, plural((size_t)late->days, "day", "days"));
    else
        text_printf(text, "  late      does not count\n");
}

static void add_times(Text *text, const ClassFile *class, const ClassAssignment *assignment)
{
    if (assignment->opens.written != NULL)
        add_time(text, &class->zone, "opens", assignment->opens.utc_s);
    add_note(text, &assignment->opens, "first");
    add_time(text, &class->zone, "due", assignment->deadline.due.utc_s);
    add_note(text, &assignment->deadline.due, "second");
    add_late(text, &class->zone, assignment);
    for (size_t i = 0; i < class->extension_count; i++) {
        const ClassExtension *extension = &class->extensions[i];
        if (extension->assignment != assignment)
            continue;
        add_time(text, &class->zone, "extended", extension->deadline.due.utc_s);
        text_printf(text, "            for %s by %s: %s\n", extension->person, extension->by, extension->why);
        add_note(text, &extension->deadline.due, "second");
    }
    add_time(text, &class->zone, "closes", class_closes_s(class, assignment));
}

/* ---- who ---------------------------------------------------------------------------------------------------------- */

static void add_people(Text *text, const ClassAssignment *assignment)
{
    text_add(text, "  for       ");
    if (assignment->group_count == 0)
        text_add(text, "everybody");
    for (size_t i = 0; i < assignment->group_count; i++)
        text_printf(text, "%s%s", i > 0 ? ", " : "", assignment->groups[i]->name);
    text_printf(text, "; the %s submission counts\n", assignment->counts == COUNTS_BEST ? "best" : "last");
}

static void add_show(Text *text, const Zone *zone, const char *what, const ClassShow *show)
{
    switch (show->kind) {
    case SHOW_ALWAYS: text_printf(text, "%s always", what); break;
    case SHOW_CLOSED: text_printf(text, "%s when it has closed", what); break;
    case SHOW_NEVER: text_printf(text, "%s never", what); break;
    case SHOW_FROM: text_printf(text, "%s from %s", what, class_time_local(zone, show->from.utc_s).text); break;
    }
}

static void add_shows(Text *text, const Zone *zone, const ClassAssignment *assignment)
{
    text_add(text, "  students see ");
    add_show(text, zone, "points", &assignment->points);
    add_show(text, zone, ", board", &assignment->board);
    add_show(text, zone, ", sources of others", &assignment->sources);
    text_add(text, "\n");
}

/* ---- points ------------------------------------------------------------------------------------------------------- */

static void add_bands(Text *text, const ClassProblem *problem)
{
    for (size_t i = 0; i < problem->band_count; i++) {
        const ClassBand *band = &problem->bands[i];
        text_printf(text, "    %8.15g  ", band->points);
        switch (problem->measure) {
        case MEASURE_ROOFLINE: text_printf(text, "speed: a roofline share of %.15g %%\n", 100 * band->at_least); break;
        case MEASURE_RUNG: text_printf(text, "speed: as fast as %s\n", band->rung); break;
        case MEASURE_PERCENTILE:
            text_printf(text, "speed: percentile %.15g among the reference solutions\n", band->at_least);
            break;
        case MEASURE_NONE: break;
        }
    }
}

static void add_problem(Text *text, const ClassProblem *problem)
{
    text_printf(text, "  %-24s at most %.15g\n", problem->problem, class_problem_points(problem));
    if (problem->accepted > 0)
        text_printf(text, "    %8.15g  Accepted\n", problem->accepted);
    for (size_t i = 0; i < problem->group_count; i++)
        text_printf(text, "    %8.15g  %s: %zu %s\n", problem->groups[i].points, problem->groups[i].name,
                    problem->groups[i].case_count, plural(problem->groups[i].case_count, "case", "cases"));
    add_bands(text, problem);
}

static void add_assignment(Text *text, const ClassFile *class, const ClassAssignment *assignment)
{
    const bool has_title = strcmp(assignment->title, assignment->id) != 0;
    text_add(text, "\n");
    text_printf(text, "%s%s%s: at most %.15g points\n", assignment->id, has_title ? ", " : "",
                has_title ? assignment->title : "", class_assignment_points(assignment));
    add_people(text, assignment);
    add_times(text, class, assignment);
    add_shows(text, &class->zone, assignment);
    for (size_t i = 0; i < assignment->problem_count; i++)
        add_problem(text, &assignment->problems[i]);
}

static void add_class(Text *text, ClassFile *class)
{
    size_t people;
    class_people(class, &class->arena, &people);
    text_printf(text, "%s%s%s: %zu %s, %zu %s in %zu %s, %zu %s; times of %s, then UTC\n", class->path,
                class->title[0] == '\0' ? "" : ", ", class->title, class->assignment_count,
                plural(class->assignment_count, "assignment", "assignments"), people,
                plural(people, "person", "people"), class->group_count, plural(class->group_count, "group", "groups"),
                class->extension_count, plural(class->extension_count, "extension", "extensions"), class->zone.name);
    for (size_t i = 0; i < class->assignment_count; i++)
        add_assignment(text, class, &class->assignments[i]);
}

Status command_check_class(const Options *options, int *exit_status, Message *why)
{
    ClassFile class = {0};
    Text text = {0};
    Status status = options_expect_file(options, why);
    THEN(status, class_file_read(options->operands[0], &class, why));
    THEN(status, class_file_check_paths(&class, why));
    if (status == STATUS_OK) {
        add_class(&text, &class);
        fputs(text.data, stdout);
    }
    text_free(&text);
    class_file_free(&class);
    *exit_status = 0;
    return status;
}
