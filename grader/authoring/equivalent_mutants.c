#include "grader/authoring/equivalent_mutants.h"

#include "base/paths.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 1 << 20, SCHEMA = 1, MAX_OCCURRENCE = 1000 };

static Status refuse_empty(const JsonFile *file, const cJSON *object, const char *key, Message *why)
{
    const char *text = json_string(object, key);
    return text[0] != '\0' ? STATUS_OK : json_fail(file, json_get(object, key), why, "expected some text");
}

static Status read_mutant(EquivalentMutants *known, const cJSON *item, Message *why)
{
    static const JsonKey keys[] = {{"solution", JSON_STRING, true},
                                   {"line", JSON_STRING, true},
                                   {"mutant", JSON_STRING, true},
                                   {"occurrence", JSON_NUMBER, false}};
    int64_t occurrence = 0;
    Status status = json_check(&known->file, item, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        status = json_integer(&known->file, item, "occurrence", 1, MAX_OCCURRENCE, &occurrence, why);
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++) /* a mutant may leave the line out */
        status = refuse_empty(&known->file, item, keys[i].name, why);
    if (status != STATUS_OK)
        return status;
    known->items = arena_grown(&known->arena, known->items, known->count, &known->capacity, sizeof *known->items);
    known->items[known->count++] = (EquivalentMutant){.solution = json_string(item, "solution"),
                                                      .line = json_string(item, "line"),
                                                      .mutant = json_string(item, "mutant"),
                                                      .occurrence = (int)occurrence,
                                                      .item = item};
    return STATUS_OK;
}

/* Mutants that are right for the same reason. */
static Status read_group(EquivalentMutants *known, const cJSON *group, Message *why)
{
    static const JsonKey keys[] = {{"why", JSON_STRING, true}, {"mutants", JSON_ARRAY, true}};
    const cJSON *item;
    Status status = json_check(&known->file, group, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        status = refuse_empty(&known->file, group, "why", why);
    if (status != STATUS_OK)
        return status;
    if (cJSON_GetArraySize(json_get(group, "mutants")) == 0)
        return json_fail(&known->file, json_get(group, "mutants"), why, "expected at least one mutant");
    cJSON_ArrayForEach(item, json_get(group, "mutants"))
    {
        status = read_mutant(known, item, why);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status read_all(EquivalentMutants *known, Message *why)
{
    static const JsonKey keys[] = {{"schema", JSON_NUMBER, true}, {"equivalent", JSON_ARRAY, true}};
    int64_t schema = 0;
    const cJSON *group;
    Status status = json_check(&known->file, known->file.root, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        status = json_integer(&known->file, known->file.root, "schema", SCHEMA, SCHEMA, &schema, why);
    if (status != STATUS_OK)
        return status;
    cJSON_ArrayForEach(group, json_get(known->file.root, "equivalent"))
    {
        status = read_group(known, group, why);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

Status equivalent_mutants_read(const char *problem_id, EquivalentMutants *known, Message *why)
{
    char path[4096];
    *known = (EquivalentMutants){0};
    const char *relative = arena_printf(&known->arena, "solutions/%s/equivalent_mutants.json", problem_id);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status != STATUS_OK || access(path, F_OK) != 0)
        return status;
    status = json_read(path, MAX_FILE_BYTES, &known->file, why);
    if (status != STATUS_OK)
        return status;
    known->read = true;
    return read_all(known, why);
}

void equivalent_mutants_free(EquivalentMutants *known)
{
    if (known->read)
        json_free(&known->file);
    arena_free(&known->arena);
    *known = (EquivalentMutants){0};
}

bool equivalent_mutants_find(EquivalentMutants *known, const char *solution, const char *line, const char *mutant,
                             int occurrence)
{
    bool found = false;
    for (size_t i = 0; i < known->count; i++) {
        EquivalentMutant *item = &known->items[i];
        if (strcmp(item->solution, solution) != 0 || strcmp(item->line, line) != 0 ||
            strcmp(item->mutant, mutant) != 0 || item->occurrence != occurrence)
            continue;
        item->found = found = true;
    }
    return found;
}

Status equivalent_mutants_check(const EquivalentMutants *known, Message *why)
{
    for (size_t i = 0; i < known->count; i++) {
        const EquivalentMutant *item = &known->items[i];
        if (!item->found)
            return json_fail(&known->file, item->item, why,
                             "accepted/%s has no mutant with this line and this change%s", item->solution,
                             item->occurrence > 0 ? " so often" : ", or has several, which \"occurrence\" tells apart");
    }
    return STATUS_OK;
}
