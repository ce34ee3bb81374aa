/* source_view.h - a source with the figures of explain beside each line, and the advice under the lines that it is about.  */
#ifndef SERVICE_WEB_SOURCE_VIEW_H
#define SERVICE_WEB_SOURCE_VIEW_H

#include "base/text.h"
#include "service/store/submissions.h"
#include "service/web/parts.h"

#include <cjson/cJSON.h>

/* ==== comparison ================================================================================================== */

/* What changed between two submissions: times and counters beside the source. */

typedef struct ComparedSubmission {
    StoredSubmission row;
    const char *source;  /* NULL: unknown */
    const cJSON *result; /* the object of result.json; NULL: none */
} ComparedSubmission;

/* The values of {{>comparison}}. */
cJSON *comparison(const ComparedSubmission *before, const ComparedSubmission *after);

/* ==== source view ================================================================================================= */

/* The values of {{>source_view}}; null: there is no source. `explain` is the object of explain.json, or NULL: the source alone. A long
 * source is cut, and the page says so. */
cJSON *source_values(const char *source, const cJSON *explain);

#endif
