/* subcommand_tables.h - all subcommands of convjudge, of whichever program.  */
#ifndef SERVICE_COMMANDS_SUBCOMMAND_TABLES_H
#define SERVICE_COMMANDS_SUBCOMMAND_TABLES_H

#include "grader/commands/subcommand.h"

/* Work on this machine: of workers and administrators. */
extern const Subcommand local_subcommands[];
/* The commands of convjudge-service, without their functions. */
extern const Subcommand online_subcommands[];

/* The `n`-th of all; NULL: there are fewer. */
const Subcommand *subcommand_at(int n);

#endif
