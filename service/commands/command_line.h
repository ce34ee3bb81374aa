/* command_line.h - what the programs convjudge and convjudge-service do with their words: find the subcommand, parse its
 * options, run it, and say in one line what went wrong.
 *
 * convjudge judges, and links only with what a bare GPU node has. convjudge-service holds what needs the libraries of HTTP:
 * the server, and the commands that talk to it. Each knows the help of both.  */
#ifndef SERVICE_COMMANDS_COMMAND_LINE_H
#define SERVICE_COMMANDS_COMMAND_LINE_H

#include "base/status.h"
#include "base/text.h"
#include "grader/commands/options.h"

/* ==== commands ==================================================================================================== */

/* The table of all commands, of whichever program (subcommands.def). */

/* The overview names a command of RARELY + reader without its sentence. */
typedef enum Reader { STUDENT, INSTRUCTOR, AUTHOR, ADMINISTRATOR, READER_COUNT, RARELY = READER_COUNT } Reader;
typedef enum SandboxNeed { WITH_SANDBOX, WITHOUT_SANDBOX } SandboxNeed;

/* Fills in *exit_status where it returns STATUS_OK: 0, or 1 where what was asked for is not so. Results go to standard output, progress
 * to standard error. */
typedef Status CommandFunction(const Options *options, int *exit_status, Message *why);

#define LOCAL(reader, name, function, ...)                                                                             \
    MUST_USE Status function(const Options *options, int *exit_status, Message *why);
#define ONLINE LOCAL
#include "service/commands/subcommands.def"
#undef LOCAL
#undef ONLINE

typedef struct Subcommand {
    Reader reader;
    const char *name;
    CommandFunction *run; /* NULL: in convjudge-service alone */
    SandboxNeed sandbox;
    const char *operands, *what, *more;
} Subcommand;

extern const Subcommand subcommands[]; /* the last one has no name */

/* ==== help ======================================================================================================== */

/* What `convjudge help` prints, and the parts of it that the manual page has, too. */

/* All commands by their readers: a line for each that they need often, and the names of the others. */
void help_overview(Text *text);
/* All that is known of one, with its options. */
void help_of(const Subcommand *subcommand, Text *text);

/* "--json FILE|-" */
void help_term(const Option *option, Text *text);

/* ==== command line ================================================================================================ */

/* Carries out a subcommand that has no function in the table, and returns the program's exit status. */
typedef int (*RunElsewhere)(const Subcommand *subcommand, int argc, char **argv);

/* Parses the options of a subcommand and runs `run`; the exit status. */
int command_line_run(const Subcommand *subcommand, CommandFunction *run, int argc, char **argv);

/* Runs a command of convjudge-service in this process. Only that program links the functions. */
int command_line_online(const Subcommand *subcommand, int argc, char **argv);

/* All of main(): finds the subcommand in all tables, and answers `help` and --version. */
int command_line(int argc, char **argv, RunElsewhere elsewhere);

/* Prints "convjudge: TEXT" to standard error; the exit status 2. */
int command_line_complain(const char *text);

#endif
