/* interrupt.h - lets a command that waits for a server take Ctrl-C as a wish, so that it can say how to come back.
 *
 * The signals SIGINT, SIGTERM and SIGALRM are blocked and read from a file instead, which poll() waits for beside other files: no
 * handler, and no variable that one would write.  */
#ifndef SERVICE_CLIENT_INTERRUPT_H
#define SERVICE_CLIENT_INTERRUPT_H

#include "base/status.h"

#include <stdbool.h>

enum { INTERRUPT_NONE = -1 }; /* in place of the file: the signals end the program */

/* Blocks the signals, and opens the file that becomes readable when one arrives. */
MUST_USE Status interrupt_open(int *file, Message *why);
/* As if the user interrupted after so many seconds: SIGALRM is one of the signals. */
void interrupt_after(unsigned seconds);
/* Unblocks them again, and forgets one that has arrived. */
void interrupt_close(int file);

/* Sleeps; true: it was cut short by one of the signals. */
bool interrupt_sleep(int file, double seconds);

#endif
