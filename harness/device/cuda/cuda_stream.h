/* cuda_stream.h - streams and events of a real GPU.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_STREAM_H
#define HARNESS_DEVICE_CUDA_CUDA_STREAM_H

#include "harness/device/cuda/cuda_state.h"

extern const DeviceStreamOps CUDA_STREAM_OPS;
extern const DeviceEventOps CUDA_EVENT_OPS;

/* Creates the driver's part of the legacy default stream and of the judge's own. */
MUST_USE CudaError cuda_streams_open(CudaDevice *cuda);
/* Frees what the host keeps of all streams; the driver's part goes with the context. */
void cuda_streams_free(CudaDevice *cuda);

#endif
