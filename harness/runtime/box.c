#include "harness/runtime/box.h"

#include "harness/protocol/ring.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/registration.h"
#include "harness/runtime/turn.h"

#include <stdlib.h>
#include <string.h>

/* ==== pinned ====================================================================================================== */

typedef struct Pinned {
    void *address;
    size_t bytes;
    bool owned; /* allocated by cudaMallocHost() or cudaHostAlloc(); else only registered */
    unsigned flags;
    struct Pinned *next;
} Pinned;

static Pinned *all_pinned;

static cudaError_t remember_pinned(void *address, size_t bytes, bool owned, unsigned flags)
{
    Pinned *pinned = malloc(sizeof *pinned);
    if (pinned == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *pinned = (Pinned){address, bytes, owned, flags, all_pinned};
    all_pinned = pinned;
    client_unlock();
    return cudaSuccess;
}

static bool forget_pinned(void *address, bool owned)
{
    client_lock();
    Pinned **link = &all_pinned;
    while (*link != NULL && ((*link)->address != address || (*link)->owned != owned))
        link = &(*link)->next;
    Pinned *found = *link;
    if (found != NULL)
        *link = found->next;
    if (found != NULL)
        managed_unmap(address);
    client_unlock();
    free(found);
    return found != NULL;
}

static const Pinned *pinned_of(uintptr_t address)
{
    const Pinned *pinned = all_pinned;
    while (pinned != NULL && address - (uintptr_t)pinned->address >= pinned->bytes)
        pinned = pinned->next;
    return pinned;
}

bool pinned_holds(const void *address, size_t bytes)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    client_unlock();
    return pinned != NULL && bytes <= pinned->bytes - ((uintptr_t)address - (uintptr_t)pinned->address);
}

bool pinned_find(const void *address, unsigned *flags)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    if (pinned != NULL)
        *flags = pinned->flags;
    client_unlock();
    return pinned != NULL;
}

bool pinned_exists(void)
{
    return all_pinned != NULL;
}

cudaError_t pinned_on_device(const void *address, uint64_t *device_address)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    cudaError_t error = pinned == NULL ? cudaErrorInvalidValue
                                       : managed_map(pinned->address, pinned->bytes, device_address);
    if (error == cudaSuccess)
        *device_address += (uintptr_t)address - (uintptr_t)pinned->address;
    client_unlock();
    return error;
}

/* With unified addressing, kernels use all pinned memory at the host's addresses (CUDA Programming Guide, "Mapped
 * Memory"). */
cudaError_t pinned_replace(uint8_t *parameters, size_t bytes)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes && error == cudaSuccess; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, parameters + at, sizeof word);
        if (pinned_of(word) == NULL)
            continue;
        error = pinned_on_device((const void *)(uintptr_t)word, &word);
        memcpy(parameters + at, &word, sizeof word);
    }
    client_unlock();
    return error;
}

static cudaError_t allocate_host(void **pointer, size_t bytes, unsigned flags)
{
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *pointer == NULL ? cudaErrorMemoryAllocation : remember_pinned(*pointer, bytes, true, flags);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return result(allocate_host(pointer, bytes, cudaHostAllocDefault));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return result(allocate_host(pointer, bytes, flags));
}

