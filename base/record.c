#include "base/record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ==== members ===================================================================================================== */

static size_t count_of(const RecordRow *row, const char *record)
{
    return *(const size_t *)(record + row->count_offset);
}

/* The struct of an object; NULL: there is none. */
static const void *inner(const RecordRow *row, const char *record)
{
    return row->kind == RECORD_BEHIND ? *(const void *const *)(record + row->offset) : record + row->offset;
}

static double scale_of(const RecordRow *row)
{
    return row->scale == 0 ? 1 : row->scale;
}

static double number_of(const RecordRow *row, const void *member)
{
    const bool is_long = row->bytes == sizeof(int64_t);
    switch (row->kind) {
    case RECORD_DOUBLE: return scale_of(row) * *(const double *)member;
    case RECORD_INTEGER: return scale_of(row) * (double)(is_long ? *(const int64_t *)member : *(const int *)member);
    case RECORD_UNSIGNED:
        return scale_of(row) * (double)(is_long ? *(const uint64_t *)member : *(const uint32_t *)member);
    default: return row->low;
    }
}

static const char *text_of(const RecordRow *row, const void *member)
{
    if (row->names != NULL && row->kind == RECORD_UNSIGNED)
        return row->names[*(const uint32_t *)member];
    return row->kind == RECORD_CHARS ? member : *(const char *const *)member;
}

/* The kind of value that the file has for the row. */
static JsonKind json_kind(const RecordRow *row)
{
    switch (row->kind) {
    case RECORD_BOOL: return JSON_BOOLEAN;
    case RECORD_TEXT:
    case RECORD_CHARS: return JSON_STRING;
    case RECORD_TEXTS:
    case RECORD_LIST: return JSON_ARRAY;
    case RECORD_OBJECT:
    case RECORD_BEHIND: return JSON_OBJECT;
    case RECORD_HAND: return row->json;
    default: return row->names != NULL ? JSON_STRING : row->numbers > 0 ? JSON_ARRAY : JSON_NUMBER;
    }
}

/* Whether a sparse row leaves it out. */
static bool is_empty(const RecordRow *row, const char *record)
{
    switch (json_kind(row)) {
    case JSON_STRING:
        return text_of(row, record + row->offset) == NULL || text_of(row, record + row->offset)[0] == '\0';
    case JSON_ARRAY: return row->numbers == 0 && count_of(row, record) == 0;
    case JSON_BOOLEAN: return !*(const bool *)(record + row->offset);
    case JSON_NUMBER: return !(number_of(row, record + row->offset) > 0);
    default: return false;
    }
}

/* ==== writing ===================================================================================================== */

static void write_record(const RecordTable *table, const void *record, const void *root, cJSON *object);

static void put_text(cJSON *object, const RecordRow *row, const void *member)
{
    if (text_of(row, member) != NULL)
        cJSON_AddStringToObject(object, row->key, text_of(row, member));
}

static void put_texts(cJSON *object, const RecordRow *row, const char *record)
{
    const char *const *texts = *(const char *const *const *)(record + row->offset);
    cJSON *list = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < count_of(row, record); i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
}

void record_write_list(const RecordTable *table, const void *items, size_t count, const void *root, cJSON *object,
                       const char *key)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        write_record(table, (const char *)items + i * table->size, root, item);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_numbers(cJSON *object, const RecordRow *row, const char *member)
{
    cJSON *list = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < row->numbers; i++)
        json_push_number(list, number_of(row, member + i * row->bytes));
}

static void put_member(cJSON *object, const RecordRow *row, const char *record, const void *root)
{
    const void *member = record + row->offset;
    switch (row->kind) {
    case RECORD_TEXT:
    case RECORD_CHARS: put_text(object, row, member); break;
    case RECORD_TEXTS: put_texts(object, row, record); break;
    case RECORD_LIST:
        record_write_list(row->table, *(const void *const *)member, count_of(row, record), root, object, row->key);
        break;
    case RECORD_BOOL: cJSON_AddBoolToObject(object, row->key, *(const bool *)member); break;
    case RECORD_OBJECT:
    case RECORD_BEHIND:
        if (inner(row, record) != NULL)
            write_record(row->table, inner(row, record), root,
                         row->key == NULL ? object : cJSON_AddObjectToObject(object, row->key));
        break;
    case RECORD_HAND: break;
    default:
        if (row->names != NULL)
            put_text(object, row, member);
        else if (row->numbers > 0)
            put_numbers(object, row, member);
        else if (row->kind == RECORD_DOUBLE)
            json_put_number(object, row->key, number_of(row, member));
        else
            cJSON_AddNumberToObject(object, row->key, number_of(row, member));
    }
}

