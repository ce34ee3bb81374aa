/* wording.h - turns a sentence about a submission into one that its author may read.  */
#ifndef GRADER_RESULT_WORDING_H
#define GRADER_RESULT_WORDING_H

#include "base/text.h"
#include "grader/problem/submission.h"

#include <stdbool.h>

/* Adds `message` with the student's file name in place of the compiler's and, behind each place, the text of the
 * source line: "... reads 4 bytes at output[10] (blur.cu:14: `output[i] = sum;`)". About a hidden case, it leaves
 * out all numbers (redact.h).  */
void wording_add(Text *out, const Submission *submission, bool is_hidden, const char *message);

#endif
