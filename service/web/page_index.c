/* page_index.c - the first page, and the two that stand in the way of others: logging in, and what went wrong.  */
#include "service/web/board_plots.h"
#include "service/web/source_view.h"
#include "service/web/html.h"
#include "service/web/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== page admin ================================================================================================== */

static void begin_section(Text *page, const char *id, const char *title)
{
    html_add(page, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, title);
}

/* "12", or nothing. */
static void add_submission(Text *page, const Site *site, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    if (number > 0)
        link_submission(page, site, number, text);
}

static void add_queue(Text *page, const Site *site, const AdminPage *admin)
{
    begin_section(page, "queue", "Queue");
    if (admin->queue_count == 0)
        html_raw(page, "<p>Nothing waits.</p>\n");
    else
        submission_list(page, site, "Queue, in the order of judging", true, admin->queue, admin->queue_count);
    html_raw(page, "</section>\n");
}

/* What the judge failed at twice. */
static void add_held(Text *page, const Site *site, const AdminPage *admin)
{
    if (admin->held_count == 0)
        return;
    begin_section(page, "held", "Held");
    html_raw(page,
             "<p class=\"prose\">The judge failed at these twice; why stands below. Once that is mended, let them be "
             "judged again.</p>\n");
    table_begin_wide(page, "Held", "No.|Problem|Who|-Received|What to do");
    for (size_t i = 0; i < admin->held_count; i++) {
        const SubmissionLine *row = &admin->held[i];
        html_raw(page, "<tr><th scope=\"row\">");
        add_submission(page, site, row->number);
        html_raw(page, "</th><td>");
        link_problem(page, site, row->problem, row->problem);
        html_raw(page, "</td><td>");
        link_person(page, site, row->person);
        html_add(page,
                 "</td><td class=\"spare nowrap\">%s</td><td><form method=\"post\" action=\"/submissions/%" PRId64
                 "/release\"><button class=\"plain\">Judge it again</button></form></td></tr>\n",
                 figure_moment(row->received).text, row->number);
    }
    table_end(page);
    html_raw(page, "</section>\n");
}

static void add_undrain(Text *page, const struct AdminWorker *worker)
{
    html_add(page, "<span class=\"more\">%s</span><form method=\"post\" action=\"/admin/workers/", worker->drained);
    html_url_part(page, worker->name);
    html_raw(page, "/undrain\"><button class=\"plain\">Give it work again</button></form>");
}

static void add_workers(Text *page, const Site *site, const AdminPage *admin)
{
    begin_section(page, "devices", "Workers and devices");
    if (admin->pilots != NULL)
        html_add(page, "<p>Pilots in Slurm: %" PRId64 " running, %" PRId64 " waiting to start. %s</p>\n",
                 admin->pilots->running, admin->pilots->pending, admin->pilots->trouble);
    if (admin->lacks_workers)
        html_raw(page, "<p>Submissions wait, and no worker is there to judge them.</p>\n");
    if (admin->worker_count == 0)
        html_raw(page, "<p>No worker has reported.</p>\n");
    else
        table_begin_wide(page, "Workers", "Worker|Device|State|-Since|Submission|>-Judged|>Failed");
    for (size_t i = 0; i < admin->worker_count; i++) {
        const struct AdminWorker *worker = &admin->workers[i];
        html_add(page, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s", worker->name,
                 worker->device == NULL ? "" : worker->device, worker->state);
        if (worker->drained != NULL)
            add_undrain(page, worker);
        html_add(page, "</td><td class=\"spare nowrap\">%s</td><td>",
                 worker->since == NULL ? "" : figure_moment(worker->since).text);
        add_submission(page, site, worker->judging);
        html_add(page, "</td><td class=\"number spare\">%" PRId64 "</td><td class=\"number\">%" PRId64 "</td></tr>\n",
                 worker->judged, worker->failed);
    }
    if (admin->worker_count > 0)
        table_end(page);
    html_raw(page, "</section>\n");
}

static void add_disks(Text *page, const AdminPage *admin)
{
    begin_section(page, "disk", "Disk");
    table_begin_wide(page, "Disks", "What|Path|>Used by it|>Free");
    for (size_t i = 0; i < admin->disk_count; i++)
        html_add(page,
                 "<tr><th scope=\"row\">%s</th><td><code>%s</code></td><td class=\"number\">%s</td><td "
                 "class=\"number\">%s</td></tr>\n",
                 admin->disks[i].name, admin->disks[i].path, figure_bytes((double)admin->disks[i].used_bytes).text,
                 figure_bytes((double)admin->disks[i].free_bytes).text);
    table_end(page);
    html_raw(page, "</section>\n");
}

static void add_failures(Text *page, const Site *site, const AdminPage *admin)
{
    begin_section(page, "failures", "Failures");
    if (admin->failure_count == 0)
        html_raw(page, "<p>None.</p>\n");
    else
        table_begin_wide(page, "Failures, newest first", "When|What|Worker|Submission");
    for (size_t i = 0; i < admin->failure_count; i++) {
        const struct AdminFailure *failure = &admin->failures[i];
        html_add(page, "<tr><th scope=\"row\" class=\"nowrap\">%s</th><td>%s</td><td>%s</td><td>",
                 figure_moment(failure->time_utc).text, failure->what, failure->worker == NULL ? "" : failure->worker);
        add_submission(page, site, failure->submission);
        html_raw(page, "</td></tr>\n");
    }
    if (admin->failure_count > 0)
        table_end(page);
    html_raw(page, "</section>\n");
}

void page_admin(Text *page, const Site *site, const AdminPage *admin)
{
    page_begin(page, site, "Operation");
    html_raw(page, "<nav aria-label=\"Of the operation\"><ul class=\"links\">\n<li><a "
                   "href=\"/admin/batches\">Rejudgings</a></li>\n</ul></nav>\n");
    add_held(page, site, admin);
    add_queue(page, site, admin);
    add_workers(page, site, admin);
    add_disks(page, admin);
    add_failures(page, site, admin);
    page_end(page, site);
}

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

/* ==== page batches ================================================================================================ */

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
    page_fact(page, "State", batch->line.state);
    page_fact(page, "Begun", figure_moment(batch->line.created).text);
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
