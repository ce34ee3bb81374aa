/* plot.h - draws a bar chart as an SVG file, by gnuplot if that is installed.  */
#ifndef GRADER_TERMINAL_PLOT_H
#define GRADER_TERMINAL_PLOT_H

#include "base/status.h"
#include "base/text.h"

typedef struct Plot { /* {0} is empty; the caller sets title and unit */
    Text title;
    const char *unit; /* of the heights of the bars */
    Text bars;        /* filled by plot_add() */
} Plot;

/* Adds a bar with its name below it; a bar of height 0 leaves its place empty. */
void plot_add(Plot *plot, const char *name, double height);
/* Writes the whole file at once. STATUS_NOT_FOUND: gnuplot is not installed. */
MUST_USE Status plot_write(const Plot *plot, const char *path, Message *why);
void plot_free(Plot *plot);

#endif
