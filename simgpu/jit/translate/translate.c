/* The walk over the basic blocks of a kernel: several times as a dry run, until the values at the entry of each block
 * do not change any more, and then once more to write the C.  */
#include "simgpu/jit/translate/translate.h"

#include "base/allocated.h"
#include "simgpu/code/instruction.h"
#include "simgpu/jit/translate/block_end.h"
#include "simgpu/jit/translate/builder.h"
#include "simgpu/jit/translate/edge.h"
#include "simgpu/jit/translate/lanes.h"
#include "simgpu/jit/translate/needed.h"
#include "simgpu/jit/translate/point.h"
#include "simgpu/jit/translate/scalar.h"
#include "simgpu/jit/translate/source.h"
#include "simgpu/jit/translate/stretch.h"
#include "simgpu/jit/translate/text.h"
#include "simgpu/jit/translate/translate_access.h"
#include "simgpu/jit/translate/value.h"

#include <stdlib.h>
#include <string.h>

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
