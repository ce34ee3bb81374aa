#include "service/commands/class_devices.h"

#include "base/processors.h"
#include "harness/compile/toolkit.h"
#include "harness/device/open/device_open.h"

#include <string.h>

enum { MOST_GPUS = 64 };

static void add_gpus(Arena *arena, Names *devices)
{
    DeviceInfo info;
    devices->items = arena_array(arena, MOST_GPUS, sizeof *devices->items);
    for (int i = 0; i < MOST_GPUS; i++) {
        const char *name = arena_printf(arena, "cuda:%d", i);
        if (device_describe(name, &info, NULL) != STATUS_OK)
            return;
        devices->items[devices->count++] = name;
    }
}

Status class_devices(const char *name, Arena *arena, Names *devices, Message *why)
{
    DeviceInfo info;
    *devices = (Names){0};
    Toolkit toolkit;
    Status status = device_describe(name == NULL ? "auto" : name, &info, why);
    if (status == STATUS_OK) /* rather here than in the log of every worker */
        status = info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why);
    if (status != STATUS_OK)
        return status;
    const bool is_one = name != NULL && strncmp(name, "cuda:", 5) == 0;
    if (!info.modelled && !is_one)
        add_gpus(arena, devices);
    if (devices->count > 0)
        return STATUS_OK;
    devices->count = info.modelled ? processors_usable() : 1;
    devices->items = arena_array(arena, devices->count, sizeof *devices->items);
    for (size_t i = 0; i < devices->count; i++)
        devices->items[i] = arena_string(arena, info.handle);
    return STATUS_OK;
}
