/* svg.h - the parts that all plots are made of: a frame with a title for screen readers, axes, marks and labels.
 *
 * Plots are inline SVG in units of a canvas 400 wide, which the style sheet scales to the page. All colours are classes,
 * since they differ between light and dark. Marks differ in shape as well as in colour.  */
#ifndef BASE_SVG_H
#define BASE_SVG_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { PLOT_WIDTH = 400 };

typedef struct PlotAxis {
    double low, high; /* values at the ends */
    double from, to;  /* canvas positions of the ends */
    bool is_log;
} PlotAxis;

/* An axis from 0 or, if it is logarithmic, with some room around the values between `low` and `high`. */
PlotAxis axis_around(double low, double high, double from, double to, bool is_log);
/* The position of a value, which is kept within the axis. */
double axis_at(const PlotAxis *axis, double value);
/* Round values to label, within the axis and at least `gap` apart on the canvas; their number. */
enum { AXIS_MAX_TICKS = 8 };
int axis_ticks(const PlotAxis *axis, double gap, double ticks[AXIS_MAX_TICKS]);

/* `id` is unique on the page. */
void svg_begin(Text *page, const char *id, double height, const char *title, const char *description);
void svg_end(Text *page);
void svg_line(Text *page, const char *class, double x1, double y1, double x2, double y2);
void svg_rect(Text *page, const char *class, double x, double y, double width, double height);
/* A disc, with a tip if `tip` is not NULL. */
void svg_disc(Text *page, const char *class, double x, double y, double radius, const char *tip);
/* A square that stands on a corner. */
void svg_diamond(Text *page, const char *class, double x, double y, double radius, const char *tip);
/* `anchor` is "start", "middle" or "end". */
void svg_label(Text *page, const char *class, double x, double y, const char *anchor, const char *text);
void svg_number(Text *page, const char *class, double x, double y, const char *anchor, uint64_t number);

typedef struct CellGrid {
    uint32_t rows, columns;
    double left, top, width, height; /* the first corner; of a cell */
} CellGrid;

/* Draws cells, given row by row, as one path for each class: a page with an element for each cell would be ten times as
 * large. Of many cells, those in a row that have the same class are one rectangle. Class -1 is not drawn. */
void svg_cells(Text *page, const CellGrid *grid, const char *const *classes, int class_count, const int *class_of);

#endif
