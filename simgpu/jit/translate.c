/* The walk over the basic blocks of a kernel: several times as a dry run, until the values at the entry of each block
 * do not change any more, and then once more to write the C.  */

#include "base/arena.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/jit/builder.h"
#include "simgpu/jit/text.h"

#include <stdlib.h>
#include <string.h>

/* ==== lanes ======================================================================================================= */

/* Values that vary from lane to lane. */

/* The value of a scalar in lane x of the current row. */
static const char *scalar_in_lane(Builder *b, const Value *value)
{
    const char *type = word(value->size), *base = atom_text(b, value->part[0]);
    if (is_same_for_all(value))
        return arena_printf(&b->scratch, "(%s)%s", type, base);
    int row = b->names++;
    if (!b->is_dry_run)
        text_printf(&b->rows, "        const %s a%d = (%s)(%s + %s * (u64)y + %s * (u64)z);\n", type, row, type, base,
                    atom_text(b, value->part[2]), atom_text(b, value->part[3]));
    const char *text = arena_printf(&b->scratch, "a%d", row);
    if (!is_number(value->part[1], 0))
        text = arena_printf(&b->scratch, "%s + (%s)%s * (%s)x", text, type, atom_text(b, value->part[1]), type);
    if (is_irregular(value))
        text = arena_printf(&b->scratch, "%s + (%s)%s * (%s)place%d[lane + x]", text, type,
                            atom_text(b, value->part[PARTS - 1]), type, value->axis);
    return arena_printf(&b->scratch, "(%s)(%s)", type, text);
}

/* The value of the register in the current lane of the loop, as an expression of its own size. */
static const char *lane_text(Builder *b, Operand operand)
{
    if (operand.slot == NO_SLOT)
        return "0";
    Value *value = &b->now[operand.slot];
    if (!value->is_varying)
        return scalar_in_lane(b, value);
    if (value->lane < 0) {
        value->lane = b->names++;
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            const %s v%d = ((%s *)(R + at_%u))[lane + x];\n", word(operand.size),
                        value->lane, word(operand.size), operand.slot);
    }
    return arena_printf(&b->scratch, "v%d", value->lane);
}

/* Makes the register varying, with its value in v<number> of the loop; gives back the number. */
static int new_lane_value(Builder *b, Operand operand)
{
    int name = b->names++;
    set_value(b, operand,
              (Value){.is_set = true, .is_varying = true, .size = operand.size, .lane = name, .is_written = true});
    return name;
}

/* Executes a lane operation in the loop. */
static void run_in_lanes(Builder *b, const Instruction *instruction)
{
    const char *arguments[4];
    for (int i = 0; i < 4; i++)
        arguments[i] = lane_text(b, instruction->sources[i]);
    const char *call = call_text(b, (Opcode)instruction->opcode, arguments);
    int name = new_lane_value(b, instruction->results[0]);
    if (!b->is_dry_run)
        text_printf(&b->lanes, "            const %s v%d = %s;\n", word(instruction->results[0].size), name, call);
}

/* Makes the scalars on an irregular axis varying again, because the axis is about to change. */
static void leave_axis(Builder *b, int32_t axis)
{
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        const Value *value = &b->now[slot];
        if (!value->is_set || !is_irregular(value) || value->axis != axis)
            continue;
        const char *text = lane_text(b, b->operands[slot]);
        int name = new_lane_value(b, b->operands[slot]);
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            const %s v%d = %s;\n", word(b->operands[slot].size), name, text);
    }
}

/* Makes an irregular axis from a varying register, which is a scalar then. */
static void make_axis(Builder *b, Operand operand)
{
    int32_t *axis = &b->axis_of[b->instruction];
    if (*axis < 0)
        *axis = b->translation->axis_count++;
    leave_axis(b, *axis);
    renew_stretch(b);
    Value value = scalar_literal(0, operand.size);
    value.axis = *axis;
    value.part[0] = new_atom(b, "f->measure(f, %d, R + at_%u, %d)", *axis, operand.slot, 1 << operand.size);
    value.part[PARTS - 1] = atom_literal(1);
    require(b, "axes[%d].version != 0", *axis);
    set_value(b, operand, value);
}

