#include "harness/device/monitor/device_monitor.h"

#include "base/allocated.h"
#include "harness/device/monitor/nvml.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 256 };

/* A clock under load varies by a step of 15 MHz; if it is lower than this, something holds it there. */
static const double LEAST_OF_USUAL_CLOCK = 0.97;

struct DeviceMonitor {
    const Nvml *nvml;
    NvmlDevice device;
};

Status device_monitor_open(const char *uuid, DeviceMonitor **monitor, Message *why)
{
    const Nvml *nvml;
    NvmlDevice device;
    Status status = nvml_open(&nvml, why);
    if (status != STATUS_OK)
        return status;
    NvmlResult result = nvml->device_by_uuid(uuid, &device);
    if (result != NVML_DONE)
        return fail(STATUS_NOT_FOUND, why, "NVML does not know %s: %s", uuid, nvml->error_text(result));
    *monitor = allocated(malloc(sizeof **monitor));
    **monitor = (DeviceMonitor){.nvml = nvml, .device = device};
    return STATUS_OK;
}

void device_monitor_close(DeviceMonitor *monitor)
{
    free(monitor);
}

/* Values that a device does not report stay 0. */
void device_monitor_read(const DeviceMonitor *monitor, DeviceState *state)
{
    const Nvml *nvml = monitor->nvml;
    unsigned milliwatts = 0;
    unsigned long long reasons = 0;
    *state = (DeviceState){0};
    nvml->clock(monitor->device, NVML_CLOCK_SM, &state->sm_clock_mhz);
    nvml->clock(monitor->device, NVML_CLOCK_MEMORY, &state->memory_clock_mhz);
    nvml->max_clock(monitor->device, NVML_CLOCK_SM, &state->max_sm_clock_mhz);
    nvml->temperature(monitor->device, NVML_SENSOR_GPU, &state->temperature_c);
    nvml->threshold(monitor->device, NVML_THRESHOLD_SLOWDOWN, &state->slowdown_temperature_c);
    nvml->power(monitor->device, &milliwatts);
    nvml->reasons(monitor->device, &reasons);
    state->power_w = milliwatts / 1000.0;
    state->reasons = (uint32_t)reasons;
}

/* ---- other processes --------------------------------------------------------------------------------------------- */

/* This works even if /proc hides the processes of other users. */
static bool exists_here(pid_t process)
{
    return kill(process, 0) == 0 || errno == EPERM;
}

/* "1234 (python3)", or the number alone. */
static void describe_process(pid_t process, char *text, size_t size)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    FILE *file = fopen(path, "r");
    bool found = file != NULL && fgets(name, sizeof name, file) != NULL;
    if (file != NULL)
        fclose(file);
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c != '\0'; c++) /* a process chooses its own name */
        if (*c < ' ' || *c > '~')
            *c = '?';
    snprintf(text, size, found ? "%d (%s)" : "%d", (int)process, name);
}

static bool is_among(pid_t process, const pid_t *processes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (processes[i] == process)
            return true;
    return false;
}

/* In a container, listed processes that do not exist here may be the judge's own under other numbers: as many of them
 * as there are own processes that are not listed. */
static bool others_run(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, char *text, size_t size)
{
    NvmlProcess processes[MOST_PROCESSES];
    pid_t listed[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES;
    size_t unknown = 0, unlisted = 0;
    NvmlResult result = monitor->nvml->processes(monitor->device, &count, processes);
    if (result == NVML_INSUFFICIENT_SIZE)
        return snprintf(text, size, "more than %d processes use the GPU", MOST_PROCESSES), true;
    if (result != NVML_DONE)
        return false;
    for (unsigned i = 0; i < count; i++) {
        char process[100];
        listed[i] = (pid_t)processes[i].pid;
        if (is_among(listed[i], own, own_count))
            continue;
        if (exists_here(listed[i])) {
            describe_process(listed[i], process, sizeof process);
            return snprintf(text, size, "process %s uses the GPU", process), true;
        }
        unknown++;
    }
    for (size_t i = 0; i < own_count; i++)
        unlisted += own[i] > 0 && !is_among(own[i], listed, count);
    if (unknown <= unlisted)
        return false;
    return snprintf(text, size, "a process outside this container uses the GPU"), true;
}

/* ---- clock and temperature --------------------------------------------------------------------------------------- */

static const struct {
    uint32_t reason;
    const char *words;
} REASONS[] = {
    {NVML_REASON_IDLE, "idle"},
    {NVML_REASON_APPLICATION_SETTING, "clock setting"},
    {NVML_REASON_POWER_CAP, "power cap"},
    {NVML_REASON_HARDWARE_SLOWDOWN, "hardware slowdown"},
    {NVML_REASON_SYNC_BOOST, "sync boost"},
    {NVML_REASON_SOFTWARE_THERMAL, "thermal slowdown"},
    {NVML_REASON_HARDWARE_THERMAL, "hardware thermal slowdown"},
    {NVML_REASON_POWER_BRAKE, "power brake"},
    {NVML_REASON_DISPLAY_SETTING, "display clock setting"},
};

void device_monitor_reasons(uint32_t reasons, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t bit = 1; bit != 0 && length < size; bit <<= 1) {
        char unnamed[32];
        const char *words = unnamed;
        if ((reasons & bit) == 0)
            continue;
        snprintf(unnamed, sizeof unnamed, "reason 0x%x", bit); /* added by a later NVML */
        for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
            words = REASONS[i].reason == bit ? REASONS[i].words : words;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ", ", words);
    }
}

/* An idle clock, or one for which NVML gives no reason, says nothing about the clock under load. */
static bool clock_is_held(const DeviceState *state, double usual_mhz, char *text, size_t size)
{
    char reasons[200];
    double usual = usual_mhz > 0 ? usual_mhz : state->max_sm_clock_mhz;
    if (state->sm_clock_mhz == 0 || state->sm_clock_mhz >= LEAST_OF_USUAL_CLOCK * usual || state->reasons == 0 ||
        (state->reasons & NVML_REASON_IDLE) != 0)
        return false;
    device_monitor_reasons(state->reasons, reasons, sizeof reasons);
    snprintf(text, size, "the clock is held at %u MHz (usually %.0f): %s", state->sm_clock_mhz, usual, reasons);
    return true;
}

static bool is_hot(const DeviceState *state, char *text, size_t size)
{
    if (state->slowdown_temperature_c == 0 || state->temperature_c < state->slowdown_temperature_c)
        return false;
    snprintf(text, size, "the GPU is at %u C and slows down from %u C on", state->temperature_c,
             state->slowdown_temperature_c);
    return true;
}

bool device_monitor_disturbed(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                              char *text, size_t size)
{
    DeviceState state;
    text[0] = '\0';
    device_monitor_read(monitor, &state);
    return others_run(monitor, own, own_count, text, size) || is_hot(&state, text, size) ||
           clock_is_held(&state, usual_mhz, text, size);
}

Status device_monitor_wait(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                           double seconds, WaitTell *tell, void *context, Message *why)
{
    WaitLimit limit = {.seconds = seconds, .tell = tell, .context = context};
    char text[300];
    while (device_monitor_disturbed(monitor, own, own_count, usual_mhz, text, sizeof text))
        if (!wait_limit_left(&limit, text))
            return fail(STATUS_BUSY, why, "%s", text);
    return STATUS_OK;
}
