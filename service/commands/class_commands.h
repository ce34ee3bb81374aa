/* class_commands.h - `grade` and `similar` where --class names a class.json, which the grader knows nothing of.  */
#ifndef SERVICE_COMMANDS_CLASS_COMMANDS_H
#define SERVICE_COMMANDS_CLASS_COMMANDS_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Its points go into the files for other systems. */
MUST_USE Status command_grade_class_points(const Options *options, int *exit_status, Message *why);
/* It adds further sources, and what was handed out. */
MUST_USE Status command_similar_class(const Options *options, int *exit_status, Message *why);

#endif
