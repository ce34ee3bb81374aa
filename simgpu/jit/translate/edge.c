#include "simgpu/jit/translate/edge.h"

#include "simgpu/jit/translate/lanes.h"
#include "simgpu/jit/translate/stretch.h"
#include "simgpu/jit/translate/value.h"

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

void join_edge(Builder *b, int32_t target)
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

void join_successors(Builder *b)
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

void go_to(Builder *b, Text *to, int32_t target)
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
