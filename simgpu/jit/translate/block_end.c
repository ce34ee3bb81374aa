#include "simgpu/jit/translate/block_end.h"

#include "simgpu/jit/translate/edge.h"
#include "simgpu/jit/translate/point.h"
#include "simgpu/jit/translate/stretch.h"
#include "simgpu/jit/translate/value.h"

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
            text_add(&b->text, "    if (f->whole) {\n    f->sums.barriers++;\n"
                               "    if (f->is_sanitized)\n        f->sanitize_barrier(f);\n");
        go_to(b, &b->text, b->block + 1);
        if (!b->is_dry_run)
            text_add(&b->text, "    }\n");
    }
    leave_at_end(b);
}

void translate_block_end(Builder *b)
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
