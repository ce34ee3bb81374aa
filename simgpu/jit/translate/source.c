#include "simgpu/jit/translate/source.h"

#include "simgpu/jit/translate/point.h"
#include "simgpu/jit/translate/text.h"

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

void write_source(Builder *b)
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

void list_varying(Builder *b)
{
    Translation *t = b->translation;
    t->varying = arena_array(b->arena, b->code->slot_count, sizeof *t->varying);
    for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
        if (b->is_varying[slot] && !b->is_special[slot])
            t->varying[t->varying_count++] = b->operands[slot];
}
