#include "harness/device/cuda/cuda_info.h"

#include "harness/device/ceilings/ceilings.h"
#include "harness/device/cuda/cuda_visible.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CUDA_EPOCH = 1 }; /* raised when the method of timing changes, since old times do not compare any more */

/* "NVIDIA H200" becomes "nvidia-h200". */
static void make_id(const char *name, char *id, size_t size)
{
    size_t length = 0;
    for (; *name != '\0' && length + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            id[length++] = (char)tolower((unsigned char)*name);
        else if (length > 0 && id[length - 1] != '-')
            id[length++] = '-';
    while (length > 0 && id[length - 1] == '-')
        length--;
    id[length] = '\0';
}

static void format_uuid(const CuUuid *uuid, char *text, size_t size)
{
    const unsigned char *b = uuid->bytes;
    snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
             b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* "580.65.06" as the kernel module reports it, or else the version of CUDA that the driver supports. */
static void read_driver_version(const CudaDriver *driver, char *text, size_t size)
{
    char line[400];
    int version = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    const char *found = file != NULL && fgets(line, sizeof line, file) != NULL ? strpbrk(line, "0123456789") : NULL;
    while (found != NULL && strcspn(found, ". \n") == strcspn(found, " \n")) /* skip a word without a point: "x86_64" */
        found = strpbrk(found + strcspn(found, " \n"), "0123456789");
    if (found != NULL) {
        snprintf(text, size, "%.*s", (int)strspn(found, "0123456789."), found);
    } else {
        driver->cuDriverGetVersion(&version);
        snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    }
    if (file != NULL)
        fclose(file);
}

typedef struct Asked {
    const CudaDriver *driver;
    CuDevice device;
    CudaError error; /* the first */
} Asked;

static uint32_t ask(Asked *asked, int attribute)
{
    int value = 0;
    CudaError error = asked->driver->cuDeviceGetAttribute(&value, attribute, asked->device);
    if (error != CUDA_ERROR_SUCCESS && asked->error == CUDA_ERROR_SUCCESS)
        asked->error = error;
    return value < 0 ? 0 : (uint32_t)value;
}

static void ask_limits(Asked *asked, DeviceInfo *info)
{
    info->compute_major = (int)ask(asked, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    info->compute_minor = (int)ask(asked, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    info->multiprocessors = ask(asked, CU_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->warp_size = ask(asked, CU_ATTRIBUTE_WARP_SIZE);
    info->max_threads_per_block = ask(asked, CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->max_threads_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    info->max_blocks_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = ask(asked, CU_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        info->max_grid[i] = ask(asked, CU_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    info->registers_per_block = ask(asked, CU_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    info->registers_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    info->shared_bytes_per_block = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info->shared_bytes_per_block_optin = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->shared_bytes_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    info->shared_reserved_bytes_per_block = ask(asked, CU_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    info->constant_bytes = ask(asked, CU_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    info->l2_bytes = ask(asked, CU_ATTRIBUTE_L2_CACHE_SIZE);
    info->clock_khz = ask(asked, CU_ATTRIBUTE_CLOCK_RATE);
    info->memory_clock_khz = ask(asked, CU_ATTRIBUTE_MEMORY_CLOCK_RATE);
    info->memory_bus_bits = ask(asked, CU_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    info->pageable_access = ask(asked, CU_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0;
}

/* Double data rate: two transfers per cycle of the memory clock. No kernel can read faster. */
static double peak_bytes_per_s(const DeviceInfo *info)
{
    return 2e3 * info->memory_clock_khz * (info->memory_bus_bits / 8);
}

/* Without a calibration, the peak of the memory bounds all times from below, and there is no roofline. */
static Status take_ceilings(DeviceInfo *info, Message *why)
{
    Ceilings ceilings;
    info->read_bytes_per_s = peak_bytes_per_s(info);
    Status status = ceilings_read(info->id, &ceilings, why);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    info->read_bytes_per_s = ceilings.read_bytes_per_s;
    info->copy_bytes_per_s = ceilings.copy_bytes_per_s;
    info->fma_flops_per_s = ceilings.fma_flops_per_s;
    info->tf32_flops_per_s = ceilings.tf32_flops_per_s;
    info->usual_launch_s = 1e-6 * ceilings.launch_us;
    info->usual_clock_mhz = ceilings.sm_clock_mhz;
    return STATUS_OK;
}

Status cuda_describe(const CudaDriver *driver, int ordinal, DeviceInfo *info, Message *why)
{
    Asked asked = {.driver = driver};
    CuUuid uuid;
    size_t bytes = 0;
    int count = 0;
    *info = (DeviceInfo){.epoch = CUDA_EPOCH};
    CudaError error = driver->cuDeviceGetCount(&count);
    if (error == CUDA_ERROR_SUCCESS && cuda_shown_ordinal(ordinal) >= count)
        return fail(STATUS_NOT_FOUND, why, "there is no GPU number %d: the driver finds %d, numbered from 0", ordinal,
                    count);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuDeviceGet(&asked.device, cuda_shown_ordinal(ordinal));
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuDeviceGetName(info->name, sizeof info->name, asked.device);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuDeviceGetUuid(&uuid, asked.device);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuDeviceTotalMem(&bytes, asked.device);
    if (error == CUDA_ERROR_SUCCESS) {
        ask_limits(&asked, info);
        error = asked.error;
    }
    if (error != CUDA_ERROR_SUCCESS)
        return fail(STATUS_SYSTEM, why, "GPU number %d does not answer: %s", ordinal, cuda_error_text(error));
    info->memory_bytes = bytes;
    make_id(info->name, info->id, sizeof info->id);
    format_uuid(&uuid, info->uuid, sizeof info->uuid);
    read_driver_version(driver, info->driver, sizeof info->driver);
    return take_ceilings(info, why);
}
