/* junit.h - an outcome as JUnit XML, which systems of continuous integration read.
 *
 * One test suite, named as the problem; a test case for the compiler and one for each case, of the class "conv1d.sample", ".hidden" or
 * ".timed". Another verdict than Accepted is a failure of that type, a judge error an error, a case that was not run is skipped.
 * `time` is in seconds: of the suite the wall clock of the grading, of the compiler its own, of a timed case the time of the work,
 * which is modelled on a simulated GPU.
 * Source   there is no standard; elements and attributes are those that Jenkins' junit-10.xsd allows.  */
#ifndef GRADER_EXCHANGE_JUNIT_H
#define GRADER_EXCHANGE_JUNIT_H

#include "base/text.h"
#include "grader/exchange/outcome.h"

void junit_write(const Outcome *outcome, Text *out);

#endif
