/* extensions.h - keeps a record of who got how much more time.
 *
 * class.json is the truth of extensions, and everybody who may write that file may change them. So whoever reads it for a store
 * compares it with what was read last: each extension that is new, changed or gone becomes a row of the audit log.
 *
 *     extension add      ada, week-1: due 2026-11-16T23:59 instead of 2026-11-09T23:59, by grace: ill (class.json)
 *     extension change   ada, week-1: due 2026-11-17T23:59 instead of 2026-11-16T23:59, by grace: still ill (class.json)
 *     extension remove   ada, week-1: due 2026-11-09T23:59 instead of 2026-11-17T23:59 (class.json)  */
#ifndef SERVICE_CLASSROOM_EXTENSIONS_H
#define SERVICE_CLASSROOM_EXTENSIONS_H

#include "base/status.h"
#include "leaderboard/store.h"
#include "service/class/class_file.h"

/* One transaction. `person` is who reads the file. */
MUST_USE Status extensions_audit(Store *store, const ClassFile *file, const char *person, Message *why);

typedef struct ExtensionRecord { /* a row of the audit log */
    const char *time_utc, *person, *action, *object;
} ExtensionRecord;

/* The newest first, at most `limit`. */
MUST_USE Status extensions_records(Store *store, size_t limit, Arena *arena, ExtensionRecord **records, size_t *count,
                                   Message *why);

#endif
