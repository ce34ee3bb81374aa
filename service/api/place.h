/* place.h - the place of a run in the class, in the documents that its worker wrote.
 *
 * A worker knows only what it judged itself, so that the server puts its own count in the place of the worker's: as the board is
 * now, and as the visitor may see it.  */
#ifndef SERVICE_API_PLACE_H
#define SERVICE_API_PLACE_H

#include "service/api/service.h"
#include "service/store/submissions.h"

#include <cjson/cJSON.h>

/* Takes the place in the class out of a result.json. */
void place_take_out(cJSON *result);

/* A document of any kind as this visitor may read it. */
MUST_USE Status place_document(const Visit *visit, const StoredSubmission *row, const char *kind, const char *text,
                               const char **shown, Message *why);

#endif
