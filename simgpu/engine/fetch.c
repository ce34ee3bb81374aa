/* A fetch goes warp by warp: it finds the texture, checks its memory, counts sectors, and reads the values.  */
#include "simgpu/engine/fetch.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"

#include <stdio.h>
#include <string.h>

/* The fetch of one warp, which may represent others that do the same. Its arrays begin with lane 0 of the warp. */
typedef struct Fetch {
    const Instruction *instruction;
    uint32_t first, lanes; /* number in the block of the warp's lane 0; one bit for each lane that reads */
    uint32_t warps;        /* warps that this one represents */
    const uint64_t *handles;
    TextureQuery query;
    uint32_t *results[TEXTURE_CHANNELS];
} Fetch;

static bool fault(Worker *worker, const Instruction *instruction, uint32_t lane, const char *what)
{
    return worker_fault(worker, SIM_OUT_OF_BOUNDS, instruction->file, instruction->line, lane, "%s", what);
}

/* The texture, if the instruction fits it and its memory is still allocated; NULL after a fault. */
static const Texture *find_texture(Worker *worker, const Instruction *instruction, uint64_t handle, uint32_t lane)
{
    static const char *const dimensions[] = {"no texture", "a 1D texture", "a 2D texture", "a 3D texture"};
    bool was_one;
    const Texture *texture = texture_find(worker->launch->textures, handle, &was_one);
    const char *what = NULL;
    char text[120];
    if (texture == NULL && was_one) {
        what = "reads through a texture object that has been destroyed";
    } else if (texture == NULL) {
        snprintf(text, sizeof text, "reads through 0x%llx, which is not a texture object", (unsigned long long)handle);
        what = text;
    } else if (texture->is.dimensions != instruction->count) {
        snprintf(text, sizeof text, "reads %s as if it were %s", dimensions[texture->is.dimensions],
                 dimensions[instruction->count]);
        what = text;
    } else if (texture->is.layout == SIM_TEXTURE_LINEAR && !instruction->is_signed) {
        what = "reads a texture of linear memory with a float coordinate, which only tex1Dfetch() can read";
    } else if (!note_access(worker, &worker->notes[instruction->index], false, texture->is.address,
                            texture_bytes(&texture->is))) {
        what = "reads a texture whose memory has been freed";
    }
    if (what != NULL)
        fault(worker, instruction, lane, what);
    return what == NULL ? texture : NULL;
}

/* Number of different sectors that these lanes of a warp read. */
static uint32_t count_sectors(const Texture *texture, const Footprint *footprint, uint32_t lanes)
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
            uint32_t i = 0;
            while (i < count && seen[i] != sector)
                i++;
            if (i == count)
                seen[count++] = sector;
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

static void count_fetch(Worker *worker, const Fetch *fetch, const Texture *texture, const Footprint *footprint,
                        uint32_t lanes)
{
    worker->counters.texture_requests += fetch->warps;
    worker->counters.texture_sectors += (uint64_t)fetch->warps * count_sectors(texture, footprint, lanes);
}

/* Makes one request for each texture among the lanes. */
static bool fetch_warp(Worker *worker, const Fetch *fetch)
{
    for (uint32_t lanes = fetch->lanes, same; lanes != 0; lanes &= ~same) {
        Footprint footprint;
        uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE], first = (uint32_t)__builtin_ctz(lanes);
        const Texture *texture = find_texture(worker, fetch->instruction, fetch->handles[first], fetch->first + first);
        if (texture == NULL)
            return false;
        same = same_handle(fetch->handles, lanes);
        texture_locate(texture, &fetch->query, &footprint);
        texture_read(texture, &fetch->query, &footprint, values);
        if (worker->launch->is_timed)
            count_fetch(worker, fetch, texture, &footprint, same);
        for (int i = 0; i < TEXTURE_CHANNELS; i++)
            copy_lanes(fetch->results[i], values[i], same);
    }
    return true;
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
    return fetch;
}

static void to_next_warp(Fetch *fetch)
{
    fetch->first += SIM_WARP_SIZE;
    fetch->handles += SIM_WARP_SIZE;
    for (int i = 0; i < fetch->instruction->count; i++)
        fetch->query.coordinates[i] += SIM_WARP_SIZE;
    for (int i = 0; i < TEXTURE_CHANNELS; i++)
        fetch->results[i] += SIM_WARP_SIZE;
}

static bool all_uniform(const Worker *worker, const Instruction *instruction)
{
    for (int i = 0; i <= instruction->count; i++)
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
    if (active->whole && all_uniform(worker, instruction))
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
