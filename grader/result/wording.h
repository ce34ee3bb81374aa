/* wording.h - a sentence about a submission as its author may read it.  */
#ifndef GRADER_RESULT_WORDING_H
#define GRADER_RESULT_WORDING_H

#include "base/text.h"
#include "grader/problem/submission.h"

#include <stdbool.h>

/* Adds `message` with the student's own file name in place of the one that the compiler knew, without numbers where it
 * is about a hidden case (redact.h), and with the text of the source line behind each place:
 * "... reads 4 bytes past output[9] (blur.cu:14: `output[i] = sum;`)".  */
void wording_add(Text *out, const Submission *submission, bool is_hidden, const char *message);

#endif
