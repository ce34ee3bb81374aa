#include "leaderboard/chain.h"

#include "base/text.h"
#include "leaderboard/database.h"

#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

const char *const chain_tables[] = {"runs", "sources", "rulings", "reference_times", "appeals", NULL};

static void add_column(sqlite3_stmt *row, int column, Text *text)
{
    const char *name = sqlite3_column_name(row, column);
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: text_printf(text, "%s null\n", name); break;
    case SQLITE_INTEGER: text_printf(text, "%s integer %lld\n", name, sqlite3_column_int64(row, column)); break;
    case SQLITE_FLOAT: text_printf(text, "%s real %.17g\n", name, sqlite3_column_double(row, column)); break;
    default: {
        const char *type = sqlite3_column_type(row, column) == SQLITE_TEXT ? "text" : "blob";
        const char *bytes = sqlite3_column_blob(row, column);
        size_t count = (size_t)sqlite3_column_bytes(row, column);
        text_printf(text, "%s %s %zu ", name, type, count);
        text_append(text, bytes, count);
        text_add(text, "\n");
    }
    }
}

Status chain_hash(Store *store, const Link *link, Digest *hash, Message *why)
{
    char sql[100];
    sqlite3_stmt *row;
    snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE id = :id", link->row_table);
    Status status = database_prepare(store, sql, &row, why);
    if (status != STATUS_OK)
        return status;
    database_bind_integer(row, ":id", link->row_id);
    int result = sqlite3_step(row);
    if (result == SQLITE_ROW) {
        Text text = {0};
        text_printf(&text, "convjudge chain 1\nlink %" PRId64 "\ntable %s\nrow %" PRId64 "\nprevious %s\n", link->link,
                    link->row_table, link->row_id, link->previous);
        for (int i = 0; i < sqlite3_column_count(row); i++)
            add_column(row, i, &text);
        *hash = hash_of_bytes(text.data, text.length);
        text_free(&text);
    } else if (result == SQLITE_DONE) {
        status = fail(STATUS_NOT_FOUND, why, "%s: no row %" PRId64 " in table %s", store->path, link->row_id,
                      link->row_table);
    } else {
        status = database_fail(store, why);
    }
    sqlite3_finalize(row);
    return status;
}

static Status read_last_link(Store *store, int64_t *last, Digest *hash, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(store, "SELECT link, hash FROM chain ORDER BY link DESC LIMIT 1", &statement, why);
    if (status != STATUS_OK)
        return status;
    *last = 0;
    strcpy(hash->hex, CHAIN_NO_HASH);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        *last = sqlite3_column_int64(statement, 0);
        snprintf(hash->hex, sizeof hash->hex, "%s", (const char *)sqlite3_column_text(statement, 1));
    } else if (result != SQLITE_DONE) {
        status = database_fail(store, why);
    }
    sqlite3_finalize(statement);
    return status;
}

static Status insert_link(Store *store, const Link *link, const Digest *hash, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(store,
                                     "INSERT INTO chain (link, row_table, row_id, previous, hash)"
                                     " VALUES (:link, :row_table, :row_id, :previous, :hash)",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_integer(statement, ":link", link->link);
    database_bind_text(statement, ":row_table", link->row_table);
    database_bind_integer(statement, ":row_id", link->row_id);
    database_bind_text(statement, ":previous", link->previous);
    database_bind_text(statement, ":hash", hash->hex);
    return database_insert(store, statement, NULL, why);
}

Status chain_append(Store *store, const char *table, int64_t row, Receipt *receipt, Message *why)
{
    int64_t last;
    Digest previous, hash;
    Status status = read_last_link(store, &last, &previous, why);
    const Link link = {.link = last + 1, .row_table = table, .row_id = row, .previous = previous.hex};
    if (status == STATUS_OK)
        status = chain_hash(store, &link, &hash, why);
    if (status == STATUS_OK)
        status = insert_link(store, &link, &hash, why);
    if (status == STATUS_OK && receipt != NULL)
        *receipt = (Receipt){.run = row, .link = link.link, .hash = hash};
    return status;
}

/* ---- the last link, in a file ------------------------------------------------------------------------------------ */

enum { HEAD_BYTES = 20 + 1 + 64 + 1 }; /* always the same length, so that a new head covers the old one */

static int open_head(const Store *store, int flags)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.head", store->path);
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666);
}

static bool read_head(int file, Receipt *last)
{
    char line[HEAD_BYTES + 1] = "";
    *last = (Receipt){0};
    return pread(file, line, HEAD_BYTES, 0) == HEAD_BYTES &&
           sscanf(line, "%20" SCNd64 " %64[0-9a-f]", &last->link, last->hash.hex) == 2;
}

static void write_head(const Store *store, const Receipt *last)
{
    Receipt written;
    char line[HEAD_BYTES + 1];
    int file = open_head(store, O_RDWR | O_CREAT);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX) == 0 && (!read_head(file, &written) || written.link < last->link)) {
        snprintf(line, sizeof line, "%20" PRId64 " %s\n", last->link, last->hash.hex);
        ssize_t ignored = pwrite(file, line, HEAD_BYTES, 0);
        (void)ignored;
    }
    close(file);
}

Status chain_end(Store *store, Status status, const Receipt *last, Message *why)
{
    status = database_end(store, status, why);
    if (status == STATUS_OK)
        write_head(store, last);
    return status;
}

bool chain_read_head(const Store *store, Receipt *last)
{
    int file = open_head(store, O_RDONLY);
    bool found = file >= 0 && read_head(file, last);
    if (file >= 0)
        close(file);
    return found;
}
