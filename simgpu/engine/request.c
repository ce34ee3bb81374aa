#include "simgpu/engine/request.h"

#include "base/arena.h"
#include "simgpu/block/worker.h"

#include <stdlib.h>
#include <string.h>

static uint64_t block_at(const LaunchShape *shape, uint32_t x, uint32_t y)
{
    return ((uint64_t)(shape->grid[2] / 2) * shape->grid[1] + y) * shape->grid[0] + x;
}

void request_log_begin(RequestLog *log, const Code *code, const LaunchShape *shape)
{
    const uint32_t x = shape->grid[0] / 2, y = shape->grid[1] / 2;
    memset(log, 0, sizeof *log);
    log->block = block_at(shape, x, y);
    for (uint32_t i = 0; i < REQUEST_NEIGHBOURS + 1; i++) {
        const uint32_t column = x + i % 3 - 1, row = y + i / 3 - 1; /* of 3 x 3; below 0 they wrap around */
        if (column < shape->grid[0] && row < shape->grid[1] && (column != x || row != y))
            log->neighbours[log->neighbour_count++].block = block_at(shape, column, row);
    }
    log->turns = zeroed(2 * (size_t)code->memory_count * REQUEST_WARPS + 1, sizeof *log->turns);
    log->loads.most = TOUCHES;
}

static NeighbourReads *neighbour(RequestLog *log, uint64_t block)
{
    for (int i = 0; i < log->neighbour_count; i++)
        if (log->neighbours[i].block == block)
            return &log->neighbours[i];
    return NULL;
}

bool request_is_watched(const RequestLog *log, uint64_t block)
{
    return block == log->block || neighbour((RequestLog *)log, block) != NULL;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing. */
static size_t first_place(uint64_t address)
{
    const uint64_t GOLDEN = 0x9E3779B97F4A7C15;
    return (size_t)(address * GOLDEN >> 40) & (MOST_READ_ELEMENTS - 1);
}

/* Where a neighbour's element is, or has a place. */
static uint64_t *place_in(NeighbourReads *reads, uint64_t address)
{
    size_t place = first_place(address);
    while (reads->addresses[place] != 0 && reads->addresses[place] != address)
        place = (place + 1) & (MOST_READ_ELEMENTS - 1);
    return &reads->addresses[place];
}

static void add_to_neighbour(NeighbourReads *reads, uint64_t address)
{
    uint64_t *place = place_in(reads, address);
    if (*place == 0 && 2 * reads->count < MOST_READ_ELEMENTS) {
        reads->count++;
        *place = address;
    }
}

static void add_range_to_neighbour(NeighbourReads *reads, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address & ~3ull; at < address + bytes; at += 4)
        add_to_neighbour(reads, at);
}

/* Where the element is, or has a place. */
static ReadElement *place_of(RequestLog *log, uint64_t address)
{
    size_t place = first_place(address);
    while (log->reads[place].address != 0 && log->reads[place].address != address)
        place = (place + 1) & (MOST_READ_ELEMENTS - 1);
    return &log->reads[place];
}

/* NULL: there is no room for one more. */
static ReadElement *element_at(RequestLog *log, uint64_t address)
{
    ReadElement *element = place_of(log, address);
    if (element->address == 0 && 2 * log->read_count >= MOST_READ_ELEMENTS)
        return NULL;
    log->read_count += element->address == 0;
    element->address = address;
    return element;
}

/* Several lanes may want the same element: it counts once for the warp. */
static void count_reads(RequestLog *log, const WarpRequest *request)
{
    for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
        const uint64_t end = request->addresses[lane] + request->bytes;
        if ((request->lanes >> lane & 1) == 0)
            continue;
        for (uint64_t at = request->addresses[lane] & ~3ull; at < end; at += 4) {
            ReadElement *element = element_at(log, at);
            bool is_first = element != NULL;
            for (uint32_t other = 0; other < lane && is_first; other++)
                is_first = (request->lanes >> other & 1) == 0 || at + 4 <= request->addresses[other] ||
                           at >= request->addresses[other] + request->bytes;
            if (element != NULL) {
                element->threads++;
                element->warps += is_first;
            }
        }
    }
}

/* Sectors come from memory in pairs. */
static void count_fetch(void *context, uint64_t address, bool is_from_memory)
{
    RequestLog *log = context;
    const uint64_t pair = address & ~63ull;
    for (uint64_t at = pair; at < pair + 64; at += 4) {
        ReadElement *element = place_of(log, at);
        if (element->address == 0)
            continue;
        element->l2 += at - address < SECTOR_BYTES;
        element->memory += is_from_memory;
    }
}

