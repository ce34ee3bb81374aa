#include "harness/device/nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static Nvml nvml;

static const struct {
    const char *symbol;
    size_t member;
} CALLS[] = {
#define NVML_ROW(name, symbol, result, parameters) {symbol, offsetof(Nvml, name)},
    NVML_CALLS(NVML_ROW)
#undef NVML_ROW
};

static const char *library_name(void)
{
    const char *chosen = getenv("CONVJUDGE_NVML");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "libnvidia-ml.so.1";
}

static Status bind_calls(void *library, Message *why)
{
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        void *call = dlsym(library, CALLS[i].symbol);
        if (call == NULL)
            return fail(STATUS_NOT_FOUND, why, "%s: has no %s", library_name(), CALLS[i].symbol);
        *(void **)((char *)&nvml + CALLS[i].member) = call;
    }
    return STATUS_OK;
}

Status nvml_open(const Nvml **opened, Message *why)
{
    static void *library;
    *opened = &nvml;
    if (library != NULL)
        return STATUS_OK;
    void *found = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
    if (found == NULL)
        return fail(STATUS_NOT_FOUND, why, "no management library (NVML) here: %s", dlerror());
    Status status = bind_calls(found, why);
    NvmlResult result = status == STATUS_OK ? nvml.init() : NVML_DONE;
    if (result != NVML_DONE)
        status = fail(STATUS_NOT_FOUND, why, "%s does not start: %s", library_name(), nvml.error_text(result));
    if (status == STATUS_OK)
        library = found;
    else
        dlclose(found);
    return status;
}
