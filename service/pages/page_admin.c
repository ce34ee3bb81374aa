#include "service/pages/pages.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

#include <inttypes.h>
#include <stdio.h>

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
