/* comparison.h - what changed between two submissions: times and counters beside the source.  */
#ifndef SERVICE_PAGES_COMPARISON_H
#define SERVICE_PAGES_COMPARISON_H

#include "service/pages/pages.h"

void comparison(Text *page, const Site *site, const ComparedSubmission *before, const ComparedSubmission *after);

#endif
