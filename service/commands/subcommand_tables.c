#include "service/commands/subcommand_tables.h"

#include <stddef.h>

static const Subcommand *const tables[] = {grader_subcommands, local_subcommands, online_subcommands, NULL};

const Subcommand *subcommand_at(int n)
{
    for (const Subcommand *const *table = tables; *table != NULL; table++)
        for (const Subcommand *subcommand = *table; subcommand->name != NULL; subcommand++)
            if (n-- == 0)
                return subcommand;
    return NULL;
}
