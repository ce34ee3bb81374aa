#include "tests/fake/cuda.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GRANULE_BYTES = 2 << 20, /* granularity of mapped memory, as on current GPUs */
    MAX_RESERVATIONS = 4,
    DESCRIPTOR_SHIFT = 48
};

typedef struct Reservation {
    uint64_t address;
    size_t bytes; /* 0: unused entry */
} Reservation;

typedef struct Region {
    uint64_t address;
    size_t bytes;
    RegionKind kind;
} Region;

static Region *regions;
static size_t region_count;
static Reservation reservations[MAX_RESERVATIONS];
static size_t created_bytes;
void add_region(uint64_t address, size_t bytes, RegionKind kind)
{
    regions = realloc(regions, (region_count + 1) * sizeof *regions);
    if (regions == NULL)
        abort();
    regions[region_count++] = (Region){address, bytes, kind};
}

/* The reservation that contains all these bytes; with bytes 0: an unused entry. */
static Reservation *reservation_of(uint64_t address, size_t bytes)
{
    for (size_t i = 0; i < MAX_RESERVATIONS; i++) {
        Reservation *place = &reservations[i];
        bool within = address >= place->address && bytes <= place->bytes &&
                      address - place->address <= place->bytes - bytes;
        if (bytes == 0 ? place->bytes == 0 : within)
            return place;
    }
    return NULL;
}

static Region *region_at(uint64_t address)
{
    for (size_t i = 0; i < region_count; i++)
        if (address >= regions[i].address && address - regions[i].address < regions[i].bytes)
            return &regions[i];
    return NULL;
}

void remove_region(uint64_t address)
{
    *region_at(address) = regions[region_count - 1];
    region_count--;
}

/* Whether all of [address, address + bytes) lies in regions of this kind. */
static bool is_all(RegionKind kind, uint64_t address, uint64_t bytes)
{
    while (bytes > 0) {
        const Region *region = region_at(address);
        if (region == NULL || region->kind != kind)
            return false;
        uint64_t left = region->address + region->bytes - address;
        uint64_t here = left < bytes ? left : bytes;
        address += here;
        bytes -= here;
    }
    return true;
}

bool is_on_device(uint64_t address, uint64_t bytes)
{
    return is_all(DEVICE_MEMORY, address, bytes);
}

bool is_reachable(uint64_t address, uint64_t bytes)
{
    return is_on_device(address, bytes) || is_all(SPECIAL_MEMORY, address, bytes);
}

