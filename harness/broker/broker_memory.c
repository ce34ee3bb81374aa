#include "harness/broker/broker_memory.h"

#include "harness/broker/broker_host_work.h"
#include "harness/broker/broker_stream.h"

static bool is_judges_array(const Broker *broker, uint64_t address)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++)
        if (broker->arrays[i] != 0 && broker->arrays[i] == address)
            return true;
    return false;
}

/* A copy before the first kernel only prepares the output; after it, it is the result that is copied. */
void broker_note_device_copy(Broker *broker, uint64_t address)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS && broker->launches > 0; i++)
        broker->reply.report.output_copied |= address - broker->arrays[i] < broker->output_bytes[i];
}

CudaError serve_alloc(Broker *broker, RingReply *reply)
{
    uint64_t bytes = broker_words(broker)[0];
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker->allocation_count >= BROKER_MAX_ALLOCATIONS
                          ? CUDA_ERROR_MEMORY_ALLOCATION
                          : broker->device->memory->alloc(broker->device, bytes, &reply->value[0]);
    broker->allocation_count += error == CUDA_ERROR_SUCCESS;
    if (error == CUDA_ERROR_MEMORY_ALLOCATION)
        broker->reply.report.allocation_refused = true;
    return error;
}

/* solve() may not free the arrays of the call: the judge still reads them. */
CudaError serve_release(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0];
    if (is_judges_array(broker, address))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker->device->memory->release(broker->device, address);
    broker->allocation_count -= error == CUDA_ERROR_SUCCESS && broker->allocation_count > 0;
    return error;
}

CudaError serve_memory_info(Broker *broker, RingReply *reply)
{
    uint64_t all = broker->device->info.memory_bytes;
    uint64_t used = broker->device->memory->allocated_bytes(broker->device);
    reply->value[0] = used < all ? all - used : 0;
    reply->value[1] = all;
    return CUDA_ERROR_SUCCESS;
}

bool broker_owns(Broker *broker, uint64_t address, uint64_t bytes)
{
    return bytes <= DEVICE_SPAN && broker->device->memory->owns(broker->device, address, bytes);
}

CudaError serve_owned(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0], bytes = broker_words(broker)[1];
    return broker_owns(broker, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Copies of managed memory do not wait for operations on a device where those may wait. */
static const DeviceCopyOps *copies_of(const Broker *broker, uint64_t wait)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return wait == RING_AT_ONCE && simulation != NULL ? simulation->copies_at_once : broker->device->copies;
}

CudaError broker_finish(Broker *broker, DeviceStream *stream, uint64_t wait)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return wait == RING_HOST_WAITS && simulation != NULL ? simulation->finish(broker->device, stream)
                                                         : CUDA_ERROR_SUCCESS;
}

CudaError serve_write(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], bytes = broker_words(broker)[1], wait = broker_words(broker)[3];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker_finish(broker, stream, wait);
    if (error == CUDA_ERROR_SUCCESS)
        error = copies_of(broker, wait)->write(broker->device, to, broker->reader.ring->staging, bytes, stream);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    broker_host_work_copied(broker, bytes, false);
    return broker_finish(broker, stream, wait);
}

CudaError serve_read(Broker *broker, RingReply *reply)
{
    uint64_t from = broker_words(broker)[0], bytes = broker_words(broker)[1], wait = broker_words(broker)[3];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = copies_of(broker, wait)->read(broker->device, broker->reader.ring->staging, from, bytes, stream);
    if (error != DEVICE_HOST_TURN)
        broker_host_work_copied(broker, bytes, true);
    return error;
}

CudaError serve_copy(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], from = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes) || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    broker_note_device_copy(broker, to);
    return broker->device->copies->copy(broker->device, to, from, bytes, stream);
}

CudaError serve_fill(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], value = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->copies->fill(broker->device, to, (uint8_t)value, bytes, stream);
}

CudaError serve_settle(Broker *broker, RingReply *reply)
{
    return broker_settle(broker);
}

CudaError broker_settle(Broker *broker)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return simulation == NULL ? CUDA_ERROR_SUCCESS : simulation->settle(broker->device);
}

CudaError serve_renew(Broker *broker, RingReply *reply)
{
    const uint64_t *words = broker_words(broker);
    const DeviceSimulationOps *simulation = broker->device->simulation;
    DeviceStream *stream;
    if (!broker_stream(broker, words[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (simulation == NULL || !broker_owns(broker, words[0], words[1]))
        return CUDA_ERROR_INVALID_VALUE;
    return simulation->renew(broker->device, words[0], words[1], words[3] == RING_FREED, stream);
}
