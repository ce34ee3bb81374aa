#include "harness/device/cuda_memory.h"

#include "harness/device/cuda_gate.h"
#include "harness/device/launch_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

typedef struct OriginRows { /* where the rows of a box or of an array lie in the bookkeeping */
    uint64_t first, pitch, slice_bytes;
} OriginRows;

/* ==== cuda managed ================================================================================================ */

static const uint64_t TOO_MANY = UINT64_MAX;

enum { LARGEST_ELEMENT = 32 /* .v4 .f64 */ };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? TOO_MANY : product;
}

/* A declaration ends with a semicolon, or where its initial value begins: `.align 4 .b8 table[20000];` (PTX ISA 8.5,
 * "Variable Declaration Directives"). */
static uint64_t declared_bytes(const char *at, const char *end)
{
    bool are_bytes = false;
    uint64_t count = 1;
    for (; at < end && *at != ';' && *at != '='; at++) {
        are_bytes |= end - at >= 4 && memcmp(at, ".b8 ", 4) == 0;
        if (*at != '[')
            continue;
        uint64_t extent = 0;
        for (at++; at < end && is_digit(*at); at++)
            extent = extent > TOO_MANY / 16 ? TOO_MANY / 2 : extent * 10 + (uint64_t)(*at - '0');
        if (at == end || *at != ']' || extent == 0)
            return TOO_MANY;
        count = multiply(count, extent);
    }
    return at == end ? TOO_MANY : are_bytes ? count : multiply(count, LARGEST_ELEMENT);
}

uint64_t cuda_managed_bytes(const void *image, size_t bytes)
{
    static const char MARK[] = ".managed";
    const char *at = image, *end = at + bytes;
    uint64_t sum = 0;
    while ((at = memmem(at, (size_t)(end - at), MARK, sizeof MARK - 1)) != NULL) {
        at += sizeof MARK - 1;
        if (__builtin_add_overflow(sum, declared_bytes(at, end), &sum))
            return TOO_MANY;
    }
    return sum;
}

/* ==== cuda origin ================================================================================================= */

/* The origin of the contents of a real GPU's memory, as far as copies show it (host_origin.h).
 *
 * Only what happens between the begin and the end of a bracket counts: all else is the judge's own. A CUDA array has no
 * addresses; in the bookkeeping its rows lie one behind the other in a place of their own, behind all device memory.
 *
 * Errors   MEMORY_ALLOCATION: the host has written too many separate pieces. */

static const uint64_t ARRAY_PLACES = 1ull << 62; /* behind the range of device memory */

/* The place of a new array. */
static OriginRows cuda_origin_place(CudaDevice *cuda, const DeviceShape *shape, uint64_t bytes)
{
    const uint64_t row_bytes = shape->width * array_element_bytes(shape->format, shape->channels);
    const OriginRows place = {.first = ARRAY_PLACES + cuda->array_places,
                              .pitch = row_bytes,
                              .slice_bytes = row_bytes * (shape->height == 0 ? 1 : shape->height)};
    cuda->array_places += bytes;
    return place;
}

/* ---- what copies do ---------------------------------------------------------------------------------------------- */

static CudaError noted(bool done)
{
    return done ? CUDA_ERROR_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

/* True if the judge itself writes: the range then loses its origin. */
static bool is_judges(CudaDevice *cuda, uint64_t to, uint64_t bytes)
{
    if (!cuda->bracket.open)
        host_origin_forget(&cuda->host_origin, to, bytes);
    return !cuda->bracket.open;
}

/* Each must be called before the driver is asked. */
static MUST_USE CudaError cuda_origin_write(CudaDevice *cuda, uint64_t to, const void *from, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_write(&cuda->host_origin, to, from, bytes));
}

static MUST_USE CudaError cuda_origin_fill(CudaDevice *cuda, uint64_t to, uint8_t value, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_fill(&cuda->host_origin, to, value, bytes));
}

static MUST_USE CudaError cuda_origin_copy(CudaDevice *cuda, uint64_t to, uint64_t from, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_copy(&cuda->host_origin, to, from, bytes));
}

static uint64_t row_at(const OriginRows *rows, uint64_t y, uint64_t z)
{
    return rows->first + z * rows->slice_bytes + y * rows->pitch;
}

