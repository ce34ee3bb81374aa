/* The same as JSON (docs/formats.md). */
#include "grader/roofline/roofline.h"

#include "base/json.h"

enum { FORMAT = 1 };

static void put_known(cJSON *object, const char *key, double value)
{
    if (value > 0)
        json_put_number(object, key, value);
}

static cJSON *time_item(const Roofline *roofline, const TimedProgram *program, size_t which)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", program->name);
    cJSON_AddBoolToObject(object, "rival", program->is_rival);
    cJSON_AddStringToObject(object, "precision", program->precision == PRECISION_TF32 ? "tf32" : "float32");
    if (program->variants[which] != NULL)
        cJSON_AddStringToObject(object, "variant", program->variants[which]);
    json_put_number(object, "time_ms", program->times[which].ms);
    json_put_number(object, "uncertainty", program->times[which].uncertainty);
    put_known(object, "roofline", roofline_share(roofline, program, which));
    if (program->is_rival)
        cJSON_AddBoolToObject(object, "too_close", roofline_is_close(roofline, program, which));
    return object;
}

static cJSON *case_item(const Roofline *roofline, size_t which, const TimedProgram **sorted)
{
    const RooflineCase *item = &roofline->cases[which];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", item->testcase->name);
    json_put_number(object, "bytes", (double)item->testcase->bytes);
    json_put_number(object, "operations", (double)item->testcase->operations);
    put_known(object, "bytes_ms", 1e3 * item->roofs.bytes_s);
    put_known(object, "float32_ms", 1e3 * item->roofs.float32_s);
    put_known(object, "tf32_ms", 1e3 * item->roofs.tf32_s);
    cJSON *list = cJSON_AddArrayToObject(object, "programs");
    const size_t count = roofline_sort(roofline, which, sorted);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, time_item(roofline, sorted[i], which));
    return object;
}

static void put_missing(const Roofline *roofline, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "missing");
    for (size_t i = 0; i < roofline->program_count; i++) {
        const TimedProgram *program = &roofline->programs[i];
        if (program->missing == NULL)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", program->name);
        cJSON_AddStringToObject(object, "why", program->missing);
        cJSON_AddItemToArray(list, object);
    }
}

void roofline_json(const Roofline *roofline, Text *out)
{
    Arena arena = {0};
    const TimedProgram **sorted = arena_array(&arena, roofline->program_count, sizeof *sorted);
    const DeviceInfo *device = &roofline->device;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "format", FORMAT);
    cJSON_AddStringToObject(root, "problem", roofline->problem->id);
    cJSON_AddStringToObject(root, "revision", roofline->problem->revision.hex);
    cJSON_AddStringToObject(root, "device", device->id);
    cJSON_AddStringToObject(root, "device_name", device->name);
    cJSON_AddBoolToObject(root, "modelled", device->modelled);
    put_known(root, "copy_bytes_per_s", device->copy_bytes_per_s);
    put_known(root, "fma_flops_per_s", device->fma_flops_per_s);
    put_known(root, "tf32_flops_per_s", device->tf32_flops_per_s);
    cJSON *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < roofline->case_count; i++)
        cJSON_AddItemToArray(list, case_item(roofline, i, sorted));
    put_missing(roofline, root);
    json_print(root, out);
    cJSON_Delete(root);
    arena_free(&arena);
}
