/* class_report.h - what came of the submissions of a class, for a terminal and as JSON (docs/formats.md).  */
#ifndef SERVICE_GRADING_CLASS_REPORT_H
#define SERVICE_GRADING_CLASS_REPORT_H

#include "base/text.h"
#include "service/grading/class_hand_in.h"

#include <cjson/cJSON.h>

/* Adds "Ada Lovelace, conv1d: Wrong Answer (ada.zip/x.cu)", one line. */
void class_report_add_item(const HandedIn *item, Text *text);
/* Adds counts of verdicts, and everything that was not judged, by name. */
void class_report_add_summary(const ClassRun *run, Text *text);
/* Whether there is anything that a person must look at: a refusal, or a submission that the judge failed at. */
bool class_report_has_trouble(const ClassRun *run);

/* The caller frees it. */
cJSON *class_report_json(const ClassRun *run, const char *state);

#endif
