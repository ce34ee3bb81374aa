/* explain_json.h - an explanation as explain.json (docs/formats.md).  */
#ifndef GRADER_EXPLAIN_EXPLAIN_JSON_H
#define GRADER_EXPLAIN_EXPLAIN_JSON_H

#include "base/text.h"
#include "grader/explain/explain_report.h"

void explain_json(const ExplainReport *report, Text *out);

#endif
