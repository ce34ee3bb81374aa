/* summary_page.h - a summary as a page: for the teacher's eyes alone.  */
#ifndef SERVICE_SUMMARY_SUMMARY_PAGE_H
#define SERVICE_SUMMARY_SUMMARY_PAGE_H

#include "base/text.h"
#include "service/pages/site.h"
#include "service/summary/summary.h"

/* `site->is_alone`: one file that needs no other. */
void summary_page(Text *page, const Site *site, const Summary *summary);

#endif
