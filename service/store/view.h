/* view.h - reads the JSON that pages are made of, where anything may be absent.  */
#ifndef SERVICE_STORE_VIEW_H
#define SERVICE_STORE_VIEW_H

#include "leaderboard/store.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* NaN: absent, or not a number. `object` may be NULL in all of them. */
double view_number(const cJSON *object, const char *key);
/* "": absent, or not a text. */
const char *view_text(const cJSON *object, const char *key);
/* False: absent. */
bool view_true(const cJSON *object, const char *key);
/* The member, NULL if it is absent. */
const cJSON *view_item(const cJSON *object, const char *key);
/* `ms_key`, "uncertainty" and "model_terms"; ms 0: absent. */
MeasuredTime view_time(const cJSON *object, const char *ms_key);
/* The same in an answer, and of a modelled time "model_factor". */
void view_put_time(cJSON *object, const char *ms_key, MeasuredTime time);

#endif
