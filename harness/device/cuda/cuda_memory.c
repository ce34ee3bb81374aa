#include "harness/device/cuda/cuda_memory.h"

#include "harness/device/cuda/cuda_gate.h"
#include "harness/device/cuda/cuda_origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static const uint64_t MAP_BYTES = 64u << 20; /* memory is mapped into the range in steps of this size */

/* ---- the range and its memory -------------------------------------------------------------------------- */

static CudaError map_more(CudaDevice *cuda, uint64_t bytes)
{
    const CuLocation here = {CU_LOCATION_DEVICE, cuda->ordinal};
    const CuAllocationProperties properties = {.type = CU_ALLOCATION_PINNED, .location = here};
    const CuAccess access = {.location = here, .flags = CU_ACCESS_READ_WRITE};
    CuAddress address = cuda->range.base + cuda->mapped_bytes;
    CuAllocation allocation;
    CudaError error = cuda->driver->cuMemCreate(&allocation, bytes, &properties, 0);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    error = cuda->driver->cuMemMap(address, bytes, 0, allocation, 0);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuMemSetAccess(address, bytes, &access, 1);
    cuda->driver->cuMemRelease(allocation); /* mapped memory stays until the process ends */
    if (error == CUDA_ERROR_SUCCESS)
        cuda->mapped_bytes += bytes;
    return error;
}

