/* scores_commands.h - the subcommands of teachers about a whole class. As in grader/commands/command.h.  */
#ifndef SERVICE_COURSE_SCORES_COMMANDS_H
#define SERVICE_COURSE_SCORES_COMMANDS_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Prints what follows from a class.json. */
MUST_USE Status command_check_class(const Options *options, int *exit_status, Message *why);

#endif
