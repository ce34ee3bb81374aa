#include "simgpu/jit/translate/lanes.h"

#include "simgpu/jit/translate/point.h"
#include "simgpu/jit/translate/stretch.h"
#include "simgpu/jit/translate/text.h"
#include "simgpu/jit/translate/value.h"

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

const char *lane_text(Builder *b, Operand operand)
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

int new_lane_value(Builder *b, Operand operand)
{
    int name = b->names++;
    set_value(b, operand,
              (Value){.is_set = true, .is_varying = true, .size = operand.size, .lane = name, .is_written = true});
    return name;
}

void run_in_lanes(Builder *b, const Instruction *instruction)
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

void make_axis(Builder *b, Operand operand)
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
void call_interpreter(Builder *b, const Instruction *instruction)
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
