/* A fetch goes warp by warp: it finds the texture, checks its memory, counts sectors, and reads the values. For an access
 * through a surface, its element is found lane by lane.  */
#include "simgpu/block/active.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/worker.h"
#include "simgpu/engine/provenance.h"
#include "simgpu/engine/request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The fetch of one warp, which may represent others that do the same. Its arrays begin with lane 0 of the warp. */
typedef struct Fetch {
    const Instruction *instruction;
    uint32_t first, lanes; /* number in the block of the warp's lane 0; one bit for each lane that reads */
    uint32_t warps;        /* warps that this one represents */
    const uint64_t *handles;
    TextureQuery query;
    const uint32_t *levels; /* the bits of float, or of int32_t as the coordinates; NULL: none are asked for */
    uint32_t *results[TEXTURE_CHANNELS];
} Fetch;

/* "a 2D texture", "a layered 1D surface" */
static void name_shape(char *text, size_t size, uint32_t dimensions, bool is_layered, const char *noun)
{
    snprintf(text, size, "a %s%uD %s", is_layered ? "layered " : "", dimensions, noun);
}

/* Is the memory of the object still allocated? All of a texture counts as read; of a surface, the LOAD or STORE that
 * follows notes what is accessed. */
static bool has_memory(Worker *worker, const Instruction *instruction, const Texture *object)
{
    const Memory *memory = worker->launch->memory;
    const uint64_t address = object->is.address, bytes = texture_bytes(&object->is);
    if (instruction->kind == TEXTURE)
        return cache_allocation(worker, &worker->notes[instruction->index], false, address, bytes);
    int index = memory_find(memory, address);
    return index >= 0 && memory->allocations[index].address + memory->allocations[index].bytes - address >= bytes;
}

/* What is wrong with an object that an instruction uses: "reads through 0x10, which is not a texture object"; false:
 * nothing. */
static bool describe_misuse(Worker *worker, const Instruction *instruction, uint64_t handle, const Texture *object,
                            bool was_one, char *text, size_t size)
{
    bool is_surface = instruction->kind == SURFACE;
    const char *noun = is_surface ? "surface" : "texture", *does = instruction->stores ? "writes" : "reads";
    const bool is_layered = object != NULL && object->is.layers > 0;
    char is[40], as_if[40];
    if (object == NULL && was_one) {
        snprintf(text, size, "%s through a %s object that has been destroyed", does, noun);
    } else if (object == NULL || object->is.is_surface != is_surface) {
        snprintf(text, size, "%s through 0x%llx, which is not a %s object", does, (unsigned long long)handle, noun);
    } else if (object->is.dimensions != instruction->count || is_layered != instruction->is_layered) {
        name_shape(is, sizeof is, object->is.dimensions, is_layered, noun);
        name_shape(as_if, sizeof as_if, instruction->count, instruction->is_layered, noun);
        snprintf(text, size, "%s %s as if it were %s", does, is, as_if);
    } else if (object->is.layout == SIM_TEXTURE_LINEAR && !instruction->is_signed) {
        snprintf(text, size,
                 "reads a texture of linear memory with a float coordinate, which only tex1Dfetch() can read");
    } else if (!has_memory(worker, instruction, object)) {
        snprintf(text, size, "%s a %s whose memory has been freed", does, noun);
    } else {
        return false;
    }
    return true;
}

/* The texture or surface, if the instruction fits it and its memory is still allocated; NULL after a fault. */
static const Texture *find_object(Worker *worker, const Instruction *instruction, uint64_t handle, uint32_t lane)
{
    bool was_one;
    const Texture *object = texture_find(worker->launch->textures, handle, &was_one);
    char what[160];
    if (!describe_misuse(worker, instruction, handle, object, was_one, what, sizeof what))
        return object;
    (void)worker_fault(worker, SIM_BAD_HANDLE, instruction->file, instruction->line, lane, "%s", what);
    return NULL;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* Adds a sector to those that have been seen, if it is not among them. */
static void see_sector(uint64_t *seen, uint32_t *count, uint64_t sector)
{
    for (uint32_t i = 0; i < *count; i++)
        if (seen[i] == sector)
            return;
    seen[(*count)++] = sector;
}

/* Number of different sectors that these lanes of a warp read. */
static uint32_t count_sectors(const Texture *texture, const TexelFootprint *footprint, uint32_t lanes)
{
    uint64_t sectors[SIM_WARP_SIZE], seen[SIM_WARP_SIZE * TEXTURE_MAX_CORNERS], last = UINT64_MAX;
    uint32_t count = 0;
    for (uint32_t corner = 0; corner < footprint->corners; corner++) {
        texture_sectors(texture, footprint, corner, sectors);
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint64_t sector = sectors[__builtin_ctz(left)];
            if (sector == last || sector == UINT64_MAX)
                continue;
            last = sector;
            see_sector(seen, &count, sector);
        }
    }
    return count;
}

