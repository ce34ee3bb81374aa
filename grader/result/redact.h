/* redact.h - what may be said about a hidden testcase.
 *
 * A submission chooses many of the numbers in a message about it: an exit status, a grid's size, an address. Each could
 * carry a value of the hidden data out, so they are taken away; what is left is the kind of mistake and its source
 * line.  */
#ifndef GRADER_RESULT_REDACT_H
#define GRADER_RESULT_REDACT_H

#include "base/text.h"

/* Adds a message about a kernel, with `file_name` for the name that the compiler knew the source file by. */
void redact_compiler_name(Text *out, const char *message, const char *file_name);
/* Adds `message` with "n" for every number and "n-th" for "3rd", but for line numbers behind `file_name` and a
 * colon. */
void redact_numbers(Text *out, const char *message, const char *file_name);

#endif