/* Waits for the device first, so that the time for mapping never counts as the device's work. */
static CudaError map_up_to(CudaDevice *cuda, uint64_t end)
{
    uint64_t mapped_end = cuda->range.base + cuda->mapped_bytes;
    if (end <= mapped_end)
        return CUDA_ERROR_SUCCESS;
    CudaError error = cuda_wait_all(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = map_more(cuda, (end - mapped_end + MAP_BYTES - 1) / MAP_BYTES * MAP_BYTES);
    return cuda_note(cuda, error);
}

/* ---- red zones --------------------------------------------------------------------------------------------------- */

/* Each zone holds a random word of its own, which is new in each allocation. So a kernel that reads one zone learns nothing
 * about another, and what it writes into a zone without reading it first differs from what was there. */
static CudaError fill_zones(CudaDevice *cuda, const AddressPiece *piece)
{
    const CudaDriver *driver = cuda->driver;
    uint64_t end = piece->address + piece->bytes, begin = address_zones_begin(piece);
    uint64_t words = (end + 3) / 4 * 4;
    CudaError error = driver->cuMemsetD32Async(begin, piece->zones.before, (piece->address - begin) / 4, cuda->own.raw);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuMemsetD32Async(words, piece->zones.behind, (address_zones_end(piece) - words) / 4,
                                         cuda->own.raw);
    if (error == CUDA_ERROR_SUCCESS && words > end)
        error = driver->cuMemsetD8Async(end, piece->zones.rest, words - end, cuda->own.raw);
    return error == CUDA_ERROR_SUCCESS ? cuda_wait_own(cuda) : cuda_note(cuda, error);
}

static void set_zone_fault(CudaDevice *cuda, const AddressPiece *piece, size_t distance, MistakeSide side)
{
    cuda->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    if (cuda->fault.kind != DEVICE_NO_FAULT)
        return;
    cuda->fault.kind = DEVICE_FAULT;
    cuda->fault.mistake = (Mistake){.kind = MISTAKE_WRITE_OUTSIDE, .side = side};
    snprintf(
        cuda->fault.text, sizeof cuda->fault.text,
        "a kernel wrote out of bounds: %zu bytes %s an allocation of %llu bytes (the simulated GPU, DEVICE=sim, may "
        "show where)",
        distance, side == MISTAKE_PAST ? "past the end of" : "before the start of", (unsigned long long)piece->bytes);
}

static size_t untouched_bytes(const uint8_t *zone, size_t count, uint8_t byte)
{
    size_t i = 0;
    while (i < count && zone[i] == byte)
        i++;
    return i;
}

static size_t untouched(const uint8_t *zone, size_t count, uint32_t word)
{
    size_t i = 0;
    while (i < count && zone[i] == (uint8_t)(word >> 8 * (i % 4)))
        i++;
    return i;
}

static bool zones_hold(CudaDevice *cuda, const AddressPiece *piece, const uint8_t *zones)
{
    size_t head = piece->address - address_zones_begin(piece);
    size_t tail = address_zones_end(piece) - piece->address - piece->bytes;
    size_t rest = (4 - piece->bytes % 4) % 4;
    size_t behind = untouched_bytes(zones + head, rest, piece->zones.rest);
    if (behind == rest)
        behind += untouched(zones + head + rest, tail - rest, piece->zones.behind);
    size_t before = untouched(zones, head, piece->zones.before);
    if (behind < tail)
        set_zone_fault(cuda, piece, behind, MISTAKE_PAST);
    else if (before < head)
        set_zone_fault(cuda, piece, head - before, MISTAKE_BEFORE);
    return behind == tail && before == head;
}

static CudaError read_zones(CudaDevice *cuda, const AddressPiece *piece, uint8_t *zones)
{
    const CudaDriver *driver = cuda->driver;
    uint64_t end = piece->address + piece->bytes, begin = address_zones_begin(piece), head = piece->address - begin;
    CudaError error = driver->cuMemcpyDtoHAsync(zones, begin, head, cuda->own.raw);
    if (error == CUDA_ERROR_SUCCESS)
        error = driver->cuMemcpyDtoHAsync(zones + head, end, address_zones_end(piece) - end, cuda->own.raw);
    return cuda_note(cuda, error);
}

static CudaError check_some(CudaDevice *cuda, const AddressPiece *pieces, size_t count)
{
    CudaError error = cuda->sticky;
    for (size_t i = 0; i < count && error == CUDA_ERROR_SUCCESS; i++)
        error = read_zones(cuda, &pieces[i], cuda->zones + i * CUDA_ZONE_ROOM);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_wait_own(cuda);
    for (size_t i = 0; i < count && error == CUDA_ERROR_SUCCESS; i++)
        if (!zones_hold(cuda, &pieces[i], cuda->zones + i * CUDA_ZONE_ROOM))
            error = cuda->sticky;
    return error;
}

CudaError cuda_check_zones(CudaDevice *cuda, const AddressPiece *only)
{
    const AddressRange *range = &cuda->range;
    CudaError error = only != NULL ? check_some(cuda, only, 1) : CUDA_ERROR_SUCCESS;
    for (size_t i = 0; only == NULL && i < range->count && error == CUDA_ERROR_SUCCESS; i += CUDA_ZONES_AT_ONCE) {
        size_t left = range->count - i;
        error = check_some(cuda, &range->pieces[i], left < CUDA_ZONES_AT_ONCE ? left : CUDA_ZONES_AT_ONCE);
    }
    return error;
}

/* ---- allocations ------------------------------------------------------------------------------------------------- */

static bool has_room(const CudaDevice *cuda, uint64_t bytes)
{
    uint64_t used = cuda_used_bytes(cuda);
    return used <= cuda->memory_limit && bytes <= cuda->memory_limit - used;
}

/* Maps the memory of a new piece and fills its red zones; gives the piece back where that fails. */
static CudaError furnish(CudaDevice *cuda, AddressPiece *piece)
{
    if (piece == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    CudaError error = getrandom(&piece->zones, sizeof piece->zones, 0) == (ssize_t)sizeof piece->zones
                          ? map_up_to(cuda, address_zones_end(piece))
                          : CUDA_ERROR_UNKNOWN;
    if (error == CUDA_ERROR_SUCCESS)
        error = fill_zones(cuda, piece);
    if (error != CUDA_ERROR_SUCCESS)
        address_give_back(&cuda->range, piece->address);
    return error;
}

static CudaError alloc(Device *device, uint64_t bytes, uint64_t *address)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    AddressPiece *piece = has_room(cuda, bytes) ? address_take(&cuda->range, bytes) : NULL;
    if (piece != NULL)
        *address = piece->address;
    return furnish(cuda, piece);
}

static CudaError alloc_at(Device *device, uint64_t address, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    return furnish(cuda, has_room(cuda, bytes) ? address_take_at(&cuda->range, address, bytes) : NULL);
}

/* cudaFree() waits for the device (CUDA Programming Guide, "Implicit Synchronization"). The memory stays mapped, so
 * that the next allocation needs no call of the driver. */
static CudaError release(Device *device, uint64_t address)
{
    CudaDevice *cuda = cuda_of(device);
    AddressPiece *piece = address_find(&cuda->range, address, 1);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    if (piece == NULL || piece->address != address)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = cuda_wait_all(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_check_zones(cuda, piece);
    host_origin_forget(&cuda->host_origin, address, piece->bytes);
    address_give_back(&cuda->range, address);
    return error;
}

static bool is_in_variable(const CudaDevice *cuda, uint64_t address, uint64_t bytes)
{
    for (const DeviceModule *module = cuda->modules; module != NULL; module = module->next)
        for (const CudaVariable *variable = module->variables; variable != NULL; variable = variable->next)
            if (address - variable->address < variable->bytes &&
                bytes <= variable->bytes - (address - variable->address))
                return true;
    return false;
}

static bool owns(Device *device, uint64_t address, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    return address_find(&cuda->range, address, bytes) != NULL || is_in_variable(cuda, address, bytes);
}

static void set_limit(Device *device, uint64_t bytes)
{
    cuda_of(device)->memory_limit = bytes + cuda_of(device)->flush_bytes;
}

static uint64_t allocated_bytes(Device *device)
{
    return cuda_used_bytes(cuda_of(device)) - cuda_of(device)->flush_bytes;
}

const DeviceMemoryOps CUDA_MEMORY_OPS = {
    .alloc = alloc,
    .alloc_at = alloc_at,
    .release = release,
    .set_limit = set_limit,
    .allocated_bytes = allocated_bytes,
    .owns = owns,
    .origin = cuda_origin_of,
    .forget_origin = cuda_origin_forget,
};

/* ---- copies ------------------------------------------------------------------------------------------------------ */

CudaError cuda_check_range(CudaDevice *cuda, uint64_t address, uint64_t bytes)
{
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    return bytes == 0 || owns(&cuda->device, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void *cuda_bounce(CudaDevice *cuda, const void *from, uint64_t bytes)
{
    if (bytes > CUDA_BOUNCE_BYTES || cuda->bounce_used == CUDA_BOUNCE_SLOTS)
        return NULL;
    uint8_t *slot = cuda->bounce + (size_t)cuda->bounce_used++ * CUDA_BOUNCE_BYTES;
    memcpy(slot, from, bytes);
    return slot;
}

/* The driver copies memory that it has not pinned through buffers of its own, for which it may have to wait. */
static CudaError write_bytes(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_check_range(cuda, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    error = cuda_origin_write(cuda, to, from, bytes);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    const void *slot = cuda_bounce(cuda, from, bytes);
    error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (slot == NULL)
        cuda_open_for_copy(cuda);
    cuda->statistics.copies++;
    error = cuda_note(cuda, cuda->driver->cuMemcpyHtoDAsync(to, slot != NULL ? slot : from, bytes, raw));
    return error == CUDA_ERROR_SUCCESS && slot == NULL ? cuda_wait(cuda, stream) : error;
}

static CudaError read_bytes(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_check_range(cuda, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda_open_for_copy(cuda);
    cuda->statistics.copies++;
    error = cuda_note(cuda, cuda->driver->cuMemcpyDtoHAsync(to, from, bytes, raw));
    return error == CUDA_ERROR_SUCCESS ? cuda_wait(cuda, stream) : error;
}

static CudaError copy_bytes(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_check_range(cuda, to, bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_check_range(cuda, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    error = cuda_origin_copy(cuda, to, from, bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->statistics.copies++;
    return cuda_note(cuda, cuda->driver->cuMemcpyDtoDAsync(to, from, bytes, raw));
}

static CudaError fill_bytes(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_check_range(cuda, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    error = cuda_origin_fill(cuda, to, value, bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->statistics.copies++;
    return cuda_note(cuda, cuda->driver->cuMemsetD8Async(to, value, bytes, raw));
}

const DeviceCopyOps CUDA_COPY_OPS = {.write = write_bytes, .read = read_bytes, .copy = copy_bytes, .fill = fill_bytes};
