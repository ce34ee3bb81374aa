/* mbarrier: barriers that are 64-bit words of shared memory (simgpu/code/code.h).
 *
 * Initialising is a store, arriving is an atomic operation, and testing is a load. Copies by cp.async are complete as
 * soon as they are issued, so that they leave nothing pending; bulk copies end later (simgpu/engine/bulk_copy.h).
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: mbarrier.  */

#include "simgpu/code/code.h"
#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"

#include <string.h>

/* ==== lower bulk ================================================================================================== */

/* Bulk copies between global and shared memory: cp.async.bulk, cp.reduce.async.bulk. */

/* One thread asks for a bulk copy, which goes on by itself. A copy into shared memory tells an mbarrier when it has
 * ended; a copy into global memory belongs to a group of its thread, which the thread can wait for.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Bulk Copy; cp.reduce.async.bulk.  */

/* The part of an opcode that is the `number`-th name of a state space; "" where there are fewer. */
static const char *space_part(const OpcodeModifiers *parts, int number)
{
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE && number-- == 0)
            return parts->part[i];
    return "";
}

static BulkKind bulk_kind(Lowering *l, const OpcodeModifiers *parts)
{
    PtxSpace to = space_named(space_part(parts, 0)), from = space_named(space_part(parts, 1));
    if (parts_have(parts, "prefetch"))
        return BULK_PREFETCH;
    if (to == PTX_SHARED && from == PTX_GLOBAL && parts_have(parts, "mbarrier::complete_tx::bytes"))
        return BULK_LOAD;
    if (to == PTX_GLOBAL && from == PTX_SHARED && parts_have(parts, "bulk_group"))
        return BULK_STORE;
    if (to == PTX_SHARED && from == PTX_SHARED && parts_have(parts, "mbarrier::complete_tx::bytes"))
        return BULK_TO_CLUSTER;
    lower_refuse(l, "");
}

static int reduction_named(const char *part)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } rows[] = {
        {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"inc", ATOMIC_INC},
        {"dec", ATOMIC_DEC}, {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(part, rows[i].name) == 0)
            return (int)rows[i].kind;
    return -1;
}

/* cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32: how elements are combined with those in memory. */
static void set_reduction(Lowering *l, const OpcodeModifiers *parts, Instruction *copy)
{
    PtxType type = last_type(l, parts, 0);
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        kind = kind < 0 ? reduction_named(parts->part[i]) : kind;
    bool is_float = ptx_type_is_float(type), adds = kind == ATOMIC_ADD, is_half = ptx_type_bytes(type) == 2;
    if (kind < 0 || (is_float && !adds) || (is_half && !is_float) || ptx_type_bytes(type) < 2)
        lower_refuse(l, "");
    if (is_float)
        kind = !is_half                                    ? ATOMIC_FLOAT_ADD
               : ptx_type_is_half(type) && type != PTX_F16 ? ATOMIC_BF16_ADD
                                                           : ATOMIC_F16_ADD;
    copy->count = (uint8_t)(1 + kind);
    copy->size = size_of(type);
    copy->is_signed = ptx_type_is_signed(type);
}

/* The blocks of the cluster that a copy goes to: bits in 16. */
static Operand block_mask(Lowering *l, const PtxOperand *operand)
{
    Operand wide = temporary(l, 4);
    emit_extend(l, PTX_U16, wide, source_operand(l, operand, 2));
    return wide;
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier] {, blocks};
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; cp.async.bulk.prefetch.L2.global [from], bytes */
static void lower_bulk_copy(Lowering *l, const OpcodeModifiers *parts)
{
    BulkKind kind = bulk_kind(l, parts);
    bool has_target = kind != BULK_PREFETCH, signals = kind == BULK_LOAD || kind == BULK_TO_CLUSTER;
    if (parts_have(parts, "cp_mask") || parts_have(parts, "ignore_oob"))
        lower_refuse(l, "");
    Operand operands[MAX_SOURCES] = {no_operand, no_operand, no_operand, no_operand, no_operand};
    if (has_target)
        operands[0] = whole_address(l, operand_at(l, 0), kind == BULK_STORE ? PTX_GLOBAL : PTX_SHARED);
    operands[1] = whole_address(l, operand_at(l, has_target),
                                kind == BULK_STORE || kind == BULK_TO_CLUSTER ? PTX_SHARED : PTX_GLOBAL);
    operands[2] = source_operand(l, operand_at(l, has_target + 1), 4);
    if (signals)
        operands[3] = whole_address(l, operand_at(l, 3), PTX_SHARED);
    if (parts_have(parts, "multicast::cluster"))
        operands[4] = block_mask(l, operand_at(l, 4));
    ignored_hint(l, parts);
    Instruction *copy = emit(l, BULK_COPY);
    copy->detail = (uint8_t)kind;
    copy->space = PTX_GLOBAL;
    copy->variable = has_target ? variable_of(l, operand_at(l, kind == BULK_STORE)) : NULL;
    memcpy(copy->sources, operands, sizeof operands);
    if (strcmp(parts->part[1], "reduce") == 0)
        set_reduction(l, parts, copy);
    if (kind == BULK_LOAD)
        count_request(l, copy);
}

