#include "harness/device/device_kinds.h"
#include "harness/toolkit.h"
#include "simgpu/profile.h"

#include <stdio.h>
#include <string.h>

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

static Status resolve(const char *name, char *resolved, size_t size, SimProfile *profile, Message *why)
{
    const char *detail;
    if (is_kind(name, "auto", &detail) && *detail == '\0')
        return resolve_sim("", resolved, size, profile, why);
    if (is_kind(name, "sim", &detail))
        return resolve_sim(detail, resolved, size, profile, why);
    if (is_kind(name, "cuda", &detail))
        return fail(STATUS_NOT_FOUND, why, "device '%s': this build of the judge has no driver for real GPUs; "
                    "use DEVICE=sim, the simulated one", name);
    return fail(STATUS_BAD_INPUT, why, "device '%s': expected auto, cuda, cuda:N, sim or sim:PROFILE", name);
}

Status device_resolve(const char *name, char *resolved, size_t size, Message *why)
{
    SimProfile profile;
    return resolve(name, resolved, size, &profile, why);
}

Status device_open(const char *name, Device **device, Message *why)
{
    char resolved[64];
    SimProfile profile;
    Status status = resolve(name, resolved, sizeof resolved, &profile, why);
    return status == STATUS_OK ? device_open_sim(&profile, device, why) : status;
}
