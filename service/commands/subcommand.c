#include "service/commands/subcommand.h"

#include "grader/commands/command.h"
#include "service/commands/class_commands.h"
#include "service/commands/operate.h"
#include "service/course/scores_commands.h"

#include <stddef.h>

const Subcommand subcommands[] = {
#define LOCAL(reader, name, function, sandbox, operands, what, more)                                                   \
    {reader, name, function, sandbox, operands, what, more},
#define ONLINE(reader, name, function, sandbox, operands, what, more)                                                  \
    {reader, name, NULL, sandbox, operands, what, more},
#include "service/commands/subcommands.def"
    {0},
};
