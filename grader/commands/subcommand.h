/* subcommand.h - a subcommand of convjudge: its name, its function, and what `--help` says of it.
 *
 * `run`    fills in *exit_status where it returns STATUS_OK: 0, or 1 where what was asked for is not so.
 * `usage`  the lines "convjudge NAME ...", then what it does and its options, indented by four. `--help`, the manual page
 *          and the completion of shells are made of it.  */
#ifndef GRADER_COMMANDS_SUBCOMMAND_H
#define GRADER_COMMANDS_SUBCOMMAND_H

#include "base/status.h"
#include "grader/commands/options.h"

/* Without one, where the subcommand runs no code of others. */
typedef enum SandboxNeed { WITH_SANDBOX, WITHOUT_SANDBOX } SandboxNeed;

typedef struct Subcommand {
    const char *name;
    Status (*run)(const Options *options, int *exit_status, Message *why);
    SandboxNeed sandbox;
    const char *usage;
} Subcommand;

/* Those that judge and look at what was judged; the last one has no name. */
extern const Subcommand grader_subcommands[];

#endif
