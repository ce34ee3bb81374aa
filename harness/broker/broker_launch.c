#include "harness/broker/broker_launch.h"

#include "base/symbol.h"
#include "harness/broker/broker_module.h"
#include "harness/broker/broker_note.h"
#include "harness/broker/broker_stream.h"
#include "harness/device/launch_check.h"

#include <stdio.h>
#include <string.h>

static void note_launch_error(Broker *broker, CudaError error, const BrokerFunction *known, const LaunchShape *shape,
                              const char *hint)
{
    const uint32_t *grid = shape->grid, *block = shape->block;
    char name[120], what[200];
    symbol_name(known->name, name, sizeof name);
    snprintf(what, sizeof what, "launch of %s<<<(%u,%u,%u),(%u,%u,%u)>>>", name, grid[0], grid[1], grid[2], block[0],
             block[1], block[2]);
    broker_note_error(broker, MISTAKE_LAUNCH_REFUSED, error, what, hint);
}

/* After a fault of an earlier kernel every launch fails; its own arguments are then not the reason. */
static bool device_failed(Broker *broker, DeviceFault *fault)
{
    broker->device->report->fault(broker->device, fault);
    return fault->kind != DEVICE_NO_FAULT && fault->kind != DEVICE_BAD_LAUNCH;
}

static CudaError launch_known(Broker *broker, const BrokerFunction *known, const DeviceFunctionInfo *info,
                              const DeviceLaunch *launch)
{
    Device *device = broker->device;
    DeviceFault fault;
    char hint[200];
    if (device_failed(broker, &fault))
        return device->kernels->launch(device, launch);
    launch_check(&device->info, info, &launch->shape, hint, sizeof hint);
    CudaError error = device->kernels->launch(device, launch);
    broker->launches += error == CUDA_ERROR_SUCCESS;
    note_launch_error(broker, error, known, &launch->shape, hint);
    if (device_failed(broker, &fault) && fault.kind == DEVICE_TIME_LIMIT)
        broker->end = SERVE_DEVICE_TIME;
    return error;
}

/* The parameters stay where they are, behind the RingLaunch in Broker.record. */
static DeviceLaunch translate(const RingLaunch *asked, DeviceFunction *function)
{
    DeviceLaunch launch = {.function = function,
                           .shape = {.dynamic_shared_bytes = asked->dynamic_shared_bytes},
                           .parameters = asked + 1,
                           .parameter_bytes = asked->parameter_bytes,
                           .is_cooperative = asked->cooperative != 0,
                           .is_programmatic = asked->programmatic != 0};
    memcpy(launch.shape.grid, asked->grid, sizeof launch.shape.grid);
    memcpy(launch.shape.block, asked->block, sizeof launch.shape.block);
    memcpy(launch.shape.cluster, asked->cluster, sizeof launch.shape.cluster);
    return launch;
}

/* A shape beyond the limits is refused later, with the reason. */
static bool fits_at_once(Device *device, const DeviceLaunch *launch)
{
    uint64_t threads = launch_block_threads(&launch->shape);
    if (threads == 0 || threads > device->info.max_threads_per_block)
        return true;
    uint64_t resident = device->kernels->occupancy(device, launch->function, (uint32_t)threads,
                                                   launch->shape.dynamic_shared_bytes);
    return resident == 0 || launch_block_count(&launch->shape) <= resident * device->info.multiprocessors;
}

CudaError serve_launch(Broker *broker, RingReply *reply)
{
    const RingLaunch *asked = (const RingLaunch *)broker->record.body;
    BrokerFunction *known = broker_function(broker, asked->function);
    DeviceFunctionInfo info;
    if (broker->record.head.body_bytes != sizeof *asked + (uint64_t)asked->parameter_bytes) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    DeviceLaunch launch = translate(asked, known->function);
    if (!broker_stream(broker, asked->stream, &launch.stream)) {
        note_launch_error(broker, CUDA_ERROR_INVALID_RESOURCE_HANDLE, known, &launch.shape, "there is no such stream");
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    }
    if (launch.is_cooperative && !fits_at_once(broker->device, &launch)) {
        note_launch_error(broker, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, known, &launch.shape,
                          "more blocks than the device can run at once");
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    broker->device->kernels->info(known->function, &info);
    if (launch.parameter_bytes != info.parameter_bytes) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return launch_known(broker, known, &info, &launch);
}
