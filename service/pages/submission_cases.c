#include "service/pages/submission_cases.h"

#include "grader/terminal/quantity.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/output_pictures.h"
#include "service/pages/parts.h"
#include "service/pages/view.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void add_sizes(Text *page, const cJSON *sizes)
{
    const cJSON *size;
    const char *separator = "";
    cJSON_ArrayForEach(size, sizes)
    {
        html_add(page, "%s%s %s", separator, size->string, figure_whole(size->valuedouble).text);
        separator = ", ";
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef enum CasePart { PART_SAMPLE, PART_HIDDEN, PART_TIMED, PARTS } CasePart;

/* Sizes are absent of hidden cases alone. */
static CasePart part_of(const cJSON *item)
{
    if (view_true(item, "timed"))
        return PART_TIMED;
    return view_item(item, "sizes") == NULL ? PART_HIDDEN : PART_SAMPLE;
}

static bool is_accepted(const cJSON *item)
{
    return strcmp(view_text(item, "verdict"), "Accepted") == 0;
}

/* The cases behind the first one that failed may not have run. */
static bool was_run(const cJSON *item)
{
    return strcmp(view_text(item, "verdict"), "not run") != 0;
}

static void add_case(Text *page, const cJSON *item)
{
    const cJSON *sizes = view_item(item, "sizes");
    double error = view_number(item, "max_error"), bound = view_number(item, "bound");
    html_add(page, "<tr><th scope=\"row\">%s", view_text(item, "name"));
    if (sizes != NULL) {
        html_raw(page, "<span class=\"more quiet\">");
        add_sizes(page, sizes);
        html_raw(page, "</span>");
    }
    html_raw(page, "</th><td>");
    verdict_mark(page, view_text(item, "verdict"));
    if (*view_text(item, "text") != '\0') {
        html_raw(page, "<span class=\"more\">");
        html_code(page, view_text(item, "text"));
        html_raw(page, "</span>");
    }
    html_add(page, "</td><td class=\"number spare\">%s</td><td class=\"number spare\">%s</td></tr>\n",
             isnan(error) ? "" : quantity_error(error).text, isnan(bound) ? "" : quantity_error(bound).text);
}

static void add_table(Text *page, const cJSON *cases, CasePart part, const char *label, bool only_failed)
{
    const cJSON *item;
    table_begin_wide(page, label, "Case|Verdict|>-Largest error|>-Bound");
    cJSON_ArrayForEach(item, cases)
    {
        if (part_of(item) == part && (!only_failed || (was_run(item) && !is_accepted(item))))
            add_case(page, item);
    }
    table_end(page);
}

/* ---- what a sample's output was ---------------------------------------------------------------------------------- */

static void add_position(Text *page, const cJSON *position)
{
    const cJSON *index;
    html_raw(page, "output");
    cJSON_ArrayForEach(index, position)
    {
        html_add(page, "[%.0f]", index->valuedouble);
    }
}

static void add_value(Text *page, double value, int digits)
{
    if (isnan(value))
        html_raw(page, "<td class=\"number\">not a number</td>");
    else
        html_add(page, "<td class=\"number\">%.*g</td>", digits, value);
}

static void add_wrong_element(Text *page, const char *which, const cJSON *element)
{
    if (element == NULL)
        return;
    html_add(page, "<tr><th scope=\"row\">%s</th><td class=\"nowrap\"><code>", which);
    add_position(page, view_item(element, "position"));
    html_raw(page, "</code></td>");
    add_value(page, view_number(element, "expected"), 9);
    add_value(page, view_number(element, "got"), 9);
    add_value(page, view_number(element, "error"), 3);
    add_value(page, view_number(element, "bound"), 3);
    html_raw(page, "</tr>\n");
}

static void add_printed(Text *page, const cJSON *item)
{
    enum { MOST = 8000 };
    const char *printed = view_text(item, "printed");
    double lost = view_number(item, "printed_lost");
    size_t length = strlen(printed), shown = length > MOST ? MOST : length;
    if (length == 0)
        return;
    html_add(page, "<h4>What it printed</h4>\n<pre tabindex=\"0\"><code>%.*s</code></pre>\n", (int)shown, printed);
    if (shown < length || lost > 0)
        html_add(page, "<p class=\"note\">%s bytes more are not shown.</p>\n",
                 figure_whole((double)(length - shown) + (lost > 0 ? lost : 0)).text);
}

static void add_sample_details(Text *page, const cJSON *item)
{
    double wrong = view_number(item, "wrong"), count = view_number(item, "count");
    bool is_wrong = wrong > 0 && view_item(item, "first_wrong") != NULL;
    if (!is_wrong && *view_text(item, "printed") == '\0')
        return;
    html_add(page, "<h3>%s</h3>\n", view_text(item, "name"));
    if (is_wrong) {
        html_add(page, "<p>%s of %s elements are beyond their bounds.</p>\n", figure_whole(wrong).text,
                 figure_whole(count).text);
        table_begin(page, "Two of the wrong elements", "Which|Element|>Expected|>Got|>Error|>Bound");
        add_wrong_element(page, "first", view_item(item, "first_wrong"));
        add_wrong_element(page, "worst", view_item(item, "worst_wrong"));
        table_end(page);
        output_pictures(page, item);
    }
    add_printed(page, item);
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

/* The summary tells enough of a part whose cases were all accepted, or not run. */
static void add_part(Text *page, const cJSON *cases, CasePart part, const char *name, const char *label)
{
    const cJSON *item;
    int count = 0, accepted = 0, run = 0;
    cJSON_ArrayForEach(item, cases)
    {
        count += part_of(item) == part;
        accepted += part_of(item) == part && is_accepted(item);
        run += part_of(item) == part && was_run(item);
    }
    if (count == 0)
        return;
    html_raw(page, accepted < run ? "<details open>\n<summary>" : "<details>\n<summary>");
    icon(page, run == 0 ? "none" : accepted == run ? "good" : "bad");
    if (run == 0)
        html_add(page, " %s: not run</summary>\n", name);
    else
        html_add(page, " %s: %d of %d accepted</summary>\n", name, accepted, count);
    if (accepted < run) {
        add_table(page, cases, part, label, true);
        details_begin(page, "Each of them");
        add_table(page, cases, part, label, false);
        details_end(page);
    } else {
        add_table(page, cases, part, label, false);
    }
    details_end(page);
}

void submission_cases(Text *page, const cJSON *cases)
{
    const cJSON *item;
    if (cJSON_GetArraySize(cases) == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"cases\">\n<h2 id=\"cases\">Cases</h2>\n");
    add_part(page, cases, PART_SAMPLE, "Samples", "Sample cases");
    cJSON_ArrayForEach(item, cases)
    {
        if (part_of(item) == PART_SAMPLE)
            add_sample_details(page, item);
    }
    add_part(page, cases, PART_HIDDEN, "Hidden cases", "Hidden cases");
    add_part(page, cases, PART_TIMED, "Timed cases", "Timed cases");
    html_raw(page, "</section>\n");
}
