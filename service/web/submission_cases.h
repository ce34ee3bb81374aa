/* submission_cases.h - the cases of a submission: the verdict of each, and what is wrong with a sample's output.
 *
 * A hidden case has its verdict and the judge's words, nothing else: result.json holds no more of it.  */
#ifndef SERVICE_WEB_SUBMISSION_CASES_H
#define SERVICE_WEB_SUBMISSION_CASES_H

#include "base/text.h"

#include <cjson/cJSON.h>

/* "input_size 1,500,000, kernel_size 2,047"; "" without sizes. */
void add_sizes(Text *page, const cJSON *sizes);

void submission_cases(Text *page, const cJSON *cases);

#endif
