/* wording.h - turns a sentence about a submission into one that its author may read.  */
#ifndef GRADER_RESULT_WORDING_H
#define GRADER_RESULT_WORDING_H

#include "base/text.h"
#include "grader/problem/submission.h"
#include "harness/device/mistake.h"

/* Adds `message` with the student's file name in place of the compiler's and, behind each place, the text of the
 * source line: "... reads 4 bytes at output[10] (blur.cu:14: `output[i] = sum;`)". Never for a message about a case whose
 * data are secret (hidden_finding.h).  */
void wording_add(Text *out, const Submission *submission, const char *message);

/* Adds the judge's own words for the kind of mistake, with the name of the array if it may be told (array_name.h), and
 * its place. */
void wording_add_mistake(Text *out, const Submission *submission, Mistake mistake);

/* Adds " (blur.cu:14: `output[i] = sum;`)", if the file has that line. */
void wording_add_place(Text *out, const Submission *submission, long line);

#endif
