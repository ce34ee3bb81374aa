#include "grader/terminal/terminal.h"
#include "service/web/html.h"
#include "service/web/parts.h"
#include "service/web/source_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== page teacher ================================================================================================ */

/* ---- who solved what --------------------------------------------------------------------------------------------- */

static const TeacherCell *cell_of(const TeacherPage *teacher, size_t person, size_t problem)
{
    return &teacher->cells[person * teacher->problem_count + problem];
}

/* Few bytes: there are as many cells as people times problems. */
static void add_class_cell(Text *page, const Site *site, const TeacherCell *cell)
{
    char text[48];
    if (cell->tries == 0) {
        html_raw(page, "<td></td>");
        return;
    }
    snprintf(text, sizeof text, "%s\u00A0%" PRId64, cell->is_solved ? "✓" : "✗", cell->tries);
    html_raw(page, cell->is_solved ? "<td class=\"solved\">" : "<td class=\"unsolved\">");
    link_submission(page, site, cell->submission, text);
    html_raw(page, "</td>");
}

static void add_matrix(Text *page, const Site *site, const TeacherPage *teacher)
{
    Text columns = {0};
    html_raw(page, "<section aria-labelledby=\"solved\">\n<h2 id=\"solved\">Who solved what</h2>\n");
    html_raw(
        page,
        "<p class=\"note\">✓ solved, ✗ not yet; the number counts the tries. A link leads to the best or else the newest "
        "one.</p>\n");
    text_add(&columns, "Who");
    for (size_t k = 0; k < teacher->problem_count; k++)
        text_printf(&columns, "|%s", teacher->problems[k]);
    table_begin(page, "Who solved what", columns.data);
    for (size_t i = 0; i < teacher->people_count; i++) {
        html_raw(page, "<tr><th scope=\"row\" class=\"who\">");
        link_person(page, site, teacher->people[i]);
        html_raw(page, "</th>");
        for (size_t k = 0; k < teacher->problem_count; k++)
            add_class_cell(page, site, cell_of(teacher, i, k));
        html_raw(page, "</tr>\n");
    }
    html_add(page, "<tr class=\"you\"><th scope=\"row\">Solved, of %zu</th>", teacher->people_count);
    for (size_t k = 0; k < teacher->problem_count; k++) {
        size_t solved = 0;
        for (size_t i = 0; i < teacher->people_count; i++)
            solved += cell_of(teacher, i, k)->is_solved;
        html_add(page, "<td>%zu</td>", solved);
    }
    html_raw(page, "</tr>\n");
    table_end(page);
    html_raw(page, "</section>\n");
    text_free(&columns);
}

/* Who has tried and not solved, where people are stuck. */
static void add_stuck(Text *page, const Site *site, const TeacherPage *teacher)
{
    enum { MOST = 150 };
    size_t count = 0;
    html_raw(page, "<section aria-labelledby=\"stuck\">\n<h2 id=\"stuck\">Who is stuck where</h2>\n");
    for (size_t i = 0; i < teacher->people_count; i++)
        for (size_t k = 0; k < teacher->problem_count; k++) {
            const TeacherCell *cell = cell_of(teacher, i, k);
            if (cell->tries == 0 || cell->is_solved || ++count > MOST)
                continue;
            if (count == 1)
                table_begin(page, "Who is stuck where", "Who|Problem|>Tries|Latest|-First try");
            html_raw(page, "<tr><th scope=\"row\">");
            link_person(page, site, teacher->people[i]);
            html_raw(page, "</th><td>");
            link_problem(page, site, teacher->problems[k], teacher->problems[k]);
            html_add(page, "</td><td class=\"number\">%" PRId64 "</td><td>", cell->tries);
            verdict_mark(page, cell->verdict == NULL ? "" : cell->verdict);
            html_add(page, "</td><td class=\"spare nowrap\">%s</td></tr>\n",
                     cell->since == NULL ? "" : figure_moment(cell->since).text);
        }
    if (count > 0)
        table_end(page);
    else
        html_raw(page, "<p>Nobody.</p>\n");
    if (count > MOST)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", count - MOST);
    html_raw(page, "</section>\n");
}

/* ---- quarantine -------------------------------------------------------------------------------------------------- */

