/* sim_array.h - CUDA arrays, textures and surfaces of a simulated GPU.  */
#ifndef HARNESS_DEVICE_SIM_SIM_ARRAY_H
#define HARNESS_DEVICE_SIM_SIM_ARRAY_H

#include "harness/device/device.h"

extern const DeviceArrayOps SIM_ARRAY_OPS;
extern const DeviceTextureOps SIM_TEXTURE_OPS;

/* DeviceSimulationOps.copy_away(). */
CudaError sim_copy_away(Device *device, const DevicePlace *place, const DeviceBox *box, bool to_device, uint64_t away,
                        DeviceStream *stream, uint64_t *turn, bool *is_due);

#endif
