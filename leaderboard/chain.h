/* chain.h - links that tie the rows of all tables together, so that a row that was changed, removed or put in shows.
 *
 * Each row has one link. The link's hash is the SHA-256 of a text: five lines for the link itself, then one line for
 * each column of the row, in the order of the table.
 *
 *     convjudge chain 1
 *     link 3
 *     table runs
 *     row 2
 *     previous 5d41...        the hash of link 2; of the first link 64 zeros
 *     id integer 2
 *     person text 3 Ada       the number of bytes, then the bytes
 *     score_ms real 0.019234  printed by "%.17g", which reads back as the same number
 *     machine_code null
 *
 * Whoever can write to the file can compute all hashes anew. That shows against a hash that somebody else has kept: a
 * student's receipt, in result.json and on the terminal. Each writer also leaves the last link in the file
 * <database>.head, so that links which somebody cut off at the end show, too.
 * Source   S. Haber and W. S. Stornetta, How to Time-Stamp a Digital Document, Journal of Cryptology 3 (1991).  */
#ifndef LEADERBOARD_CHAIN_H
#define LEADERBOARD_CHAIN_H

#include "base/hash.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stdint.h>

#define CHAIN_NO_HASH "0000000000000000000000000000000000000000000000000000000000000000"

/* The tables whose rows have links; NULL at the end. */
extern const char *const chain_tables[];

typedef struct Link {
    int64_t link; /* 1, 2, 3, ... */
    const char *row_table;
    int64_t row_id;
    const char *previous;
} Link;

/* Computes the hash of a link from its row as it is now. NOT_FOUND: the row does not exist. */
MUST_USE Status chain_hash(Store *store, const Link *link, Digest *hash, Message *why);

/* Adds the link of a new row, in the transaction that has added the row. `receipt` may be NULL. */
MUST_USE Status chain_append(Store *store, const char *table, int64_t row, Receipt *receipt, Message *why);

/* Ends the transaction as database_end() does, and then writes the last link to <database>.head, unless a later link is
 * there already. A file that cannot be written is no failure. */
MUST_USE Status chain_end(Store *store, Status status, const Receipt *last, Message *why);
/* False if there is no such file, or no link in it. `run` in the receipt is 0. */
bool chain_read_head(const Store *store, Receipt *last);

#endif
