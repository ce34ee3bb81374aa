/* Linear scan (Poletto and Sarkar, Linear Scan Register Allocation, 1999): from the live ranges of all virtual
 * registers, one pass in the order of their beginnings hands out slots, and takes them back when a range ends.
 *
 * Registers that are live together in one lane never share a slot. Lanes of a block may be at different places, but
 * each has its own part of every slot, so that looking at the path of one lane is enough.
 *
 * The interpreter computes in all lanes of a range and then drops the results of those that are elsewhere. What these hold
 * would be a subnormal number if an integer had been in the slot before, and with one, an operation on floats takes two
 * hundred times as long. So registers that such operations read have slots of their own.
 *
 * Positions: every instruction and every end of a block takes two. It reads at the first and writes at the second, so
 * that a lane operation may write its result over its last source. Other instructions read several lanes or write
 * several registers; for them, reads count as happening at the second position as well.  */

#include "simgpu/code/liveness.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/lowering.h"

#include <stdlib.h>
#include <string.h>

typedef struct LiveRange {
    uint32_t number; /* virtual register */
    int first, last; /* positions; first > last: the register is never used */
} LiveRange;

typedef struct SlotScan {
    Lowering *l;
    Code *code;
    Liveness live;
    LiveRange *ranges;
    bool *is_float; /* [virtual register] an operation reads it as float32 or float64 */
} SlotScan;

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static void extend(SlotScan *scan, uint32_t number, int position)
{
    if (number == NO_SLOT)
        return;
    LiveRange *range = &scan->ranges[number];
    range->first = position < range->first ? position : range->first;
    range->last = position > range->last ? position : range->last;
}

static void extend_set(SlotScan *scan, const uint64_t *set, int position)
{
    for (size_t w = 0; w < scan->live.words; w++)
        for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
            extend(scan, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(bits)), position);
}

static void range_of_instruction(SlotScan *scan, const Instruction *instruction, int position)
{
    int reads_at = instruction->kind == ALU ? position : position + 1;
    extend(scan, instruction->guard.slot, position + 1);
    for (int j = 0; j < MAX_SOURCES; j++)
        extend(scan, instruction->sources[j].slot, reads_at);
    for (int j = 0; j < MAX_RESULTS; j++)
        extend(scan, instruction->results[j].slot, position + 1);
    for (int j = 0; j < matrix_operand_count(instruction->matrix); j++)
        extend(scan, instruction->matrix->operands[j].slot, position + 1);
}

