#include "service/commands/command_line.h"

#include "grader/commands/command.h"
#include "service/commands/command_similar_class.h"
#include "service/operating/operating_commands.h"
#include "service/scores/scores_commands.h"
#include "service/worker/worker_command.h"

const Subcommand local_subcommands[] = {
    {"check-config", command_check_config, WITHOUT_SANDBOX,
     "convjudge check-config [FILE]\n"
     "    Prints the settings of the service that follow from its configuration file, and checks for every problem that\n"
     "    each deadline is longer than the one inside it. Exit status 1: one is not, 2: the file is wrong.\n"
     "    FILE             default: what CONVJUDGE_CONFIG names, else /etc/convjudge/config.json\n"},
    {"work", command_work, WITH_SANDBOX,
     "convjudge work --spool DIR [--device DEVICE] [--name NAME] [--once] [--pilot MINUTES [--idle SECONDS]] [--no-explain]\n"
     "               [--unconfined]\n"
     "    Judges what the service hands out through the folder DIR, one submission at a time, until SIGTERM. It may run on\n"
     "    another host that shares the folder. Each event is a line on standard error.\n"
     "    --name NAME      letters, digits, '-' and '_': unique among the workers of the folder, and the same after a\n"
     "                     restart; default: made of host and device\n"
     "    --once           judge one submission, or none where none waits, and end\n"
     "    --pilot MINUTES  in a batch job of so many minutes: begin nothing that may not fit, and end when nothing comes\n"
     "    --idle SECONDS   of a pilot: for how long nothing must have come; default: 60\n"
     "    --no-explain     do not find out where the time of an accepted submission goes, which takes a third of the whole\n"},
    {"check-class", command_check_class, WITHOUT_SANDBOX,
     "convjudge check-class FILE\n"
     "    Reads a class.json (docs/formats.md) and prints what follows from it: assignments, deadlines in the class's zone and\n"
     "    in UTC, and what gives how many points. Exit status 2: it is wrong, with the line.\n"},
    {"similar", command_similar_class, WITH_SANDBOX,
     "convjudge similar --problem ID [--class FILE] [--earlier PATH]... [--handed-out PATH]... [--threshold PERCENT]\n"
     "                  [--json FILE|-] [--unconfined]\n"
     "    Names equal and nearly equal accepted submissions of different people, and of people and further sources, by their\n"
     "    text and by their device code; equal machine code first. Nobody loses a rank by it.\n"
     "    --class FILE         class.json, whose keys \"earlier\" and \"handed_out\" name further sources and what was handed out\n"
     "    --earlier PATH       a further source: a folder of .cu files with all folders below it, such as an earlier semester\n"
     "                         or published solutions, or another leaderboard's database; --also PATH is the same\n"
     "    --handed-out PATH    a file or folder that the teacher handed out, which is left out, as starter.cu always is\n"
     "    --threshold PERCENT  the least share to be named; default: 70\n"
     "    --json FILE          write the pairs as JSON (docs/formats.md); \"-\": to standard output, instead of the table\n"},
    {"doctor", command_doctor, WITHOUT_SANDBOX,
     "convjudge doctor [--json FILE|-] [--config FILE]\n"
     "    Says what the judge finds on this machine, what it lacks, what that costs and what to do: compilers, devices,\n"
     "    sandbox, clocks, disks, permissions. Exit status 0: grading works here, 1: it does not.\n"},
    {0},
};
