#include "harness/device/cuda_driver.h"

#include "harness/device/ceilings.h"
#include "harness/device/launch_check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ==== cuda files ================================================================================================== */

#define UUID "GPU-" /* that of a whole GPU begins with this */

static bool is_usable(const char *path)
{
    return access(path, R_OK | W_OK) == 0; /* a control group that denies a device denies this, too */
}

/* "GPU UUID: \t GPU-1234": what stands behind the colon. */
static void take_field(const char *line, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    if (strncmp(line, name, length) != 0)
        return;
    line += length;
    line += strspn(line, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
}

/* The kernel has a folder for each part of a divided GPU. */
static bool is_divided(const char *root, int minor)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/capabilities/gpu%d/mig", root, minor);
    DIR *folder = opendir(path);
    bool found = false;
    for (const struct dirent *item; folder != NULL && (item = readdir(folder)) != NULL;)
        found = found || strncmp(item->d_name, "gi", 2) == 0;
    if (folder != NULL)
        closedir(folder);
    return found;
}

static bool read_gpu(const char *root, const char *bus, HostGpu *gpu)
{
    char path[PATH_MAX], line[200], minor[16] = "", *end = minor;
    *gpu = (HostGpu){.minor = -1};
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus/%s/information", root, bus);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        take_field(line, "Model:", gpu->model, sizeof gpu->model);
        take_field(line, "GPU UUID:", gpu->uuid, sizeof gpu->uuid);
        take_field(line, "Device Minor:", minor, sizeof minor);
    }
    if (file != NULL)
        fclose(file);
    gpu->minor = (int)strtol(minor, &end, 10);
    if (end == minor || *end != '\0')
        return false;
    if (strchr(gpu->uuid, '?') != NULL || is_divided(root, gpu->minor))
        gpu->uuid[0] = '\0';
    snprintf(path, sizeof path, "%s/dev/nvidia%d", root, gpu->minor);
    return is_usable(path);
}

size_t cuda_host_gpus(const char *root, HostGpu *gpus, size_t most)
{
    char path[PATH_MAX];
    struct dirent **names = NULL;
    size_t count = 0;
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus", root);
    const int found = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        if (names[i]->d_name[0] != '.' && count < most && read_gpu(root, names[i]->d_name, &gpus[count]))
            count++;
        free(names[i]);
    }
    free(names);
    return count;
}

static int gpu_of_uuid(const HostGpu *gpus, size_t count, const char *uuid)
{
    int found = -1;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(gpus[i].uuid, uuid, strlen(uuid)) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

int cuda_host_gpu(const HostGpu *gpus, size_t count, const char *entry, bool by_bus)
{
    char *end;
    if (strncmp(entry, UUID, strlen(UUID)) == 0)
        return gpu_of_uuid(gpus, count, entry);
    const long number = strtol(entry, &end, 10);
    if (end == entry || *end != '\0' || number < 0 || (size_t)number >= count)
        return -1;
    for (size_t i = 1; i < count && !by_bus; i++)
        if (strcmp(gpus[i].model, gpus[0].model) != 0)
            return -1;
    return (int)number;
}

static void add_device(DeviceFiles *files, const char *root, const char *name)
{
    snprintf(files->devices[files->device_count++], sizeof *files->devices, "%.40s/dev/%.18s", root, name);
}

static void add_folders(DeviceFiles *files, const char *root)
{
    Message why;
    snprintf(files->folders[0], sizeof *files->folders, "%.40s/dev/nvidia-caps",
             root); /* which parts of GPUs there are */
    cuda_driver_folder(files->folders[1], sizeof *files->folders);
    files->folder_count = ceilings_folder(files->folders[2], sizeof *files->folders, &why) == STATUS_OK ? 3 : 2;
}

void cuda_files(const char *root, const char *uuid, DeviceFiles *files)
{
    HostGpu gpus[CUDA_MOST_GPUS];
    char own[24];
    const size_t count = cuda_host_gpus(root, gpus, CUDA_MOST_GPUS);
    const int gpu = uuid == NULL || strncmp(uuid, UUID, strlen(UUID)) != 0 ? -1 : gpu_of_uuid(gpus, count, uuid);
    *files = (DeviceFiles){0};
    if (gpu < 0)
        return;
    snprintf(own, sizeof own, "nvidia%d", gpus[gpu].minor);
    add_device(files, root, "nvidiactl");
    add_device(files, root, "nvidia-uvm");
    if (!is_usable(files->devices[0]) || !is_usable(files->devices[1])) {
        files->device_count = 0;
        return;
    }
    add_device(files, root, own);
    add_device(files, root, "nvidia-uvm-tools");
    add_folders(files, root);
}

/* ==== cuda visible ================================================================================================ */

static const char VARIABLE[] = "CUDA_VISIBLE_DEVICES";

static int shown = -1; /* number of the only GPU that is to be seen; -1: all are */

bool cuda_visible_entry(const char *list, int gpus, int ordinal, char *entry, size_t size)
{
    if (list == NULL)
        return ordinal < gpus && (size_t)snprintf(entry, size, "%d", ordinal) < size;
    for (; ordinal > 0 && list != NULL; ordinal--) {
        list = strchr(list, ',');
        list = list == NULL ? NULL : list + 1;
    }
    const size_t length = list == NULL ? 0 : strcspn(list, ",");
    if (length == 0 || length >= size)
        return false;
    memcpy(entry, list, length);
    entry[length] = '\0';
    return true;
}

/* By its UUID if that is known: numbers count the GPUs that a process can open. */
static void name_by_uuid(const HostGpu *gpus, size_t count, char *entry, size_t size)
{
    const char *order = getenv("CUDA_DEVICE_ORDER");
    const int gpu = cuda_host_gpu(gpus, count, entry, order != NULL && strcmp(order, "PCI_BUS_ID") == 0);
    if (gpu >= 0 && gpus[gpu].uuid[0] != '\0')
        snprintf(entry, size, "%s", gpus[gpu].uuid);
}

void cuda_show_only(int ordinal)
{
    char entry[128];
    HostGpu gpus[CUDA_MOST_GPUS];
    const size_t count = cuda_host_gpus("", gpus, CUDA_MOST_GPUS); /* 0: it does not tell */
    if (shown >= 0 || !cuda_visible_entry(getenv(VARIABLE), (int)count, ordinal, entry, sizeof entry))
        return;
    name_by_uuid(gpus, count, entry, sizeof entry);
    if (setenv(VARIABLE, entry, 1) == 0)
        shown = ordinal;
}

const char *cuda_shown_entry(void)
{
    return shown < 0 ? NULL : getenv(VARIABLE);
}

int cuda_shown_ordinal(int ordinal)
{
    return ordinal == shown ? 0 : ordinal;
}
