#include "simgpu/memory/texture.h"

#include "base/arena.h"
#include "simgpu/code/lane_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texture objects --------------------------------------------------------------------------------------------- */

/* The same for all devices since compute capability 6.0. Source: cudaDeviceProp, textureAlignment and
 * texturePitchAlignment; CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": the texels
 * of linear memory are the most along an axis of any layout. */
enum { ADDRESS_ALIGNMENT = 512, PITCH_ALIGNMENT = 32, MAX_EXTENT = 1 << 28, MAX_LAYERS = 2048 };
/* The limit of pitched memory: cudaDeviceProp, maxTexture2DLinear. */
enum { MAX_PITCHED_WIDTH = 131072, MAX_PITCHED_HEIGHT = 65000, MAX_PITCHED_BYTES = 2097120 };
static const uint64_t MAX_PITCH = 1ull << 32, MAX_SLICE_BYTES = 1ull << 34;

/* Handles differ from all addresses and from small numbers. */
static const uint64_t first_handle = 0x7E00000000000000;

static uint32_t channel_bytes(SimTexelType type)
{
    static const uint8_t bytes[SIM_TEXEL_TYPES] = {1, 2, 4, 1, 2, 4, 2, 4};
    return bytes[type];
}

static bool reads_floats(const SimTexture *is)
{
    bool is_float = is->type == SIM_TEXEL_F16 || is->type == SIM_TEXEL_F32;
    return is_float || (!is->as_integer && channel_bytes(is->type) < 4);
}

/* Rows and slices do not overlap, and the size of the whole does not overflow. */
static bool extents_are_valid(const SimTexture *is, uint64_t element_bytes)
{
    for (uint32_t i = 0; i < 3; i++)
        if (is->extent[i] == 0 || is->extent[i] > MAX_EXTENT || (i >= is->dimensions && is->extent[i] != 1))
            return false;
    uint64_t row_bytes = is->extent[0] * element_bytes;
    if (is->dimensions > 1 && (is->pitch < row_bytes || is->pitch > MAX_PITCH))
        return false;
    if (is->dimensions < 3 && is->layers == 0)
        return true;
    uint64_t least = is->dimensions > 1 ? is->extent[1] * is->pitch : row_bytes;
    return is->slice_bytes >= least && is->slice_bytes <= MAX_SLICE_BYTES;
}

static bool layers_are_valid(const SimTexture *is)
{
    return is->layers == 0 || (is->layers <= MAX_LAYERS && is->layout == SIM_TEXTURE_ARRAY && is->dimensions < 3);
}

bool texture_is_valid(const SimTexture *is)
{
    static const uint32_t dimensions[] = {[SIM_TEXTURE_LINEAR] = 1, [SIM_TEXTURE_PITCH] = 2};
    if ((uint32_t)is->type >= SIM_TEXEL_TYPES || (is->channels != 1 && is->channels != 2 && is->channels != 4) ||
        is->dimensions < 1 || is->dimensions > 3 || is->address % ADDRESS_ALIGNMENT != 0)
        return false;
    if (is->layout != SIM_TEXTURE_ARRAY && is->dimensions != dimensions[is->layout])
        return false;
    if (is->layout == SIM_TEXTURE_PITCH && (is->pitch % PITCH_ALIGNMENT != 0 || is->pitch > MAX_PITCHED_BYTES ||
                                            is->extent[0] > MAX_PITCHED_WIDTH || is->extent[1] > MAX_PITCHED_HEIGHT))
        return false;
    if (!layers_are_valid(is) || (is->is_surface && is->layout != SIM_TEXTURE_ARRAY))
        return false;
    bool can_filter = !is->filters || is->layout == SIM_TEXTURE_LINEAR || reads_floats(is);
    return can_filter && extents_are_valid(is, (uint64_t)channel_bytes(is->type) * is->channels);
}

static uint32_t slice_count(const SimTexture *is)
{
    return is->layers > 0 ? is->layers : is->extent[2];
}

uint64_t texture_bytes(const SimTexture *is)
{
    uint64_t row = (uint64_t)is->extent[0] * channel_bytes(is->type) * is->channels;
    return (slice_count(is) - 1) * is->slice_bytes + (is->extent[1] - 1) * is->pitch + row;
}

/* The description with what CUDA ignores replaced by what then applies (cudaTextureDesc: address and filter modes of
 * linear memory, and modes that only normalized coordinates have). */
