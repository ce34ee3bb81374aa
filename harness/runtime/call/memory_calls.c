/* CUDA's calls that allocate and free device memory.  */
#include "harness/runtime/box.h"
#include "harness/runtime/client.h"
#include "harness/runtime/copy.h"
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/wait.h"

#include <stdlib.h>
#include <string.h>

/* ==== memory call ================================================================================================= */

enum { PITCH_ALIGNMENT = 512 /* textureAlignment of an H200 */ };

static cudaError_t allocate(void **pointer, size_t bytes)
{
    uint64_t address;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = capture_allows_unsafe();
    if (error == cudaSuccess)
        error = memory_allocate(bytes, &address);
    if (error == cudaSuccess)
        *pointer = (void *)(uintptr_t)address;
    return error;
}

static cudaError_t free_memory(void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (pointer == NULL)
        return cudaSuccess;
    cudaError_t error = is_device_address(pointer) ? capture_allows_unsafe() : cudaErrorInvalidValue;
    if (error == cudaSuccess && graph_memory_is(address))
        return graph_memory_renew(address, RING_FREED, NULL);
    if (error == cudaSuccess && pool_forget(address))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? memory_release(address) : error;
}

static cudaError_t allocate_rows(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (pitch == NULL || width > SIZE_MAX - PITCH_ALIGNMENT)
        return cudaErrorInvalidValue;
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (height != 0 && *pitch > SIZE_MAX / height)
        return cudaErrorMemoryAllocation;
    return allocate(pointer, *pitch * height);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return result(allocate(pointer, bytes));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return result(allocate_rows(pointer, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    if (pitched == NULL || (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth))
        return result(cudaErrorInvalidValue);
    *pitched = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return result(allocate_rows(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth));
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    cudaError_t error = bytes == 0 ? cudaErrorInvalidValue : allocate(pointer, bytes);
    if (error == cudaSuccess)
        error = managed_adopt((uint64_t)(uintptr_t)*pointer, bytes);
    return result(error);
}

cudaError_t cudaFree(void *pointer)
{
    return result(free_memory(pointer));
}

/* ---- in the order of a stream ------------------------------------------------------------------------------------ */

/* A stream that is captured allocates and frees memory of the graph. */
static cudaError_t capture_memory(enum cudaGraphNodeType type, uint64_t address, cudaStream_t stream)
{
    const StreamWork work = {.type = type, .memory = address};
    cudaError_t error;
    return capture_takes(stream, &work, &error) ? error : cudaErrorStreamCaptureInvalidated;
}

static cudaError_t capture_allocation(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (pointer == NULL || pool == NULL || bytes == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = graph_memory_new(pointer, bytes);
    if (error != cudaSuccess)
        return error;
    const uint64_t address = (uint64_t)(uintptr_t)*pointer;
    error = capture_memory(cudaGraphNodeTypeMemAlloc, address, stream);
    graph_memory_let_go(address); /* from now on the node holds it */
    return error;
}

static cudaError_t allocate_on(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return capture_is_active(stream) ? capture_allocation(pointer, bytes, pool, stream)
                                     : pool_allocate(pointer, bytes, pool, stream);
}

/* Memory of cudaMalloc() can be freed on a stream as well. */
static cudaError_t free_on(void *pointer, cudaStream_t stream)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const bool is_of_graph = graph_memory_is(address);
    cudaError_t error;
    if (pointer == NULL)
        return cudaSuccess;
    if (!is_device_address(pointer) || (capture_is_active(stream) && !is_of_graph))
        return cudaErrorInvalidValue;
    if (is_of_graph)
        return capture_is_active(stream) ? capture_memory(cudaGraphNodeTypeMemFree, address, stream)
                                         : graph_memory_renew(address, RING_FREED, stream);
    return pool_free(address, stream, &error) ? error : free_memory(pointer);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return result(allocate_on(pointer, bytes, pool_in_use(), stream));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return result(allocate_on(pointer, bytes, pool, stream));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return result(free_on(pointer, stream));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    RingReply reply;
    cudaError_t error = client_call(RING_MEMORY_INFO, (RingWords){{0}}, &reply);
    if (error == cudaSuccess) {
        *free_bytes = reply.value[0];
        *all_bytes = reply.value[1];
    }
    return result(error);
}

/* ==== copy call =================================================================================================== */

/* Copies of boxes as CUDA's calls make them. */

/* ---- what is copied where ---------------------------------------------------------------------------------------- */

/* As box_copy(), unless the stream is being captured. */
static cudaError_t copy_box(CopyPlace to, CopyPlace from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream)
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

/* ==== array copy ================================================================================================== */

/* ---- boxes of arrays --------------------------------------------------------------------------------------------- */

static cudaError_t copy_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, Box box,
                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CopyPlace target;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : array_place(to, x_bytes, y, 0, &box, &target);
    return error == cudaSuccess ? copy_box(target, place_in_memory(from, pitch, box.height), box, kind, stream) : error;
}

static cudaError_t copy_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, Box box,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CopyPlace source;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : array_place(from, x_bytes, y, 0, &box, &source);
    return error == cudaSuccess ? copy_box(place_in_memory(to, pitch, box.height), source, box, kind, stream) : error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, HOST_WAITS));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_from_array(to, pitch, from, x_bytes, y, (Box){width, height, 1}, kind, HOST_WAITS));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_from_array(to, pitch, from, x_bytes, y, (Box){width, height, 1}, kind, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                     size_t from_x_bytes, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    Box box = {width, height, 1};
    CopyPlace target, source = {0};
    cudaError_t error = array_place(to, to_x_bytes, to_y, 0, &box, &target);
    if (error == cudaSuccess)
        error = array_place(from, from_x_bytes, from_y, 0, &box, &source);
    return result(error == cudaSuccess ? copy_box(target, source, box, kind, HOST_WAITS) : error);
}

