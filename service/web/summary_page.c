#include "service/web/summary_page.h"

#include "service/web/board_plots.h"
#include "service/web/parts.h"
#include "service/web/html.h"
#include "service/web/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 100, ID_BYTES = 80 };

/* Links are for servers: a file that stands alone has nothing beside it. */
static void add_person(Text *page, const Site *site, const char *person)
{
    if (site->is_static)
        html_text(page, person);
    else
        link_person(page, site, person);
}

static void add_left_out(Text *page, size_t count, size_t most)
{
    if (count > most)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", count - most);
}

static const char *people(size_t count)
{
    return count == 1 ? "person" : "people";
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static const double LEFT = 12, RIGHT = PLOT_WIDTH - 12, HEIGHT = 110, TOP = 24;

static void add_axis(Text *page, const PointsSummary *points, double width)
{
    const double y = TOP + HEIGHT;
    const size_t every = points->bin_count > 11 ? 2 : 1;
    svg_line(page, "axis", LEFT, y, RIGHT, y);
    for (size_t i = 0; i <= points->bin_count; i += every) {
        char label[32];
        const double x = LEFT + (double)i * width;
        snprintf(label, sizeof label, "%g", (double)i * points->width);
        svg_line(page, "axis", x, y, x, y + 4);
        svg_label(page, "tick", x, y + 17, i == 0 ? "start" : i == points->bin_count ? "end" : "middle", label);
    }
}

static void add_bars(Text *page, const PointsSummary *points, double width)
{
    size_t most = 1;
    for (size_t i = 0; i < points->bin_count; i++)
        most = points->bins[i] > most ? points->bins[i] : most;
    for (size_t i = 0; i < points->bin_count; i++) {
        const double height = HEIGHT * (double)points->bins[i] / (double)most, x = LEFT + (double)i * width;
        char label[32];
        if (points->bins[i] == 0)
            continue;
        snprintf(label, sizeof label, "%zu", points->bins[i]);
        svg_rect(page, "others-bar", x + 0.5, TOP + HEIGHT - height, width - 1, height);
        svg_label(page, "tick", x + width / 2, TOP + HEIGHT - height - 5, "middle", label);
    }
}

static void add_points_table(Text *page, const PointsSummary *points)
{
    details_begin(page, "The numbers of this plot");
    table_begin(page, "People by points", "Points|>People");
    for (size_t i = 0; i < points->bin_count; i++)
        html_add(page, "<tr><th scope=\"row\">%g to %s%g</th><td class=\"number\">%zu</td></tr>\n",
                 (double)i * points->width, i + 1 == points->bin_count ? "" : "below ", (double)(i + 1) * points->width,
                 points->bins[i]);
    table_end(page);
    details_end(page);
}

static void add_points(Text *page, const char *id, const PointsSummary *points)
{
    const double width = (RIGHT - LEFT) / (double)(points->bin_count == 0 ? 1 : points->bin_count);
    if (points->count == 0)
        return;
    html_add(page,
             "<figure>\n<figcaption>Points of %zu %s, of %g<span class=\"more\">Mean %.3g, median %g, from %g to %g. "
             "A bar counts people.</span></figcaption>\n",
             points->count, people(points->count), points->most, points->mean, points->median, points->lowest,
             points->highest);
    svg_begin(page, id, TOP + HEIGHT + 24, "Points",
              "How many people have how many points. The table below has the numbers.");
    add_bars(page, points, width);
    add_axis(page, points, width);
    svg_end(page);
    add_points_table(page, points);
    html_raw(page, "</figure>\n");
}

static void add_nothing(Text *page, const Site *site, const AssignmentSummary *assignment)
{
    if (assignment->expected == 0)
        return;
    html_add(page, "<h3>Handed in nothing: %zu of %zu</h3>\n", assignment->nothing_count, assignment->expected);
    if (assignment->nothing_count > MOST_ROWS)
        details_begin(page, "Their names");
    if (assignment->nothing_count > 0)
        html_raw(page, "<ul class=\"links\">");
    for (size_t i = 0; i < assignment->nothing_count; i++) {
        html_raw(page, "<li>");
        add_person(page, site, assignment->nothing[i]);
        html_raw(page, "</li>");
    }
    if (assignment->nothing_count > 0)
        html_raw(page, "</ul>\n");
    if (assignment->nothing_count > MOST_ROWS)
        details_end(page);
}

/* ---- verdicts and times ------------------------------------------------------------------------------------------ */

static void add_bar(Text *page, const char *class, size_t count, size_t most)
{
    html_add(page,
             "<td class=\"bar\"><svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
             "aria-hidden=\"true\"><rect class=\"%s\" width=\"%.1f\" height=\"8\"/></svg></td>",
             class, most == 0 ? 0.0 : 100 * (double)count / (double)most);
}

static void add_verdicts(Text *page, const TaskSummary *task)
{
    table_begin_wide(page, "Verdicts", "Verdict|>Submissions|>People|-");
    for (size_t i = 0; i < task->verdict_count; i++) {
        const VerdictCount *count = &task->verdicts[i];
        html_raw(page, "<tr><th scope=\"row\" class=\"nowrap\">");
        verdict_mark(page, count->verdict[0] == '\0' ? "waiting" : count->verdict);
        html_add(page, "</th><td class=\"number\">%zu</td><td class=\"number\">%zu</td>", count->submissions,
                 count->people);
        add_bar(page, "others-bar", count->people, task->people);
        html_raw(page, "</tr>\n");
    }
    table_end(page);
    html_raw(page, "<p class=\"note\">A person counts where his or her last submission stands, or as accepted once any "
                   "is.</p>\n");
}

static void add_rungs(Text *page, const TaskBoard *board)
{
    if (board->reference_count == 0)
        return;
    table_begin_wide(page, "Who has reached the reference solutions", "Reference solution|>Time|>Reached by|-");
    for (size_t i = 0; i < board->reference_count; i++) {
        html_raw(page, "<tr><th scope=\"row\">");
        html_name(page, board->references[i].name);
        html_add(page, "</th><td class=\"number\">%s</td><td class=\"number\">%zu of %zu</td>",
                 figure_measured(board->references[i].time).text, board->reached[i], board->people_count);
        add_bar(page, "reference-bar", board->reached[i], board->people_count);
        html_raw(page, "</tr>\n");
    }
    table_end(page);
}

static void add_board(Text *page, const char *id, const TaskBoard *board)
{
    const BoardPage plotted = {.device = board->device,
                               .modelled = board->is_modelled,
                               .standings = board->people,
                               .standing_count = board->people_count,
                               .references = board->references,
                               .reference_count = board->reference_count};
    html_add(page, "<h4>Times on %s%s</h4>\n", board->device, board->is_modelled ? ", modelled" : "");
    plot_times(page, id, &plotted, (MeasuredTime){0});
    add_rungs(page, board);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void add_example(Text *page, const Site *site, const MistakeExample *example, bool has_person)
{
    char text[ID_BYTES] = "";
    if (example->line > 0)
        snprintf(text, sizeof text, ", line %ld", example->line);
    if (has_person) {
        add_person(page, site, example->person);
        html_raw(page, ", ");
    }
    if (site->is_static || example->submission == 0)
        html_name(page, example->file_name);
    else
        link_submission(page, site, example->submission, example->file_name);
    html_text(page, text);
    if (example->line_text[0] != '\0')
        html_add(page, ": <code>%s</code>", example->line_text);
}

static void add_mistakes(Text *page, const Site *site, const TaskSummary *task)
{
    if (task->mistake_count == 0)
        return;
    html_raw(page, "<h4>Common mistakes</h4>\n");
    table_begin_wide(page, "Common mistakes", "Kind|>People|>Submissions");
    for (size_t i = 0; i < task->mistake_count && i < MOST_ROWS; i++) {
        const MistakeCount *mistake = &task->mistakes[i];
        html_add(page, "<tr><th scope=\"row\">%s: ", mistake->verdict);
        html_code(page, mistake->kind);
        for (size_t k = 0; k < mistake->example_count; k++) {
            html_raw(page, "<span class=\"more\">");
            add_example(page, site, &mistake->examples[k], true);
            html_raw(page, "</span>");
        }
        html_add(page, "</th><td class=\"number\">%zu</td><td class=\"number\">%zu</td></tr>\n", mistake->people,
                 mistake->submissions);
    }
    table_end(page);
    add_left_out(page, task->mistake_count, MOST_ROWS);
}

static void add_cases(Text *page, const char *title, const char *remark, const CaseCount *cases, size_t count)
{
    if (count == 0)
        return;
    html_add(page, "<h4>%s: %zu</h4>\n<p class=\"note\">%s</p>\n<ul>\n", title, count, remark);
    for (size_t i = 0; i < count && i < MOST_ROWS; i++)
        html_add(page, "<li>%s <span class=\"quiet\">run by %zu %s</span></li>\n", cases[i].name, cases[i].people,
                 people(cases[i].people));
    html_raw(page, "</ul>\n");
    add_left_out(page, count, MOST_ROWS);
}

static void add_stuck(Text *page, const Site *site, const TaskSummary *task)
{
    if (task->stuck_count == 0)
        return;
    html_add(
        page,
        "<h4>Stuck on one verdict</h4>\n<p class=\"note\">Nothing accepted, and %d or more submissions with the same "
        "verdict and kind.</p>\n",
        STUCK_LEAST);
    table_begin_wide(page, "Stuck on one verdict", "Who|What|>Times|-Since|-Last");
    for (size_t i = 0; i < task->stuck_count && i < MOST_ROWS; i++) {
        const StuckPerson *stuck = &task->stuck[i];
        html_raw(page, "<tr><th scope=\"row\">");
        add_person(page, site, stuck->person);
        html_add(page, "</th><td>%s: ", stuck->verdict);
        html_code(page, stuck->kind);
        html_raw(page, "<span class=\"more\">");
        add_example(page, site, &stuck->example, false);
        html_add(page,
                 "</span></td><td class=\"number\">%zu</td><td class=\"spare nowrap\">%s</td><td class=\"spare "
                 "nowrap\">%s</td></tr>\n",
                 stuck->submissions, figure_moment(stuck->since_utc).text, figure_moment(stuck->last_utc).text);
    }
    table_end(page);
    add_left_out(page, task->stuck_count, MOST_ROWS);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void add_task(Text *page, const Site *site, const TaskSummary *task, size_t assignment, size_t number)
{
    char id[ID_BYTES];
    html_add(page, "<h3>%s <span class=\"quiet\">%s</span></h3>\n", task->task->problem_title, task->task->problem);
    if (task->submissions == 0) {
        html_raw(page, "<p>Nobody has handed in anything.</p>\n");
        return;
    }
    html_add(page, "<p>%zu %s handed in %zu %s; %zu solved it.</p>\n", task->people, people(task->people),
             task->submissions, task->submissions == 1 ? "submission" : "submissions", task->solved);
    add_verdicts(page, task);
    for (size_t i = 0; i < task->board_count; i++) {
        snprintf(id, sizeof id, "times-%zu-%zu-%zu", assignment, number, i);
        add_board(page, id, &task->boards[i]);
    }
    add_mistakes(page, site, task);
    add_cases(page, "Cases that everybody fails", "No submission has ever passed them.", task->never_passed,
              task->never_passed_count);
    if (task->never_failed_count > 0)
        details_begin(page, "Cases that nobody fails");
    add_cases(page, "Cases that nobody fails", "Whoever came to them has passed them.", task->never_failed,
              task->never_failed_count);
    if (task->never_failed_count > 0)
        details_end(page);
    add_stuck(page, site, task);
}

static void add_assignment(Text *page, const Site *site, const AssignmentSummary *assignment, size_t number)
{
    char id[ID_BYTES];
    html_add(page, "<section aria-labelledby=\"assignment-%zu\">\n<h2 id=\"assignment-%zu\">%s</h2>\n", number, number,
             assignment->title);
    snprintf(id, sizeof id, "points-%zu", number);
    add_points(page, id, &assignment->points);
    add_nothing(page, site, assignment);
    for (size_t i = 0; i < assignment->task_count; i++)
        add_task(page, site, &assignment->tasks[i], number, i);
    html_raw(page, "</section>\n");
}

void summary_page(Text *page, const Site *site, const Summary *summary)
{
    page_begin(page, site, summary->title);
    html_add(page, "<p class=\"under\">Summary for the teacher, as of %s</p>\n", figure_moment(summary->time_utc).text);
    for (size_t i = 0; i < summary->assignment_count; i++)
        add_assignment(page, site, &summary->assignments[i], i);
    page_end(page, site);
}