/* The interpreter needs the sources in the register file; where the instruction is guarded, the results as well. */
/* Lets the interpreter execute the instruction. */
static void call_interpreter(Builder *b, const Instruction *instruction)
{
    Operand used[MAX_SOURCES + MAX_RESULTS + 1];
    int count = 0;
    end_stretch(b, b->instruction);
    for (int i = 0; i < MAX_SOURCES; i++)
        used[count++] = instruction->sources[i];
    used[count++] = instruction->guard;
    for (int i = 0; i < MAX_RESULTS && instruction->guard.slot != NO_SLOT; i++)
        used[count++] = instruction->results[i];
    if (!b->is_dry_run) {
        int point = new_point(b, &b->text, b->instruction, b->now, used, count);
        text_printf(&b->text, "    if (!f->execute(f, %d))\n        return -1;\n", point);
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        if (instruction->results[i].slot != NO_SLOT)
            set_value(b, instruction->results[i],
                      (Value){.is_set = true, .is_varying = true, .size = instruction->results[i].size, .lane = -1});
    begin_stretch(b, b->instruction + 1);
}

/* ==== source ====================================================================================================== */

/* Puts the C of a translation together. */

/* The entry at a basic block, and the C that puts the scalars into their variables there. */
static void add_entry(Builder *b, Text *text, int32_t block)
{
    Translation *t = b->translation;
    Point *point = arena_alloc(b->arena, sizeof *point);
    uint32_t slots = b->code->slot_count;
    *point = (Point){.block = block,
                     .instruction = POINT_START,
                     .scalars = arena_array(b->arena, slots, sizeof *point->scalars),
                     .lanes = arena_array(b->arena, slots, sizeof *point->lanes)};
    text_printf(text, "    case %d:\n", block);
    for (uint32_t slot = 0; slot < slots; slot++) {
        const Value *value = &b->at_entry[block][slot];
        if (!b->live_in[block][slot])
            continue;
        if (value->is_varying) {
            point->lanes[point->lane_count++] = b->operands[slot];
            continue;
        }
        add_scalar(b, NULL, point, b->operands[slot], value);
        for (int i = 0; i < PARTS; i++)
            if (!value->part[i].is_literal)
                text_printf(text, "        s%u_%d = e[%u][%d];\n", slot, i, slot, i);
    }
    text_printf(text, "        goto b%d;\n", block);
    t->entries[block] = point;
}

static void write_declarations(Builder *b, Text *text)
{
    const uint32_t *shape = b->translation->shape;
    uint32_t capacity = (shape[0] * shape[1] * shape[2] + 31) / 32 * 32;
    text_add(text, "enum {");
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        text_printf(text, " at_%u = %u,", slot, b->operands[slot].unit * capacity);
    text_add(text, " at_end };\n");
    text_add(text, "s32 translated(Frame *f, s32 block)\n{\n"
                   "    const s32 x0 = f->from[0], x1 = f->to[0], y0 = f->from[1], y1 = f->to[1];\n"
                   "    const s32 z0 = f->from[2], z1 = f->to[2];\n"
                   "    unsigned char *const R = f->registers;\n    ProvenAccess *const proven = f->proven;\n"
                   "    u64 (*const e)[PARTS] = f->scalars;\n    const Axis *const axes = f->axes;\n");
    for (int32_t axis = 0; axis < b->translation->axis_count; axis++)
        text_printf(text, "    const s32 *const place%d = axes[%d].place;\n", axis, axis);
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        if (b->is_special[slot])
            text_printf(text, "    const u64 s%u_0 = *(const %s *)(R + at_%u);\n", slot,
                        word(b->operands[slot].size & 3), slot);
        else
            text_printf(text, "    u64 s%u_0, s%u_1, s%u_2, s%u_3, s%u_4;\n", slot, slot, slot, slot, slot);
    }
}

static void write_entries(Builder *b, Text *text)
{
    text_add(text, "    switch (block) {\n");
    for (int32_t block = 0; block < b->code->block_count; block++)
        if (b->at_entry[block] != NULL)
            add_entry(b, text, block);
    text_add(text, "    }\n    return -2;\n");
}

/* Fills in Translation.source and .entries, when all basic blocks are written. */
static void write_source(Builder *b)
{
    Text *source = &b->translation->source;
    headers_text(source);
    for (int opcode = 0; opcode < OPCODE_COUNT; opcode++)
        if (b->used_opcodes[opcode])
            opcode_function(source, (Opcode)opcode);
    write_declarations(b, source);
    write_entries(b, source);
    text_append(source, b->text.data, b->text.length);
    text_add(source, "}\n");
}

