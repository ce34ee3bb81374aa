/* online_main.c - convjudge-service: the server, and the commands that talk to it.  */
#include "service/commands/command_line.h"

int main(int argc, char **argv)
{
    return command_line(argc, argv, command_line_online);
}
