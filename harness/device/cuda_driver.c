#include "harness/device/cuda_driver.h"

#include <dlfcn.h>
#include <stdlib.h>

static CudaDriver driver;

static const struct {
    const char *symbol;
    size_t member;
} CALLS[] = {
#define CUDA_DRIVER_ROW(name, symbol, parameters) {symbol, offsetof(CudaDriver, name)},
    CUDA_DRIVER_CALLS(CUDA_DRIVER_ROW)
#undef CUDA_DRIVER_ROW
};

static const char *library_name(void)
{
    const char *chosen = getenv("CONVJUDGE_CUDA_DRIVER");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "libcuda.so.1";
}

static Status bind_calls(void *library, Message *why)
{
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        void *call = dlsym(library, CALLS[i].symbol);
        if (call == NULL)
            return fail(STATUS_NOT_FOUND, why, "%s: has no %s: the driver is older than the judge needs (CUDA 12.4)",
                        library_name(), CALLS[i].symbol);
        *(void **)((char *)&driver + CALLS[i].member) = call;
    }
    return STATUS_OK;
}

static Status initialise(Message *why)
{
    int count = 0;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* a kernel loaded at its first launch would be timed with its loading */
    CudaError error = driver.cuInit(0);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver.cuDeviceGetCount(&count);
    if (error != CUDA_ERROR_SUCCESS)
        return fail(STATUS_NOT_FOUND, why, "%s finds no GPU: %s", library_name(), cuda_error_text(error));
    if (count == 0)
        return fail(STATUS_NOT_FOUND, why, "%s finds no GPU", library_name());
    return STATUS_OK;
}

Status cuda_driver_open(const CudaDriver **opened, Message *why)
{
    static void *library;
    *opened = &driver;
    if (library != NULL)
        return STATUS_OK;
    void *found = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
    if (found == NULL)
        return fail(STATUS_NOT_FOUND, why, "no NVIDIA driver here: %s", dlerror());
    Status status = bind_calls(found, why);
    if (status == STATUS_OK)
        status = initialise(why);
    if (status == STATUS_OK)
        library = found;
    else
        dlclose(found);
    return status;
}
