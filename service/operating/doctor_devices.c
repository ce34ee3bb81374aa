#include "service/operating/doctor.h"

#include "harness/device/monitor/device_monitor.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>
#include <string.h>

enum { MOST_GPUS = 64 };

/* The first line of a file of the kernel; "" where there is none. */
static void read_word(const char *path, char word[100])
{
    FILE *file = fopen(path, "r");
    word[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(word, 100, file) == NULL)
        word[0] = '\0';
    word[strcspn(word, "\n")] = '\0';
    fclose(file);
}

/* A clock that follows the load differs from call to call. The judge warms it up, waits and repeats, which takes time. */
static void find_gpu_clock(const DeviceInfo *info, Checkup *checkup)
{
    DeviceMonitor *monitor;
    DeviceState state = {0};
    Message why;
    char reasons[200];
    if (device_monitor_open(info->uuid, &monitor, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_NOTE, "GPU clock",
                    "Disturbed measurements go unnoticed. Install NVIDIA's libnvidia-ml.so.1.", "unknown: %s",
                    why.text);
        return;
    }
    device_monitor_read(monitor, &state);
    device_monitor_close(monitor);
    device_monitor_reasons(state.reasons, reasons, sizeof reasons);
    checkup_add(checkup, reasons[0] == '\0' ? CHECKUP_OK : CHECKUP_NOTE, "GPU clock",
                reasons[0] == '\0' ? "As root, nvidia-smi --lock-gpu-clocks makes times steadier."
                                   : "The judge waits until the clock is free, which takes time.",
                "%u of at most %u MHz%s%s", state.sm_clock_mhz, state.max_sm_clock_mhz, reasons[0] == '\0' ? "" : ": ",
                reasons);
}

static void add_gpu(const DeviceInfo *info, Checkup *checkup)
{
    checkup_add(checkup, CHECKUP_OK, "GPU", "", "%s: %s, driver %s", info->handle, info->name, info->driver);
    if (info->fma_flops_per_s <= 0) /* the memory's peak is known without a calibration */
        checkup_add(checkup, CHECKUP_NOTE, "GPU's rates",
                    "Reports lack the roofline, and of times that are too good to be true only those beyond the peak "
                    "of the memory are refused. Run once: convjudge calibrate.",
                    "not measured yet");
    if (info->pageable_access)
        checkup_add(checkup, CHECKUP_NOTE, "GPU's memory", "Nothing is ranked on this device: docs/security.md.",
                    "kernels can read the memory of the judge's processes");
    find_gpu_clock(info, checkup);
}

static void find_gpus(Checkup *checkup)
{
    DeviceInfo info;
    Message why;
    if (device_describe("auto", &info, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_MISSING, "GPU", "DEVICE=sim selects the simulated GPU.", "%s", why.text);
        return;
    }
    if (info.modelled)
        checkup_add(checkup, CHECKUP_NOTE, "GPU",
                    "Gradings run on the simulated GPU, and times are modelled; they are a ranking of their own.",
                    "none: %s", info.passed_over);
    for (int i = 0; i < MOST_GPUS && !info.modelled; i++) {
        char name[20];
        snprintf(name, sizeof name, "cuda:%d", i);
        if (device_describe(name, &info, &why) != STATUS_OK)
            break;
        add_gpu(&info, checkup);
    }
}

static void find_simulated(Checkup *checkup)
{
    DeviceInfo info;
    Message why;
    if (device_describe("sim", &info, &why) == STATUS_OK)
        checkup_add(checkup, CHECKUP_OK, "simulated GPU", "", "%s", info.name);
    else
        checkup_add(checkup, CHECKUP_MISSING, "simulated GPU", "The judge's folder lacks simgpu/profiles/.", "%s",
                    why.text);
}

/* Reading a clock other than the processor's own is a call of the system, or worse. */
static void find_clock(Checkup *checkup)
{
    char source[100], governor[100];
    read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    read_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
    const bool fast = strcmp(source, "tsc") == 0 || strcmp(source, "kvm-clock") == 0 || source[0] == '\0';
    checkup_add(checkup, fast ? CHECKUP_OK : CHECKUP_NOTE, "host clock",
                fast ? ""
                     : "Reading it takes a microsecond or more, which blurs the second clock of short kernels. The "
                       "kernel's option tsc=reliable may help.",
                "%s", source[0] == '\0' ? "unknown" : source);
    if (governor[0] != '\0' && strcmp(governor, "performance") != 0)
        checkup_add(checkup, CHECKUP_NOTE, "host frequency",
                    "Times of CPU baselines vary with the load. As root: cpupower frequency-set -g performance.",
                    "governor \"%s\"", governor);
}

void doctor_devices(Checkup *checkup)
{
    find_gpus(checkup);
    find_simulated(checkup);
    find_clock(checkup);
}
