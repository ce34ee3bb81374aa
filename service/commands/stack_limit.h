/* stack_limit.h - a stack that is large enough, whatever the caller's shell allows (ulimit -s).  */
#ifndef SERVICE_COMMANDS_STACK_LIMIT_H
#define SERVICE_COMMANDS_STACK_LIMIT_H

#include <stdbool.h>

/* Raises the limit to 8 MiB, or as far as the system allows, and starts the program again with it: threads get stacks of the
 * size that the limit had when the program began. False: even the system's limit is too low for a grading. */
bool stack_limit_raise(char **argv);

#endif
