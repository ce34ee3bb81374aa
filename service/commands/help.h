/* help.h - what `convjudge help` prints, and the parts of it that the manual page has, too.  */
#ifndef SERVICE_COMMANDS_HELP_H
#define SERVICE_COMMANDS_HELP_H

#include "base/text.h"
#include "service/commands/subcommand.h"

/* All commands by their readers, a line each. */
void help_overview(Text *text);
/* All that is known of one, with its options. */
void help_of(const Subcommand *subcommand, Text *text);

/* "convjudge grade [OPTION]... FILE", a line for each form. */
void help_synopsis(const Subcommand *subcommand, Text *text);
/* "--json FILE|-" */
void help_term(const Option *option, Text *text);

#endif
