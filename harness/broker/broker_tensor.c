/* A tensor map leads only to memory of the submission when the broker makes it. A submission can write the bytes of another
 * one by itself: on a real GPU it then reaches what an address in a kernel reaches (docs/security.md).  */
#include "harness/broker/broker_tensor.h"

#include "harness/broker/broker_memory.h"
#include "harness/broker/broker_note.h"
#include "harness/device/tensor_check.h"

#include <string.h>

static const char call[] = "cuTensorMapEncodeTiled";

enum { MOST_PROMOTION = 3, MOST_FILL = 1 };

static DeviceTensor tensor_of(const RingTensor *asked)
{
    DeviceTensor tensor = {.address = asked->address,
                           .rank = asked->rank,
                           .type = (DeviceTensorType)asked->type,
                           .swizzle = (DeviceTensorSwizzle)asked->swizzle,
                           .promotion = asked->promotion,
                           .fills_nan = asked->fill != 0};
    memcpy(tensor.extents, asked->extents, sizeof tensor.extents);
    memcpy(tensor.strides, asked->strides, sizeof tensor.strides);
    memcpy(tensor.box, asked->box, sizeof tensor.box);
    memcpy(tensor.steps, asked->steps, sizeof tensor.steps);
    return tensor;
}

/* What CUDA may have and the judge does not provide; NULL: nothing. */
static const char *not_provided(const RingTensor *asked)
{
    if (asked->interleave != 0)
        return "this judge has no interleaved tensors";
    if (asked->type >= DEVICE_TENSOR_TYPES)
        return "this judge has no tensors of this type";
    return asked->swizzle >= DEVICE_TENSOR_SWIZZLES ? "this judge has no swizzle of this kind" : NULL;
}

static const char *refusal(Broker *broker, const RingTensor *asked, const DeviceTensor *tensor)
{
    uint64_t bytes;
    const char *why = tensor_refusal(tensor);
    if (why == NULL && (asked->promotion > MOST_PROMOTION || asked->fill > MOST_FILL))
        return "there is no such L2 promotion or fill";
    if (why == NULL && (!tensor_span(tensor, &bytes) || !broker_owns(broker, tensor->address, bytes)))
        return "the tensor does not lie within one allocation";
    return why;
}

CudaError serve_tensor_map(Broker *broker, RingReply *reply)
{
    const RingTensor *asked = (const RingTensor *)broker->record.body;
    const char *lack = not_provided(asked);
    if (lack != NULL) {
        broker_note_missing(broker, call, lack);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const DeviceTensor tensor = tensor_of(asked);
    const char *why = refusal(broker, asked, &tensor);
    if (why != NULL) {
        broker_note_error(broker, MISTAKE_CALL_FAILED, CUDA_ERROR_INVALID_VALUE, call, why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CudaError error = broker->device->tensors->encode(broker->device, &tensor, (uint8_t *)broker->reader.ring->staging);
    if (error == CUDA_ERROR_NOT_SUPPORTED)
        broker_note_missing(broker, call, "this device has no tensors of this type");
    return error;
}
