#include "service/commands/command_line.h"

const Subcommand online_subcommands[] = {
    {0},
};
