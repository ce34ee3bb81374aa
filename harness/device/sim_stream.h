/* sim_stream.h - streams, events and brackets of a simulated GPU.  */
#ifndef HARNESS_DEVICE_SIM_STREAM_H
#define HARNESS_DEVICE_SIM_STREAM_H

#include "harness/device/device.h"
#include "harness/device/sim_queue.h"
#include "harness/device/sim_state.h"

/* ==== sim check =================================================================================================== */

/* Checks kernels for races and for reads of uninitialised memory (DeviceCheck). */

void sim_set_check(Device *device, DeviceCheck *check);

/* ==== sim kernel ================================================================================================== */

/* Modules and kernel launches of a simulated GPU. */

extern const DeviceModuleOps SIM_MODULE_OPS;
extern const DeviceKernelOps SIM_KERNEL_OPS;

/* ==== sim stream ================================================================================================== */

extern const DeviceStreamOps SIM_STREAM_OPS;
extern const DeviceEventOps SIM_EVENT_OPS;
extern const DeviceTimingOps SIM_TIMING_OPS;

/* Lets the host wait for all streams, or for one (NULL: the legacy default stream). DEVICE_HOST_TURN, or the device's
 * sticky error. */
CudaError sim_wait_all(SimDevice *sim);
/* Takes an operation in that ends before the host goes on, and lets the host wait for it. */
CudaError sim_submit_and_wait(SimDevice *sim, const Work *work);
/* Carries out what an operation on the stream would come after. The host knows that it has ended, though no waiting is
 * entered into the time. */
CudaError sim_finish(SimDevice *sim, DeviceStream *stream);
/* Carries out all operations, without letting the host wait for them. */
CudaError sim_settle(SimDevice *sim);
void sim_streams_free(SimDevice *sim);
/* DeviceSimulationOps.host_call. */
CudaError sim_host_call(Device *device, DeviceStream *stream, uint64_t *turn, bool *is_due);

#endif
