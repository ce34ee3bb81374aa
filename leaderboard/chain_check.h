/* chain_check.h - holds a database against its chain: every row, every link, and the tables and triggers themselves.
 *
 * What it cannot see: a chain that somebody computed anew from some row on. For that there are receipts, and the copy
 * of the last link that each writer leaves in a file beside the database.  */
#ifndef LEADERBOARD_CHAIN_CHECK_H
#define LEADERBOARD_CHAIN_CHECK_H

#include "base/hash.h"
#include "base/status.h"
#include "leaderboard/findings.h"
#include "leaderboard/store.h"

#include <stdint.h>

typedef struct ChainSummary {
    size_t links;
    int64_t last;     /* number of the last link; 0: there is none */
    const char *hash; /* of the last link; "" if there is none */
} ChainSummary;

/* Adds a finding for each table, view, index and trigger that is not as in schema.sql. */
MUST_USE Status chain_check_schema(Store *store, Findings *findings, Message *why);

/* Adds a finding for each row that does not match its link, is missing, or has no link; for each link that is missing
 * or was changed; and if the last link is not the one that the file beside the database names, or a later one. */
MUST_USE Status chain_check_links(Store *store, Findings *findings, ChainSummary *summary, Message *why);

/* Adds a finding if the database does not hold this link of this run. */
MUST_USE Status chain_check_receipt(Store *store, const char *place, const Receipt *receipt, Findings *findings,
                                    Message *why);

#endif
