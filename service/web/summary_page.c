#include "service/web/summary_page.h"

#include "base/svg.h"
#include "service/web/board_plots.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <stdio.h>

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

static void put_points(cJSON *assignment, size_t number, const PointsSummary *points)
{
    const double width = (RIGHT - LEFT) / (double)(points->bin_count == 0 ? 1 : points->bin_count);
    char id[80];
    Text plot = {0};
    if (points->count == 0) {
        cJSON_AddNullToObject(assignment, "points");
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(assignment, "points"), *bins = cJSON_AddArrayToObject(object, "bins");
    values_put(object, "count=%zu most=%.6g mean=%.3g median=%.6g lowest=%.6g highest=%.6g", points->count,
               points->most, points->mean, points->median, points->lowest, points->highest);
    for (size_t i = 0; i < points->bin_count; i++)
        values_put(values_row(bins), "from=%.6g to=%.6g is_last=%d count=%zu", (double)i * points->width,
                   (double)(i + 1) * points->width, i + 1 == points->bin_count, points->bins[i]);
    snprintf(id, sizeof id, "points-%zu", number);
    svg_begin(&plot, id, TOP + HEIGHT + 24, "Points",
              "How many people have how many points. The table below has the numbers.");
    add_bars(&plot, points, width);
    add_axis(&plot, points, width);
    svg_end(&plot);
    values_markup(object, "plot", &plot);
}

/* ---- a problem --------------------------------------------------------------------------------------------------- */

/* The length of a bar, in percent. */
static double width_of(size_t count, size_t most)
{
    return most == 0 ? 0 : 100 * (double)count / (double)most;
}

static void put_board(cJSON *row, const char *id, const TaskBoard *board)
{
    const BoardPage plotted = {.device = board->device,
                               .modelled = board->is_modelled,
                               .standings = board->people,
                               .standing_count = board->people_count,
                               .references = board->references,
                               .reference_count = board->reference_count};
    cJSON *references = cJSON_AddArrayToObject(row, "references");
    Text plot = {0};
    plot_times(&plot, id, &plotted, (MeasuredTime){0});
    values_markup(row, "plot", &plot);
    values_put(row, "device=%s is_modelled=%d", board->device, board->is_modelled);
    for (size_t i = 0; i < board->reference_count; i++) {
        cJSON *reference = values_row(references);
        values_put(reference, "name=%s reached=%zu of=%zu width=%.1f", board->references[i].name, board->reached[i],
                   board->people_count, width_of(board->reached[i], board->people_count));
        values_time(reference, board->references[i].time);
    }
}

static void put_example(cJSON *row, const Site *site, const MistakeExample *example)
{
    values_put(row, "person=%s file_name=%s submission=%" PRId64 " line=%ld line_text=%s is_linked=%d", example->person,
               example->file_name, example->submission, example->line, example->line_text,
               !site->is_static && example->submission != 0);
}

static void put_mistakes(cJSON *list, const Site *site, const TaskSummary *task)
{
    for (size_t i = 0; i < task->mistake_count; i++) {
        const MistakeCount *mistake = &task->mistakes[i];
        cJSON *row = values_row(list), *examples = cJSON_AddArrayToObject(row, "examples");
        values_put(row, "verdict=%s kind=%s people=%zu submissions=%zu", mistake->verdict, mistake->kind,
                   mistake->people, mistake->submissions);
        for (size_t k = 0; k < mistake->example_count; k++)
            put_example(values_row(examples), site, &mistake->examples[k]);
    }
}

static void put_cases(cJSON *list, const CaseCount *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list), "name=%s count=%zu", cases[i].name, cases[i].people);
}

static void put_stuck(cJSON *list, const Site *site, const TaskSummary *task)
{
    for (size_t i = 0; i < task->stuck_count; i++) {
        const StuckPerson *stuck = &task->stuck[i];
        cJSON *row = values_row(list);
        values_put(row, "person=%s verdict=%s kind=%s submissions=%zu since_utc=%s last_utc=%s", stuck->person,
                   stuck->verdict, stuck->kind, stuck->submissions, stuck->since_utc, stuck->last_utc);
        put_example(cJSON_AddObjectToObject(row, "example"), site, &stuck->example);
    }
}

static void put_task(cJSON *row, const Site *site, const TaskSummary *task, size_t assignment, size_t number)
{
    cJSON *verdicts = cJSON_AddArrayToObject(row, "verdicts"), *boards = cJSON_AddArrayToObject(row, "boards");
    values_put(row, "title=%s problem=%s count=%zu submissions=%zu solved=%zu least=%d", task->task->problem_title,
               task->task->problem, task->people, task->submissions, task->solved, STUCK_LEAST);
    for (size_t i = 0; i < task->verdict_count; i++) {
        const VerdictCount *count = &task->verdicts[i];
        values_put(values_row(verdicts), "verdict=%s submissions=%zu people=%zu width=%.1f",
                   count->verdict[0] == '\0' ? "waiting" : count->verdict, count->submissions, count->people,
                   width_of(count->people, task->people));
    }
    for (size_t i = 0; i < task->board_count; i++) {
        char id[80];
        snprintf(id, sizeof id, "times-%zu-%zu-%zu", assignment, number, i);
        put_board(values_row(boards), id, &task->boards[i]);
    }
    put_mistakes(cJSON_AddArrayToObject(row, "mistakes"), site, task);
    put_cases(cJSON_AddArrayToObject(row, "never_passed"), task->never_passed, task->never_passed_count);
    put_cases(cJSON_AddArrayToObject(row, "never_failed"), task->never_failed, task->never_failed_count);
    put_stuck(cJSON_AddArrayToObject(row, "stuck"), site, task);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_assignment(cJSON *row, const Site *site, const Summary *summary, size_t number)
{
    enum { MANY = 100 };
    const AssignmentSummary *assignment = &summary->assignments[number];
    cJSON *refused = cJSON_AddArrayToObject(row, "refused"), *tasks = cJSON_AddArrayToObject(row, "tasks");
    values_put(row, "number=%zu title=%s expected=%zu has_many_names=%d", number, assignment->title,
               assignment->expected, assignment->nothing_count > MANY);
    put_points(row, number, &assignment->points);
    cJSON_AddItemToObject(row, "nothing", cJSON_CreateStringArray(assignment->nothing, (int)assignment->nothing_count));
    for (size_t i = 0; i < assignment->refused_count; i++)
        values_put(values_row(refused), "person=%s why=%s", summary->people[assignment->refused[i]->person],
                   assignment->refused[i]->refused);
    for (size_t i = 0; i < assignment->task_count; i++)
        put_task(values_row(tasks), site, &assignment->tasks[i], number, i);
}

cJSON *summary_values(const Site *site, const Summary *summary)
{
    cJSON *values = cJSON_CreateObject(), *assignments = cJSON_AddArrayToObject(values, "assignments");
    values_put(values, "class=%s time_utc=%s", summary->title, summary->time_utc);
    for (size_t i = 0; i < summary->assignment_count; i++)
        put_assignment(values_row(assignments), site, summary, i);
    return values;
}

void summary_page(Text *page, const Site *site, const Summary *summary)
{
    site_show(page, site, "summary", summary_values(site, summary));
}
