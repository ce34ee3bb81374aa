#include "harness/runtime/box.h"
#include "harness/runtime/address.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/pinned.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/transfer.h"
#include "harness/runtime/turn.h"

#include <string.h>

static bool is_host(const Place *place)
{
    return place->pointer != NULL && !is_device_address(place->pointer);
}

static cudaError_t check_place(const Place *place, const Box *box)
{
    if (place->pointer == NULL)
        return place->array == 0 ? cudaErrorInvalidValue : cudaSuccess;
    bool rows_overlap = (box->height > 1 || box->depth > 1) && place->pitch < box->width_bytes;
    bool slices_overlap = box->depth > 1 && place->slice_rows < box->height;
    return rows_overlap || slices_overlap ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* The host's end of a copy is in staging by now. */
static RingPlace ring_place(const Place *place)
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

static cudaError_t ask_copy(Place to, Place from, Box box, cudaStream_t stream)
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

static cudaError_t copy_piece(Place to, Place from, Box piece, cudaStream_t stream)
{
    cudaError_t error;
    client_lock();
    Place staging = place_in_memory(client_staging(), piece.width_bytes, piece.height);
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
static cudaError_t copy_piece_later(Place to, Place from, Box piece, cudaStream_t stream)
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

static size_t span_of(const Place *place, const Box *box)
{
    return ((box->depth - 1) * place->slice_rows + box->height - 1) * place->pitch + box->width_bytes;
}

/* Checks the whole box before the first piece is copied. The extents of arrays have been checked already. */
static cudaError_t check_all(const Place *place, const Box *box)
{
    if (place->pointer == NULL || is_host(place))
        return cudaSuccess;
    return transfer_check((uint64_t)(uintptr_t)place->pointer, span_of(place, box));
}

static cudaError_t copy_in_pieces(Place to, Place from, Box box, cudaStream_t stream)
{
    const Box most = piece_of(&box);
    const Place *host = is_host(&to) ? &to : &from;
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

cudaError_t box_copy(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream)
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
