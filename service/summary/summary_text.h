/* summary_text.h - a summary for a terminal.  */
#ifndef SERVICE_SUMMARY_SUMMARY_TEXT_H
#define SERVICE_SUMMARY_SUMMARY_TEXT_H

#include "base/text.h"
#include "service/summary/summary.h"

/* Lists are cut after some lines, with the number of what is left out; the page (summary_page.h) has all of it. */
void summary_text(Text *out, const Summary *summary);

#endif
