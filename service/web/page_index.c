/* page_index.c - the first page, and the two that stand in the way of others: logging in, and what went wrong.  */
#include "service/web/board_plots.h"
#include "service/web/source_view.h"
#include "service/web/html.h"
#include "service/web/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== page person ================================================================================================= */

/* ---- times over the weeks ---------------------------------------------------------------------------------------- */

/* The timed submissions of the problem of rows[first] on its device, oldest first; 0 if an earlier row began the same list. */
static size_t history_of(const PersonPage *person, size_t first, BestTime *times)
{
    size_t count = 0;
    const SubmissionLine *rows = person->rows;
    for (size_t i = person->row_count; i-- > 0;) {
        bool belongs = rows[i].time.ms > 0 && rows[i].device != NULL && rows[first].device != NULL &&
                       strcmp(rows[i].problem, rows[first].problem) == 0 &&
                       strcmp(rows[i].device, rows[first].device) == 0;
        if (belongs && i < first)
            return 0;
        if (belongs && rows[i].received != NULL)
            times[count++] = (BestTime){
                .time_utc = rows[i].received, .person = rows[i].file_name, .time = rows[i].time};
    }
    return count;
}

static void add_histories(Text *page, const PersonPage *person)
{
    enum { MOST = 12 };
    BestTime *times = calloc(person->row_count + 1, sizeof *times);
    int shown = 0;
    html_raw(page, "<div class=\"plots\">\n");
    for (size_t i = 0; times != NULL && i < person->row_count && shown < MOST; i++) {
        Text id = {0}, title = {0};
        size_t count = person->rows[i].time.ms > 0 ? history_of(person, i, times) : 0;
        text_printf(&id, "history-%zu", i);
        text_printf(&title, "%s on %s%s", person->rows[i].problem,
                    person->rows[i].device == NULL ? "" : person->rows[i].device,
                    device_models_times(person->rows[i].device) ? ", modelled times" : "");
        if (count >= 2)
            plot_history(page, id.data, title.data, "File", times, count);
        shown += count >= 2;
        text_free(&id);
        text_free(&title);
    }
    html_raw(page, "</div>\n");
    free(times);
}

/* ---- choosing two ------------------------------------------------------------------------------------------------ */

static void add_choice(Text *page, const PersonPage *person, const char *name, const char *label, int64_t chosen)
{
    enum { MOST = 200 };
    html_add(page, "<div><label for=\"%s\">%s</label><select id=\"%s\" name=\"%s\">\n", name, label, name, name);
    for (size_t i = 0; i < person->row_count && i < MOST; i++) {
        const SubmissionLine *row = &person->rows[i];
        html_add(page, "<option value=\"%" PRId64 "\"", row->number);
        html_raw(page, row->number == chosen ? " selected>" : ">");
        html_add(page, "%" PRId64 ": %s, %s</option>\n", row->number, row->problem, row->file_name);
    }
    html_raw(page, "</select></div>\n");
}

static void add_chooser(Text *page, const PersonPage *person)
{
    int64_t before = person->before != NULL ? person->before->row.number : person->rows[1].number;
    int64_t after = person->after != NULL ? person->after->row.number : person->rows[0].number;
    html_raw(
        page,
        "<section aria-labelledby=\"compare\">\n<h2 id=\"compare\">Compare two</h2>\n<form class=\"block\" method=\"get\" "
        "action=\"#changes\">\n");
    add_choice(page, person, "before", "Before", before);
    add_choice(page, person, "after", "After", after);
    html_raw(page, "<button>Compare</button>\n</form>\n</section>\n");
}

/* ---- the pseudonym ----------------------------------------------------------------------------------------------- */

