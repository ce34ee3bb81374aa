/* usage_line.h - takes the usage text of a subcommand apart, line by line (grader/commands/subcommand.h).
 *
 *     convjudge grade [--problem ID] FILE                  synopsis, with lines that are indented further
 *         Judges a CUDA source file.                       description
 *         --problem ID     default: what the file says     option: its term and what it does
 *                          or what solve() fits            more of the option
 */
#ifndef SERVICE_COMMANDS_USAGE_LINE_H
#define SERVICE_COMMANDS_USAGE_LINE_H

#include <stdbool.h>

typedef enum UsageKind { USAGE_SYNOPSIS, USAGE_MORE_SYNOPSIS, USAGE_DESCRIPTION, USAGE_OPTION, USAGE_MORE } UsageKind;

typedef struct UsageLine { /* parts of the usage text, not terminated */
    UsageKind kind;
    const char *term; /* options: "--problem ID" */
    int term_length;
    const char *text; /* without the spaces before it */
    int length;
} UsageLine;

/* Takes the line at `*at`, and moves on to the next. `line` holds the line before it, or nothing. False: there is none. */
bool usage_line_next(const char **at, UsageLine *line);

/* The first sentence of the description, or all of it up to a colon: its length at `*text`. */
int usage_line_summary(const char *usage, const char **text);

#endif
