/* own_program.h - convjudge, beside convjudge-service: what workers run.  */
#ifndef SERVICE_COMMANDS_OWN_PROGRAM_H
#define SERVICE_COMMANDS_OWN_PROGRAM_H

#include "base/status.h"

enum { OWN_PROGRAM_BYTES = 4096 };

/* Its path. SYSTEM: it is not there, or cannot be executed. */
MUST_USE Status own_program(char path[OWN_PROGRAM_BYTES], Message *why);

#endif
