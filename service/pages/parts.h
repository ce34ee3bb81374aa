/* parts.h - what many pages are made of: tables that scroll by themselves, verdicts, facts, lists of submissions.  */
#ifndef SERVICE_PAGES_PARTS_H
#define SERVICE_PAGES_PARTS_H

#include "base/text.h"
#include "service/pages/pages.h"

/* A table that scrolls sideways where it is too wide; `label` is its name for screen readers. `columns` are the heads, separated
 * by '|'; those of numbers begin with '>', those that a phone does not show with '-' ("-Date", ">-GB/s"). The caller adds
 * rows; each begins with a <th scope="row">. */
void table_begin(Text *page, const char *label, const char *columns);
/* The same as wide as the page. */
void table_begin_wide(Text *page, const char *label, const char *columns);
void table_end(Text *page);

/* A part that is closed at first. The numbers of plots stand in one. */
void details_begin(Text *page, const char *summary);
void details_end(Text *page);

/* A verdict with its sign: a check mark, a cross, a clock. */
void verdict_mark(Text *page, const char *verdict);
/* "good", "bad", "wait" or "none": the class of a verdict or of a state. */
const char *verdict_class(const char *verdict);
/* Only the sign, in the colour of such a class. */
void icon(Text *page, const char *class);

/* Whether times on a device are modelled, by its id; NULL: unknown. */
bool device_models_times(const char *device);
/* A cell with a time, and below it that it was modelled; ms 0: an empty one. */
void time_cell(Text *page, MeasuredTime time, const char *device);

/* An entry of a <dl class="facts">; nothing if `value` is "" or NULL. */
void fact(Text *page, const char *name, const char *value);

/* A table of submissions, of at most 200; `has_people` with a column for their authors. */
void submission_list(Text *page, const Site *site, const char *label, bool has_people, const SubmissionLine *rows,
                     size_t count);

#endif
