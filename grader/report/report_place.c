#include "grader/report/report_place.h"

#include "base/allocated.h"
#include "grader/report/report_line.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_COLUMNS = 24, /* of a reference solution */
    TIME_COLUMNS = 10,
    FEW = 10 /* with fewer others, "k of n" says more than a percentile */
};

/* ---- percentile and rank ----------------------------------------------------------------------------------------- */

static void add_percentile(const Percentile *percentile, const char *label, const char *others, Text *out)
{
    report_add_label(out, label);
    if (percentile->n == 0) {
        text_printf(out, "no %s to compare with yet\n", others);
        return;
    }
    char tied[40] = "";
    if (percentile->tied > 0)
        snprintf(tied, sizeof tied, ", %zu tied", percentile->tied);
    if (percentile->n < FEW)
        text_printf(out, "faster than %zu of %zu %s%s: percentile %.0f (%.0f to %.0f)\n", percentile->slower,
                    percentile->n, others, tied, percentile->value, percentile->low, percentile->high);
    else
        text_printf(out, "percentile %.1f (%.1f to %.1f): faster than %zu of %zu%s\n", percentile->value,
                    percentile->low, percentile->high, percentile->slower, percentile->n, tied);
}

static void add_rank(const ClassPlace *place, Text *out)
{
    report_add_label(out, "rank");
    if (place->rank > 0)
        text_printf(out, "%zu of %zu in the class, as %s\n", place->rank, place->percentile.n + 1, place->person);
    else
        text_printf(out, "%s\n", place->rank_status);
}

void report_add_class_place(const ClassPlace *place, Text *out)
{
    if (place->has_time)
        add_percentile(&place->percentile, "class", "others", out);
    add_rank(place, out);
}

void report_add_place(const Result *result, Text *out)
{
    const ClassPlace place = {.has_time = result->score.ms > 0 && !result->on_cpu,
                              .percentile = result->class_,
                              .rank = result->rank,
                              .rank_status = result->rank_status,
                              .person = result->person};
    if (place.has_time)
        add_percentile(&result->references, "references", "reference solutions", out);
    report_add_class_place(&place, out);
}

void report_add_run(const Result *result, Text *out)
{
    if (result->run == 0)
        return;
    report_add_label(out, "recorded");
    text_printf(out, "run %lld\n", (long long)result->run);
}

/* ---- the ladder: the reference solutions, and the submission among them ------------------------------------------ */

typedef struct Bar {
    char name[64];
    double ms;
    bool mine;
} Bar;

static int by_ms(const void *a, const void *b)
{
    const Bar *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

static void add_bar(const Bar *bar, double longest_ms, TerminalStyle style, Text *out)
{
    int room = style.width - 2 - NAME_COLUMNS - 1 - TIME_COLUMNS - 2;
    int length = (int)lround(room * bar->ms / longest_ms);
    Text line = {0};
    terminal_pad(&line, bar->name, NAME_COLUMNS);
    text_add(&line, " ");
    for (int i = 0; i < (length < 1 ? 1 : length); i++)
        text_add(&line, bar->mine ? (style.utf8 ? "█" : "#") : (style.utf8 ? "▒" : "="));
    text_printf(&line, " %s", quantity_time(bar->ms).text);
    text_add(out, "  ");
    if (bar->mine)
        terminal_colour(style, out, COLOUR_MARK, line.data);
    else
        text_add(out, line.data);
    text_add(out, "\n");
    text_free(&line);
}

static void add_bars(const Result *result, TerminalStyle style, Text *out)
{
    if (result->ladder_count == 0)
        return;
    size_t count = result->ladder_count + 1;
    Bar *bars = zeroed(count, sizeof *bars);
    for (size_t i = 0; i < result->ladder_count; i++) {
        const char *name = result->ladder[i].name;
        bars[i].ms = result->ladder[i].time.ms;
        snprintf(bars[i].name, sizeof bars[i].name, "%.*s", (int)strcspn(name, "."), name);
    }
    bars[count - 1] = (Bar){.name = "> this submission", .ms = result->score.ms, .mine = true};
    qsort(bars, count, sizeof *bars, by_ms);
    text_add(out, "\n  The reference solutions");
    if (result->device.modelled)
        text_printf(out, ", %s times", device_time_label(&result->device));
    text_add(out, ":\n");
    for (size_t i = 0; i < count; i++)
        add_bar(&bars[i], bars[count - 1].ms, style, out);
    free(bars);
}

/* Names the slowest reference solution that is significantly faster. */
static void add_next_to_beat(const Result *result, Text *out)
{
    for (size_t i = result->ladder_count; i-- > 0;) {
        const ReferenceTime *rung = &result->ladder[i];
        if (!time_is_faster(rung->time, result->score))
            continue;
        text_printf(out, "  Next to beat: %.*s, %s times as fast.\n", (int)strcspn(rung->name, "."), rung->name,
                    quantity_ratio(result->score.ms / rung->time.ms).text);
        return;
    }
    if (result->ladder_count > 0)
        text_add(out, "  No reference solution is faster.\n");
}

void report_add_ladder(const Result *result, TerminalStyle style, Text *out)
{
    add_bars(result, style, out);
    add_next_to_beat(result, out);
}
