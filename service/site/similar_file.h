/* similar_file.h - what `convjudge similar` has left in STATE/similar/PROBLEM.json (docs/formats.md).
 *
 * Another program wrote it: whatever is missing or of another kind is passed over.  */
#ifndef SERVICE_SITE_SIMILAR_FILE_H
#define SERVICE_SITE_SIMILAR_FILE_H

#include "service/api/service.h"

#include <cjson/cJSON.h>
#include <time.h>

/* For cJSON_Delete(). NULL: there is none, or it is no JSON. The problem must be one of problem_list(). */
cJSON *similar_file(const Visit *visit, const char *problem, time_t *changed);

/* The hand-in of a person's program; 0: none. */
int64_t similar_submission(const Visit *visit, const cJSON *program);

/* What names a pair: "12-34", or "12-0f3a..." with a further source. "": it has no name. */
const char *similar_key(const Visit *visit, const cJSON *pair);

#endif
