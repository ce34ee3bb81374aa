/* recorded_run.c - what the database keeps of a run, in the form of result.json.  */
#include "service/pages/pages.h"

#include <stddef.h>

#include <string.h>

static void put_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL)
        cJSON_AddStringToObject(object, key, text);
}

/* The parts of a sitting that are parts of result.json as well. */
static void put_sitting(cJSON *object, const char *text)
{
    static const char *const keys[] = {"clock_gap_us",   "launch_us", "launch_spread_us", "usual_launch_us", "anchor",
                                       "second_sitting", "blocks"};
    cJSON *sitting = cJSON_Parse(text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(sitting, keys[i]);
        if (item != NULL)
            cJSON_AddItemToObject(object, keys[i], item);
    }
    cJSON_Delete(sitting);
}

cJSON *submission_of_run(const Run *run)
{
    cJSON *cases = cJSON_Parse(run->cases), *object;
    if (!cJSON_IsArray(cases)) {
        cJSON_Delete(cases);
        return NULL;
    }
    object = cJSON_CreateObject();
    put_text(object, "verdict", run->verdict);
    put_text(object, "rank_status", run->rank_status);
    put_text(object, "problem", run->board.problem);
    put_text(object, "file", run->file_name);
    put_text(object, "source_hash", run->source_hash);
    put_text(object, "person", run->person);
    put_text(object, "time_utc", run->time_utc);
    put_text(object, "device", run->board.device);
    put_text(object, "device_name", run->device_name);
    put_text(object, "driver", run->driver);
    put_text(object, "toolkit", run->toolkit);
    put_text(object, "judge", run->judge);
    put_text(object, "sandbox", run->sandbox);
    cJSON_AddBoolToObject(object, "modelled", strncmp(run->board.device, "sim-", 4) == 0);
    if (run->time.ms > 0) {
        cJSON_AddNumberToObject(object, "score_ms", run->time.ms);
        cJSON_AddNumberToObject(object, "uncertainty", run->time.uncertainty);
    }
    put_sitting(object, run->sitting);
    cJSON_AddItemToObject(object, "cases", cases);
    return object;
}