static void add_decision(Text *page, const QuarantinedRun *run)
{
    int64_t number = run->row.number;
    html_add(page,
             "<form class=\"block\" method=\"post\" action=\"/submissions/%" PRId64 "/ruling\">\n<div><label "
             "for=\"why-%" PRId64 "\">Why</label><input id=\"why-%" PRId64
             "\" name=\"why\" type=\"text\" required></div>\n"
             "<div class=\"buttons\"><button name=\"ruling\" value=\"accept\">Accept: it ranks</button> <button "
             "name=\"ruling\" value=\"reject\">Reject: it stays hidden</button></div>\n</form>\n",
             number, number, number);
}

static void add_quarantined(Text *page, const Site *site, const QuarantinedRun *run)
{
    char title[48];
    snprintf(title, sizeof title, "Submission %" PRId64, run->row.number);
    html_raw(page, "<h3>");
    link_submission(page, site, run->row.number, title);
    html_add(page, " by %s, %s</h3>\n<p>%s</p>\n<dl class=\"facts\">\n", run->row.person, run->row.problem,
             run->rank_status == NULL ? "" : run->rank_status);
    page_fact(page, device_models_times(run->row.device) ? "Time (modelled)" : "Time",
              figure_measured(run->row.time).text);
    page_fact(page, "Device", run->row.device);
    if (run->second_ms > 0)
        page_fact(page, "Timed again", figure_time(run->second_ms).text);
    if (run->known_ms > 0) {
        page_fact(page, "Best known before", figure_time(run->known_ms).text);
        page_fact(page, "Whose", run->known == NULL ? "" : run->known);
        page_fact(page, "Times as fast", quantity_ratio(run->known_ms / run->row.time.ms).text);
    }
    html_raw(page, "</dl>\n");
    add_decision(page, run);
}

static void add_quarantine(Text *page, const Site *site, const TeacherPage *teacher)
{
    html_raw(page, "<section aria-labelledby=\"quarantine\">\n<h2 id=\"quarantine\">Quarantine</h2>\n");
    if (teacher->quarantine_count == 0)
        html_raw(page, "<p>Nothing waits for a decision.</p>\n");
    for (size_t i = 0; i < teacher->quarantine_count; i++)
        add_quarantined(page, site, &teacher->quarantine[i]);
    html_raw(page, "</section>\n");
}

/* ---- similar pairs ----------------------------------------------------------------------------------------------- */

static void add_program(Text *page, const Site *site, int64_t submission, const char *name)
{
    if (submission > 0)
        link_submission(page, site, submission, name);
    else
        html_text(page, name);
}

static void add_share(Text *page, double share)
{
    html_add(page, "<td class=\"number\">%s</td>", share < 0 ? "" : figure_percent(share).text);
}

static void add_pair_link(Text *page, const SimilarRow *pair)
{
    if (pair->key == NULL || *pair->key == '\0')
        return;
    html_raw(page, "<span class=\"more\"><a href=\"/teacher/similar/");
    html_url_part(page, pair->problem);
    html_raw(page, "?pair=");
    html_url_part(page, pair->key);
    html_add(page, "\">side by side<span class=\"unseen\">: %s and %s</span></a></span>", pair->a, pair->b);
}

static void add_similar(Text *page, const Site *site, const TeacherPage *teacher)
{
    if (teacher->similar_time == NULL)
        return;
    html_add(
        page,
        "<section aria-labelledby=\"similar\">\n<h2 id=\"similar\">Similar pairs</h2>\n<p class=\"note\">As of %s.</p>\n",
        figure_moment(teacher->similar_time).text);
    if (teacher->similar_count == 0)
        html_raw(page, "<p>None.</p>\n");
    else
        table_begin(page, "Similar pairs", "Problem|One|Other|>Source|>Device code|Machine code");
    for (size_t i = 0; i < teacher->similar_count; i++) {
        const SimilarRow *pair = &teacher->similar[i];
        html_add(page, "<tr><th scope=\"row\">%s", pair->problem);
        add_pair_link(page, pair);
        html_raw(page, "</th><td>");
        add_program(page, site, pair->run_a, pair->a);
        html_raw(page, "</td><td>");
        add_program(page, site, pair->run_b, pair->b);
        html_raw(page, "</td>");
        add_share(page, pair->source);
        add_share(page, pair->device_code);
        html_raw(page, pair->same_machine_code ? "<td>the same</td>" : "<td></td>");
        html_raw(page, "</tr>\n");
    }
    if (teacher->similar_count > 0)
        table_end(page);
    html_raw(page, "</section>\n");
}