static Texture new_texture(const SimTexture *description, uint64_t handle)
{
    Texture texture = {.handle = handle, .is = *description, .channel_bytes = channel_bytes(description->type)};
    SimTexture *is = &texture.is;
    texture.element_bytes = texture.channel_bytes * is->channels;
    for (int i = 0; i < 3; i++)
        if (!is->normalized && (is->address_mode[i] == SIM_ADDRESS_WRAP || is->address_mode[i] == SIM_ADDRESS_MIRROR))
            is->address_mode[i] = SIM_ADDRESS_CLAMP;
    if (is->layout == SIM_TEXTURE_LINEAR)
        memset(is->border, 0, sizeof is->border);
    return texture;
}

uint64_t texture_add(TextureTable *table, const SimTexture *description)
{
    if (table->count == table->capacity) {
        table->capacity = table->capacity == 0 ? 16 : table->capacity * 2;
        table->textures = allocated(realloc(table->textures, table->capacity * sizeof *table->textures));
    }
    uint64_t handle = first_handle + ++table->made;
    table->textures[table->count++] = new_texture(description, handle);
    return handle;
}

/* The first texture whose handle is not less. */
static size_t place_of(const TextureTable *table, uint64_t handle)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->textures[middle].handle < handle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float texture_level(const SimTexture *description, float asked)
{
    const float level = fminf(fmaxf(asked + description->level_bias, description->least_level),
                              description->most_level);
    return fminf(fmaxf(level, 0), (float)(description->levels - 1)); /* of a NaN: 0 */
}

bool texture_remove(TextureTable *table, uint64_t handle)
{
    size_t place = place_of(table, handle);
    if (place == table->count || table->textures[place].handle != handle)
        return false;
    const SimTexture removed = table->textures[place].is;
    for (uint32_t i = 1; i < removed.levels; i++)
        (void)texture_remove(table, removed.level[i]);
    place = place_of(table, handle);
    table->count--;
    memmove(table->textures + place, table->textures + place + 1, (table->count - place) * sizeof *table->textures);
    return true;
}

const Texture *texture_find(const TextureTable *table, uint64_t handle, bool *was_one)
{
    size_t place = place_of(table, handle);
    *was_one = handle > first_handle && handle - first_handle <= table->made;
    return place < table->count && table->textures[place].handle == handle ? &table->textures[place] : NULL;
}

void texture_table_free(TextureTable *table)
{
    free(table->textures);
    *table = (TextureTable){0};
}

/* ---- from coordinates to texels ---------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The coordinate in texels, clamped to a range that an integer holds; farther outside makes no difference. */
static double position(const SimTexture *is, int axis, float coordinate)
{
    double extent = is->extent[axis], x = is->normalized ? coordinate * extent : coordinate;
    bool repeats = is->address_mode[axis] == SIM_ADDRESS_WRAP || is->address_mode[axis] == SIM_ADDRESS_MIRROR;
    if (repeats && isfinite(x))
        return fmod(x, 2 * extent);
    return !(x > -2) ? -2 : x < extent + 2 ? x : extent + 2; /* NaN lies outside */
}

/* Applies the address mode to a texel's number, as OpenGL does. The guide applies it to coordinates, which differs only
 * where one lies exactly between two texels of a mirrored texture. */
static int32_t outside(SimAddressMode mode, int32_t texel, int32_t extent)
{
    int32_t period = mode == SIM_ADDRESS_MIRROR ? 2 * extent : extent;
    int32_t phase = (texel % period + period) % period;
    switch (mode) {
    case SIM_ADDRESS_BORDER: return -1;
    case SIM_ADDRESS_CLAMP: return texel < 0 ? 0 : extent - 1;
    default: return phase < extent ? phase : period - 1 - phase;
    }
}

static int32_t texel_at(const SimTexture *is, int axis, int32_t texel)
{
    return (uint32_t)texel < is->extent[axis] ? texel
                                              : outside(is->address_mode[axis], texel, (int32_t)is->extent[axis]);
}

/* tex1Dfetch() beyond the end gives the border, and linear memory has a border of zeros. */
static void locate_whole(const SimTexture *is, int axis, const uint32_t *coordinates, TexelAxis *found)
{
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
        found->texel[0][i] = coordinates[i] < is->extent[axis] ? (int32_t)coordinates[i] : -1;
}

static void locate_nearest(const SimTexture *is, int axis, const uint32_t *coordinates, TexelAxis *found)
{
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
        found->texel[0][i] = texel_at(is, axis, (int32_t)floor(position(is, axis, float_of(coordinates[i]))));
}

/* The weights have 8 bits of fraction, and are rounded to nearest. */
static void locate_neighbours(const SimTexture *is, int axis, const uint32_t *coordinates, TexelAxis *found)
{
    enum { FRACTIONS = 256 };
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++) {
        double from_centre = position(is, axis, float_of(coordinates[i])) - 0.5;
        double fractions = floor(from_centre * FRACTIONS + 0.5), first = floor(fractions / FRACTIONS);
        found->texel[0][i] = texel_at(is, axis, (int32_t)first);
        found->texel[1][i] = texel_at(is, axis, (int32_t)first + 1);
        found->weight[i] = (float)(fractions / FRACTIONS - first);
    }
}

