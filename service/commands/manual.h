/* manual.h - the manual page, made of the tables of commands and options.
 *
 * Source   man(7) of mandoc and groff.  */
#ifndef SERVICE_COMMANDS_MANUAL_H
#define SERVICE_COMMANDS_MANUAL_H

#include "base/text.h"

void manual_write(Text *text);

#endif