void request_log_end(RequestLog *log, const Code *code, const TraceSet *set, const Memory *memory)
{
    for (size_t i = 0; i < MOST_READ_ELEMENTS; i++) {
        ReadElement *element = &log->reads[i];
        element->blocks = element->address != 0;
        for (int k = 0; k < log->neighbour_count && element->address != 0; k++)
            element->blocks += *place_in(&log->neighbours[k], element->address) == element->address;
    }
    reuse_fetches(set, &log->loads, memory, code->memory_count, count_fetch, log);
    free(log->loads.touches);
    free(log->turns);
    log->loads = (Trace){0};
    log->turns = NULL;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void count_units(WarpRequest *request)
{
    Pattern pattern = {0};
    uint64_t addresses[SIM_WARP_SIZE];
    const uint32_t lane = (uint32_t)__builtin_ctz(request->lanes);
    memcpy(addresses, request->addresses, sizeof addresses);
    pattern_new(&pattern, SIM_WARP_SIZE);
    const uint32_t bits = request->lanes >> lane;
    if (request->is_texture)
        request->wavefronts = 0; /* its sectors are known */
    else if (pattern_set(&pattern, addresses + lane, 0, SIM_WARP_SIZE - lane, &bits)) {
        if (request->space == PTX_SHARED)
            request->wavefronts = pattern_wavefronts(&pattern, &bits, addresses[lane], request->bytes);
        else if (request->space == PTX_CONST)
            request->sectors = pattern_distinct(&pattern, &bits);
        else
            request->sectors = pattern_sectors(&pattern, &bits, addresses[lane], request->bytes);
        if (request->space == PTX_GLOBAL && !request->is_store)
            request->wavefronts = pattern_load_wavefronts(&pattern, &bits, request->bytes);
    }
    pattern_free(&pattern);
}

/* Counts the elements that a warp reads; `is_kept`: and keeps the request as one of the first. */
static void note_request(RequestLog *log, const Instruction *instruction, WarpRequest *request, bool is_kept)
{
    uint32_t *turn;
    request->access = instruction->index;
    request->file = instruction->file;
    request->line = instruction->line;
    if (!request->is_store && request->space != PTX_SHARED)
        count_reads(log, request);
    if (!is_kept || request->warp >= REQUEST_WARPS || instruction->index < 0)
        return;
    turn =
        &log->turns[(2 * (size_t)instruction->index + (request->space == PTX_SHARED)) * REQUEST_WARPS + request->warp];
    request->turn = (*turn)++;
    if (request->turn >= REQUEST_TURNS || log->count == MOST_REQUESTS)
        return;
    count_units(request);
    log->items[log->count++] = *request;
}

/* What a neighbour reads from global memory. */
static void note_neighbour(NeighbourReads *reads, const Active *active, uint64_t first, const Pattern *pattern,
                           uint32_t bytes)
{
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if ((active->bits[lane / SIM_WARP_SIZE] >> lane % SIM_WARP_SIZE & 1) == 0)
            continue;
        const int32_t relative = pattern == NULL ? 0 : pattern->relative[lane - pattern->first];
        add_range_to_neighbour(reads, first + (uint64_t)(int64_t)relative, bytes);
    }
}

void request_note_texels(Worker *worker, const Instruction *instruction, WarpRequest *request, bool is_kept)
{
    RequestLog *log = worker->requests;
    uint32_t bits[MAX_WARPS] = {0};
    int32_t relative[SIM_WARP_SIZE] = {0};
    if (request->lanes == 0)
        return;
    for (uint32_t left = request->lanes; left != 0 && worker->block != log->block; left &= left - 1)
        add_range_to_neighbour(neighbour(log, worker->block), request->addresses[__builtin_ctz(left)], request->bytes);
    if (worker->block != log->block)
        return;
    request->space = PTX_GLOBAL;
    const uint32_t first = request->warp * SIM_WARP_SIZE, lane = (uint32_t)__builtin_ctz(request->lanes);
    const uint64_t address = request->addresses[lane];
    bits[request->warp] = request->lanes;
    for (uint32_t left = request->lanes; left != 0; left &= left - 1) {
        const uint32_t other = (uint32_t)__builtin_ctz(left);
        relative[other - lane] = (int32_t)(request->addresses[other] - address);
    }
    trace_load(&log->loads, &(TracedLoad){.load = instruction->index,
                                          .bits = bits,
                                          .first_lane = first + lane,
                                          .end_lane = first + SIM_WARP_SIZE,
                                          .bytes = request->bytes,
                                          .address = address,
                                          .relative = relative});
    note_request(log, instruction, request, is_kept);
}

void request_note_copy(Worker *worker, uint64_t address, uint64_t bytes)
{
    RequestLog *log = worker->requests;
    if (worker->block != log->block) {
        add_range_to_neighbour(neighbour(log, worker->block), address, bytes);
        return;
    }
    for (uint64_t at = address & ~3ull; at < address + bytes; at += 4) {
        ReadElement *element = element_at(log, at);
        if (element == NULL)
            return;
        element->threads++;
        element->warps++;
        element->memory += element->l2++ == 0;
    }
}

void request_note(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store, const Active *active,
                  uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    RequestLog *log = worker->requests;
    const bool is_seen = space != PTX_LOCAL && space != PTX_PARAM && !instruction->is_hidden;
    const WindowVariable *variable = space == PTX_SHARED ? variable_in(instruction, PTX_SHARED) : NULL;
    if (worker->block != log->block) {
        if (is_seen && !is_store && space != PTX_SHARED && space != PTX_CONST)
            note_neighbour(neighbour(log, worker->block), active, first, pattern, bytes);
        return;
    }
    if (is_seen && !is_store && space != PTX_SHARED)
        trace_load(&log->loads, &(TracedLoad){.load = instruction->index,
                                              .is_constant = space == PTX_CONST,
                                              .bits = active->bits,
                                              .first_lane = active->first,
                                              .end_lane = active->end,
                                              .bytes = bytes,
                                              .address = first,
                                              .relative = pattern == NULL ? NULL : pattern->relative});
    for (uint32_t warp = 0; is_seen && warp < worker->launch->warps; warp++) {
        WarpRequest request = {.warp = warp,
                               .space = space == PTX_SHARED || space == PTX_CONST ? (uint8_t)space : PTX_GLOBAL,
                               .bytes = (uint8_t)bytes,
                               .is_store = is_store,
                               .variable = variable,
                               .lanes = active->bits[warp]};
        if (request.lanes == 0)
            continue;
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            if (request.lanes >> lane & 1)
                request.addresses[lane] = first +
                                          (pattern == NULL
                                               ? 0
                                               : (uint64_t)(int64_t)
                                                     pattern->relative[warp * SIM_WARP_SIZE + lane - pattern->first]);
        note_request(log, instruction, &request, true);
    }
}
