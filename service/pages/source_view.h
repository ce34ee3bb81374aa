/* source_view.h - a source with the figures of explain beside each line, and the advice under the lines that it is about.  */
#ifndef SERVICE_PAGES_SOURCE_VIEW_H
#define SERVICE_PAGES_SOURCE_VIEW_H

#include "base/text.h"

#include <cjson/cJSON.h>

/* The kernels and the advice of explain.json in order, with links to their lines. */
void explanation(Text *page, const cJSON *explain);

/* `explain` is the object of explain.json, or NULL: the source alone. A long source is cut, and the page says so. */
void source_view(Text *page, const char *source, const cJSON *explain);

#endif
