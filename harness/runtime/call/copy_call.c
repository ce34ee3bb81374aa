#include "harness/runtime/call/copy_call.h"

#include "harness/runtime/graph/capture.h"
#include "harness/runtime/copy.h"
#include "harness/runtime/stream.h"

/* ---- what is copied where ---------------------------------------------------------------------------------------- */

cudaError_t copy_box(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const StreamWork work = {.type = cudaGraphNodeTypeMemcpy,
                             .copy = {.to = to, .from = from, .box = box, .kind = kind}};
    cudaError_t error;
    return capture_takes(stream, &work, &error) ? error : box_copy(to, from, box, kind, stream);
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const StreamWork work = work_copy_of_bytes(to, from, bytes, kind);
    cudaError_t error;
    return capture_takes(stream, &work, &error) ? error : copy_bytes(to, from, bytes, kind, stream);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidValue;
    if (width == to_pitch && width == from_pitch)
        return copy(to, from, width * height, kind, stream);
    return copy_box(place_in_memory(to, to_pitch, height), place_in_memory(from, from_pitch, height),
                    (Box){width, height, 1}, kind, stream);
}

static cudaError_t copy_to_symbol(const void *symbol, const void *from, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *address;
    cudaError_t error = symbol_address(symbol, count, offset, &address);
    return error == cudaSuccess ? copy(address, from, count, kind, stream) : error;
}

static cudaError_t copy_from_symbol(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    void *address;
    cudaError_t error = symbol_address(symbol, count, offset, &address);
    return error == cudaSuccess ? copy(to, address, count, kind, stream) : error;
}

static cudaError_t fill(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const StreamWork work = work_fill_of_bytes(to, value, bytes);
    cudaError_t error;
    return capture_takes(stream, &work, &error) ? error : fill_bytes(to, value, bytes, stream);
}

static cudaError_t fill_rows(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    const StreamWork work = {.type = cudaGraphNodeTypeMemset, .fill = {to, pitch, (uint8_t)value, 1, width, height}};
    cudaError_t error;
    return capture_takes(stream, &work, &error) ? error : fill_rows_of_bytes(to, pitch, value, width, height, stream);
}

/* Slices without a gap between them are filled as one. */
static cudaError_t fill_slices(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (extent.depth > 1 && to.ysize < extent.height)
        return cudaErrorInvalidValue;
    if (to.ysize == extent.height)
        return fill_rows(to.ptr, to.pitch, value, extent.width, extent.height * extent.depth, stream);
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error = fill_rows((char *)to.ptr + z * to.ysize * to.pitch, to.pitch, value, extent.width, extent.height,
                          stream);
    return error;
}

/* ---- CUDA's names ------------------------------------------------------------------------------------------------ */

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return result(copy(to, from, count, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy(to, from, count, kind, stream));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return result(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, HOST_WAITS));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return result(copy_to_symbol(symbol, from, count, offset, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_to_symbol(symbol, from, count, offset, kind, stream));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return result(copy_from_symbol(to, symbol, count, offset, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_from_symbol(to, symbol, count, offset, kind, stream));
}

cudaError_t cudaMemset(void *to, int value, size_t count)
{
    return result(fill(to, value, count, NULL));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t count, cudaStream_t stream)
{
    return result(fill(to, value, count, stream));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return result(fill_rows(to, pitch, value, width, height, NULL));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return result(fill_rows(to, pitch, value, width, height, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return result(fill_slices(to, value, extent, NULL));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    return result(fill_slices(to, value, extent, stream));
}

/* ---- the one device as its own peer ------------------------------------------------------------------------------ */

static cudaError_t copy_to_peer(void *to, int to_device, const void *from, int from_device, size_t count,
                                cudaStream_t stream)
{
    return to_device != 0 || from_device != 0 ? cudaErrorInvalidDevice
                                              : copy(to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t count)
{
    return result(copy_to_peer(to, to_device, from, from_device, count, NULL));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t count,
                                cudaStream_t stream)
{
    return result(copy_to_peer(to, to_device, from, from_device, count, stream));
}