/* A layer is chosen by a whole number, and the last one stands for all beyond. */
static void locate_layer(const SimTexture *is, const uint32_t *layers, TexelAxis *found)
{
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
        found->texel[0][i] = (int32_t)(layers[i] < is->layers ? layers[i] : is->layers - 1);
}

void texture_locate(const Texture *texture, const TextureQuery *query, TexelFootprint *footprint)
{
    enum { LAYER_AXIS = 2 };
    const SimTexture *is = &texture->is;
    bool has_neighbours = query->gathered > 0 || (is->filters && !query->whole);
    footprint->corners = has_neighbours ? 1u << is->dimensions : 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        TexelAxis *found = &footprint->axis[axis];
        if (axis >= is->dimensions)
            memset(found->texel[0], 0, sizeof found->texel[0]);
        else
            (query->whole     ? locate_whole
             : has_neighbours ? locate_neighbours
                              : locate_nearest)(is, (int)axis, query->coordinates[axis], found);
    }
    if (query->layers != NULL)
        locate_layer(is, query->layers, &footprint->axis[LAYER_AXIS]);
}

/* ---- from texels to values --------------------------------------------------------------------------------------- */

/* The texels of one corner. */
typedef struct Corner {
    const int32_t *x, *y, *z; /* [32]; any of them is -1 at the border */
} Corner;

static Corner corner_of(const TexelFootprint *footprint, uint32_t corner)
{
    return (Corner){footprint->axis[0].texel[corner & 1], footprint->axis[1].texel[corner >> 1 & 1],
                    footprint->axis[2].texel[corner >> 2 & 1]};
}

/* The smallest part of a tile of an array is 16 bytes of each of two rows. Source: NVIDIA Tegra X1 Technical Reference
 * Manual, "Block Linear". */
static uint64_t sector_at(const SimTexture *is, uint64_t x_bytes, uint64_t y, uint64_t z)
{
    enum { SECTOR_BYTES = 32, TILE_BYTES = 16, TILE_ROWS = 2 };
    bool is_tiled = is->layout == SIM_TEXTURE_ARRAY && is->dimensions > 1;
    return is_tiled ? (z << 20 | y / TILE_ROWS) << 32 | x_bytes / TILE_BYTES
                    : (z * is->slice_bytes + y * is->pitch + x_bytes) / SECTOR_BYTES;
}

void texture_sectors(const Texture *texture, const TexelFootprint *footprint, uint32_t corner,
                     uint64_t sectors[SIM_WARP_SIZE])
{
    const Corner at = corner_of(footprint, corner);
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++) {
        uint64_t x_bytes = (uint64_t)(uint32_t)at.x[i] * texture->element_bytes;
        uint64_t sector = sector_at(&texture->is, x_bytes, (uint32_t)at.y[i], (uint32_t)at.z[i]);
        sectors[i] = (at.x[i] | at.y[i] | at.z[i]) < 0 ? UINT64_MAX : sector;
    }
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The most negative number and the next one both become -1: CUDA C++ Programming Guide 13.0, "Texture Memory". */
static uint32_t mapped(int32_t value, int32_t greatest)
{
    return bits_of(fmaxf((float)value / (float)greatest, -1));
}

static uint32_t decode(const SimTexture *is, const uint8_t *at)
{
    uint16_t unsigned16;
    uint32_t bits;
    int16_t signed16;
    switch (is->type) {
    case SIM_TEXEL_U8: return is->as_integer ? *at : mapped(*at, UINT8_MAX);
    case SIM_TEXEL_S8: return is->as_integer ? (uint32_t)(int8_t)*at : mapped((int8_t)*at, INT8_MAX);
    case SIM_TEXEL_U16:
        memcpy(&unsigned16, at, sizeof unsigned16);
        return is->as_integer ? unsigned16 : mapped(unsigned16, UINT16_MAX);
    case SIM_TEXEL_S16:
        memcpy(&signed16, at, sizeof signed16);
        return is->as_integer ? (uint32_t)signed16 : mapped(signed16, INT16_MAX);
    case SIM_TEXEL_F16: memcpy(&unsigned16, at, sizeof unsigned16); return bits_of(f16_to_f32(unsigned16));
    default: memcpy(&bits, at, sizeof bits); return bits;
    }
}

