/* hidden_finding.h - all that may be told of a case whose data are secret: a hidden one, or a timed one.
 *
 * A submission sees the data of such a case. It could carry them out in everything that it chooses: names of kernels,
 * sizes, addresses, notes, printed text, numbers of errors. Therefore this type has no room for text or numbers, except
 * for a source line and the name of an array, of which only some are told (array_name.h). The words are the judge's own, from two fixed lists (mistake.def, wrong_output.def), and are put
 * together here and nowhere else. docs/security.md counts how much can be told in this way.  */
#ifndef GRADER_RESULT_HIDDEN_FINDING_H
#define GRADER_RESULT_HIDDEN_FINDING_H

#include "base/text.h"
#include "grader/check/wrong_output.h"
#include "grader/problem/submission.h"
#include "harness/device/mistake.h"

typedef struct HiddenFinding {
    WrongOutput output; /* all 0: the output was right, or there was none */
    Mistake mistake;    /* besides that, or its reason; MISTAKE_NONE: nothing more is known */
} HiddenFinding;

/* Adds "only the last columns: never written", "a kernel executes a trap, or an assertion fails (x.cu:9: `__trap();`)".
 * A line that the submission's file does not have is left out. */
void hidden_finding_add(Text *out, const HiddenFinding *finding, const Submission *submission);
/* The same without names and lines: "only the last columns: never written". What two submissions have in common, whoever wrote
 * them; of a sample as well. */
void hidden_finding_add_kind(Text *out, const HiddenFinding *finding);

/* Errors that may be told are powers of ten in this range. */
#define HIDDEN_LEAST_ERROR 1e-9
#define HIDDEN_LARGEST_ERROR 1e9

/* The largest error of an output as it may be told: rounded up to a power of ten. 0: it is not told, because there is no
 * error, or it is larger than any that is told. */
double hidden_error(double max_error);

#endif