static uint32_t same_handle(const uint64_t *handles, uint32_t lanes)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        same |= (uint32_t)(handles[lane] == handles[first]) << lane;
    }
    return same;
}

static void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        memcpy(to, from, SIM_WARP_SIZE * sizeof *to);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        to[__builtin_ctz(left)] = from[__builtin_ctz(left)];
}

static void count_fetch(Worker *worker, const Fetch *fetch, const Texture *texture, const TexelFootprint *footprint,
                        uint32_t lanes)
{
    worker->counters.texture_requests += fetch->warps;
    worker->counters.linear_requests += texture->is.layout == SIM_TEXTURE_LINEAR ? fetch->warps : 0;
    worker->counters.texture_sectors += (uint64_t)fetch->warps * count_sectors(texture, footprint, lanes);
}

static void note_texels(Worker *worker, const Texture *texture, const TexelFootprint *footprint, uint32_t lanes)
{
    uint64_t addresses[SIM_WARP_SIZE];
    for (uint32_t corner = 0; corner < footprint->corners; corner++) {
        texture_addresses(texture, footprint, corner, addresses);
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (addresses[__builtin_ctz(left)] != 0)
                sanitizer_fetch(worker, addresses[__builtin_ctz(left)], texture->element_bytes);
    }
}

/* What a number of the type is divided by where it becomes a float. */
static double divisor_of(const SimTexture *texture)
{
    switch (texture->type) {
    case SIM_TEXEL_U8: return texture->as_integer ? 0 : UINT8_MAX;
    case SIM_TEXEL_U16: return texture->as_integer ? 0 : UINT16_MAX;
    case SIM_TEXEL_S8: return texture->as_integer ? 0 : INT8_MAX;
    case SIM_TEXEL_S16: return texture->as_integer ? 0 : INT16_MAX;
    case SIM_TEXEL_F16: return 1;
    default: return 0;
    }
}

static bool has_levels(const Worker *worker, uint64_t handle)
{
    bool was_one;
    return texture_find(worker->launch->textures, handle, &was_one)->is.levels > 1;
}

/* A trace follows texels that are neither gathered nor of several levels. */
static void trace_texels(Worker *worker, const Fetch *fetch, const Texture *texture, const TexelFootprint *footprint,
                         uint32_t lanes)
{
    uint64_t addresses[SIM_WARP_SIZE];
    if (fetch->query.gathered > 0 || has_levels(worker, fetch->handles[__builtin_ctz(lanes)]))
        return;
    for (uint32_t corner = 0; corner < footprint->corners; corner++) {
        texture_addresses(texture, footprint, corner, addresses);
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const float weight = footprint->corners == 1 ? 1 : texture_weight(texture, footprint, corner, lane);
            provenance_texel(worker, fetch->first + lane,
                             (FollowedTexel){addresses[lane], texture->is.channels, texture->channel_bytes,
                                             divisor_of(&texture->is), weight});
        }
    }
}

/* All texels that are mixed are read; the request is that for the first of each lane. */
static void log_texels(Worker *worker, const Fetch *fetch, const Texture *texture, const TexelFootprint *footprint,
                       uint32_t lanes)
{
    WarpRequest request = {.is_texture = true,
                           .warp = fetch->first / SIM_WARP_SIZE,
                           .bytes = (uint8_t)texture->element_bytes,
                           .sectors = count_sectors(texture, footprint, lanes)};
    for (uint32_t corner = 0; corner < footprint->corners; corner++) {
        texture_addresses(texture, footprint, corner, request.addresses);
        request.lanes = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (request.addresses[__builtin_ctz(left)] != 0)
                request.lanes |= left & -left;
        request_note_texels(worker, fetch->instruction, &request, corner == 0);
    }
}

typedef uint32_t FetchedValues[TEXTURE_CHANNELS][SIM_WARP_SIZE];

/* For a texture of one level, or for the first one. */
static void fetch_from(Worker *worker, const Fetch *fetch, const Texture *texture, uint32_t lanes, FetchedValues values)
{
    TexelFootprint footprint;
    texture_locate(texture, &fetch->query, &footprint);
    texture_read(texture, &fetch->query, &footprint, values);
    if (worker->launch->is_timed)
        count_fetch(worker, fetch, texture, &footprint, lanes);
    if (worker->sanitizer != NULL && worker->launch->request->footprint != NULL)
        note_texels(worker, texture, &footprint, lanes);
    if (worker->provenance != NULL)
        trace_texels(worker, fetch, texture, &footprint, lanes);
    if (worker->requests != NULL)
        log_texels(worker, fetch, texture, &footprint, lanes);
}

