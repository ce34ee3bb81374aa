#include "service/operating/checkup.h"

#include "base/json.h"

#include <stdarg.h>
#include <string.h>

enum { LEVEL_COLUMNS = 9, WHAT_COLUMNS = 16 };

static const char *const level_names[] = {"ok", "note", "missing"};

void checkup_add(Checkup *checkup, CheckupLevel level, const char *what, const char *cost, const char *format, ...)
{
    Text found = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&found, format, arguments);
    va_end(arguments);
    checkup->items = arena_grown(&checkup->arena, checkup->items, checkup->count, &checkup->capacity,
                                 sizeof *checkup->items);
    checkup->items[checkup->count++] = (CheckupItem){.level = level,
                                                     .what = arena_string(&checkup->arena, what),
                                                     .found = arena_string(&checkup->arena, found.data),
                                                     .cost = arena_string(&checkup->arena, cost)};
    text_free(&found);
}

bool checkup_allows_grading(const Checkup *checkup)
{
    for (size_t i = 0; i < checkup->count; i++)
        if (checkup->items[i].level == CHECKUP_MISSING)
            return false;
    return true;
}

/* Words in lines of at most `width` columns; each line after the first begins at the column of the findings. */
static void add_folded(const char *words, int width, Text *text)
{
    const int indent = LEVEL_COLUMNS + WHAT_COLUMNS;
    int column = indent;
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        if (column > indent && column + 1 + (int)length > width) {
            text_printf(text, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            text_add(text, " ");
            column++;
        }
        text_add_printable(text, words, length);
        column += (int)length;
        words += length + strspn(words + length, " ");
    }
    text_add(text, "\n");
}

void checkup_print(const Checkup *checkup, int width, Text *text)
{
    for (size_t i = 0; i < checkup->count; i++) {
        const CheckupItem *item = &checkup->items[i];
        text_printf(text, "%-*s%-*s", LEVEL_COLUMNS, level_names[item->level], WHAT_COLUMNS, item->what);
        add_folded(item->found, width, text);
        if (item->cost[0] == '\0')
            continue;
        text_printf(text, "%*s", LEVEL_COLUMNS + WHAT_COLUMNS, "");
        add_folded(item->cost, width, text);
    }
    text_add(text, checkup_allows_grading(checkup) ? "Grading works here.\n"
                                                   : "Nothing can be graded here before what is missing is there.\n");
}

void checkup_json(const Checkup *checkup, Text *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddBoolToObject(root, "grading_works", checkup_allows_grading(checkup));
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < checkup->count; i++) {
        const CheckupItem *item = &checkup->items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "level", level_names[item->level]);
        cJSON_AddStringToObject(object, "what", item->what);
        cJSON_AddStringToObject(object, "found", item->found);
        cJSON_AddStringToObject(object, "cost", item->cost);
        cJSON_AddItemToArray(findings, object);
    }
    json_print(root, text);
    cJSON_Delete(root);
}

void checkup_free(Checkup *checkup)
{
    arena_free(&checkup->arena);
}
