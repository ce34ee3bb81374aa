/* record.h - the members of a JSON object, one row for each: for reading, for writing, and for
 * docs/reference/formats.md.
 *
 *     RECORD(anchor_table, AnchorTimes,
 *         ROW(AnchorTimes, name, "name", .required = true, .about = "the file of a reference solution"),
 *         ROW(AnchorTimes, before_s, "before_ms", .scale = 1e3, .sparse = true, .about = "its time before"));
 *
 * The kind of a row follows from the type of the member, so that both cannot differ. A function that the row names does
 * the rest, or the caller does it by hand before or after.  */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== rows ======================================================================================================== */

typedef enum RecordKind {
    RECORD_DOUBLE,
    RECORD_BOOL,
    RECORD_INTEGER,  /* int, int64_t */
    RECORD_UNSIGNED, /* uint32_t, uint64_t, size_t; an enum, with `names` */
    RECORD_TEXT,     /* const char *; NULL: absent */
    RECORD_CHARS,    /* char[] within the struct */
    RECORD_TEXTS,    /* const char ** with a count */
    RECORD_OBJECT,   /* a struct within the struct; without a key, its members stand in the object itself */
    RECORD_BEHIND,   /* likewise behind a pointer; NULL: absent */
    RECORD_LIST,     /* a pointer to structs, with a count */
    RECORD_SCHEMA,   /* always the number `low` */
    RECORD_HAND      /* what only `put` and `take` know; without a key, `put` writes several, which `table` describes */
} RecordKind;

typedef struct RecordTable RecordTable;

typedef struct RecordReading { /* what record_read() was given */
    const JsonFile *file;
    Arena *arena;
    void *root; /* the record */
    Message *why;
} RecordReading;

typedef struct RecordRow {
    const char *key;
    RecordKind kind;
    size_t offset, bytes;     /* of the member */
    size_t numbers;           /* above 0: an array of so many numbers within the struct, of `bytes` each */
    size_t count_offset;      /* of the size_t that counts a list */
    const RecordTable *table; /* of objects and lists */
    const char *const *names; /* of an enum's values, in their order; or the texts that are possible. Then NULL */
    double low, high;         /* the range of a number; of a text, `high` is the most bytes. Both 0: any */
    double scale;             /* the file has the member times this; 0: 1 */
    bool required;            /* reading: without the key, the object is refused. Else the member keeps its value */
    bool sparse;              /* writing: left out where it is "", false, empty or not above 0 */
    const char *about; /* for docs/reference/formats.md; NULL: the next row that has one says it of this key, too, or
                        * the rows of `table` do */
    bool brief;        /* there, `about` describes the rows of `table`, too */
    JsonKind json;     /* RECORD_HAND: what the file has */
    bool (*when)(const void *record); /* writing: left out where this says false */
    /* Writes the member instead; `root` is the record that record_write() was given. */
    void (*put)(cJSON *object, const struct RecordRow *row, const void *record, const void *root);
    /* Reads it instead; or checks what has been read: without a key, all of `table`. `item` is never NULL. */
    Status (*take)(const RecordReading *reading, const cJSON *item, const struct RecordRow *row, void *record);
    Status (*check)(const RecordReading *reading, const cJSON *item, const void *member);
} RecordRow;

struct RecordTable {
    const RecordRow *rows;
    size_t count, size; /* of the rows; bytes of the struct */
    bool open;          /* reading: other keys are left alone, since a newer judge may write more */
};

#define RECORD_MEMBER(STRUCT, MEMBER) ((STRUCT *)NULL)->MEMBER
#define RECORD_KIND(STRUCT, MEMBER)                                                                                    \
    _Generic(RECORD_MEMBER(STRUCT, MEMBER),                                                                            \
        double: RECORD_DOUBLE,                                                                                         \
        bool: RECORD_BOOL,                                                                                             \
        int: RECORD_INTEGER,                                                                                           \
        int64_t: RECORD_INTEGER,                                                                                       \
        uint32_t: RECORD_UNSIGNED,                                                                                     \
        uint64_t: RECORD_UNSIGNED,                                                                                     \
        const char *: RECORD_TEXT,                                                                                     \
        char *: RECORD_CHARS)
#define RECORD_PLACE(STRUCT, MEMBER) .offset = offsetof(STRUCT, MEMBER), .bytes = sizeof(RECORD_MEMBER(STRUCT, MEMBER))

#define ROW(STRUCT, MEMBER, KEY, ...)                                                                                  \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_KIND(STRUCT, MEMBER), RECORD_PLACE(STRUCT, MEMBER), __VA_ARGS__                     \
    }
