/* gradescope.h - an outcome as Gradescope takes it: results/results.json of an autograder.
 *
 * Tests    1 the verdict, whose output is the report; 2.n points; 3.n samples; 4.n hidden cases, by number alone and shown to
 *          teachers alone; 5.n timed cases. Cases that were not run are left out.
 * Score    where points are known, those; else 1 for Accepted and 0 for any other verdict. None at all where nothing was judged or
 *          the judge failed: then the tests say so, and Gradescope keeps the submission without a score.
 * Board    the time with its unit and the percentiles, of a run that ranks.
 * Source   gradescope-autograders.readthedocs.io, "Autograder Specifications" (visibility, status, formats of output), "Leaderboards".
 *          Texts are of the format "text", since everything else would interpret what a submission has chosen.  */
#ifndef GRADER_EXCHANGE_GRADESCOPE_H
#define GRADER_EXCHANGE_GRADESCOPE_H

#include "base/text.h"
#include "grader/exchange/outcome.h"

void gradescope_write(const Outcome *outcome, Text *out);

#endif
