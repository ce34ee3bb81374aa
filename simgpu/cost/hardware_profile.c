#include "simgpu/cost/hardware_profile.h"

#include "base/json.h"
#include "base/status.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROFILE_BYTES = 64 * 1024, SCHEMA = 1 };

typedef enum FieldKind { FIELD_INT, FIELD_UINT32, FIELD_UINT64, FIELD_DOUBLE } FieldKind;

/* A number of the profile: key of the file and member of HardwareProfile have one name. `count` is above 1 for an
 * array. */
typedef struct ProfileField {
    const char *name;
    FieldKind kind;
    size_t offset;
    int count;
    double low, high;
} ProfileField;

#define FIELD(member, kind, count, low, high)                                                                          \
    {                                                                                                                  \
#member, kind, offsetof(HardwareProfile, member), count, low, high                                             \
    }
#define WHOLE(member, low, high) FIELD(member, FIELD_UINT32, 1, low, high)
#define REAL(member, low, high) FIELD(member, FIELD_DOUBLE, 1, low, high)

/* The limits are those of plausible hardware: they catch a slip of the pen or of the unit. */
static const ProfileField fields[] = {
    FIELD(compute_major, FIELD_INT, 1, 5, 99),
    FIELD(compute_minor, FIELD_INT, 1, 0, 9),
    FIELD(epoch, FIELD_INT, 1, 1, 1e6),
    WHOLE(multiprocessors, 1, 10000),
    WHOLE(max_threads_per_block, 32, 1024),
    WHOLE(max_threads_per_multiprocessor, 32, 1 << 16),
    WHOLE(max_blocks_per_multiprocessor, 1, 1024),
    FIELD(max_block, FIELD_UINT32, 3, 1, 1 << 16),
    FIELD(max_grid, FIELD_UINT32, 3, 1, INT32_MAX),
    WHOLE(registers_per_multiprocessor, 1024, 1 << 24),
    WHOLE(max_registers_per_thread, 16, 1024),
    WHOLE(register_allocation_unit, 1, 1 << 16),
    WHOLE(shared_bytes_per_block, 1024, 1 << 24),
    WHOLE(shared_bytes_per_block_optin, 1024, 1 << 24),
    WHOLE(shared_bytes_per_multiprocessor, 1024, 1 << 24),
    WHOLE(shared_reserved_bytes_per_block, 0, 1 << 16),
    WHOLE(constant_bytes, 1024, 1 << 24),
    WHOLE(l1_bytes, 1 << 12, INT32_MAX),
    WHOLE(l2_bytes, 1 << 16, INT32_MAX),
    FIELD(memory_bytes, FIELD_UINT64, 1, 1 << 20, 1e15),
    REAL(clock_hz, 1e8, 1e11),
    REAL(warp_schedulers, 1, 64),
    REAL(fp32_lanes, 1, 4096),
    REAL(fp64_lanes, 0.1, 4096),
    REAL(integer_lanes, 1, 4096),
    REAL(special_lanes, 1, 4096),
    REAL(tensor_multiply_adds, 1, 1e6),
    REAL(warpgroup_multiply_adds, 1, 1e6),
    REAL(load_store_wavefronts, 0.1, 64),
    REAL(sectors_per_wavefront, 1, 64),
    REAL(constant_loads, 0.01, 64),
    REAL(uniform_loads, 0.01, 64),
    REAL(dram_read_bytes_per_s, 1e9, 1e15),
    REAL(dram_copy_bytes_per_s, 1e9, 1e15),
    REAL(l2_bytes_per_s, 1e9, 1e15),
    REAL(bus_bytes_per_s, 1e8, 1e15),
    REAL(fma_flops_per_s, 1e9, 1e18),
    REAL(global_latency_s, 1e-9, 1e-4),
    REAL(l2_latency_s, 1e-9, 1e-4),
    REAL(l1_latency_s, 1e-10, 1e-5),
    REAL(shared_latency_s, 1e-10, 1e-5),
    REAL(arithmetic_latency_s, 1e-11, 1e-6),
    REAL(constant_latency_s, 1e-10, 1e-5),
    REAL(constant_cache_bytes, 64, 1e9),
    FIELD(uniform_reach_bytes, FIELD_DOUBLE, PROFILE_REACHES, 64, 1e9),
    REAL(uniform_miss_latency_s, 0, 1e-5),
    REAL(constant_miss_s, 0, 1e-5),
    REAL(launch_s, 0, 1e-2),
    REAL(events_s, 0, 1e-2),
    REAL(host_wait_s, 0, 1e-2),
    REAL(block_start_s, 0, 1e-3),
    REAL(copy_overhead_s, 0, 1e-2),
    REAL(bus_overhead_s, 0, 1e-2),
    REAL(combine_power, 1, 100),
    REAL(block_waits, 0, 100),
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static void store(HardwareProfile *profile, const ProfileField *field, int index, double value)
{
    void *member = (char *)profile + field->offset;
    switch (field->kind) {
    case FIELD_INT: ((int *)member)[index] = (int)value; break;
    case FIELD_UINT32: ((uint32_t *)member)[index] = (uint32_t)value; break;
    case FIELD_UINT64: ((uint64_t *)member)[index] = (uint64_t)value; break;
    case FIELD_DOUBLE: ((double *)member)[index] = value; break;
    }
}

static Status read_number(const JsonFile *file, const cJSON *item, const ProfileField *field, int index,
                          HardwareProfile *profile, Message *why)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    bool within = value >= field->low && value <= field->high;
    if (!within || (field->kind != FIELD_DOUBLE && value != floor(value)))
        return json_fail(file, item, why, "expected a %snumber from %.15g to %.15g",
                         field->kind == FIELD_DOUBLE ? "" : "whole ", field->low, field->high);
    store(profile, field, index, value);
    return STATUS_OK;
}

