/* wording.h - turns a sentence about a submission into one that its author may read.  */
#ifndef GRADER_JUDGE_WORDING_H
#define GRADER_JUDGE_WORDING_H

#include "base/text.h"
#include "grader/check/diagnosis.h"
#include "grader/problem/submission.h"
#include "harness/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ==== array name ================================================================================================== */

/* The names of arrays and CUDA calls that may be told where the data are secret, and the names of a kernel's parameters.
 *
 * A submission could name an array after what it has seen, or choose among thousands of arrays. So a name is told only if it is one
 * of the first MAX_TOLD_NAMES that the source follows by `[`: six bits, as docs/explanation/security.md counts. So it is with CUDA calls, whose
 * names begin with `cu` and are followed by `(`: the runner says which one has failed. */

enum { MAX_TOLD_NAMES = 64 };

bool array_name_may_be_told(const char *source, const char *name);
bool call_name_may_be_told(const char *source, const char *name);

/* Writes the name of parameter `number` (from 1) of a kernel, as in "__global__ void blur(const float *in, float *out)";
 * false where the source does not show it, or shows several kernels of that name. `kernel` may have template arguments. */
bool array_name_of_parameter(const char *source, const char *kernel, uint32_t number, char *name, size_t size);

/* ==== hidden finding ============================================================================================== */

/* All that may be told of a case whose data are secret: a hidden one, or a timed one.
 *
 * A submission sees the data of such a case. It could carry them out in everything that it chooses: names of kernels,
 * sizes, addresses, notes, printed text, numbers of errors. Therefore this type has no room for text or numbers, except
 * for a source line and the name of an array, of which only some are told. The words are the judge's own, from two fixed lists (mistake.def, wrong_output.def), and are put
 * together here and nowhere else. docs/explanation/security.md counts how much can be told in this way. */

typedef struct HiddenFinding {
    WrongOutput output; /* all 0: the output was right, or there was none */
    Mistake mistake;    /* besides that, or its reason; MISTAKE_NONE: nothing more is known */
    MistakeKind also;   /* what followed from the mistake, or was found beside it; MISTAKE_NONE: nothing */
} HiddenFinding;

/* Adds "only the last columns: never written", "a kernel executes a trap, or an assertion fails (x.cu:9: `__trap();`)", "cudaMalloc()
 * fails (x.cu:9: `cudaMalloc(&p, n);`); also: a kernel reads memory that was never written".
 * A line that the submission's file does not have is left out. */
void hidden_finding_add(Text *out, const HiddenFinding *finding, const Submission *submission);
/* The same without names and lines: "only the last columns: never written". It is equal for equal mistakes of
 * different submissions, and exists for a sample as well. */
void hidden_finding_add_kind(Text *out, const HiddenFinding *finding);

/* Errors that may be told are powers of ten in this range. */
#define HIDDEN_LEAST_ERROR 1e-9
#define HIDDEN_LARGEST_ERROR 1e9

/* The largest error of an output as it may be told: rounded up to a power of ten. 0: it is not told, because there is no
 * error, or it is larger than any that is told. */
double hidden_error(double max_error);

/* ==== local variable ============================================================================================== */

/* Finds out which variable of a function a source line means.
 *
 * The simulated GPU knows the line, but not the name: nvcc gives names away only where it does not optimise. */

/* The name, within `source`, of the only variable on that line (from 1) whose declaration gives it no value. NULL:
 * there is none, or there are several. */
const char *unset_variable_on(const char *source, long line, size_t *length);
/* The same of the only local array with an index, such as `a` in "sum += a[i];". */
const char *local_array_on(const char *source, long line, size_t *length);

/* ==== source text ================================================================================================= */

typedef struct Name { /* a part of the text */
    const char *text;
    size_t length; /* 0: there is none */
} Name;

static inline bool name_equals(Name a, Name b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* ==== wording ===================================================================================================== */

/* Adds `message` with the student's file name in place of the compiler's and, behind each place, the text of the
 * source line: "... reads 4 bytes at output[10] (blur.cu:14: `output[i] = sum;`)". Never for a message about a case whose
 * data are secret.  */
void wording_add(Text *out, const Submission *submission, const char *message);

/* Adds " (blur.cu:14: `output[i] = sum;`)", if the file has that line. */
void wording_add_place(Text *out, const Submission *submission, long line);
/* The first line of the submission that such a sentence names, as in "(blur.cu:14: ...)"; 0: none. */
long wording_line(const char *message, const char *file_name);

/* ==== hidden duration ============================================================================================= */

/* Hides how long the hidden cases took.
 *
 * A submission can wait for as long as it likes, up to the limits, and could tell its author a number in that way. The
 * step of the hidden cases therefore ends only at certain times after its beginning: a quarter of a second, half a
 * second, one second, and so on, each twice the one before. What an author can learn from it is one of few numbers. */

/* The duration that is shown of a step that took so long. */
double hidden_duration(double seconds);

/* The longest of these durations that is at most `more_s` longer than the one that would be shown of `seconds`. */
double hidden_duration_extended(double seconds, double more_s);

/* Waits until a step that began at `start_s` (now_s()) has taken one of these durations, and returns it. */
double hidden_duration_wait(double start_s);

#endif