/* Fills in Translation.varying. */
static void list_varying(Builder *b)
{
    Translation *t = b->translation;
    t->varying = arena_array(b->arena, b->code->slot_count, sizeof *t->varying);
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        if (b->is_varying[slot] && !b->is_special[slot])
            t->varying[t->varying_count++] = b->operands[slot];
}

/* ==== edge ======================================================================================================== */

/* The values that one basic block passes to the next. */

/* A literal that differs on another path becomes a variable. */
static Atom merged_atom(Atom known, Atom other, bool *has_changed)
{
    if (!known.is_literal || (other.is_literal && other.number == known.number))
        return known;
    *has_changed = true;
    return (Atom){.is_literal = false};
}

/* Can a scalar stay one, now that `other` comes from another block? */
static bool stays_scalar(const Value *known, const Value *other)
{
    bool has_two_axes = is_irregular(known) && is_irregular(other) && known->axis != other->axis;
    return other->is_set && !other->is_varying && !has_two_axes;
}

/* Merges another value into the one that is known at an entry; true where that changes. */
static bool merge_value(Value *known, const Value *other, uint8_t size)
{
    bool has_changed = false;
    if (!known->is_set) {
        *known = other->is_set ? *other : varying_value(size);
        return true;
    }
    if (known->is_varying)
        return false;
    if (!stays_scalar(known, other)) {
        *known = varying_value(known->size);
        return true;
    }
    known->axis = is_irregular(known) ? known->axis : other->axis;
    for (int i = 0; i < PARTS; i++)
        known->part[i] = merged_atom(known->part[i], other->part[i], &has_changed);
    return has_changed;
}

/* Merges the current values into those at the entry of `target`, and queues it if these change. Where two predecessors
 * disagree on a literal, it becomes a variable; where only one has a scalar, the register varies. */
static void join_edge(Builder *b, int32_t target)
{
    bool has_changed = b->at_entry[target] == NULL;
    uint32_t count = b->code->slot_count;
    if (has_changed)
        b->at_entry[target] = arena_array(b->arena, count, sizeof **b->at_entry);
    for (uint32_t slot = 0; slot < count; slot++) {
        Value *known = &b->at_entry[target][slot];
        if (!b->live_in[target][slot])
            continue;
        has_changed |= merge_value(known, &b->now[slot], b->operands[slot].size & 3);
        if (known->is_varying)
            b->is_varying[slot] = 1;
        known->lane = -1;
        known->is_written = false;
    }
    b->queued[target] |= has_changed;
}

/* Does so for all successors of the current block. */
static void join_successors(Builder *b)
{
    for (int i = 0, next; (next = code_successor(b->code, b->block, i)) != -2; i++)
        if (next >= 0)
            join_edge(b, next);
}

/* Writes the scalars that the target expects as varying registers to the register file. */
static void spread(Builder *b, Text *to, int32_t target)
{
    bool any = false;
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        const Value *value = &b->now[slot];
        if (!b->live_in[target][slot] || !b->at_entry[target][slot].is_varying || value->is_varying || !value->is_set)
            continue;
        const char *text = lane_text(b, b->operands[slot]);
        text_printf(&b->lanes, "            ((%s *)(R + at_%u))[lane + x] = %s;\n", word(value->size), slot, text);
        any = true;
    }
    if (any)
        write_loop(b, to);
}

/* Writes the moves from the current parts to those that the target expects. All are read before any is written. */
static void assign_parts(Builder *b, Text *to, int32_t target)
{
    Text moves = {0};
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        const Value *value = &b->now[slot], *expected = &b->at_entry[target][slot];
        if (!b->live_in[target][slot] || expected->is_varying || !value->is_set)
            continue;
        for (int i = 0; i < PARTS; i++) {
            Atom goal = entry_atom(expected->part[i], slot, i), from = value->part[i];
            if (goal.is_literal || (!from.is_literal && from.variable == goal.variable))
                continue;
            text_printf(to, "    const u64 n%u_%d = %s;\n", slot, i, atom_text(b, from));
            text_printf(&moves, "    s%u_%d = n%u_%d;\n", slot, i, slot, i);
        }
    }
    if (moves.length > 0)
        text_append(to, moves.data, moves.length);
    text_free(&moves);
}

