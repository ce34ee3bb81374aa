#include "service/pairs/pair_page.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

#include <stdio.h>
#include <string.h>

/* A page stays below 300 KB or so. */
enum { COLOURS = 6, MOST_LINES = 1500, MOST_BYTES = 100000 };

static const char letters[] = "ab";

/* ---- the lines --------------------------------------------------------------------------------------------------- */

static bool holds(PairLines lines, int line)
{
    return lines.first <= line && line <= lines.last;
}

/* The number of the first part with this line, from 1; 0: none. */
static size_t part_at(const PairPage *pair, int side, int line)
{
    for (size_t i = 0; i < pair->part_count; i++)
        if (holds(pair->parts[i].lines[side], line))
            return i + 1;
    return 0;
}

static const PairLines *handed_out_at(const PairSide *side, int line)
{
    for (size_t i = 0; i < side->handed_out_count; i++)
        if (holds(side->handed_out[i], line))
            return &side->handed_out[i];
    return NULL;
}

static void add_lines(Text *page, PairLines lines)
{
    if (lines.first == lines.last)
        html_add(page, "line %d", lines.first);
    else
        html_add(page, "lines %d to %d", lines.first, lines.last);
}

/* The number of the part; on its first line it leads to the other side. */
static void add_mark(Text *page, const PairPage *pair, int side, int line, size_t part)
{
    html_raw(page, "<td class=\"mark\">");
    if (part > 0 && pair->parts[part - 1].lines[side].first == line) {
        const PairLines other = pair->parts[part - 1].lines[!side];
        html_add(page, "<a href=\"#%c%d\">%zu<span class=\"unseen\">: the same as ", letters[!side], other.first, part);
        add_lines(page, other);
        html_raw(page, " of the other source</span></a>");
    } else if (part > 0) {
        html_add(page, "%zu", part);
    }
    html_raw(page, "</td>");
}

static void add_line(Text *page, const PairPage *pair, int side, int line, const char *text, size_t length)
{
    const size_t part = part_at(pair, side, line);
    html_add(page, "<tr id=\"%c%d\"", letters[side], line);
    if (part > 0)
        html_add(page, " class=\"shared p%zu\"", (part - 1) % COLOURS + 1);
    html_add(page, "><th scope=\"row\">%d</th>", line);
    add_mark(page, pair, side, line, part);
    html_raw(page, "<td class=\"text\">");
    html_bytes(page, text, length > 0 && text[length - 1] == '\r' ? length - 1 : length);
    html_raw(page, "</td></tr>\n");
}

static void add_gap(Text *page, PairLines lines)
{
    html_raw(page, "<tr class=\"gap\"><td colspan=\"3\">Handed out: ");
    add_lines(page, lines);
    html_raw(page, "</td></tr>\n");
}

static void add_source(Text *page, const PairPage *pair, int side)
{
    const PairSide *one = &pair->sides[side];
    const char *at = one->source;
    int line = 0;
    html_add(
        page,
        "<div class=\"source\" role=\"group\" aria-label=\"Source %s\" tabindex=\"0\">\n<table>\n<thead><tr>"
        "<th scope=\"col\">Line</th><th scope=\"col\">Part</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n",
        one->name);
    while (*at != '\0' && line < MOST_LINES && at - one->source < MOST_BYTES) {
        const size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - one->source));
        const PairLines *left_out = handed_out_at(one, ++line);
        if (left_out == NULL)
            add_line(page, pair, side, line, at, length < room ? length : room);
        else if (left_out->first == line)
            add_gap(page, *left_out);
        at += length + (at[length] == '\n');
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (*at != '\0')
        html_raw(page, "<p class=\"note\">The rest is not shown here.</p>\n");
}

/* ---- a side ------------------------------------------------------------------------------------------------------ */

static void add_side(Text *page, const Site *site, const PairPage *pair, int side)
{
    const PairSide *one = &pair->sides[side];
    char title[48];
    html_add(page, "<section aria-labelledby=\"side-%c\">\n<h2 id=\"side-%c\">%s</h2>\n<p class=\"under\">",
             letters[side], letters[side], one->name);
    html_name(page, one->file);
    if (one->submission > 0) {
        snprintf(title, sizeof title, "submission %lld", (long long)one->submission);
        html_raw(page, ", ");
        link_submission(page, site, one->submission, title);
    } else if (!one->is_persons) {
        html_raw(page, ", a further source");
    }
    html_add(page, "<br>In the other one: %s of the source", figure_percent(one->source_share).text);
    html_add(page, ", %s of the device code</p>\n", figure_percent(one->code_share).text);
    if (one->source != NULL)
        add_source(page, pair, side);
    else
        html_raw(page, "<p>The database of this server lacks its source.</p>\n");
    html_raw(page, "</section>\n");
}

static void add_part_lines(Text *page, int side, PairLines lines)
{
    html_add(page, "<td><a href=\"#%c%d\">", letters[side], lines.first);
    add_lines(page, lines);
    html_raw(page, "</a></td>");
}

static void add_parts(Text *page, const PairPage *pair)
{
    if (pair->part_count == 0) {
        html_raw(page, "<p>No part of the sources is the same; only the device code is.</p>\n");
        return;
    }
    details_begin(page, "Parts in common");
    html_add(page, "<p class=\"note\">Names, numbers, comments and line breaks do not count.</p>\n");
    table_begin(page, "Parts in common", "Part|One|Other");
    for (size_t i = 0; i < pair->part_count; i++) {
        html_add(page, "<tr><th scope=\"row\">%zu</th>", i + 1);
        for (int side = 0; side < 2; side++)
            add_part_lines(page, side, pair->parts[i].lines[side]);
        html_raw(page, "</tr>\n");
    }
    table_end(page);
    details_end(page);
}

void page_pair(Text *page, const Site *site, const PairPage *pair)
{
    page_begin(page, site, "Similar pair");
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, pair->problem, pair->problem);
    html_add(page, ", as of %s. <a href=\"/teacher#similar\">All pairs</a></p>\n", figure_moment(pair->time_utc).text);
    html_add(page, "<p class=\"prose\">%s A pair says where to look, not who copied.</p>\n",
             pair->same_source         ? "Both are the same text."
             : pair->same_machine_code ? "Both compile to the same machine code."
                                       : "");
    add_parts(page, pair);
    html_raw(page, "<div class=\"pair\">\n");
    add_side(page, site, pair, 0);
    add_side(page, site, pair, 1);
    html_raw(page, "</div>\n");
    page_end(page, site);
}
