/* result_json.h - writes result.json (docs/reference/formats.md).  */
#ifndef GRADER_JUDGE_RESULT_JSON_H
#define GRADER_JUDGE_RESULT_JSON_H

#include "base/json.h"
#include "base/status.h"
#include "grader/judge/result.h"

#include <stdbool.h>

/* ==== recorded ==================================================================================================== */

/* A result read back from what the database keeps of it, with all figures computed again.
 *
 * Only raw data is taken from the record: verdicts, samples, and the sitting (docs/reference/formats.md). Times, uncertainties,
 * rates and the score come from the same functions as in a grading. */

/* `cases` and `sitting` are the columns of that name; messages call them `place`. `*complete` is false for a row of an
 * older version, which holds too little to compute times again: then the times in the record are taken as they are.
 * `record` gets what was read, the members "cases" and "sitting", for json_free(). */
MUST_USE Status recorded_result(const char *place, const char *cases, const char *sitting, bool is_accepted,
                                Result *result, bool *complete, JsonFile *record, Message *why);

/* ==== result json ================================================================================================= */

/* The rows of result.json, of a Result. */
extern const struct RecordTable result_table;

void result_json(const Result *result, Text *out);
/* Writes only the list of cases, which the database keeps. */
void result_cases_json(const Result *result, Text *out);
/* Adds a list with one object, what that list has of timed cases alone. Numbers are raw text (json_put_number()). */
void result_timed_json(const Result *result, const CaseResult *item, cJSON *object, const char *key);
/* Writes the other data from which times and rates follow; the database keeps it, too. */
void result_sitting_json(const Result *result, Text *out);
/* A percentile as result.json has it. */
cJSON *result_percentile_json(const Percentile *percentile);

#endif
