#include "harness/broker/broker_launch.h"

#include "base/arena.h"
#include "base/elf.h"
#include "base/text.h"
#include "harness/device/launch_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== broker device info ========================================================================================== */

static RingDeviceInfo ring_device_info(const DeviceInfo *device)
{
    RingDeviceInfo info = {
        .memory_bytes = device->memory_bytes,
        .compute_major = (uint32_t)device->compute_major,
        .compute_minor = (uint32_t)device->compute_minor,
        .multiprocessors = device->multiprocessors,
        .warp_size = device->warp_size,
        .max_threads_per_block = device->max_threads_per_block,
        .max_threads_per_multiprocessor = device->max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = device->max_blocks_per_multiprocessor,
        .registers_per_block = device->registers_per_block,
        .registers_per_multiprocessor = device->registers_per_multiprocessor,
        .shared_bytes_per_block = device->shared_bytes_per_block,
        .shared_bytes_per_block_optin = device->shared_bytes_per_block_optin,
        .shared_bytes_per_multiprocessor = device->shared_bytes_per_multiprocessor,
        .shared_reserved_bytes_per_block = device->shared_reserved_bytes_per_block,
        .constant_bytes = device->constant_bytes,
        .l2_bytes = device->l2_bytes,
        .clock_khz = device->clock_khz,
        .memory_clock_khz = device->memory_clock_khz,
        .memory_bus_bits = device->memory_bus_bits,
        .max_array_1d = ARRAY_MAX_WIDTH_1D,
        .max_array_2d = {ARRAY_MAX_WIDTH_2D, ARRAY_MAX_HEIGHT_2D},
        .max_array_3d = ARRAY_MAX_EXTENT_3D,
        .max_gather_2d = ARRAY_MAX_GATHER_2D,
    };
    snprintf(info.name, sizeof info.name, "%s", device->name);
    memcpy(info.max_block, device->max_block, sizeof info.max_block);
    memcpy(info.max_grid, device->max_grid, sizeof info.max_grid);
    return info;
}

CudaError serve_device_info(Broker *broker, RingReply *reply)
{
    const RingDeviceInfo info = ring_device_info(&broker->device->info);
    memcpy(broker->reader.ring->staging, &info, sizeof info);
    return CUDA_ERROR_SUCCESS;
}

/* ==== broker module =============================================================================================== */

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
    memcpy(given->cluster, info.cluster, sizeof given->cluster);
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

/* The function with this number. NULL: there is none. */
static BrokerFunction *broker_function(Broker *broker, uint64_t number)
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

/* ==== broker fault ================================================================================================ */

bool broker_is_ok(const Broker *broker)
{
    return broker->reply.status == STATUS_OK;
}

void broker_require(Broker *broker, CudaError error, const char *doing)
{
    /* The memory of a simulated GPU is this process's, and the submission's share of it is gone. */
    if (error == CUDA_ERROR_MEMORY_ALLOCATION && broker->device->info.modelled)
        out_of_memory();
    if (error != CUDA_ERROR_SUCCESS && broker_is_ok(broker))
        broker->reply.status = fail(STATUS_SYSTEM, &broker->reply.why, "the judge's own %s failed: %s", doing,
                                    cuda_error_text(error));
}

/* ==== broker observe ============================================================================================== */

/* ---- how kernels read an input ----------------------------------------------------------------------------------- */

static uint32_t probe_word(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    value = call_probe_value(value);
    memcpy(&word, &value, sizeof word);
    return word;
}

static void probe_input(Broker *broker, const ControlArgument *input, DeviceProbe *probe)
{
    const uint32_t *words = (const void *)(broker->buffers + input->span.offset);
    uint32_t *others = allocated(malloc(input->span.bytes));
    probe->count = input->span.bytes / sizeof *words;
    probe->words = words;
    probe->others = others;
    for (size_t i = 0; i < probe->count; i++)
        others[i] = probe_word(words[i]);
    broker->device->simulation->set_probe(broker->device, probe);
}

static void probe_begin(Broker *broker, const ControlRequest *request, DeviceProbe *probe)
{
    *probe = (DeviceProbe){0};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (request->arguments[i].role == ARGUMENT_OUTPUT && probe->target == 0) /* the first output stands for all */
            probe->target = broker->arrays[i];
        if (request->arguments[i].probed) {
            probe->source = broker->arrays[i];
            probe_input(broker, &request->arguments[i], probe);
        }
    }
}

static void probe_end(Broker *broker, DeviceProbe *probe)
{
    if (probe->source != 0)
        broker->device->simulation->set_probe(broker->device, NULL);
    memcpy(broker->reply.report.direct_load, probe->direct_load, sizeof probe->direct_load);
    broker->reply.report.direct_line = probe->direct_line;
    free((void *)probe->others);
}

