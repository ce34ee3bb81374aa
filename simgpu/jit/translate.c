/* The walk over a kernel's basic blocks. It is done several times without writing anything, until it is known what each
 * register is at the beginning of each block whichever way one came, and once more to write the C.  */
#include "simgpu/jit/builder.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_INSTRUCTIONS = 500, /* compiling more takes longer than a launch: seconds, and soon minutes */
    MAX_BARRIERS_KNOWN = 16
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static Value varying_value(uint8_t size)
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

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void add_scalar(Builder *b, Text *to, Point *point, Operand operand, const Value *value)
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
        if (b->is_pinned[slot] || !value->is_set || value->is_varying ||
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

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static Atom joined_atom(Atom known, Atom other, bool *changed)
{
    if (!known.is_literal || (other.is_literal && other.number == known.number))
        return known;
    *changed = true;
    return (Atom){.is_literal = false};
}

/* What the target has to expect, now that one comes from here as well. */
static void join(Builder *b, int32_t target)
{
    bool changed = b->at_entry[target] == NULL;
    uint32_t count = b->code->slot_count;
    if (changed)
        b->at_entry[target] = arena_array(b->arena, count, sizeof **b->at_entry);
    for (uint32_t slot = 0; slot < count; slot++) {
        Value *known = &b->at_entry[target][slot], other = b->now[slot];
        if (!b->live_in[target][slot])
            continue;
        if (!known->is_set) {
            *known = other.is_set ? other : varying_value(b->operands[slot].size & 3);
            changed = true;
        } else if (!known->is_varying && (other.is_varying || !other.is_set ||
                                          (is_irregular(known) && is_irregular(&other) && known->axis != other.axis))) {
            *known = varying_value(known->size);
            changed = true;
        } else if (!known->is_varying) {
            known->axis = is_irregular(known) ? known->axis : other.axis;
            for (int i = 0; i < PARTS; i++)
                known->part[i] = joined_atom(known->part[i], other.part[i], &changed);
        }
        if (known->is_varying)
            b->is_varying[slot] = 1;
        known->lane = -1;
        known->is_written = false;
    }
    b->queued[target] |= changed;
}

static void join_successors(Builder *b)
{
    for (int i = 0, next; (next = code_successor(b->code, b->block, i)) != -2; i++)
        if (next >= 0)
            join(b, next);
}

static Atom entry_atom(Atom atom, uint32_t slot, int part)
{
    return atom.is_literal ? atom : (Atom){.variable = -1 - (int32_t)(slot * PARTS + (uint32_t)part)};
}

/* Scalars that the target expects in the lanes. */
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
            text_printf(to, "    const u64 n%u_%d = %s;\n", slot, i, atom_text(b, from)); /* all are read first */
            text_printf(&moves, "    s%u_%d = n%u_%d;\n", slot, i, slot, i);
        }
    }
    if (moves.length > 0)
        text_append(to, moves.data, moves.length);
    text_free(&moves);
}

static void go_to(Builder *b, Text *to, int32_t target)
{
    if (b->dry) {
        join(b, target);
        return;
    }
    text_add(to, "    {\n");
    spread(b, to, target);
    assign_parts(b, to, target);
    if (target <= b->block)
        text_add(to, "    f->turns--;\n");
    text_printf(to, "    goto b%d;\n    }\n", target);
}

/* ---- ends of blocks ---------------------------------------------------------------------------------------------- */

static void leave_at_end(Builder *b)
{
    if (b->dry) {
        join_successors(b);
        return;
    }
    text_add(&b->text, "    {\n");
    int point = new_point(b, &b->text, POINT_END, b->now, NULL, 0);
    text_printf(&b->text, "    return %d;\n    }\n", point);
}

