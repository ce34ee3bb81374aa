#include "service/commands/command_line.h"

#include <stddef.h>

const Subcommand online_subcommands[] = {
    {"serve", NULL, WITH_SANDBOX,
     "convjudge serve [--config FILE] [--state DIR] [--listen ADDRESS:PORT] [--socket PATH]\n"
     "    Runs the service: takes submissions, hands them to workers, keeps and shows what they find. Ends on SIGTERM.\n"
     "    --config FILE    the settings (docs/operating.md); default: /etc/convjudge/config.json if it exists\n"
     "    --state DIR      the folder of database and spool, on a local disk\n"
     "    --listen ADDRESS:PORT  where browsers and tokens come in; \"\": nowhere\n"
     "    --socket PATH    where users of this host come in\n"},
    {"token", NULL, WITHOUT_SANDBOX,
     "convjudge token add NAME [--role student|teacher|admin] [--state DIR] [--config FILE]\n"
     "convjudge token revoke NAME [--state DIR] [--config FILE]\n"
     "    Makes a token for a person, who is added where there is nobody of that name, and shows it once; or makes all\n"
     "    tokens and logins of a person worthless.\n"},
    {"backup", NULL, WITHOUT_SANDBOX,
     "convjudge backup [--state DIR] [--config FILE] FILE\n"
     "    Copies the database of the service to a new FILE, also while it runs.\n"},
    {0},
};
