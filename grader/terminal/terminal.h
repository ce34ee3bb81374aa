/* terminal.h - what the place that text goes to can show, and text laid out in columns.  */
#ifndef GRADER_TERMINAL_TERMINAL_H
#define GRADER_TERMINAL_TERMINAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct TerminalStyle {
    bool redraw; /* a line can be drawn over */
    bool colour;
    bool utf8;
    int width; /* columns */
} TerminalStyle;

typedef enum TerminalColour { COLOUR_GOOD, COLOUR_BAD, COLOUR_MARK } TerminalColour;

/* For a stream: redrawing and colour on a terminal that is not dumb; NO_COLOR takes colour away, CLICOLOR_FORCE gives
 * it anywhere (no-color.org, bixense.com/clicolors). Needs setlocale(). */
TerminalStyle terminal_style(FILE *stream);

/* Adds `text` in a colour, or plainly. */
void terminal_colour(TerminalStyle style, Text *out, TerminalColour colour, const char *text);

/* Columns that UTF-8 text takes: wide characters two, combining ones none. */
int terminal_columns(const char *text);
/* Adds text in a column of a table. `columns` > 0: at the left, cut to that width, with spaces behind it. < 0: at the
 * right, never cut, with spaces before it, at least one, so that it never runs into the column to its left. */
void terminal_pad(Text *out, const char *text, int columns);

/* Adds one line for the screen or a log: control characters and line breaks become '?'. */
void terminal_add_line(Text *out, const char *text);

#endif
