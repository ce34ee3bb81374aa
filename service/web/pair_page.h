/* pair_page.h - two similar sources side by side, with what they have in common marked in both.
 *
 * A part has one number and one colour on both sides; its first line leads to the other side. Lines that the teacher handed out are
 * left out, and so do not count as common. On a narrow screen one source stands below the other.  */
#ifndef SERVICE_WEB_PAIR_PAGE_H
#define SERVICE_WEB_PAIR_PAGE_H

#include "base/text.h"
#include "service/web/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PairLines {
    int first, last; /* from 1 */
} PairLines;

typedef struct PairSide {
    const char *name;                /* the person; or where a further source comes from */
    const char *file;                /* name of the file */
    bool is_persons;                 /* false: a further source, which is nobody's */
    int64_t submission;              /* to open; 0: none */
    const char *source;              /* NULL: unknown */
    double source_share, code_share; /* of it that is in the other one, 0 to 1 */
    const PairLines *handed_out;
    size_t handed_out_count;
} PairSide;

typedef struct PairPart {
    PairLines lines[2]; /* of both sides */
} PairPart;

typedef struct PairPage {
    const char *problem;
    const char *time_utc; /* when they were compared */
    PairSide sides[2];
    const PairPart *parts;
    size_t part_count;
    bool same_source, same_machine_code;
} PairPage;

void page_pair(Text *page, const Site *site, const PairPage *pair);

#endif
