#include "grader/explain/explain_json.h"

#include "base/json.h"

#include <string.h>

enum { SCHEMA = 1 };

/* Each counter under its own name, without those that are 0. */
static cJSON *counters_item(const SimCounters *counters)
{
    cJSON *object = cJSON_CreateObject();
#define COUNTER(NAME, UNIT)                                                                                            \
    if (counters->NAME > 0)                                                                                            \
        json_put_number(object, #NAME, (double)counters->NAME);
#include "simgpu/cost/counters.def"
    return object;
}

static void put_size(cJSON *object, const char *key, const uint32_t size[3])
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < 3; i++)
        json_push_number(list, size[i]);
}

static cJSON *kernel_item(const ExplainedKernel *kernel)
{
    const ProfileKernel *profile = kernel->profile;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", kernel->name);
    put_size(object, "grid", profile->shape.grid);
    put_size(object, "block", profile->shape.block);
    json_put_number(object, "launches", (double)profile->launches);
    json_put_number(object, "seconds", profile->seconds);
    json_put_number(object, "share", kernel->share);
    cJSON_AddStringToObject(object, "bound", kernel->cost.limiter);
    json_put_number(object, "bound_share", kernel->bound_share);
    json_put_number(object, "intensity", kernel->intensity);
    json_put_number(object, "gflops", kernel->gflops);
    json_put_number(object, "roof_gflops", kernel->roof_gflops);
    json_put_number(object, "occupancy", kernel->cost.occupancy);
    cJSON_AddStringToObject(object, "occupancy_limit", kernel->occupancy_limit);
    json_put_number(object, "waves", kernel->waves);
    json_put_number(object, "achieved_occupancy", kernel->achieved_occupancy);
    json_put_number(object, "registers", profile->registers);
    json_put_number(object, "live_registers", profile->live_registers);
    json_put_number(object, "shared_bytes", profile->static_shared_bytes + profile->shape.dynamic_shared_bytes);
    json_put_number(object, "local_bytes", profile->local_bytes);
    json_put_number(object, "frame_bytes", profile->frame_bytes);
    cJSON *parts = cJSON_AddObjectToObject(object, "parts");
    for (int i = 0; i < kernel->cost.part_count; i++)
        json_put_number(parts, kernel->cost.parts[i].name, kernel->cost.parts[i].seconds);
    cJSON_AddItemToObject(object, "counters", counters_item(&profile->counters));
    return object;
}

static void put_advice(cJSON *root, const ExplainReport *report)
{
    cJSON *list = cJSON_AddArrayToObject(root, "advice");
    for (size_t i = 0; i < report->shown->advice_count; i++) {
        const Advice *advice = &report->shown->advice[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "id", advice->id);
        json_put_number(item, "kernel", advice->kernel);
        if (advice->line > 0)
            json_put_number(item, "line", advice->line);
        json_put_number(item, "gain", advice->gain);
        json_put_number(item, "after_s", advice->after_s);
        if (advice->name[0] != '\0')
            cJSON_AddStringToObject(item, "name", advice->name);
        cJSON_AddStringToObject(item, "text", advice->text);
        cJSON_AddStringToObject(item, "sketch", advice->sketch);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_cases(cJSON *root, const ExplainReport *report)
{
    cJSON *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < report->case_count; i++) {
        const ExplainedCase *one = &report->cases[i];
        cJSON *item = cJSON_CreateObject();
        json_put_number(item, "number", one->number);
        cJSON_AddStringToObject(item, "name", one->item->name);
        json_put_number(item, "seconds", one->explanation.seconds);
        json_put_number(item, "score_share", 1.0 / report->timed_count);
        if (one->measured_s > 0)
            json_put_number(item, "measured_s", one->measured_s);
        if (one->advice_count > 0)
            cJSON_AddStringToObject(item, "advice", one->advice[0].id);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_lines(cJSON *root, const ExplainReport *report)
{
    const Explanation *explanation = &report->shown->explanation;
    cJSON *list = cJSON_AddArrayToObject(root, "lines");
    for (uint32_t i = 0; i < explanation->profile->line_count; i++) {
        const ProfileLine *line = &explanation->profile->lines[i];
        cJSON *item = cJSON_CreateObject();
        json_put_number(item, "kernel", line->kernel);
        if (!explain_is_own_line(explanation, line))
            cJSON_AddStringToObject(item, "file", explanation->profile->files[line->file]);
        json_put_number(item, "line", line->counts.line);
        json_put_number(item, "share", explanation->line_shares[i]);
#define LINE_COUNTER(NAME, UNIT) json_put_number(item, #NAME, (double)line->counts.NAME);
#include "simgpu/cost/counters.def"
        cJSON_AddItemToObject(item, "counters", counters_item(&line->counts.counters));
        cJSON_AddItemToArray(list, item);
    }
}

/* What Nsight Compute measured, under the names of the simulated counters. */
static void put_measured(cJSON *root, const NcuMeasurement *measurement)
{
    static const char *const keys[NCU_METRICS] = {
        [NCU_SECONDS] = "seconds",
        [NCU_OCCUPANCY] = "occupancy",
        [NCU_WARP_INSTRUCTIONS] = "warp_instructions",
        [NCU_LOAD_REQUESTS] = "global_load_requests",
        [NCU_LOAD_SECTORS] = "global_load_sectors",
        [NCU_STORE_SECTORS] = "global_store_sectors",
        [NCU_SHARED_WAVEFRONTS] = "shared_wavefronts",
        [NCU_DRAM_BYTES] = "dram_bytes",
    };
    cJSON *list = measurement->count == 0 ? NULL : cJSON_AddArrayToObject(root, "measured");
    for (size_t i = 0; i < measurement->count; i++) {
        const NcuKernel *kernel = &measurement->kernels[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", kernel->name);
        json_put_number(item, "launches", kernel->launches);
        for (int metric = 0; metric < NCU_METRICS; metric++)
            if (kernel->values[metric] >= 0)
                json_put_number(item, keys[metric], kernel->values[metric]);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_copies(cJSON *root, const char *key, const ProfileCopies *copies)
{
    cJSON *object = cJSON_AddObjectToObject(root, key);
    json_put_number(object, "count", (double)copies->count);
    json_put_number(object, "bytes", (double)copies->bytes);
    json_put_number(object, "seconds", copies->seconds);
}

void explain_json(const ExplainReport *report, Text *out)
{
    const Result *result = report->result;
    const Explanation *explanation = &report->shown->explanation;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddStringToObject(root, "problem", result->problem->id);
    cJSON_AddStringToObject(root, "file", result->file_name);
    cJSON_AddStringToObject(root, "source_hash", result->source.hex);
    cJSON_AddStringToObject(root, "device", result->device.id);
    cJSON_AddStringToObject(root, "case", report->shown->item->name);
    json_put_number(root, "seconds", explanation->seconds);
    put_cases(root, report);
    put_advice(root, report);
    cJSON *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        cJSON_AddItemToArray(kernels, kernel_item(&explanation->kernels[i]));
    put_copies(root, "host_copies", &explanation->profile->host_copies);
    put_copies(root, "device_copies", &explanation->profile->device_copies);
    put_lines(root, report);
    put_measured(root, report->measurement);
    json_print(root, out);
    cJSON_Delete(root);
}
