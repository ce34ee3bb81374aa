/* cuda_gate.h - holds the streams of a real GPU, waits for them, and times brackets on both clocks.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_GATE_H
#define HARNESS_DEVICE_CUDA_CUDA_GATE_H

#include "harness/device/cuda/cuda_fault.h"
#include "harness/device/cuda/cuda_state.h"

/* The driver's stream for one asynchronous operation that is about to follow; NULL is the legacy default stream. */
MUST_USE CudaError cuda_enter(CudaDevice *cuda, DeviceStream *stream, CuStream *raw);
/* Opens the gate if operations wait behind it. */
MUST_USE CudaError cuda_release(CudaDevice *cuda);
/* Opens the gate between cuda_enter() and an operation that the driver may carry out at once: a copy from pageable
 * memory, a read. */
void cuda_open_for_copy(CudaDevice *cuda);
/* Open the gate and wait: for a stream, an event, everything. */
MUST_USE CudaError cuda_wait(CudaDevice *cuda, DeviceStream *stream);
MUST_USE CudaError cuda_wait_event(CudaDevice *cuda, CuEvent event);
MUST_USE CudaError cuda_wait_all(CudaDevice *cuda);
/* Waits for the judge's own stream, which is never held; does not open the gate. */
MUST_USE CudaError cuda_wait_own(CudaDevice *cuda);
/* Looks whether the work has ended, without waiting. The sooner its end is seen, the better the host's clock. */
void cuda_observe(CudaDevice *cuda);
/* Waits for a stream that nothing will use again, and makes sure that nothing runs there. */
MUST_USE CudaError cuda_finish(CudaDevice *cuda, DeviceStream *stream);
/* False while work of the bracket is under way. */
bool cuda_is_idle(CudaDevice *cuda);

/* How long a number takes to arrive that the judge's own stream, which must be idle, is to write. */
MUST_USE CudaError cuda_measure_echo(CudaDevice *cuda, double *took_s);

/* Begin and end a bracket (DeviceTimingOps). They do not check the red zones. */
MUST_USE CudaError cuda_bracket_begin(CudaDevice *cuda);
MUST_USE CudaError cuda_bracket_end(CudaDevice *cuda, DeviceBracket *bracket);

#endif
