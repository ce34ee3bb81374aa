/* command.h - the subcommands of convjudge. Each returns how it went; `*exit_status` is 0 or 1 where that is STATUS_OK.
 * Results go to standard output, progress to standard error.  */
#ifndef GRADER_COMMANDS_COMMAND_H
#define GRADER_COMMANDS_COMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Judges one submission. 1: not accepted. */
MUST_USE Status command_grade(const Options *options, int *exit_status, Message *why);
/* Prints a problem's ranking. */
MUST_USE Status command_leaderboard(const Options *options, int *exit_status, Message *why);
/* Times a problem's reference solutions. */
MUST_USE Status command_references(const Options *options, int *exit_status, Message *why);
/* Measures a GPU's ceilings, and times the reference solutions of all problems. */
MUST_USE Status command_calibrate(const Options *options, int *exit_status, Message *why);
/* Holds solutions to the verdicts that they claim, as TAP. 1: one of them gets another. */
MUST_USE Status command_check(const Options *options, int *exit_status, Message *why);
/* Holds a whole problem to what a problem must be, as TAP, up to the first thing that is missing. 1: something is. */
MUST_USE Status command_check_problem(const Options *options, int *exit_status, Message *why);
/* Times a problem's CPU baselines and its reference solutions, and prints them in one table. 1: one is not accepted. */
MUST_USE Status command_baselines(const Options *options, int *exit_status, Message *why);
/* Says where a submission's modelled time goes, line by line, and what to change. 1: it is not accepted. */
MUST_USE Status command_explain(const Options *options, int *exit_status, Message *why);
/* Times a file with every combination of the macros that it names. 1: none is accepted. */
MUST_USE Status command_sweep(const Options *options, int *exit_status, Message *why);

#endif