static void write_record(const RecordTable *table, const void *record, const void *root, cJSON *object)
{
    for (const RecordRow *row = table->rows; row < table->rows + table->count; row++) {
        if ((row->when != NULL && !row->when(record)) || (row->sparse && is_empty(row, record)))
            continue;
        if (row->put != NULL)
            row->put(object, row, record, root);
        else
            put_member(object, row, record, root);
    }
}

void record_write(const RecordTable *table, const void *record, cJSON *object)
{
    write_record(table, record, record, object);
}

void record_print(const RecordTable *table, const void *record, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_write(table, record, object);
    json_print(object, text);
    cJSON_Delete(object);
}

/* ==== reading ===================================================================================================== */

static Status read_rows(const RecordReading *reading, const RecordTable *table, const cJSON *object, char *record);

/* Whether the row's members stand in the object of the row itself. */
static bool is_part(const RecordRow *row)
{
    return row->key == NULL && (row->kind == RECORD_OBJECT || row->kind == RECORD_BEHIND);
}

static Status read_number(const RecordReading *reading, const RecordRow *row, const cJSON *item, void *member)
{
    const bool is_whole = row->kind != RECORD_DOUBLE, is_long = row->bytes == sizeof(int64_t);
    const bool any = row->low == 0 && row->high == 0;
    const double most = !is_whole                     ? DBL_MAX
                        : is_long                     ? 9007199254740992.0 /* 2^53 */
                        : row->kind == RECORD_INTEGER ? INT32_MAX
                                                      : UINT32_MAX;
    const double low = any && row->kind != RECORD_UNSIGNED ? -most : row->low, high = any ? most : row->high;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : NAN, scaled = 1 / scale_of(row) * value;
    if (!(value >= low && value <= high) || (is_whole && value != floor(value)))
        return json_fail(reading->file, item, reading->why,
                         is_whole ? "expected a whole number from %.0f to %.0f"
                                  : "expected a number from %.15g to %.15g",
                         low, high);
    if (row->kind == RECORD_SCHEMA)
        return STATUS_OK;
    if (row->kind == RECORD_DOUBLE)
        *(double *)member = scaled;
    else if (is_long)
        *(int64_t *)member = (int64_t)scaled;
    else
        *(uint32_t *)member = row->kind == RECORD_INTEGER ? (uint32_t)(int)scaled : (uint32_t)scaled;
    return STATUS_OK;
}

static Status read_numbers(const RecordReading *reading, const RecordRow *row, const cJSON *list, char *member)
{
    Status status = STATUS_OK;
    if ((size_t)cJSON_GetArraySize(list) != row->numbers)
        return json_fail(reading->file, list, reading->why, "expected %zu numbers", row->numbers);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next, member += row->bytes)
        status = read_number(reading, row, item, member);
    return status;
}

/* "expected "workers" or "slurm", found "x"" */
static Status read_name(const RecordReading *reading, const RecordRow *row, const cJSON *item, void *member)
{
    Text expected = {0};
    for (uint32_t i = 0; row->names[i] != NULL; i++) {
        if (strcmp(row->names[i], item->valuestring) == 0) {
            if (row->kind == RECORD_UNSIGNED)
                *(uint32_t *)member = i;
            else
                *(const char **)member = row->names[i];
            text_free(&expected);
            return STATUS_OK;
        }
        text_printf(&expected, "%s\"%s\"", i == 0 ? "" : row->names[i + 1] == NULL ? " or " : ", ", row->names[i]);
    }
    Status status = json_fail(reading->file, item, reading->why, "expected %s, found \"%s\"", expected.data,
                              item->valuestring);
    text_free(&expected);
    return status;
}

