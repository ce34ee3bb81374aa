/* nvml.c - a libnvidia-ml.so.1 for tests without a GPU: every call of harness/device/device_monitor.h on one GPU.
 *
 * Setting  CONVJUDGE_FAKE_NVML=FILE: the GPU's answers, read at each call, so a test can change them by renaming
 *          another file over it. One answer per line, as below; the GPU does not support what is missing.
 *
 *              uuid GPU-1234           the only uuid that is found; without this line any uuid is
 *              sm_clock 1980           MHz; so are memory_clock, max_sm_clock
 *              temperature 35          degrees Celsius; so is slowdown_temperature
 *              power 71500             milliwatts
 *              reasons 0x4             NVML_REASON_...
 *              process 1234            a process that runs on the GPU; one line for each
 *              no_driver 1             the library cannot be initialised
 *
 * Source   NVML API Reference.  */
#include "harness/device/device_monitor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library's symbols under the names of device_monitor.h's members; a definition that does not fit will not compile. */
#define DECLARE(name, symbol, result, parameters)                                                                      \
    __attribute__((visibility("default"))) result name parameters __asm__(symbol);
NVML_CALLS(DECLARE)
#undef DECLARE

/* The value of the `occurrence`th line (from 0) that begins with the key. */
static bool setting(const char *key, unsigned occurrence, char value[64])
{
    const char *path = getenv("CONVJUDGE_FAKE_NVML");
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    char found_key[64];
    bool found = false;
    while (file != NULL && !found && fscanf(file, "%63s %63s", found_key, value) == 2)
        found = strcmp(found_key, key) == 0 && occurrence-- == 0;
    if (file != NULL)
        fclose(file);
    return found;
}

static NvmlResult answer(const char *key, unsigned *value)
{
    char text[64];
    if (!setting(key, 0, text))
        return NVML_NOT_SUPPORTED;
    *value = (unsigned)strtoul(text, NULL, 0);
    return NVML_DONE;
}

NvmlResult init(void)
{
    char text[64];
    return setting("no_driver", 0, text) ? NVML_DRIVER_NOT_LOADED : NVML_DONE;
}

const char *error_text(NvmlResult result)
{
    switch (result) {
    case NVML_DONE: return "Success";
    case NVML_NOT_SUPPORTED: return "Not Supported";
    case NVML_NOT_FOUND: return "Not Found";
    case NVML_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    }
    return "Unknown Error";
}

NvmlResult device_by_uuid(const char *uuid, NvmlDevice *device)
{
    char text[64];
    if (setting("uuid", 0, text) && strcmp(text, uuid) != 0)
        return NVML_NOT_FOUND;
    *device = (NvmlDevice)1;
    return NVML_DONE;
}

NvmlResult clock(NvmlDevice device, int type, unsigned *mhz)
{
    return answer(type == NVML_CLOCK_SM ? "sm_clock" : "memory_clock", mhz);
}

NvmlResult max_clock(NvmlDevice device, int type, unsigned *mhz)
{
    return type == NVML_CLOCK_SM ? answer("max_sm_clock", mhz) : NVML_NOT_SUPPORTED;
}

NvmlResult temperature(NvmlDevice device, int sensor, unsigned *celsius)
{
    return answer("temperature", celsius);
}

NvmlResult threshold(NvmlDevice device, int type, unsigned *celsius)
{
    return type == NVML_THRESHOLD_SLOWDOWN ? answer("slowdown_temperature", celsius) : NVML_NOT_SUPPORTED;
}

NvmlResult power(NvmlDevice device, unsigned *milliwatts)
{
    return answer("power", milliwatts);
}

NvmlResult reasons(NvmlDevice device, unsigned long long *mask)
{
    unsigned value;
    NvmlResult result = answer("reasons", &value);
    if (result == NVML_DONE)
        *mask = value;
    return result;
}

NvmlResult processes(NvmlDevice device, unsigned *count, NvmlProcess *list)
{
    char text[64];
    unsigned room = *count;
    for (*count = 0; setting("process", *count, text); ++*count)
        if (*count < room)
            list[*count] = (NvmlProcess){.pid = (unsigned)strtoul(text, NULL, 0)};
    return *count <= room ? NVML_DONE : NVML_INSUFFICIENT_SIZE;
}
