#include "harness/device/cuda/cuda_exchange.h"

#include "harness/device/cuda/cuda_gate.h"
#include "harness/device/cuda/cuda_memory.h"

static CuLocation here(const CudaDevice *cuda)
{
    return (CuLocation){CU_LOCATION_DEVICE, cuda->ordinal};
}

static CuAllocationProperties shareable(const CudaDevice *cuda)
{
    return (CuAllocationProperties){
        .type = CU_ALLOCATION_PINNED, .handle_types = CU_HANDLE_DESCRIPTOR, .location = here(cuda)};
}

/* Both processes must compute the same size from the same bytes. */
static CudaError in_granules(const CudaDevice *cuda, uint64_t bytes, uint64_t *rounded)
{
    const CuAllocationProperties properties = shareable(cuda);
    size_t granule = 1;
    CudaError error = cuda->driver->cuMemGetAllocationGranularity(&granule, &properties, CU_GRANULARITY_RECOMMENDED);
    *rounded = (bytes + granule - 1) / granule * granule;
    return error;
}

/* ---- memory and address ------------------------------------------------------------------------------------ */

/* The memory lives as long as a process has it mapped, so that the handle is not needed any more. */
static CudaError map_exchange(CudaDevice *cuda, CuAllocation allocation, uint64_t bytes)
{
    const CudaDriver *driver = cuda->driver;
    const CuAccess access = {.location = here(cuda), .flags = CU_ACCESS_READ_WRITE};
    CuAddress address = 0;
    bool mapped = false;
    CudaError error = driver->cuMemAddressReserve(&address, bytes, 0, 0, 0);
    if (error == CUDA_ERROR_SUCCESS) {
        error = driver->cuMemMap(address, bytes, 0, allocation, 0);
        mapped = error == CUDA_ERROR_SUCCESS;
    }
    if (mapped)
        error = driver->cuMemSetAccess(address, bytes, &access, 1);
    driver->cuMemRelease(allocation);
    if (error == CUDA_ERROR_SUCCESS) {
        cuda->exchange = address;
        cuda->exchange_bytes = bytes;
        return CUDA_ERROR_SUCCESS;
    }
    if (mapped)
        driver->cuMemUnmap(address, bytes);
    if (address != 0)
        driver->cuMemAddressFree(address, bytes);
    return error;
}

static CudaError exchange_leave(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->exchange == 0)
        return CUDA_ERROR_SUCCESS;
    CudaError error = cuda_wait_all(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuMemUnmap(cuda->exchange, cuda->exchange_bytes));
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuMemAddressFree(cuda->exchange, cuda->exchange_bytes));
    cuda->exchange = cuda->exchange_bytes = 0;
    return error;
}

/* Prepares for a new exchange: leaves the old one and opens the gate. */
static CudaError make_room(CudaDevice *cuda, uint64_t bytes, uint64_t *rounded)
{
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : exchange_leave(&cuda->device);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_release(cuda);
    return error == CUDA_ERROR_SUCCESS ? in_granules(cuda, bytes, rounded) : error;
}

static CudaError exchange_create(Device *device, uint64_t bytes, int *descriptor)
{
    CudaDevice *cuda = cuda_of(device);
    const CuAllocationProperties properties = shareable(cuda);
    CuAllocation allocation;
    uint64_t rounded;
    int can_export = 0;
    *descriptor = -1;
    CudaError error = cuda->driver->cuDeviceGetAttribute(&can_export, CU_ATTRIBUTE_EXPORTS_DESCRIPTORS, cuda->ordinal);
    if (error == CUDA_ERROR_SUCCESS && !can_export)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (error == CUDA_ERROR_SUCCESS)
        error = make_room(cuda, bytes, &rounded);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuMemCreate(&allocation, rounded, &properties, 0);
    if (error != CUDA_ERROR_SUCCESS)
        return cuda_note(cuda, error);
    error = cuda->driver->cuMemExportToShareableHandle(descriptor, allocation, CU_HANDLE_DESCRIPTOR, 0);
    if (error == CUDA_ERROR_SUCCESS)
        error = map_exchange(cuda, allocation, rounded);
    else
        cuda->driver->cuMemRelease(allocation);
    return cuda_note(cuda, error);
}

static CudaError exchange_join(Device *device, int descriptor, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    CuAllocation allocation;
    uint64_t rounded;
    CudaError error = make_room(cuda, bytes, &rounded);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuMemImportFromShareableHandle(&allocation, (void *)(intptr_t)descriptor,
                                                             CU_HANDLE_DESCRIPTOR);
    if (error == CUDA_ERROR_SUCCESS)
        error = map_exchange(cuda, allocation, rounded);
    return cuda_note(cuda, error);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static CudaError copy(CudaDevice *cuda, CuAddress to, CuAddress from, uint64_t bytes)
{
    CuStream raw;
    CudaError error = cuda_enter(cuda, NULL, &raw);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuMemcpyDtoDAsync(to, from, bytes, raw));
    return error == CUDA_ERROR_SUCCESS ? cuda_wait(cuda, NULL) : error;
}

static CudaError check_both(CudaDevice *cuda, uint64_t address, uint64_t offset, uint64_t bytes)
{
    CudaError error = cuda_check_range(cuda, address, bytes);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    bool within = offset <= cuda->exchange_bytes && bytes <= cuda->exchange_bytes - offset;
    return within ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CudaError exchange_put(Device *device, uint64_t offset, uint64_t from, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = check_both(cuda, from, offset, bytes);
    return error == CUDA_ERROR_SUCCESS ? copy(cuda, cuda->exchange + offset, from, bytes) : error;
}

static CudaError exchange_take(Device *device, uint64_t to, uint64_t offset, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = check_both(cuda, to, offset, bytes);
    return error == CUDA_ERROR_SUCCESS ? copy(cuda, to, cuda->exchange + offset, bytes) : error;
}

const DeviceExchangeOps CUDA_EXCHANGE_OPS = {
    .create = exchange_create,
    .join = exchange_join,
    .leave = exchange_leave,
    .put = exchange_put,
    .take = exchange_take,
};
