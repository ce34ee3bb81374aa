/* The C of a stretch first computes scalars and tests what is required, then counts, then loops over the lanes.
 *
 * The interpreter executes an instruction in all lanes before the next one. So a stretch ends where a difference
 * could be seen: before a load after a store to the same memory, and before a store after any access to it. In fact
 * it ends before every store, because the values to be stored must be in the register file for the sanitizer.  */
#include "simgpu/jit/builder.h"

#include "simgpu/code/liveness.h"

#include <stdarg.h>
#include <string.h>

/* ==== needed ====================================================================================================== */

static bool has_slot(const Operand *operands, int count, uint32_t slot)
{
    for (int i = 0; i < count; i++)
        if (operands[i].slot == slot)
            return true;
    return false;
}

static bool reads(const Instruction *instruction, uint32_t slot)
{
    return has_slot(instruction->sources, MAX_SOURCES, slot) || instruction->guard.slot == slot ||
           (instruction->guard.slot != NO_SLOT && has_slot(instruction->results, MAX_RESULTS, slot));
}

static bool end_reads(const BasicBlock *block, uint32_t slot)
{
    const Operand ends[] = {block->guard, block->index, block->threads, block->source, block->result};
    return has_slot(ends, 5, slot);
}

bool is_needed(const Builder *b, uint32_t slot, int32_t from)
{
    const BasicBlock *block = &b->code->blocks[b->block];
    for (int i = from; i < block->end; i++) {
        const Instruction *instruction = &b->code->instructions[i];
        if (reads(instruction, slot))
            return true;
        if (has_slot(instruction->results, MAX_RESULTS, slot))
            return false;
    }
    if (end_reads(block, slot))
        return true;
    for (int i = 0, next; (next = code_successor(b->code, b->block, i)) != -2; i++)
        if (next >= 0 && b->live_in[next][slot])
            return true;
    return false;
}

bool find_live(Builder *b)
{
    Liveness live;
    if (!liveness_find(b->code, b->code->slot_count, b->arena, &live))
        return false;
    for (int block = 0; block < b->code->block_count; block++)
        for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
            b->live_in[block][slot] = !b->is_special[slot] && set_has(liveness_in(&live, block), slot);
    return true;
}

/* ==== value ======================================================================================================= */

Atom atom_literal(uint64_t number)
{
    return (Atom){.is_literal = true, .number = number};
}

const char *atom_text(const Builder *b, Atom atom)
{
    Arena *arena = &((Builder *)b)->scratch;
    if (atom.is_literal)
        return arena_printf(arena, "%lluull", (unsigned long long)atom.number);
    if (atom.variable >= 0)
        return arena_printf(arena, "t%d", atom.variable);
    int slot_part = -1 - atom.variable;
    return arena_printf(arena, "s%d_%d", slot_part / PARTS, slot_part % PARTS);
}

Atom new_atom(Builder *b, const char *format, ...)
{
    Atom atom = {.variable = b->names++};
    if (b->is_dry_run)
        return atom;
    va_list arguments;
    va_start(arguments, format);
    text_printf(&b->head, "    const u64 t%d = ", atom.variable);
    text_vprintf(&b->head, format, arguments);
    text_add(&b->head, ";\n");
    va_end(arguments);
    return atom;
}

bool is_number(Atom atom, uint64_t number)
{
    return atom.is_literal && atom.number == number;
}

uint64_t cut_part(uint64_t number, uint8_t size, int part)
{
    switch (size) {
    case 2: return part == 0 ? (uint32_t)number : (uint64_t)(int64_t)(int32_t)number;
    case 1: return (uint16_t)number;
    case 0: return (uint8_t)number;
    default: return number;
    }
}

Value scalar_literal(uint64_t number, uint8_t size)
{
    Value value = {.is_set = true, .size = size, .lane = -1};
    for (int i = 0; i < PARTS; i++)
        value.part[i] = atom_literal(i == 0 ? cut_part(number, size, 0) : 0);
    return value;
}

bool is_irregular(const Value *value)
{
    return !value->is_varying && !is_number(value->part[PARTS - 1], 0);
}

bool is_same_for_all(const Value *value)
{
    for (int i = 1; i < PARTS; i++)
        if (value->is_varying || !is_number(value->part[i], 0))
            return false;
    return true;
}

Atom entry_atom(Atom atom, uint32_t slot, int part)
{
    return atom.is_literal ? atom : (Atom){.variable = -1 - (int32_t)(slot * PARTS + (uint32_t)part)};
}

