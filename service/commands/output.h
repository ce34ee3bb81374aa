/* output.h - what a command of the client gives: text for people, and JSON where --json asks for it (docs/reference/formats.md).  */
#ifndef SERVICE_COMMANDS_OUTPUT_H
#define SERVICE_COMMANDS_OUTPUT_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/commands/options.h"

#include <stdbool.h>

/* ==== interrupt =================================================================================================== */

/* Lets a command that waits for a server handle Ctrl-C, so that it can say how to continue.
 *
 * The signals SIGINT, SIGTERM and SIGALRM are blocked and read from a file instead, which poll() waits for beside other files: no
 * handler, and no variable that one would write. */

enum { INTERRUPT_NONE = -1 }; /* in place of the file: the signals end the program */

/* Blocks the signals, and opens the file that becomes readable when one arrives. */
MUST_USE Status interrupt_open(int *file, Message *why);
/* As if the user interrupted after so many seconds: SIGALRM is one of the signals. */
void interrupt_after(unsigned seconds);
/* Unblocks them again, and forgets one that has arrived. */
void interrupt_close(int file);

/* Sleeps; true: it was cut short by one of the signals. */
bool interrupt_sleep(int file, double seconds);

/* ==== output ====================================================================================================== */

/* An object with "schema": 1. */
cJSON *output_new(void);

/* Writes `json` to the place that the options name, if any, and deletes it; prints `text`, unless that place is standard
 * output. Control characters in the JSON become '?'. */
MUST_USE Status output_write(const Options *options, cJSON *json, const Text *text, Message *why);

#endif
