/* answer.h - replies in JSON, and what a Status means to who asks.  */
#ifndef SERVICE_API_ANSWER_H
#define SERVICE_API_ANSWER_H

#include "service/api/service.h"

#include <cjson/cJSON.h>

/* Takes the object. */
void answer_json(Visit *visit, int status, cJSON *object);
/* {"error": "..."}, or a page that says it. */
__attribute__((format(printf, 3, 4))) void answer_error(Visit *visit, int status, const char *format, ...);
/* 404 for NOT_FOUND, 400 for BAD_INPUT, else 503. */
void answer_failure(Visit *visit, Status status, const Message *why);
/* Text as it is, of a type such as "application/json". */
void answer_text(Visit *visit, const char *type, const char *text);

/* 303: the browser is to go on there. The path must begin with '/'. */
void answer_elsewhere(Visit *visit, const char *path);

/* The number of a "submission", a "batch", ... in visit->argument; 0: it is none, which has been answered. */
int64_t answer_number(Visit *visit, const char *noun);

#endif
