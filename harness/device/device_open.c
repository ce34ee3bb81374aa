#include "harness/device/device_open.h"

#include "base/paths.h"
#include "base/status.h"
#include "harness/device/cuda_driver.h"
#include "simgpu/cost/hardware_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ORDINAL = 1023 };

static const char DEFAULT_PROFILE[] = "h200";

/* "KIND" or "KIND:DETAIL"; `*detail` becomes the part after the colon, "" if there is none. */
static bool is_kind(const char *name, const char *kind, const char **detail)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0 || (name[length] != '\0' && name[length] != ':'))
        return false;
    *detail = name[length] == ':' ? name + length + 1 : "";
    return name[length] == '\0' || **detail != '\0';
}

static Status find_profile(const char *name, HardwareProfile *profile, Message *why)
{
    char folder[4096], names[400];
    TRY(paths_home("simgpu/profiles", folder, sizeof folder, why));
    Status status = strchr(name, '/') == NULL ? hardware_profile_read(folder, name, profile, why) : STATUS_NOT_FOUND;
    if (status != STATUS_NOT_FOUND)
        return status;
    hardware_profile_names(folder, names, sizeof names);
    return fail(STATUS_NOT_FOUND, why, "device 'sim:%s': unknown profile of a simulated GPU; %sknown profiles: %s",
                name, suggestion_for(name, names).text, names);
}

typedef struct Choice { /* the device that a name means */
    bool is_cuda;
    int ordinal;             /* number of the real GPU */
    HardwareProfile profile; /* of the simulated GPU */
} Choice;

static Status choose_sim(const char *detail, Choice *choice, DeviceInfo *info, Message *why)
{
    const char *name = *detail == '\0' ? DEFAULT_PROFILE : detail;
    *choice = (Choice){.is_cuda = false};
    TRY(find_profile(name, &choice->profile, why));
    device_describe_sim(&choice->profile, info);
    snprintf(info->handle, sizeof info->handle, "sim:%s", choice->profile.name);
    return STATUS_OK;
}

static Status choose_cuda(int ordinal, Choice *choice, DeviceInfo *info, Message *why)
{
    *choice = (Choice){.is_cuda = true, .ordinal = ordinal};
    TRY(device_describe_cuda(ordinal, info, why));
    snprintf(info->handle, sizeof info->handle, "cuda:%d", ordinal);
    return STATUS_OK;
}

static Status choose_named_cuda(const char *name, const char *detail, Choice *choice, DeviceInfo *info, Message *why)
{
    Message trouble;
    char *end;
    long ordinal = strtol(detail, &end, 10);
    if (*end != '\0' || ordinal < 0 || ordinal > MAX_ORDINAL)
        return fail(STATUS_BAD_INPUT, why, "device '%s': expected cuda or cuda:N, with the number N of a GPU", name);
    Status status = choose_cuda((int)ordinal, choice, info, &trouble);
    return status == STATUS_OK
               ? STATUS_OK
               : fail(status, why, "device '%s': %s; DEVICE=sim selects the simulated GPU", name, trouble.text);
}

/* A GPU whose driver is too old or does not start is passed over like a missing one; the progress says which of the two. */
static Status choose_any(Choice *choice, DeviceInfo *info, Message *why)
{
    Message trouble;
    Status found = choose_cuda(0, choice, info, &trouble);
    if (found == STATUS_OK)
        return STATUS_OK;
    if (found != STATUS_NOT_FOUND && found != STATUS_UNSUPPORTED)
        return fail(found, why, "device 'auto': %s; DEVICE=sim selects the simulated GPU", trouble.text);
    Status status = choose_sim("", choice, info, why);
    snprintf(info->passed_over, sizeof info->passed_over, "%.*s", (int)sizeof info->passed_over - 1,
             found == STATUS_UNSUPPORTED ? trouble.text : "there is no NVIDIA GPU here");
    return status;
}

/* Only the part before the colon can be misspelt. "cpu" is a device, but not one for CUDA kernels. */
static Status refuse(const char *name, Message *why)
{
    char kind[40];
    const char *detail;
    if (is_kind(name, "cpu", &detail))
        return fail(STATUS_BAD_INPUT, why,
                    "device '%s': runs only files in plain C; expected auto, cuda[:N] or sim[:PROFILE]", name);
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(name, ":"), name);
    return fail(STATUS_BAD_INPUT, why, "unknown device '%s'; %sexpected auto, cuda, cuda:N, sim or sim:PROFILE", name,
                suggestion_for(kind, "auto, cpu, cuda, sim").text);
}

static Status choose(const char *name, Choice *choice, DeviceInfo *info, Message *why)
{
    const char *detail;
    if (is_kind(name, "auto", &detail) && *detail == '\0')
        return choose_any(choice, info, why);
    if (is_kind(name, "sim", &detail))
        return choose_sim(detail, choice, info, why);
    if (is_kind(name, "cuda", &detail))
        return choose_named_cuda(name, detail, choice, info, why);
    return refuse(name, why);
}

void device_use_only(const char *name)
{
    const char *detail;
    if (is_kind(name, "cuda", &detail) || is_kind(name, "auto", &detail))
        cuda_show_only(atoi(detail)); /* atoi("") is 0, the first */
}

bool device_files(const char *name, DeviceFiles *files)
{
    const char *detail;
    *files = (DeviceFiles){0};
    if (!is_kind(name, "cuda", &detail))
        return false;
    cuda_files("", cuda_shown_entry(), files);
    return true;
}

Status device_describe(const char *name, DeviceInfo *info, Message *why)
{
    Choice choice;
    return choose(name, &choice, info, why);
}

Status device_open(const char *name, Device **device, Message *why)
{
    Choice choice;
    DeviceInfo info;
    TRY(choose(name, &choice, &info, why));
    TRY(choice.is_cuda ? device_open_cuda(choice.ordinal, device, why) : device_open_sim(&choice.profile, device, why));
    memcpy((*device)->info.handle, info.handle, sizeof info.handle);
    return STATUS_OK;
}