static void give(const Fetch *fetch, FetchedValues values, uint32_t lanes)
{
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        copy_lanes(fetch->results[i], values[i], lanes);
}

/* ---- mipmapped textures ------------------------------------------------------------------------------------------ */

static float level_of_lane(const Fetch *fetch, const Texture *texture, uint32_t lane)
{
    float asked = 0;
    if (fetch->levels != NULL && fetch->query.whole)
        asked = (float)(int32_t)fetch->levels[lane];
    else if (fetch->levels != NULL)
        memcpy(&asked, &fetch->levels[lane], sizeof asked);
    return texture_level(&texture->is, asked);
}

static uint32_t same_level(const Fetch *fetch, const Texture *texture, uint32_t lanes, float level)
{
    uint32_t same = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        same |= (uint32_t)(level_of_lane(fetch, texture, lane) == level) << lane;
    }
    return same;
}

/* False after a fault. */
static bool fetch_level(Worker *worker, const Fetch *fetch, const Texture *texture, uint32_t level, uint32_t lanes,
                        FetchedValues values)
{
    const uint32_t lane = fetch->first + (uint32_t)__builtin_ctz(lanes);
    const Texture *of_level = level == 0 ? texture
                                         : find_object(worker, fetch->instruction, texture->is.level[level], lane);
    if (of_level != NULL)
        fetch_from(worker, fetch, of_level, lanes, values);
    return of_level != NULL;
}

/* The weight of the second level has eight bits of fraction, as the weights of texels have. */
static void mix(FetchedValues values, FetchedValues second, float fraction)
{
    const float weight = roundf(256 * fraction) / 256;
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        for (int lane = 0; lane < SIM_WARP_SIZE; lane++) {
            float a, b;
            memcpy(&a, &values[i][lane], sizeof a);
            memcpy(&b, &second[i][lane], sizeof b);
            a = (1 - weight) * a + weight * b;
            memcpy(&values[i][lane], &a, sizeof a);
        }
}