/* cp.async.bulk.wait_group.read 1: reading has ended here only when writing has. */
static void lower_bulk_wait(Lowering *l)
{
    const uint64_t left = expect_constant(l, 0);
    emit(l, BULK_WAIT)->detail = (uint8_t)(left < UINT8_MAX ? left : UINT8_MAX);
}

/* ---- tensor maps ------------------------------------------------------------------------------------------------- */

/* low | high << 32 */
static Operand pair_of(Lowering *l, Operand low, Operand high)
{
    Operand pair = temporary(l, 8);
    emit_form(l, "+pack.b64", pair, low, high, no_operand);
    return pair;
}

static Operand shared_place(Lowering *l, const PtxOperand *address)
{
    Operand narrow = temporary(l, 4);
    emit_extend(l, PTX_U32, narrow, whole_address(l, address, PTX_SHARED));
    return narrow;
}

/* "1d" to "5d"; 0: none of them. */
static uint8_t dimensions_of(const OpcodeModifiers *parts)
{
    static const char *const names[] = {"1d", "2d", "3d", "4d", "5d"};
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
        if (parts_have(parts, names[i]))
            return i + 1;
    return 0;
}

/* Reads [map, {x, y}]: the map is a generic address. */
static void set_box(Lowering *l, const PtxOperand *address, uint8_t dimensions, Operand blocks, Operand *sources)
{
    if (address->kind != PTX_ADDRESS || address->register_index < 0 || address->element_count != dimensions)
        lower_refuse(l, "these coordinates");
    PtxOperand map = *address;
    Operand at[6];
    map.element_count = 0;
    sources[1] = whole_address(l, &map, PTX_NO_SPACE);
    for (int i = 0; i < 5; i++)
        at[i] = i < dimensions ? source_operand(l, &address->elements[i], 4) : constant(l, 0, 4);
    at[5] = blocks;
    for (int i = 0; i < 3; i++)
        sources[2 + i] = pair_of(l, at[2 * i], at[2 * i + 1]);
}

static void set_tensor_reduction(Lowering *l, const OpcodeModifiers *parts, Instruction *copy)
{
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        kind = kind < 0 ? reduction_named(parts->part[i]) : kind;
    if (kind < 0)
        lower_refuse(l, "");
    copy->count = (uint8_t)(1 + kind);
}

/* cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}], [mbarrier] {,
 * blocks}; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from];
 * cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [map, {x, y}], [from];
 * cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {x, y}] */
