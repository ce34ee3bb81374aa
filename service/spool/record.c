#include "service/spool/record.h"

#include <float.h>

enum { FORMAT = 1, MOST_FIELDS = 32, MOST_COUNT = 1000000000 };
static const int64_t MOST_INTEGER = INT64_C(1) << 53; /* a double holds every smaller one */

static void put_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL)
        cJSON_AddStringToObject(object, key, text);
}

void record_put(cJSON *object, const RecordField *fields, size_t count, const void *record)
{
    for (const RecordField *field = fields; field < fields + count; field++) {
        const void *member = (const char *)record + field->offset;
        switch (field->kind) {
        case RECORD_TEXT:
        case RECORD_OPTIONAL_TEXT: put_text(object, field->key, *(const char *const *)member); break;
        case RECORD_INTEGER: cJSON_AddNumberToObject(object, field->key, (double)*(const int64_t *)member); break;
        case RECORD_COUNT: cJSON_AddNumberToObject(object, field->key, *(const int *)member); break;
        case RECORD_NUMBER: json_put_number(object, field->key, *(const double *)member); break;
        case RECORD_FORMAT: cJSON_AddNumberToObject(object, field->key, FORMAT); break;
        case RECORD_OTHER: break;
        }
    }
}

static JsonKey key_of(const RecordField *field)
{
    bool optional = field->kind == RECORD_OPTIONAL_TEXT || field->kind == RECORD_OTHER;
    bool text = field->kind == RECORD_TEXT || field->kind == RECORD_OPTIONAL_TEXT;
    JsonKind kind = field->kind == RECORD_OTHER ? JSON_ANY : text ? JSON_STRING : JSON_NUMBER;
    return (JsonKey){field->key, kind, !optional};
}

static Status read_field(const JsonFile *file, const cJSON *object, const RecordField *field, Arena *arena,
                         void *record, Message *why)
{
    void *member = (char *)record + field->offset;
    const char *text = json_string(object, field->key);
    int64_t integer = 0;
    Status status = STATUS_OK;
    switch (field->kind) {
    case RECORD_TEXT:
    case RECORD_OPTIONAL_TEXT: *(const char **)member = text == NULL ? NULL : arena_string(arena, text); break;
    case RECORD_INTEGER: return json_integer(file, object, field->key, 0, MOST_INTEGER, (int64_t *)member, why);
    case RECORD_COUNT:
        status = json_integer(file, object, field->key, 0, MOST_COUNT, &integer, why);
        *(int *)member = (int)integer;
        break;
    case RECORD_NUMBER: return json_number(file, object, field->key, -DBL_MAX, DBL_MAX, (double *)member, why);
    case RECORD_FORMAT: return json_integer(file, object, field->key, FORMAT, FORMAT, &integer, why);
    case RECORD_OTHER: break;
    }
    return status;
}

Status record_read(const JsonFile *file, const cJSON *object, const RecordField *fields, size_t count, Arena *arena,
                   void *record, Message *why)
{
    JsonKey keys[MOST_FIELDS] = {{0}};
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(&fields[i]);
    Status status = json_check(file, object, keys, count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = read_field(file, object, &fields[i], arena, record, why);
    return status;
}
