/* From virtual registers to slots of the register file: which registers are alive where, then one pass over them in
 * order of their beginning, handing slots on as registers die (linear scan; Poletto and Sarkar, 1999).
 *
 * Registers that are alive together in one lane never share a slot. Lanes of a block may be at different places, but
 * each has its own part of every slot, so that looking at one lane's path is enough.
 *
 * Positions: every instruction and every end of a block takes two. It reads at the first and writes at the second, so
 * that a lane operation may write over what it read last. Other instructions read several lanes or write several
 * registers; they are taken to read at the second as well.  */
#include "simgpu/lower/slots.h"

#include "simgpu/code/matrix.h"

#include <stdlib.h>
#include <string.h>

typedef struct Range {
    uint32_t number; /* virtual register */
    int first, last; /* positions; first > last: never used */
} Range;

typedef struct Scan {
    Lowering *l;
    Code *code;
    size_t words;                       /* of one set of registers */
    uint64_t *used, *defined, *live_in; /* [block][words] */
    Range *ranges;
} Scan;

enum { MAX_SET_BYTES = 256 << 20 };

static bool set_has(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> (number % 64) & 1;
}
static void set_add(uint64_t *set, uint32_t number)
{
    set[number / 64] |= 1ull << (number % 64);
}

/* ---- liveness ---------------------------------------------------------------------------------------------------- */

static void note_use(Scan *scan, int block, Operand operand)
{
    if (operand.slot != NO_SLOT && !set_has(scan->defined + (size_t)block * scan->words, operand.slot))
        set_add(scan->used + (size_t)block * scan->words, operand.slot);
}

static void note_definition(Scan *scan, int block, Operand operand)
{
    if (operand.slot != NO_SLOT)
        set_add(scan->defined + (size_t)block * scan->words, operand.slot);
}

/* The operands of a product of matrices: results first. */
static int matrix_operands(const Matrix *matrix)
{
    return matrix == NULL ? 0 : matrix->d_count + matrix->a_count + matrix->b_count + matrix->c_count;
}

static bool is_matrix_result(const Matrix *matrix, int index)
{
    return index < matrix->d_count;
}

/* A guarded result keeps what it was in some lanes: it is no definition, and a use. */
static void scan_block(Scan *scan, int number)
{
    const BasicBlock *block = &scan->code->blocks[number];
    for (int i = block->first; i < block->end; i++) {
        const Instruction *instruction = &scan->code->instructions[i];
        bool is_guarded = instruction->guard.slot != NO_SLOT;
        note_use(scan, number, instruction->guard);
        for (int j = 0; j < MAX_SOURCES; j++)
            note_use(scan, number, instruction->sources[j]);
        for (int j = matrix_operands(instruction->matrix); j-- > 0;) /* sources before results */
            if (is_guarded || !is_matrix_result(instruction->matrix, j))
                note_use(scan, number, instruction->matrix->operands[j]);
            else
                note_definition(scan, number, instruction->matrix->operands[j]);
        for (int j = 0; j < MAX_RESULTS; j++)
            if (is_guarded)
                note_use(scan, number, instruction->results[j]);
            else
                note_definition(scan, number, instruction->results[j]);
    }
    const Operand ends[] = {block->guard, block->index, block->threads, block->source};
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
        note_use(scan, number, ends[j]);
    if (block->guard.slot != NO_SLOT)
        note_use(scan, number, block->result);
    else
        note_definition(scan, number, block->result);
}

/* live_out: what any successor needs. */
static void live_out(const Scan *scan, int number, uint64_t *out)
{
    memset(out, 0, scan->words * sizeof *out);
    for (int i = 0, next; (next = code_successor(scan->code, number, i)) != -2; i++)
        if (next >= 0)
            for (size_t w = 0; w < scan->words; w++)
                out[w] |= scan->live_in[(size_t)next * scan->words + w];
}

static void find_live(Scan *scan, uint64_t *out)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int number = scan->code->block_count; number-- > 0;) {
            size_t at = (size_t)number * scan->words;
            live_out(scan, number, out);
            for (size_t w = 0; w < scan->words; w++) {
                uint64_t in = scan->used[at + w] | (out[w] & ~scan->defined[at + w]);
                changed |= in != scan->live_in[at + w];
                scan->live_in[at + w] = in;
            }
        }
    }
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static void extend(Scan *scan, uint32_t number, int position)
{
    if (number == NO_SLOT)
        return;
    Range *range = &scan->ranges[number];
    range->first = position < range->first ? position : range->first;
    range->last = position > range->last ? position : range->last;
}

static void extend_set(Scan *scan, const uint64_t *set, int position)
{
    for (size_t w = 0; w < scan->words; w++)
        for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
            extend(scan, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(bits)), position);
}

static void range_of_instruction(Scan *scan, const Instruction *instruction, int position)
{
    int reads_at = instruction->kind == RUN_LANES ? position : position + 1;
    extend(scan, instruction->guard.slot, position + 1);
    for (int j = 0; j < MAX_SOURCES; j++)
        extend(scan, instruction->sources[j].slot, reads_at);
    for (int j = 0; j < MAX_RESULTS; j++)
        extend(scan, instruction->results[j].slot, position + 1);
    for (int j = 0; j < matrix_operands(instruction->matrix); j++)
        extend(scan, instruction->matrix->operands[j].slot, position + 1);
}