static void lower_tensor_copy(Lowering *l, const OpcodeModifiers *parts)
{
    static const char *const others[] = {"im2col",        "im2col_no_offs", "im2col::w",    "im2col::w::128",
                                         "tile::gather4", "tile::scatter4", "cta_group::1", "cta_group::2"};
    const BulkKind kind = bulk_kind(l, parts);
    const uint8_t dimensions = dimensions_of(parts);
    const bool is_load = kind == BULK_LOAD;
    Operand sources[MAX_SOURCES], places = constant(l, 0, 8), blocks = constant(l, BULK_OWN_BLOCK, 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (parts_have(parts, others[i]))
            lower_refuse(l, "");
    if (dimensions == 0 || kind == BULK_TO_CLUSTER)
        lower_refuse(l, "");
    if (is_load)
        places = pair_of(l, shared_place(l, operand_at(l, 0)), shared_place(l, operand_at(l, 2)));
    else if (kind == BULK_STORE)
        places = pair_of(l, shared_place(l, operand_at(l, 1)), constant(l, 0, 4));
    if (parts_have(parts, "multicast::cluster"))
        blocks = block_mask(l, operand_at(l, 3));
    ignored_hint(l, parts);
    sources[0] = places;
    set_box(l, operand_at(l, is_load), dimensions, blocks, sources);
    Instruction *copy = emit(l, BULK_COPY);
    copy->detail = (uint8_t)kind;
    copy->dimensions = dimensions;
    copy->space = PTX_GLOBAL;
    copy->variable = kind == BULK_PREFETCH ? NULL : variable_of(l, operand_at(l, !is_load));
    memcpy(copy->sources, sources, sizeof sources);
    if (strcmp(parts->part[1], "reduce") == 0)
        set_tensor_reduction(l, parts, copy);
    if (is_load)
        count_request(l, copy);
}

static void lower_bulk(Lowering *l, const OpcodeModifiers *parts)
{
    if (parts_have(parts, "tensor")) {
        lower_tensor_copy(l, parts);
        return;
    }
    if (parts_have(parts, "commit_group"))
        emit(l, BULK_COMMIT);
    else if (parts_have(parts, "wait_group"))
        lower_bulk_wait(l);
    else
        lower_bulk_copy(l, parts);
}

/* ==== lower mbarrier ============================================================================================== */

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

/* cp.async.mbarrier.arrive cp.async.mbarrier.arrive.shared.b64 [a]: adds one pending arrival, and arrives when the copies are complete. They are
 * complete already, so that both cancel out; with .noinc, only the arrival is left. */
static void lower_copy_arrival(Lowering *l, const OpcodeModifiers *parts)
{
    bool counts = parts_have(parts, "noinc");
    emit_word_atomic(l, ATOMIC_ARRIVE, operand_at(l, 0), first_space(parts), constant(l, counts, 8), no_operand);
    l->code->instructions[l->code->instruction_count - 1].signals_copies = true;
}

/* ==== lower copy async ============================================================================================ */

/* cp.async.wait_group 1; cp.async.wait_all, which first makes a group of the copies that are in none. */
static void lower_copy_wait(Lowering *l, const OpcodeModifiers *parts)
{
    const uint64_t most = UINT8_MAX;
    if (parts_have(parts, "wait_all")) {
        emit(l, COPY_COMMIT);
        emit(l, COPY_WAIT);
        return;
    }
    const uint64_t left = expect_constant(l, 0);
    emit(l, COPY_WAIT)->detail = (uint8_t)(left < most ? left : most);
}

/* cp.async.ca.shared.global [to], [from], 16 {, bytes | predicate}: reads `bytes`, or none if the predicate holds,
 * and fills up with zeros. */
static void lower_copy_async(Lowering *l, const OpcodeModifiers *parts)
{
    if (!parts_have(parts, "global"))
        lower_refuse(l, "");
    const PtxOperand *size = operand_at(l, 2);
    if (size->kind != PTX_IMMEDIATE || (size->number != 4 && size->number != 8 && size->number != 16))
        lower_refuse(l, "a copy of this size");
    Operand to = whole_address(l, operand_at(l, 0), PTX_SHARED);
    Operand from = whole_address(l, operand_at(l, 1), PTX_GLOBAL);
    Operand bytes = constant(l, size->number, 4);
    const int extra = ignored_hint(l, parts);
    if (l->source->operand_count > 3 + extra) {
        const PtxOperand *limit = operand_at(l, 3);
        if (is_predicate(l, limit)) {
            Operand chosen = temporary(l, 4);
            emit_form(l, "selp.b32", chosen, constant(l, 0, 4), bytes, source_operand(l, limit, 1));
            bytes = chosen;
        } else {
            bytes = source_operand(l, limit, 4);
        }
    }
    Instruction *copy = emit(l, COPY_ASYNC);
    copy->detail = (uint8_t)size->number;
    copy->space = PTX_GLOBAL;
    copy->variable = variable_of(l, operand_at(l, 0));
    copy->sources[0] = to;
    copy->sources[1] = from;
    copy->sources[2] = bytes;
    count_request(l, copy);
}

void lower_cp(Lowering *l, const OpcodeModifiers *parts)
{
    if (!parts_have(parts, "async"))
        lower_refuse(l, "");
    count_control(l);
    if (parts_have(parts, "bulk")) {
        lower_bulk(l, parts);
        return;
    }
    if (parts_have(parts, "mbarrier")) {
        lower_copy_arrival(l, parts);
        return;
    }
    if (parts_have(parts, "commit_group"))
        emit(l, COPY_COMMIT);
    else if (parts_have(parts, "wait_group") || parts_have(parts, "wait_all"))
        lower_copy_wait(l, parts);
    else
        lower_copy_async(l, parts);
}
