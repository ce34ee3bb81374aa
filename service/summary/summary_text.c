#include "service/summary/summary_text.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 12, MOST_NAMES = 40, BAR_COLUMNS = 40, MOST_COLUMNS = 100 };

/* "1 person", "12 people" */
static void add_people(Text *out, size_t count)
{
    text_printf(out, "%zu %s", count, count == 1 ? "person" : "people");
}

static void add_left_out(Text *out, size_t count, size_t most)
{
    if (count > most)
        text_printf(out, "  and %zu more\n", count - most);
}

static void add_bar(Text *out, size_t count, size_t most)
{
    const size_t columns = most == 0 ? 0 : (count * BAR_COLUMNS + most - 1) / most;
    if (columns > 0)
        text_add(out, " ");
    for (size_t i = 0; i < columns; i++)
        text_add(out, "#");
}

/* One name of a list, in lines that a terminal can show. `column` is where the line has come to; 0: it begins. */
static void add_name(Text *out, const char *name, int indent, int *column)
{
    const int columns = terminal_columns(name) + 2;
    if (*column > 0 && *column + columns > MOST_COLUMNS) {
        text_add(out, ",\n");
        *column = 0;
    }
    text_printf(out, "%*s", *column == 0 ? indent : 2, *column == 0 ? "" : ", ");
    terminal_add_line(out, name);
    *column = (*column == 0 ? indent : *column) + columns;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void add_points(Text *out, const PointsSummary *points)
{
    size_t most = 0;
    if (points->count == 0)
        return;
    text_printf(out, "Points of ");
    add_people(out, points->count);
    text_printf(out, ", of %g: mean %.3g, median %g, from %g to %g\n", points->most, points->mean, points->median,
                points->lowest, points->highest);
    for (size_t i = 0; i < points->bin_count; i++)
        most = points->bins[i] > most ? points->bins[i] : most;
    for (size_t i = 0; i < points->bin_count; i++) {
        char range[40];
        snprintf(range, sizeof range, "%g to %g", (double)i * points->width, (double)(i + 1) * points->width);
        text_add(out, "  ");
        terminal_pad(out, range, -12);
        text_printf(out, " %5zu", points->bins[i]);
        add_bar(out, points->bins[i], most);
        text_add(out, "\n");
    }
}

static void add_nothing(Text *out, const AssignmentSummary *assignment)
{
    if (assignment->expected == 0)
        return;
    text_printf(out, "Handed in nothing: %zu of %zu\n", assignment->nothing_count, assignment->expected);
    int column = 0;
    for (size_t i = 0; i < assignment->nothing_count && i < MOST_NAMES; i++)
        add_name(out, assignment->nothing[i], 2, &column);
    if (assignment->nothing_count > 0)
        text_add(out, "\n");
    add_left_out(out, assignment->nothing_count, MOST_NAMES);
}

/* ---- a task ------------------------------------------------------------------------------------------------------ */

static void add_verdicts(Text *out, const TaskSummary *task)
{
    size_t most = 0;
    text_printf(out, "  %-24s %11s %7s\n", "Verdict", "Submissions", "People");
    for (size_t i = 0; i < task->verdict_count; i++)
        most = task->verdicts[i].people > most ? task->verdicts[i].people : most;
    for (size_t i = 0; i < task->verdict_count; i++) {
        const VerdictCount *count = &task->verdicts[i];
        text_printf(out, "  %-24s %11zu %7zu", count->verdict[0] == '\0' ? "not judged yet" : count->verdict,
                    count->submissions, count->people);
        add_bar(out, count->people, most);
        text_add(out, "\n");
    }
}

static void add_board(Text *out, const TaskBoard *board)
{
    text_printf(out, "  Times of ");
    add_people(out, board->people_count);
    text_printf(out, " on %s%s: best %s, median %s\n", board->device, board->is_modelled ? " (modelled)" : "",
                quantity_time(board->people[0].time.ms).text,
                quantity_time(board->people[board->people_count / 2].time.ms).text);
    for (size_t i = 0; i < board->reference_count; i++) {
        text_printf(out, "    %10s ", quantity_time(board->references[i].time.ms).text);
        terminal_pad(out, board->references[i].name, 32);
        text_printf(out, " reached by %zu", board->reached[i]);
        add_bar(out, board->reached[i], board->people_count);
        text_add(out, "\n");
    }
}

static void add_example(Text *out, const MistakeExample *example)
{
    text_add(out, "      ");
    terminal_add_line(out, example->person);
    text_add(out, ", ");
    terminal_add_line(out, example->file_name);
    if (example->line > 0)
        text_printf(out, ":%ld", example->line);
    if (example->line_text[0] != '\0') {
        text_add(out, ": ");
        terminal_add_line(out, example->line_text);
    }
    text_add(out, "\n");
}

static void add_kind(Text *out, const char *verdict, const char *kind)
{
    text_printf(out, "%s: ", verdict);
    terminal_add_line(out, kind);
    text_add(out, "\n");
}

static void add_mistakes(Text *out, const TaskSummary *task)
{
    if (task->mistake_count > 0)
        text_add(out, "  Common mistakes\n");
    for (size_t i = 0; i < task->mistake_count && i < MOST_LINES; i++) {
        const MistakeCount *mistake = &task->mistakes[i];
        text_add(out, "    ");
        add_people(out, mistake->people);
        text_printf(out, ", %zu submission%s. ", mistake->submissions, mistake->submissions == 1 ? "" : "s");
        add_kind(out, mistake->verdict, mistake->kind);
        for (size_t k = 0; k < mistake->example_count; k++)
            add_example(out, &mistake->examples[k]);
    }
    add_left_out(out, task->mistake_count, MOST_LINES);
}

static void add_cases(Text *out, const char *title, const CaseCount *cases, size_t count)
{
    if (count == 0)
        return;
    int column = 0;
    text_printf(out, "  %s: %zu\n", title, count);
    for (size_t i = 0; i < count && i < MOST_NAMES; i++)
        add_name(out, cases[i].name, 4, &column);
    text_add(out, "\n");
    add_left_out(out, count, MOST_NAMES);
}

static void add_stuck(Text *out, const TaskSummary *task)
{
    if (task->stuck_count > 0)
        text_printf(out, "  Stuck: nothing accepted, and %d or more submissions with the same failure\n", STUCK_LEAST);
    for (size_t i = 0; i < task->stuck_count && i < MOST_LINES; i++) {
        const StuckPerson *stuck = &task->stuck[i];
        text_add(out, "    ");
        terminal_add_line(out, stuck->person);
        text_printf(out, ", %zu times since %s. ", stuck->submissions, stuck->since_utc);
        add_kind(out, stuck->verdict, stuck->kind);
        add_example(out, &stuck->example);
    }
    add_left_out(out, task->stuck_count, MOST_LINES);
}

static void add_task(Text *out, const TaskSummary *task)
{
    text_printf(out, "\n%s (%s)\n", task->task->problem_title, task->task->problem);
    if (task->submissions == 0) {
        text_add(out, "  Nobody has handed in anything.\n");
        return;
    }
    text_add(out, "  ");
    add_people(out, task->people);
    text_printf(out, ", %zu submission%s, solved by %zu\n", task->submissions, task->submissions == 1 ? "" : "s",
                task->solved);
    add_verdicts(out, task);
    for (size_t i = 0; i < task->board_count; i++)
        add_board(out, &task->boards[i]);
    add_mistakes(out, task);
    add_cases(out, "Cases that everybody fails", task->never_passed, task->never_passed_count);
    add_cases(out, "Cases that nobody fails", task->never_failed, task->never_failed_count);
    add_stuck(out, task);
}

void summary_text(Text *out, const Summary *summary)
{
    terminal_add_line(out, summary->title);
    text_printf(out, ", as of %s\n", summary->time_utc);
    for (size_t i = 0; i < summary->assignment_count; i++) {
        const AssignmentSummary *assignment = &summary->assignments[i];
        text_add(out, "\n");
        terminal_add_line(out, assignment->title);
        text_printf(out, " (%s)\n", assignment->id);
        add_points(out, &assignment->points);
        add_nothing(out, assignment);
        for (size_t k = 0; k < assignment->task_count; k++)
            add_task(out, &assignment->tasks[k]);
    }
}
