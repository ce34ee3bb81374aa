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
    const char *problem;    /* NULL: not given; likewise the other strings */
    const char *device;
    const char *person;
    const char *json;
    const char *class_file;         /* name of a file */
    const char *csv;                /* name of a file */
    const char *summary;            /* likewise */
    const char *all_cases;          /* likewise */
    const char *gradescope, *junit; /* names of files */
    const char *seed;
    const char *accept, *reject; /* numbers of runs */
    const char *why;
    const char *top;
    const char *run;         /* its number */
    const char *threshold;   /* percent */
    OptionValues earlier;    /* names of folders, files and databases */
    OptionValues handed_out; /* names of folders and files */
    const char *mutants;     /* how many */
    const char *timed_case;  /* a number, or a name */
    const char *sizes;       /* "input_size=1000,kernel_size=7" */
    const char *data;        /* names of files */
    const char *state;       /* name of a folder */
    const char *listen;      /* "127.0.0.1:8080" */
    const char *socket;      /* path */
    const char *config;      /* name of a file */
    const char *role;        /* "teacher" */
    const char *server;      /* a URL, or the path of a Unix socket */
    const char *minutes;     /* how long to wait for a server */
    const char *by;          /* who a person of another system is here: "email", "login", "name" */
    const char *key;         /* of a submission, from a command that hands in for another system; no option */
    const char *mode;        /* of a submission: "try", "test", "rank" */
    const char *out;         /* name of a folder */
    bool sources;
    const char *since;                /* "2026-01-31T12:00:00Z" */
    const char *runs;                 /* "3,5,8" */
    const char *batch, *apply, *drop; /* numbers of batches */
    bool list;
    const char *dir;   /* name of a folder */
    const char *spool; /* name of a folder */
    const char *name;  /* of a worker */
    bool once;
    const char *pilot, *idle; /* minutes, seconds */
    const char *engine;       /* who judges for the server: "workers", "slurm" */
    bool trial;
    bool record, no_record;
    bool untimed;
    bool no_explain;
    bool hand_in_only;
    bool no_second_opinion;
    bool only_missing;
    bool export_times;
    bool timed;
    bool ncu;
    bool unconfined;
    bool wait;
    bool no_code;
    const char *keep; /* a file for mutant_log.h */
    bool thorough;
    bool mutants_only;
    bool help;
    char **operands; /* the other words: names of files */
    int operand_count;
} Options;

typedef struct OptionName {
    const char *name; /* without the dashes */
    bool takes_value;
    bool is_common; /* all subcommands take it, whether it means anything to them or not */
} OptionName;

/* The `n`-th option that a subcommand takes; false: there are fewer. */
bool options_of(const char *subcommand, int n, OptionName *option);

/* Parses the words after "convjudge": the subcommand, then options ("--name VALUE" or "--name=VALUE"; the beginning
 * of a name is enough if only one option begins so) and files in any order. After "--" there are only files. The
 * files are moved to the front of `argv`. Refuses an option that is unknown, given twice, without its value, or of
 * another subcommand. */
MUST_USE Status options_parse(int argc, char **argv, Options *options, Message *why);

/* Reads the number of a run; `where` names its place in the message ("option '--accept'"). */
MUST_USE Status options_run_number(const Options *options, const char *where, const char *text, int64_t *run,
                                   Message *why);
/* Refuses any number of files but one. */
MUST_USE Status options_expect_file(const Options *options, Message *why);
/* Refuses a missing --problem, and any file. */
MUST_USE Status options_expect_problem(const Options *options, Message *why);
MUST_USE Status options_expect_no_file(const Options *options, Message *why);

#endif
