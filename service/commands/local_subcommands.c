#include "service/commands/command_line.h"

#include "service/operating/operating_commands.h"

const Subcommand local_subcommands[] = {
    {"check-config", command_check_config, WITHOUT_SANDBOX,
     "convjudge check-config [FILE]\n"
     "    Prints the settings of the service that follow from its configuration file, and checks for every problem that\n"
     "    each deadline is longer than the one inside it. Exit status 1: one is not, 2: the file is wrong.\n"
     "    FILE             default: what CONVJUDGE_CONFIG names, else /etc/convjudge/config.json\n"},
    {0},
};
