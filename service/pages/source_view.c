#include "service/pages/source_view.h"

#include "grader/report/limiter.h"
#include "grader/terminal/quantity.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"
#include "service/pages/view.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* So that a page stays below 300 KB. */
enum { MOST_LINES = 1500, MOST_BYTES = 90000 };

/* ---- kernels and advice ------------------------------------------------------------------------------------------ */

static double extent(const cJSON *list, int i)
{
    const cJSON *item = cJSON_GetArrayItem(list, i);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void add_kernel(Text *page, const cJSON *kernel)
{
    const cJSON *grid = view_item(kernel, "grid"), *block = view_item(kernel, "block");
    html_add(
        page,
        "<tr><th scope=\"row\"><code>%s</code><span class=\"more quiet\">grid %.0f × %.0f × %.0f, block %.0f × %.0f × "
        "%.0f</span></th><td class=\"number\">%s</td>",
        view_text(kernel, "name"), extent(grid, 0), extent(grid, 1), extent(grid, 2), extent(block, 0),
        extent(block, 1), extent(block, 2), figure_time(view_number(kernel, "seconds") * 1000).text);
    html_add(page, "<td class=\"number\">%s</td><td>%s, %s</td>", figure_percent(view_number(kernel, "share")).text,
             limiter_words(view_text(kernel, "bound")), figure_percent(view_number(kernel, "bound_share")).text);
    html_add(page, "<td class=\"number spare\">%s</td><td class=\"number spare\">%s</td></tr>\n",
             figure_percent(view_number(kernel, "occupancy")).text,
             figure_whole(view_number(kernel, "registers")).text);
}

static void add_kernels(Text *page, const cJSON *kernels)
{
    const cJSON *kernel;
    if (cJSON_GetArraySize(kernels) == 0)
        return;
    table_begin_wide(page, "Kernels", "Kernel|>Time|>Share|Limited by|>-Occupancy|>-Registers");
    cJSON_ArrayForEach(kernel, kernels)
    {
        add_kernel(page, kernel);
    }
    table_end(page);
}

static void add_gain(Text *page, const cJSON *advice)
{
    html_add(page, "<span class=\"gain\">%s less time</span>, %s then",
             figure_percent(view_number(advice, "gain")).text, figure_time(view_number(advice, "after_s") * 1000).text);
}

static void add_advice_list(Text *page, const cJSON *list)
{
    const cJSON *advice;
    int place = 0;
    html_raw(page, "<h3>Advice</h3>\n");
    if (cJSON_GetArraySize(list) == 0) {
        html_raw(page, "<p>No rule found anything that would gain enough.</p>\n");
        return;
    }
    html_raw(
        page,
        "<p class=\"note\">The most useful first. Each says what the call would gain by it alone, by the model.</p>\n"
        "<ol class=\"advice\">\n");
    cJSON_ArrayForEach(advice, list)
    {
        double line = view_number(advice, "line");
        html_add(page, "<li id=\"advice-%d\">", ++place);
        if (line >= 1)
            html_add(page, "<a href=\"#L%.0f\">Line %.0f</a>, ", line, line);
        add_gain(page, advice);
        html_raw(page, ": ");
        html_code(page, view_text(advice, "text"));
        html_raw(page, ".");
        if (*view_text(advice, "sketch") != '\0')
            html_add(
                page,
                "\n<details><summary>A sketch of the new code</summary>\n<pre tabindex=\"0\"><code>%s</code></pre></details>",
                view_text(advice, "sketch"));
        html_raw(page, "</li>\n");
    }
    html_raw(page, "</ol>\n");
}

void explanation(Text *page, const cJSON *explain)
{
    html_add(page, "<p>Of the timed case “%s”, which takes %s by the model.</p>\n", view_text(explain, "case"),
             figure_time(view_number(explain, "seconds") * 1000).text);
    add_kernels(page, view_item(explain, "kernels"));
    add_advice_list(page, view_item(explain, "advice"));
}

/* ---- figures by line --------------------------------------------------------------------------------------------- */

typedef struct LineFigures { /* sums over all kernels */
    bool known;
    double share, executions, lanes, instructions;
    double sectors, ideal_sectors, requests;
    double wavefronts, shared_requests;
} LineFigures;

static double count_of(const cJSON *counters, const char *name)
{
    double count = view_number(counters, name);
    return isnan(count) ? 0 : count;
}

static void add_to(LineFigures *figures, const cJSON *line)
{
    const cJSON *counters = view_item(line, "counters");
    figures->known = true;
    figures->share += count_of(line, "share");
    figures->executions += count_of(line, "executions");
    figures->lanes += count_of(counters, "lane_instructions");
    figures->instructions += count_of(counters, "warp_instructions");
    figures->sectors += count_of(counters, "global_load_sectors") + count_of(counters, "global_store_sectors");
    figures->requests += count_of(counters, "global_load_requests") + count_of(counters, "global_store_requests");
    figures->ideal_sectors += count_of(line, "ideal_load_sectors") + count_of(line, "ideal_store_sectors");
    figures->wavefronts += count_of(counters, "shared_load_wavefronts") + count_of(counters, "shared_store_wavefronts");
    figures->shared_requests += count_of(counters, "shared_load_requests") +
                                count_of(counters, "shared_store_requests");
}

/* The lines from 1 on; lines of other files are left out. */
static LineFigures *gather(const cJSON *explain, size_t line_count)
{
    const cJSON *line;
    LineFigures *figures = calloc(line_count + 1, sizeof *figures);
    if (figures == NULL)
        return NULL;
    cJSON_ArrayForEach(line, view_item(explain, "lines"))
    {
        double number = view_number(line, "line");
        if (number >= 1 && number <= (double)line_count && view_item(line, "file") == NULL)
            add_to(&figures[(size_t)number], line);
    }
    return figures;
}

static void add_mean(Text *page, double sum, double count)
{
    html_add(page, "<td class=\"number\">%s</td>", count > 0 && sum > 0 ? quantity_mean(sum / count).text : "");
}

static void add_figures(Text *page, const LineFigures *figures)
{
    if (!figures->known) {
        html_raw(page, "<td></td><td></td><td></td><td></td><td></td>");
        return;
    }
    html_add(page, "<td class=\"number\">%s</td>", quantity_count(figures->executions).text);
    add_mean(page, figures->lanes, figures->instructions);
    add_mean(page, figures->sectors, figures->requests);
    add_mean(page, figures->ideal_sectors, figures->requests);
    add_mean(page, figures->wavefronts, figures->shared_requests);
}

static int heat_of(double share)
{
    static const double least[] = {0.01, 0.05, 0.15, 0.3, 0.6};
    int heat = 0;
    while (heat < 5 && share >= least[heat])
        heat++;
    return heat;
}

/* ---- the source -------------------------------------------------------------------------------------------------- */

static size_t count_lines(const char *source)
{
    size_t count = 0;
    for (; *source != '\0'; count++) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    return count;
}

static void add_notes(Text *page, const cJSON *explain, size_t number)
{
    const cJSON *advice;
    int place = 0;
    cJSON_ArrayForEach(advice, view_item(explain, "advice"))
    {
        place++;
        if (view_number(advice, "line") != (double)number)
            continue;
        html_add(page,
                 "<tr class=\"advice\"><td colspan=\"8\"><div class=\"box\"><a href=\"#advice-%d\">Advice %d</a>: ",
                 place, place);
        add_gain(page, advice);
        html_raw(page, "</div></td></tr>\n");
    }
}

static void add_line(Text *page, size_t number, const char *line, size_t length, const LineFigures *figures)
{
    int heat = figures == NULL ? 0 : heat_of(figures->share);
    html_add(page, "<tr id=\"L%zu\"", number);
    if (heat > 0)
        html_add(page, " class=\"h%d\"", heat);
    html_add(page, "><th scope=\"row\">%zu</th>", number);
    if (figures != NULL)
        html_add(page, "<td class=\"number\">%s</td>", figures->known ? quantity_percent(figures->share, 1).text : "");
    html_raw(page, "<td class=\"text\">");
    html_bytes(page, line, length > 0 && line[length - 1] == '\r' ? length - 1 : length);
    html_raw(page, "</td>");
    if (figures != NULL)
        add_figures(page, figures);
    html_raw(page, "</tr>\n");
}

static void begin_source(Text *page, bool has_figures)
{
    html_add(page, "<div class=\"source\" role=\"group\" aria-label=\"Source\" tabindex=\"0\">\n<table>\n<thead><tr>%s",
             "");
    html_raw(
        page,
        has_figures
            ? "<th scope=\"col\">Line</th><th scope=\"col\" class=\"number\">Time</th><th scope=\"col\">Source</th>"
              "<th scope=\"col\" class=\"number\">Warps</th><th scope=\"col\" class=\"number\">Lanes</th>"
              "<th scope=\"col\" class=\"number\">Sectors</th><th scope=\"col\" class=\"number\">Ideal</th>"
              "<th scope=\"col\" class=\"number\">Wavefronts</th>"
            : "<th scope=\"col\">Line</th><th scope=\"col\">Source</th>");
    html_raw(page, "</tr></thead>\n<tbody>\n");
}

void source_view(Text *page, const char *source, const cJSON *explain)
{
    size_t count = count_lines(source), number = 0;
    const char *at = source;
    LineFigures *figures = explain == NULL ? NULL : gather(explain, count);
    begin_source(page, figures != NULL);
    while (*at != '\0' && number < MOST_LINES && at - source < MOST_BYTES) {
        size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - source));
        number++;
        add_line(page, number, at, length < room ? length : room, figures == NULL ? NULL : &figures[number]);
        if (explain != NULL)
            add_notes(page, explain, number);
        at += length + (at[length] == '\n');
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (number < count)
        html_add(page, "<p class=\"note\">%s lines more are not shown here.</p>\n",
                 figure_whole((double)(count - number)).text);
    if (figures != NULL)
        html_raw(
            page,
            "<p class=\"note\">Warps: how often a warp executed the line. Lanes: how many of its 32 threads were active. "
            "Sectors: pieces of 32 bytes that one access to global memory touched, and the ideal number of them. "
            "Wavefronts: of one access to shared memory; more than one are bank conflicts, unless it moves vectors.</p>\n");
    free(figures);
}
