/* subcommand.h - the table of all commands, of whichever program (subcommands.def).  */
#ifndef SERVICE_COMMANDS_SUBCOMMAND_H
#define SERVICE_COMMANDS_SUBCOMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

typedef enum Reader { STUDENT, INSTRUCTOR, AUTHOR, ADMINISTRATOR, READER_COUNT } Reader;
typedef enum SandboxNeed { WITH_SANDBOX, WITHOUT_SANDBOX } SandboxNeed;

/* Fills in *exit_status where it returns STATUS_OK: 0, or 1 where what was asked for is not so. */
typedef Status CommandFunction(const Options *options, int *exit_status, Message *why);

typedef struct Subcommand {
    Reader reader;
    const char *name;
    CommandFunction *run; /* NULL: in convjudge-service alone */
    SandboxNeed sandbox;
    const char *operands, *what, *more;
} Subcommand;

extern const Subcommand subcommands[]; /* the last one has no name */

#endif
