/* gradescope.h - the subcommand that a kit for Gradescope runs in its container. As in service/commands/client_command.h.  */
#ifndef SERVICE_COMMANDS_GRADESCOPE_H
#define SERVICE_COMMANDS_GRADESCOPE_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Hands in as `submit --wait` does, in the folders of an autograder, and writes its results.json. */
MUST_USE Status command_gradescope(const Options *options, int *exit_status, Message *why);

#endif