/* ---- what kernels do that they should not ------------------------------------------------------------------------ */

static void check_begin(Broker *broker, const ControlRequest *request, DeviceCheck *check)
{
    *check = (DeviceCheck){.sanitize = request->sanitize,
                           .is_untimed = request->is_untimed,
                           .samples_blocks = request->samples_blocks,
                           .is_secret = request->is_secret,
                           .sample_key = &request->sample_key,
                           .order = request->order,
                           .uninitialised_byte = request->uninitialised_byte};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (argument->role == ARGUMENT_OUTPUT && check->output_address == 0) { /* likewise */
            check->output_address = broker->arrays[i];
            check->output_bytes = argument->span.bytes;
            call_poison_words(argument->poison_bits, argument->float_output, check->output_poison);
        }
        if (control_is_array(argument))
            check->arrays[check->array_count++] = (DeviceNamed){
                .name = argument->name,
                .address = broker->arrays[i],
                .bytes = argument->span.bytes,
                .element_bytes = argument->element_bytes,
                .is_unwritten = request->sanitize && request->is_untimed && argument->role == ARGUMENT_OUTPUT};
    }
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, check);
}

static void check_end(Broker *broker, const DeviceCheck *check)
{
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, NULL);
    broker->reply.report.findings = check->findings;
    broker->reply.report.conflicts = check->conflicts;
}

void broker_observe_begin(Broker *broker, const ControlRequest *request, Observation *observation)
{
    probe_begin(broker, request, &observation->probe);
    if (broker->reply.status == STATUS_OK)
        check_begin(broker, request, &observation->check);
}

void broker_observe_end(Broker *broker, Observation *observation)
{
    probe_end(broker, &observation->probe);
    check_end(broker, &observation->check);
}

/* ---- what kernels do, by source line ----------------------------------------------------------------------------- */

/* The address of the element that the call traces; 0: none. */
static uint64_t traced_address(const Broker *broker, const ControlRequest *request)
{
    uint32_t before = 0; /* arrays that are written */
    for (uint32_t i = 0; i < request->argument_count && request->traced > 0; i++) {
        const ControlArgument *argument = &request->arguments[i];
        const bool is_written = argument_role_is_written(argument->role) && argument->element_bytes > 0;
        if (is_written && before == request->traced_output &&
            request->traced <= argument->span.bytes / argument->element_bytes)
            return broker->arrays[i] + (request->traced - 1) * argument->element_bytes;
        before += is_written;
    }
    return 0;
}

void broker_profile_begin(Broker *broker, const ControlRequest *request)
{
    if (broker->profile == NULL)
        return;
    memset(broker->profile, 0, sizeof *broker->profile);
    broker->profile->trace.address = traced_address(broker, request);
    broker->device->simulation->set_profile(broker->device, broker->profile);
}

void broker_profile_end(Broker *broker)
{
    if (broker->profile != NULL)
        broker->device->simulation->set_profile(broker->device, NULL);
}

/* ==== broker stream =============================================================================================== */

bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream)
{
    *stream = number == 0 ? NULL : handles_get(&broker->streams, number);
    return number == 0 || *stream != NULL;
}

/* What the host does after the answer can depend on how long the device has taken. */
static CudaError learned(Broker *broker, CudaError answer)
{
    if (answer != DEVICE_HOST_TURN)
        broker_host_work_learned(broker);
    return answer;
}

CudaError serve_synchronize(Broker *broker, RingReply *reply)
{
    return learned(broker, broker->device->streams->synchronize_all(broker->device));
}

