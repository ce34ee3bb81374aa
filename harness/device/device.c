#include "harness/device/device_kinds.h"
#include "harness/toolkit.h"
#include "simgpu/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ORDINAL = 1023 };

static const char DEFAULT_PROFILE[] = "h200";

/* "NAME" or "NAME:DETAIL"; `*detail` is what stands behind the colon, "" where there is none. */
static bool is_kind(const char *name, const char *kind, const char **detail)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0 || (name[length] != '\0' && name[length] != ':'))
        return false;
    *detail = name[length] == ':' ? name + length + 1 : "";
    return name[length] == '\0' || **detail != '\0';
}

static Status find_profile(const char *name, SimProfile *profile, Message *why)
{
    char folder[4096], names[400];
    Status status = home_path("simgpu/profiles", folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    status = strchr(name, '/') == NULL ? profile_read(folder, name, profile, why) : STATUS_NOT_FOUND;
    if (status != STATUS_NOT_FOUND)
        return status;
    profile_names(folder, names, sizeof names);
    return fail(STATUS_NOT_FOUND, why, "device 'sim:%s': no such profile of a simulated GPU; there are: %s", name,
                names);
}

static Status resolve_sim(const char *detail, char *resolved, size_t size, SimProfile *profile, Message *why)
{
    const char *name = *detail == '\0' ? DEFAULT_PROFILE : detail;
    Status status = find_profile(name, profile, why);
    if (status == STATUS_OK)
        snprintf(resolved, size, "sim:%s", name);
    return status;
}

/* A name taken apart. */
typedef struct Choice {
    bool is_cuda;
    int ordinal;        /* of a real GPU */
    SimProfile profile; /* of a simulated one */
} Choice;

static Status resolve_cuda(const char *name, const char *detail, char *resolved, size_t size, Choice *choice,
                           Message *why)
{
    DeviceInfo info;
    char *end;
    errno = 0;
    long ordinal = strtol(detail, &end, 10);
    if (*end != '\0' || errno != 0 || ordinal < 0 || ordinal > MAX_ORDINAL)
        return fail(STATUS_BAD_INPUT, why, "device '%s': expected cuda or cuda:N, N the GPU's number", name);
    *choice = (Choice){.is_cuda = true, .ordinal = (int)ordinal};
    snprintf(resolved, size, "cuda:%ld", ordinal);
    Message trouble;
    if (device_describe_cuda(choice->ordinal, &info, &trouble) != STATUS_OK)
        return fail(STATUS_NOT_FOUND, why, "device '%s': %s; use DEVICE=sim, the simulated one", name, trouble.text);
    return STATUS_OK;
}

static Status resolve(const char *name, char *resolved, size_t size, Choice *choice, Message *why)
{
    const char *detail;
    *choice = (Choice){0};
    if (is_kind(name, "auto", &detail) && *detail == '\0') {
        if (resolve_cuda(name, "", resolved, size, choice, NULL) == STATUS_OK)
            return STATUS_OK;
        *choice = (Choice){0};
        return resolve_sim("", resolved, size, &choice->profile, why);
    }
    if (is_kind(name, "sim", &detail))
        return resolve_sim(detail, resolved, size, &choice->profile, why);
    if (is_kind(name, "cuda", &detail))
        return resolve_cuda(name, detail, resolved, size, choice, why);
    return fail(STATUS_BAD_INPUT, why, "device '%s': expected auto, cuda, cuda:N, sim or sim:PROFILE", name);
}

Status device_resolve(const char *name, char *resolved, size_t size, Message *why)
{
    Choice choice;
    return resolve(name, resolved, size, &choice, why);
}

Status device_describe(const char *name, DeviceInfo *info, Message *why)
{
    char resolved[64];
    Choice choice;
    Status status = resolve(name, resolved, sizeof resolved, &choice, why);
    if (status == STATUS_OK && choice.is_cuda)
        return device_describe_cuda(choice.ordinal, info, why);
    if (status == STATUS_OK)
        device_describe_sim(&choice.profile, info);
    return status;
}

Status device_open(const char *name, Device **device, Message *why)
{
    char resolved[64];
    Choice choice;
    Status status = resolve(name, resolved, sizeof resolved, &choice, why);
    if (status != STATUS_OK)
        return status;
    return choice.is_cuda ? device_open_cuda(choice.ordinal, device, why)
                          : device_open_sim(&choice.profile, device, why);
}
