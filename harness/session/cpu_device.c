#include "harness/session/cpu_device.h"

#include "base/processors.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool cpu_device_is_named(const char *device)
{
    return strcmp(device, "cpu") == 0;
}

/* "model name : AMD EPYC 9654 96-Core Processor" of /proc/cpuinfo; other architectures have no such line. */
static void add_model(Text *name)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, "model name", 10) != 0)
            continue;
        text_append(name, colon + 2, strcspn(colon + 2, "\n"));
        break;
    }
    if (file != NULL)
        fclose(file);
    if (name->length == 0)
        text_add(name, "CPU");
}

void cpu_device_describe(DeviceInfo *device)
{
    Text name = {0};
    *device = (DeviceInfo){.handle = "cpu", .id = "cpu", .driver = "gcc", .epoch = 1};
    add_model(&name);
    snprintf(device->name, sizeof device->name, "%.200s (%zu processors)", name.data, processors_usable());
    text_free(&name);
}
