#include "harness/broker/broker_arrays.h"

#include "base/random.h"
#include "harness/broker/broker_fault.h"

#include <string.h>

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
        broker_require(broker, broker->device->memory->alloc(broker->device, spacer + bytes, &both), "allocation");
        address = both + spacer;
        release(broker, &both);
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
    else if (output->float_output || request->samples_blocks)
        for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
            pattern[i] = call_poison_word(output->poison_bits, output->float_output, i);
    else
        fill_with_random(broker, pattern, sizeof pattern);
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
        if (argument->role == ARGUMENT_INPUT)
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

static CudaError give_output(Broker *broker, bool exchanged, const ControlSpan *span, uint64_t address)
{
    Device *device = broker->device;
    if (exchanged)
        return device->exchange->put(device, span->offset, address, span->bytes);
    return device->copies->read(device, broker->buffers + span->offset, address, span->bytes, NULL);
}

void broker_arrays_give(Broker *broker, const ControlRequest *request)
{
    for (uint32_t i = 0; i < request->argument_count && broker_is_ok(broker); i++)
        if (request->arguments[i].role == ARGUMENT_OUTPUT)
            broker_require(broker,
                           give_output(broker, request->exchanged, &request->arguments[i].span, broker->arrays[i]),
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
