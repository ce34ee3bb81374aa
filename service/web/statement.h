/* statement.h - a problem's statement, from Markdown to HTML.
 *
 * libcmark does the work, with raw HTML off. It knows no tables, so these are split off first: lines that begin with '|', the
 * second of them with only '|', '-' and ':'. The statement's own title is left out, since the page has one, and its
 * headings are one level lower than written.  */
#ifndef SERVICE_WEB_STATEMENT_H
#define SERVICE_WEB_STATEMENT_H

#include "base/text.h"

void statement_html(Text *page, const char *markdown);

#endif