cudaError_t cudaFreeHost(void *pointer)
{
    if (pointer == NULL)
        return cudaSuccess;
    cudaError_t error = turns_settle();
    if (error == cudaSuccess && !forget_pinned(pointer, true))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        free(pointer);
    return result(error);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return result(pointer == NULL || bytes == 0 ? cudaErrorInvalidValue
                                                : remember_pinned(pointer, bytes, false, flags));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t error = turns_settle();
    return result(error != cudaSuccess || forget_pinned(pointer, false) ? error : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    return result(flags != NULL && pinned_find(pointer, flags) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags)
{
    uint64_t address = 0;
    cudaError_t error = device_pointer == NULL || flags != 0 ? cudaErrorInvalidValue
                                                             : pinned_on_device(pointer, &address);
    if (error == cudaSuccess)
        *device_pointer = (void *)(uintptr_t)address;
    return result(error);
}

/* ==== address ===================================================================================================== */

bool is_device_address(const void *address)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    return is_in_device_range(at) || variable_holds(at) || managed_holds(at);
}

/* The addresses decide where memory lies. A device pointer works where the kind says host, but a host pointer where the
 * kind says device is an error (both measured on an H200 with CUDA 13.0). */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    bool to_must = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_must = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return (to_must && !to_device) || (from_must && !from_device) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    if (attributes == NULL)
        return result(cudaErrorInvalidValue);
    unsigned flags;
    void *address = (void *)(uintptr_t)pointer;
    struct cudaPointerAttributes found = {.type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = address};
    if (is_device_address(pointer)) {
        void *host = managed_host_address((uint64_t)(uintptr_t)pointer);
        found = (struct cudaPointerAttributes){.type = host == NULL      ? cudaMemoryTypeDevice
                                                       : host == address ? cudaMemoryTypeManaged
                                                                         : cudaMemoryTypeHost,
                                               .devicePointer = address,
                                               .hostPointer = host};
    } else if (pinned_find(pointer, &flags)) {
        found.type = cudaMemoryTypeHost;
        found.device = 0;
        found.devicePointer = address; /* which a launch replaces */
    }
    FILL_STRUCT(attributes, &found, 24, 24);
    return cudaSuccess;
}

/* ==== box ========================================================================================================= */

static bool is_host(const CopyPlace *place)
{
    return place->pointer != NULL && !is_device_address(place->pointer);
}

