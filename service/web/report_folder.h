/* report_folder.h - writes the leaderboard as a folder of pages, for a judge without a server: index.html, a page for each
 * problem, one for each run that ranks, and style.css. The pages work from a disk and from any web server.  */
#ifndef SERVICE_WEB_REPORT_FOLDER_H
#define SERVICE_WEB_REPORT_FOLDER_H

#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ReportOrder {
    const char *folder;          /* is made if it does not exist; other files in it stay */
    const char *const *problems; /* ids */
    size_t problem_count;
    bool with_sources; /* pages of runs show their sources */
} ReportOrder;

/* `store` may be NULL: nothing has been recorded. `*pages` is how many were written. Each file is replaced as a whole. */
MUST_USE Status report_folder_write(Store *store, const ReportOrder *order, size_t *pages, Message *why);

#endif
