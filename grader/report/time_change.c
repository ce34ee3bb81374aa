#include "grader/report/time_change.h"

#include <stdio.h>
#include <string.h>

static const char *string_of(const cJSON *result, const char *key)
{
    const char *value = json_string(result, key);
    return value == NULL ? "" : value;
}

void time_change_obstacle(const cJSON *before, const cJSON *after, char *why, size_t size)
{
    static const char *const keys[] = {"problem", "device"};
    const cJSON *epochs[2] = {json_get(before, "epoch"), json_get(after, "epoch")};
    why[0] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys && why[0] == '\0'; i++) {
        const char *one = string_of(before, keys[i]), *other = string_of(after, keys[i]);
        if (strcmp(one, other) != 0)
            snprintf(why, size, "the %ss differ, %.80s and %.80s", keys[i], one, other);
    }
    if (why[0] == '\0' && strcmp(string_of(before, "revision"), string_of(after, "revision")) != 0)
        snprintf(why, size, "the problem was changed between them");
    else if (why[0] == '\0' && cJSON_IsNumber(epochs[0]) && !cJSON_Compare(epochs[0], epochs[1], true))
        snprintf(why, size, "the timing method was changed between them");
}

TimeChange time_change(MeasuredTime before, MeasuredTime after)
{
    if (!(before.ms > 0 && after.ms > 0))
        return (TimeChange){.order = TIME_UNKNOWN};
    return (TimeChange){
        .ratio = after.ms / before.ms,
        .uncertainty = time_ratio_uncertainty(before, after),
        .order = time_is_faster(after, before)   ? TIME_FASTER
                 : time_is_faster(before, after) ? TIME_SLOWER
                                                 : TIME_NOISE,
    };
}

const char *time_order_words(TimeOrder order)
{
    static const char *const words[] = {
        [TIME_UNKNOWN] = "", [TIME_NOISE] = "no more than noise", [TIME_FASTER] = "faster", [TIME_SLOWER] = "slower"};
    return words[order];
}

void time_change_put(cJSON *object, const char *key, const TimeChange *change)
{
    if (change->order == TIME_UNKNOWN)
        return;
    cJSON *item = cJSON_AddObjectToObject(object, key);
    json_put_number(item, "ratio", change->ratio);
    json_put_number(item, "uncertainty", change->uncertainty);
    cJSON_AddStringToObject(item, "order", time_order_words(change->order));
}
