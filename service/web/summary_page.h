/* summary_page.h - a summary as a page: for the teacher's eyes alone.  */
#ifndef SERVICE_WEB_SUMMARY_PAGE_H
#define SERVICE_WEB_SUMMARY_PAGE_H

#include "base/text.h"
#include "service/course/class_summary.h"
#include "service/web/site.h"

/* What the page shows, for a site of this kind. */
cJSON *summary_values(const Site *site, const Summary *summary);
/* `site->is_alone`: one file that needs no other. */
void summary_page(Text *page, const Site *site, const Summary *summary);

#endif
