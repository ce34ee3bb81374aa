#include "service/pages/batch_pages.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHANGES = 1000, MOST_OMISSIONS = 500 };

static bool is_open(const BatchLine *batch)
{
    return strcmp(batch->state, "open") == 0;
}

/* "5 of 8 judged, 2 waiting, 1 under way" */
static void add_progress(Text *page, const BatchLine *batch)
{
    const struct {
        int64_t count;
        const char *words;
    } parts[] = {{batch->waiting, "waiting"},
                 {batch->judging, "under way"},
                 {batch->held, "held"},
                 {batch->cancelled, "given up"}};
    html_add(page, "%" PRId64 " of %" PRId64 " judged", batch->judged, batch->submissions);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            html_add(page, ", %" PRId64 " %s", parts[i].count, parts[i].words);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void add_form(Text *page, const char *const *problems, size_t count)
{
    html_raw(
        page,
        "<section aria-labelledby=\"begin\">\n<h2 id=\"begin\">Judge again</h2>\n<p class=\"prose\">What was handed "
        "in for the ranking of a problem is judged again, by the problem as it is now and while nothing fresh waits. "
        "Nothing that anybody sees changes until the batch is applied.</p>\n"
        "<form class=\"block\" method=\"post\" action=\"/admin/batches\">\n"
        "<div><label for=\"problem\">Problem</label><select id=\"problem\" name=\"problem\">\n");
    for (size_t i = 0; i < count; i++)
        html_add(page, "<option>%s</option>\n", problems[i]);
    html_raw(page,
             "</select></div>\n<div><label for=\"since\">Received since, in UTC, such as 2026-01-31T12:00:00Z; empty: "
             "all</label><input id=\"since\" name=\"since\" type=\"text\" autocomplete=\"off\"></div>\n"
             "<div><label for=\"why\">Why</label><input id=\"why\" name=\"why\" type=\"text\" required "
             "autocomplete=\"off\"></div>\n<button>Begin</button>\n</form>\n</section>\n");
}

void page_batches(Text *page, const Site *site, const BatchLine *batches, size_t count, const char *const *problems,
                  size_t problem_count)
{
    page_begin(page, site, "Rejudgings");
    if (count == 0)
        html_raw(page, "<p>Nothing has been judged again yet.</p>\n");
    else
        table_begin_wide(page, "Rejudgings, newest first", "Batch|Problem|State|How far|Why|-Begun");
    for (size_t i = 0; i < count; i++) {
        const BatchLine *batch = &batches[i];
        html_add(page, "<tr><th scope=\"row\"><a href=\"/admin/batches/%" PRId64 "\">%" PRId64 "</a></th><td>",
                 batch->number, batch->number);
        link_problem(page, site, batch->problem, batch->problem);
        html_add(page, "</td><td>%s</td><td>", batch->state);
        add_progress(page, batch);
        html_add(page, "</td><td>%s</td><td class=\"spare nowrap\">%s</td></tr>\n", batch->reason,
                 figure_moment(batch->created).text);
    }
    if (count > 0)
        table_end(page);
    add_form(page, problems, problem_count);
    page_end(page, site);
}

/* ---- one --------------------------------------------------------------------------------------------------------- */

static void add_verdicts(Text *page, const BatchChange *change)
{
    html_raw(page, "<td>");
    if (change->before.verdict[0] != '\0')
        verdict_mark(page, change->before.verdict);
    html_raw(page, "</td><td>");
    if (change->after.verdict[0] != '\0')
        verdict_mark(page, change->after.verdict);
    html_raw(page, "</td>");
}

static void add_time(Text *page, MeasuredTime time, const char *words)
{
    html_add(page, "<td class=\"number\">%s%s</td>", time.ms > 0 ? figure_measured(time).text : "", words);
}

static void add_rank(Text *page, size_t rank)
{
    if (rank == 0)
        html_raw(page, "<td class=\"number\"></td>");
    else
        html_add(page, "<td class=\"number\">%zu</td>", rank);
}

static void add_change(Text *page, const Site *site, const BatchChange *change)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, change->submission);
    html_raw(page, "<tr><th scope=\"row\">");
    link_submission(page, site, change->submission, number);
    html_raw(page, "</th><td>");
    link_person(page, site, change->person);
    html_raw(page, "</td>");
    add_verdicts(page, change);
    add_time(page, change->before.time, "");
    add_time(page, change->after.time, change->is_noise ? " (noise)" : "");
    add_rank(page, change->before.rank);
    add_rank(page, change->after.rank);
    html_raw(page, "</tr>\n");
}

