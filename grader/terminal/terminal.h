/* terminal.h - what a terminal (or file) can show, and text in columns.  */
#ifndef GRADER_TERMINAL_TERMINAL_H
#define GRADER_TERMINAL_TERMINAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct TerminalStyle {
    bool redraw; /* a line can be redrawn */
    bool colour;
    bool utf8;
    int width; /* columns */
} TerminalStyle;

typedef enum TerminalColour { COLOUR_GOOD, COLOUR_BAD, COLOUR_MARK } TerminalColour;

/* The style of a stream. A terminal that is not dumb gets redrawing and colour; NO_COLOR switches colour off, and
 * CLICOLOR_FORCE switches it on anywhere (no-color.org, bixense.com/clicolors). What is no terminal is as wide as COLUMNS
 * says. Needs setlocale(). */
TerminalStyle terminal_style(FILE *stream);

/* Adds `text` in a colour if the style has colour. */
void terminal_colour(TerminalStyle style, Text *out, TerminalColour colour, const char *text);

/* The number of columns of UTF-8 text: wide characters take two, combining ones none. */
int terminal_columns(const char *text);
/* Adds text in a column of a table. `columns` > 0: at the left, cut to that width, with spaces behind it. < 0: at the
 * right, never cut, with spaces before it, at least one, so that it never runs into the column to its left. */
void terminal_pad(Text *out, const char *text, int columns);

/* Adds text as one line: control characters and line breaks become '?'. */
void terminal_add_line(Text *out, const char *text);

#endif
