#include "simgpu/cost/hardware_profile.h"

#include "base/record.h"
#include "base/status.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROFILE_BYTES = 64 * 1024, MOST_FIGURES = 100 };

/* Numbers of the profile: key of the file and member of HardwareProfile have one name. */
#define FIGURE(MEMBER, LOW, HIGH) ROW(HardwareProfile, MEMBER, #MEMBER, .required = true, .low = LOW, .high = HIGH)
#define FIGURES(MEMBER, LOW, HIGH)                                                                                     \
    ROW_NUMBERS(HardwareProfile, MEMBER, #MEMBER, .required = true, .low = LOW, .high = HIGH)

#define DOUBT_FIGURE(NAME, WORDS)                                                                                      \
    ROW(HardwareProfile, doubts[DOUBT_##NAME], "doubt_" #NAME, .required = true, .low = 1, .high = 100),

/* The limits are those of plausible hardware: they catch a slip of the pen or of the unit. */
/* clang-format off */

RECORD(figures_table, HardwareProfile,
    FIGURE(compute_major, 5, 99),
    FIGURE(compute_minor, 0, 9),
    FIGURE(epoch, 1, 1e6),
    FIGURE(multiprocessors, 1, 10000),
    FIGURE(max_threads_per_block, 32, 1024),
    FIGURE(max_threads_per_multiprocessor, 32, 1 << 16),
    FIGURE(max_blocks_per_multiprocessor, 1, 1024),
    FIGURES(max_block, 1, 1 << 16),
    FIGURES(max_grid, 1, INT32_MAX),
    FIGURE(registers_per_multiprocessor, 1024, 1 << 24),
    FIGURE(max_registers_per_thread, 16, 1024),
    FIGURE(register_allocation_unit, 1, 1 << 16),
    FIGURE(shared_bytes_per_block, 1024, 1 << 24),
    FIGURE(shared_bytes_per_block_optin, 1024, 1 << 24),
    FIGURE(shared_bytes_per_multiprocessor, 1024, 1 << 24),
    FIGURE(shared_reserved_bytes_per_block, 0, 1 << 16),
    FIGURE(constant_bytes, 1024, 1 << 24),
    FIGURE(l1_bytes, 1 << 12, INT32_MAX),
    FIGURE(l2_bytes, 1 << 16, INT32_MAX),
    FIGURE(memory_bytes, 1 << 20, 1e15),
    FIGURE(clock_hz, 1e8, 1e11),
    FIGURE(warp_schedulers, 1, 64),
    FIGURE(fp32_lanes, 1, 4096),
    FIGURE(fp64_lanes, 0.1, 4096),
    FIGURE(integer_lanes, 1, 4096),
    FIGURE(special_lanes, 1, 4096),
    FIGURE(tensor_multiply_adds, 1, 1e6),
    FIGURE(warpgroup_multiply_adds, 1, 1e6),
    FIGURE(load_store_wavefronts, 0.1, 64),
    FIGURE(sectors_per_wavefront, 1, 64),
    FIGURE(constant_loads, 0.01, 64),
    FIGURE(uniform_loads, 0.01, 64),
    FIGURE(dram_read_bytes_per_s, 1e9, 1e15),
    FIGURE(dram_copy_bytes_per_s, 1e9, 1e15),
    FIGURE(l2_bytes_per_s, 1e9, 1e15),
    FIGURE(bus_bytes_per_s, 1e8, 1e15),
    FIGURE(fma_flops_per_s, 1e9, 1e18),
    FIGURE(global_latency_s, 1e-9, 1e-4),
    FIGURE(l2_latency_s, 1e-9, 1e-4),
    FIGURE(l1_latency_s, 1e-10, 1e-5),
    FIGURE(shared_latency_s, 1e-10, 1e-5),
    FIGURE(arithmetic_latency_s, 1e-11, 1e-6),
    FIGURE(constant_latency_s, 1e-10, 1e-5),
    FIGURE(constant_cache_bytes, 64, 1e9),
    FIGURES(uniform_reach_bytes, 64, 1e9),
    FIGURE(uniform_miss_latency_s, 0, 1e-5),
    FIGURE(constant_miss_s, 0, 1e-5),
    FIGURE(launch_s, 0, 1e-2),
    FIGURE(events_s, 0, 1e-2),
    FIGURE(host_wait_s, 0, 1e-2),
    FIGURE(block_start_s, 0, 1e-3),
    FIGURE(copy_overhead_s, 0, 1e-2),
    FIGURE(bus_overhead_s, 0, 1e-2),
    FIGURE(combine_power, 1, 100),
    FIGURE(block_waits, 0, 100),
    MODEL_DOUBT_LIST(DOUBT_FIGURE)
    FIGURES(model_factors, 1, 100));

/* clang-format on */

_Static_assert(sizeof figures_table_rows / sizeof *figures_table_rows <= MOST_FIGURES, "all fit into check_sources()");

/* Refuses a figure without a source, since nobody could check it. */
static Status check_sources(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    JsonKey keys[MOST_FIGURES];
    for (size_t i = 0; i < figures_table.count; i++)
        keys[i] = (JsonKey){figures_table.rows[i].key, JSON_STRING, true};
    return json_check(reading->file, item, keys, figures_table.count, reading->why);
}

/* clang-format off */

RECORD(profile_table, HardwareProfile,
    ROW_SCHEMA("schema", 1),
    ROW(HardwareProfile, title, "title", .required = true),
    ROW(HardwareProfile, calibrated, "calibrated", .required = true),
    ROW_HAND("sources", .json = JSON_OBJECT, .required = true, .take = check_sources),
    ROW_SAME(NULL, figures_table));

/* clang-format on */

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
    status = record_read(&profile_table, &file, file.root, NULL, profile, why);
    THEN(status, check_together(&file, profile, why));
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
