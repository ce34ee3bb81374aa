/* result_json.h - writes result.json (docs/formats.md).  */
#ifndef GRADER_RESULT_RESULT_JSON_H
#define GRADER_RESULT_RESULT_JSON_H

#include "grader/result/result.h"

#include <cjson/cJSON.h>

void result_json(const Result *result, Text *out);
/* Only the list of cases, which the database keeps. */
void result_cases_json(const Result *result, Text *out);
/* What times and rates follow from besides the samples, which the database keeps, too. */
void result_sitting_json(const Result *result, Text *out);
/* A percentile as result.json has it. */
cJSON *result_percentile_json(const Percentile *percentile);

#endif
