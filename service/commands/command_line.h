/* command_line.h - what the programs convjudge and convjudge-service do with their words: find the subcommand, parse its
 * options, run it, and say in one line what went wrong.
 *
 * convjudge judges, and links only with what a bare GPU node has. convjudge-service holds what needs the libraries of HTTP:
 * the server, and the commands that talk to it. Each knows the help of both.  */
#ifndef SERVICE_COMMANDS_COMMAND_LINE_H
#define SERVICE_COMMANDS_COMMAND_LINE_H

#include "base/text.h"
#include "service/commands/subcommand.h"

/* ==== help ======================================================================================================== */

/* What `convjudge help` prints, and the parts of it that the manual page has, too. */

/* All commands by their readers, a line each. */
void help_overview(Text *text);
/* All that is known of one, with its options. */
void help_of(const Subcommand *subcommand, Text *text);

/* "convjudge grade [OPTION]... FILE", a line for each form. */
void help_synopsis(const Subcommand *subcommand, Text *text);
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