static void add_pseudonym(Text *page, const PersonPage *person)
{
    html_raw(page, "<section aria-labelledby=\"name\">\n<h2 id=\"name\">Your name on boards</h2>\n<p class=\"prose\">"
                   "Others see your pseudonym, if you have one; teachers see both. Leave it empty to go by your own "
                   "name.</p>\n<form class=\"block\" method=\"post\" action=\"/people/");
    html_url_part(page, person->person);
    html_add(page,
             "/pseudonym\">\n<div><label for=\"pseudonym\">Pseudonym</label><input id=\"pseudonym\" name=\"pseudonym\" "
             "type=\"text\" value=\"%s\" autocomplete=\"off\"></div>\n<button>Keep it</button>\n</form>\n</section>\n",
             person->pseudonym);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void add_points(Text *page, const Site *site, const PersonPage *person)
{
    if (person->result_count == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"points\">\n<h2 id=\"points\">Points</h2>\n");
    for (size_t i = 0; i < person->result_count; i++) {
        const AssignmentResult *result = &person->results[i];
        html_add(page, "<h3>%s: %g of %g%s</h3>\n", result->title, result->points, result->most,
                 result->is_final ? "" : ", not final");
        table_begin_wide(page, result->title, "Problem|>Points|Why");
        for (size_t k = 0; k < result->problem_count; k++) {
            const ProblemResult *problem = &result->problems[k];
            html_raw(page, "<tr><th scope=\"row\">");
            link_problem(page, site, problem->problem, problem->problem);
            html_add(page, "</th><td class=\"number\">%g of %g</td><td>%s</td></tr>\n", problem->points, problem->most,
                     problem->reason);
        }
        table_end(page);
    }
    html_raw(page, "</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

void page_person(Text *page, const Site *site, const PersonPage *person)
{
    bool is_reader = site->person != NULL && strcmp(site->person, person->person) == 0;
    page_begin(page, site, person->person);
    html_add(page, "<p class=\"under\">%s</p>\n",
             is_reader ? "Your submissions, newest first" : "Submissions, newest first");
    if (person->row_count == 0)
        html_raw(page, "<p>None yet.</p>\n");
    else
        submission_list(page, site, "Submissions", false, person->rows, person->row_count);
    add_points(page, site, person);
    if (person->row_count > 0)
        add_histories(page, person);
    if (person->row_count >= 2)
        add_chooser(page, person);
    if (person->before != NULL && person->after != NULL)
        comparison(page, site, person->before, person->after);
    if (person->pseudonym != NULL)
        add_pseudonym(page, person);
    page_end(page, site);
}

/* ==== page index ================================================================================================== */

static void add_problem(Text *page, const Site *site, const ProblemRow *row, bool has_verdicts)
{
    html_raw(page, "<tr><th scope=\"row\">");
    link_problem(page, site, row->id, row->title);
    html_add(page, "<span class=\"more quiet\">%s, %s</span></th>", row->id, row->difficulty);
    if (has_verdicts) {
        html_raw(page, "<td>");
        if (row->verdict != NULL)
            verdict_mark(page, row->verdict);
        html_raw(page, "</td>");
    }
    html_add(page, "<td class=\"number spare\">%zu</td>", row->people);
    time_cell(page, row->best, row->best_device);
    html_add(page, "<td class=\"spare\">%s</td></tr>\n", row->best_name == NULL ? "" : row->best_name);
}

static void add_assignments(Text *page, const Site *site, const IndexPage *index)
{
    if (index->assignment_count == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"assignments\">\n<h2 id=\"assignments\">Assignments</h2>\n");
    table_begin_wide(page, "Assignments", "Assignment|Problems|Until when");
    for (size_t i = 0; i < index->assignment_count; i++) {
        const AssignmentLine *line = &index->assignments[i];
        html_add(page, "<tr><th scope=\"row\">%s</th><td>", line->title);
        for (const char *const *problem = line->problems; *problem != NULL; problem++) {
            html_raw(page, problem == line->problems ? "" : ", ");
            link_problem(page, site, *problem, *problem);
        }
        html_add(page, "</td><td>%s</td></tr>\n", line->outlook);
    }
    table_end(page);
    html_raw(page, "</section>\n");
}

void page_index(Text *page, const Site *site, const IndexPage *index)
{
    bool has_verdicts = site->person != NULL;
    page_begin(page, site, site->is_static ? "Leaderboard" : "Problems");
    table_begin_wide(page, "Problems",
                     has_verdicts ? "Problem|Your verdict|>-People|>Best time|-Whose"
                                  : "Problem|>-People|>Best time|-Whose");
    for (size_t i = 0; i < index->problem_count; i++)
        add_problem(page, site, &index->problems[i], has_verdicts);
    table_end(page);
    add_assignments(page, site, index);
    if (index->recent_count > 0) {
        html_add(page, "<section aria-labelledby=\"recent\">\n<h2 id=\"recent\">%s</h2>\n",
                 site->is_static ? "Submissions that rank" : "Your latest submissions");
        submission_list(page, site, "Submissions", site->is_static, index->recent, index->recent_count);
        html_raw(page, "</section>\n");
    }
    page_end(page, site);
}