/* Writes the jump to `target`, with the moves that give it the values it expects; in a dry run, join_edge(). */
static void go_to(Builder *b, Text *to, int32_t target)
{
    if (b->is_dry_run) {
        join_edge(b, target);
        return;
    }
    text_add(to, "    {\n");
    spread(b, to, target);
    assign_parts(b, to, target);
    if (target <= b->block)
        text_add(to, "    f->turns--;\n");
    text_printf(to, "    goto b%d;\n    }\n", target);
}

/* ==== block end =================================================================================================== */

/* How a basic block ends. */

enum { MAX_BARRIERS_KNOWN = 16 };

static void leave_at_end(Builder *b)
{
    if (b->is_dry_run) {
        join_successors(b);
        return;
    }
    text_add(&b->text, "    {\n");
    int point = new_point(b, &b->text, POINT_END, b->now, NULL, 0);
    text_printf(&b->text, "    return %d;\n    }\n", point);
}

/* A guarded branch or exit (`leaves`). The translation continues only if the guard holds in all lanes or in none. */
static void end_guarded(Builder *b, const BasicBlock *block, bool leaves)
{
    const Value guard = b->now[block->guard.slot];
    const char *holds = "";
    if (!b->is_dry_run && !guard.is_varying)
        holds = arena_printf(&b->scratch, "(%s != 0) != %d", atom_text(b, guard.part[0]), block->guard_negated);
    if (!b->is_dry_run && guard.is_varying) {
        text_printf(&b->text,
                    "    const u32 count = count_lanes_where(R + at_%u, %d, %u, %u, x0, x1, y0, y1, z0, z1);\n",
                    block->guard.slot, block->guard_negated, b->translation->shape[0], b->translation->shape[1]);
        holds = leaves ? "count != 0" : "count == f->lanes";
    }
    if (!b->is_dry_run)
        text_printf(&b->text, "    if (%s)\n", holds);
    if (leaves)
        leave_at_end(b);
    else
        go_to(b, &b->text, block->target);
    if (!b->is_dry_run && guard.is_varying && !leaves)
        text_add(&b->text, "    if (count == 0)\n");
    go_to(b, &b->text, b->block + 1);
    if (guard.is_varying && !leaves)
        leave_at_end(b);
}

static bool is_plain_barrier(const Builder *b, const BasicBlock *block)
{
    return block->barrier == BARRIER_SYNC && block->guard.slot == NO_SLOT && block->threads.slot == NO_SLOT &&
           !b->has_arrive && block->index.slot != NO_SLOT && is_same_for_all(&b->now[block->index.slot]) &&
           b->now[block->index.slot].part[0].is_literal &&
           b->now[block->index.slot].part[0].number < MAX_BARRIERS_KNOWN;
}

static void end_at_barrier(Builder *b, const BasicBlock *block)
{
    if (is_plain_barrier(b, block)) {
        if (!b->is_dry_run)
            text_printf(&b->text,
                        "    if (f->whole) {\n    f->sums.barriers++;\n"
                        "    if (f->is_sanitized)\n        f->sanitize_barrier(f, %d);\n",
                        b->block);
        go_to(b, &b->text, b->block + 1);
        if (!b->is_dry_run)
            text_add(&b->text, "    }\n");
    }
    leave_at_end(b);
}

/* Writes the end of the current basic block. */
static void translate_block_end(Builder *b)
{
    const BasicBlock *block = &b->code->blocks[b->block];
    bool is_guarded = block->guard.slot != NO_SLOT;
    end_stretch(b, block->end);
    b->instruction = POINT_END;
    switch ((BlockEnd)block->ends) {
    case END_FALL: go_to(b, &b->text, b->block + 1); return;
    case END_BRANCH:
        if (is_guarded)
            end_guarded(b, block, false);
        else
            go_to(b, &b->text, block->target);
        return;
    case END_EXIT:
        if (is_guarded)
            end_guarded(b, block, true);
        else
            leave_at_end(b);
        return;
    case END_BARRIER: end_at_barrier(b, block); return;
    case END_CLUSTER:
    case END_INDEXED:
    case END_CALL: /* code with procedures is not translated */
    case END_RETURN:
    case END_TRAP: leave_at_end(b); return;
    }
}

/* ==== translate access ============================================================================================ */

