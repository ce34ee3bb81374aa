/* record_pages.h - what documentation says of the rows of a record: a table of Markdown, and a JSON Schema. */
#ifndef BASE_TESTS_RECORD_PAGES_H
#define BASE_TESTS_RECORD_PAGES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"

/* ==== Markdown ==================================================================================================== */

/* The keys that wait for a row that says what they mean have been written; a comma follows them. */
static void print_rows(const RecordTable *table, const char *prefix, bool *waits, Text *text)
{
    for (const RecordRow *row = table->rows; row < table->rows + table->count; row++) {
        const bool has_parts = row->table != NULL && !row->brief; /* whose keys name this one, too */
        const bool is_list = row->kind == RECORD_LIST || (row->kind == RECORD_HAND && row->json == JSON_ARRAY);
        if (row->key != NULL && row->kind != RECORD_SCHEMA && (row->about != NULL || !has_parts)) {
            text_printf(text, *waits ? ", `%s%s`" : "| `%s%s`", *waits && prefix[0] != '\0' ? "." : prefix, row->key);
            *waits = row->about == NULL;
            if (!*waits)
                text_printf(text, " | %s |\n", row->about);
        }
        if (!has_parts)
            continue;
        Text inside = {0};
        text_add(&inside, prefix);
        if (row->key != NULL)
            text_printf(&inside, "%s%s", row->key, is_list ? "[]." : ".");
        print_rows(row->table, inside.data, waits, text);
        text_free(&inside);
    }
}

/* Appends the rows as a table "| key | meaning |", with nested keys as `list[].key` and `object.key`. The schema has no
 * row, since the page names it in the heading. */
static inline void print_markdown(const RecordTable *table, Text *text)
{
    bool waits = false;
    text_add(text, "| key | meaning |\n|---|---|\n");
    print_rows(table, "", &waits, text);
}

/* ==== JSON Schema ================================================================================================= */

/* What the schema said of a key, after "$ref". */
static const cJSON *resolved(const cJSON *root, const cJSON *said)
{
    const char *name = json_string(said, "$ref");
    return name == NULL ? said : json_get(json_get(root, "definitions"), name + strlen("#/definitions/"));
}

static cJSON *schema_of_object(const cJSON *root, const cJSON *said, const RecordTable *table);

/* A list keeps what only its check in C knows, such as "minItems". */
static cJSON *schema_of_list(const cJSON *root, const cJSON *said, const RecordRow *row)
{
    cJSON *list = said == NULL ? cJSON_CreateObject() : cJSON_Duplicate(said, true);
    cJSON *items = schema_of_object(root, resolved(root, json_get(said, "items")), row->table);
    cJSON_DeleteItemFromObjectCaseSensitive(list, "items");
    if (said == NULL)
        cJSON_AddStringToObject(list, "type", "array");
    cJSON_AddItemToObject(list, "items", items);
    return list;
}

static void add_names(const RecordRow *row, cJSON *list)
{
    for (size_t i = 0; row->names[i] != NULL; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(row->names[i]));
}

static void add_limits(const RecordRow *row, cJSON *item)
{
    cJSON_AddStringToObject(item, "type", row->kind == RECORD_DOUBLE ? "number" : "integer");
    if (row->low != row->high) {
        cJSON_AddNumberToObject(item, "minimum", row->low);
        cJSON_AddNumberToObject(item, "maximum", row->high);
    }
}

/* What the row knows; of texts, and of what a function checks or reads, what the schema said stays. */
static cJSON *schema_of_row(const cJSON *root, const cJSON *said, const RecordRow *row)
{
    switch (row->kind) {
    case RECORD_LIST: return schema_of_list(root, resolved(root, said), row);
    case RECORD_OBJECT:
    case RECORD_BEHIND: return schema_of_object(root, resolved(root, said), row->table);
    default: break;
    }
    cJSON *item = cJSON_CreateObject();
    if (row->kind == RECORD_SCHEMA)
        cJSON_AddNumberToObject(item, "const", row->low);
    else if (row->names != NULL)
        add_names(row, cJSON_AddArrayToObject(item, "enum"));
    else if (row->kind == RECORD_BOOL)
        cJSON_AddStringToObject(item, "type", "boolean");
    else if (row->kind == RECORD_DOUBLE || row->kind == RECORD_INTEGER || row->kind == RECORD_UNSIGNED)
        add_limits(row, item);
    else if (said == NULL)
        cJSON_AddStringToObject(item, "type",
                                row->kind == RECORD_TEXTS || row->json == JSON_ARRAY ? "array" : "string");
    else {
        cJSON_Delete(item);
        return cJSON_Duplicate(said, true);
    }
    return item;
}