Value varying_value(uint8_t size)
{
    return (Value){.is_set = true, .is_varying = true, .size = size, .lane = -1};
}

Value source_value(Builder *b, Operand operand)
{
    return operand.slot == NO_SLOT ? scalar_literal(0, 2) : b->now[operand.slot];
}

void set_value(Builder *b, Operand operand, Value value)
{
    if (operand.slot == NO_SLOT)
        return;
    value.is_set = true;
    value.size = operand.size & 3;
    b->now[operand.slot] = value;
    if (value.is_varying)
        b->is_varying[operand.slot] = 1;
}

/* ==== point ======================================================================================================= */

void add_scalar(Builder *b, Text *to, Point *point, Operand operand, const Value *value)
{
    PointScalar *scalar = &point->scalars[point->scalar_count++];
    scalar->operand = operand;
    scalar->axis = is_irregular(value) ? value->axis : -1;
    for (int i = 0; i < PARTS; i++) {
        scalar->is_literal[i] = value->part[i].is_literal;
        scalar->literal[i] = value->part[i].number;
        if (to != NULL && !value->part[i].is_literal)
            text_printf(to, "    e[%u][%d] = %s;\n", operand.slot, i, atom_text(b, value->part[i]));
    }
}

int new_point(Builder *b, Text *to, int32_t instruction, const Value *values, const Operand *only, int only_count)
{
    Translation *t = b->translation;
    t->points = arena_grown(b->arena, t->points, (size_t)t->point_count, &b->point_capacity, sizeof *t->points);
    Point *point = &t->points[t->point_count];
    *point = (Point){.block = b->block, .instruction = instruction};
    point->scalars = arena_array(b->arena, b->code->slot_count, sizeof *point->scalars);
    int32_t from = instruction == POINT_START ? b->code->blocks[b->block].first
                   : instruction == POINT_END ? b->code->blocks[b->block].end
                                              : instruction;
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        const Value *value = &values[slot];
        if (b->is_special[slot] || !value->is_set || value->is_varying ||
            !(only != NULL ? has_slot(only, only_count, slot) : is_needed(b, slot, from)))
            continue;
        add_scalar(b, to, point, b->operands[slot], value);
    }
    return t->point_count++;
}

const char *leave_label(Builder *b)
{
    if (b->leave_point < 0) {
        b->leave_point = b->translation->point_count;
        text_printf(&b->leaves, "L%d:\n", b->leave_point);
        new_point(b, &b->leaves, b->counted ? b->start : POINT_START, b->at_start, NULL, 0);
        text_printf(&b->leaves, "    return %d;\n", b->leave_point);
    }
    return arena_printf(&b->scratch, "L%d", b->leave_point);
}

void require(Builder *b, const char *format, ...)
{
    if (b->is_dry_run)
        return;
    const char *label = leave_label(b);
    va_list arguments;
    va_start(arguments, format);
    text_add(&b->head, "    if (!LIKELY(");
    text_vprintf(&b->head, format, arguments);
    text_printf(&b->head, "))\n        goto %s;\n", label);
    va_end(arguments);
}

/* ==== stretch ===================================================================================================== */

void begin_stretch(Builder *b, int32_t instruction)
{
    b->start = instruction;
    b->leave_point = -1;
    b->global = b->shared = (Order){0};
    memcpy(b->at_start, b->now, b->code->slot_count * sizeof *b->now);
}

static void empty(Text *text)
{
    text->length = 0;
    if (text->data != NULL)
        text->data[0] = '\0';
}

static void add_text(Text *to, const Text *from)
{
    if (from->length > 0)
        text_append(to, from->data, from->length);
}

/* Stores the varying registers that the stretch has written, and that are read after it, to the register file. */
static void write_back(Builder *b, int32_t next)
{
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        Value *value = &b->now[slot];
        if (value->is_set && value->is_varying && value->is_written && is_needed(b, slot, next) && !b->is_dry_run)
            text_printf(&b->lanes, "            ((%s *)(R + %s_%u))[lane + x] = v%d;\n", word(value->size), "at", slot,
                        value->lane);
        value->lane = -1;
        value->is_written = false;
    }
}