/* Loads and stores whose address is a scalar. */

typedef struct AccessAddress {
    const Instruction *instruction;
    Value address;               /* offset included */
    const char *first;           /* the address in the first lane */
    const char *steps[AXES + 1]; /* along the axes, the irregular one last */
    const char *pointer;         /* of the host; where it varies: for x == 0 of the row */
} AccessAddress;

/* The pointer to element `index` of a vector access. */
static const char *element(Builder *b, const AccessAddress *place, int index)
{
    int offset = index << place->instruction->size;
    if (is_same_for_all(&place->address))
        return arena_printf(&b->scratch, "%s + %d", place->pointer, offset);
    const char *text = arena_printf(&b->scratch, "%s + %d", place->pointer, offset);
    if (!is_number(place->address.part[1], 0))
        text = arena_printf(&b->scratch, "%s + (s64)%s * x", text, place->steps[0]);
    if (is_irregular(&place->address)) /* 32 bits are enough for a pattern, and gcc has an instruction for that */
        text = arena_printf(&b->scratch, "%s + (s32)%s * place%d[lane + x]", text, place->steps[AXES],
                            place->address.axis);
    return text;
}

static void find_first(Builder *b, AccessAddress *place)
{
    const Value *address = &place->address;
    char *sum = arena_string(&b->scratch, atom_text(b, address->part[0]));
    for (int i = 1; i < PARTS; i++) {
        place->steps[i - 1] = atom_text(b, address->part[i]);
        if (i <= AXES && !is_number(address->part[i], 0))
            sum = arena_printf(&b->scratch, "%s + %s * (u64)%c0", sum, place->steps[i - 1], 'w' + i);
    }
    place->first = atom_text(b, new_atom(b, address->size == 2 ? "(u32)(%s)" : "%s", sum));
}

static void find_pointer(Builder *b, AccessAddress *place)
{
    bool in_shared = place->instruction->space == PTX_SHARED;
    const char *base = arena_printf(&b->scratch, in_shared ? "f->shared + (s64)%s" : "(char *)%s", place->first);
    if (is_same_for_all(&place->address)) {
        place->pointer = base;
        return;
    }
    int row = b->names++;
    text_printf(&b->rows, "        char *const p%d = %s + (s64)%s * (y - y0) + (s64)%s * (z - z0) - (s64)%s * x0;\n",
                row, base, place->steps[1], place->steps[2], place->steps[0]);
    place->pointer = arena_printf(&b->scratch, "p%d", row);
}

/* Requires that the access is allowed, and counts it. */
static void check_access(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    bool is_store = i->kind == STORE;
    const char *name = arena_printf(&b->scratch, "%s%s", i->space == PTX_SHARED ? "shared_" : "",
                                    is_store ? "store" : "load");
    const char *steps = arena_printf(&b->scratch, "(s64)%s, (s64)%s, (s64)%s", place->steps[0], place->steps[1],
                                     place->steps[2]);
    if (is_irregular(&place->address))
        require(b, "is_proven_on(&proven[%d], %s, %u, %s, (s64)%s, &axes[%d]) || f->prove(f, %d, %s, %s, (s64)%s, %d)",
                i->index, place->first, lane_bytes(i), steps, place->steps[AXES], place->address.axis, b->instruction,
                place->first, steps, place->steps[AXES], place->address.axis);
    else
        require(b, "is_proven(&proven[%d], %s, %u, %s) || f->prove(f, %d, %s, %s, 0, -1)", i->index, place->first,
                lane_bytes(i), steps, b->instruction, place->first, steps);
    if (b->is_dry_run)
        return;
    if (i->space != PTX_SHARED)
        text_printf(&b->head, "    note_first_address(&proven[%d], %s);\n", i->index, place->first);
    if (i->is_merged)
        return;
    if (i->space == PTX_SHARED)
        text_printf(&b->commit, "    f->sums.%ss++;\n    f->sums.%s_wavefronts += proven[%d].cost;\n", name, name,
                    i->index);
    else if (i->space == PTX_CONST)
        text_printf(&b->commit, "    f->sums.constant_loads++;\n    f->sums.constant_words += proven[%d].cost;\n",
                    i->index);
    else
        text_printf(&b->commit,
                    "    f->sums.%s_requests++;\n    f->sums.%s_bytes += %u;\n"
                    "    f->sums.%s_sectors += proven[%d].sectors[%s %% 32];\n",
                    name, name, lane_bytes(i), name, i->index, place->first);
    if (i->space != PTX_SHARED && i->space != PTX_CONST)
        text_printf(&b->commit, "    f->sums.%s += proven[%d].cost;\n", is_store ? "store_lines" : "load_wavefronts",
                    i->index);
}

