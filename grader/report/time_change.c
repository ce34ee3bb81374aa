#include "grader/report/time_change.h"

#include <math.h>

TimeChange time_change(MeasuredTime before, MeasuredTime after)
{
    if (!(before.ms > 0 && after.ms > 0))
        return (TimeChange){.order = TIME_UNKNOWN};
    return (TimeChange){
        .ratio = after.ms / before.ms,
        .uncertainty = hypot(before.uncertainty, after.uncertainty),
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