void texture_addresses(const Texture *texture, const TexelFootprint *footprint, uint32_t corner,
                       uint64_t addresses[SIM_WARP_SIZE])
{
    const SimTexture *is = &texture->is;
    const Corner at = corner_of(footprint, corner);
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++) {
        bool is_border = (at.x[i] | at.y[i] | at.z[i]) < 0;
        addresses[i] = is_border ? 0
                                 : is->address + (uint64_t)at.z[i] * is->slice_bytes + (uint64_t)at.y[i] * is->pitch +
                                       (uint64_t)at.x[i] * texture->element_bytes;
    }
}

/* One channel of one corner, for all lanes. */
static void read_channel(const Texture *texture, const TexelFootprint *footprint, uint32_t corner, uint32_t channel,
                         uint32_t values[SIM_WARP_SIZE])
{
    uint64_t addresses[SIM_WARP_SIZE];
    uint32_t border = bits_of(texture->is.border[channel]);
    texture_addresses(texture, footprint, corner, addresses);
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
        values[i] = addresses[i] == 0 ? border
                                      : decode(&texture->is, (const uint8_t *)(uintptr_t)addresses[i] +
                                                                 channel * texture->channel_bytes);
}

float texture_weight(const Texture *texture, const TexelFootprint *footprint, uint32_t corner, uint32_t lane)
{
    float weight = 1; /* a product of three numbers of 9 bits each: exact */
    for (uint32_t axis = 0; axis < texture->is.dimensions; axis++) {
        float second = footprint->axis[axis].weight[lane];
        weight *= corner >> axis & 1 ? second : 1 - second;
    }
    return weight;
}

/* NVIDIA does not document how the hardware rounds in between. Here the sum is rounded once. */
static void filter_channel(const Texture *texture, const TexelFootprint *footprint, uint32_t channel,
                           uint32_t values[SIM_WARP_SIZE])
{
    double sums[SIM_WARP_SIZE] = {0};
    for (uint32_t corner = 0; corner < footprint->corners; corner++) {
        read_channel(texture, footprint, corner, channel, values);
        for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
            sums[i] += (double)texture_weight(texture, footprint, corner, i) * float_of(values[i]);
    }
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
        values[i] = bits_of((float)sums[i]);
}

/* The order of the four texels: PTX ISA 9.0, tld4. */
static void gather(const Texture *texture, const TexelFootprint *footprint, uint32_t channel,
                   uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE])
{
    static const uint32_t corners[TEXTURE_CHANNELS] = {2, 3, 1, 0};
    for (uint32_t i = 0; i < TEXTURE_CHANNELS; i++)
        read_channel(texture, footprint, corners[i], channel, values[i]);
}

void texture_read(const Texture *texture, const TextureQuery *query, const TexelFootprint *footprint,
                  uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE])
{
    uint32_t channels = texture->is.channels;
    if (query->gathered > 0 && query->gathered <= channels) {
        gather(texture, footprint, query->gathered - 1u, values);
        return;
    }
    uint32_t count = query->gathered > 0 ? 0 : channels;
    for (uint32_t channel = 0; channel < count; channel++)
        if (footprint->corners > 1)
            filter_channel(texture, footprint, channel, values[channel]);
        else
            read_channel(texture, footprint, 0, channel, values[channel]);
    memset(values[count], 0, (TEXTURE_CHANNELS - count) * sizeof *values);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Coordinates are signed numbers. The clamping is that of an H200. */
static uint32_t nearest(uint32_t coordinate, uint64_t last)
{
    return (int32_t)coordinate < 0 ? 0 : coordinate < last ? coordinate : (uint32_t)last;
}

static uint64_t row_bytes(const Texture *surface)
{
    return (uint64_t)surface->is.extent[0] * surface->element_bytes;
}

bool surface_holds(const Texture *surface, uint32_t bytes, const SurfacePlace *place)
{
    uint64_t row = row_bytes(surface);
    return bytes <= row && place->x_bytes <= row - bytes && place->y < surface->is.extent[1] &&
           place->z < slice_count(&surface->is);
}

void surface_clamp(const Texture *surface, uint32_t bytes, SurfacePlace *place)
{
    uint64_t row = row_bytes(surface);
    place->x_bytes = nearest(place->x_bytes, row < bytes ? 0 : row - bytes);
    place->y = nearest(place->y, surface->is.extent[1] - 1);
    const uint32_t last = slice_count(&surface->is) - 1;
    bool is_last = surface->is.layers > 0 && place->z > last; /* a layer has no sign */
    place->z = is_last ? last : nearest(place->z, last);
}

uint64_t surface_address(const Texture *surface, const SurfacePlace *place)
{
    return surface->is.address + place->z * surface->is.slice_bytes + place->y * surface->is.pitch + place->x_bytes;
}

uint64_t surface_sector(const Texture *surface, const SurfacePlace *place)
{
    return sector_at(&surface->is, place->x_bytes, place->y, place->z);
}
