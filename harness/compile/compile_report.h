/* compile_report.h - reads what a compiler printed: the resources of kernels, and messages for the student.  */
#ifndef HARNESS_COMPILE_COMPILE_REPORT_H
#define HARNESS_COMPILE_COMPILE_REPORT_H

#include "base/process.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/compiled.h"

/* Reads what `ptxas -v` says about each kernel. */
void report_kernels(const Text *output, Arena *arena, CompileKernel **kernels, size_t *count);

CompileOutcome report_outcome(const Text *output, const ProcessEnd *end);

/* The line of the first error, without an end; NULL if no line looks like one. */
const char *report_first_error(const Text *output, size_t *length);

/* True if the output names the source, or what was made of it. */
bool report_names_source(const Text *output);

/* True if a kernel launches a kernel. */
bool report_is_nested_launch(const Text *output);

/* True if clang's first error lies in a header that is not the submission's, and nothing of the submission is named as
 * its cause: then compiler and system do not fit. */
bool report_is_system_header(const Text *output);

/* Appends one line that says what is wrong, for the beginning of the diagnostics. Appends nothing if the outcome is
 * COMPILE_OK, or if the compiler's own first line says it. */
void report_headline(const CompileJob *job, CompileOutcome outcome, const Text *output, Text *diagnostics);

/* Appends the output as a student may see it: printable, cut to COMPILE_OUTPUT_BYTES, without the judge's own
 * functions. `paths` are pairs of a text in the output and its replacement, NULL at the end. */
void report_diagnostics(const Text *output, const char *const *paths, Text *diagnostics);

#endif
