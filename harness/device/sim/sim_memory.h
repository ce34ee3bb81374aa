/* sim_memory.h - device memory of a simulated GPU, and copies.  */
#ifndef HARNESS_DEVICE_SIM_SIM_MEMORY_H
#define HARNESS_DEVICE_SIM_SIM_MEMORY_H

#include "harness/device/device.h"
#include "harness/device/sim/sim_queue.h"

/* ==== sim array =================================================================================================== */

/* CUDA arrays, textures and surfaces of a simulated GPU. */

extern const DeviceArrayOps SIM_ARRAY_OPS;
extern const DeviceTextureOps SIM_TEXTURE_OPS;

/* DeviceSimulationOps.copy_away(). */
CudaError sim_copy_away(Device *device, const DevicePlace *place, const DeviceBox *box, bool to_device, uint64_t away,
                        DeviceStream *stream, uint64_t *turn, bool *is_due);

/* ==== sim tensor ================================================================================================== */

/* Tensor maps of a simulated GPU. */

extern const DeviceTensorOps SIM_TENSOR_OPS;

/* ==== sim memory ================================================================================================== */

extern const DeviceMemoryOps SIM_MEMORY_OPS;
extern const DeviceCopyOps SIM_COPY_OPS, SIM_COPIES_AT_ONCE;

/* The error that a copy of these bytes meets: the sticky error, or INVALID_VALUE if the device does not own them. */
CudaError sim_check_range(SimDevice *sim, uint64_t address, uint64_t bytes);
typedef enum CopyWay {
    WITHIN_DEVICE, /* a fill, too */
    ACROSS_BUS,
    TO_WAITING_HOST /* across the bus, to memory of a host that waits for it */
} CopyWay;

/* Counts a copy or a fill, and returns its modelled time. */
double sim_count_copy(SimDevice *sim, uint64_t bytes, CopyWay way);
/* A copy or a fill, without its name. */
Work sim_copy_work(Carry *carry, void *what, DeviceStream *stream, SimEngine engine);
/* DeviceSimulationOps.renew. */
CudaError sim_renew(Device *device, uint64_t address, uint64_t bytes, bool is_freed, DeviceStream *stream);

#endif
