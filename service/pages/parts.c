#include "service/pages/parts.h"

#include "service/pages/figure.h"
#include "service/pages/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void add_heads(Text *page, const char *columns)
{
    while (*columns != '\0') {
        size_t length = strcspn(columns, "|");
        bool is_number = columns[0] == '>', is_spare = columns[is_number] == '-';
        const char *name = columns + is_number + is_spare;
        html_raw(page, "<th scope=\"col\"");
        if (is_number || is_spare)
            html_add(page, " class=\"%s\"", !is_spare ? "number" : is_number ? "number spare" : "spare");
        html_add(page, ">%.*s</th>", (int)(columns + length - name), name);
        columns += length + (columns[length] == '|');
    }
}

static void begin(Text *page, const char *label, const char *columns, const char *class)
{
    html_add(
        page,
        "<div class=\"scroll\" role=\"group\" aria-label=\"%s\" tabindex=\"0\">\n<table class=\"%s\">\n<thead><tr>",
        label, class);
    add_heads(page, columns);
    html_raw(page, "</tr></thead>\n<tbody>\n");
}

void table_begin(Text *page, const char *label, const char *columns)
{
    begin(page, label, columns, "plain");
}

void table_begin_wide(Text *page, const char *label, const char *columns)
{
    begin(page, label, columns, "wide");
}

void table_end(Text *page)
{
    html_raw(page, "</tbody>\n</table>\n</div>\n");
}

void details_begin(Text *page, const char *summary)
{
    html_add(page, "<details>\n<summary>%s</summary>\n", summary);
}

void details_end(Text *page)
{
    html_raw(page, "</details>\n");
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

const char *verdict_class(const char *verdict)
{
    static const char *const waiting[] = {"waiting", "judging", "held", "Judge Error"};
    static const char *const none[] = {"withdrawn", "not run", "", "-"};
    if (strcmp(verdict, "Accepted") == 0)
        return "good";
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (strcmp(verdict, waiting[i]) == 0)
            return "wait";
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(verdict, none[i]) == 0)
            return "none";
    return "bad";
}

void icon(Text *page, const char *class)
{
    const char *path = "M5 12h14"; /* a dash */
    if (strcmp(class, "good") == 0)
        path = "M4 13l5 5L20 6";
    else if (strcmp(class, "bad") == 0)
        path = "M5 5l14 14M19 5L5 19";
    else if (strcmp(class, "wait") == 0)
        path = "M12 3a9 9 0 1 0 .01 0M12 7v5l4 2";
    html_add(
        page,
        "<span class=\"mark %s\"><svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"%s\"/></svg></span>",
        class, path);
}

/* The sign stays with the first word: a browser may break a line behind a picture even before a no-break space. */
void verdict_mark(Text *page, const char *verdict)
{
    const size_t first = strcspn(verdict, " ");
    html_raw(page, "<span class=\"judged\"><span class=\"nowrap\">");
    icon(page, verdict_class(verdict));
    html_add(page, "\u00A0%.*s</span>%s</span>", (int)first, verdict, verdict + first);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

bool device_models_times(const char *device)
{
    return device != NULL && strncmp(device, "sim-", strlen("sim-")) == 0;
}

void time_cell(Text *page, MeasuredTime time, const char *device)
{
    html_raw(page, "<td class=\"number\">");
    if (time.ms > 0)
        html_add(page, "%s", figure_measured(time).text);
    if (time.ms > 0 && device_models_times(device))
        html_raw(page, "<span class=\"more\">modelled</span>");
    html_raw(page, "</td>");
}

/* ---- facts and lists --------------------------------------------------------------------------------------------- */

void fact(Text *page, const char *name, const char *value)
{
    if (value != NULL && *value != '\0')
        html_add(page, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

static void add_row(Text *page, const Site *site, bool has_people, const SubmissionLine *row)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, row->number);
    html_raw(page, "<tr><th scope=\"row\">");
    link_submission(page, site, row->number, number);
    html_raw(page, "</th><td>");
    link_problem(page, site, row->problem, row->problem);
    html_raw(page, "</td><td>");
    if (has_people) {
        link_person(page, site, row->person);
        html_raw(page, "</td><td>");
    }
    verdict_mark(page, row->verdict != NULL ? row->verdict : row->state);
    html_raw(page, "</td>");
    time_cell(page, row->time, row->device);
    html_raw(page, "<td class=\"spare file\">");
    html_name(page, row->file_name);
    html_add(page, "</td><td class=\"spare nowrap\">%s</td></tr>\n",
             row->received == NULL ? "" : figure_moment(row->received).text);
}

void submission_list(Text *page, const Site *site, const char *label, bool has_people, const SubmissionLine *rows,
                     size_t count)
{
    enum { MOST = 200 };
    table_begin_wide(page, label,
                     has_people ? "No.|Problem|Who|Verdict|>Time|-File|-Received"
                                : "No.|Problem|Verdict|>Time|-File|-Received");
    for (size_t i = 0; i < count && i < MOST; i++)
        add_row(page, site, has_people, &rows[i]);
    table_end(page);
    if (count > MOST)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", count - MOST);
}