/* `host` has the pitches of `from`. */
static MUST_USE CudaError cuda_origin_write_box(CudaDevice *cuda, const OriginRows *to, const void *from,
                                                const OriginRows *host, const DeviceBox *box)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height && error == CUDA_ERROR_SUCCESS; y++)
            error = cuda_origin_write(cuda, row_at(to, y, z), (const char *)from + row_at(host, y, z),
                                      box->width_bytes);
    return error;
}

static MUST_USE CudaError cuda_origin_copy_box(CudaDevice *cuda, const OriginRows *to, const OriginRows *from,
                                               const DeviceBox *box)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    for (uint64_t z = 0; z < box->depth && cuda->host_origin.count > 0; z++)
        for (uint64_t y = 0; y < box->height && error == CUDA_ERROR_SUCCESS; y++)
            error = cuda_origin_copy(cuda, row_at(to, y, z), row_at(from, y, z), box->width_bytes);
    return error;
}

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

/* The part of a range that lies in [begin, end) is compared; the range itself stays. */
static CudaError compare(CudaDevice *cuda, const HostRange *range, uint64_t begin, uint64_t end, uint32_t element_bytes,
                         ContentOrigin *origin)
{
    HostRange part = *range;
    part.begin = begin > range->begin ? begin : range->begin;
    part.end = end < range->end ? end : range->end;
    part.offset += part.begin - range->begin;
    uint8_t *now = malloc(part.end - part.begin);
    if (now == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    CudaError error = cuda->device.copies->read(&cuda->device, now, part.begin, part.end - part.begin, NULL);
    if (error == CUDA_ERROR_SUCCESS)
        *origin = host_origin_compare(&cuda->host_origin, &part, begin, element_bytes, now);
    free(now);
    return error;
}

/* Operations of DeviceMemoryOps. The first reads back what the host may have written. */
static CudaError cuda_origin_of(Device *device, uint64_t address, uint64_t bytes, uint32_t element_bytes,
                                ContentOrigin *origin)
{
    CudaDevice *cuda = cuda_of(device);
    const HostOrigin *known = &cuda->host_origin;
    CudaError error = cuda->sticky;
    *origin = cuda->statistics.kernels == 0 ? ORIGIN_NO_KERNEL : ORIGIN_UNKNOWN;
    for (size_t i = host_origin_find(known, address);
         i < known->count && known->ranges[i].begin < address + bytes && error == CUDA_ERROR_SUCCESS; i++) {
        ContentOrigin found = ORIGIN_UNKNOWN;
        error = compare(cuda, &known->ranges[i], address, address + bytes, element_bytes, &found);
        *origin = found > *origin ? found : *origin;
    }
    return error;
}

static void cuda_origin_forget(Device *device, uint64_t address, uint64_t bytes)
{
    host_origin_forget(&cuda_of(device)->host_origin, address, bytes);
}

/* ==== cuda memory ================================================================================================= */

static const uint64_t MAP_BYTES = 64u << 20; /* memory is mapped into the range in steps of this size */

/* ---- the range and its memory -------------------------------------------------------------------------- */

static CudaError map_more(CudaDevice *cuda, uint64_t bytes)
{
    const CuLocation here = {CU_LOCATION_DEVICE, cuda->ordinal};
    const CuAllocationProperties properties = {.type = CU_ALLOCATION_PINNED, .location = here};
    const CuAccess access = {.location = here, .flags = CU_ACCESS_READ_WRITE};
    CuAddress address = cuda->range.base + cuda->mapped_bytes;
    CuAllocation allocation;
    TRY(cuda->driver->cuMemCreate(&allocation, bytes, &properties, 0));
    CudaError error = cuda->driver->cuMemMap(address, bytes, 0, allocation, 0);
    THEN(error, cuda->driver->cuMemSetAccess(address, bytes, &access, 1));
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
    THEN(error, map_more(cuda, (end - mapped_end + MAP_BYTES - 1) / MAP_BYTES * MAP_BYTES));
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
    THEN(error,
         driver->cuMemsetD32Async(words, piece->zones.behind, (address_zones_end(piece) - words) / 4, cuda->own.raw));
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
    THEN(error, driver->cuMemcpyDtoHAsync(zones + head, end, address_zones_end(piece) - end, cuda->own.raw));
    return cuda_note(cuda, error);
}

static CudaError check_some(CudaDevice *cuda, const AddressPiece *pieces, size_t count)
{
    CudaError error = cuda->sticky;
    for (size_t i = 0; i < count && error == CUDA_ERROR_SUCCESS; i++)
        error = read_zones(cuda, &pieces[i], cuda->zones + i * CUDA_ZONE_ROOM);
    THEN(error, cuda_wait_own(cuda));
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
    THEN(error, fill_zones(cuda, piece));
    if (error != CUDA_ERROR_SUCCESS)
        address_give_back(&cuda->range, piece->address);
    return error;
}

static CudaError alloc(Device *device, uint64_t bytes, uint64_t *address)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda->sticky);
    AddressPiece *piece = has_room(cuda, bytes) ? address_take(&cuda->range, bytes) : NULL;
    if (piece != NULL)
        *address = piece->address;
    return furnish(cuda, piece);
}