/* Source: CUDA Driver API 13.0, CUDA_TEXTURE_DESC: mipmapFilterMode, mipmapLevelBias, min- and maxMipmapLevelClamp. */
static bool fetch_mipmapped(Worker *worker, const Fetch *fetch, const Texture *texture, uint32_t lanes)
{
    const Instruction *instruction = fetch->instruction;
    if (instruction->level == LEVEL_OF_GRADIENT)
        return worker_fault(worker, SIM_UNSUPPORTED, instruction->file, instruction->line,
                            fetch->first + (uint32_t)__builtin_ctz(lanes),
                            "reads a mipmapped texture with gradients, which the simulated GPU does not implement");
    for (uint32_t left = lanes, same; left != 0; left &= ~same) {
        FetchedValues values, second;
        const float level = level_of_lane(fetch, texture, (uint32_t)__builtin_ctz(left));
        const float lower = texture->is.mixes_levels ? floorf(level) : floorf(level + 0.5f);
        same = same_level(fetch, texture, left, level);
        if (!fetch_level(worker, fetch, texture, (uint32_t)lower, same, values))
            return false;
        if (level > lower) {
            if (!fetch_level(worker, fetch, texture, (uint32_t)lower + 1, same, second))
                return false;
            mix(values, second, level - lower);
        }
        give(fetch, values, same);
    }
    return true;
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

/* Makes one request for each texture among the lanes. */
static bool fetch_warp(Worker *worker, const Fetch *fetch)
{
    for (uint32_t lanes = fetch->lanes, same; lanes != 0; lanes &= ~same) {
        FetchedValues values;
        const uint32_t first = (uint32_t)__builtin_ctz(lanes);
        const Texture *texture = find_object(worker, fetch->instruction, fetch->handles[first], fetch->first + first);
        if (texture == NULL)
            return false;
        same = same_handle(fetch->handles, lanes);
        if (texture->is.levels > 1) {
            if (!fetch_mipmapped(worker, fetch, texture, same))
                return false;
            continue;
        }
        fetch_from(worker, fetch, texture, same, values);
        give(fetch, values, same);
    }
    return true;
}

static Operand layer_operand(const Instruction *instruction)
{
    return instruction->sources[1 + instruction->count];
}

static int count_sources(const Instruction *instruction)
{
    return 1 + instruction->count + instruction->is_layered + (instruction->level == LEVEL_OF_SOURCE);
}

/* The fetch of the warp that begins with lane `first`, for no lanes yet. */
static Fetch new_fetch(Worker *worker, const Instruction *instruction, uint32_t first)
{
    Fetch fetch = {.instruction = instruction,
                   .first = first,
                   .warps = 1,
                   .handles = (const uint64_t *)register_read(worker, instruction->sources[0], first),
                   .query = {.whole = instruction->is_signed, .gathered = instruction->detail}};
    for (int i = 0; i < instruction->count; i++)
        fetch.query.coordinates[i] = (const uint32_t *)register_read(worker, instruction->sources[1 + i], first);
    if (instruction->is_layered)
        fetch.query.layers = (const uint32_t *)register_read(worker, layer_operand(instruction), first);
    if (instruction->level == LEVEL_OF_SOURCE)
        fetch.levels = (const uint32_t *)register_read(worker, instruction->sources[count_sources(instruction) - 1],
                                                       first);
    return fetch;
}

static void to_next_warp(Fetch *fetch)
{
    fetch->first += SIM_WARP_SIZE;
    fetch->handles += SIM_WARP_SIZE;
    for (int i = 0; i < fetch->instruction->count; i++)
        fetch->query.coordinates[i] += SIM_WARP_SIZE;
    if (fetch->query.layers != NULL)
        fetch->query.layers += SIM_WARP_SIZE;
    if (fetch->levels != NULL)
        fetch->levels += SIM_WARP_SIZE;
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        fetch->results[i] += SIM_WARP_SIZE;
}

static bool all_uniform(const Worker *worker, const Instruction *instruction)
{
    for (int i = 0; i < count_sources(instruction); i++)
        if (!is_uniform(worker, instruction->sources[i]))
            return false;
    return true;
}

/* All lanes read the same, so one of them reads for all. */
static bool fetch_once(Worker *worker, const Instruction *instruction, Active *active)
{
    uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE], lane = active->first % SIM_WARP_SIZE;
    Fetch fetch = new_fetch(worker, instruction, active->first - lane);
    fetch.lanes = 1u << lane;
    fetch.warps = active->warps;
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        fetch.results[i] = values[i];
    if (!fetch_warp(worker, &fetch))
        return false;
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        register_write_all(worker, active, instruction->results[i], &values[i][lane]);
    return true;
}

