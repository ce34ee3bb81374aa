/* case_verdicts.h - the verdict of every sample and hidden case, as JSON (docs/formats.md). For teachers: it names hidden cases
 * and says more of them than result.json may.  */
#ifndef GRADER_RESULT_CASE_VERDICTS_H
#define GRADER_RESULT_CASE_VERDICTS_H

#include "base/text.h"
#include "grader/result/result.h"

/* Needs Result.all_cases. */
void case_verdicts_json(const Result *result, Text *out);

#endif
