/* A tensor map leads only to memory of the submission when the broker makes it. A submission can write the bytes of another
 * one by itself: on a real GPU it then reaches what an address in a kernel reaches (docs/explanation/security.md).  */
#include "harness/broker/broker_memory.h"

#include "base/random.h"
#include "harness/broker/broker_launch.h"
#include "harness/device/launch_check.h"

#include <stdlib.h>
#include <string.h>

/* ==== broker arrays =============================================================================================== */

enum { PIECE_BYTES = 64 * 1024, PAGE_BYTES = 4096, SPACER_PAGES = 4096 };

static void fill_with_random(Broker *broker, void *bytes, size_t count)
{
    Message why;
    Status status = random_bytes(bytes, count, &why);
    if (status != STATUS_OK && broker_is_ok(broker)) {
        broker->reply.status = status;
        broker->reply.why = why;
    }
}

/* ---- before the call --------------------------------------------------------------------------------------------- */

/* 1 to SPACER_PAGES pages, a number of 12 bits from the kernel's random number generator. */
static uint64_t spacer_bytes(Broker *broker)
{
    uint16_t pages = 0;
    fill_with_random(broker, &pages, sizeof pages);
    return (1 + pages % SPACER_PAGES) * (uint64_t)PAGE_BYTES;
}

static void release(Broker *broker, uint64_t *address)
{
    if (*address != 0)
        broker_require(broker, broker->device->memory->release(broker->device, *address), "release");
    *address = 0;
}

static void place_at(Broker *broker, size_t array, uint64_t address, uint64_t bytes)
{
    if (broker_is_ok(broker))
        broker_require(broker, broker->device->memory->alloc_at(broker->device, address, bytes), "allocation");
    broker->arrays[array] = broker_is_ok(broker) ? address : 0;
}

/* Behind a spacer, in the first gap that holds both: a gap that held the array alone would give it the same place again
 * and again. The spacer is drawn again if the array would lie where it lay in the last call. */
static void place_elsewhere(Broker *broker, size_t array, uint64_t bytes)
{
    uint64_t address;
    do {
        const uint64_t spacer = spacer_bytes(broker);
        uint64_t both = 0;
        broker_require(broker, broker->device->memory->find_room(broker->device, spacer + bytes, &both), "allocation");
        address = both + spacer;
    } while (broker_is_ok(broker) && address == broker->last_arrays[array]);
    place_at(broker, array, address, bytes);
}

/* Before each array is a spacer of random size. So in every call each array has another address, and another distance
 * from the others: a submission cannot keep results by address. Only a call that is meant to find one that does gets the
 * addresses of the last call again. */
void broker_arrays_allocate(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    const uint64_t before = device->memory->allocated_bytes(device);
    device->memory->set_limit(device, device->info.memory_bytes);
    for (uint32_t i = 0; i < request->argument_count && broker_is_ok(broker); i++) {
        const uint64_t bytes = request->arguments[i].span.bytes;
        if (!control_is_array(&request->arguments[i]))
            continue;
        if (request->repeats_addresses && broker->last_arrays[i] != 0)
            place_at(broker, i, broker->last_arrays[i], bytes);
        else
            place_elsewhere(broker, i, bytes);
    }
    device->memory->set_limit(device, device->memory->allocated_bytes(device) - before + broker->limits.device_bytes);
}

/* Fills the output, so that an element which the kernel does not write cannot look like a result of this call or of an
 * earlier one. */
static void poison(Broker *broker, const ControlArgument *output, const ControlRequest *request, uint64_t address)
{
    static uint32_t pattern[PIECE_BYTES / sizeof(uint32_t)];
    if (request->uninitialised_byte != 0)
        memset(pattern, request->uninitialised_byte, sizeof pattern);
    else
        for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
            pattern[i] = call_poison_word(output->poison_bits, output->float_output, i);
    uint64_t bytes = output->span.bytes, done = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    broker_require(broker, broker->device->copies->write(broker->device, address, pattern, done, NULL), "poisoning");
    /* Before the copies, which would carry the origin along to the whole output. */
    broker->device->memory->forget_origin(broker->device, address, bytes);
    while (done < bytes && broker_is_ok(broker)) { /* doubles the part that is filled */
        uint64_t count = done < bytes - done ? done : bytes - done;
        broker_require(broker, broker->device->copies->copy(broker->device, address + done, address, count, NULL),
                       "poisoning");
        done += count;
    }
}