/* ---- groups and tokens ------------------------------------------------------------------------------------------- */

static void add_form(Text *page, const char *action, const char *id, const char *label, const char *button)
{
    html_add(page,
             "<form class=\"block\" method=\"post\" action=\"%s\">\n<div><label for=\"%s\">%s</label><input id=\"%s\" "
             "name=\"name\" type=\"text\" required autocomplete=\"off\"></div>\n<button>%s</button>\n</form>\n",
             action, id, label, id, button);
}

static void add_groups(Text *page, const TeacherPage *teacher)
{
    html_raw(
        page,
        "<section aria-labelledby=\"groups\">\n<h2 id=\"groups\">Groups</h2>\n<p class=\"prose\">Boards can be "
        "filtered by group. Whoever has logged in, opens the link of a group and joins is in it; so is whom class.json lists there.</p>\n");
    if (teacher->group_count > 0)
        table_begin(page, "Groups", "Group|>Members");
    for (size_t i = 0; i < teacher->group_count; i++)
        html_add(page, "<tr><th scope=\"row\">%s</th><td class=\"number\">%" PRId64 "</td></tr>\n",
                 teacher->groups[i].name, teacher->groups[i].members);
    if (teacher->group_count > 0)
        table_end(page);
    add_form(page, "/teacher/groups", "group", "Name of a new group", "Make the group");
    html_raw(page, "</section>\n");
}

static void add_tokens(Text *page)
{
    html_raw(page,
             "<section aria-labelledby=\"tokens\">\n<h2 id=\"tokens\">Tokens</h2>\n<p class=\"prose\">With a token, a "
             "student logs in here and hands in from a shell. One who has lost it gets a new one, and the earlier "
             "ones end.</p>\n");
    add_form(page, "/teacher/tokens", "name", "Name of the student", "Make a token");
    html_raw(page, "</section>\n");
}

void page_secret(Text *page, const Site *site, const SecretPage *secret)
{
    page_begin(page, site, secret->title);
    html_add(
        page,
        "<p class=\"prose\">%s</p>\n<p><code class=\"secret\">%s</code></p>\n<p class=\"prose\">It is not kept, and "
        "not shown again.</p>\n<p><a href=\"%s\">Go on</a></p>\n",
        secret->text, secret->secret, secret->back);
    page_end(page, site);
}

void page_teacher(Text *page, const Site *site, const TeacherPage *teacher)
{
    page_begin(page, site, "Class");
    if (teacher->has_points)
        html_raw(
            page,
            "<nav aria-label=\"Of the class\"><ul class=\"links\">\n<li><a href=\"/teacher/points\">Points</a></li>\n"
            "<li><a href=\"/teacher/summary\">Summary of the class</a></li>\n</ul></nav>\n");
    add_quarantine(page, site, teacher);
    add_matrix(page, site, teacher);
    add_stuck(page, site, teacher);
    add_similar(page, site, teacher);
    add_groups(page, teacher);
    add_tokens(page);
    page_end(page, site);
}

/* ==== page class ================================================================================================== */

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static void link_source(Text *page, const OpenSource *source)
{
    html_add(page, "<a href=\"/sources/%" PRId64 "\">", source->submission);
    html_name(page, source->file_name);
    html_raw(page, "</a>");
}

void page_sources(Text *page, const Site *site, const char *problem, const char *problem_title,
                  const OpenSource *sources, size_t count)
{
    enum { MOST = 1000 };
    page_begin(page, site, "Sources of others");
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, problem, problem_title);
    html_raw(page, ": what was accepted, the newest of each person</p>\n");
    if (count == 0)
        html_raw(
            page,
            "<p class=\"prose\">There are none that you may read. Sources are shown once an assignment is closed for "
            "everybody, to those who have handed in something for it, if the teacher wants that.</p>\n");
    else
        table_begin(page, "Sources of others", "Who|File|>Time|-Device|-Received");
    for (size_t i = 0; i < count && i < MOST; i++) {
        html_add(page, "<tr><th scope=\"row\">%s</th><td class=\"file\">", sources[i].person);
        link_source(page, &sources[i]);
        html_add(
            page,
            "</td><td class=\"number\">%s</td><td class=\"spare\">%s</td><td class=\"spare nowrap\">%s</td></tr>\n",
            sources[i].time.ms > 0 ? figure_measured(sources[i].time).text : "", sources[i].device,
            figure_moment(sources[i].received).text);
    }
    if (count > 0)
        table_end(page);
    if (count > MOST)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", count - MOST);
    page_end(page, site);
}

