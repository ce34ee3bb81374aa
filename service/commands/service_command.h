/* service_command.h - the functions of the service's subcommands, as grader/commands/command.h has those of the judge's.  */
#ifndef SERVICE_COMMANDS_SERVICE_COMMAND_H
#define SERVICE_COMMANDS_SERVICE_COMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Runs the server until SIGTERM or SIGINT. */
MUST_USE Status command_serve(const Options *options, int *exit_status, Message *why);
/* Judges all that a class has handed in. `*exit_status` 1: something was refused, or the judge failed at it. */
MUST_USE Status command_grade_class(const Options *options, int *exit_status, Message *why);
/* Adds a token of a person, or revokes all of them. */
MUST_USE Status command_token(const Options *options, int *exit_status, Message *why);
/* Lets submissions be judged again, and decides whether that counts. */
MUST_USE Status command_rejudge(const Options *options, int *exit_status, Message *why);
/* Copies the database of the service while it runs. */
MUST_USE Status command_backup(const Options *options, int *exit_status, Message *why);
/* Writes the leaderboard as a folder of pages. */
MUST_USE Status command_report(const Options *options, int *exit_status, Message *why);
/* Writes what each person of a class has reached. */
MUST_USE Status command_scores(const Options *options, int *exit_status, Message *why);

#endif
