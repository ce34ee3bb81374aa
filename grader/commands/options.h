/* options.h - the command line of every subcommand.  */
#ifndef GRADER_COMMANDS_OPTIONS_H
#define GRADER_COMMANDS_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>

typedef struct Options {
    const char *problem; /* NULL where it was not given; the others likewise */
    const char *device;
    const char *person;
    const char *json;
    bool no_record;
    bool export_times;
    bool timed;
    bool ncu;
    bool help;
    char **operands; /* what is left: files */
    int operand_count;
} Options;

/* `accepted` holds the letters of the options that this subcommand takes: problem p, device d, as a, json j, no-record
 * n, export e, timed t, ncu u. Every subcommand takes --help. */
MUST_USE Status options_parse(int argc, char **argv, const char *accepted, Options *options, Message *why);

#endif
