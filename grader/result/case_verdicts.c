#include "grader/result/case_verdicts.h"

#include "base/json.h"

enum { CASE_VERDICTS_SCHEMA = 1 };

void case_verdicts_json(const Result *result, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", CASE_VERDICTS_SCHEMA);
    cJSON_AddStringToObject(root, "problem", result->problem->id);
    cJSON_AddStringToObject(root, "revision", result->problem->revision.hex);
    cJSON_AddStringToObject(root, "source_hash", result->source.hex);
    cJSON_AddStringToObject(root, "verdict", verdict_name(result->verdict));
    cJSON *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < result->case_count && result->all_cases != NULL; i++) {
        if (result->cases[i].group == CASE_TIMED)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", result->all_cases[i].name);
        cJSON_AddBoolToObject(item, "hidden", result->cases[i].group == CASE_HIDDEN);
        cJSON_AddStringToObject(item, "verdict",
                                result->all_cases[i].judged ? verdict_name(result->all_cases[i].verdict) : "not run");
        cJSON_AddItemToArray(list, item);
    }
    json_print(root, out);
    cJSON_Delete(root);
}