bool is_pinned(const void *memory, uint64_t bytes)
{
    return is_all(SPECIAL_MEMORY, (uint64_t)memory, bytes);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

CudaError cuMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    ENTER("cuMemGetInfo");
    *all_bytes = MEMORY_BYTES;
    *free_bytes = MEMORY_BYTES - created_bytes;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemGetAllocationGranularity(size_t *bytes, const CuAllocationProperties *properties, int option)
{
    ENTER("cuMemGetAllocationGranularity");
    *bytes = GRANULE_BYTES;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemAddressReserve(CuAddress *address, size_t bytes, size_t alignment, CuAddress wanted,
                              unsigned long long flags)
{
    ENTER("cuMemAddressReserve %zu", bytes);
    if (bytes % GRANULE_BYTES != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    Reservation *place = reservation_of(0, 0);
    void *range = mmap(at(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || place == NULL)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    *place = (Reservation){(uint64_t)range, bytes};
    *address = place->address;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemAddressFree(CuAddress address, size_t bytes)
{
    ENTER("cuMemAddressFree %zu", bytes);
    Reservation *place = reservation_of(address, bytes);
    if (place == NULL || place->address != address || place->bytes != bytes || region_at(address) != NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    munmap(at(address), bytes);
    *place = (Reservation){0};
    return leave(CUDA_ERROR_SUCCESS);
}

/* A handle holds the size in its lower bits and, above, the file descriptor of memory that can be shared (else 0). */
static size_t allocation_bytes(CuAllocation allocation)
{
    return allocation & ((1ull << DESCRIPTOR_SHIFT) - 1);
}

static int allocation_descriptor(CuAllocation allocation)
{
    return (int)(allocation >> DESCRIPTOR_SHIFT);
}

static CuAllocation shareable_allocation(size_t bytes, int descriptor)
{
    return bytes | (CuAllocation)descriptor << DESCRIPTOR_SHIFT;
}

CudaError cuMemCreate(CuAllocation *allocation, size_t bytes, const CuAllocationProperties *properties,
                      unsigned long long flags)
{
    ENTER("cuMemCreate %zu", bytes);
    if (bytes == 0 || bytes % GRANULE_BYTES != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (bytes > MEMORY_BYTES - created_bytes)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    int descriptor = 0;
    if (properties->handle_types == CU_HANDLE_DESCRIPTOR) {
        descriptor = memfd_create("fake device memory", MFD_CLOEXEC);
        if (descriptor < 0 || ftruncate(descriptor, (off_t)bytes) != 0)
            return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    }
    created_bytes += bytes;
    *allocation = shareable_allocation(bytes, descriptor);
    return leave(wait_until_idle());
}

/* Mapped memory stays mapped after its handle is released. */
CudaError cuMemRelease(CuAllocation allocation)
{
    ENTER("cuMemRelease");
    if (allocation_descriptor(allocation) != 0)
        close(allocation_descriptor(allocation));
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemExportToShareableHandle(void *handle, CuAllocation allocation, int handle_type, unsigned long long flags)
{
    ENTER("cuMemExportToShareableHandle");
    if (handle_type != CU_HANDLE_DESCRIPTOR || allocation_descriptor(allocation) == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *(int *)handle = fcntl(allocation_descriptor(allocation), F_DUPFD_CLOEXEC, 3);
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemImportFromShareableHandle(CuAllocation *allocation, void *handle, int handle_type)
{
    ENTER("cuMemImportFromShareableHandle");
    struct stat memory;
    if (handle_type != CU_HANDLE_DESCRIPTOR || fstat((int)(intptr_t)handle, &memory) != 0 || memory.st_size == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *allocation = shareable_allocation((size_t)memory.st_size, fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 3));
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemMap(CuAddress address, size_t bytes, size_t offset, CuAllocation allocation, unsigned long long flags)
{
    ENTER("cuMemMap %zu", bytes);
    int descriptor = allocation_descriptor(allocation);
    if (address % GRANULE_BYTES != 0 || bytes != allocation_bytes(allocation) || offset != 0 ||
        reservation_of(address, bytes) == NULL || region_at(address) != NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (descriptor != 0 && mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    add_region(address, bytes, MAPPED_WITHOUT_ACCESS);
    return leave(wait_until_idle());
}

CudaError cuMemUnmap(CuAddress address, size_t bytes)
{
    ENTER("cuMemUnmap %zu", bytes);
    Region *region = region_at(address);
    if (region == NULL || region->address != address || region->bytes != bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CudaError error = wait_until_idle();
    remove_region(address);
    mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return leave(error);
}

CudaError cuMemSetAccess(CuAddress address, size_t bytes, const CuAccess *access, size_t count)
{
    ENTER("cuMemSetAccess %zu", bytes);
    Region *region = region_at(address);
    if (region == NULL || region->address != address || region->bytes != bytes || count != 1 ||
        access->flags != CU_ACCESS_READ_WRITE || mprotect(at(address), bytes, PROT_READ | PROT_WRITE) != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    region->kind = DEVICE_MEMORY;
    return leave(wait_until_idle());
}

CudaError cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    ENTER("cuMemHostAlloc %zu", bytes);
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*memory == MAP_FAILED)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    add_region((uint64_t)*memory, bytes, SPECIAL_MEMORY);
    return leave(wait_until_idle());
}

CudaError cuMemHostRegister(void *memory, size_t bytes, unsigned flags)
{
    ENTER("cuMemHostRegister %zu", bytes);
    if (bytes == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (region_at((uint64_t)memory) != NULL || region_at((uint64_t)memory + bytes - 1) != NULL)
        return leave(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    add_region((uint64_t)memory, bytes, SPECIAL_MEMORY);
    return leave(wait_until_idle());
}

CudaError cuMemHostUnregister(void *memory)
{
    ENTER("cuMemHostUnregister");
    Region *region = region_at((uint64_t)memory);
    if (region == NULL || region->address != (uint64_t)memory || region->kind != SPECIAL_MEMORY)
        return leave(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CudaError error = wait_until_idle();
    remove_region((uint64_t)memory);
    return leave(error);
}

CudaError cuMemHostGetDevicePointer(CuAddress *address, void *memory, unsigned flags)
{
    ENTER("cuMemHostGetDevicePointer");
    *address = (uint64_t)memory;
    return leave(is_pinned(memory, 1) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
