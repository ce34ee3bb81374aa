#include "harness/broker/broker_module.h"

#include "base/text.h"

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
        broker_violation(broker, MISTAKE_FOREIGN_CODE,
                         "the submission registered GPU code that nvcc did not compile from its source");
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

/* The number that the function got when it was asked for before: asking again costs no memory. */
static uint64_t known_function(const Broker *broker, const DeviceFunction *function)
{
    for (uint32_t i = 0; i < broker->functions.count; i++)
        if (((const BrokerFunction *)broker->functions.objects[i])->function == function)
            return broker->functions.first + i;
    return 0;
}

static uint64_t new_function(Broker *broker, DeviceFunction *function, const char *name)
{
    BrokerFunction *known = malloc(sizeof *known);
    if (known == NULL)
        return 0;
    known->function = function;
    memcpy(known->name, name, sizeof known->name);
    uint64_t number = handles_add(&broker->functions, known);
    if (number == 0)
        free(known);
    return number;
}

CudaError serve_function(Broker *broker, RingReply *reply)
{
    const RingName *name = (const RingName *)broker->record.body;
    DeviceModule *module = named_module(broker, name);
    DeviceFunction *function = module == NULL ? NULL : broker->device->modules->function(module, name->name);
    if (function == NULL)
        return CUDA_ERROR_INVALID_DEVICE_FUNCTION;
    reply->value[0] = known_function(broker, function);
    if (reply->value[0] == 0)
        reply->value[0] = new_function(broker, function, name->name);
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

BrokerFunction *broker_function(Broker *broker, uint64_t number)
{
    return handles_get(&broker->functions, number);
}

CudaError serve_set_shared(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = broker_function(broker, broker_words(broker)[0]);
    uint64_t bytes = broker_words(broker)[1];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->kernels->set_dynamic_shared(known->function, (uint32_t)bytes);
}

CudaError serve_set_limit(Broker *broker, RingReply *reply)
{
    uint64_t limit = broker_words(broker)[0], bytes = broker_words(broker)[1];
    const DeviceKernelOps *kernels = broker->device->kernels;
    if (limit == RING_LIMIT_STACK && bytes > 0 && bytes <= RING_MAX_STACK)
        return kernels->set_stack(broker->device, (uint32_t)bytes);
    if (limit == RING_LIMIT_HEAP && bytes > 0 && bytes <= RING_MAX_HEAP)
        return kernels->set_heap(broker->device, (uint32_t)bytes);
    return CUDA_ERROR_INVALID_VALUE;
}

CudaError serve_occupancy(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = broker_function(broker, broker_words(broker)[0]);
    uint64_t threads = broker_words(broker)[1], bytes = broker_words(broker)[2];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (threads <= UINT32_MAX && bytes <= UINT32_MAX)
        reply->value[0] = broker->device->kernels->occupancy(broker->device, known->function, (uint32_t)threads,
                                                             (uint32_t)bytes);
    return CUDA_ERROR_SUCCESS;
}
