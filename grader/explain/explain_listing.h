/* explain_listing.h - the source with what each line costs, in columns of figures before it.  */
#ifndef GRADER_EXPLAIN_EXPLAIN_LISTING_H
#define GRADER_EXPLAIN_EXPLAIN_LISTING_H

#include "grader/explain/explain.h"
#include "grader/terminal/terminal.h"

/* Adds the lines with instructions, and those around them. A listing of few columns has fewer figures. */
void explain_listing(const Explanation *explanation, const char *source, TerminalStyle style, int width, Text *out);

/* Adds a line cut to `columns`, with four spaces for each tab. */
void explain_source_line(const char *text, size_t length, int columns, Text *out);

#endif
