#include "harness/session/shared_modules.h"

#include <string.h>

Status shared_modules_new(const Compiled *compiled, ControlRequest *request, SharedMemory *modules, Message *why)
{
    size_t bytes = 1; /* a submission may have no module */
    if (compiled->module_count > CONTROL_MAX_MODULES)
        return fail(STATUS_UNSUPPORTED, why, "%zu modules of GPU code, at most %d", compiled->module_count,
                    CONTROL_MAX_MODULES);
    for (size_t i = 0; i < compiled->module_count; i++) {
        request->modules[i] = (ControlSpan){.offset = bytes, .bytes = compiled->modules[i].bytes};
        bytes += compiled->modules[i].bytes;
    }
    Status status = shared_memory_new("modules", bytes, modules, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < compiled->module_count; i++)
        memcpy(modules->base + request->modules[i].offset, compiled->modules[i].image, compiled->modules[i].bytes);
    request->module_count = (uint32_t)compiled->module_count;
    request->memory_bytes = bytes;
    return STATUS_OK;
}
