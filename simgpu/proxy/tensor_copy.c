/* A box is moved row by row; a row runs along dimension 0, and is contiguous in global memory.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Tensors, cp.async.bulk.tensor.  */
#include "simgpu/proxy/tensor_copy.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/code/atomic_value.h"

#include <string.h>

enum { MAX_BOX_BYTES = 1 << 20 };

/* ---- the map ----------------------------------------------------------------------------------------------------- */

/* Is the box made of whole pieces, and not larger than any shared memory? */
static bool has_good_size(const TensorMap *map)
{
    const uint32_t row = map->box[0] * tensor_type_bytes((TensorType)map->type);
    uint64_t bytes = tensor_row_pitch(map);
    for (int i = 1; i < TENSOR_DIMENSIONS; i++)
        bytes *= tensor_box_count(map, i);
    return row % TENSOR_ROW_UNIT == 0 && bytes <= MAX_BOX_BYTES;
}

static bool is_valid(const TensorMap *map, int dimensions)
{
    bool is_good = map->mark == TENSOR_MAP_MARK && map->rank == dimensions && map->type < TENSOR_TYPES &&
                   map->swizzle < TENSOR_SWIZZLES;
    for (int i = 0; is_good && i < TENSOR_DIMENSIONS; i++)
        is_good = map->box[i] > 0 && map->box[i] <= TENSOR_MAX_BOX && map->steps[i] > 0 &&
                  map->steps[i] <= TENSOR_MAX_STEP && map->extents[i] > 0 && map->extents[i] <= 1ull << 32;
    return is_good && map->steps[0] == 1 && has_good_size(map);
}

/* Where the map lies; NULL where no map may lie there. */
static const unsigned char *map_place(const Worker *worker, uint64_t address)
{
    const Launch *launch = worker->launch;
    uint64_t offset = address % SHARED_WINDOW, size = launch->parameter_bytes;
    if (address % TENSOR_MAP_ALIGNMENT != 0)
        return NULL;
    if (space_at(address) == PTX_PARAM)
        return offset < size && size - offset >= TENSOR_MAP_BYTES
                   ? (const unsigned char *)launch->request->parameters + offset
                   : NULL;
    int index = memory_find(launch->memory, address);
    if (index < 0)
        return NULL;
    const Allocation *allocation = &launch->memory->allocations[index];
    return allocation->address + allocation->bytes - address >= TENSOR_MAP_BYTES ? (const unsigned char *)address
                                                                                 : NULL;
}

/* A parameter that is not a __grid_constant__ is copied to local memory where its address is taken. */
static bool refuse_map(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    const char *why = space_at(address) == PTX_LOCAL
                          ? "in local memory; a parameter that is a tensor map must be a const "
                            "__grid_constant__ CUtensorMap"
                          : "where there is none, or one of another number of dimensions";
    return worker_fault(worker, SIM_BAD_HANDLE, instruction->file, instruction->line, lane,
                        "begins a copy through a tensor map %s", why);
}

bool tensor_box_read(Worker *worker, const Instruction *instruction, uint32_t lane, TensorBox *box)
{
    const uint64_t address = register_value(worker, instruction->sources[1], lane);
    const unsigned char *place = map_place(worker, address);
    if (place != NULL)
        memcpy(&box->map, place, sizeof box->map);
    if (place == NULL || !is_valid(&box->map, instruction->dimensions))
        return refuse_map(worker, instruction, lane, address);
    for (int i = 0; i < TENSOR_DIMENSIONS; i++) {
        uint64_t pair = register_value(worker, instruction->sources[2 + i / 2], lane);
        box->at[i] = i < instruction->dimensions ? (int32_t)(pair >> (i % 2 * 32)) : 0;
    }
    const int element = (int)tensor_type_bytes((TensorType)box->map.type);
    if ((int64_t)box->at[0] * element % TENSOR_ROW_UNIT != 0)
        return worker_fault(worker, SIM_MISALIGNED, instruction->file, instruction->line, lane,
                            "begins a copy through a tensor map at element %d of its rows: %d times %d bytes is not a "
                            "multiple of %d",
                            box->at[0], box->at[0], element, TENSOR_ROW_UNIT);
    /* An H200 fills what a load reads there, and ends a store with an illegal instruction. */
    for (int i = 0; i < instruction->dimensions && instruction->detail == BULK_STORE; i++)
        if (box->at[i] < 0)
            return worker_fault(worker, SIM_OUT_OF_BOUNDS, instruction->file, instruction->line, lane,
                                "stores through a tensor map before the tensor: coordinate %d is %d", i, box->at[i]);
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint32_t row_bytes(const TensorBox *box)
{
    return box->map.box[0] * tensor_type_bytes((TensorType)box->map.type);
}

uint32_t tensor_box_rows(const TensorBox *box)
{
    uint32_t count = 1;
    for (int i = 1; i < TENSOR_DIMENSIONS; i++)
        count *= tensor_box_count(&box->map, i);
    return count;
}

uint32_t tensor_box_bytes(const TensorBox *box)
{
    return row_bytes(box) * tensor_box_rows(box);
}

uint32_t tensor_box_span(const TensorBox *box)
{
    const uint32_t bytes = tensor_row_pitch(&box->map) * tensor_box_rows(box);
    return box->map.swizzle == TENSOR_NOT_SWIZZLED ? bytes : (bytes + TENSOR_LINE - 1) / TENSOR_LINE * TENSOR_LINE;
}

TensorRow tensor_box_row(const TensorBox *box, uint32_t number)
{
    const TensorMap *map = &box->map;
    const uint32_t element = tensor_type_bytes((TensorType)map->type);
    TensorRow row = {.address = map->address};
    for (int i = 1; i < TENSOR_DIMENSIONS; i++) {
        const uint32_t count = tensor_box_count(map, i);
        const int64_t at = box->at[i] + (int64_t)(number % count) * map->steps[i];
        number /= count;
        if (at < 0 || (uint64_t)at >= map->extents[i])
            return row;
        row.address += (uint64_t)at * map->strides[i - 1];
    }
    const int64_t first = box->at[0] > 0 ? box->at[0] : 0, end = (int64_t)box->at[0] + map->box[0];
    const int64_t last = end < (int64_t)map->extents[0] ? end : (int64_t)map->extents[0];
    if (first >= last)
        return row;
    row.skipped = (uint32_t)(first - box->at[0]) * element;
    row.bytes = (uint32_t)(last - first) * element;
    row.address += (uint64_t)first * element;
    return row;
}

bool tensor_box_check(Worker *worker, const Instruction *instruction, uint32_t lane, const TensorBox *box,
                      uint64_t *sectors)
{
    const bool is_store = instruction->detail == BULK_STORE;
    MemoryNote *note = &worker->notes[instruction->index];
    *sectors = 0;
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        if (row.bytes == 0)
            continue;
        if (!note_access(worker, note, is_store, row.address, row.bytes))
            return worker_access_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_GLOBAL, is_store, lane, row.address,
                                       row.bytes, 1);
        if (is_store)
            store_note_word(worker, note, row.address, row.bytes);
        *sectors += (row.address + row.bytes - 1) / SECTOR_BYTES - row.address / SECTOR_BYTES + 1;
    }
    return true;
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static void fill(const TensorMap *map, unsigned char *to, uint32_t bytes)
{
    const uint16_t value = map->fills_nan && tensor_type_is_float((TensorType)map->type) ? TENSOR_NAN : 0;
    for (uint32_t i = 0; i < bytes; i += sizeof value)
        memcpy(to + i, &value, sizeof value);
}