/* ---- a run of bytes, row after row ------------------------------------------------------------------------------- */

typedef struct CopyRun {       /* one end of the copy: an array, or memory without rows */
    const RuntimeArray *array; /* NULL: memory */
    CopyPlace place;
} CopyRun;

static cudaError_t run_in_array(cudaArray_const_t handle, size_t x_bytes, size_t y, CopyRun *run)
{
    *run = (CopyRun){.place = {.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y}};
    cudaError_t error = array_find(handle, &run->array);
    if (error == cudaSuccess && (x_bytes >= array_row_bytes(run->array) ||
                                 y >= (run->array->extent.height == 0 ? 1 : run->array->extent.height)))
        error = cudaErrorInvalidValue;
    return error;
}

/* The number of bytes, at most `count`, up to the end of the row. */
static size_t left_in_row(const CopyRun *run, size_t count)
{
    size_t left = run->array == NULL ? count : array_row_bytes(run->array) - run->place.x_bytes;
    return left < count ? left : count;
}

static bool is_whole_row(const CopyRun *run, size_t bytes)
{
    return run->array == NULL || (run->place.x_bytes == 0 && array_row_bytes(run->array) == bytes);
}

static void skip(CopyRun *run, const Box *box)
{
    if (run->array == NULL) {
        run->place = place_behind(run->place, box->width_bytes * box->height, 0, 0);
        return;
    }
    run->place.x_bytes += box->width_bytes;
    run->place.y += box->height - 1;
    if (run->place.x_bytes == array_row_bytes(run->array)) {
        run->place.x_bytes = 0;
        run->place.y++;
    }
}