#define ROW_NUMBERS(STRUCT, MEMBER, KEY, ...)                                                                          \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_KIND(STRUCT, MEMBER[0]), .offset = offsetof(STRUCT, MEMBER),                        \
        .bytes = sizeof(RECORD_MEMBER(STRUCT, MEMBER[0])),                                                             \
        .numbers = sizeof(RECORD_MEMBER(STRUCT, MEMBER)) / sizeof(RECORD_MEMBER(STRUCT, MEMBER[0])), __VA_ARGS__       \
    }
#define ROW_TEXTS(STRUCT, MEMBER, COUNT, KEY, ...)                                                                     \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_TEXTS, RECORD_PLACE(STRUCT, MEMBER), .count_offset = offsetof(STRUCT, COUNT),       \
        __VA_ARGS__                                                                                                    \
    }
#define ROW_OBJECT(STRUCT, MEMBER, KEY, TABLE, ...)                                                                    \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_OBJECT, RECORD_PLACE(STRUCT, MEMBER), .table = &(TABLE), __VA_ARGS__                \
    }
/* An object whose members are those of the same struct; without a key, rows that share a `when`. */
#define ROW_SAME(KEY, TABLE, ...)                                                                                      \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_OBJECT, .table = &(TABLE), __VA_ARGS__                                              \
    }
#define ROW_BEHIND(STRUCT, MEMBER, KEY, TABLE, ...)                                                                    \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_BEHIND, RECORD_PLACE(STRUCT, MEMBER), .table = &(TABLE), __VA_ARGS__                \
    }
#define ROW_LIST(STRUCT, MEMBER, COUNT, KEY, TABLE, ...)                                                               \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_LIST, RECORD_PLACE(STRUCT, MEMBER), .count_offset = offsetof(STRUCT, COUNT),        \
        .table = &(TABLE), __VA_ARGS__                                                                                 \
    }
#define ROW_SCHEMA(KEY, NUMBER)                                                                                        \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_SCHEMA, .low = NUMBER, .high = NUMBER, .required = true                             \
    }
#define ROW_HAND(KEY, ...)                                                                                             \
    {                                                                                                                  \
        .key = KEY, .kind = RECORD_HAND, __VA_ARGS__                                                                   \
    }

/* The member of a record, for `put`. */
static inline const void *record_member(const RecordRow *row, const void *record)
{
    return (const char *)record + row->offset;
}

/* A `when` and a `put` of one line; `it` is the record, of type STRUCT. */
#define RECORD_WHEN(NAME, STRUCT, CONDITION)                                                                           \
    static bool NAME(const void *record)                                                                               \
    {                                                                                                                  \
        const STRUCT *it = record;                                                                                     \
        return CONDITION;                                                                                              \
    }
#define RECORD_PUT(NAME, STRUCT, STATEMENT)                                                                            \
    static void NAME(cJSON *object, const RecordRow *row, const void *record, const void *root)                        \
    {                                                                                                                  \
        __attribute__((unused)) const STRUCT *it = record;                                                             \
        STATEMENT;                                                                                                     \
    }

/* A table of rows; an open one; and one that other files may use, which declare it as `extern const RecordTable`. */
#define RECORD(NAME, STRUCT, ...) RECORD_AS(static, false, NAME, STRUCT, __VA_ARGS__)
#define RECORD_OPEN(NAME, STRUCT, ...) RECORD_AS(static, true, NAME, STRUCT, __VA_ARGS__)
#define RECORD_PUBLIC(NAME, STRUCT, ...) RECORD_AS(, false, NAME, STRUCT, __VA_ARGS__)
#define RECORD_AS(STORAGE, OPEN, NAME, STRUCT, ...)                                                                    \
    static const RecordRow NAME##_rows[] = {__VA_ARGS__};                                                              \
    STORAGE const RecordTable NAME = {                                                                                 \
        .rows = NAME##_rows, .count = sizeof NAME##_rows / sizeof *NAME##_rows, .size = sizeof(STRUCT), .open = OPEN}

/* ==== reading and writing ========================================================================================= */

/* Fills in the struct from an object that has these keys and, unless the table is open, no others. Strings and lists are
 * copied into `arena`; NULL: strings stay those of the JSON, and there may be no lists. Messages are those of base/json.h. */
MUST_USE Status record_read(const RecordTable *table, const JsonFile *file, const cJSON *object, Arena *arena,
                            void *record, Message *why);

/* Adds the members to the object, in the order of the rows. */
void record_write(const RecordTable *table, const void *record, cJSON *object);
/* Adds a list with an object for each of the structs. `root` is what `put` is told. */
void record_write_list(const RecordTable *table, const void *items, size_t count, const void *root, cJSON *object,
                       const char *key);
/* The same as record_write() to a new object, which is printed. */
void record_print(const RecordTable *table, const void *record, Text *text);

#endif
