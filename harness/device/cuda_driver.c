#include "harness/device/cuda_driver.h"
#include "harness/device/launch_check.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_VERSION "CUDA 12.4" /* the first to have cuFuncGetParamInfo() */

static CudaDriver driver;

static const LibraryCall CALLS[] = {
#define CUDA_DRIVER_ROW(name, symbol, parameters) {symbol, offsetof(CudaDriver, name)},
    CUDA_DRIVER_CALLS(CUDA_DRIVER_ROW)
#undef CUDA_DRIVER_ROW
};

static const char *driver_name(void)
{
    return library_name("CONVJUDGE_CUDA_DRIVER", "libcuda.so.1");
}

/* Names the version of CUDA that the driver supports, if the driver tells it. */
static Status refuse_older(const char *lacking, Message *why)
{
    int version = 0;
    if (driver.cuDriverGetVersion == NULL || driver.cuDriverGetVersion(&version) != CUDA_ERROR_SUCCESS)
        return fail(STATUS_UNSUPPORTED, why, "%s has no %s: it is not a driver for " LEAST_VERSION " or later",
                    driver_name(), lacking);
    return fail(STATUS_UNSUPPORTED, why,
                "%s is a driver for CUDA %d.%d; the judge needs one for " LEAST_VERSION " or later", driver_name(),
                version / 1000, version % 1000 / 10);
}

static Status bind_calls(void *library, Message *why)
{
    driver = (CudaDriver){0};
    const char *lacking = library_bind(library, CALLS, sizeof CALLS / sizeof *CALLS, &driver);
    return lacking == NULL ? STATUS_OK : refuse_older(lacking, why);
}

/* In many containers without a GPU the driver starts and finds none. If it does not start, there may be a GPU. */
static Status initialise(Message *why)
{
    int count = 0;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* else the first launch of a kernel would also time its loading */
    CudaError error = driver.cuInit(0);
    THEN(error, driver.cuDeviceGetCount(&count));
    bool none = error == CUDA_ERROR_SUCCESS && count == 0;
    if (none || error == CUDA_ERROR_NO_DEVICE || error == CUDA_ERROR_STUB_LIBRARY)
        return fail(STATUS_NOT_FOUND, why, "%s finds no GPU", driver_name());
    if (error != CUDA_ERROR_SUCCESS)
        return fail(STATUS_UNSUPPORTED, why, "%s does not start: %s", driver_name(), cuda_error_text(error));
    return STATUS_OK;
}

/* The library stays loaded, as it will be needed at once. */
void cuda_driver_folder(char *folder, size_t size)
{
    void *library = dlopen(driver_name(), RTLD_NOW | RTLD_LOCAL);
    const struct link_map *map = NULL;
    folder[0] = '\0';
    if (library == NULL || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return;
    const char *slash = strrchr(map->l_name, '/');
    if (slash != NULL)
        snprintf(folder, size, "%.*s", (int)(slash - map->l_name), map->l_name);
}

Status cuda_driver_open(const CudaDriver **opened, Message *why)
{
    static void *library;
    *opened = &driver;
    if (library != NULL)
        return STATUS_OK;
    void *found = dlopen(driver_name(), RTLD_NOW | RTLD_LOCAL);
    if (found == NULL)
        return fail(STATUS_NOT_FOUND, why, "no NVIDIA driver here: %s", dlerror());
    Status status = bind_calls(found, why);
    THEN(status, initialise(why));
    if (status == STATUS_OK)
        library = found;
    else
        dlclose(found);
    return status;
}
