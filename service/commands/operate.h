/* operate.h - the subcommands of administrators that need no server. As in grader/commands/command.h.  */
#ifndef SERVICE_COMMANDS_OPERATE_H
#define SERVICE_COMMANDS_OPERATE_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Prints the settings of the service and its deadlines. Exit status 1: a deadline is not longer than the one inside it. */
MUST_USE Status command_check_config(const Options *options, int *exit_status, Message *why);

/* Says what the judge finds on this machine and what it lacks. Exit status 1: nothing can be graded. */
MUST_USE Status command_doctor(const Options *options, int *exit_status, Message *why);

/* The rows of a batch, and of what it changes of a submission, as `convjudge rejudge --json` writes them. */
extern const struct RecordTable rejudge_batch_table, rejudge_row_table;

#endif
