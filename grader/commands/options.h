/* options.h - the command line of every subcommand.  */
#ifndef GRADER_COMMANDS_OPTIONS_H
#define GRADER_COMMANDS_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTION_MOST_VALUES = 64 };

typedef struct OptionValues { /* of an option that may be given several times */
    const char *items[OPTION_MOST_VALUES];
    size_t count;
} OptionValues;

typedef struct Options {
    const char *subcommand; /* "grade" */
    char **operands;        /* the words that are no options: names of files, numbers of runs */
    int operand_count;
    const char *key; /* of a submission, from a command that hands in for another system; no option */
    char gpu[64];    /* the text of `device` where it was called "gpu" */
    /* A member for each option, whose row says what it means. NULL, false or empty: not given. */
#define TEXT const char *
#define LIST OptionValues
#define FLAG bool
#define OPTION(kind, member, name, argument, takers, what) kind member;
#define MORE(kind, member, name, argument, takers, what)
#include "grader/commands/options.def"
#undef TEXT
#undef LIST
#undef FLAG
#undef OPTION
#undef MORE
} Options;

typedef enum OptionKind { OPTION_TEXT, OPTION_LIST, OPTION_FLAG } OptionKind;

typedef struct Option { /* a row of options.def */
    OptionKind kind;
    size_t member;        /* offset in Options */
    const char *name;     /* without the dashes */
    const char *argument; /* "FILE"; "": it takes none */
    const char *takers;
    const char *what;
} Option;

/* The `n`-th option to which a subcommand gives a meaning; NULL: there are fewer. "": the `n`-th row of all. */
const Option *options_of(const char *subcommand, int n);

/* Parses the words after "convjudge": the subcommand, then options ("--name VALUE" or "--name=VALUE"; the beginning
 * of a name is enough if only one option begins so) and files in any order. After "--" there are only files. The
 * files are moved to the front of `argv`. Refuses an option that is unknown, given twice, without its value, or of
 * another subcommand. */
MUST_USE Status options_parse(int argc, char **argv, Options *options, Message *why);

/* Reads the number of a run; `where` names its place in the message ("option '--accept'"). */
MUST_USE Status options_run_number(const Options *options, const char *where, const char *text, int64_t *run,
                                   Message *why);
/* Reads the value of an option, "--top", which must be from `low` to `high`; NULL, not given: `*number` stays as it is. */
MUST_USE Status options_number(const Options *options, const char *option, const char *text, int64_t low, int64_t high,
                               int64_t *number, Message *why);
/* Refuses any number of files but one. */
MUST_USE Status options_expect_file(const Options *options, Message *why);
/* Refuses a missing --problem, and any file. */
MUST_USE Status options_expect_problem(const Options *options, Message *why);
MUST_USE Status options_expect_no_file(const Options *options, Message *why);

#endif
