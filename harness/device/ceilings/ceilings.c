#include "harness/device/ceilings/ceilings.h"

#include "base/json.h"
#include "base/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCHEMA = 1, MAX_FILE_BYTES = 64 * 1024 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const JsonKey keys[] = {
    {"schema", JSON_NUMBER, true},
    {"device", JSON_STRING, true},
    {"name", JSON_STRING, true},
    {"driver", JSON_STRING, true},
    {"time_utc", JSON_STRING, true},
    {"read_bytes_per_s", JSON_NUMBER, true},
    {"copy_bytes_per_s", JSON_NUMBER, true},
    {"fma_flops_per_s", JSON_NUMBER, true},
    {"tf32_flops_per_s", JSON_NUMBER, false},
    {"clock_gap_us", JSON_NUMBER, true},
    {"launch_us", JSON_NUMBER, false},
    {"sm_clock_mhz", JSON_NUMBER, true},
};

Status ceilings_folder(char *path, size_t size, Message *why)
{
    return paths_chosen("CONVJUDGE_DEVICES", "leaderboard/devices", path, size, why);
}

Status ceilings_path(const char *device_id, char *path, size_t size, Message *why)
{
    Status status = ceilings_folder(path, size, why);
    size_t length = status == STATUS_OK ? strlen(path) : 0;
    if (status == STATUS_OK && (size_t)snprintf(path + length, size - length, "/%s.json", device_id) >= size - length)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path is too long", path);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static Status take_string(const JsonFile *file, const char *key, char *value, size_t size, Message *why)
{
    if ((size_t)snprintf(value, size, "%s", json_string(file->root, key)) >= size)
        return json_fail(file, json_get(file->root, key), why, "longer than %zu bytes", size - 1);
    return STATUS_OK;
}

static Status take_names(const JsonFile *file, const char *device_id, Ceilings *ceilings, Message *why)
{
    Status status = take_string(file, "device", ceilings->device, sizeof ceilings->device, why);
    if (status == STATUS_OK && strcmp(ceilings->device, device_id) != 0)
        status = json_fail(file, json_get(file->root, "device"), why, "expected \"%s\", as the file is named",
                           device_id);
    if (status == STATUS_OK)
        status = take_string(file, "name", ceilings->name, sizeof ceilings->name, why);
    if (status == STATUS_OK)
        status = take_string(file, "driver", ceilings->driver, sizeof ceilings->driver, why);
    if (status == STATUS_OK)
        status = take_string(file, "time_utc", ceilings->time_utc, sizeof ceilings->time_utc, why);
    return status;
}

/* The limits refuse figures that no GPU has: in another unit, or zero. */
static Status take_figures(const JsonFile *file, Ceilings *ceilings, Message *why)
{
    const struct {
        const char *key;
        double low, high;
        double *value;
    } figures[] = {
        {"read_bytes_per_s", 1e9, 1e15, &ceilings->read_bytes_per_s},
        {"copy_bytes_per_s", 1e9, 1e15, &ceilings->copy_bytes_per_s},
        {"fma_flops_per_s", 1e9, 1e17, &ceilings->fma_flops_per_s},
        {"tf32_flops_per_s", 1e9, 1e17, &ceilings->tf32_flops_per_s},
        {"clock_gap_us", 0, 1000, &ceilings->clock_gap_us},
        {"launch_us", 0.1, 1000, &ceilings->launch_us},
        {"sm_clock_mhz", 10, 1e5, &ceilings->sm_clock_mhz},
    };
    Status status = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(figures) && status == STATUS_OK; i++)
        status = json_number(file, file->root, figures[i].key, figures[i].low, figures[i].high, figures[i].value, why);
    return status;
}

static Status take_file(const JsonFile *file, const char *device_id, Ceilings *ceilings, Message *why)
{
    int64_t schema;
    Status status = json_check(file, file->root, keys, COUNT_OF(keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, file->root, "schema", SCHEMA, SCHEMA, &schema, why);
    if (status == STATUS_OK)
        status = take_names(file, device_id, ceilings, why);
    return status == STATUS_OK ? take_figures(file, ceilings, why) : status;
}

Status ceilings_read(const char *device_id, Ceilings *ceilings, Message *why)
{
    char path[4096];
    JsonFile file;
    *ceilings = (Ceilings){0};
    Status status = ceilings_path(device_id, path, sizeof path, why);
    if (status == STATUS_OK && access(path, F_OK) != 0)
        status = fail(STATUS_NOT_FOUND, why, "%s: no such file; measure the device with: convjudge calibrate", path);
    if (status == STATUS_OK)
        status = json_read(path, MAX_FILE_BYTES, &file, why);
    if (status != STATUS_OK)
        return status;
    status = take_file(&file, device_id, ceilings, why);
    json_free(&file);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static Status make_folder(Message *why)
{
    char path[4096];
    Status status = ceilings_folder(path, sizeof path, why);
    if (status == STATUS_OK && mkdir(path, 0755) != 0 && errno != EEXIST)
        status = fail_errno(why, "%s: cannot be made", path);
    return status;
}

static void print(const Ceilings *ceilings, Text *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddStringToObject(root, "device", ceilings->device);
    cJSON_AddStringToObject(root, "name", ceilings->name);
    cJSON_AddStringToObject(root, "driver", ceilings->driver);
    cJSON_AddStringToObject(root, "time_utc", ceilings->time_utc);
    json_put_number(root, "read_bytes_per_s", ceilings->read_bytes_per_s);
    json_put_number(root, "copy_bytes_per_s", ceilings->copy_bytes_per_s);
    json_put_number(root, "fma_flops_per_s", ceilings->fma_flops_per_s);
    if (ceilings->tf32_flops_per_s > 0)
        json_put_number(root, "tf32_flops_per_s", ceilings->tf32_flops_per_s);
    json_put_number(root, "clock_gap_us", ceilings->clock_gap_us);
    if (ceilings->launch_us > 0)
        json_put_number(root, "launch_us", ceilings->launch_us);
    json_put_number(root, "sm_clock_mhz", ceilings->sm_clock_mhz);
    json_print(root, text);
    cJSON_Delete(root);
}

Status ceilings_write(const Ceilings *ceilings, Message *why)
{
    char path[4096];
    Text text = {0};
    Status status = ceilings_path(ceilings->device, path, sizeof path, why);
    if (status == STATUS_OK)
        status = make_folder(why);
    if (status == STATUS_OK) {
        print(ceilings, &text);
        status = text_write_file(path, &text, why);
    }
    text_free(&text);
    return status;
}