static void add_changes(Text *page, const Site *site, const BatchPage *batch)
{
    const int64_t same = batch->line.judged - (int64_t)batch->change_count;
    html_add(
        page,
        "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">%s</h2>\n<p>%zu of the judged submissions change, "
        "%" PRId64 " stay as they are.</p>\n",
        is_open(&batch->line) ? "What it would change" : "What it found", batch->change_count, same);
    if (batch->change_count > 0)
        table_begin_wide(page, "Changes", "No.|Who|Verdict|becomes|>Time|>becomes|>Rank|>then");
    for (size_t i = 0; i < batch->change_count && i < MOST_CHANGES; i++)
        add_change(page, site, &batch->changes[i]);
    if (batch->change_count > 0)
        table_end(page);
    if (batch->change_count > MOST_CHANGES)
        html_add(page, "<p class=\"note\">%zu more are not shown; <code>convjudge rejudge</code> lists all.</p>\n",
                 batch->change_count - MOST_CHANGES);
    html_raw(page, "</section>\n");
}

static void add_omissions(Text *page, const Site *site, const BatchPage *batch)
{
    if (batch->omission_count == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"omissions\">\n<h2 id=\"omissions\">Not judged again</h2>\n");
    table_begin(page, "Not judged again", "No.|Why");
    for (size_t i = 0; i < batch->omission_count && i < MOST_OMISSIONS; i++) {
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, batch->omissions[i].submission);
        html_raw(page, "<tr><th scope=\"row\">");
        link_submission(page, site, batch->omissions[i].submission, number);
        html_add(page, "</th><td>%s</td></tr>\n", batch->omissions[i].why);
    }
    table_end(page);
    if (batch->omission_count > MOST_OMISSIONS)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", batch->omission_count - MOST_OMISSIONS);
    html_raw(page, "</section>\n");
}

static void add_decision(Text *page, const BatchLine *batch)
{
    html_add(page,
             "<section aria-labelledby=\"decide\">\n<h2 id=\"decide\">Decide</h2>\n<p class=\"prose\">Applied, all of "
             "it counts at once, and what it replaces is retracted. Dropped, nothing has changed.</p>\n"
             "<div class=\"buttons\"><form method=\"post\" action=\"/admin/batches/%" PRId64
             "/apply\"><button>Apply it</button></form> <form method=\"post\" action=\"/admin/batches/%" PRId64
             "/drop\"><button class=\"plain\">Drop it</button></form></div>\n</section>\n",
             batch->number, batch->number);
}

void page_batch(Text *page, const Site *site, const BatchPage *batch)
{
    char title[48];
    snprintf(title, sizeof title, "Rejudging %" PRId64, batch->line.number);
    page_begin(page, site, title);
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, batch->line.problem, batch->line.problem);
    html_add(page, ": %s</p>\n<dl class=\"facts\">\n", batch->line.reason);
    fact(page, "State", batch->line.state);
    fact(page, "Begun", figure_moment(batch->line.created).text);
    html_raw(page, "<div><dt>How far</dt><dd>");
    add_progress(page, &batch->line);
    html_raw(page, "</dd></div>\n</dl>\n");
    html_add(page, "<p class=\"note\">Revision of the problem: <code>%.*s</code></p>\n", 16, batch->revision);
    add_changes(page, site, batch);
    if (is_open(&batch->line))
        add_decision(page, &batch->line);
    add_omissions(page, site, batch);
    html_raw(page, "<p><a href=\"/admin/batches\">All rejudgings</a></p>\n");
    page_end(page, site);
}
