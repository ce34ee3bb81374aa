#include "harness/device/monitor/nvml.h"
#include "harness/device/library.h"

#include <dlfcn.h>
#include <stddef.h>

static Nvml loaded;

static const LibraryCall CALLS[] = {
#define NVML_ROW(name, symbol, result, parameters) {symbol, offsetof(Nvml, name)},
    NVML_CALLS(NVML_ROW)
#undef NVML_ROW
};

static Status bind_calls(void *library, const char *name, Message *why)
{
    const char *lacking = library_bind(library, CALLS, sizeof CALLS / sizeof *CALLS, &loaded);
    return lacking == NULL ? STATUS_OK : fail(STATUS_NOT_FOUND, why, "%s: has no %s", name, lacking);
}

Status nvml_open(const Nvml **opened, Message *why)
{
    static void *library;
    *opened = &loaded;
    if (library != NULL)
        return STATUS_OK;
    const char *name = library_name("CONVJUDGE_NVML", "libnvidia-ml.so.1");
    void *found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (found == NULL)
        return fail(STATUS_NOT_FOUND, why, "no management library (NVML) here: %s", dlerror());
    Status status = bind_calls(found, name, why);
    NvmlResult result = status == STATUS_OK ? loaded.init() : NVML_DONE;
    if (result != NVML_DONE)
        status = fail(STATUS_NOT_FOUND, why, "%s does not start: %s", name, loaded.error_text(result));
    if (status == STATUS_OK)
        library = found;
    else
        dlclose(found);
    return status;
}