CudaError serve_stream_new(Broker *broker, RingReply *reply)
{
    static const DeviceStreamKind kinds[] = {[RING_STREAM_BLOCKING] = DEVICE_STREAM_BLOCKING,
                                             [RING_STREAM_OF_THREAD] = DEVICE_STREAM_OF_THREAD,
                                             [RING_STREAM_NON_BLOCKING] = DEVICE_STREAM_NON_BLOCKING,
                                             [RING_STREAM_OF_GRAPH] = DEVICE_STREAM_OF_GRAPH};
    const uint64_t kind = broker_words(broker)[0];
    DeviceStream *stream;
    if (kind > RING_STREAM_OF_GRAPH) {
        broker_malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    TRY(broker->device->streams->create(broker->device, kinds[kind], &stream));
    reply->value[0] = handles_add(&broker->streams, stream);
    if (reply->value[0] == 0)
        broker->device->streams->destroy(broker->device, stream);
    return reply->value[0] == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

CudaError serve_stream_free(Broker *broker, RingReply *reply)
{
    DeviceStream *stream = handles_remove(&broker->streams, broker_words(broker)[0]);
    return stream == NULL ? CUDA_ERROR_INVALID_RESOURCE_HANDLE
                          : broker->device->streams->destroy(broker->device, stream);
}

CudaError serve_stream_synchronize(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return learned(broker, broker->device->streams->synchronize(broker->device, stream));
}

CudaError serve_stream_query(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return learned(broker, broker->device->streams->query(broker->device, stream));
}

static BrokerEvent *event_of(Broker *broker, int position)
{
    return handles_get(&broker->events, broker_words(broker)[position]);
}

CudaError serve_stream_wait(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 1);
    if (!broker_stream(broker, broker_words(broker)[0], &stream) || event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->streams->wait_event(broker->device, stream, event->event);
}

CudaError serve_host_call(Broker *broker, RingReply *reply)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    DeviceStream *stream;
    bool is_due = false;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (simulation == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = simulation->host_call(broker->device, stream, &reply->value[0], &is_due);
    reply->value[1] = is_due;
    return error;
}

CudaError serve_event_new(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = calloc(1, sizeof *event);
    if (event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    event->untimed = broker_words(broker)[0] != 0;
    CudaError error = broker->device->events->create(broker->device, !event->untimed, &event->event);
    if (error == CUDA_ERROR_SUCCESS) {
        reply->value[0] = handles_add(&broker->events, event);
        if (reply->value[0] != 0)
            return CUDA_ERROR_SUCCESS;
        broker->device->events->destroy(broker->device, event->event);
        error = CUDA_ERROR_MEMORY_ALLOCATION;
    }
    free(event);
    return error;
}

CudaError serve_event_free(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = handles_remove(&broker->events, broker_words(broker)[0]);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->events->destroy(broker->device, event->event);
    free(event);
    return error;
}

CudaError serve_event_record(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL || !broker_stream(broker, broker_words(broker)[1], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->events->record(broker->device, event->event, stream);
}

CudaError serve_event_synchronize(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return learned(broker, broker->device->events->synchronize(broker->device, event->event));
}

CudaError serve_event_query(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return learned(broker, broker->device->events->query(broker->device, event->event));
}

CudaError serve_event_elapsed(Broker *broker, RingReply *reply)
{
    BrokerEvent *start = event_of(broker, 0), *stop = event_of(broker, 1);
    double seconds = 0;
    if (start == NULL || stop == NULL || start->untimed || stop->untimed)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->events->elapsed(broker->device, start->event, stop->event, &seconds);
    memcpy(&reply->value[0], &seconds, sizeof seconds);
    return learned(broker, error);
}

/* ==== broker launch =============================================================================================== */

static void note_launch_error(Broker *broker, CudaError error, const BrokerFunction *known, const LaunchShape *shape,
                              LaunchLimit limit, const char *hint)
{
    const uint32_t *grid = shape->grid, *block = shape->block;
    char name[120], what[200];
    symbol_name(known->name, name, sizeof name);
    snprintf(what, sizeof what, "launch of %s<<<(%u,%u,%u),(%u,%u,%u)>>>", name, grid[0], grid[1], grid[2], block[0],
             block[1], block[2]);
    broker_note_error(broker, (Mistake){.kind = MISTAKE_LAUNCH_REFUSED, .limit = limit}, error, what, hint);
}

static CudaError launch_known(Broker *broker, const BrokerFunction *known, const DeviceFunctionInfo *info,
                              const DeviceLaunch *launch)
{
    Device *device = broker->device;
    DeviceFault fault;
    LaunchLimit limit;
    char hint[200];
    if (broker_has_fault(broker, &fault))
        return device->kernels->launch(device, launch);
    launch_check(&device->info, info, &launch->shape, &limit, hint, sizeof hint);
    CudaError error = device->kernels->launch(device, launch);
    broker->launches += error == CUDA_ERROR_SUCCESS;
    note_launch_error(broker, error, known, &launch->shape, limit, hint);
    if (broker_has_fault(broker, &fault) && fault.kind == DEVICE_TIME_LIMIT)
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
        note_launch_error(broker, CUDA_ERROR_INVALID_RESOURCE_HANDLE, known, &launch.shape, LAUNCH_STREAM,
                          "there is no such stream");
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    }
    if (launch.is_cooperative && !fits_at_once(broker->device, &launch)) {
        note_launch_error(broker, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, known, &launch.shape, LAUNCH_COOPERATIVE,
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