static void pin_buffers(Broker *broker)
{
    if (!broker->buffers_pinned)
        device_pin(broker->device, broker->buffers, broker->buffer_bytes);
    broker->buffers_pinned = true;
}

static CudaError take_input(Broker *broker, bool exchanged, const ControlSpan *span, uint64_t address)
{
    Device *device = broker->device;
    if (exchanged)
        return device->exchange->take(device, address, span->offset, span->bytes);
    return device->copies->write(device, address, broker->buffers + span->offset, span->bytes, NULL);
}

void broker_arrays_fill(Broker *broker, const ControlRequest *request)
{
    if (!request->exchanged)
        pin_buffers(broker);
    for (uint32_t i = 0; i < request->argument_count && broker_is_ok(broker); i++) {
        const ControlArgument *argument = &request->arguments[i];
        broker->output_bytes[i] = argument->role == ARGUMENT_OUTPUT ? argument->span.bytes : 0;
        if (argument_role_is_read(argument->role))
            broker_require(broker, take_input(broker, request->exchanged, &argument->span, broker->arrays[i]),
                           "copy of the inputs");
        else if (argument->role == ARGUMENT_OUTPUT)
            poison(broker, argument, request, broker->arrays[i]);
    }
}

/* ---- after the call ---------------------------------------------------------------------------------------------- */

/* Reads a piece at a time: a whole copy of the inputs would double the host memory that a grading needs. */
static bool input_changed(Broker *broker, const ControlArgument *input, uint64_t address)
{
    static uint8_t piece[PIECE_BYTES];
    for (uint64_t done = 0; done < input->span.bytes && broker_is_ok(broker); done += PIECE_BYTES) {
        uint64_t left = input->span.bytes - done, count = left < PIECE_BYTES ? left : PIECE_BYTES;
        broker_require(broker, broker->device->copies->read(broker->device, piece, address + done, count, NULL),
                       "reading");
        if (broker_is_ok(broker) && memcmp(piece, broker->buffers + input->span.offset + done, count) != 0)
            return true;
    }
    return false;
}

/* An output that looks as the host left it convicts only in timed calls. Their data are random: no kernel computes from
 * them what the host had put there before. In a fixed case it may, for example from an image of one value. */
static void find_origin(Broker *broker, const ControlArgument *output, bool is_untimed, uint64_t address)
{
    CallReport *report = &broker->reply.report;
    ContentOrigin origin = ORIGIN_UNKNOWN;
    broker_require(broker,
                   broker->device->memory->origin(broker->device, address, output->span.bytes,
                                                  output->element_bytes > 0 ? output->element_bytes : 1, &origin),
                   "reading of the output");
    if (origin == ORIGIN_LIKE_HOST)
        origin = is_untimed ? ORIGIN_KERNELS : ORIGIN_HOST;
    if (origin > report->output_origin)
        report->output_origin = origin;
}

static CudaError give_output(Broker *broker, bool exchanged, const ControlArgument *output, uint64_t address)
{
    Device *device = broker->device;
    const uint64_t bytes = output->span.bytes,
                   offset = output->span.offset + argument_result_offset(output->role, bytes);
    if (exchanged)
        return device->exchange->put(device, offset, address, bytes);
    return device->copies->read(device, broker->buffers + offset, address, bytes, NULL);
}

void broker_arrays_give(Broker *broker, const ControlRequest *request)
{
    for (uint32_t i = 0; i < request->argument_count && broker_is_ok(broker); i++)
        if (argument_role_is_written(request->arguments[i].role))
            broker_require(broker, give_output(broker, request->exchanged, &request->arguments[i], broker->arrays[i]),
                           "reading of the output");
}

void broker_arrays_examine(Broker *broker, const ControlRequest *request)
{
    CallReport *report = &broker->reply.report;
    for (uint32_t i = 0; i < request->argument_count && broker_is_ok(broker); i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (argument->role == ARGUMENT_INPUT && request->check_inputs)
            report->input_changed = report->input_changed || input_changed(broker, argument, broker->arrays[i]);
        else if (argument->role == ARGUMENT_OUTPUT)
            find_origin(broker, argument, request->is_untimed, broker->arrays[i]);
    }
}

