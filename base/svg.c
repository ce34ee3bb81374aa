#include "base/svg.h"

#include "base/html.h"

#include <math.h>
#include <stdio.h>

/* ---- axes -------------------------------------------------------------------------------------------------------- */

PlotAxis axis_around(double low, double high, double from, double to, bool is_log)
{
    static const double ROOM = 1.15;
    PlotAxis axis = {.low = 0, .high = high > 0 ? high * 1.08 : 1, .from = from, .to = to, .is_log = is_log};
    if (is_log) {
        axis.low = low / ROOM;
        axis.high = high * ROOM;
    }
    return axis;
}

double axis_at(const PlotAxis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                                : (value - axis->low) / (axis->high - axis->low);
    share = share >= 0 ? fmin(share, 1) : 0; /* a NaN stands at 0 */
    return axis->from + share * (axis->to - axis->from);
}

/* Ticks that are being collected, each at its distance from the one before. */
typedef struct Ticks {
    const PlotAxis *axis;
    double gap, *values;
    int count;
} Ticks;

static void add_tick(Ticks *ticks, double value)
{
    bool is_within = value >= ticks->axis->low && value <= ticks->axis->high;
    if (!is_within || ticks->count == AXIS_MAX_TICKS)
        return;
    if (ticks->count > 0 &&
        fabs(axis_at(ticks->axis, value) - axis_at(ticks->axis, ticks->values[ticks->count - 1])) < ticks->gap)
        return;
    ticks->values[ticks->count++] = value;
}

/* Multiples of 1, 2, 2.5 or 5 times a power of ten. */
static void add_linear_ticks(Ticks *ticks)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double range = ticks->axis->high - ticks->axis->low, unit = pow(10, floor(log10(range / 4)));
    int i = 0;
    while (i < 4 && range / (unit * steps[i]) > 5)
        i++;
    double step = unit * steps[i];
    for (double at = ceil(ticks->axis->low / step); at * step <= ticks->axis->high; at++)
        add_tick(ticks, at * step);
}

/* Powers of ten, with as many values between them as leave enough room for labels. */
static void add_log_ticks(Ticks *ticks)
{
    static const double within[] = {1, 1.5, 2, 3, 5, 7};
    double decades = log10(ticks->axis->high / ticks->axis->low), skip = ceil(decades / AXIS_MAX_TICKS);
    int step = decades < 0.8 ? 1 : decades < 2.2 ? 2 : 6; /* all of them, 1 2 5, or 1 alone */
    for (double power = floor(log10(ticks->axis->low)); power <= ceil(log10(ticks->axis->high)); power += skip)
        for (int i = 0; i < 6; i += step)
            add_tick(ticks, within[i] * pow(10, power));
}

int axis_ticks(const PlotAxis *axis, double gap, double values[AXIS_MAX_TICKS])
{
    Ticks ticks = {.axis = axis, .gap = gap, .values = values};
    if (axis->is_log)
        add_log_ticks(&ticks);
    if (ticks.count < 2) { /* so short a piece of a logarithmic axis is nearly even */
        ticks.count = 0;
        add_linear_ticks(&ticks);
    }
    return ticks.count;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

void svg_begin(Text *page, const char *id, double height, const char *title, const char *description)
{
    html_add(page,
             "<svg class=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n"
             "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n",
             PLOT_WIDTH, height, id, id, id, title, id, description);
}

void svg_end(Text *page)
{
    html_raw(page, "</svg>\n");
}

void svg_line(Text *page, const char *class, double x1, double y1, double x2, double y2)
{
    html_add(page, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2);
}

void svg_rect(Text *page, const char *class, double x, double y, double width, double height)
{
    html_add(page, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class, x, y, width,
             height);
}

static void add_tip(Text *page, const char *tip, const char *element)
{
    if (tip == NULL)
        html_raw(page, "/>\n");
    else
        html_add(page, "><title>%s</title></%s>\n", tip, element);
}

void svg_disc(Text *page, const char *class, double x, double y, double radius, const char *tip)
{
    html_add(page, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", class, x, y, radius);
    add_tip(page, tip, "circle");
}

void svg_diamond(Text *page, const char *class, double x, double y, double radius, const char *tip)
{
    html_add(page, "<path class=\"%s\" d=\"M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz\"", class, x, y - radius,
             radius, radius, radius, radius, radius, radius);
    add_tip(page, tip, "path");
}

void svg_label(Text *page, const char *class, double x, double y, const char *anchor, const char *text)
{
    html_add(page, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", class, x, y, anchor,
             text);
}

void svg_number(Text *page, const char *class, double x, double y, const char *anchor, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    svg_label(page, class, x, y, anchor, text);
}

void svg_cells(Text *page, const CellGrid *grid, const char *const *classes, int class_count, const int *class_of)
{
    enum { MOST_APART = 700 };
    const uint32_t most = grid->rows * grid->columns <= MOST_APART ? 1 : grid->columns;
    for (int class = 0; class < class_count; class ++) {
        const size_t before = page->length;
        for (uint32_t row = 0; row < grid->rows; row++)
            for (uint32_t column = 0, count; column<grid->columns; column += count> 0 ? count : 1) {
                for (count = 0; count < most && column + count < grid->columns &&
                                class_of[row * grid->columns + column + count] == class;
                     count++)
                    continue;
                const double width = grid->width * count - 0.5;
                if (count > 0 && page->length == before)
                    html_add(page, "<path class=\"%s\" d=\"", classes[class]);
                if (count > 0)
                    html_add(page, "M%g %gh%gv%gh%gz", grid->left + grid->width * column,
                             grid->top + grid->height * row, width, grid->height - 0.5, -width);
            }
        if (page->length > before)
            html_raw(page, "\"/>\n");
    }
}
