/* client_command.h - the subcommands that talk to a server. They include nothing of it: what they know of it is docs/reference/api.md.
 * If one returns STATUS_OK, it has set `*exit_status`. Results go to standard output, progress to standard error.  */
#ifndef SERVICE_COMMANDS_CLIENT_COMMAND_H
#define SERVICE_COMMANDS_CLIENT_COMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Hands a file in. With --wait the exit status is that of `grade`, otherwise 0. */
MUST_USE Status command_submit(const Options *options, int *exit_status, Message *why);
/* Lists a person's submissions. */
MUST_USE Status command_runs(const Options *options, int *exit_status, Message *why);
/* Shows one submission: its head, report and source. */
MUST_USE Status command_show(const Options *options, int *exit_status, Message *why);
/* Compares the times of two submissions, case by case. */
MUST_USE Status command_compare(const Options *options, int *exit_status, Message *why);
/* Lists a person's submissions to each problem in their order, with the changes of time. */
MUST_USE Status command_history(const Options *options, int *exit_status, Message *why);
/* Takes back a submission that waits. */
MUST_USE Status command_withdraw(const Options *options, int *exit_status, Message *why);

#endif
