/* api_routes.h - the answers of the API about submissions, and the text that the command line prints.  */
#ifndef SERVICE_WEB_API_ROUTES_H
#define SERVICE_WEB_API_ROUTES_H

#include "service/web/answer.h"

#include <stddef.h>

/* What the API says of submissions; each answers one route. */
void api_list(Visit *visit);
void api_history(Visit *visit);
void api_submission(Visit *visit);
void api_report(Visit *visit);
void api_result(Visit *visit);
void api_explain(Visit *visit);
void api_comparison(Visit *visit);

/* The text that the command line prints. Rows are listed newest first; a history has those of each problem, oldest first. */
void list_text(const Visit *visit, const StoredSubmission *rows, size_t count, Text *out);
void history_text(const StoredSubmission *rows, size_t count, Arena *arena, Text *out);
/* The text of what comparison() has found. */
void comparison_text(const cJSON *values, const StoredSubmission *after, Text *out);

#endif
