/* output.h - what a command of the client gives: text for people, and JSON where --json asks for it (docs/formats.md).  */
#ifndef SERVICE_CLIENT_OUTPUT_H
#define SERVICE_CLIENT_OUTPUT_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/commands/options.h"

/* An object with "schema": 1. */
cJSON *output_new(void);

/* Writes `json` to the place that the options name, if any, and deletes it; prints `text`, unless that place is standard
 * output. Control characters in the JSON become '?'. */
MUST_USE Status output_write(const Options *options, cJSON *json, const Text *text, Message *why);

#endif
