/* record.h - a struct as a JSON object: one row for each member, for reading and for writing.
 *
 * Texts are UTF-8. An optional text that is NULL is left out, and NULL where it is missing.  */
#ifndef SERVICE_SPOOL_RECORD_H
#define SERVICE_SPOOL_RECORD_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum RecordKind {
    RECORD_TEXT,          /* const char * */
    RECORD_OPTIONAL_TEXT, /* likewise */
    RECORD_INTEGER,       /* int64_t, from 0 to 2^53 */
    RECORD_COUNT,         /* int, from 0 to 10^9 */
    RECORD_NUMBER,        /* double */
    RECORD_FORMAT,        /* no member: always 1 */
    RECORD_OTHER          /* no member: an optional key that the caller reads and writes */
} RecordKind;

typedef struct RecordField {
    const char *key;
    RecordKind kind;
    size_t offset; /* of the member */
} RecordField;

/* Adds a key for each field to the object. */
void record_put(cJSON *object, const RecordField *fields, size_t count, const void *record);

/* Fills in the struct from an object that has these keys and no others; texts are copied into `arena`. */
MUST_USE Status record_read(const JsonFile *file, const cJSON *object, const RecordField *fields, size_t count,
                            Arena *arena, void *record, Message *why);

#endif
