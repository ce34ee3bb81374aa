/* worker_command.h - the subcommand of workers. As in grader/commands/command.h.  */
#ifndef SERVICE_WORKER_WORKER_COMMAND_H
#define SERVICE_WORKER_WORKER_COMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Judges what the service hands out through a folder, until it is told to stop. */
MUST_USE Status command_work(const Options *options, int *exit_status, Message *why);

#endif
