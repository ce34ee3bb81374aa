#include "service/commands/command_line.h"

#include <stddef.h>

/* By the index of a row of subcommands[]. */
static CommandFunction *const functions[] = {
#define LOCAL(...) NULL,
#define ONLINE(reader, name, function, ...) function,
#include "service/commands/subcommands.def"
};

int command_line_online(const Subcommand *subcommand, int argc, char **argv)
{
    return command_line_run(subcommand, functions[subcommand - subcommands], argc, argv);
}