static void find_ranges(Scan *scan, uint64_t *out)
{
    int position = 0;
    for (int number = 0; number < scan->code->block_count; number++) {
        const BasicBlock *block = &scan->code->blocks[number];
        extend_set(scan, scan->live_in + (size_t)number * scan->words, position);
        for (int i = block->first; i < block->end; i++, position += 2)
            range_of_instruction(scan, &scan->code->instructions[i], position);
        const Operand ends[] = {block->guard, block->index, block->threads, block->source, block->result};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            extend(scan, ends[j].slot, position + 1);
        position += 2;
        live_out(scan, number, out);
        extend_set(scan, out, position - 1);
    }
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

typedef struct Slots {
    uint32_t *free[SIZES]; /* stacks of slots of each size */
    int free_count[SIZES];
    uint8_t *size; /* [slot] */
    uint32_t count;
    const Range **active;
    int active_count;
    uint32_t *slot_of; /* [virtual register] */
} Slots;

static uint32_t words_of(Lowering *l, uint32_t number)
{
    return l->register_sizes[number] == 3 ? 2 : 1;
}

static void expire(Lowering *l, Slots *slots, int before, uint32_t *live)
{
    int kept = 0;
    for (int i = 0; i < slots->active_count; i++) {
        const Range *range = slots->active[i];
        if (range->last >= before) {
            slots->active[kept++] = range;
            continue;
        }
        uint32_t size = l->register_sizes[range->number];
        slots->free[size][slots->free_count[size]++] = slots->slot_of[range->number];
        *live -= size == 0 ? 0 : words_of(l, range->number);
    }
    slots->active_count = kept;
}

static uint32_t take_slot(Slots *slots, uint32_t size)
{
    if (slots->free_count[size] > 0)
        return slots->free[size][--slots->free_count[size]];
    slots->size[slots->count] = (uint8_t)size;
    return slots->count++;
}

static void scan_ranges(Scan *scan, Slots *slots)
{
    Lowering *l = scan->l;
    uint32_t live = 0;
    for (uint32_t i = 0; i < l->register_count; i++) {
        const Range *range = &scan->ranges[i];
        if (range->first > range->last || slots->slot_of[range->number] != NO_SLOT)
            continue;
        expire(l, slots, range->first, &live);
        slots->slot_of[range->number] = take_slot(slots, l->register_sizes[range->number]);
        slots->active[slots->active_count++] = range;
        live += l->register_sizes[range->number] == 0 ? 0 : words_of(l, range->number);
        if (live > scan->code->live_registers)
            scan->code->live_registers = live;
    }
}

/* Wide slots come first, so that each begins at a multiple of its size in every lane's share. */
static uint32_t *place_slots(Scan *scan, const Slots *slots)
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
        for (int j = 0; j < matrix_operands(instruction->matrix); j++)
            rewrite(slots, units, &instruction->matrix->operands[j]);
    }
    for (int i = 0; i < code->block_count; i++) {
        BasicBlock *block = &code->blocks[i];
        Operand *const ends[] = {&block->guard, &block->index, &block->threads, &block->source, &block->result};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            rewrite(slots, units, ends[j]);
    }
    for (int i = 0; i < code->pinned_count; i++)
        rewrite(slots, units, &code->pinned[i].operand);
}

static void prepare(Scan *scan, Slots *slots)
{
    Lowering *l = scan->l;
    size_t count = (size_t)l->register_count + 1, blocks = (size_t)scan->code->block_count;
    scan->words = (count + 63) / 64;
    if (scan->words * blocks > MAX_SET_BYTES / sizeof(uint64_t))
        lower_refuse(l, "the kernel is too large");
    scan->used = arena_array(l->arena, scan->words * blocks, sizeof(uint64_t));
    scan->defined = arena_array(l->arena, scan->words * blocks, sizeof(uint64_t));
    scan->live_in = arena_array(l->arena, scan->words * blocks, sizeof(uint64_t));
    scan->ranges = arena_array(l->arena, count, sizeof *scan->ranges);
    slots->slot_of = arena_array(l->arena, count, sizeof *slots->slot_of);
    slots->active = arena_array(l->arena, count, sizeof *slots->active);
    slots->size = arena_array(l->arena, count, sizeof *slots->size);
    for (int size = 0; size < SIZES; size++)
        slots->free[size] = arena_array(l->arena, count, sizeof **slots->free);
    for (uint32_t i = 0; i < count; i++) {
        scan->ranges[i] = (Range){.number = i, .first = INT32_MAX, .last = -1};
        slots->slot_of[i] = NO_SLOT;
    }
}

void assign_slots(Lowering *l)
{
    Scan scan = {.l = l, .code = l->code};
    Slots slots = {0};
    prepare(&scan, &slots);
    uint64_t *out = arena_array(l->arena, scan.words, sizeof *out);
    for (int number = 0; number < l->code->block_count; number++)
        scan_block(&scan, number);
    find_live(&scan, out);
    find_ranges(&scan, out);
    /* SpecialRegister registers are written by the launch, not by the code, and keep their slots to themselves. */
    for (int i = 0; i < l->code->pinned_count; i++) {
        uint32_t number = l->code->pinned[i].operand.slot;
        slots.slot_of[number] = take_slot(&slots, l->register_sizes[number]);
    }
    qsort(scan.ranges, l->register_count, sizeof *scan.ranges, by_first);
    scan_ranges(&scan, &slots);
    rewrite_code(l->code, &slots, place_slots(&scan, &slots));
}
