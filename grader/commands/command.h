/* command.h - the subcommands of convjudge. If one returns STATUS_OK, it has set `*exit_status` to 0 or 1. Results
 * go to standard output, progress to standard error.  */
#ifndef GRADER_COMMANDS_COMMAND_H
#define GRADER_COMMANDS_COMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"
#include "grader/commands/request.h"

/* Judges one submission; `points` is asked where --class names a file. Exit status 1: it is not accepted. */
MUST_USE Status command_grade(const Options *options, ClassPoints points, int *exit_status, Message *why);
/* Judges one submission on a case of its author's own, or on the samples alone. Exit status 1: it is not right. */
MUST_USE Status command_try(const Options *options, int *exit_status, Message *why);
/* Shows from which terms an element of the output was computed. Exit status 1: it is not right. */
MUST_USE Status command_trace(const Options *options, int *exit_status, Message *why);
/* Shows what warps ask of memory at a line, and how often a block reads each element. Exit status 1: it is not accepted. */
MUST_USE Status command_look(const Options *options, int *exit_status, Message *why);
/* Prints a problem's ranking. */
MUST_USE Status command_leaderboard(const Options *options, int *exit_status, Message *why);
/* Lists the runs that wait in quarantine, or accepts or rejects one. */
MUST_USE Status command_quarantine(const Options *options, int *exit_status, Message *why);
/* Times the best submissions of a problem side by side, or one run again. Exit status 1: the order is not the stored one, or one of
 * them is no longer accepted. */
MUST_USE Status command_check_board(const Options *options, int *exit_status, Message *why);
MUST_USE Status command_retime(const Options *options, int *exit_status, Message *why);
/* Checks that the leaderboard follows from what was measured. Exit status 1: it does not. */
MUST_USE Status command_verify_leaderboard(const Options *options, int *exit_status, Message *why);
/* Hides a run from the ranking. */
MUST_USE Status command_retract(const Options *options, int *exit_status, Message *why);
/* Names equal and nearly equal submissions of different people. */
MUST_USE Status command_similar(const Options *options, int *exit_status, Message *why);
/* Times a problem's reference solutions. */
MUST_USE Status command_references(const Options *options, int *exit_status, Message *why);
/* Measures the peak rates of a GPU, and times the reference solutions of all problems. */
MUST_USE Status command_calibrate(const Options *options, int *exit_status, Message *why);
/* Checks that solutions get the verdicts that they claim, and prints TAP. Exit status 1: one of them does not. */
MUST_USE Status command_check(const Options *options, int *exit_status, Message *why);
/* Checks that a problem is complete, names all that is missing, and prints TAP. Exit status 1: something is missing. */
MUST_USE Status command_check_problem(const Options *options, int *exit_status, Message *why);
/* Makes a problem of another judge's or course's exercise. Exit status 1: the judge cannot read it yet. */
MUST_USE Status command_import(const Options *options, int *exit_status, Message *why);
/* Times a problem's CPU baselines and reference solutions, and prints one table. Exit status 1: one is not accepted. */
MUST_USE Status command_baselines(const Options *options, int *exit_status, Message *why);
/* Shows the rooflines of a problem, and how near to them its reference solutions and their rivals are. Exit status 1: a
 * reference solution is not accepted, or a rival is nearly as fast. */
MUST_USE Status command_roofline(const Options *options, int *exit_status, Message *why);
/* Shows where a submission's time goes, line by line, and what to change. Exit status 1: it is not accepted. */
MUST_USE Status command_explain(const Options *options, int *exit_status, Message *why);
/* Prints the facts of a submission, which the conditions of a ladder are about. Exit status 1: it is not accepted. */
MUST_USE Status command_facts(const Options *options, int *exit_status, Message *why);
/* Times a file with every combination of the macros that it lists. Exit status 1: no combination is accepted. */
MUST_USE Status command_sweep(const Options *options, int *exit_status, Message *why);

#endif