static Status read_field(const JsonFile *file, const ProfileField *field, HardwareProfile *profile, Message *why)
{
    const cJSON *item = json_get(file->root, field->name);
    if (field->count == 1)
        return read_number(file, item, field, 0, profile, why);
    if (cJSON_GetArraySize(item) != field->count)
        return json_fail(file, item, why, "expected %d numbers", field->count);
    Status status = STATUS_OK;
    for (int i = 0; i < field->count && status == STATUS_OK; i++)
        status = read_number(file, cJSON_GetArrayItem(item, i), field, i, profile, why);
    return status;
}

/* Refuses a figure without a source, since nobody could check it. */
static Status check_sources(const JsonFile *file, Message *why)
{
    JsonKey keys[FIELD_COUNT];
    for (int i = 0; i < FIELD_COUNT; i++)
        keys[i] = (JsonKey){fields[i].name, JSON_STRING, true};
    return json_check(file, json_get(file->root, "sources"), keys, FIELD_COUNT, why);
}

static Status check_keys(const JsonFile *file, Message *why)
{
    JsonKey keys[FIELD_COUNT + 4] = {{"schema", JSON_NUMBER, true},
                                     {"title", JSON_STRING, true},
                                     {"calibrated", JSON_BOOLEAN, true},
                                     {"sources", JSON_OBJECT, true}};
    for (int i = 0; i < FIELD_COUNT; i++)
        keys[i + 4] = (JsonKey){fields[i].name, fields[i].count == 1 ? JSON_NUMBER : JSON_ARRAY, true};
    Status status = json_check(file, file->root, keys, FIELD_COUNT + 4, why);
    int64_t schema = SCHEMA;
    if (status == STATUS_OK)
        status = json_integer(file, file->root, "schema", SCHEMA, SCHEMA, &schema, why);
    return status == STATUS_OK ? check_sources(file, why) : status;
}

/* Checks numbers that limit each other. */
static Status check_together(const JsonFile *file, const HardwareProfile *profile, Message *why)
{
    const struct {
        bool holds;
        const char *key, *expected;
    } rules[] = {
        {profile->max_threads_per_block <= profile->max_threads_per_multiprocessor, "max_threads_per_block",
         "expected at most max_threads_per_multiprocessor"},
        {profile->shared_bytes_per_block <= profile->shared_bytes_per_block_optin, "shared_bytes_per_block",
         "expected at most shared_bytes_per_block_optin"},
        {profile->shared_bytes_per_block_optin + profile->shared_reserved_bytes_per_block <=
             profile->shared_bytes_per_multiprocessor,
         "shared_bytes_per_block_optin", "expected to fit into a multiprocessor together with the reserved bytes"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i].holds)
            return json_fail(file, json_get(file->root, rules[i].key), why, "%s", rules[i].expected);
    return STATUS_OK;
}

static Status read_members(const JsonFile *file, HardwareProfile *profile, Message *why)
{
    Status status = check_keys(file, why);
    for (int i = 0; i < FIELD_COUNT && status == STATUS_OK; i++)
        status = read_field(file, &fields[i], profile, why);
    if (status != STATUS_OK)
        return status;
    const char *title = json_string(file->root, "title");
    if (strlen(title) >= sizeof profile->title)
        return json_fail(file, json_get(file->root, "title"), why, "expected at most %zu bytes",
                         sizeof profile->title - 1);
    strcpy(profile->title, title);
    profile->calibrated = cJSON_IsTrue(json_get(file->root, "calibrated"));
    return check_together(file, profile, why);
}

/* The name comes from the command line and becomes part of a path. */
static bool is_plain_name(const char *name)
{
    return *name != '\0' && strlen(name) < sizeof((HardwareProfile *)0)->name &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static Status unknown(const char *folder, const char *name, Message *why)
{
    char known[400];
    hardware_profile_names(folder, known, sizeof known);
    return fail(STATUS_NOT_FOUND, why, "no profile '%.40s' in %s; %sexpected one of: %s", name, folder,
                suggestion_for(name, known).text, known);
}

Status hardware_profile_read(const char *folder, const char *name, HardwareProfile *profile, Message *why)
{
    *profile = (HardwareProfile){0};
    if (!is_plain_name(name))
        return unknown(folder, name, why);
    strcpy(profile->name, name);
    Text path = {0};
    text_printf(&path, "%s/%s.json", folder, name);
    JsonFile file;
    Status status = json_read(path.data, MAX_PROFILE_BYTES, &file, why);
    text_free(&path);
    if (status == STATUS_NOT_FOUND)
        return unknown(folder, name, why);
    if (status != STATUS_OK)
        return status;
    status = read_members(&file, profile, why);
    json_free(&file);
    return status;
}

static int is_profile(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

void hardware_profile_names(const char *folder, char *text, size_t size)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_profile, alphasort);
    Text names = {0};
    text_add(&names, count > 0 ? "" : "(none)");
    for (int i = 0; i < count; i++) {
        text_printf(&names, "%s%.*s", i > 0 ? ", " : "", (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    snprintf(text, size, "%s", names.data);
    text_free(&names);
}
