#include "base/json.h"

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By default, cJSON silently leaves out items that it has no memory for. */
static void *cjson_allocate(size_t size)
{
    return allocated(malloc(size));
}

__attribute__((constructor)) static void use_one_memory_policy(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = cjson_allocate, .free_fn = free});
}

/* cJSON does not record positions. To find an item's line, walk over its tree and the text, which it has accepted, at
 * once. */
typedef struct JsonWalk {
    const char *at;
    const cJSON *wanted;
    const char *found;
} JsonWalk;

static void skip_space(JsonWalk *walk)
{
    walk->at += strspn(walk->at, " \t\r\n");
}

static void skip_string(JsonWalk *walk)
{
    for (walk->at++; *walk->at != '"' && *walk->at != '\0'; walk->at++)
        if (*walk->at == '\\' && walk->at[1] != '\0')
            walk->at++;
    if (*walk->at == '"')
        walk->at++;
}

static void walk_value(JsonWalk *walk, const cJSON *item)
{
    skip_space(walk);
    if (item == walk->wanted && walk->found == NULL)
        walk->found = walk->at;
    if (*walk->at == '"') {
        skip_string(walk);
    } else if (*walk->at == '{' || *walk->at == '[') {
        bool object = *walk->at++ == '{';
        for (const cJSON *child = item->child; child != NULL; child = child->next) {
            skip_space(walk);
            if (object) {
                if (child == walk->wanted)
                    walk->found = walk->at;
                skip_string(walk);
                skip_space(walk);
                walk->at++; /* ':' */
            }
            walk_value(walk, child);
            skip_space(walk);
            if (*walk->at == ',')
                walk->at++;
        }
        skip_space(walk);
        walk->at++;
    } else {
        walk->at += strcspn(walk->at, ",]} \t\r\n");
    }
}

static int line_of(const JsonFile *file, const cJSON *item)
{
    JsonWalk walk = {.at = file->text.data, .wanted = item};
    walk_value(&walk, file->root);
    return walk.found == NULL ? 1 : text_line_at(file->text.data, (size_t)(walk.found - file->text.data));
}

Status json_fail(const JsonFile *file, const cJSON *item, Message *why, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (item == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: %s", file->path, text);
    if (item->string == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s:%d: %s", file->path, line_of(file, item), text);
    return fail(STATUS_BAD_INPUT, why, "%s:%d: %s: %s", file->path, line_of(file, item), item->string, text);
}

static Status find_repeated(const JsonFile *file, const cJSON *object, const cJSON *child, Message *why)
{
    for (const cJSON *other = object->child; other != child; other = other->next)
        if (strcmp(other->string, child->string) == 0)
            return json_fail(file, child, why, "this key is repeated; it is also on line %d", line_of(file, other));
    return STATUS_OK;
}

/* A key is looked for among those before it only where one of them has the same hash. */
static Status check_duplicates(const JsonFile *file, const cJSON *item, Message *why)
{
    enum { HASHES = 1024, BITS = 64 };
    uint64_t seen[HASHES / BITS] = {0};
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        uint32_t hash = 0;
        for (const char *at = cJSON_IsObject(item) ? child->string : ""; *at != '\0'; at++)
            hash = 31 * hash + (unsigned char)*at;
        uint64_t *word = &seen[hash % HASHES / BITS], bit = 1ull << hash % BITS;
        if (cJSON_IsObject(item) && (*word & bit) != 0)
            TRY(find_repeated(file, item, child, why));
        *word |= bit;
        if (child->child != NULL)
            TRY(check_duplicates(file, child, why));
    }
    return STATUS_OK;
}

/* A text of C would end there. */
static bool holds_nul(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at != '\\')
            continue;
        if (strncmp(at, "\\u0000", 6) == 0)
            return true;
        at++;
    }
    return false;
}