void page_source(Text *page, const Site *site, const OpenSource *source)
{
    char title[64];
    snprintf(title, sizeof title, "Source of submission %" PRId64, source->submission);
    page_begin(page, site, title);
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, source->problem, source->problem_title);
    html_add(page, ", by %s, <code>%s</code>, received %s</p>\n", source->person, source->file_name,
             figure_moment(source->received).text);
    if (source->source == NULL)
        html_raw(page, "<p>The source is not kept.</p>\n");
    else
        source_view(page, source->source, NULL);
    html_raw(page, "<p><a href=\"/problems/");
    html_url_part(page, source->problem);
    html_raw(page, "/sources\">Sources of others</a></p>\n");
    page_end(page, site);
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

void page_join(Text *page, const Site *site, const char *group, const char *invitation)
{
    page_begin(page, site, "Join a group");
    html_add(
        page,
        "<p class=\"prose\">The link is an invitation to the group <strong>%s</strong>. Whoever is in it stands on its "
        "boards.</p>\n<form class=\"block\" method=\"post\" action=\"/join/",
        group);
    html_url_part(page, invitation);
    html_raw(page, "\">\n<button>Join the group</button>\n</form>\n");
    page_end(page, site);
}

/* ---- points of all ----------------------------------------------------------------------------------------------- */

static void add_cell(Text *page, const PointsCell *cell)
{
    if (!cell->is_known) {
        html_raw(page, "<td class=\"number\"></td>");
        return;
    }
    html_add(page, "<td class=\"number\">%g%s%s</td>", cell->points, cell->is_final ? "" : "\u00A0…",
             cell->is_extended ? "\u00A0+" : "");
}

static void add_table(Text *page, const Site *site, const PointsPage *points)
{
    Text columns = {0};
    text_add(&columns, "Who");
    for (size_t k = 0; k < points->assignment_count; k++) {
        text_add(&columns, "|>");
        for (const char *c = points->assignments[k]; *c != '\0'; c++) /* '|' would begin another column */
            text_append(&columns, *c == '|' ? "/" : c, 1);
    }
    text_add(&columns, "|>All");
    table_begin(page, "Points", columns.data);
    for (size_t i = 0; i < points->people_count; i++) {
        double sum = 0;
        html_raw(page, "<tr><th scope=\"row\" class=\"who\">");
        link_person(page, site, points->people[i]);
        html_raw(page, "</th>");
        for (size_t k = 0; k < points->assignment_count; k++) {
            const PointsCell *cell = &points->cells[i * points->assignment_count + k];
            add_cell(page, cell);
            sum += cell->points;
        }
        html_add(page, "<td class=\"number\">%g</td></tr>\n", sum);
    }
    table_end(page);
    text_free(&columns);
}

static void add_extensions(Text *page, const PointsPage *points)
{
    html_raw(
        page,
        "<section aria-labelledby=\"extensions\">\n<h2 id=\"extensions\">Extensions</h2>\n<p class=\"prose\">class.json has "
        "the extensions that are in force. Each change of them leaves a record here, from when the file was "
        "read next.</p>\n");
    if (points->extension_count == 0)
        html_raw(page, "<p>There has been none.</p>\n");
    else
        table_begin(page, "Changes of extensions", "When|What|-Read by");
    for (size_t i = 0; i < points->extension_count; i++)
        html_add(page, "<tr><th scope=\"row\">%s</th><td>%s: %s</td><td class=\"spare\">%s</td></tr>\n",
                 figure_moment(points->extensions[i].time_utc).text, points->extensions[i].action,
                 points->extensions[i].object, points->extensions[i].person);
    if (points->extension_count > 0)
        table_end(page);
    html_raw(page, "</section>\n");
}

void page_points(Text *page, const Site *site, const PointsPage *points)
{
    page_begin(page, site, "Points");
    html_add(page,
             "<p class=\"under\">%s</p>\n<p><a href=\"/teacher/summary\">Summary of the class</a>, "
             "<a href=\"/teacher/points.csv\" download>points with reasons, as CSV</a></p>\n",
             points->title);
    html_raw(page,
             "<p class=\"note\">… not final: something is still to be judged or decided. + with an extension.</p>\n");
    add_table(page, site, points);
    add_extensions(page, points);
    page_end(page, site);
}
