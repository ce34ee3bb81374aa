#include "service/pages/svg.h"

#include "service/pages/html.h"

#include <math.h>

/* ---- axes -------------------------------------------------------------------------------------------------------- */

Axis axis_around(double low, double high, double from, double to, bool is_log)
{
    static const double ROOM = 1.15;
    Axis axis = {.low = 0, .high = high > 0 ? high * 1.08 : 1, .from = from, .to = to, .is_log = is_log};
    if (is_log) {
        axis.low = low / ROOM;
        axis.high = high * ROOM;
    }
    return axis;
}

double axis_at(const Axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                                : (value - axis->low) / (axis->high - axis->low);
    share = share >= 0 ? fmin(share, 1) : 0; /* a NaN stands at 0 */
    return axis->from + share * (axis->to - axis->from);
}

/* The multiples of `step` within the axis. */
static int linear_ticks(const Axis *axis, double ticks[AXIS_MAX_TICKS])
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double range = axis->high - axis->low, unit = pow(10, floor(log10(range / 4)));
    int i = 0, count = 0;
    while (i < 4 && range / (unit * steps[i]) > 5)
        i++;
    double step = unit * steps[i];
    for (double at = ceil(axis->low / step) * step; at <= axis->high && count < AXIS_MAX_TICKS; at += step)
        ticks[count++] = at;
    return count;
}

/* Powers of ten, with as many values between them as leave enough room for labels. */
static int log_ticks(const Axis *axis, double ticks[AXIS_MAX_TICKS])
{
    static const double all[] = {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, some[] = {1, 2, 5}, few[] = {1};
    double decades = log10(axis->high / axis->low);
    const double *within = decades < 0.75 ? all : decades < 2.2 ? some : few;
    int within_count = decades < 0.75 ? 10 : decades < 2.2 ? 3 : 1, count = 0;
    double skip = ceil(decades / AXIS_MAX_TICKS);
    for (double power = floor(log10(axis->low)); power <= ceil(log10(axis->high)); power += skip)
        for (int i = 0; i < within_count && count < AXIS_MAX_TICKS; i++) {
            double value = within[i] * pow(10, power);
            if (value >= axis->low && value <= axis->high)
                ticks[count++] = value;
        }
    return count;
}

int axis_ticks(const Axis *axis, double ticks[AXIS_MAX_TICKS])
{
    return axis->is_log ? log_ticks(axis, ticks) : linear_ticks(axis, ticks);
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
