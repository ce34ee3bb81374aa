/* submission_cases.h - the cases of a submission: the verdict of each, and what is wrong with a sample's output.
 *
 * A hidden case has its verdict and the judge's words, nothing else: result.json holds no more of it.  */
#ifndef SERVICE_WEB_SUBMISSION_CASES_H
#define SERVICE_WEB_SUBMISSION_CASES_H

#include <cjson/cJSON.h>

/* Adds "parts" to the values of {{#page submission}}. `cases` is that of result.json, which stays the caller's. */
void submission_put_cases(cJSON *page, const cJSON *cases);

#endif
