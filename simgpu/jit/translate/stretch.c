/* The C of a stretch first computes scalars and tests what is required, then counts, then loops over the lanes.
 *
 * The interpreter executes an instruction in all lanes before the next one. So a stretch ends where a difference
 * could be seen: before a load after a store to the same memory, and before a store after any access to it. In fact
 * it ends before every store, because the values to be stored must be in the register file for the sanitizer.  */
#include "simgpu/jit/translate/stretch.h"

#include "simgpu/jit/translate/needed.h"

#include <string.h>

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