/* Tells of a store into memory in which something comes from the host (simgpu/memory/origin.h). */
static void note_store(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    if (!b->is_dry_run && i->kind == STORE && i->space != PTX_SHARED)
        text_printf(&b->commit, "    if (proven[%d].is_noted)\n        f->note_store(f, %d, %s);\n", i->index,
                    b->instruction, place->first);
}

/* The sanitizer finds the values of a store in the register file, because a store begins a stretch. */
static void sanitize_access(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    if (b->is_dry_run || i->space == PTX_CONST)
        return;
    if (i->kind == LOAD) {
        text_printf(&b->commit, "    if (f->is_sanitized)\n        f->sanitize_load(f, %d, %s);\n", b->instruction,
                    place->first);
        return;
    }
    text_add(&b->commit, "    if (f->is_sanitized) {\n");
    int point = new_point(b, &b->commit, b->instruction, b->now, i->sources + 1, i->count);
    text_printf(&b->commit, "        f->sanitize_store(f, %d, %s);\n    }\n", point, place->first);
}

static void load_elements(Builder *b, const AccessAddress *place)
{
    const Instruction *instruction = place->instruction;
    static const char *const signed_words[] = {"s8", "s16", "s32", "s64"};
    const char *type = instruction->is_signed ? signed_words[instruction->size] : word(instruction->size);
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        if (is_same_for_all(&place->address)) {
            Value value = scalar_literal(0, to.size);
            value.part[0] = new_atom(b, "(%s)PEEK(%s, %s)", word(to.size), type, element(b, place, i));
            set_value(b, to, value);
            continue;
        }
        int name = new_lane_value(b, to);
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            const %s v%d = (%s)PEEK(%s, %s);\n", word(to.size), name, word(to.size),
                        type, element(b, place, i));
    }
}

static void store_elements(Builder *b, const AccessAddress *place)
{
    const Instruction *instruction = place->instruction;
    for (int i = 0; i < instruction->count; i++) {
        const char *value = lane_text(b, instruction->sources[1 + i]);
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            POKE(%s, %s, %s);\n", word(instruction->size), element(b, place, i),
                        value);
    }
}

/* Accesses to shared memory that are narrower than a bank are left to the interpreter: their cost depends on the
 * address. */
static bool can_access(const Builder *b, const Instruction *instruction)
{
    bool is_shared = instruction->space == PTX_SHARED;
    if (instruction->guard.slot != NO_SLOT || instruction->is_hidden || (is_shared && lane_bytes(instruction) < 4) ||
        (!is_shared && instruction->space != PTX_GLOBAL && instruction->space != PTX_CONST))
        return false;
    return true;
}

/* False where the interpreter must execute it. */
static bool translate_access(Builder *b, const Instruction *instruction)
{
    if (!can_access(b, instruction))
        return false;
    if (source_value(b, instruction->sources[0]).is_varying)
        make_axis(b, instruction->sources[0]);
    bool is_store = instruction->kind == STORE;
    Order *order = instruction->space == PTX_SHARED ? &b->shared : &b->global;
    if (order->stored || is_store)
        renew_stretch(b);
    *(is_store ? &order->stored : &order->loaded) = true;
    AccessAddress place = {.instruction = instruction, .address = source_value(b, instruction->sources[0])};
    if (instruction->sources[0].slot == NO_SLOT)
        place.address = scalar_literal(0, 3);
    Atom base = place.address.part[0];
    place.address.part[0] = base.is_literal ? atom_literal(base.number + (uint64_t)instruction->offset)
                                            : new_atom(b, "%s + %lluull", atom_text(b, base),
                                                       (unsigned long long)instruction->offset);
    find_first(b, &place);
    check_access(b, &place);
    sanitize_access(b, &place);
    note_store(b, &place);
    if (!b->is_dry_run)
        find_pointer(b, &place);
    else
        place.pointer = "";
    if (is_store)
        store_elements(b, &place);
    else
        load_elements(b, &place);
    return true;
}

