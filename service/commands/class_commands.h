/* class_commands.h - `similar` where --class names a class.json, which the grader knows nothing of.  */
#ifndef SERVICE_COMMANDS_CLASS_COMMANDS_H
#define SERVICE_COMMANDS_CLASS_COMMANDS_H

#include "base/status.h"
#include "grader/commands/options.h"

/* It adds further sources, and what was handed out. */
MUST_USE Status command_similar_class(const Options *options, int *exit_status, Message *why);

#endif
