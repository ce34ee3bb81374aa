/* command_similar_class.h - `convjudge similar` over a class: the file of the class adds further sources, and what was handed out.  */
#ifndef SERVICE_COMMANDS_COMMAND_SIMILAR_CLASS_H
#define SERVICE_COMMANDS_COMMAND_SIMILAR_CLASS_H

#include "base/status.h"
#include "grader/commands/options.h"

MUST_USE Status command_similar_class(const Options *options, int *exit_status, Message *why);

#endif