/* ==== translate =================================================================================================== */

enum { MAX_INSTRUCTIONS = 500 }; /* compiling more takes seconds, and soon minutes: longer than most launches */

static void translate_lanes(Builder *b, const Instruction *instruction)
{
    Value sources[4], result = {0};
    for (int i = 0; i < 4; i++)
        sources[i] = source_value(b, instruction->sources[i]);
    bool is_plain = instruction->rounding == 0 && instruction->guard.slot == NO_SLOT;
    int source;
    if (is_plain && wants_axis(b, instruction, sources, &source)) {
        make_axis(b, instruction->sources[source]);
        sources[source] = source_value(b, instruction->sources[source]);
    }
    if (is_plain && scalar_opcode(b, instruction, sources, &result)) {
        set_value(b, instruction->results[0], result);
    } else if (is_plain && opcode_is_plain((Opcode)instruction->opcode, true)) {
        run_in_lanes(b, instruction);
    } else {
        call_interpreter(b, instruction);
    }
}

static void load_parameter(Builder *b, const Instruction *instruction)
{
    static const char *const signed_words[] = {"s8", "s16", "s32", "s64"};
    const char *type = instruction->is_signed ? signed_words[instruction->size] : word(instruction->size);
    Operand to = instruction->results[0];
    Value value = scalar_literal(0, to.size & 3);
    value.part[0] = new_atom(b, "(%s)PEEK(%s, f->parameters + %lld)", word(to.size & 3), type,
                             (long long)instruction->offset);
    set_value(b, to, value);
}

/* Where all marks are known to be zero, there is nothing to check. */
static void translate_check(Builder *b, const Instruction *check)
{
    bool is_set = true;
    for (int i = 0; i < MAX_SOURCES; i++) {
        const Value value = source_value(b, check->sources[i]);
        is_set &= check->sources[i].slot == NO_SLOT || (is_same_for_all(&value) && is_number(value.part[0], 0));
    }
    if (!is_set)
        call_interpreter(b, check);
}

/* False where the interpreter must execute the instruction and the rest of the block. */
static bool translate_instruction(Builder *b, const Instruction *instruction)
{
    switch (instruction_facts(instruction).jit) {
    case JIT_LANES: translate_lanes(b, instruction); return true;
    case JIT_PARAMETER:
        if (instruction->guard.slot == NO_SLOT)
            load_parameter(b, instruction);
        else
            call_interpreter(b, instruction);
        return true;
    case JIT_ACCESS:
        if (!translate_access(b, instruction))
            call_interpreter(b, instruction);
        return true;
    case JIT_CHECK: translate_check(b, instruction); return true;
    case JIT_NOTHING: return true;
    case JIT_HELPER: call_interpreter(b, instruction); return true;
    case JIT_LEAVE:
    case JIT_REFUSE: return false;
    }
    return false;
}

/* Leaves the rest of the block to the interpreter. Nothing is known of the values at its successors. */
static void give_up_block(Builder *b)
{
    end_stretch(b, b->instruction);
    if (!b->is_dry_run) {
        text_add(&b->text, "    {\n");
        int point = new_point(b, &b->text, b->instruction, b->now, NULL, 0);
        text_printf(&b->text, "    return %d;\n    }\n", point);
        return;
    }
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        if (b->now[slot].is_set && !b->is_special[slot])
            b->now[slot] = varying_value(b->now[slot].size);
    join_successors(b);
}

/* The value of a special register in all blocks of threads of the translation's shape. */
static Value special_value(const Builder *b, const SpecialRegister *special)
{
    const uint32_t *shape = b->translation->shape;
    uint8_t size = special->operand.size & 3;
    Value value = scalar_literal(0, size);
    switch (special->kind) {
    case SPECIAL_CONSTANT: return scalar_literal(special->value, size);
    case SPECIAL_NTID: return scalar_literal(shape[special->detail], size);
    case SPECIAL_TID: value.part[1 + special->detail] = atom_literal(shape[special->detail] > 1); return value;
    case SPECIAL_LANE:
    case SPECIAL_WARP:
    case SPECIAL_LANEMASK: return varying_value(size);
    case SPECIAL_CTAID:
    case SPECIAL_NCTAID:
    case SPECIAL_WARPS:
    case SPECIAL_DYNAMIC_SHARED:
    case SPECIAL_TOTAL_SHARED:
    case SPECIAL_MULTIPROCESSOR:
    case SPECIAL_MULTIPROCESSORS:
    case SPECIAL_UNWRITTEN:
    case SPECIAL_CLUSTER_CTAID:
    case SPECIAL_CLUSTER_NCTAID:
    case SPECIAL_CLUSTERID:
    case SPECIAL_NCLUSTERID:
    case SPECIAL_CLUSTER_RANK:
    case SPECIAL_CLUSTER_RANKS:
    case SPECIAL_IS_CLUSTER:
    case SPECIAL_WORKSPACE: value.part[0] = entry_atom((Atom){0}, special->operand.slot, 0); return value;
    }
    return varying_value(size);
}

