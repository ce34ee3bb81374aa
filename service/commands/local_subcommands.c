#include "service/commands/command_line.h"

const Subcommand local_subcommands[] = {
    {0},
};