static Status read_text(const RecordReading *reading, const RecordRow *row, const cJSON *item, void *member)
{
    const char *text = item->valuestring;
    const size_t most = row->kind == RECORD_CHARS ? row->bytes - 1 : row->high == 0 ? SIZE_MAX : (size_t)row->high;
    if (strlen(text) > most)
        return json_fail(reading->file, item, reading->why, "expected at most %zu bytes, found %zu", most,
                         strlen(text));
    if (row->kind == RECORD_CHARS)
        strcpy(member, text);
    else
        *(const char **)member = reading->arena == NULL ? text : arena_string(reading->arena, text);
    return STATUS_OK;
}

static Status read_list(const RecordReading *reading, const RecordRow *row, const cJSON *list, char *record)
{
    char *items = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list) + 1, row->table->size);
    size_t *count = (size_t *)(record + row->count_offset);
    Status status = STATUS_OK;
    *count = 0;
    *(void **)(record + row->offset) = items;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        status = read_rows(reading, row->table, item, items + *count * row->table->size);
        ++*count;
    }
    return status;
}

static void *inner_to_fill(const RecordReading *reading, const RecordRow *row, char *record)
{
    void **pointer = (void **)(record + row->offset);
    if (row->kind == RECORD_OBJECT)
        return pointer;
    if (*pointer == NULL)
        *pointer = arena_alloc(reading->arena, row->table->size);
    return *pointer;
}

static Status read_member(const RecordReading *reading, const RecordRow *row, const cJSON *item, char *record)
{
    void *member = record + row->offset;
    if (row->names != NULL)
        return read_name(reading, row, item, member);
    switch (row->kind) {
    case RECORD_DOUBLE:
    case RECORD_INTEGER:
    case RECORD_UNSIGNED:
    case RECORD_SCHEMA:
        return row->numbers > 0 ? read_numbers(reading, row, item, member) : read_number(reading, row, item, member);
    case RECORD_TEXT:
    case RECORD_CHARS: return read_text(reading, row, item, member);
    case RECORD_LIST: return read_list(reading, row, item, record);
    case RECORD_OBJECT:
    case RECORD_BEHIND: return read_rows(reading, row->table, item, inner_to_fill(reading, row, record));
    case RECORD_BOOL: *(bool *)member = cJSON_IsTrue(item); return STATUS_OK;
    case RECORD_TEXTS:
    case RECORD_HAND: break;
    }
    return STATUS_OK;
}

static Status read_members(const RecordReading *reading, const RecordTable *table, const cJSON *object, char *record)
{
    Status status = STATUS_OK;
    for (const RecordRow *row = table->rows; row < table->rows + table->count && status == STATUS_OK; row++) {
        if (is_part(row)) {
            status = read_members(reading, row->table, object, inner_to_fill(reading, row, record));
            if (status == STATUS_OK && row->check != NULL)
                status = row->check(reading, object, record + row->offset);
            continue;
        }
        const cJSON *item = row->key == NULL ? NULL : json_get(object, row->key);
        if (item == NULL)
            continue;
        if (row->take != NULL)
            status = row->take(reading, item, row, record);
        else
            status = read_member(reading, row, item, record);
        if (status == STATUS_OK && row->check != NULL)
            status = row->check(reading, item, record + row->offset);
    }
    return status;
}

enum { MOST_KEYS = 128 }; /* of one object: no table that is read has so many */

static size_t collect_keys(const RecordTable *table, JsonKey *keys, size_t count)
{
    for (const RecordRow *row = table->rows; row < table->rows + table->count; row++) {
        if (is_part(row))
            count = collect_keys(row->table, keys, count);
        else if (row->key != NULL && count < MOST_KEYS)
            keys[count++] = (JsonKey){row->key, json_kind(row), row->required};
    }
    return count;
}

static Status read_rows(const RecordReading *reading, const RecordTable *table, const cJSON *object, char *record)
{
    JsonKey keys[MOST_KEYS];
    const size_t count = collect_keys(table, keys, 0);
    TRY(json_check_keys(reading->file, object, keys, count, table->open, reading->why));
    return read_members(reading, table, object, record);
}

Status record_read(const RecordTable *table, const JsonFile *file, const cJSON *object, Arena *arena, void *record,
                   Message *why)
{
    return read_rows(&(RecordReading){file, arena, record, why}, table, object, record);
}
