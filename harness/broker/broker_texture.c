#include "harness/broker/broker_texture.h"

#include "harness/broker/broker_host_work.h"
#include "harness/broker/broker_memory.h"
#include "harness/broker/broker_note.h"
#include "harness/broker/broker_stream.h"
#include "harness/device/array_check.h"

#include <stdlib.h>
#include <string.h>

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
    CudaError error = from.host == NULL ? CUDA_ERROR_SUCCESS : broker_finish(broker, stream, asked->wait);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (to.host == NULL && from.host == NULL && to.array == NULL)
        broker_note_device_copy(broker, to.address);
    error = broker->device->arrays->copy_box(broker->device, &to, &from, &box, stream);
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
    if (error != CUDA_ERROR_SUCCESS)
        return error;
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

/* Fills in where the texture reads. False unless all of it is an existing array, or memory that the submission may
 * read. */
static bool find_resource(Broker *broker, const RingTexture *asked, DeviceTexture *texture)
{
    uint64_t row_bytes, bytes = asked->bytes;
    if (asked->array != 0)
        return find_array(broker, asked->array, texture);
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
    CudaError error = broker->device->textures->create_surface(broker->device, known->array, &reply->value[0]);
    if (error == CUDA_ERROR_SUCCESS)
        surfaces->number[surfaces->count++] = reply->value[0];
    return error;
}

CudaError serve_surface_free(Broker *broker, RingReply *reply)
{
    return free_one(broker, &broker->surfaces, broker->device->textures->destroy_surface);
}
