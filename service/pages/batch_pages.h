/* batch_pages.h - the pages of rejudgings, for administrators. As pages.h in everything.  */
#ifndef SERVICE_PAGES_BATCH_PAGES_H
#define SERVICE_PAGES_BATCH_PAGES_H

#include "leaderboard/percentile.h"
#include "service/pages/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BatchLine {
    int64_t number;
    const char *problem, *reason, *created;
    const char *state;   /* "open", "applied", "dropped" */
    int64_t submissions; /* all of them; each of the following is a part */
    int64_t judged, waiting, judging, held, cancelled;
} BatchLine;

/* With a form: POST /admin/batches with `problem`, `why` and `since`. */
void page_batches(Text *page, const Site *site, const BatchLine *batches, size_t count, const char *const *problems,
                  size_t problem_count);

typedef struct BatchVerdict { /* of a submission, before or after */
    const char *verdict;      /* "": none yet */
    MeasuredTime time;        /* ms 0: none */
    size_t rank;              /* 0: none */
} BatchVerdict;

typedef struct BatchChange { /* a submission that the batch would change, or has changed */
    int64_t submission;
    const char *person, *file_name;
    BatchVerdict before, after;
    bool is_noise; /* both have times, which do not differ */
} BatchChange;

typedef struct BatchOmission {
    int64_t submission;
    const char *why;
} BatchOmission;

typedef struct BatchPage {
    BatchLine line;
    const char *revision; /* of the problem: 64 hexadecimal digits */
    const BatchChange *changes;
    size_t change_count;
    const BatchOmission *omissions; /* what is not judged again */
    size_t omission_count;
} BatchPage;

/* While it is open with two forms: POST /admin/batches/N/apply and POST /admin/batches/N/drop. */
void page_batch(Text *page, const Site *site, const BatchPage *batch);

#endif