/* Goes on where the guard holds in all lanes or in none. */
static void end_guarded(Builder *b, const BasicBlock *block, bool leaves)
{
    const Value guard = b->now[block->guard.slot];
    const char *holds = "";
    if (!b->dry && !guard.is_varying)
        holds = arena_printf(&b->scratch, "(%s != 0) != %d", atom_text(b, guard.part[0]), block->guard_negated);
    if (!b->dry && guard.is_varying) {
        text_printf(&b->text, "    const u32 count = holding(R + at_%u, %d, %u, %u, x0, x1, y0, y1, z0, z1);\n",
                    block->guard.slot, block->guard_negated, b->translation->shape[0], b->translation->shape[1]);
        holds = leaves ? "count != 0" : "count == f->lanes";
    }
    if (!b->dry)
        text_printf(&b->text, "    if (%s)\n", holds);
    if (leaves)
        leave_at_end(b);
    else
        go_to(b, &b->text, block->target);
    if (!b->dry && guard.is_varying && !leaves)
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

static void end_block(Builder *b)
{
    const BasicBlock *block = &b->code->blocks[b->block];
    end_stretch(b, block->end);
    b->instruction = POINT_END;
    if (block->ends == END_FALL || (block->ends == END_BRANCH && block->guard.slot == NO_SLOT)) {
        go_to(b, &b->text, block->ends == END_FALL ? b->block + 1 : block->target);
    } else if (block->ends == END_BRANCH || (block->ends == END_EXIT && block->guard.slot != NO_SLOT)) {
        end_guarded(b, block, block->ends == END_EXIT);
    } else if (block->ends == END_BARRIER && is_plain_barrier(b, block)) {
        if (!b->dry)
            text_add(&b->text, "    if (f->whole) {\n    f->sums.barriers++;\n"
                               "    if (f->is_watched)\n        f->watch_barrier(f);\n");
        go_to(b, &b->text, b->block + 1);
        if (!b->dry)
            text_add(&b->text, "    }\n");
        leave_at_end(b);
    } else {
        leave_at_end(b);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

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

/* False where only the interpreter can do it, with the rest of the block. */
static bool translate_instruction(Builder *b, const Instruction *instruction)
{
    switch ((InstructionKind)instruction->kind) {
    case RUN_LANES: translate_lanes(b, instruction); return true;
    case LOAD_PARAMETER:
        if (instruction->guard.slot == NO_SLOT)
            load_parameter(b, instruction);
        else
            call_interpreter(b, instruction);
        return true;
    case LOAD:
    case STORE:
        if (!translate_access(b, instruction))
            call_interpreter(b, instruction);
        return true;
    case ATOMIC:
    case COPY_ASYNC:
    case COPY_COMMIT:
    case COPY_WAIT:
    case TEXTURE:
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
    case ACTIVE_MASK:
    case SLOW_PATH: call_interpreter(b, instruction); return true;
    case BARRIER: return true;
    default: return false;
    }
}

/* The rest is the interpreter's: nothing is known of where it leads to. */
static void give_up_block(Builder *b)
{
    end_stretch(b, b->instruction);
    if (!b->dry) {
        text_add(&b->text, "    {\n");
        int point = new_point(b, &b->text, b->instruction, b->now, NULL, 0);
        text_printf(&b->text, "    return %d;\n    }\n", point);
        return;
    }
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        if (b->now[slot].is_set && !b->is_pinned[slot])
            b->now[slot] = varying_value(b->now[slot].size);
    join_successors(b);
}

static void set_pinned(Builder *b)
{
    const uint32_t *shape = b->translation->shape;
    for (int i = 0; i < b->code->pinned_count; i++) {
        const SpecialRegister *pinned = &b->code->pinned[i];
        uint32_t slot = pinned->operand.slot;
        uint8_t size = pinned->operand.size & 3;
        Value value = varying_value(size);
        if (pinned->kind == SPECIAL_CONSTANT || pinned->kind == SPECIAL_NTID) {
            value = scalar_literal(pinned->kind == SPECIAL_NTID ? shape[pinned->detail] : pinned->value, size);
        } else if (pinned->kind == SPECIAL_TID) {
            value = scalar_literal(0, size);
            value.part[1 + pinned->detail] = atom_literal(shape[pinned->detail] > 1);
        } else if (pinned->kind != SPECIAL_LANE && pinned->kind != SPECIAL_WARP && pinned->kind != SPECIAL_LANEMASK) {
            value = scalar_literal(0, size);
            value.part[0] = entry_atom((Atom){0}, slot, 0);
        }
        b->now[slot] = value;
    }
}

static void enter_block(Builder *b)
{
    memset(b->now, 0, b->code->slot_count * sizeof *b->now);
    set_pinned(b);
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
    if (!b->dry) {
        text_printf(&b->text, "b%d: {\n    if (f->limit <= %d%s%s)\n        goto %s;\n", b->block, b->block,
                    b->is_loop_head[b->block] ? " || f->turns <= 0" : "", block->joins ? " || !f->is_complete" : "",
                    leave_label(b));
    }
    if (!b->dry && block->joins)
        text_add(&b->commit, "    if (f->is_watched)\n        f->watch_join(f);\n");
    for (int i = block->first; i < block->end; i++) {
        b->instruction = i;
        if (block->waits || !translate_instruction(b, &b->code->instructions[i])) {
            give_up_block(b);
            break;
        }
        if (i == block->end - 1)
            end_block(b);
    }
    if (block->first == block->end)
        end_block(b);
    if (!b->dry) {
        if (b->leaves.length > 0)
            text_append(&b->text, b->leaves.data, b->leaves.length);
        b->leaves.length = 0;
        text_add(&b->text, "}\n");
    }
    arena_free(&b->scratch);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Sources of results that addresses are made of. Slots serve several registers, so that some are marked in vain. */
static void find_addresses(Builder *b)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < b->code->instruction_count; i++) {
            const Instruction *instruction = &b->code->instructions[i];
            bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
            bool feeds = instruction->kind == RUN_LANES && b->is_address[instruction->results[0].slot];
            for (int j = 0; j < (is_access ? 1 : feeds ? 4 : 0); j++) {
                uint32_t slot = instruction->sources[j].slot;
                if (slot != NO_SLOT && !b->is_address[slot])
                    b->is_address[slot] = changed = true;
            }
        }
    }
}

static void prepare(Builder *b)
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
    b->is_pinned = arena_array(b->arena, slots, sizeof *b->is_pinned);
    b->now = arena_array(b->arena, slots, sizeof *b->now);
    b->at_start = arena_array(b->arena, slots, sizeof *b->at_start);
    b->operands = arena_array(b->arena, slots, sizeof *b->operands);
    b->is_address = arena_array(b->arena, slots, sizeof *b->is_address);
    b->axis_of = arena_array(b->arena, (size_t)code->instruction_count, sizeof *b->axis_of);
    for (int i = 0; i < code->instruction_count; i++)
        b->axis_of[i] = -1;
    for (int i = 0; i < code->pinned_count; i++) {
        b->is_pinned[code->pinned[i].operand.slot] = true;
        b->operands[code->pinned[i].operand.slot] = code->pinned[i].operand;
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

static void find_shapes(Builder *b)
{
    b->dry = true;
    b->block = 0;
    join(b, 0); /* nothing is known of registers that nobody has written */
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
    b->dry = false;
}

/* Where a block can be entered, and what puts the scalars into their variables. */
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
                   "    unsigned char *const R = f->registers;\n    Known *const known = f->known;\n"
                   "    u64 (*const e)[PARTS] = f->scalars;\n    const Axis *const axes = f->axes;\n");
    for (int32_t axis = 0; axis < b->translation->axis_count; axis++)
        text_printf(text, "    const s32 *const place%d = axes[%d].place;\n", axis, axis);
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++) {
        if (b->is_pinned[slot])
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

static void list_varying(Builder *b)
{
    Translation *t = b->translation;
    t->varying = arena_array(b->arena, b->code->slot_count, sizeof *t->varying);
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        if (b->is_varying[slot] && !b->is_pinned[slot])
            t->varying[t->varying_count++] = b->operands[slot];
}

static void builder_free(Builder *b)
{
    arena_free(&b->scratch);
    Text *const texts[] = {&b->head, &b->rows, &b->lanes, &b->commit, &b->leaves, &b->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
}

/* Products of matrices have operands that nobody here knows of. */
static bool is_translatable(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].kind >= MULTIPLY_MATRIX)
            return false;
    return code->instruction_count <= MAX_INSTRUCTIONS;
}

Translation *translation_new(const Code *code, const uint32_t shape[3])
{
    if (!is_translatable(code))
        return NULL;
    Translation *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->code = code;
    memcpy(t->shape, shape, sizeof t->shape);
    t->entries = arena_array(&t->arena, (size_t)code->block_count, sizeof *t->entries);
    Builder b = {.translation = t, .code = code, .arena = &t->arena};
    prepare(&b);
    find_addresses(&b);
    find_live(&b);
    find_shapes(&b);
    for (b.block = 0; b.block < code->block_count; b.block++)
        if (b.at_entry[b.block] != NULL)
            translate_block(&b);
    write_source(&b);
    list_varying(&b);
    builder_free(&b);
    return t;
}
