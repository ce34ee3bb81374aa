#include "service/pages/class_pages.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"
#include "service/pages/source_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
