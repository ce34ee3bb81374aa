#include "grader/result/recorded.h"

#include "base/allocated.h"
#include "base/json.h"
#include "base/text.h"

#include <string.h>

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *string(const cJSON *object, const char *key, Arena *arena)
{
    const char *text = json_string(object, key);
    return arena_string(arena, text == NULL ? "" : text);
}

static void take_samples(const cJSON *list, CaseResult *item, Arena *arena)
{
    const cJSON *sample;
    item->samples = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *item->samples);
    cJSON_ArrayForEach(sample, list)
    {
        item->samples[item->sample_count++] = (CaseSample){
            .event_s = 1e-3 * number(sample, "event_ms"),
            .host_s = 1e-3 * number(sample, "host_ms"),
            .block = (int)number(sample, "block"),
            .charged_s = 1e-3 * number(sample, "charged_ms"),
        };
    }
}

static void take_case(const cJSON *object, CaseResult *item, Arena *arena)
{
    const char *verdict = string(object, "verdict", arena), *name = string(object, "name", arena);
    bool timed = cJSON_IsTrue(json_get(object, "timed"));
    CaseGroup untimed = strncmp(name, "hidden ", 7) == 0 ? CASE_HIDDEN : CASE_SAMPLE;
    *item = (CaseResult){
        .group = timed ? CASE_TIMED : untimed,
        .name = name,
        .text = "",
    };
    item->judged = verdict_parse(verdict, &item->verdict); /* else "not run" */
    item->time = (MeasuredTime){number(object, "time_ms"), number(object, "uncertainty")};
    take_samples(json_get(object, "samples"), item, arena);
}

static void take_sitting(const cJSON *sitting, Result *result)
{
    const cJSON *anchor = json_get(sitting, "anchor");
    result->device.clock_gap_s = 1e-6 * number(sitting, "clock_gap_us");
    result->device.launch_s = 1e-6 * number(sitting, "launch_us");
    result->device.launch_spread_s = 1e-6 * number(sitting, "launch_spread_us");
    result->device.usual_launch_s = 1e-6 * number(sitting, "usual_launch_us");
    result->device.read_bytes_per_s = number(sitting, "read_bytes_per_s");
    result->device.copy_bytes_per_s = number(sitting, "copy_bytes_per_s");
    result->device.fma_flops_per_s = number(sitting, "fma_flops_per_s");
    if (anchor != NULL) {
        result->anchor.before_ms = number(anchor, "before_ms");
        result->anchor.after_ms = number(anchor, "after_ms");
        result->anchor.drift = timing_drift(result->anchor.before_ms, result->anchor.after_ms);
    }
}

/* Computes the times of all timed cases; `list` has the work of each, in their order. */
static void time_cases(const cJSON *list, Result *result)
{
    const cJSON *work = list->child;
    for (size_t i = 0; i < result->case_count; i++) {
        CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        item->time = (MeasuredTime){0};
        if (work != NULL) {
            item->operations = (int64_t)number(work, "operations");
            item->bytes = (int64_t)number(work, "bytes");
            item->input_bytes = (int64_t)number(work, "input_bytes");
            work = work->next;
        }
        if (item->judged && item->verdict == VERDICT_ACCEPTED)
            result_time_case(item, &result->device);
    }
}

/* The times of the second sitting, which are computed from its samples in the same way. */
static void take_second(const cJSON *cases, const cJSON *sitting, Result *result)
{
    static const Problem no_problem;
    const cJSON *conditions = json_get(sitting, "second_sitting"), *object;
    if (conditions == NULL)
        return;
    Result *second = result->second = zeroed(1, sizeof *second);
    *second = (Result){.problem = &no_problem, .person = "", .text = ""};
    second->cases = arena_array(&second->arena, (size_t)cJSON_GetArraySize(cases), sizeof *second->cases);
    take_sitting(conditions, second);
    cJSON_ArrayForEach(object, cases)
    {
        const cJSON *review = json_get(object, "review");
        if (json_get(review, "samples") == NULL)
            continue;
        CaseResult *item = &second->cases[second->case_count++];
        *item = (CaseResult){.group = CASE_TIMED, .name = string(object, "name", &second->arena), .text = ""};
        take_samples(json_get(review, "samples"), item, &second->arena);
        result_time_case(item, &second->device);
    }
    result_score(second);
}

static void take_all(const cJSON *cases, const cJSON *sitting, bool is_accepted, Result *result, bool *complete)
{
    const cJSON *object, *work = json_get(sitting, "work");
    result->cases = arena_array(&result->arena, (size_t)cJSON_GetArraySize(cases), sizeof *result->cases);
    cJSON_ArrayForEach(object, cases)
    {
        take_case(object, &result->cases[result->case_count++], &result->arena);
    }
    *complete = work != NULL;
    if (*complete) {
        take_sitting(sitting, result);
        time_cases(work, result);
        take_second(cases, sitting, result);
        if (is_accepted)
            result_score(result);
        return;
    }
    MeasuredTime *times = arena_array(&result->arena, result->case_count, sizeof *times);
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_TIMED)
            times[count++] = result->cases[i].time;
    if (is_accepted)
        result->score = timing_score(times, count);
}

Status recorded_result(const char *place, const char *cases, const char *sitting, bool is_accepted, Result *result,
                       bool *complete, Message *why)
{
    static const JsonKey keys[] = {{"cases", JSON_ARRAY, true}, {"sitting", JSON_OBJECT, true}};
    static const Problem no_problem;
    JsonFile file;
    Text text = {0};
    *result = (Result){.problem = &no_problem, .person = "", .text = ""};
    text_printf(&text, "{\"cases\": %s, \"sitting\": %s}", cases, sitting); /* a JsonFile is always an object */
    Status status = json_parse(place, text.data, text.length, &file, why);
    text_free(&text);
    if (status != STATUS_OK)
        return status;
    status = json_check(&file, file.root, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        take_all(json_get(file.root, "cases"), json_get(file.root, "sitting"), is_accepted, result, complete);
    json_free(&file);
    return status;
}
