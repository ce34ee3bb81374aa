/* pair_page.h - a pair of similar sources side by side, for teachers, from what `convjudge similar` has left (docs/formats.md).
 *
 * Lines that the teacher handed out are left out, and so do not count as common.  */
#ifndef SERVICE_WEB_PAIR_PAGE_H
#define SERVICE_WEB_PAIR_PAGE_H

#include <cjson/cJSON.h>
#include <stdint.h>

typedef struct PairSource { /* of one side, from the store */
    const char *source;     /* NULL: unknown */
    int64_t submission;     /* to open; 0: none */
} PairSource;

/* The values of {{#page pair}} but its problem and time. The object is one of "pairs". */
cJSON *pair_values(const cJSON *pair, const PairSource sources[2]);

#endif
