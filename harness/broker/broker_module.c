#include "harness/broker/broker_module.h"

#include "base/symbol.h"
#include "base/text.h"
#include "harness/broker/broker_note.h"
#include "harness/broker/broker_stream.h"
#include "harness/device/launch_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The module that nvcc compiled, if one is equal to the bytes in staging. */
static BrokerModule *find_module(Broker *broker, const uint8_t *image, size_t bytes)
{
    for (size_t i = 0; i < broker->module_count; i++)
        if (broker->modules[i].bytes == bytes && memcmp(broker->modules[i].image, image, bytes) == 0)
            return &broker->modules[i];
    return NULL;
}

/* STATUS_BAD_INPUT is a mistake of the submission: its arrays do not fit into the device, or its own PTX is wrong. Any
 * other status is a limit of the judge. */
static bool load_module(Broker *broker, BrokerModule *module)
{
    Message why;
    Status status = broker->device->modules->load(broker->device, module->image, module->bytes, &module->loaded, &why);
    if (status == STATUS_OK)
        return true;
    module->loaded = NULL;
    broker->end = status == STATUS_BAD_INPUT ? SERVE_LOAD_FAILED : SERVE_UNSUPPORTED;
    snprintf(broker->end_text, sizeof broker->end_text, "%s%.600s",
             status == STATUS_BAD_INPUT ? "the GPU code cannot be loaded: " : "", why.text);
    return false;
}

/* The grader's copy is loaded. That the runner can change its own copy during the comparison does therefore not
 * matter. */
CudaError serve_module(Broker *broker, RingReply *reply)
{
    uint64_t bytes = broker_words(broker)[0];
    BrokerModule *module = NULL;
    if (bytes <= RING_STAGING_BYTES)
        module = find_module(broker, broker->reader.ring->staging, bytes);
    if (module == NULL) {
        broker_violation(broker, "the submission registered GPU code that nvcc did not compile from its source");
        return CUDA_ERROR_INVALID_KERNEL_IMAGE;
    }
    reply->value[0] = (uint64_t)(module - broker->modules);
    return module->loaded != NULL || load_module(broker, module) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_KERNEL_IMAGE;
}

/* The loaded module that a RingName names; NULL: there is none. */
static DeviceModule *named_module(Broker *broker, const RingName *name)
{
    if (!text_is_terminated(name->name, sizeof name->name)) {
        broker_malformed(broker);
        return NULL;
    }
    return name->module < broker->module_count ? broker->modules[name->module].loaded : NULL;
}

static void give_function_info(Broker *broker, DeviceFunction *function)
{
    DeviceFunctionInfo info;
    broker->device->kernels->info(function, &info);
    uint32_t count = info.parameter_count < RING_MAX_PARAMETERS ? info.parameter_count : RING_MAX_PARAMETERS;
    RingFunctionInfo *given = (RingFunctionInfo *)broker->reader.ring->staging;
    *given = (RingFunctionInfo){
        .parameter_count = count,
        .parameter_bytes = info.parameter_bytes,
        .registers = info.registers,
        .static_shared_bytes = info.static_shared_bytes,
        .local_bytes = info.local_bytes,
        .constant_bytes = info.constant_bytes,
        .max_threads_per_block = info.max_threads_per_block,
        .max_dynamic_shared_bytes = info.max_dynamic_shared_bytes,
        .ptx_version = info.ptx_version,
        .binary_version = info.binary_version,
    };
    memcpy(given->offsets, info.parameter_offsets, count * sizeof *given->offsets);
    memcpy(given->sizes, info.parameter_sizes, count * sizeof *given->sizes);
}