static cudaError_t copy_run(CopyRun to, CopyRun from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    while (count > 0 && error == cudaSuccess) {
        size_t width = left_in_row(&to, left_in_row(&from, count));
        size_t height = is_whole_row(&to, width) && is_whole_row(&from, width) ? count / width : 1;
        Box box = {width, height, 1};
        to.place.pitch = from.place.pitch = width; /* only the end in memory uses it */
        error = to.array == NULL ? cudaSuccess : array_check_box(to.array, &to.place, &box);
        if (error == cudaSuccess && from.array != NULL)
            error = array_check_box(from.array, &from.place, &box);
        if (error == cudaSuccess)
            error = copy_box(to.place, from.place, box, kind, stream);
        skip(&to, &box);
        skip(&from, &box);
        count -= width * height;
    }
    return error;
}

static cudaError_t copy_run_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CopyRun target;
    cudaError_t error = run_in_array(to, x_bytes, y, &target);
    return error == cudaSuccess ? copy_run(target, (CopyRun){.place = place_in_memory(from, 0, 1)}, count, kind, stream)
                                : error;
}

static cudaError_t copy_run_from_array(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CopyRun source;
    cudaError_t error = run_in_array(from, x_bytes, y, &source);
    return error == cudaSuccess ? copy_run((CopyRun){.place = place_in_memory(to, 0, 1)}, source, count, kind, stream)
                                : error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, stream));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                   size_t from_x_bytes, size_t from_y, size_t count, enum cudaMemcpyKind kind)
{
    CopyRun target, source = {0};
    cudaError_t error = run_in_array(to, to_x_bytes, to_y, &target);
    if (error == cudaSuccess)
        error = run_in_array(from, from_x_bytes, from_y, &source);
    return result(error == cudaSuccess ? copy_run(target, source, count, kind, HOST_WAITS) : error);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    CopyPlace target, source;
    Box box;
    cudaError_t error = places_of_3d(what, &target, &source, &box);
    return error == cudaSuccess ? copy_box(target, source, box, what->kind, stream) : error;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *what)
{
    return result(copy_3d(what, HOST_WAITS));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    return result(copy_3d(what, stream));
}

/* ==== tensor map ================================================================================================== */

/* Tensor maps. A program gets cuTensorMapEncodeTiled(), a call of the driver, by cudaGetDriverEntryPoint(), or links it by
 * name. It is the only call of the driver that there is here.  */

static void fill_tensor(RingTensor *tensor, const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                        const uint32_t *steps)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        tensor->extents[i] = extents[i];
        tensor->box[i] = box[i];
        tensor->steps[i] = steps[i];
        if (i > 0)
            tensor->strides[i - 1] = strides[i - 1];
    }
}

/* The errors of the driver have the values of the runtime's. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    RingTensor body = {.address = (uint64_t)(uintptr_t)address,
                       .rank = rank,
                       .type = (uint32_t)type,
                       .interleave = (uint32_t)interleave,
                       .swizzle = (uint32_t)swizzle,
                       .promotion = (uint32_t)promotion,
                       .fill = (uint32_t)fill};
    if (map == NULL || extents == NULL || (strides == NULL && rank > 1) || box == NULL || steps == NULL ||
        rank > RING_TENSOR_DIMENSIONS)
        return result(cudaErrorInvalidValue);
    fill_tensor(&body, extents, strides, box, steps);
    client_lock();
    cudaError_t error = client_call_body(RING_TENSOR_MAP, &body, sizeof body, NULL, 0, NULL);
    if (error == cudaSuccess)
        memcpy(map, client_staging(), RING_TENSOR_MAP_BYTES);
    client_unlock();
    return result(error);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *found)
{
    static int (*const encode)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                               const uint32_t *, int, int, int, int) = cuTensorMapEncodeTiled;
    if (symbol == NULL || function == NULL)
        return result(cudaErrorInvalidValue);
    if (strcmp(symbol, "cuTensorMapEncodeTiled") != 0)
        return missing(symbol);
    memcpy(function, &encode, sizeof encode);
    if (found != NULL)
        *found = 0; /* cudaDriverEntryPointSuccess */
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, int *found)
{
    return cudaGetDriverEntryPoint(symbol, function, flags, found);
}
