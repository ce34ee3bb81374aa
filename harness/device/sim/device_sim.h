/* device_sim.h - what the files of the simulated GPU share: device_sim.c (the operations of device.h), device_sim_kernel.c
 * (modules and launches), device_sim_array.c (arrays and textures), device_sim_probe.c (how kernels get at an array),
 * device_sim_profile.c (what kernels did, by source line) and device_sim_check.c (races and reads of what nothing has
 * written).  */
#ifndef HARNESS_DEVICE_SIM_DEVICE_SIM_H
#define HARNESS_DEVICE_SIM_DEVICE_SIM_H

#include "harness/device/device.h"
#include "harness/device/sim/execution_profile.h"
#include "simgpu/gpu/simgpu.h"

typedef enum Engine { ENGINE_KERNELS, ENGINE_BUS, ENGINE_COUNT } Engine;

struct DeviceStream {
    double end_s;      /* when its last operation ends */
    bool non_blocking; /* does not wait for the legacy default stream, nor the other way round */
    DeviceStream *next;
};

typedef struct SimDevice {
    Device device; /* first, so that a Device is a SimDevice */
    SimGpu *gpu;
    DeviceStream legacy;
    DeviceStream *streams; /* all others */
    double host_s;         /* how far the host has waited */
    double polled_s;       /* how far queries have already answered "not ready" */
    double engine_end_s[ENGINE_COUNT];
    double first_start_s, last_end_s; /* of the bracket */
    CudaError sticky;
    DeviceFault fault;
    DeviceStatistics statistics;
    bool has_timed_event; /* there was one: whoever made it may ask how long kernels take */
    double longest_s;
    uint64_t budget, budget_left; /* warp-instructions; budget 0: none */
    DeviceProbe *probe;           /* NULL: kernels are not probed */
    ExecutionProfile *profile;    /* NULL: nothing is gathered */
    DeviceCheck *check;           /* NULL: kernels are not checked */
    uint32_t watched_launches;    /* since the check began */
} SimDevice;

static inline SimDevice *sim_of(Device *device)
{
    return (SimDevice *)device;
}

/* A device address is the host address of its byte in this process (simgpu.h). */
static inline void *byte_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* ---- device_sim.c ------------------------------------------------------------------------------------------------ */

CudaError sim_alloc(Device *device, uint64_t bytes, uint64_t *address);
CudaError sim_release(Device *device, uint64_t address);
CudaError sim_stream_synchronize(Device *device, DeviceStream *stream);
/* What every copy begins with: nothing works after a fault, and ranges must be owned. */
CudaError sim_check_range(SimDevice *sim, uint64_t address, uint64_t bytes);
void sim_count_copy(SimDevice *sim, DeviceStream *stream, uint64_t bytes, bool across_bus);

/* The modelled time of an operation on the stream (NULL: the legacy default stream), which needs the engine. */
void sim_enqueue(SimDevice *sim, DeviceStream *stream, Engine engine, double seconds);

/* ---- device_sim_kernel.c ----------------------------------------------------------------------------------------- */

Status sim_module_load(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why);
void sim_module_unload(Device *device, DeviceModule *module);
DeviceFunction *sim_function(DeviceModule *module, const char *name);
bool sim_variable(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes);
void sim_function_info(DeviceFunction *function, DeviceFunctionInfo *info);
CudaError sim_function_set_dynamic_shared(DeviceFunction *function, uint32_t bytes);
uint32_t sim_occupancy(Device *device, DeviceFunction *function, uint32_t threads, uint32_t dynamic_shared_bytes);
CudaError sim_launch(Device *device, const DeviceLaunch *launch);

/* ---- device_sim_array.c ------------------------------------------------------------------------------------------ */

CudaError sim_array_new(Device *device, const DeviceShape *shape, DeviceArray **array);
CudaError sim_array_free(Device *device, DeviceArray *array);
CudaError sim_copy_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                       DeviceStream *stream);
CudaError sim_fill_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                        DeviceStream *stream);
CudaError sim_texture_new(Device *device, const DeviceTexture *texture, uint64_t *number);
CudaError sim_texture_free(Device *device, uint64_t number);

/* ---- device_sim_probe.c ------------------------------------------------------------------------------------------ */

void sim_probe(Device *device, DeviceProbe *probe);
/* Runs a grid of a function of `module`, with the device's probe. */
void sim_launch_probed(SimDevice *sim, const SimModule *module, SimLaunch *grid, SimReport *report);

/* ---- device_sim_profile.c ---------------------------------------------------------------------------------------- */

void sim_profile(Device *device, ExecutionProfile *profile);
/* Adds to the device's profile, which there is: a launch, a copy or fill. */
void sim_profile_launch(SimDevice *sim, const SimLaunch *launch, const SimReport *report);
void sim_profile_copy(SimDevice *sim, uint64_t bytes, bool across_bus, double seconds);

/* ---- device_sim_check.c ------------------------------------------------------------------------------------------ */

void sim_check(Device *device, DeviceCheck *check);
/* What a launch is to be watched for: bits of SimLaunchFlags. */
uint32_t sim_watch_of(SimDevice *sim, const DeviceLaunch *launch);
/* Whether nobody can come to know how long kernels take. */
bool sim_is_untimed(const SimDevice *sim);
/* Keeps what a watched launch found; a race that can change what is computed becomes the device's fault. */
void sim_note_findings(SimDevice *sim, const SimReport *report);

#endif
