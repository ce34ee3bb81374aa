/* page_index.c - the first page, and the two that stand in the way of others: logging in, and what went wrong.  */
#include "service/pages/pages.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

#include <stdio.h>

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

void page_login(Text *page, const Site *site, const char *complaint, const char *next)
{
    page_begin(page, site, "Log in");
    if (complaint != NULL)
        html_add(page, "<p class=\"complaint\" id=\"complaint\" role=\"alert\">%s</p>\n", complaint);
    html_raw(page, "<p class=\"prose\">Your token is the long text that your teacher gave you.</p>\n"
                   "<form class=\"block\" method=\"post\" action=\"/login\">\n");
    if (next != NULL)
        html_add(page, "<input type=\"hidden\" name=\"next\" value=\"%s\">\n", next);
    html_raw(page,
             "<div><label for=\"token\">Token</label><input id=\"token\" name=\"token\" type=\"password\" required "
             "autocomplete=\"current-password\"");
    html_raw(page, complaint != NULL ? " aria-describedby=\"complaint\" aria-invalid=\"true\"></div>\n" : "></div>\n");
    html_raw(page, "<button>Log in</button>\n</form>\n");
    page_end(page, site);
}

void page_error(Text *page, const Site *site, int status, const char *text)
{
    const char *title = "This cannot be done";
    switch (status) {
    case 401: title = "Who are you?"; break;
    case 403: title = "Not for you"; break;
    case 404: title = "There is no such page"; break;
    case 413: title = "Too large"; break;
    case 429: title = "Too many at once"; break;
    case 500:
    case 503: title = "The judge cannot answer now"; break;
    default: break;
    }
    page_begin(page, site, title);
    html_add(page, "<p>%s</p>\n<p><a href=\"%s\">All problems</a></p>\n", text, site->is_static ? "index.html" : "/");
    page_end(page, site);
}