static CudaError find_room(Device *device, uint64_t bytes, uint64_t *address)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda->sticky);
    AddressPiece *piece = has_room(cuda, bytes) ? address_take(&cuda->range, bytes) : NULL;
    if (piece == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    *address = piece->address;
    address_give_back(&cuda->range, piece->address);
    return CUDA_ERROR_SUCCESS;
}

static CudaError alloc_at(Device *device, uint64_t address, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda->sticky);
    return furnish(cuda, has_room(cuda, bytes) ? address_take_at(&cuda->range, address, bytes) : NULL);
}

/* cudaFree() waits for the device (CUDA Programming Guide, "Implicit Synchronization"). The memory stays mapped, so
 * that the next allocation needs no call of the driver. */
static CudaError release(Device *device, uint64_t address)
{
    CudaDevice *cuda = cuda_of(device);
    AddressPiece *piece = address_find(&cuda->range, address, 1);
    TRY(cuda->sticky);
    if (piece == NULL || piece->address != address)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = cuda_wait_all(cuda);
    THEN(error, cuda_check_zones(cuda, piece));
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
    .find_room = find_room,
    .alloc_at = alloc_at,
    .release = release,
    .set_limit = set_limit,
    .allocated_bytes = allocated_bytes,
    .owns = owns,
    .origin = cuda_origin_of,
    .forget_origin = cuda_origin_forget,
};

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* The error that a copy of these bytes meets: the sticky error, or INVALID_VALUE if the device does not own them. */
static CudaError cuda_check_range(CudaDevice *cuda, uint64_t address, uint64_t bytes)
{
    TRY(cuda->sticky);
    return bytes == 0 || owns(&cuda->device, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Copies host data, which the caller may overwrite before the stream reaches the copy, into a slot of the judge's; NULL
 * if there is no room. */
static void *cuda_bounce(CudaDevice *cuda, const void *from, uint64_t bytes)
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
    TRY(cuda_origin_write(cuda, to, from, bytes));
    const void *slot = cuda_bounce(cuda, from, bytes);
    TRY(cuda_enter(cuda, stream, &raw));
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
    TRY(cuda_enter(cuda, stream, &raw));
    cuda_open_for_copy(cuda);
    cuda->statistics.copies++;
    TRY(cuda_note(cuda, cuda->driver->cuMemcpyDtoHAsync(to, from, bytes, raw)));
    return cuda_wait(cuda, stream);
}

static CudaError copy_bytes(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_check_range(cuda, to, bytes);
    THEN(error, cuda_check_range(cuda, from, bytes));
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    TRY(cuda_origin_copy(cuda, to, from, bytes));
    TRY(cuda_enter(cuda, stream, &raw));
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
    TRY(cuda_origin_fill(cuda, to, value, bytes));
    TRY(cuda_enter(cuda, stream, &raw));
    cuda->statistics.copies++;
    return cuda_note(cuda, cuda->driver->cuMemsetD8Async(to, value, bytes, raw));
}

const DeviceCopyOps CUDA_COPY_OPS = {.write = write_bytes, .read = read_bytes, .copy = copy_bytes, .fill = fill_bytes};

/* ==== cuda exchange =============================================================================================== */

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
    THEN(error, cuda_note(cuda, cuda->driver->cuMemUnmap(cuda->exchange, cuda->exchange_bytes)));
    THEN(error, cuda_note(cuda, cuda->driver->cuMemAddressFree(cuda->exchange, cuda->exchange_bytes)));
    cuda->exchange = cuda->exchange_bytes = 0;
    return error;
}

