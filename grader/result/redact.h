/* redact.h - removes from a message what must not be said about a hidden testcase.
 *
 * A submission chooses many of the numbers in a message about it: an exit status, the size of a grid, an address. Each
 * could carry a value of the hidden data out. What remains is the kind of mistake and its source line.  */
#ifndef GRADER_RESULT_REDACT_H
#define GRADER_RESULT_REDACT_H

#include "base/text.h"

/* Adds a message about a kernel, with `file_name` in place of the name under which the compiler knew the source. */
void redact_compiler_name(Text *out, const char *message, const char *file_name);
/* Adds `message` with "n" for every number and "n-th" for "3rd". Line numbers behind `file_name` and a colon stay. */
void redact_numbers(Text *out, const char *message, const char *file_name);

#endif
