#include "service/pages/comparison.h"

#include "base/arena.h"
#include "grader/terminal/quantity.h"
#include "base/diff.h"
#include "grader/report/time_change.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"
#include "service/pages/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- times ------------------------------------------------------------------------------------------------------- */

static const cJSON *case_called(const cJSON *result, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(result, "cases"))
    {
        if (strcmp(view_text(item, "name"), name) == 0)
            return item;
    }
    return NULL;
}

static void add_times(Text *page, const char *class, const char *name, MeasuredTime before, MeasuredTime after)
{
    const TimeChange change = time_change(before, after);
    html_add(page,
             "<tr class=\"%s\"><th scope=\"row\">%s</th><td class=\"number\">%s</td><td class=\"number\">%s</td><td "
             "class=\"number\">%s</td><td>%s</td></tr>\n",
             class, name, figure_measured(before).text, figure_measured(after).text,
             change.order == TIME_UNKNOWN ? "" : quantity_ratio(1 / change.ratio).text, time_order_words(change.order));
}

static void compare_times(Text *page, const ComparedSubmission *before, const ComparedSubmission *after)
{
    const cJSON *item;
    table_begin(page, "Times of both",
                device_models_times(after->row.device) ? "Case (modelled)|>Before|>After|>Times as fast|Change"
                                                       : "Case|>Before|>After|>Times as fast|Change");
    cJSON_ArrayForEach(item, view_item(after->result, "cases"))
    {
        if (view_true(item, "timed"))
            add_times(page, "", view_text(item, "name"),
                      view_time(case_called(before->result, view_text(item, "name")), "time_ms"),
                      view_time(item, "time_ms"));
    }
    add_times(page, "you", "Score", before->row.time, after->row.time);
    table_end(page);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static double total(const cJSON *result, const char *counter)
{
    const cJSON *item;
    double sum = 0;
    cJSON_ArrayForEach(item, view_item(result, "cases"))
    {
        double count = view_number(view_item(item, "counters"), counter);
        sum += isnan(count) ? 0 : count;
    }
    return sum;
}

/* Sums over the timed cases, of what differs by a hundredth at least. */
static void compare_counters(Text *page, const ComparedSubmission *before, const ComparedSubmission *after)
{
    static const char *const counters[][2] = {
#define SUMMARY(NAME, WORDS, VALUE) {#NAME, WORDS},
#include "simgpu/cost/counters.def"
        {"kernels", "Kernel launches"},
        {"copies", "Copies"},
    };
    bool has_table = false;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        double was = total(before->result, counters[i][0]), is = total(after->result, counters[i][0]);
        if (counters[i][1][0] == '\0' || !(fabs(is - was) > 0.01 * fmax(is, was)))
            continue;
        if (!has_table)
            table_begin(page, "Counters of both, over the timed cases", "Counter|>Before|>After|>After / before");
        has_table = true;
        html_add(page,
                 "<tr><th scope=\"row\">%s</th><td class=\"number\">%s</td><td class=\"number\">%s</td><td "
                 "class=\"number\">%s</td></tr>\n",
                 counters[i][1], quantity_count(was).text, quantity_count(is).text,
                 was > 0 ? quantity_ratio(is / was).text : "");
    }
    if (has_table)
        table_end(page);
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

enum { CONTEXT = 3, MOST_SHOWN = 900 };

static bool is_near_change(const DiffLine *lines, size_t count, size_t i)
{
    for (size_t k = i > CONTEXT ? i - CONTEXT : 0; k <= i + CONTEXT && k < count; k++)
        if (lines[k].kind != DIFF_SAME)
            return true;
    return false;
}

static void add_number(Text *page, size_t number)
{
    if (number > 0)
        html_add(page, "<td class=\"number quiet\">%zu</td>", number);
    else
        html_raw(page, "<td></td>");
}

static void add_line(Text *page, const DiffLine *line)
{
    static const char *const classes[] = {"", "removed", "added"};
    static const char *const words[] = {"", "removed", "added"};
    static const char *const signs[] = {" ", "−", "+"};
    enum { MOST_BYTES = 400 };
    html_add(page, "<tr class=\"%s\">", classes[line->kind]);
    add_number(page, line->before);
    add_number(page, line->after);
    html_add(page, "<td><span aria-hidden=\"true\">%s</span><span class=\"unseen\">%s</span></td><td class=\"text\">",
             signs[line->kind], words[line->kind]);
    html_bytes(page, line->text, line->length < MOST_BYTES ? line->length : MOST_BYTES);
    html_raw(page, "</td></tr>\n");
}

static void compare_sources(Text *page, const char *before, const char *after)
{
    Arena arena = {0};
    size_t count, shown = 0;
    const DiffLine *lines = diff_lines(before, after, &arena, &count);
    bool was_shown = true;
    html_raw(page, "<h3>Source</h3>\n");
    if (strcmp(before, after) == 0) {
        html_raw(page, "<p>Both have the same source.</p>\n");
        arena_free(&arena);
        return;
    }
    html_raw(
        page,
        "<div class=\"source\" role=\"group\" aria-label=\"What changed in the source\" tabindex=\"0\">\n<table>\n"
        "<thead><tr><th scope=\"col\" class=\"number\">Before</th><th scope=\"col\" class=\"number\">After</th>"
        "<th scope=\"col\"><span class=\"unseen\">Change</span></th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count && shown < MOST_SHOWN; i++) {
        bool is_shown = is_near_change(lines, count, i);
        if (is_shown && !was_shown)
            html_raw(page, "<tr class=\"gap\"><td colspan=\"4\">⋯</td></tr>\n");
        if (is_shown)
            add_line(page, &lines[i]);
        shown += is_shown;
        was_shown = is_shown;
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (shown == MOST_SHOWN)
        html_raw(page, "<p class=\"note\">Further changes are not shown.</p>\n");
    arena_free(&arena);
}

/* ---- both together ----------------------------------------------------------------------------------------------- */

static void add_name(Text *page, const Site *site, const ComparedSubmission *one)
{
    char text[48];
    snprintf(text, sizeof text, "submission %" PRId64, one->row.number);
    link_submission(page, site, one->row.number, text);
    html_add(page, " (%s)", one->row.verdict == NULL ? one->row.state : one->row.verdict);
}

void comparison(Text *page, const Site *site, const ComparedSubmission *before, const ComparedSubmission *after)
{
    char obstacle[300] = "both need one";
    html_raw(page, "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">What changed</h2>\n<p>From ");
    add_name(page, site, before);
    html_raw(page, " to ");
    add_name(page, site, after);
    html_raw(page, ".</p>\n");
    if (before->row.time.ms > 0 && after->row.time.ms > 0)
        time_change_obstacle(before->result, after->result, obstacle, sizeof obstacle);
    if (obstacle[0] == '\0')
        compare_times(page, before, after);
    else
        html_add(page, "<p>Their times cannot be compared: %s.</p>\n", obstacle);
    if (total(before->result, "warp_instructions") > 0 && total(after->result, "warp_instructions") > 0)
        compare_counters(page, before, after);
    if (before->source != NULL && after->source != NULL)
        compare_sources(page, before->source, after->source);
    html_raw(page, "</section>\n");
}