void broker_arrays_release(Broker *broker)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++) {
        broker->last_arrays[i] = broker->arrays[i];
        broker->output_bytes[i] = 0;
        release(broker, &broker->arrays[i]);
    }
}

/* ==== broker memory =============================================================================================== */

static bool is_judges_array(const Broker *broker, uint64_t address)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++)
        if (broker->arrays[i] != 0 && broker->arrays[i] == address)
            return true;
    return false;
}

/* A copy within the device is about to write to `address`. A copy before the first kernel only prepares the output; after it, it is the result that is copied. */
static void broker_note_device_copy(Broker *broker, uint64_t address)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS && broker->launches > 0; i++)
        broker->reply.report.output_copied |= address - broker->arrays[i] < broker->output_bytes[i];
}

CudaError serve_alloc(Broker *broker, RingReply *reply)
{
    uint64_t bytes = broker_words(broker)[0];
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker->allocation_count >= BROKER_MAX_ALLOCATIONS
                          ? CUDA_ERROR_MEMORY_ALLOCATION
                          : broker->device->memory->alloc(broker->device, bytes, &reply->value[0]);
    broker->allocation_count += error == CUDA_ERROR_SUCCESS;
    if (error == CUDA_ERROR_MEMORY_ALLOCATION)
        broker->reply.report.allocation_refused = true;
    return error;
}

/* solve() may not free the arrays of the call: the judge still reads them. */
CudaError serve_release(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0];
    if (is_judges_array(broker, address))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker->device->memory->release(broker->device, address);
    broker->allocation_count -= error == CUDA_ERROR_SUCCESS && broker->allocation_count > 0;
    return error;
}

CudaError serve_memory_info(Broker *broker, RingReply *reply)
{
    uint64_t all = broker->device->info.memory_bytes;
    uint64_t used = broker->device->memory->allocated_bytes(broker->device);
    reply->value[0] = used < all ? all - used : 0;
    reply->value[1] = all;
    return CUDA_ERROR_SUCCESS;
}

/* True if the bytes lie in one allocation (the submission's or an array of the call) or in one variable. */
static bool broker_owns(Broker *broker, uint64_t address, uint64_t bytes)
{
    return bytes <= DEVICE_SPAN && broker->device->memory->owns(broker->device, address, bytes);
}

CudaError serve_owned(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0], bytes = broker_words(broker)[1];
    return broker_owns(broker, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Copies of managed memory do not wait for operations on a device where those may wait. */
static const DeviceCopyOps *copies_of(const Broker *broker, uint64_t wait)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return wait == RING_AT_ONCE && simulation != NULL ? simulation->copies_at_once : broker->device->copies;
}

/* If the host waits (RingWait), carries out what the stream holds, on a device where operations may wait. */
static CudaError broker_finish(Broker *broker, DeviceStream *stream, uint64_t wait)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return wait == RING_HOST_WAITS && simulation != NULL ? simulation->finish(broker->device, stream)
                                                         : CUDA_ERROR_SUCCESS;
}

CudaError serve_write(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], bytes = broker_words(broker)[1], wait = broker_words(broker)[3];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    TRY(broker_finish(broker, stream, wait));
    TRY(copies_of(broker, wait)->write(broker->device, to, broker->reader.ring->staging, bytes, stream));
    broker_host_work_copied(broker, bytes, false);
    return broker_finish(broker, stream, wait);
}

CudaError serve_read(Broker *broker, RingReply *reply)
{
    uint64_t from = broker_words(broker)[0], bytes = broker_words(broker)[1], wait = broker_words(broker)[3];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = copies_of(broker, wait)->read(broker->device, broker->reader.ring->staging, from, bytes, stream);
    if (error != DEVICE_HOST_TURN)
        broker_host_work_copied(broker, bytes, true);
    return error;
}

CudaError serve_copy(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], from = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes) || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    broker_note_device_copy(broker, to);
    return broker->device->copies->copy(broker->device, to, from, bytes, stream);
}