static cudaError_t check_place(const CopyPlace *place, const Box *box)
{
    if (place->pointer == NULL)
        return place->array == 0 ? cudaErrorInvalidValue : cudaSuccess;
    bool rows_overlap = (box->height > 1 || box->depth > 1) && place->pitch < box->width_bytes;
    bool slices_overlap = box->depth > 1 && place->slice_rows < box->height;
    return rows_overlap || slices_overlap ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* The host's end of a copy is in staging by now. */
static RingPlace ring_place(const CopyPlace *place)
{
    if (place->pointer == NULL)
        return (RingPlace){
            .kind = RING_IN_ARRAY, .at = place->array, .x_bytes = place->x_bytes, .y = place->y, .z = place->z};
    bool in_memory = is_device_address(place->pointer);
    return (RingPlace){.kind = in_memory ? RING_IN_MEMORY : RING_IN_STAGING,
                       .at = in_memory ? (uint64_t)(uintptr_t)place->pointer : 0,
                       .pitch = place->pitch,
                       .slice_rows = place->slice_rows};
}

static cudaError_t ask_copy(CopyPlace to, CopyPlace from, Box box, cudaStream_t stream)
{
    const RingCopyBox body = {.to = ring_place(&to),
                              .from = ring_place(&from),
                              .width_bytes = box.width_bytes,
                              .height = box.height,
                              .depth = box.depth,
                              .stream = stream_id(stream),
                              .wait = stream_copy_wait(stream)};
    return client_call_body(RING_COPY_BOX, &body, sizeof body, NULL, 0, NULL);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The largest piece that fits into staging: whole slices, or else whole rows, or else a part of one row. */
static Box piece_of(const Box *box)
{
    size_t width = least(box->width_bytes, TRANSFER_PIECE_BYTES);
    size_t height = least(box->height, TRANSFER_PIECE_BYTES / width);
    size_t depth = height < box->height ? 1 : least(box->depth, TRANSFER_PIECE_BYTES / (width * height));
    return (Box){width, height, depth};
}

static cudaError_t copy_piece(CopyPlace to, CopyPlace from, Box piece, cudaStream_t stream)
{
    cudaError_t error;
    client_lock();
    CopyPlace staging = place_in_memory(client_staging(), piece.width_bytes, piece.height);
    if (is_host(&from)) {
        do {
            place_copy_on_host(staging, from, piece);
            error = ask_copy(to, staging, piece, stream);
        } while (error == CLIENT_AGAIN);
    } else {
        do {
            error = ask_copy(staging, from, piece, stream);
        } while (error == CLIENT_AGAIN);
        if (error == cudaSuccess)
            place_copy_on_host(to, staging, piece);
    }
    client_unlock();
    return error;
}

/* Asks for a copy that is made when its turn comes. */
static cudaError_t copy_piece_later(CopyPlace to, CopyPlace from, Box piece, cudaStream_t stream)
{
    RingReply reply;
    RingCopyBox body = {.to = ring_place(&to),
                        .from = ring_place(&from),
                        .width_bytes = piece.width_bytes,
                        .height = piece.height,
                        .depth = piece.depth,
                        .stream = stream_id(stream)};
    const void *host = piece.height * piece.depth == 1 ? (is_host(&to) ? &to : &from)->pointer : NULL;
    *(is_host(&to) ? &body.to : &body.from) = (RingPlace){.kind = RING_IN_RUNNER, .at = (uint64_t)(uintptr_t)host};
    client_lock(); /* until the turn is kept, nobody else may be asked to take it */
    cudaError_t error = client_call_body(RING_COPY_AWAY, &body, sizeof body, NULL, 0, &reply);
    if (error == cudaSuccess && !turn_keep(reply.value[0], to, from, is_host(&to), piece))
        error = cudaErrorMemoryAllocation;
    else if (error == cudaSuccess && reply.value[1] != 0)
        error = turn_take(reply.value[0]);
    client_unlock();
    return error;
}

bool box_may_wait(const void *host, size_t bytes, cudaStream_t stream)
{
    return client_has_turns() && stream_copy_wait(stream) == RING_STREAM_ORDER && pinned_holds(host, bytes);
}

static size_t span_of(const CopyPlace *place, const Box *box)
{
    return ((box->depth - 1) * place->slice_rows + box->height - 1) * place->pitch + box->width_bytes;
}

/* Checks the whole box before the first piece is copied. The extents of arrays have been checked already. */
static cudaError_t check_all(const CopyPlace *place, const Box *box)
{
    if (place->pointer == NULL || is_host(place))
        return cudaSuccess;
    return transfer_check((uint64_t)(uintptr_t)place->pointer, span_of(place, box));
}

static cudaError_t copy_in_pieces(CopyPlace to, CopyPlace from, Box box, cudaStream_t stream)
{
    const Box most = piece_of(&box);
    const CopyPlace *host = is_host(&to) ? &to : &from;
    const bool is_later = box_may_wait(host->pointer, span_of(host, &box), stream);
    cudaError_t error = check_all(&to, &box);
    if (error == cudaSuccess)
        error = check_all(&from, &box);
    for (size_t z = 0; z < box.depth; z += most.depth)
        for (size_t y = 0; y < box.height; y += most.height)
            for (size_t x = 0; x < box.width_bytes && error == cudaSuccess; x += most.width_bytes) {
                Box piece = {least(most.width_bytes, box.width_bytes - x), least(most.height, box.height - y),
                             least(most.depth, box.depth - z)};
                error = (is_later ? copy_piece_later : copy_piece)(place_behind(to, x, y, z),
                                                                   place_behind(from, x, y, z), piece, stream);
            }
    return error;
}

/* ---- the whole box ----------------------------------------------------------------------------------------------- */

cudaError_t box_copy(CopyPlace to, CopyPlace from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (box.width_bytes == 0 || box.height == 0 || box.depth == 0)
        return cudaSuccess;
    cudaError_t error = check_place(&to, &box);
    if (error == cudaSuccess)
        error = check_place(&from, &box);
    if (error == cudaSuccess)
        error = check_kind(!is_host(&to), !is_host(&from), kind);
    if (error == cudaSuccess)
        error = managed_push();
    if (error != cudaSuccess)
        return error;
    if (!is_host(&to) && !is_host(&from)) {
        do {
            error = ask_copy(to, from, box, stream);
        } while (error == CLIENT_AGAIN);
    } else if (is_host(&to) && is_host(&from))
        place_copy_on_host(to, from, box);
    else
        error = copy_in_pieces(to, from, box, stream);
    return managed_refresh((uint64_t)(uintptr_t)to.pointer, error);
}