/* Prepares for a new exchange: leaves the old one and opens the gate. */
static CudaError make_room(CudaDevice *cuda, uint64_t bytes, uint64_t *rounded)
{
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : exchange_leave(&cuda->device);
    THEN(error, cuda_release(cuda));
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
    THEN(error, make_room(cuda, bytes, &rounded));
    THEN(error, cuda->driver->cuMemCreate(&allocation, rounded, &properties, 0));
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
    THEN(error,
         cuda->driver->cuMemImportFromShareableHandle(&allocation, (void *)(intptr_t)descriptor, CU_HANDLE_DESCRIPTOR));
    THEN(error, map_exchange(cuda, allocation, rounded));
    return cuda_note(cuda, error);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static CudaError copy(CudaDevice *cuda, CuAddress to, CuAddress from, uint64_t bytes)
{
    CuStream raw;
    TRY(cuda_enter(cuda, NULL, &raw));
    TRY(cuda_note(cuda, cuda->driver->cuMemcpyDtoDAsync(to, from, bytes, raw)));
    return cuda_wait(cuda, NULL);
}

static CudaError check_both(CudaDevice *cuda, uint64_t address, uint64_t offset, uint64_t bytes)
{
    TRY(cuda_check_range(cuda, address, bytes));
    bool within = offset <= cuda->exchange_bytes && bytes <= cuda->exchange_bytes - offset;
    return within ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CudaError exchange_put(Device *device, uint64_t offset, uint64_t from, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(check_both(cuda, from, offset, bytes));
    return copy(cuda, cuda->exchange + offset, from, bytes);
}

static CudaError exchange_take(Device *device, uint64_t to, uint64_t offset, uint64_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(check_both(cuda, to, offset, bytes));
    return copy(cuda, to, cuda->exchange + offset, bytes);
}

const DeviceExchangeOps CUDA_EXCHANGE_OPS = {
    .create = exchange_create,
    .join = exchange_join,
    .leave = exchange_leave,
    .put = exchange_put,
    .take = exchange_take,
};

/* ==== cuda array ================================================================================================== */

struct DeviceArray {
    CuArray raw;
    uint64_t bytes;
    OriginRows place; /* where cuda->host_origin has it */
};

/* Flags of cuda.h: CUDA_ARRAY3D_ and CU_TRSF_ */
enum {
    ARRAY_LAYERED = 0x01,
    ARRAY_SURFACE = 0x02,
    ARRAY_TEXTURE_GATHER = 0x08,
    TEXTURE_READ_AS_INTEGER = 0x01,
    TEXTURE_NORMALIZED_COORDINATES = 0x02,
    TEXTURE_SRGB = 0x10
};

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static CudaError create_array(CudaDevice *cuda, const DeviceShape *shape, CuArray *raw)
{
    const CuArrayDescription description = {.width = shape->width,
                                            .height = shape->height,
                                            .depth = shape->depth,
                                            .format = shape->format,
                                            .channels = shape->channels,
                                            .flags = (shape->gather ? ARRAY_TEXTURE_GATHER : 0u) |
                                                     (shape->layered ? ARRAY_LAYERED : 0u) |
                                                     (shape->surface ? ARRAY_SURFACE : 0u)};
    TRY(cuda_release(cuda));
    return cuda_note(cuda, cuda->driver->cuArray3DCreate(raw, &description));
}

static CudaError array_create(Device *device, const DeviceShape *shape, DeviceArray **array)
{
    CudaDevice *cuda = cuda_of(device);
    uint64_t bytes, used = cuda_used_bytes(cuda);
    TRY(cuda->sticky);
    if (!array_check(shape, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (used > cuda->memory_limit || bytes > cuda->memory_limit - used)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    *array = malloc(sizeof **array);
    if (*array == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*array)->bytes = bytes;
    (*array)->place = cuda_origin_place(cuda, shape, bytes);
    CudaError error = create_array(cuda, shape, &(*array)->raw);
    if (error == CUDA_ERROR_SUCCESS)
        cuda->array_bytes += bytes;
    else
        free(*array);
    return error;
}

/* Waits, because a kernel that is held or runs may still read the array. */
static CudaError array_destroy(Device *device, DeviceArray *array)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda_wait_all(cuda);
    THEN(error, cuda_note(cuda, cuda->driver->cuArrayDestroy(array->raw)));
    cuda->array_bytes -= array->bytes;
    host_origin_forget(&cuda->host_origin, array->place.first, array->bytes);
    free(array);
    return error;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static CudaError check_place(CudaDevice *cuda, const DevicePlace *place, const DeviceBox *box, uint64_t *bytes)
{
    *bytes = 0;
    if (place->array == NULL && !box_span(place, box, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    bool in_memory = place->array == NULL && place->host == NULL;
    return cuda_check_range(cuda, place->address, in_memory ? *bytes : 0);
}

/* The driver asks for a pitch even for a single row, and for the rows of a slice even for a single slice. */
static uint64_t at_least(uint64_t least, uint64_t value)
{
    return value < least ? least : value;
}

static int memory_type(const DevicePlace *place)
{
    return place->array != NULL ? CU_MEMORY_ARRAY : place->host != NULL ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

static CuCopy3D describe_copy(const DevicePlace *to, const DevicePlace *from, const DeviceBox *box)
{
    return (CuCopy3D){
        .source_type = memory_type(from),
        .source_x_bytes = from->x_bytes,
        .source_y = from->y,
        .source_z = from->z,
        .source_host = from->host,
        .source_device = from->address,
        .source_array = from->array == NULL ? NULL : from->array->raw,
        .source_pitch = at_least(box->width_bytes, from->pitch),
        .source_height = at_least(box->height, from->slice_rows),
        .target_type = memory_type(to),
        .target_x_bytes = to->x_bytes,
        .target_y = to->y,
        .target_z = to->z,
        .target_host = to->host,
        .target_device = to->address,
        .target_array = to->array == NULL ? NULL : to->array->raw,
        .target_pitch = at_least(box->width_bytes, to->pitch),
        .target_height = at_least(box->height, to->slice_rows),
        .width_bytes = box->width_bytes,
        .height = box->height,
        .depth = box->depth,
    };
}

static OriginRows origin_rows(const DevicePlace *place)
{
    if (place->array == NULL)
        return (OriginRows){place->address, place->pitch, place->slice_rows * place->pitch};
    OriginRows rows = place->array->place;
    rows.first += place->z * rows.slice_bytes + place->y * rows.pitch + place->x_bytes;
    return rows;
}

static CudaError note_origin(CudaDevice *cuda, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box)
{
    const OriginRows target = origin_rows(to), source = origin_rows(from);
    const OriginRows host = {0, from->pitch, from->slice_rows * from->pitch};
    if (device_place_is_host(to))
        return CUDA_ERROR_SUCCESS;
    return device_place_is_host(from) ? cuda_origin_write_box(cuda, &target, from->host, &host, box)
                                      : cuda_origin_copy_box(cuda, &target, &source, box);
}

/* As for plain copies: host data waits in a slot if there is room; else the gate opens. */
static CudaError copy_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                          DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    DevicePlace source = *from;
    uint64_t to_bytes, from_bytes;
    CuStream raw;
    TRY(check_place(cuda, to, box, &to_bytes));
    TRY(check_place(cuda, from, box, &from_bytes));
    TRY(note_origin(cuda, to, from, box));
    void *slot = device_place_is_host(from) ? cuda_bounce(cuda, from->host, from_bytes) : NULL;
    if (slot != NULL)
        source.host = slot;
    bool waits = device_place_is_host(to) || (device_place_is_host(from) && slot == NULL);
    TRY(cuda_enter(cuda, stream, &raw));
    if (waits)
        cuda_open_for_copy(cuda);
    cuda->statistics.copies++;
    CuCopy3D copy = describe_copy(to, &source, box);
    CudaError error = cuda_note(cuda, cuda->driver->cuMemcpy3DAsync(&copy, raw));
    return error == CUDA_ERROR_SUCCESS && waits ? cuda_wait(cuda, stream) : error;
}

static CudaError fill_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                           DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    const DevicePlace place = {.address = to, .pitch = pitch};
    const DeviceBox box = {width, height, 1};
    uint64_t bytes;
    CuStream raw;
    CudaError error = check_place(cuda, &place, &box, &bytes);
    for (uint64_t y = 0; y < height && error == CUDA_ERROR_SUCCESS; y++)
        error = cuda_origin_fill(cuda, to + y * pitch, value, width);
    THEN(error, cuda_enter(cuda, stream, &raw));
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->statistics.copies++;
    return cuda_note(cuda, cuda->driver->cuMemsetD2D8Async(to, at_least(width, pitch), value, width, height, raw));
}

const DeviceArrayOps CUDA_ARRAY_OPS = {
    .create = array_create,
    .destroy = array_destroy,
    .copy_box = copy_box,
    .fill_rows = fill_rows,
};

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static CuResource describe_resource(const DeviceTexture *texture)
{
    CuResource resource = {.type = CU_RESOURCE_ARRAY};
    if (texture->array != NULL) {
        resource.of.array.array = texture->array->raw;
    } else if (texture->bytes > 0) {
        resource.type = CU_RESOURCE_LINEAR;
        resource.of.linear.address = texture->address;
        resource.of.linear.format = texture->format;
        resource.of.linear.channels = texture->channels;
        resource.of.linear.bytes = texture->bytes;
    } else {
        resource.type = CU_RESOURCE_PITCH2D;
        resource.of.pitch2d.address = texture->address;
        resource.of.pitch2d.format = texture->format;
        resource.of.pitch2d.channels = texture->channels;
        resource.of.pitch2d.width = texture->width;
        resource.of.pitch2d.height = texture->height;
        resource.of.pitch2d.pitch_bytes = texture->pitch;
    }
    return resource;
}

static CuTextureDescription describe_texture(const DeviceTexture *texture)
{
    bool is_float = texture->format == DEVICE_FLOAT16 || texture->format == DEVICE_FLOAT32;
    CuTextureDescription description = {.filter_mode = texture->filter_mode,
                                        .flags = (texture->as_integer && !is_float ? TEXTURE_READ_AS_INTEGER : 0) |
                                                 (texture->normalized ? TEXTURE_NORMALIZED_COORDINATES : 0) |
                                                 (texture->srgb ? TEXTURE_SRGB : 0),
                                        .max_anisotropy = texture->max_anisotropy};
    for (size_t i = 0; i < 3; i++)
        description.address_mode[i] = texture->address_mode[i];
    memcpy(description.border_colour, texture->border, sizeof description.border_colour);
    return description;
}

/* The levels of a mipmapped array are arrays of their own here, of which the driver makes no texture. */
static CudaError texture_create(Device *device, const DeviceTexture *texture, uint64_t *handle)
{
    CudaDevice *cuda = cuda_of(device);
    if (texture->levels > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    const CuResource resource = describe_resource(texture);
    const CuTextureDescription description = describe_texture(texture);
    CuTexture made = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    THEN(error, cuda_note(cuda, cuda->driver->cuTexObjectCreate(&made, &resource, &description, NULL)));
    *handle = made;
    return error;
}

/* Waits, because the next texture may get the same handle, and a kernel may still read through this one. */
static CudaError texture_destroy(Device *device, uint64_t handle)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda_wait_all(cuda));
    return cuda_note(cuda, cuda->driver->cuTexObjectDestroy(handle));
}

static CudaError surface_create(Device *device, DeviceArray *array, uint64_t *handle)
{
    CudaDevice *cuda = cuda_of(device);
    const CuResource resource = {.type = CU_RESOURCE_ARRAY, .of.array.array = array->raw};
    CuSurface made = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    THEN(error, cuda_note(cuda, cuda->driver->cuSurfObjectCreate(&made, &resource)));
    *handle = made;
    return error;
}

/* Waits, as for a texture. */
static CudaError surface_destroy(Device *device, uint64_t handle)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda_wait_all(cuda));
    return cuda_note(cuda, cuda->driver->cuSurfObjectDestroy(handle));
}

const DeviceTextureOps CUDA_TEXTURE_OPS = {.create = texture_create,
                                           .destroy = texture_destroy,
                                           .create_surface = surface_create,
                                           .destroy_surface = surface_destroy};

/* ==== cuda tensor ================================================================================================= */

/* The driver computes, and asks the device nothing. It wants the map at a multiple of 64 bytes. */
static CudaError encode(Device *device, const DeviceTensor *tensor, uint8_t bytes[DEVICE_TENSOR_MAP_BYTES])
{
    CudaDevice *cuda = cuda_of(device);
    _Alignas(DEVICE_TENSOR_MAP_ALIGNMENT) uint8_t map[DEVICE_TENSOR_MAP_BYTES] = {0};
    CudaError error = cuda->sticky;
    THEN(error, cuda->driver->cuTensorMapEncodeTiled(
                    map, (int)tensor->type, tensor->rank, (void *)(uintptr_t)tensor->address, tensor->extents,
                    tensor->strides, tensor->box, tensor->steps, CU_TENSOR_NOT_INTERLEAVED, (int)tensor->swizzle,
                    (int)tensor->promotion, tensor->fills_nan));
    memcpy(bytes, map, sizeof map);
    return error;
}

const DeviceTensorOps CUDA_TENSOR_OPS = {.encode = encode};
