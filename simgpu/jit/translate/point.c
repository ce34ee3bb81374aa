#include "simgpu/jit/translate/point.h"

#include "simgpu/jit/translate/needed.h"
#include "simgpu/jit/translate/value.h"

#include <stdarg.h>

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
