#include "service/store/view.h"

#include "base/json.h"

#include <math.h>

const cJSON *view_item(const cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? json_get(object, key) : NULL;
}

double view_number(const cJSON *object, const char *key)
{
    const cJSON *item = view_item(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *view_text(const cJSON *object, const char *key)
{
    const cJSON *item = view_item(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

bool view_true(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(view_item(object, key));
}

MeasuredTime view_time(const cJSON *object, const char *ms_key)
{
    double ms = view_number(object, ms_key), uncertainty = view_number(object, "uncertainty");
    return time_made(ms > 0 ? ms : 0, uncertainty > 0 ? uncertainty : 0, view_text(object, "model_terms"));
}

void view_put_time(cJSON *object, const char *ms_key, MeasuredTime time)
{
    json_put_number(object, ms_key, time.ms);
    json_put_number(object, "uncertainty", time.uncertainty);
    if (time.model[0] == '\0')
        return;
    json_put_number(object, "model_factor", time_model_factor(time));
    cJSON_AddStringToObject(object, "model_terms", time.model);
}