static void find_ranges(SlotScan *scan, uint64_t *out)
{
    int position = 0;
    for (int number = 0; number < scan->code->block_count; number++) {
        const BasicBlock *block = &scan->code->blocks[number];
        extend_set(scan, liveness_in(&scan->live, number), position);
        for (int i = block->first; i < block->end; i++, position += 2)
            range_of_instruction(scan, &scan->code->instructions[i], position);
        const Operand ends[] = {block->guard, block->index, block->threads, block->source, block->result};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            extend(scan, ends[j].slot, position + 1);
        position += 2;
        liveness_out(&scan->live, scan->code, number, out);
        extend_set(scan, out, position - 1);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* A call keeps the registers that are needed after it. Nothing writes to special registers. */
static void find_saved(SlotScan *scan, const bool *is_special, const BasicBlock *block)
{
    Lowering *l = scan->l;
    const uint64_t *live = liveness_in(&scan->live, (int)(block + 1 - scan->code->blocks));
    CallSite *call = block->call;
    for (uint32_t number = 0; number < l->register_count; number++)
        call->saved_count += set_has(live, number) && !is_special[number];
    call->saved = arena_array(&scan->code->arena, (size_t)call->saved_count + 1, sizeof *call->saved);
    call->saved_count = 0;
    for (uint32_t number = 0; number < l->register_count; number++)
        if (set_has(live, number) && !is_special[number])
            call->saved[call->saved_count++] = (Operand){.slot = number, .size = l->register_sizes[number] & 0xF};
}

static void find_all_saved(SlotScan *scan)
{
    const Code *code = scan->code;
    bool *is_special = arena_array(scan->l->arena, (size_t)scan->l->register_count + 1, sizeof *is_special);
    for (int i = 0; i < code->special_register_count; i++)
        is_special[code->special_registers[i].operand.slot] = true;
    for (int i = 0; i + 1 < code->block_count; i++)
        if (code->blocks[i].call != NULL)
            find_saved(scan, is_special, &code->blocks[i]);
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const LiveRange *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

typedef struct FreeSlots { /* a stack */
    uint32_t *slots;
    int count;
} FreeSlots;

typedef struct Slots {
    FreeSlots free[2][SIZES]; /* of each size; [1]: for floats */
    uint8_t *size;            /* [slot] */
    uint32_t count;
    const LiveRange **active;
    int active_count;
    uint32_t *slot_of; /* [virtual register] */
} Slots;

/* Marks need no registers on hardware. */
static uint32_t words_of(Lowering *l, uint32_t number)
{
    return number >= l->first_mark ? 0 : l->register_sizes[number] == 3 ? 2 : 1;
}

static void expire(const SlotScan *scan, Slots *slots, int before, uint32_t *live)
{
    Lowering *l = scan->l;
    int kept = 0;
    for (int i = 0; i < slots->active_count; i++) {
        const LiveRange *range = slots->active[i];
        if (range->last >= before) {
            slots->active[kept++] = range;
            continue;
        }
        uint32_t size = l->register_sizes[range->number];
        FreeSlots *free = &slots->free[scan->is_float[range->number]][size];
        free->slots[free->count++] = slots->slot_of[range->number];
        *live -= size == 0 ? 0 : words_of(l, range->number);
    }
    slots->active_count = kept;
}

static uint32_t take_slot(Slots *slots, uint32_t size, bool is_float)
{
    FreeSlots *free = &slots->free[is_float][size];
    if (free->count > 0)
        return free->slots[--free->count];
    slots->size[slots->count] = (uint8_t)size;
    return slots->count++;
}

static void scan_ranges(SlotScan *scan, Slots *slots)
{
    Lowering *l = scan->l;
    uint32_t live = 0;
    for (uint32_t i = 0; i < l->register_count; i++) {
        const LiveRange *range = &scan->ranges[i];
        if (range->first > range->last || slots->slot_of[range->number] != NO_SLOT)
            continue;
        expire(scan, slots, range->first, &live);
        slots->slot_of[range->number] = take_slot(slots, l->register_sizes[range->number],
                                                  scan->is_float[range->number]);
        slots->active[slots->active_count++] = range;
        live += l->register_sizes[range->number] == 0 ? 0 : words_of(l, range->number);
        if (live > scan->code->live_registers)
            scan->code->live_registers = live;
    }
}

/* How many registers hold values at each instruction: a running sum of those that begin minus those that have ended.
 * Special registers, which have slots already, need none on hardware. */
static void find_live(SlotScan *scan, const Slots *slots)
{
    Lowering *l = scan->l;
    Code *code = scan->code;
    const size_t positions = 2 * ((size_t)code->instruction_count + (size_t)code->block_count);
    int32_t *change = arena_array(l->arena, positions + 2, sizeof *change);
    for (uint32_t i = 0; i < l->register_count; i++) {
        const LiveRange *range = &scan->ranges[i];
        const int32_t words = l->register_sizes[i] == 0 ? 0 : (int32_t)words_of(l, i);
        if (range->first > range->last || slots->slot_of[i] != NO_SLOT)
            continue;
        change[range->first] += words;
        change[range->last + 1] -= words;
    }
    code->live = arena_array(&code->arena, (size_t)code->instruction_count + 1, sizeof *code->live);
    int32_t live = 0, position = 0;
    for (int number = 0; number < code->block_count; number++, position += 2) {
        const BasicBlock *block = &code->blocks[number];
        for (int i = block->first; i < block->end; i++, position += 2) {
            const int32_t before = live + change[position];
            live = before + change[position + 1];
            code->live[i] = (uint32_t)(live > before ? live : before);
        }
        live += change[position] + change[position + 1];
    }
}

/* Gives each slot its unit. Wide slots come first, so that each unit is a multiple of its size. */
static uint32_t *place_slots(SlotScan *scan, const Slots *slots)
{
    uint32_t *units = arena_array(scan->l->arena, slots->count + 1, sizeof *units);
    uint32_t unit = 0;
    for (int size = SIZES; size-- > 0;)
        for (uint32_t slot = 0; slot < slots->count; slot++)
            if (slots->size[slot] == size) {
                units[slot] = unit;
                unit += 1u << size;
            }
    scan->code->unit_bytes = unit;
    scan->code->slot_count = slots->count;
    return units;
}

static void rewrite(const Slots *slots, const uint32_t *units, Operand *operand)
{
    if (operand->slot == NO_SLOT)
        return;
    operand->slot = slots->slot_of[operand->slot];
    operand->unit = units[operand->slot] & 0xFFFFFFF;
}

static void rewrite_code(Code *code, const Slots *slots, const uint32_t *units)
{
    for (int i = 0; i < code->instruction_count; i++) {
        Instruction *instruction = &code->instructions[i];
        rewrite(slots, units, &instruction->guard);
        for (int j = 0; j < MAX_SOURCES; j++)
            rewrite(slots, units, &instruction->sources[j]);
        for (int j = 0; j < MAX_RESULTS; j++)
            rewrite(slots, units, &instruction->results[j]);
        for (int j = 0; j < matrix_operand_count(instruction->matrix); j++)
            rewrite(slots, units, &instruction->matrix->operands[j]);
    }
    for (int i = 0; i < code->block_count; i++) {
        BasicBlock *block = &code->blocks[i];
        Operand *const ends[] = {&block->guard, &block->index, &block->threads, &block->source, &block->result};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            rewrite(slots, units, ends[j]);
        for (int j = 0; block->call != NULL && j < block->call->saved_count; j++)
            rewrite(slots, units, &block->call->saved[j]);
    }
    for (int i = 0; i < code->special_register_count; i++)
        rewrite(slots, units, &code->special_registers[i].operand);
}

static void find_floats(SlotScan *scan)
{
    for (int i = 0; i < scan->code->instruction_count; i++) {
        const Instruction *instruction = &scan->code->instructions[i];
        if (instruction->kind != ALU)
            continue;
        const OpcodeInfo *info = opcode_info((Opcode)instruction->opcode);
        for (size_t j = 0; j < sizeof info->source_is_float; j++)
            if (info->source_is_float[j] && instruction->sources[j].slot != NO_SLOT)
                scan->is_float[instruction->sources[j].slot] = true;
    }
}

static void prepare_scan(SlotScan *scan, Slots *slots)
{
    Lowering *l = scan->l;
    size_t count = (size_t)l->register_count + 1;
    if (!liveness_find(scan->code, l->register_count, l->arena, &scan->live))
        lower_refuse(l, "a kernel this large");
    scan->ranges = arena_array(l->arena, count, sizeof *scan->ranges);
    scan->is_float = arena_array(l->arena, count, sizeof *scan->is_float);
    find_floats(scan);
    slots->slot_of = arena_array(l->arena, count, sizeof *slots->slot_of);
    slots->active = arena_array(l->arena, count, sizeof *slots->active);
    slots->size = arena_array(l->arena, count, sizeof *slots->size);
    for (int size = 0; size < SIZES; size++)
        for (int is_float = 0; is_float < 2; is_float++)
            slots->free[is_float][size].slots = arena_array(l->arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        scan->ranges[i] = (LiveRange){.number = i, .first = INT32_MAX, .last = -1};
        slots->slot_of[i] = NO_SLOT;
    }
}

void assign_slots(Lowering *l)
{
    SlotScan scan = {.l = l, .code = l->code};
    Slots slots = {0};
    prepare_scan(&scan, &slots);
    uint64_t *out = arena_array(l->arena, scan.live.words, sizeof *out);
    find_ranges(&scan, out);
    find_all_saved(&scan);
    /* Special registers are written by the launch, not by the code, and share their slots with no other register. */
    for (int i = 0; i < l->code->special_register_count; i++) {
        uint32_t number = l->code->special_registers[i].operand.slot;
        slots.slot_of[number] = take_slot(&slots, l->register_sizes[number], scan.is_float[number]);
    }
    find_live(&scan, &slots);
    qsort(scan.ranges, l->register_count, sizeof *scan.ranges, by_first);
    scan_ranges(&scan, &slots);
    rewrite_code(l->code, &slots, place_slots(&scan, &slots));
}
