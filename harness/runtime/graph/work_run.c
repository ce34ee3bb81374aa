#include "harness/runtime/graph/work_run.h"

#include "harness/runtime/client.h"
#include "harness/runtime/copy.h"
#include "harness/runtime/launch.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/wait.h"

static bool is_one_byte_repeated(const struct cudaMemsetParams *fill)
{
    uint32_t repeated = (uint8_t)fill->value * 0x01010101u;
    return fill->elementSize == 1 || fill->value == (fill->elementSize == 2 ? repeated >> 16 : repeated);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The device fills memory with bytes. Larger elements are written once, and then copied within the device, twice as many
 * each time. */
static cudaError_t fill_elements(const struct cudaMemsetParams *fill, cudaStream_t stream)
{
    char *to = fill->dst;
    size_t element = fill->elementSize, width = fill->width * element;
    cudaError_t error = copy_bytes(to, &fill->value, element, cudaMemcpyDefault, stream);
    for (size_t done = element; done < width && error == cudaSuccess; done *= 2)
        error = copy_bytes(to + done, to, least(done, width - done), cudaMemcpyDefault, stream);
    for (size_t done = 1; done < fill->height && error == cudaSuccess; done *= 2)
        error = box_copy(place_in_memory(to + done * fill->pitch, fill->pitch, 1), place_in_memory(to, fill->pitch, 1),
                         (Box){width, least(done, fill->height - done), 1}, cudaMemcpyDefault, stream);
    return error;
}

static cudaError_t run_fill(const struct cudaMemsetParams *fill, cudaStream_t stream)
{
    size_t width = fill->width * fill->elementSize;
    if (width == 0 || fill->height == 0)
        return cudaSuccess;
    if (!is_one_byte_repeated(fill))
        return fill_elements(fill, stream);
    return fill->height == 1
               ? fill_bytes(fill->dst, (int)fill->value, width, stream)
               : fill_rows_of_bytes(fill->dst, fill->pitch, (int)fill->value, width, fill->height, stream);
}

static cudaError_t run(const StreamWork *work, cudaStream_t stream)
{
    const CopyWork *copy = &work->copy;
    switch (work->type) {
    case cudaGraphNodeTypeKernel: return kernel_launch(&work->kernel, stream, false);
    case cudaGraphNodeTypeMemcpy:
        return copy->is_linear
                   ? copy_bytes(copy->to.pointer, copy->from.pointer, copy->box.width_bytes, copy->kind, stream)
                   : box_copy(copy->to, copy->from, copy->box, copy->kind, stream);
    case cudaGraphNodeTypeMemset: return run_fill(&work->fill, stream);
    case cudaGraphNodeTypeHost: return host_function_run(work->host.fn, work->host.userData, stream);
    case cudaGraphNodeTypeEventRecord: return event_record(work->event, stream);
    case cudaGraphNodeTypeWaitEvent: return stream_wait(stream, work->event);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    default: return cudaErrorNotSupported;
    }
}

cudaError_t work_run(const StreamWork *work, cudaStream_t stream)
{
    uint32_t place = caller_stand_in(work->place);
    cudaError_t error = run(work, stream);
    caller_stand_in(place);
    return error;
}
