#include "harness/broker/broker_stream.h"

#include <stdlib.h>
#include <string.h>

bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream)
{
    *stream = number == 0 ? NULL : handles_get(&broker->streams, number);
    return number == 0 || *stream != NULL;
}

CudaError serve_synchronize(Broker *broker, RingReply *reply)
{
    return broker->device->streams->synchronize_all(broker->device);
}

CudaError serve_stream_new(Broker *broker, RingReply *reply)
{
    static const DeviceStreamKind kinds[] = {[RING_STREAM_BLOCKING] = DEVICE_STREAM_BLOCKING,
                                             [RING_STREAM_OF_THREAD] = DEVICE_STREAM_OF_THREAD,
                                             [RING_STREAM_NON_BLOCKING] = DEVICE_STREAM_NON_BLOCKING,
                                             [RING_STREAM_OF_GRAPH] = DEVICE_STREAM_OF_GRAPH};
    const uint64_t kind = broker_words(broker)[0];
    DeviceStream *stream;
    if (kind > RING_STREAM_OF_GRAPH) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CudaError error = broker->device->streams->create(broker->device, kinds[kind], &stream);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    reply->value[0] = handles_add(&broker->streams, stream);
    if (reply->value[0] == 0)
        broker->device->streams->destroy(broker->device, stream);
    return reply->value[0] == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

CudaError serve_stream_free(Broker *broker, RingReply *reply)
{
    DeviceStream *stream = handles_remove(&broker->streams, broker_words(broker)[0]);
    return stream == NULL ? CUDA_ERROR_INVALID_RESOURCE_HANDLE
                          : broker->device->streams->destroy(broker->device, stream);
}

CudaError serve_stream_synchronize(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->streams->synchronize(broker->device, stream);
}

CudaError serve_stream_query(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->streams->query(broker->device, stream);
}

static BrokerEvent *event_of(Broker *broker, int position)
{
    return handles_get(&broker->events, broker_words(broker)[position]);
}

CudaError serve_stream_wait(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 1);
    if (!broker_stream(broker, broker_words(broker)[0], &stream) || event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->streams->wait_event(broker->device, stream, event->event);
}

CudaError serve_host_call(Broker *broker, RingReply *reply)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    DeviceStream *stream;
    bool is_due = false;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (simulation == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = simulation->host_call(broker->device, stream, &reply->value[0], &is_due);
    reply->value[1] = is_due;
    return error;
}

CudaError serve_event_new(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = calloc(1, sizeof *event);
    if (event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    event->untimed = broker_words(broker)[0] != 0;
    CudaError error = broker->device->events->create(broker->device, !event->untimed, &event->event);
    if (error == CUDA_ERROR_SUCCESS) {
        reply->value[0] = handles_add(&broker->events, event);
        if (reply->value[0] != 0)
            return CUDA_ERROR_SUCCESS;
        broker->device->events->destroy(broker->device, event->event);
        error = CUDA_ERROR_MEMORY_ALLOCATION;
    }
    free(event);
    return error;
}

CudaError serve_event_free(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = handles_remove(&broker->events, broker_words(broker)[0]);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->events->destroy(broker->device, event->event);
    free(event);
    return error;
}

CudaError serve_event_record(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL || !broker_stream(broker, broker_words(broker)[1], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->events->record(broker->device, event->event, stream);
}

CudaError serve_event_synchronize(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->events->synchronize(broker->device, event->event);
}

CudaError serve_event_query(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->events->query(broker->device, event->event);
}

CudaError serve_event_elapsed(Broker *broker, RingReply *reply)
{
    BrokerEvent *start = event_of(broker, 0), *stop = event_of(broker, 1);
    double seconds = 0;
    if (start == NULL || stop == NULL || start->untimed || stop->untimed)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->events->elapsed(broker->device, start->event, stop->event, &seconds);
    memcpy(&reply->value[0], &seconds, sizeof seconds);
    return error;
}