bool execute_texture(Worker *worker, const Instruction *instruction, Active *active)
{
    if (active->whole && worker->provenance == NULL && all_uniform(worker, instruction))
        return fetch_once(worker, instruction, active);
    uint32_t warp = active->first / SIM_WARP_SIZE, skipped = active->first % SIM_WARP_SIZE;
    Fetch fetch = new_fetch(worker, instruction, warp * SIM_WARP_SIZE); /* before results overwrite sources */
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        fetch.results[i] = (uint32_t *)register_write(worker, active, instruction->results[i], i) - skipped;
    for (; warp * SIM_WARP_SIZE < active->end; warp++, to_next_warp(&fetch)) {
        fetch.lanes = active->bits[warp];
        if (!fetch_warp(worker, &fetch))
            return false;
    }
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        register_written(worker, active, instruction->results[i], i);
    return true;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

typedef struct SurfaceAccess { /* its arrays begin with the first active lane */
    const Instruction *instruction;
    const uint64_t *handles;
    const uint32_t *x_bytes, *y, *z; /* NULL: 0 */
    uint64_t *addresses;
    uint8_t *inside;              /* NULL: a place outside is a fault */
    uint64_t seen[SIM_WARP_SIZE]; /* the sectors of the present warp */
    uint32_t sectors;             /* how many there are */
} SurfaceAccess;

static SurfaceAccess new_surface_access(Worker *worker, const Instruction *instruction, Active *active)
{
    SurfaceAccess access = {.instruction = instruction};
    const uint32_t **coordinates[] = {&access.x_bytes, &access.y, &access.z};
    access.handles = (const uint64_t *)register_read(worker, instruction->sources[0], active->first);
    for (int i = 0; i < instruction->count; i++)
        *coordinates[i] = (const uint32_t *)register_read(worker, instruction->sources[1 + i], active->first);
    if (instruction->is_layered)
        access.z = (const uint32_t *)register_read(worker, layer_operand(instruction), active->first);
    access.addresses = (uint64_t *)register_write(worker, active, instruction->results[0], 0);
    if (instruction->results[1].slot != NO_SLOT)
        access.inside = register_write(worker, active, instruction->results[1], 1);
    return access;
}

static SurfacePlace surface_place(const SurfaceAccess *access, uint32_t lane)
{
    return (SurfacePlace){access->x_bytes[lane], access->y == NULL ? 0 : access->y[lane],
                          access->z == NULL ? 0 : access->z[lane]};
}

/* "writes 4 bytes at x = 40, y = 3 of a 2D surface of 10 x 16 elements; x counts bytes, and its rows have 40" */
static bool surface_fault(Worker *worker, const Instruction *instruction, const Texture *surface, uint32_t lane,
                          SimOutcome outcome, const SurfacePlace *place)
{
    const SimTexture *is = &surface->is;
    const uint32_t bytes = 1u << instruction->size, row_bytes = is->extent[0] * surface->element_bytes;
    char shape[40], at[80], extents[60];
    bool has_y = is->dimensions > 1, has_z = is->dimensions > 2 || is->layers > 0;
    name_shape(shape, sizeof shape, is->dimensions, is->layers > 0, "surface");
    int length = snprintf(at, sizeof at, "x = %d", (int)place->x_bytes);
    int size = snprintf(extents, sizeof extents, "%u", is->extent[0]);
    if (has_y) {
        length += snprintf(at + length, sizeof at - (size_t)length, ", y = %d", (int)place->y);
        size += snprintf(extents + size, sizeof extents - (size_t)size, " x %u", is->extent[1]);
    }
    if (has_z) {
        snprintf(at + length, sizeof at - (size_t)length, ", %s = %d", is->layers > 0 ? "layer" : "z", (int)place->z);
        snprintf(extents + size, sizeof extents - (size_t)size, " x %u", is->layers > 0 ? is->layers : is->extent[2]);
    }
    bool is_misaligned = outcome == SIM_MISALIGNED;
    return worker_space_fault(worker, instruction, outcome, SIM_SURFACE, instruction->stores, lane,
                              "%s %u byte%s at %s of %s of %s elements; x counts bytes, and %s %u",
                              instruction->stores ? "writes" : "reads", bytes, bytes == 1 ? "" : "s", at, shape,
                              extents, is_misaligned ? "must be a multiple of" : "its rows have",
                              is_misaligned ? bytes : row_bytes);
}

/* Finds the element of one lane; false after a fault. */
static bool locate_element(Worker *worker, SurfaceAccess *access, const Texture *surface, uint32_t first, uint32_t i)
{
    const Instruction *instruction = access->instruction;
    const uint32_t bytes = 1u << instruction->size;
    SurfacePlace place = surface_place(access, i);
    if (place.x_bytes % bytes != 0) /* hardware looks at this first, whatever the mode */
        return surface_fault(worker, instruction, surface, first + i, SIM_MISALIGNED, &place);
    if (instruction->detail == SURFACE_CLAMP)
        surface_clamp(surface, bytes, &place);
    bool is_inside = surface_holds(surface, bytes, &place);
    if (!is_inside && access->inside == NULL)
        return surface_fault(worker, instruction, surface, first + i, SIM_OUT_OF_BOUNDS, &place);
    access->addresses[i] = is_inside ? surface_address(surface, &place) : surface->is.address;
    if (access->inside != NULL)
        access->inside[i] = is_inside;
    if (is_inside && worker->launch->is_timed)
        see_sector(access->seen, &access->sectors, surface_sector(surface, &place));
    return true;
}

/* Hardware makes the access in the texture unit. What is stored goes through to the L2. */
static void count_elements(Worker *worker, SurfaceAccess *access)
{
    SimCounters *counters = &worker->counters;
    counters->texture_requests++;
    *(access->instruction->stores ? &counters->global_store_sectors : &counters->texture_sectors) += access->sectors;
    access->sectors = 0;
}

bool execute_surface(Worker *worker, const Instruction *instruction, Active *active)
{
    SurfaceAccess access = new_surface_access(worker, instruction, active);
    const Texture *surface = NULL;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        for (uint32_t left = active->bits[warp]; left != 0; left &= left - 1) {
            uint32_t lane = warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(left), i = lane - active->first;
            if (surface == NULL || surface->handle != access.handles[i])
                surface = find_object(worker, instruction, access.handles[i], lane);
            if (surface == NULL || !locate_element(worker, &access, surface, active->first, i))
                return false;
        }
        if (active->bits[warp] != 0 && worker->launch->is_timed)
            count_elements(worker, &access);
    }
    register_written(worker, active, instruction->results[0], 0);
    if (access.inside != NULL)
        register_written(worker, active, instruction->results[1], 1);
    return true;
}