/* The place in shared memory of byte `offset` of a row of the box. */
static uint64_t place_of(const TensorBox *box, uint64_t address, uint32_t row, uint32_t offset)
{
    const uint64_t place = address + (uint64_t)row * tensor_row_pitch(&box->map) + offset;
    return tensor_swizzled((TensorSwizzle)box->map.swizzle, place) - address;
}

void tensor_box_gather(const TensorBox *box, const unsigned char *shared, uint64_t address, uint32_t row,
                       unsigned char values[TENSOR_MAX_ROW])
{
    for (uint32_t k = 0, bytes = row_bytes(box); k < bytes; k += TENSOR_ROW_UNIT)
        memcpy(values + k, shared + place_of(box, address, row, k), TENSOR_ROW_UNIT);
}

void tensor_box_load(const TensorBox *box, unsigned char *shared, uint64_t address)
{
    unsigned char values[TENSOR_MAX_ROW];
    const uint32_t bytes = row_bytes(box);
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        fill(&box->map, values, bytes);
        if (row.bytes > 0)
            memcpy(values + row.skipped, (const void *)row.address, row.bytes);
        for (uint32_t k = 0; k < bytes; k += TENSOR_ROW_UNIT)
            memcpy(shared + place_of(box, address, i, k), values + k, TENSOR_ROW_UNIT);
    }
}

bool tensor_box_combines(const TensorBox *box, AtomicKind kind)
{
    const TensorType type = (TensorType)box->map.type;
    return tensor_type_is_float(type) ? kind == ATOMIC_ADD : tensor_type_bytes(type) >= 4;
}

/* The operation on elements of the map's type. */
static AtomicKind kind_for(const TensorMap *map, uint8_t reduction)
{
    AtomicKind kind = (AtomicKind)(reduction - 1);
    if (kind != ATOMIC_ADD || !tensor_type_is_float((TensorType)map->type))
        return kind;
    return map->type == TENSOR_F16 ? ATOMIC_F16_ADD : map->type == TENSOR_BF16 ? ATOMIC_BF16_ADD : ATOMIC_FLOAT_ADD;
}

static void combine(const TensorMap *map, uint8_t reduction, unsigned char *to, const unsigned char *values,
                    uint32_t bytes)
{
    const uint32_t element = tensor_type_bytes((TensorType)map->type), size = (uint32_t)__builtin_ctz(element);
    const bool is_signed = map->type == TENSOR_S32 || map->type == TENSOR_S64;
    for (uint32_t i = 0; i < bytes; i += element) {
        uint64_t old = 0, value = 0;
        memcpy(&old, to + i, element);
        memcpy(&value, values + i, element);
        old = atomic_value(kind_for(map, reduction), size, is_signed, old, value, 0);
        memcpy(to + i, &old, element);
    }
}

void tensor_box_store(const TensorBox *box, const unsigned char *shared, uint64_t address, uint8_t reduction)
{
    unsigned char values[TENSOR_MAX_ROW];
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        tensor_box_gather(box, shared, address, i, values);
        if (row.bytes > 0 && reduction == 0)
            memcpy((void *)row.address, values + row.skipped, row.bytes);
        else if (row.bytes > 0)
            combine(&box->map, reduction, (unsigned char *)row.address, values + row.skipped, row.bytes);
    }
}