static void add_properties(const cJSON *root, const cJSON *said, const RecordTable *table, cJSON *required,
                           cJSON *properties)
{
    for (const RecordRow *row = table->rows; row < table->rows + table->count; row++) {
        if (row->key == NULL) {
            add_properties(root, said, row->table, required, properties);
            continue;
        }
        if (row->required)
            cJSON_AddItemToArray(required, cJSON_CreateString(row->key));
        cJSON_AddItemToObject(properties, row->key,
                              schema_of_row(root, json_get(json_get(said, "properties"), row->key), row));
    }
}

static cJSON *schema_of_object(const cJSON *root, const cJSON *said, const RecordTable *table)
{
    cJSON *object = cJSON_CreateObject(), *required = cJSON_CreateArray(), *properties = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", "object");
    cJSON_AddBoolToObject(object, "additionalProperties", table->open);
    add_properties(root, said, table, required, properties);
    if (required->child != NULL)
        cJSON_AddItemToObject(object, "required", required);
    else
        cJSON_Delete(required);
    cJSON_AddItemToObject(object, "properties", properties);
    return object;
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

enum { SCHEMA_COLUMNS = 120 };

static void lay_out(const cJSON *item, int depth, bool on_one_line, Text *text);

static void add_members(const cJSON *item, int depth, bool on_one_line, Text *text)
{
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (on_one_line)
            text_add(text, child == item->child ? "" : " ");
        else
            text_printf(text, "\n%*s", 2 * depth, "");
        if (cJSON_IsObject(item))
            text_printf(text, "\"%s\": ", child->string);
        lay_out(child, depth, on_one_line, text);
        text_add(text, child->next == NULL ? "" : ",");
    }
}

/* On one line where that is short enough, as a person would write it. */
static void lay_out(const cJSON *item, int depth, bool on_one_line, Text *text)
{
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) {
        char *printed = cJSON_PrintUnformatted(item);
        if (cJSON_IsNumber(item) && item->valuedouble == trunc(item->valuedouble)) /* cJSON prints 15 digits */
            text_printf(text, "%.0f", item->valuedouble);
        else
            text_add(text, printed);
        free(printed);
        return;
    }
    Text line = {0};
    if (!on_one_line)
        lay_out(item, depth, true, &line);
    const bool is_flat_list = cJSON_IsArray(item) && !cJSON_IsObject(item->child);
    const bool is_short = depth > 0 && 2 * (size_t)depth + line.length + 20 < SCHEMA_COLUMNS;
    const bool fits = on_one_line || is_flat_list || is_short;
    text_add(text, cJSON_IsObject(item) ? "{" : "[");
    add_members(item, depth + 1, fits, text);
    if (!fits)
        text_printf(text, "\n%*s", 2 * depth, "");
    text_add(text, cJSON_IsObject(item) ? "}" : "]");
    text_free(&line);
}

static void drop_unused_definitions(cJSON *root)
{
    cJSON *definitions = cJSON_GetObjectItemCaseSensitive(root, "definitions");
    char *whole = cJSON_PrintUnformatted(root);
    for (cJSON *item = definitions == NULL ? NULL : definitions->child, *next; item != NULL; item = next) {
        char reference[100];
        next = item->next;
        snprintf(reference, sizeof reference, "\"#/definitions/%s\"", item->string);
        if (strstr(whole, reference) == NULL)
            cJSON_Delete(cJSON_DetachItemViaPointer(definitions, item));
    }
    free(whole);
}

/* Appends the schema anew from the rows: keys, required ones, kinds, limits and names. Its title, and what only the
 * functions of the rows check, are those of `said`, the schema as it is. */
static inline void print_schema(const RecordTable *table, const cJSON *said, Text *text)
{
    static const char *const kept[] = {"$schema", "title", "description"};
    cJSON *schema = cJSON_CreateObject(), *object = schema_of_object(said, said, table);
    for (size_t i = 0; i < 3; i++)
        cJSON_AddItemToObject(schema, kept[i], cJSON_Duplicate(json_get(said, kept[i]), true));
    while (object->child != NULL) {
        cJSON *member = cJSON_DetachItemViaPointer(object, object->child);
        cJSON_AddItemToObject(schema, member->string, member);
    }
    cJSON_Delete(object);
    if (json_get(said, "definitions") != NULL)
        cJSON_AddItemToObject(schema, "definitions", cJSON_Duplicate(json_get(said, "definitions"), true));
    drop_unused_definitions(schema);
    lay_out(schema, 0, false, text);
    text_add(text, "\n");
    cJSON_Delete(schema);
}

#endif
