/* mbarrier: barriers that are 64-bit words of shared memory (simgpu/code/mbarrier_word.h).
 *
 * Initialising is a store, arriving is an atomic operation, and testing is a load. Copies by cp.async are complete as
 * soon as they are issued, so that they leave nothing pending; bulk copies end later (simgpu/engine/bulk_copy.h).
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: mbarrier.  */
#include "simgpu/lower/lower_mbarrier.h"

#include "simgpu/code/mbarrier_word.h"
#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

static Operand wide_count(Lowering *l, const PtxOperand *operand)
{
    Operand wide = temporary(l, 8);
    emit_extend(l, PTX_U32, wide, source_operand(l, operand, 4));
    return wide;
}

/* mbarrier.init.shared.b64 [a], count */
static void lower_init(Lowering *l, const OpcodeModifiers *parts)
{
    Operand count = wide_count(l, operand_at(l, 1)), expected = temporary(l, 8), word = temporary(l, 8);
    emit_form(l, "shl.b64", expected, count, constant(l, MBARRIER_EXPECTED_SHIFT, 4), no_operand);
    emit_form(l, "or.b64", word, count, expected, no_operand);
    emit_form(l, "or.b64", word, word, constant(l, MBARRIER_MARK, 8), no_operand);
    emit_word_store(l, operand_at(l, 0), first_space(parts), word);
}

/* mbarrier.expect_tx.relaxed.cta.shared.b64 [a], bytes; mbarrier.complete_tx.relaxed.cta.shared.b64 [a], bytes */
static void lower_transaction(Lowering *l, const OpcodeModifiers *parts)
{
    bool completes = strcmp(parts->part[1], "complete_tx") == 0;
    emit_word_atomic(l, completes ? ATOMIC_COMPLETE_BYTES : ATOMIC_EXPECT_BYTES, operand_at(l, 0), first_space(parts),
                     wide_count(l, operand_at(l, 1)), no_operand);
}

/* mbarrier.arrive.shared.b64 state, [a] {, count}; mbarrier.arrive.expect_tx.shared.b64 state, [a], bytes: the state is
 * the word as it was before. */
static void lower_arrive(Lowering *l, const OpcodeModifiers *parts)
{
    bool drops = strcmp(parts->part[1], "arrive_drop") == 0, expects = parts_have(parts, "expect_tx");
    bool has_number = l->source->operand_count > 2;
    Operand number = has_number ? wide_count(l, operand_at(l, 2)) : constant(l, 1, 8), old = temporary(l, 8);
    if (expects)
        emit_word_atomic(l, ATOMIC_EXPECT_BYTES, operand_at(l, 1), first_space(parts), number, no_operand);
    emit_word_atomic(l, drops ? ATOMIC_ARRIVE_DROP : ATOMIC_ARRIVE, operand_at(l, 1), first_space(parts),
                     expects ? constant(l, 1, 8) : number, old);
    emit_move(l, result_operand(l, operand_at(l, 0), 8), old);
}

/* mbarrier.try_wait.shared.b64 p, [a], state; mbarrier.try_wait.parity.shared.b64 p, [a], parity: the phase is over
 * when the parity of the word differs. */
static void lower_wait(Lowering *l, const OpcodeModifiers *parts)
{
    Operand word = temporary(l, 8), difference = temporary(l, 8), before = temporary(l, 8);
    const PtxOperand *phase = operand_at(l, 2);
    emit_word_load(l, operand_at(l, 1), first_space(parts), word);
    l->code->instructions[l->code->instruction_count - 1].detail = LOAD_MBARRIER;
    if (parts_have(parts, "parity"))
        emit_form(l, "shl.b64", before, wide_count(l, phase), constant(l, 63, 4), no_operand);
    else
        before = source_operand(l, phase, 8);
    if (l->source->operand_count > 3 && strcmp(parts->part[1], "try_wait") == 0)
        ignored_value(l, operand_at(l, 3), 4); /* the longest time to wait */
    emit_form(l, "xor.b64", difference, word, before, no_operand);
    Operand is_over = temporary(l, 1);
    emit_form(l, "setp.lt.s64", is_over, difference, constant(l, 0, 8), no_operand);
    emit_move(l, result_operand(l, operand_at(l, 0), 1), is_over);
    BasicBlock *block = current_block(l);
    block->waits = true;
    block->source = is_over;
}

/* mbarrier.pending_count.b64 count, state */
static void lower_pending(Lowering *l, const OpcodeModifiers *parts)
{
    Operand low = temporary(l, 4);
    emit_form(l, "+extend.u32.32.64", low, source_operand(l, operand_at(l, 1), 8), no_operand, no_operand);
    emit_form(l, "and.b32", result_operand(l, operand_at(l, 0), 4), low, constant(l, MBARRIER_COUNT, 4), no_operand);
}

/* mbarrier.inval.shared.b64 [a]: nothing keeps a list of barriers, so that there is nothing to do. */
static void lower_inval(Lowering *l, const OpcodeModifiers *parts)
{
    ignored_address(l, 0, first_space(parts));
}

void lower_mbarrier(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name;
        void (*lower)(Lowering *, const OpcodeModifiers *);
    } rows[] = {
        {"init", lower_init},
        {"inval", lower_inval},
        {"expect_tx", lower_transaction},
        {"complete_tx", lower_transaction},
        {"arrive", lower_arrive},
        {"arrive_drop", lower_arrive},
        {"test_wait", lower_wait},
        {"try_wait", lower_wait},
        {"pending_count", lower_pending},
    };
    count_class(l, CONTROL);
    for (size_t i = 0; parts->count > 1 && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(parts->part[1], rows[i].name) == 0) {
            rows[i].lower(l, parts);
            return;
        }
    lower_refuse(l, "");
}

/* cp.async.mbarrier.arrive.shared.b64 [a]: adds one pending arrival, and arrives when the copies are complete. They are
 * complete already, so that both cancel out; with .noinc, only the arrival is left. */
void lower_copy_arrival(Lowering *l, const OpcodeModifiers *parts)
{
    bool counts = parts_have(parts, "noinc");
    emit_word_atomic(l, ATOMIC_ARRIVE, operand_at(l, 0), first_space(parts), constant(l, counts, 8), no_operand);
    l->code->instructions[l->code->instruction_count - 1].signals_copies = true;
}