/* cJSON lets strtod() decide what a number is; JSON allows no leading zeros and no plus sign (RFC 8259, section 6). It cuts
 * texts at a NUL. */
static Status check_values(const JsonFile *file, Message *why)
{
    const char *text = file->text.data;
    for (const char *at = text; *at != '\0';) {
        if (*at == '"') {
            JsonWalk walk = {.at = at};
            skip_string(&walk);
            if (holds_nul(at, walk.at))
                return fail(STATUS_BAD_INPUT, why, "%s:%d: a text with a NUL character, \\u0000", file->path,
                            text_line_at(text, (size_t)(at - text)));
            at = walk.at;
        } else if ((*at >= '0' && *at <= '9') || *at == '+' || *at == '-' || *at == '.') {
            size_t length = strcspn(at, ",]} \t\r\n");
            const char *digits = at + (*at == '-');
            if (*digits < '0' || *digits > '9' || (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'))
                return fail(STATUS_BAD_INPUT, why, "%s:%d: %.*s: not a JSON number", file->path,
                            text_line_at(text, (size_t)(at - text)), (int)(length > 40 ? 40 : length), at);
            at += length;
        } else {
            at++;
        }
    }
    return STATUS_OK;
}

static Status parse_text(JsonFile *file, Message *why)
{
    const char *end = NULL;
    size_t bad = 0;
    if (!text_is_utf8(file->text.data, file->text.length, &bad))
        return fail(STATUS_BAD_INPUT, why, "%s:%d: not UTF-8 text", file->path, text_line_at(file->text.data, bad));
    file->root = cJSON_ParseWithLengthOpts(file->text.data, file->text.length + 1, &end, 1);
    if (file->root == NULL) {
        size_t offset = end == NULL ? 0 : (size_t)(end - file->text.data);
        if (offset > file->text.length)
            offset = file->text.length;
        int shown = (int)strcspn(file->text.data + offset, "\n");
        return fail(STATUS_BAD_INPUT, why, "%s:%d: not valid JSON from here on: '%.*s'", file->path,
                    text_line_at(file->text.data, offset), shown > 40 ? 40 : shown, file->text.data + offset);
    }
    if (!cJSON_IsObject(file->root))
        return fail(STATUS_BAD_INPUT, why, "%s:1: expected an object, '{ ... }'", file->path);
    TRY(check_values(file, why));
    return check_duplicates(file, file->root, why);
}

Status json_parse(const char *path, const char *text, size_t length, JsonFile *file, Message *why)
{
    *file = (JsonFile){.path = allocated(strdup(path))};
    text_append(&file->text, text, length);
    Status status = parse_text(file, why);
    if (status != STATUS_OK)
        json_free(file);
    return status;
}

Status json_read(const char *path, size_t max_bytes, JsonFile *file, Message *why)
{
    Text text = {0};
    *file = (JsonFile){0};
    Status status = text_read_file(path, max_bytes, &text, why);
    THEN(status, json_parse(path, text.data, text.length, file, why));
    text_free(&text);
    return status;
}

void json_free(JsonFile *file)
{
    cJSON_Delete(file->root);
    text_free(&file->text);
    free(file->path);
    *file = (JsonFile){0};
}

static const char *const kind_names[] = {"an object", "an array", "a string", "a number", "true or false", "anything"};

static bool has_kind(const cJSON *item, JsonKind kind)
{
    switch (kind) {
    case JSON_OBJECT: return cJSON_IsObject(item);
    case JSON_ARRAY: return cJSON_IsArray(item);
    case JSON_STRING: return cJSON_IsString(item);
    case JSON_NUMBER: return cJSON_IsNumber(item) && isfinite(item->valuedouble);
    case JSON_BOOLEAN: return cJSON_IsBool(item);
    case JSON_ANY: return true;
    }
    return false;
}

static Status refuse_key(const JsonFile *file, const cJSON *child, const JsonKey *keys, size_t count, Message *why)
{
    Text names = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&names, "%s%s", i > 0 ? ", " : "", keys[i].name);
    Status status = json_fail(file, child, why, "unknown key; %sexpected one of: %s",
                              suggestion_for(child->string, names.data == NULL ? "" : names.data).text,
                              names.data == NULL ? "none" : names.data);
    text_free(&names);
    return status;
}

Status json_check_keys(const JsonFile *file, const cJSON *object, const JsonKey *keys, size_t count, bool open,
                       Message *why)
{
    if (!cJSON_IsObject(object))
        return json_fail(file, object, why, "expected an object");
    for (const cJSON *child = object->child; child != NULL; child = child->next) {
        size_t i = 0;
        while (i < count && strcmp(keys[i].name, child->string) != 0)
            i++;
        if (i == count && open)
            continue;
        if (i == count)
            return refuse_key(file, child, keys, count, why);
        if (!has_kind(child, keys[i].kind))
            return json_fail(file, child, why, "expected %s", kind_names[keys[i].kind]);
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i].required && json_get(object, keys[i].name) == NULL)
            return json_fail(file, object, why, "the key \"%s\" is missing", keys[i].name);
    return STATUS_OK;
}

