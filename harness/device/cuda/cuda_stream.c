#include "harness/device/cuda/cuda_stream.h"

#include "harness/device/cuda/cuda_gate.h"

#include <stdlib.h>

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* `joint` is only waited for; an event without a time is cheaper. */
static CudaError stream_open(CudaDevice *cuda, DeviceStream *stream)
{
    CudaError error = cuda->driver->cuEventCreate(&stream->joint, CU_EVENT_UNTIMED);
    if (error == CUDA_ERROR_SUCCESS && stream->raw == NULL)
        error = cuda->driver->cuStreamCreate(&stream->raw,
                                             stream->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_BLOCKING);
    return cuda_note(cuda, error);
}

static CudaError stream_create(Device *device, DeviceStreamKind kind, DeviceStream **stream)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*stream)->non_blocking = kind >= DEVICE_STREAM_NON_BLOCKING;
    error = stream_open(cuda, *stream);
    if (error != CUDA_ERROR_SUCCESS) {
        free(*stream);
        return error;
    }
    (*stream)->next = cuda->streams;
    cuda->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

/* A stream that is destroyed still finishes its work. The judge must see the end of it, and afterwards could not ask the
 * stream any more. */
static CudaError stream_destroy(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    DeviceStream **link = &cuda->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next;
    if (*link == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS && stream->used)
        error = cuda_finish(cuda, stream);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuStreamDestroy(stream->raw));
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuEventDestroy(stream->joint));
    *link = stream->next;
    free(stream);
    return error;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    return cuda_wait(cuda_of(device), stream);
}

/* Opens the gate, because a program that polls must see the end of its work. */
static CudaError stream_query(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    return error != CUDA_ERROR_SUCCESS
               ? error
               : cuda_note(cuda, cuda->driver->cuStreamQuery(stream == NULL ? cuda->legacy.raw : stream->raw));
}

static CudaError stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    if (!event->recorded)
        return cuda->sticky;
    CudaError error = cuda_enter(cuda, stream, &raw);
    return error != CUDA_ERROR_SUCCESS ? error : cuda_note(cuda, cuda->driver->cuStreamWaitEvent(raw, event->raw, 0));
}

static CudaError synchronize_all(Device *device)
{
    return cuda_wait_all(cuda_of(device));
}

CudaError cuda_streams_open(CudaDevice *cuda)
{
    cuda->legacy.raw = CU_STREAM_LEGACY;
    cuda->own.non_blocking = true;
    CudaError error = stream_open(cuda, &cuda->legacy);
    if (error == CUDA_ERROR_SUCCESS)
        error = stream_open(cuda, &cuda->own);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuEventCreate(&cuda->bracket.start, CU_EVENT_TIMED);
    return error == CUDA_ERROR_SUCCESS ? cuda->driver->cuEventCreate(&cuda->bracket.stop, CU_EVENT_TIMED) : error;
}

void cuda_streams_free(CudaDevice *cuda)
{
    while (cuda->streams != NULL) {
        DeviceStream *next = cuda->streams->next;
        free(cuda->streams);
        cuda->streams = next;
    }
}

const DeviceStreamOps CUDA_STREAM_OPS = {
    .create = stream_create,
    .destroy = stream_destroy,
    .synchronize = stream_synchronize,
    .synchronize_all = synchronize_all,
    .query = stream_query,
    .wait_event = stream_wait_event,
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static CudaError event_create(Device *device, bool is_timed, DeviceEvent **event)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    const unsigned flags = is_timed ? CU_EVENT_TIMED : CU_EVENT_UNTIMED;
    CudaError error = cuda_note(cuda, cuda->driver->cuEventCreate(&(*event)->raw, flags));
    if (error != CUDA_ERROR_SUCCESS)
        free(*event);
    return error;
}

static CudaError event_destroy(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky;
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuEventDestroy(event->raw));
    free(event);
    return error;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    event->recorded = true;
    return cuda_note(cuda, cuda->driver->cuEventRecord(event->raw, raw));
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    return event->recorded ? cuda_wait_event(cuda, event->raw) : cuda->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    if (error != CUDA_ERROR_SUCCESS || !event->recorded)
        return error;
    return cuda_note(cuda, cuda->driver->cuEventQuery(event->raw));
}

static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    CudaDevice *cuda = cuda_of(device);
    float milliseconds = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    error = cuda_note(cuda, cuda->driver->cuEventElapsedTime(&milliseconds, start->raw, stop->raw));
    *seconds = 1e-3 * milliseconds;
    return error;
}

const DeviceEventOps CUDA_EVENT_OPS = {
    .create = event_create,
    .destroy = event_destroy,
    .record = event_record,
    .synchronize = event_synchronize,
    .query = event_query,
    .elapsed = event_elapsed,
};