void write_loop(Builder *b, Text *text)
{
    const uint32_t *shape = b->translation->shape;
    text_add(text, "    for (s32 z = z0; z < z1; z++)\n    for (s32 y = y0; y < y1; y++) {\n");
    text_printf(text, "        const s32 lane = (z * %u + y) * %u;\n", shape[1], shape[0]);
    add_text(text, &b->rows);
    text_add(text, "        _Pragma(\"GCC ivdep\")\n        for (s32 x = x0; x < x1; x++) {\n");
    add_text(text, &b->lanes);
    text_add(text, "        }\n    }\n");
    empty(&b->rows);
    empty(&b->lanes);
}

void end_stretch(Builder *b, int32_t next)
{
    write_back(b, next);
    if (!b->is_dry_run) {
        if (!b->counted)
            text_printf(&b->commit, "    f->executed[%d]++;\n", b->block);
        add_text(&b->text, &b->head);
        add_text(&b->text, &b->commit);
        if (b->lanes.length > 0)
            write_loop(b, &b->text);
    }
    b->counted = true;
    empty(&b->head);
    empty(&b->commit);
    empty(&b->rows);
    empty(&b->lanes);
}

void renew_stretch(Builder *b)
{
    end_stretch(b, b->instruction);
    begin_stretch(b, b->instruction);
}

/* ==== builder ===================================================================================================== */

/* Marks the sources of addresses, the sources of these, and so on. A slot may hold several registers one after the
 * other, so that some slots are marked needlessly. */
void find_addresses(Builder *b)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < b->code->instruction_count; i++) {
            const Instruction *instruction = &b->code->instructions[i];
            bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
            bool feeds = instruction->kind == ALU && b->is_address[instruction->results[0].slot];
            for (int j = 0; j < (is_access ? 1 : feeds ? 4 : 0); j++) {
                uint32_t slot = instruction->sources[j].slot;
                if (slot != NO_SLOT && !b->is_address[slot])
                    b->is_address[slot] = changed = true;
            }
        }
    }
}

void builder_init(Builder *b)
{
    const Code *code = b->code;
    size_t blocks = (size_t)code->block_count, slots = code->slot_count;
    b->at_entry = arena_array(b->arena, blocks, sizeof *b->at_entry);
    b->live_in = arena_array(b->arena, blocks, sizeof *b->live_in);
    for (size_t i = 0; i < blocks; i++)
        b->live_in[i] = arena_array(b->arena, slots, sizeof **b->live_in);
    b->queued = arena_array(b->arena, blocks, sizeof *b->queued);
    b->is_loop_head = arena_array(b->arena, blocks, sizeof *b->is_loop_head);
    b->used_opcodes = arena_array(b->arena, OPCODE_COUNT, sizeof *b->used_opcodes);
    b->is_varying = arena_array(b->arena, slots, sizeof *b->is_varying);
    b->is_special = arena_array(b->arena, slots, sizeof *b->is_special);
    b->now = arena_array(b->arena, slots, sizeof *b->now);
    b->at_start = arena_array(b->arena, slots, sizeof *b->at_start);
    b->operands = arena_array(b->arena, slots, sizeof *b->operands);
    b->is_address = arena_array(b->arena, slots, sizeof *b->is_address);
    b->axis_of = arena_array(b->arena, (size_t)code->instruction_count, sizeof *b->axis_of);
    for (int i = 0; i < code->instruction_count; i++)
        b->axis_of[i] = -1;
    for (int i = 0; i < code->special_register_count; i++) {
        b->is_special[code->special_registers[i].operand.slot] = true;
        b->operands[code->special_registers[i].operand.slot] = code->special_registers[i].operand;
    }
    for (int i = 0; i < code->instruction_count; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            if (code->instructions[i].results[j].slot != NO_SLOT)
                b->operands[code->instructions[i].results[j].slot] = code->instructions[i].results[j];
    for (int i = 0; i < code->block_count; i++) {
        const BasicBlock *block = &code->blocks[i];
        b->has_arrive |= block->ends == END_BARRIER && block->barrier == BARRIER_ARRIVE;
        if (block->result.slot != NO_SLOT)
            b->operands[block->result.slot] = block->result;
        for (int j = 1, next; (next = code_successor(code, i, j)) != -2; j++)
            if (next >= 0 && next <= i)
                b->is_loop_head[next] = true;
    }
}

void builder_free(Builder *b)
{
    arena_free(&b->scratch);
    Text *const texts[] = {&b->head, &b->rows, &b->lanes, &b->commit, &b->leaves, &b->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
}