CudaError serve_fill(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], value = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->copies->fill(broker->device, to, (uint8_t)value, bytes, stream);
}

CudaError serve_settle(Broker *broker, RingReply *reply)
{
    return broker_settle(broker);
}

CudaError broker_settle(Broker *broker)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return simulation == NULL ? CUDA_ERROR_SUCCESS : simulation->settle(broker->device);
}

CudaError serve_renew(Broker *broker, RingReply *reply)
{
    const uint64_t *words = broker_words(broker);
    const DeviceSimulationOps *simulation = broker->device->simulation;
    DeviceStream *stream;
    if (!broker_stream(broker, words[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (simulation == NULL || !broker_owns(broker, words[0], words[1]))
        return CUDA_ERROR_INVALID_VALUE;
    return simulation->renew(broker->device, words[0], words[1], words[3] == RING_FREED, stream);
}

/* ==== broker texture ============================================================================================== */

static const void *body(const Broker *broker)
{
    return broker->record.body;
}

/* ---- copies and fills -------------------------------------------------------------------------------------------- */

/* Translates a place of the ring. False unless the box lies within it, and it belongs to the submission. */
static bool place_of(Broker *broker, const RingPlace *asked, const DeviceBox *box, DevicePlace *place)
{
    uint64_t bytes;
    if (asked->kind == RING_IN_ARRAY) {
        const BrokerArray *known = handles_get(&broker->cuda_arrays, asked->at);
        *place = (DevicePlace){.x_bytes = asked->x_bytes, .y = asked->y, .z = asked->z};
        place->array = known == NULL ? NULL : known->array;
        return known != NULL && array_holds(&known->shape, place, box);
    }
    *place = (DevicePlace){.pitch = asked->pitch, .slice_rows = asked->slice_rows};
    if (!box_span(place, box, &bytes))
        return false;
    if (asked->kind == RING_IN_STAGING) {
        bool fits = asked->at <= RING_STAGING_BYTES && bytes <= RING_STAGING_BYTES - asked->at;
        place->host = fits ? broker->reader.ring->staging + asked->at : NULL;
        return fits;
    }
    place->address = asked->at;
    return asked->kind == RING_IN_MEMORY && broker_owns(broker, asked->at, bytes);
}

CudaError serve_copy_box(Broker *broker, RingReply *reply)
{
    const RingCopyBox *asked = body(broker);
    const DeviceBox box = {asked->width_bytes, asked->height, asked->depth};
    DevicePlace to, from;
    DeviceStream *stream;
    if (!broker_stream(broker, asked->stream, &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!place_of(broker, &asked->to, &box, &to) || !place_of(broker, &asked->from, &box, &from) ||
        (to.host != NULL && from.host != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    TRY(from.host == NULL ? CUDA_ERROR_SUCCESS : broker_finish(broker, stream, asked->wait));
    if (to.host == NULL && from.host == NULL && to.array == NULL)
        broker_note_device_copy(broker, to.address);
    CudaError error = broker->device->arrays->copy_box(broker->device, &to, &from, &box, stream);
    if (error == CUDA_ERROR_SUCCESS && from.host != NULL)
        error = broker_finish(broker, stream, asked->wait);
    if (error != DEVICE_HOST_TURN && (to.host != NULL || from.host != NULL))
        broker_host_work_copied(broker, box.width_bytes * box.height * box.depth, to.host != NULL);
    return error;
}

/* The host's work counts from here on, as if it had the data already. */
CudaError serve_copy_away(Broker *broker, RingReply *reply)
{
    const RingCopyBox *asked = body(broker);
    const DeviceSimulationOps *simulation = broker->device->simulation;
    const DeviceBox box = {asked->width_bytes, asked->height, asked->depth};
    const DevicePlace packed = {.pitch = box.width_bytes, .slice_rows = box.height};
    bool to_device = asked->from.kind == RING_IN_RUNNER, is_due = false;
    const RingPlace *there = to_device ? &asked->to : &asked->from, *away = to_device ? &asked->from : &asked->to;
    DevicePlace place;
    DeviceStream *stream;
    uint64_t bytes;
    if (!broker_stream(broker, asked->stream, &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (simulation == NULL || (asked->to.kind == RING_IN_RUNNER) == to_device || there->kind == RING_IN_STAGING ||
        !box_span(&packed, &box, &bytes) || bytes > RING_STAGING_BYTES || !place_of(broker, there, &box, &place))
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = simulation->copy_away(broker->device, &place, &box, to_device, away->at, stream, &reply->value[0],
                                            &is_due);
    reply->value[1] = is_due;
    if (error == CUDA_ERROR_SUCCESS)
        broker_host_work_copied(broker, bytes, !to_device);
    return error;
}

CudaError serve_turn(Broker *broker, RingReply *reply)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return simulation == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : simulation->take_turn(broker->device, broker_words(broker)[0], broker->reader.ring->staging);
}

CudaError serve_fill_rows(Broker *broker, RingReply *reply)
{
    const RingFillRows *asked = body(broker);
    const RingPlace asked_place = {.kind = RING_IN_MEMORY, .at = asked->to, .pitch = asked->pitch};
    const DeviceBox box = {asked->width_bytes, asked->height, 1};
    DevicePlace place;
    DeviceStream *stream;
    if (!broker_stream(broker, asked->stream, &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!place_of(broker, &asked_place, &box, &place))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->arrays->fill_rows(broker->device, asked->to, asked->pitch, (uint8_t)asked->value,
                                             asked->width_bytes, asked->height, stream);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* False if the number is not a RingFormat. */
static bool format_of(uint32_t asked, DeviceFormat *format)
{
    static const DeviceFormat formats[RING_FORMAT_COUNT] = {
        [RING_UINT8] = DEVICE_UINT8,     [RING_UINT16] = DEVICE_UINT16,   [RING_UINT32] = DEVICE_UINT32,
        [RING_SINT8] = DEVICE_SINT8,     [RING_SINT16] = DEVICE_SINT16,   [RING_SINT32] = DEVICE_SINT32,
        [RING_FLOAT16] = DEVICE_FLOAT16, [RING_FLOAT32] = DEVICE_FLOAT32,
    };
    if (asked == 0 || asked >= RING_FORMAT_COUNT)
        return false;
    *format = formats[asked];
    return true;
}

static CudaError make_array(Broker *broker, BrokerArray *made, uint64_t *number)
{
    CudaError error = broker->device->arrays->create(broker->device, &made->shape, &made->array);
    if (error == CUDA_ERROR_MEMORY_ALLOCATION)
        broker->reply.report.allocation_refused = true;
    TRY(error);
    *number = handles_add(&broker->cuda_arrays, made);
    if (*number != 0)
        return CUDA_ERROR_SUCCESS;
    broker->device->arrays->destroy(broker->device, made->array);
    return CUDA_ERROR_MEMORY_ALLOCATION;
}

CudaError serve_array_new(Broker *broker, RingReply *reply)
{
    const RingArray *asked = body(broker);
    DeviceShape shape = {.width = asked->width,
                         .height = asked->height,
                         .depth = asked->depth,
                         .channels = asked->channels,
                         .gather = (asked->flags & RING_ARRAY_GATHER) != 0,
                         .layered = (asked->flags & RING_ARRAY_LAYERED) != 0,
                         .surface = (asked->flags & RING_ARRAY_SURFACE) != 0};
    uint64_t bytes;
    const uint64_t known_flags = RING_ARRAY_GATHER | RING_ARRAY_LAYERED | RING_ARRAY_SURFACE;
    if (!format_of(asked->format, &shape.format) || !array_check(&shape, &bytes) || (asked->flags & ~known_flags) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    BrokerArray *made = malloc(sizeof *made);
    if (made == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    *made = (BrokerArray){.shape = shape};
    CudaError error = make_array(broker, made, &reply->value[0]);
    if (error != CUDA_ERROR_SUCCESS)
        free(made);
    return error;
}

CudaError serve_array_free(Broker *broker, RingReply *reply)
{
    CudaError error = broker_settle(broker);
    if (error == DEVICE_HOST_TURN)
        return error;
    BrokerArray *known = handles_remove(&broker->cuda_arrays, broker_words(broker)[0]);
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    error = broker->device->arrays->destroy(broker->device, known->array);
    free(known);
    return error;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static bool find_array(Broker *broker, uint64_t number, DeviceTexture *texture)
{
    const BrokerArray *known = handles_get(&broker->cuda_arrays, number);
    if (known == NULL)
        return false;
    texture->array = known->array;
    texture->format = known->shape.format;
    texture->channels = known->shape.channels;
    return true;
}

/* False: CUDA has no such mipmapped array. Each level is half as large as the one before, which the runtime library sees to; here a level
 * of another size does no harm. */
static bool find_levels(Broker *broker, const RingTexture *asked, DeviceTexture *texture)
{
    texture->levels = asked->levels;
    texture->level_filter = (DeviceFilterMode)asked->level_filter;
    texture->level_bias = asked->level_bias;
    texture->least_level = asked->least_level;
    texture->most_level = asked->most_level;
    bool fits = asked->levels <= DEVICE_MAX_LEVELS && asked->level_filter < DEVICE_FILTER_MODES &&
                asked->normalized != 0 && asked->level[0] == asked->array;
    for (uint32_t i = 0; i < asked->levels && fits; i++) {
        const BrokerArray *known = handles_get(&broker->cuda_arrays, asked->level[i]);
        fits = known != NULL && known->shape.format == texture->format && known->shape.channels == texture->channels;
        texture->level[i] = fits ? known->array : NULL;
    }
    return fits;
}

/* Fills in where the texture reads. False unless all of it is an existing array, or memory that the submission may
 * read. */
static bool find_resource(Broker *broker, const RingTexture *asked, DeviceTexture *texture)
{
    uint64_t row_bytes, bytes = asked->bytes;
    if (asked->array != 0)
        return find_array(broker, asked->array, texture) && (asked->levels == 0 || find_levels(broker, asked, texture));
    if (!format_of(asked->format, &texture->format))
        return false;
    texture->channels = asked->channels;
    uint64_t element = array_element_bytes(texture->format, texture->channels);
    if (element == 0)
        return false;
    if (asked->bytes == 0) {
        const DevicePlace rows = {.pitch = asked->pitch};
        bool fits = !__builtin_mul_overflow(asked->width, element, &row_bytes);
        const DeviceBox box = {row_bytes, asked->height, 1};
        if (!fits || !box_span(&rows, &box, &bytes))
            return false;
    }
    return broker_owns(broker, asked->address, bytes);
}

static bool texture_of(Broker *broker, const RingTexture *asked, DeviceTexture *texture)
{
    *texture = (DeviceTexture){.address = asked->address,
                               .bytes = asked->bytes,
                               .width = asked->width,
                               .height = asked->height,
                               .pitch = asked->pitch,
                               .filter_mode = (DeviceFilterMode)asked->filter_mode,
                               .as_integer = asked->as_integer != 0,
                               .normalized = asked->normalized != 0,
                               .srgb = asked->srgb != 0,
                               .max_anisotropy = asked->max_anisotropy};
    memcpy(texture->border, asked->border, sizeof texture->border);
    for (size_t i = 0; i < 3; i++) {
        texture->address_mode[i] = (DeviceAddressMode)asked->address_mode[i];
        if (asked->address_mode[i] >= DEVICE_ADDRESS_MODES)
            return false;
    }
    return asked->filter_mode < DEVICE_FILTER_MODES && find_resource(broker, asked, texture);
}

CudaError serve_texture_new(Broker *broker, RingReply *reply)
{
    BrokerTextures *textures = &broker->textures;
    DeviceTexture texture;
    if (!texture_of(broker, body(broker), &texture))
        return CUDA_ERROR_INVALID_VALUE;
    if (textures->count == BROKER_MAX_TEXTURES)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    CudaError error = broker->device->textures->create(broker->device, &texture, &reply->value[0]);
    if (error == CUDA_ERROR_SUCCESS)
        textures->number[textures->count++] = reply->value[0];
    if (error == CUDA_ERROR_NOT_SUPPORTED && broker->device->info.modelled)
        broker_note_missing(broker, "cudaCreateTextureObject with sRGB", "the simulated GPU has no sRGB textures");
    else if (error == CUDA_ERROR_NOT_SUPPORTED)
        broker_note_missing(broker, "cudaCreateTextureObject of a mipmapped array with several levels",
                            "only the simulated GPU has them here");
    return error;
}

/* Only numbers that the driver gave are passed to it: for other numbers its behaviour is not documented. */
static CudaError free_one(Broker *broker, BrokerTextures *all, CudaError (*destroy)(Device *device, uint64_t handle))
{
    uint64_t number = broker_words(broker)[0];
    if (broker_settle(broker) == DEVICE_HOST_TURN)
        return DEVICE_HOST_TURN;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->number[i] == number) {
            all->number[i] = all->number[--all->count];
            return destroy(broker->device, number);
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CudaError serve_texture_free(Broker *broker, RingReply *reply)
{
    return free_one(broker, &broker->textures, broker->device->textures->destroy);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

CudaError serve_surface_new(Broker *broker, RingReply *reply)
{
    BrokerTextures *surfaces = &broker->surfaces;
    const BrokerArray *known = handles_get(&broker->cuda_arrays, broker_words(broker)[0]);
    if (known == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (surfaces->count == BROKER_MAX_TEXTURES)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    TRY(broker->device->textures->create_surface(broker->device, known->array, &reply->value[0]));
    surfaces->number[surfaces->count++] = reply->value[0];
    return CUDA_ERROR_SUCCESS;
}

CudaError serve_surface_free(Broker *broker, RingReply *reply)
{
    return free_one(broker, &broker->surfaces, broker->device->textures->destroy_surface);
}

/* ==== broker tensor =============================================================================================== */

#define TENSOR_CALL "cuTensorMapEncodeTiled"

enum { MOST_PROMOTION = 3, MOST_FILL = 1 };

static DeviceTensor tensor_of(const RingTensor *asked)
{
    DeviceTensor tensor = {.address = asked->address,
                           .rank = asked->rank,
                           .type = (DeviceTensorType)asked->type,
                           .swizzle = (DeviceTensorSwizzle)asked->swizzle,
                           .promotion = asked->promotion,
                           .fills_nan = asked->fill != 0};
    memcpy(tensor.extents, asked->extents, sizeof tensor.extents);
    memcpy(tensor.strides, asked->strides, sizeof tensor.strides);
    memcpy(tensor.box, asked->box, sizeof tensor.box);
    memcpy(tensor.steps, asked->steps, sizeof tensor.steps);
    return tensor;
}

/* Names a part of CUDA that the judge does not provide; NULL: none is asked for. */
static const char *not_provided(const RingTensor *asked)
{
    if (asked->interleave != 0)
        return "this judge has no interleaved tensors";
    if (asked->type >= DEVICE_TENSOR_TYPES)
        return "this judge has no tensors of this type";
    return asked->swizzle >= DEVICE_TENSOR_SWIZZLES ? "this judge has no swizzle of this kind" : NULL;
}

static const char *refusal(Broker *broker, const RingTensor *asked, const DeviceTensor *tensor)
{
    uint64_t bytes;
    const char *why = tensor_refusal(tensor);
    if (why == NULL && (asked->promotion > MOST_PROMOTION || asked->fill > MOST_FILL))
        return "there is no such L2 promotion or fill";
    if (why == NULL && (!tensor_span(tensor, &bytes) || !broker_owns(broker, tensor->address, bytes)))
        return "the tensor does not lie within one allocation";
    return why;
}

CudaError serve_tensor_map(Broker *broker, RingReply *reply)
{
    const RingTensor *asked = (const RingTensor *)broker->record.body;
    const char *lack = not_provided(asked);
    if (lack != NULL) {
        broker_note_missing(broker, TENSOR_CALL, lack);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const DeviceTensor tensor = tensor_of(asked);
    const char *why = refusal(broker, asked, &tensor);
    if (why != NULL) {
        broker_note_error(broker, (Mistake){.kind = MISTAKE_CALL_FAILED, .call = TENSOR_CALL}, CUDA_ERROR_INVALID_VALUE,
                          TENSOR_CALL, why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CudaError error = broker->device->tensors->encode(broker->device, &tensor, (uint8_t *)broker->reader.ring->staging);
    if (error == CUDA_ERROR_NOT_SUPPORTED)
        broker_note_missing(broker, TENSOR_CALL, "this device has no tensors of this type");
    return error;
}
