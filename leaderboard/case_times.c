#include "leaderboard/case_times.h"

#include "base/json.h"

#include <string.h>

static void take_time(const cJSON *item, Arena *arena, CaseTime *times, size_t *count)
{
    const cJSON *ms = json_get(item, "time_ms"), *uncertainty = json_get(item, "uncertainty");
    const char *name = json_string(item, "name");
    if (name == NULL || !cJSON_IsNumber(ms) || !(ms->valuedouble > 0))
        return;
    times[(*count)++] = (CaseTime){
        .name = arena_string(arena, name),
        .time = {.ms = ms->valuedouble, .uncertainty = cJSON_IsNumber(uncertainty) ? uncertainty->valuedouble : 0}};
}

Status case_times_read(const char *path, const char *cases, Arena *arena, CaseTime **times, size_t *count, Message *why)
{
    JsonFile file;
    Text text = {0};
    *times = NULL;
    *count = 0;
    text_printf(&text, "{\"cases\": %s}", cases == NULL ? "[]" : cases); /* a JsonFile is always an object */
    Status status = json_parse(path, text.data, text.length, &file, why);
    if (status == STATUS_OK) {
        const cJSON *list = json_get(file.root, "cases"), *item;
        *times = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof **times);
        cJSON_ArrayForEach(item, list)
        {
            take_time(item, arena, *times, count);
        }
        json_free(&file);
    }
    text_free(&text);
    return status;
}

const MeasuredTime *case_times_find(const CaseTime *times, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(times[i].name, name) == 0)
            return &times[i].time;
    return NULL;
}