static void enter_block(Builder *b)
{
    memset(b->now, 0, b->code->slot_count * sizeof *b->now);
    for (int i = 0; i < b->code->special_register_count; i++) {
        const SpecialRegister *special = &b->code->special_registers[i];
        b->now[special->operand.slot] = special_value(b, special);
    }
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        if (!b->live_in[b->block][slot])
            continue;
        b->now[slot] = b->at_entry[b->block][slot];
        for (int i = 0; i < PARTS && !b->now[slot].is_varying; i++)
            b->now[slot].part[i] = entry_atom(b->now[slot].part[i], slot, i);
    }
    b->counted = false;
    b->instruction = b->code->blocks[b->block].first;
    begin_stretch(b, b->instruction);
}

static void translate_block(Builder *b)
{
    const BasicBlock *block = &b->code->blocks[b->block];
    enter_block(b);
    if (!b->is_dry_run) {
        text_printf(&b->text, "b%d: {\n    if (f->limit <= %d%s%s)\n        goto %s;\n", b->block, b->block,
                    b->is_loop_head[b->block] ? " || f->turns <= 0" : "", block->joins ? " || !f->is_complete" : "",
                    leave_label(b));
    }
    if (!b->is_dry_run && block->joins)
        text_add(&b->commit, "    if (f->is_sanitized)\n        f->sanitize_join(f);\n");
    for (int i = block->first; i < block->end; i++) {
        b->instruction = i;
        if (block->waits || !translate_instruction(b, &b->code->instructions[i])) {
            give_up_block(b);
            break;
        }
        if (i == block->end - 1)
            translate_block_end(b);
    }
    if (block->first == block->end)
        translate_block_end(b);
    if (!b->is_dry_run) {
        if (b->leaves.length > 0)
            text_append(&b->text, b->leaves.data, b->leaves.length);
        b->leaves.length = 0;
        text_add(&b->text, "}\n");
    }
    arena_free(&b->scratch);
}

static void find_entry_values(Builder *b)
{
    b->is_dry_run = true;
    b->block = 0;
    join_edge(b, 0); /* registers that are not written yet vary */
    for (int32_t number = 0; number < b->code->block_count;) {
        if (!b->queued[number]) {
            number++;
            continue;
        }
        b->queued[number] = false;
        b->block = number;
        translate_block(b);
        number = 0;
    }
    b->is_dry_run = false;
}

static bool is_translatable(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (instruction_facts(&code->instructions[i]).jit == JIT_REFUSE)
            return false;
    return code->instruction_count <= MAX_INSTRUCTIONS;
}

/* False where the kernel is too large. */
static bool write_translation(Builder *b)
{
    builder_init(b);
    find_addresses(b);
    if (!find_live(b))
        return false;
    find_entry_values(b);
    for (b->block = 0; b->block < b->code->block_count; b->block++)
        if (b->at_entry[b->block] != NULL)
            translate_block(b);
    write_source(b);
    list_varying(b);
    return true;
}

Translation *translation_new(const Code *code, const uint32_t shape[3])
{
    if (!is_translatable(code))
        return NULL;
    Translation *t = allocated(calloc(1, sizeof *t));
    t->code = code;
    memcpy(t->shape, shape, sizeof t->shape);
    t->entries = arena_array(&t->arena, (size_t)code->block_count, sizeof *t->entries);
    Builder b = {.translation = t, .code = code, .arena = &t->arena};
    bool is_written = write_translation(&b);
    builder_free(&b);
    if (is_written)
        return t;
    arena_free(&t->arena);
    free(t);
    return NULL;
}
