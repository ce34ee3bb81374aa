/* terminal.h - what a terminal (or file) can show, and text in columns.  */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

/* ==== quantity ==================================================================================================== */

/* Numbers as people read them: one function for each kind of quantity, so that a kind looks the same
 * wherever it is shown.
 *
 * Every text is ASCII and takes at most QUANTITY_COLUMNS columns, whatever the number, so that a column that is one
 * wider never runs into its neighbour. A number that is too large or too small for its form stands as ">LIMIT" or
 * "<LIMIT"; one that is negative or NaN is absent and stands as "-". Exact numbers are in the JSON files.
 *
 * Use      text_printf(out, "%9s", quantity_time(1.5).text) */

enum { QUANTITY_COLUMNS = 8 };

typedef struct Quantity {
    char text[2 * QUANTITY_COLUMNS]; /* at most QUANTITY_COLUMNS of them */
} Quantity;

/* A time in milliseconds, with four digits and the unit that suits: "41.23 us", "1.234 ms", "12.35 s", "2.778 h". */
Quantity quantity_time(double ms);
/* A share as a percentage, with `decimals` (0 or 1) below a hundred percent: 0.506 is "50.6 %" or "51 %". */
Quantity quantity_percent(double share, int decimals);
/* Billions of something per second, with four digits, or all digits before the point: "202.4", "25295". */
Quantity quantity_rate(double rate);
/* One number over another, with three digits, or all digits before the point: "1.11", "0.25", "2047". */
Quantity quantity_ratio(double ratio);
/* A number of events, whole or with a letter for thousands: "640", "16.4K", "2.1M". */
Quantity quantity_count(double count);
/* The mean of small whole numbers, such as lanes per warp: "31.5". */
Quantity quantity_mean(double mean);
/* A rounding error, of any magnitude, with two digits: "3.1e-08". */
Quantity quantity_error(double error);

/* ==== json target ================================================================================================= */

/* The place that `--json FILE` names: a file, or "-" for standard output. */

/* Finds out before minutes of judging whether the result can be written. Writing replaces the file, so it must not be a
 * device such as /dev/null, or the submission. `path` may be NULL: nothing will be written. */
MUST_USE Status json_target_check(const char *path, const char *submission, Message *why);
MUST_USE Status json_target_write(const char *path, const Text *text, Message *why);

/* ==== terminal ==================================================================================================== */

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
/* printf() whose %s are lines such as that. The conversions are those of text_add_escaped(). */
__attribute__((format(printf, 2, 3))) void terminal_print(Text *out, const char *format, ...);

/* ==== progress ==================================================================================================== */

/* Shows the steps of a grading on standard error while they run.
 *
 * On a terminal the current step is a bar, redrawn at most 20 times per second. Elsewhere each step is one line, which
 * begins and ends with the step. A NULL Progress shows nothing.
 *
 * With CONVJUDGE_PROGRESS=lines in the environment, another program reads along: each change is a line of its own,
 * "progress 1/3 timed cases", and "progress 0/0 compile" where the amount of work is unknown. There are no notes and no
 * outcomes then. */

typedef struct Progress {
    FILE *stream;
    TerminalStyle style;
    bool lines; /* for a program that reads along */
    const char *step;
    int done, total;
    double drawn_at_s;
    double noted_at_s;
} Progress;

Progress progress_new(FILE *stream);

/* `step` must live until progress_end(). `total` 0: the amount of work is unknown. */
void progress_begin(Progress *progress, const char *step, int total);
/* Does the same, with `done` of `total` parts done already. */
void progress_begin_at(Progress *progress, const char *step, int done, int total);
void progress_advance(Progress *progress);
/* `parts` of those that are left will not be needed. */
void progress_skip(Progress *progress, int parts);
/* Says something about the current step: on a terminal instead of the bar until that is redrawn; elsewhere in a line of
 * its own, at most every ten seconds. */
__attribute__((format(printf, 2, 3))) void progress_note(Progress *progress, const char *format, ...);
/* Replaces the bar by the outcome. */
void progress_end(Progress *progress, const char *outcome);

#endif