Status json_check(const JsonFile *file, const cJSON *object, const JsonKey *keys, size_t count, Message *why)
{
    return json_check_keys(file, object, keys, count, false, why);
}

const cJSON *json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

Status json_number(const JsonFile *file, const cJSON *object, const char *key, double low, double high, double *value,
                   Message *why)
{
    const cJSON *item = json_get(object, key);
    if (item == NULL)
        return STATUS_OK;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high))
        return json_fail(file, item, why, "expected a number from %.15g to %.15g", low, high);
    *value = item->valuedouble;
    return STATUS_OK;
}

Status json_integer(const JsonFile *file, const cJSON *object, const char *key, int64_t low, int64_t high,
                    int64_t *value, Message *why)
{
    const cJSON *item = json_get(object, key);
    if (item == NULL)
        return STATUS_OK;
    double number = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (!(number >= (double)low && number <= (double)high && number == floor(number)))
        return json_fail(file, item, why, "expected a whole number from %lld to %lld", (long long)low, (long long)high);
    *value = (int64_t)number;
    return STATUS_OK;
}

double json_value(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *json_string(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 1e15;
}

static void shortest_digits(double value, char digits[32])
{
    if (is_whole(value)) { /* 10, which "%.1g" would print as 1e+01 */
        snprintf(digits, 32, "%.0f", value);
        return;
    }
    /* The shortest that reads back as itself. A number that has so few digits gets them with DBL_DIG as well. */
    int precision = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    do
        snprintf(digits, 32, "%.*g", precision, value);
    while (precision++ < 17 && strtod(digits, NULL) != value);
}

static cJSON *number_item(double value)
{
    char digits[32];
    shortest_digits(value, digits);
    return cJSON_CreateRaw(digits);
}

void json_put_number(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        cJSON_AddItemToObject(object, key, number_item(value));
}

void json_push_number(cJSON *array, double value)
{
    cJSON_AddItemToArray(array, isfinite(value) ? number_item(value) : cJSON_CreateNull());
}

void json_keep_digits(cJSON *item)
{
    char digits[32];
    double value = item->valuedouble;
    if (cJSON_IsNumber(item) && isfinite(value) && !is_whole(value)) { /* cJSON prints whole numbers right */
        shortest_digits(value, digits);
        item->valuestring = allocated(strdup(digits));
        item->type = (item->type & ~0xFF) | cJSON_Raw;
    }
    for (cJSON *child = item->child; child != NULL; child = child->next)
        json_keep_digits(child);
}

void json_print(const cJSON *item, Text *text)
{
    char *printed = cJSON_Print(item);
    text_add(text, printed);
    text_add(text, "\n");
    cJSON_free(printed);
}
