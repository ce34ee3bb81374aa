/* json.h - strict reading of JSON files, on top of cJSON.
 *
 * cJSON accepts trailing text, repeated keys, unknown keys, keys in the wrong letter case and numbers like 01. These
 * functions refuse each of them with file, line and key; every file that a person writes is read through them.
 * Items are cJSON's own (`const cJSON *`); they live until json_free().  */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/status.h"
#include "base/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct JsonFile {
    char *path;  /* as given to json_read(), for messages */
    Text text;   /* the file's bytes, for line numbers */
    cJSON *root; /* always an object */
} JsonFile;

typedef enum JsonKind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_BOOLEAN, JSON_ANY } JsonKind;

typedef struct JsonKey {
    const char *name;
    JsonKind kind;
    bool required;
} JsonKey;

/* Reads a file of at most `max_bytes` that holds one JSON object and nothing else, without repeated keys. */
MUST_USE Status json_read(const char *path, size_t max_bytes, JsonFile *file, Message *why);
/* The same for text in memory; messages call it `path`. */
MUST_USE Status json_parse(const char *path, const char *text, size_t length, JsonFile *file, Message *why);
void json_free(JsonFile *file);

/* Checks that `object` is an object, has all required keys, no unknown ones, and values of the right kinds. */
MUST_USE Status json_check(const JsonFile *file, const cJSON *object, const JsonKey *keys, size_t count, Message *why);

/* The same; if `open`, other keys are left alone. */
MUST_USE Status json_check_keys(const JsonFile *file, const cJSON *object, const JsonKey *keys, size_t count, bool open,
                                Message *why);

/* The member, or NULL. Letter case matters. */
const cJSON *json_get(const cJSON *object, const char *key);

/* "FILE:LINE: KEY: " and the text; `item` is any item of the file, or NULL for the whole file. */
__attribute__((format(printf, 4, 5))) Status json_fail(const JsonFile *file, const cJSON *item, Message *why,
                                                       const char *format, ...);

/* A member that is a whole number within [low, high]; `*value` is left unchanged if the key is absent. */
MUST_USE Status json_integer(const JsonFile *file, const cJSON *object, const char *key, int64_t low, int64_t high,
                             int64_t *value, Message *why);
/* A member that is a number within [low, high]; `*value` is left unchanged if the key is absent. */
MUST_USE Status json_number(const JsonFile *file, const cJSON *object, const char *key, double low, double high,
                            double *value, Message *why);
/* A member that is a string; NULL if the key is absent. */
const char *json_string(const cJSON *object, const char *key);
/* A member that is a number; else 0. For what the judge itself wrote. */
double json_value(const cJSON *object, const char *key);

/* Adds a double with as many digits as it takes to read back as itself (cJSON's own printer loses the last bit of one
 * double in six). An infinity or NaN, which JSON cannot express, is left out. */
void json_put_number(cJSON *object, const char *key, double value);
/* The same at the end of an array; an infinity or NaN becomes null, so that the other elements keep their positions. */
void json_push_number(cJSON *array, double value);
/* Lets every number of the item print so, too. */
void json_keep_digits(cJSON *item);
/* Appends the item with line breaks, and a newline at the end. */
void json_print(const cJSON *item, Text *text);

#endif
