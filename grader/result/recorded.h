/* recorded.h - a result read back from what the database keeps of it, with all figures computed again.
 *
 * Only raw data is taken from the record: verdicts, samples, and the sitting (docs/formats.md). Times, uncertainties,
 * rates and the score come from the same functions as in a grading.  */
#ifndef GRADER_RESULT_RECORDED_H
#define GRADER_RESULT_RECORDED_H

#include "base/status.h"
#include "grader/result/result.h"

#include <stdbool.h>

/* `cases` and `sitting` are the columns of that name; messages call them `place`. `*complete` is false for a row of an
 * older version, which holds too little to compute times again: then the times in the record are taken as they are. */
MUST_USE Status recorded_result(const char *place, const char *cases, const char *sitting, bool is_accepted,
                                Result *result, bool *complete, Message *why);

#endif