CudaError serve_function(Broker *broker, RingReply *reply)
{
    const RingName *name = (const RingName *)broker->record.body;
    DeviceModule *module = named_module(broker, name);
    DeviceFunction *function = module == NULL ? NULL : broker->device->modules->function(module, name->name);
    if (function == NULL)
        return CUDA_ERROR_INVALID_DEVICE_FUNCTION;
    BrokerFunction *known = malloc(sizeof *known);
    if (known == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    known->function = function;
    memcpy(known->name, name->name, sizeof known->name);
    reply->value[0] = handles_add(&broker->functions, known);
    give_function_info(broker, function);
    return reply->value[0] == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

CudaError serve_variable(Broker *broker, RingReply *reply)
{
    const RingName *name = (const RingName *)broker->record.body;
    DeviceModule *module = named_module(broker, name);
    bool found = module != NULL &&
                 broker->device->modules->variable(module, name->name, &reply->value[0], &reply->value[1]);
    return found ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_SYMBOL;
}

static BrokerFunction *function_of(Broker *broker, uint64_t number)
{
    return handles_get(&broker->functions, number);
}

CudaError serve_set_shared(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = function_of(broker, broker_words(broker)[0]);
    uint64_t bytes = broker_words(broker)[1];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->kernels->set_dynamic_shared(known->function, (uint32_t)bytes);
}

CudaError serve_occupancy(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = function_of(broker, broker_words(broker)[0]);
    uint64_t threads = broker_words(broker)[1], bytes = broker_words(broker)[2];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (threads <= UINT32_MAX && bytes <= UINT32_MAX)
        reply->value[0] = broker->device->kernels->occupancy(broker->device, known->function, (uint32_t)threads,
                                                             (uint32_t)bytes);
    return CUDA_ERROR_SUCCESS;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void note_launch_error(Broker *broker, CudaError error, const BrokerFunction *known, const RingLaunch *launch,
                              const char *hint)
{
    char name[120], what[200];
    symbol_name(known->name, name, sizeof name);
    snprintf(what, sizeof what, "launch of %s<<<(%u,%u,%u),(%u,%u,%u)>>>", name, launch->grid[0], launch->grid[1],
             launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
    broker_note_error(broker, error, what, hint);
}

/* After a fault of an earlier kernel every launch fails; its own arguments are then not the reason. */
static bool device_failed(Broker *broker, DeviceFault *fault)
{
    broker->device->report->fault(broker->device, fault);
    return fault->kind != DEVICE_NO_FAULT && fault->kind != DEVICE_BAD_LAUNCH;
}

static CudaError launch_known(Broker *broker, const BrokerFunction *known, const RingLaunch *head, DeviceStream *stream)
{
    Device *device = broker->device;
    DeviceLaunch launch = {.function = known->function,
                           .shape = {.grid = {head->grid[0], head->grid[1], head->grid[2]},
                                     .block = {head->block[0], head->block[1], head->block[2]},
                                     .dynamic_shared_bytes = head->dynamic_shared_bytes < UINT32_MAX
                                                                 ? (uint32_t)head->dynamic_shared_bytes
                                                                 : UINT32_MAX},
                           .parameters = head + 1,
                           .parameter_bytes = head->parameter_bytes,
                           .stream = stream};
    DeviceFunctionInfo info;
    DeviceFault fault;
    char hint[200];
    if (device_failed(broker, &fault))
        return device->kernels->launch(device, &launch);
    device->kernels->info(known->function, &info);
    launch_check(&device->info, &info, &launch.shape, hint, sizeof hint);
    CudaError error = device->kernels->launch(device, &launch);
    note_launch_error(broker, error, known, head, hint);
    if (device_failed(broker, &fault) && fault.kind == DEVICE_TIME_LIMIT)
        broker->end = SERVE_DEVICE_TIME;
    return error;
}

CudaError serve_launch(Broker *broker, RingReply *reply)
{
    const RingLaunch *head = (const RingLaunch *)broker->record.body;
    BrokerFunction *known = function_of(broker, head->function);
    DeviceStream *stream;
    DeviceFunctionInfo info;
    if (broker->record.head.body_bytes != sizeof *head + (uint64_t)head->parameter_bytes) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_stream(broker, head->stream, &stream)) {
        note_launch_error(broker, CUDA_ERROR_INVALID_RESOURCE_HANDLE, known, head, "there is no such stream");
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    }
    broker->device->kernels->info(known->function, &info);
    if (head->parameter_bytes != info.parameter_bytes) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return launch_known(broker, known, head, stream);
}
