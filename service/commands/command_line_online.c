#include "service/commands/command_line.h"

#include "service/client/client_command.h"
#include "service/commands/service_command.h"
#include "service/gradescope/gradescope_command.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name; /* of online_subcommands[] */
    Status (*run)(const Options *options, int *exit_status, Message *why);
} functions[] = {
    {"serve", command_serve},
    {"grade-class", command_grade_class},
    {"token", command_token},
    {"backup", command_backup},
    {"rejudge", command_rejudge},
    {"submit", command_submit},
    {"gradescope", command_gradescope},
    {"runs", command_runs},
    {"show", command_show},
    {"compare", command_compare},
    {"history", command_history},
    {"withdraw", command_withdraw},
    {"report", command_report},
    {"scores", command_scores},
    {NULL, NULL},
};

int command_line_online(const Subcommand *subcommand, int argc, char **argv)
{
    for (size_t i = 0; functions[i].name != NULL; i++)
        if (strcmp(functions[i].name, subcommand->name) == 0)
            return command_line_run(subcommand, functions[i].run, argc, argv);
    return command_line_complain(subcommand->name); /* each is in the table above */
}
