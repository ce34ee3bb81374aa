#include "harness/runtime/copy.h"

#include "harness/runtime/address.h"
#include "harness/runtime/box.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/registration.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/transfer.h"
#include "harness/runtime/turn.h"

#include <string.h>

/* ---- what is copied where ---------------------------------------------------------------------------------------- */

cudaError_t copy_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    bool to_device = is_device_address(to), from_device = is_device_address(from);
    uint64_t to_address = (uint64_t)(uintptr_t)to, from_address = (uint64_t)(uintptr_t)from;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = to == NULL || from == NULL ? cudaErrorInvalidValue : check_kind(to_device, from_device, kind);
    if (error == cudaSuccess)
        error = managed_push();
    if (error != cudaSuccess)
        return error;
    if (to_device != from_device && box_may_wait(to_device ? from : to, bytes, stream))
        return box_copy(place_in_memory(to, bytes, 1), place_in_memory(from, bytes, 1), (Box){bytes, 1, 1}, kind,
                        stream);
    if (to_device && from_device)
        error = client_call(RING_COPY, (RingWords){{to_address, from_address, bytes, stream_id(stream)}}, NULL);
    else if (to_device)
        error = transfer_to_device(to_address, from, bytes, stream_id(stream), stream_copy_wait(stream));
    else if (from_device)
        error = transfer_from_device(to, from_address, bytes, stream_id(stream), stream_copy_wait(stream));
    else if ((error = turns_settle()) == cudaSuccess)
        memmove(to, from, bytes);
    return managed_refresh(to_address, error);
}

cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, void **address)
{
    uint64_t start, bytes;
    cudaError_t error = variable_find(symbol, &start, &bytes);
    *address = (void *)(uintptr_t)(start + offset);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    return error;
}

cudaError_t fill_bytes(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    uint64_t address = (uint64_t)(uintptr_t)to;
    cudaError_t error = is_device_address(to) ? managed_push() : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = client_call(RING_FILL, (RingWords){{address, (uint8_t)value, bytes, stream_id(stream)}}, NULL);
    return managed_refresh(address, error);
}

cudaError_t fill_rows_of_bytes(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    uint64_t address = (uint64_t)(uintptr_t)to;
    RingFillRows rows = {address, pitch, (uint8_t)value, width, height, stream_id(stream)};
    if (width > pitch)
        return cudaErrorInvalidValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    cudaError_t error = is_device_address(to) ? managed_push() : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = client_call_body(RING_FILL_ROWS, &rows, sizeof rows, NULL, 0, NULL);
    return managed_refresh(address, error);
}
