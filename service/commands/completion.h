/* completion.h - the completion of shells, made of the tables of subcommands and options.
 *
 * The scripts know commands and options; problems and devices they ask convjudge for when they need them.  */
#ifndef SERVICE_COMMANDS_COMPLETION_H
#define SERVICE_COMMANDS_COMPLETION_H

#include "base/text.h"

void completion_bash(Text *text);
void completion_zsh(Text *text);

/* One in a line. */
void completion_problems(Text *text);
void completion_devices(Text *text);

#endif
