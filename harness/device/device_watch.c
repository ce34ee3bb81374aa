#include "harness/device/device_watch.h"

#include "harness/device/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256 };

static const double LOOK_SECONDS = 0.1, TELL_SECONDS = 1;

/* A clock under load jitters by a step of 15 MHz; one this far down is held there by something. */
static const double LEAST_OF_USUAL_CLOCK = 0.97;

struct DeviceWatch {
    const Nvml *nvml;
    NvmlDevice device;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Status device_watch_open(const char *uuid, DeviceWatch **watch, Message *why)
{
    const Nvml *nvml;
    NvmlDevice device;
    Status status = nvml_open(&nvml, why);
    if (status != STATUS_OK)
        return status;
    int error = nvml->device_by_uuid(uuid, &device);
    if (error != NVML_DONE)
        return fail(STATUS_NOT_FOUND, why, "NVML does not know %s: error %d", uuid, error);
    *watch = malloc(sizeof **watch);
    if (*watch == NULL)
        return fail_errno(why, "the memory of a device's watch");
    **watch = (DeviceWatch){.nvml = nvml, .device = device};
    return STATUS_OK;
}

void device_watch_close(DeviceWatch *watch)
{
    free(watch);
}

/* What a device cannot tell stays 0. */
void device_watch_read(const DeviceWatch *watch, DeviceState *state)
{
    const Nvml *nvml = watch->nvml;
    *state = (DeviceState){0};
    nvml->clock(watch->device, NVML_CLOCK_SM, &state->sm_clock_mhz);
    nvml->max_clock(watch->device, NVML_CLOCK_SM, &state->max_sm_clock_mhz);
    nvml->temperature(watch->device, NVML_SENSOR_GPU, &state->temperature_c);
    nvml->threshold(watch->device, NVML_THRESHOLD_SLOWDOWN, &state->slowdown_temperature_c);
    nvml->reasons(watch->device, &state->reasons);
}

/* ---- other processes --------------------------------------------------------------------------------------------- */

static bool process_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "r");
    bool found = file != NULL && fgets(name, (int)size, file) != NULL;
    if (found)
        name[strcspn(name, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
    return found;
}

static bool is_among(pid_t pid, const pid_t *own, size_t own_count)
{
    for (size_t i = 0; i < own_count; i++)
        if (own[i] == pid)
            return true;
    return false;
}

/* In a container the library may count processes by numbers that mean nothing here: as many of these as the judge has
 * processes that it does not name are taken for the judge's own. */
static bool others_run(const DeviceWatch *watch, const pid_t *own, size_t own_count, char *text, size_t size)
{
    NvmlProcess processes[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES;
    size_t seen_own = 0, nameless = 0;
    char name[64];
    if (watch->nvml->processes(watch->device, &count, processes) != NVML_DONE)
        return false;
    for (unsigned i = 0; i < count; i++)
        seen_own += is_among((pid_t)processes[i].pid, own, own_count);
    for (unsigned i = 0; i < count; i++) {
        pid_t pid = (pid_t)processes[i].pid;
        if (is_among(pid, own, own_count))
            continue;
        if (process_name(pid, name, sizeof name)) {
            snprintf(text, size, "process %d (%s) uses the GPU", (int)pid, name);
            return true;
        }
        nameless++;
    }
    if (nameless <= own_count - seen_own)
        return false;
    snprintf(text, size, "a process outside this container uses the GPU");
    return true;
}

/* ---- clock and temperature --------------------------------------------------------------------------------------- */

static const struct {
    unsigned long long reason;
    const char *words;
} REASONS[] = {
    {NVML_REASON_POWER_CAP, "the power cap"},
    {NVML_REASON_HARDWARE_THERMAL, "its temperature"},
    {NVML_REASON_SOFTWARE_THERMAL, "its temperature"},
    {NVML_REASON_POWER_BRAKE, "the power brake"},
    {NVML_REASON_HARDWARE_SLOWDOWN, "a slowdown of the hardware"},
    {NVML_REASON_SYNC_BOOST, "another GPU's clock"},
    {NVML_REASON_APPLICATION_SETTING, "a setting of the administrator's"},
};

/* A clock that idles, or for whose height no reason is given, says nothing about the clock under load. */
static bool clock_is_held(const DeviceState *state, double usual_mhz, char *text, size_t size)
{
    double usual = usual_mhz > 0 ? usual_mhz : state->max_sm_clock_mhz;
    if (state->sm_clock_mhz == 0 || state->sm_clock_mhz >= LEAST_OF_USUAL_CLOCK * usual ||
        (state->reasons & NVML_REASON_IDLE) != 0)
        return false;
    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
        if ((state->reasons & REASONS[i].reason) != 0) {
            snprintf(text, size, "the clock is held at %u MHz (usually %.0f) by %s", state->sm_clock_mhz, usual,
                     REASONS[i].words);
            return true;
        }
    return false;
}

static bool is_hot(const DeviceState *state, char *text, size_t size)
{
    if (state->slowdown_temperature_c == 0 || state->temperature_c < state->slowdown_temperature_c)
        return false;
    snprintf(text, size, "the GPU has %u C, and slows down from %u C on", state->temperature_c,
             state->slowdown_temperature_c);
    return true;
}

bool device_watch_disturbed(const DeviceWatch *watch, const pid_t *own, size_t own_count, double usual_mhz, char *text,
                            size_t size)
{
    DeviceState state;
    text[0] = '\0';
    device_watch_read(watch, &state);
    return others_run(watch, own, own_count, text, size) || is_hot(&state, text, size) ||
           clock_is_held(&state, usual_mhz, text, size);
}

Status device_watch_wait(const DeviceWatch *watch, const pid_t *own, size_t own_count, double usual_mhz, double seconds,
                         DeviceWatchTell *tell, void *context, Message *why)
{
    const struct timespec look = {.tv_nsec = (long)(LOOK_SECONDS * 1e9)};
    double start_s = now_s(), told_s = start_s;
    char text[200];
    while (device_watch_disturbed(watch, own, own_count, usual_mhz, text, sizeof text)) {
        double waited_s = now_s() - start_s;
        if (waited_s >= seconds)
            return fail(STATUS_BUSY, why, "%s", text);
        if (tell != NULL && now_s() - told_s >= TELL_SECONDS) {
            told_s = now_s();
            tell(context, text, waited_s);
        }
        nanosleep(&look, NULL);
    }
    return STATUS_OK;
}
