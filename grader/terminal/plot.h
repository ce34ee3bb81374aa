/* plot.h - a bar chart as an SVG file, by gnuplot where that is installed.  */
#ifndef GRADER_TERMINAL_PLOT_H
#define GRADER_TERMINAL_PLOT_H

#include "base/status.h"
#include "base/text.h"

typedef struct Plot { /* {0} is empty; title and unit are set by the caller */
    Text title;
    const char *unit; /* what the bars' height means */
    Text bars;        /* plot_add() fills it */
} Plot;

/* A bar under its name; one of height 0 leaves its place empty. */
void plot_add(Plot *plot, const char *name, double height);
/* Writes the file as a whole. STATUS_NOT_FOUND: there is no gnuplot. */
MUST_USE Status plot_write(const Plot *plot, const char *path, Message *why);
void plot_free(Plot *plot);

#endif
