/* The walk over the instructions of a kernel. Each of them is lowered by the function for its mnemonic; most
 * calls are inlined. An instruction that is not understood in every detail is refused by name, because a guess would give wrong
 * answers.  */
#include "simgpu/lower/lower.h"

#include "base/elf.h"
#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"
#include "simgpu/lower/placement.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

/* ==== lower address =============================================================================================== */

/* Conversions between generic addresses and addresses of one state space. */

/* The first generic address of a state space; 0 where generic addresses are its own. */
static uint64_t window_of(PtxSpace space)
{
    switch (space) {
    case PTX_SHARED: return SHARED_WINDOW;
    case PTX_LOCAL: return LOCAL_WINDOW;
    case PTX_PARAM: return PARAM_WINDOW;
    case PTX_NO_SPACE:
    case PTX_GLOBAL:
    case PTX_CONST: return 0;
    }
    return 0;
}

/* cvta.shared.u64 d, a: from a shared to a generic address; cvta.to.shared.u64 d, a: back. Global and constant
 * addresses are the same as generic ones. */
static void lower_convert_address(Lowering *l, const OpcodeModifiers *parts)
{
    bool to = parts_have(parts, "to");
    PtxSpace space = PTX_NO_SPACE;
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE)
            space = space_named(parts->part[i]);
    if (space == PTX_NO_SPACE || !(parts_have(parts, "u64") || parts_have(parts, "b64")))
        lower_refuse(l, "");
    if (space == PTX_PARAM && !is_kernel(l->instance))
        space = PTX_LOCAL;
    Operand result = result_operand(l, operand_at(l, 0), 8);
    Operand value = source_operand(l, operand_at(l, 1), 8);
    uint64_t window = window_of(space);
    if (window == 0)
        emit_form(l, "mov.b64", result, value, no_operand, no_operand);
    else
        emit_form(l, "add.u64", result, value, constant(l, to ? -window : window, 8), no_operand);
    count_class(l, INTEGER);
}

/* The size of the window: isspacep.shared::cta tells the block's own shared memory from that of its cluster. */
static uint64_t window_size(PtxSpace space, const char *name)
{
    return space == PTX_SHARED && strcmp(name, "shared::cluster") != 0 ? 1ull << CLUSTER_SHIFT : SHARED_WINDOW;
}

/* An address in a register of 64 bits or, as ptxas allows it here, of 32. */
static Operand generic_address(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_REGISTER)
        return source_operand(l, operand, 8);
    Operand value = source_at_least(l, operand, 4), wide = temporary(l, 8);
    if (bytes_of(value) == 8)
        return value;
    emit_extend(l, PTX_U32, wide, value);
    return wide;
}

/* isspacep.shared p, a: p = the generic address a lies in the window of the state space. */
static void lower_is_space(Lowering *l, const OpcodeModifiers *parts)
{
    PtxSpace space = parts->count == 2 ? space_named(parts->part[1]) : PTX_NO_SPACE;
    if (space == PTX_NO_SPACE || space == PTX_CONST)
        lower_refuse(l, "");
    Operand result = result_operand(l, operand_at(l, 0), 1);
    Operand value = generic_address(l, operand_at(l, 1));
    count_class(l, INTEGER);
    if (space == PTX_GLOBAL) {
        emit_form(l, "setp.ge.u64", result, value, constant(l, WINDOWS_END, 8), no_operand);
        return;
    }
    Operand above = temporary(l, 1), below = temporary(l, 1);
    emit_form(l, "setp.ge.u64", above, value, constant(l, window_of(space), 8), no_operand);
    emit_form(l, "setp.lt.u64", below, value, constant(l, window_of(space) + window_size(space, parts->part[1]), 8),
              no_operand);
    emit_form(l, "and.pred", result, above, below, no_operand);
}

/* mapa.shared::cluster.u32 d, a, rank: the address in block `rank` of the cluster that corresponds to one in this block,
 * whose own addresses stay as they are (code.h). Without a state space, both addresses are generic. */
/* Which block of the cluster a shared address belongs to: mapa, getctarank. */
static void lower_map_to_block(Lowering *l, const OpcodeModifiers *parts)
{
    const uint32_t bytes = ptx_type_bytes(last_type(l, parts, 0));
    const uint64_t within = ~(0xFFull << CLUSTER_SHIFT);
    if (bytes != 4 && bytes != 8)
        lower_refuse(l, "");
    const char *const shift = bytes == 8 ? "shl.b64" : "shl.b32", *const both = bytes == 8 ? "and.b64" : "and.b32";
    const char *const either = bytes == 8 ? "or.b64" : "or.b32", *const select = bytes == 8 ? "selp.b64" : "selp.b32";
    Operand rank = source_operand(l, operand_at(l, 2), 4), own = special_register(l, SPECIAL_CLUSTER_RANK, 0, 0, 4);
    Operand place = temporary(l, bytes), above = temporary(l, 4), bits = temporary(l, bytes);
    Operand mapped = temporary(l, bytes), is_own = temporary(l, 1);
    emit_form(l, both, place, source_operand(l, operand_at(l, 1), bytes), constant(l, within, bytes), no_operand);
    emit_form(l, "add.u32", above, rank, constant(l, 1, 4), no_operand);
    emit_form(l, "min.u32", above, above, constant(l, MAX_CLUSTER + 1, 4), no_operand); /* no block has that rank */
    if (bytes == 8)
        emit_extend(l, PTX_U32, bits, above);
    else
        bits = above;
    emit_form(l, shift, bits, bits, constant(l, CLUSTER_SHIFT, 4), no_operand);
    emit_form(l, either, mapped, place, bits, no_operand);
    emit_form(l, "setp.eq.u32", is_own, rank, own, no_operand);
    emit_form(l, select, result_operand(l, operand_at(l, 0), bytes), place, mapped, is_own);
    l->code->uses_cluster = true;
    count_class(l, INTEGER);
}

/* getctarank.shared::cluster.u32 d, a */
static void lower_rank_of_address(Lowering *l, const OpcodeModifiers *parts)
{
    const uint32_t bytes = ptx_type_bytes(last_type(l, parts, 0));
    if (bytes != 4 && bytes != 8)
        lower_refuse(l, "");
    Operand address = source_operand(l, operand_at(l, 1), bytes), low = address;
    if (bytes == 8) {
        low = temporary(l, 4);
        emit_form(l, "+extend.u32.32.64", low, address, no_operand, no_operand);
    }
    Operand above = temporary(l, 4), rank = temporary(l, 4), is_own = temporary(l, 1);
    emit_form(l, "shr.u32", above, low, constant(l, CLUSTER_SHIFT, 4), no_operand);
    emit_form(l, "sub.u32", rank, above, constant(l, 1, 4), no_operand);
    emit_form(l, "setp.eq.u32", is_own, above, constant(l, 0, 4), no_operand);
    emit_form(l, "selp.b32", result_operand(l, operand_at(l, 0), 4), special_register(l, SPECIAL_CLUSTER_RANK, 0, 0, 4),
              rank, is_own);
    count_class(l, INTEGER);
}

/* ==== lower branch ================================================================================================ */

/* Branches, and the ends of functions and kernels. */

enum { LABEL_RETURN = -1 }; /* PendingBranch.label: the block after the function, which begins when the function ends */

/* Adds a pending branch. */
static void branch_to(Lowering *l, int block, int label, int32_t *where)
{
    PendingBranch *pending = arena_alloc(l->arena, sizeof *pending);
    *pending = (PendingBranch){.next = l->pending, .block = block, .label = label, .where = where};
    l->pending = pending;
}

/* Fills in the targets of the branches of one instance, when all its instructions are lowered. Its blocks are
 * `first_block` and those after it. */
static void bind_branches(Lowering *l, Instance *instance, int first_block)
{
    int after = -1;
    while (l->pending != NULL && l->pending->block >= first_block) {
        PendingBranch *pending = l->pending;
        if (pending->label == LABEL_RETURN && after < 0)
            after = new_block(l);
        int32_t target = pending->label == LABEL_RETURN ? after : instance->block_of[pending->label];
        if (pending->where != NULL)
            *pending->where = target;
        else
            l->code->blocks[pending->block].target = target;
        l->pending = pending->next;
    }
}

static const PtxLabel *label_operand(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_LABEL || operand->label == NULL)
        lower_refuse(l, "an operand that is not a label");
    return operand->label;
}

static void lower_branch(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxLabel *label = label_operand(l, operand_at(l, 0));
    branch_to(l, l->code->block_count - 1, label->instruction, NULL);
    end_block(l, END_BRANCH);
}

/* brx.idx index, table */
static void lower_indexed_branch(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxLabel *table = label_operand(l, operand_at(l, 1));
    if (table->target_count == 0 || l->guard.slot != NO_SLOT)
        lower_refuse(l, "");
    Operand index = source_operand(l, operand_at(l, 0), 4);
    int32_t *targets = arena_array(&l->code->arena, (size_t)table->target_count, sizeof *targets);
    for (int i = 0; i < table->target_count; i++)
        branch_to(l, l->code->block_count - 1, label_operand(l, &table->targets[i])->instruction, &targets[i]);
    BasicBlock *block = end_block(l, END_INDEXED);
    block->targets = targets;
    block->target_count = table->target_count;
    block->index = index;
}

static void lower_return(Lowering *l, const OpcodeModifiers *parts)
{
    if (is_kernel(l->instance) || strcmp(parts->part[0], "exit") == 0) {
        end_block(l, END_EXIT);
        return;
    }
    if (l->instance->caller == NULL) {
        end_block(l, END_RETURN);
        return;
    }
    branch_to(l, l->code->block_count - 1, LABEL_RETURN, NULL);
    end_block(l, END_BRANCH);
}

static void lower_trap(Lowering *l, const OpcodeModifiers *parts)
{
    end_block(l, END_TRAP);
}

/* ==== lower hint ================================================================================================== */

/* Fences, prefetches, griddepcontrol and hints, which have no effect here, and nanosleep. */

/* Every access takes effect at once and in order, so that prefetches and hints have nothing to do. */
static void lower_hint(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name;
        int addresses, constants; /* that it has as operands */
    } rows[] = {{"prefetch", 1, 0}, {"prefetchu", 1, 0}, {"brkpt", 0, 0},
                {"pmevent", 0, 1},  {"discard", 1, 1},   {"applypriority", 1, 1}};
    count_control(l);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(parts->part[0], rows[i].name) == 0) {
            if (rows[i].addresses > 0)
                ignored_address(l, 0, first_space(parts));
            if (rows[i].constants > 0)
                expect_constant(l, rows[i].addresses);
        }
}

/* fence.proxy.async.shared::cta, fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster, ... */
static void lower_proxy_fence(Lowering *l, const OpcodeModifiers *parts)
{
    const bool is_of_async = parts_have(parts, "async") || parts_have(parts, "async::generic");
    const bool is_of_global = parts_have(parts, "global");
    const bool is_of_shared = parts_have(parts, "shared::cta") || parts_have(parts, "shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cta");
    if (parts_have(parts, "tensormap::generic") && parts_have(parts, "acquire")) {
        ignored_address(l, 0, PTX_NO_SPACE);
        expect_constant(l, 1);
    }
    if (is_of_async)
        emit(l, PROXY_FENCE)->detail = (uint8_t)(is_of_global ? PROXY_GLOBAL : is_of_shared ? PROXY_SHARED : PROXY_ALL);
}

/* Only the sanitizer asks for fences, and only for those that reach beyond the block, or lead to the async proxy. */
static void lower_fence(Lowering *l, const OpcodeModifiers *parts)
{
    static const char *const scopes[] = {"gl", "sys", "gpu", "cluster"};
    count_control(l);
    if (parts_have(parts, "proxy")) {
        lower_proxy_fence(l, parts);
        return;
    }
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (parts_have(parts, scopes[i])) {
            emit(l, FENCE);
            return;
        }
}

/* Kernels run one after the other, so that only the sanitizer needs to know which threads have waited for the one before. */
static void lower_grid_control(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    emit(l, GRID_CONTROL)->detail = (uint8_t)(parts_have(parts, "wait") ? GRID_WAIT : GRID_RELEASE);
}

static void lower_set_registers(Lowering *l, const OpcodeModifiers *parts)
{
    enum { LEAST = 24, MOST = 256 };
    count_control(l);
    const uint64_t registers = expect_constant(l, 0);
    if (registers < LEAST || registers > MOST || registers % REGISTER_UNIT != 0)
        lower_refuse(l, "a number of registers that is no multiple of 8 from 24 to 256");
    emit(l, SET_REGISTERS)->detail = (uint8_t)(registers / REGISTER_UNIT);
}

/* createpolicy gives a hint for the cache, which accesses then ignore. */
static void lower_create_policy(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    const bool is_range = parts_have(parts, "range");
    const int most = is_range ? 4 : 2;
    emit_move(l, result_operand(l, operand_at(l, 0), 8), constant(l, 0, 8));
    if (is_range)
        ignored_address(l, 1, first_space(parts));
    for (int i = is_range ? 2 : 1; i < l->source->operand_count && i < most; i++)
        ignored_value(l, operand_at(l, i), parts_have(parts, "cvt") ? 8 : 4);
}

/* nanosleep.u32 t: a thread that sleeps probably waits for others: let these run. */
static void lower_sleep(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    ignored_value(l, operand_at(l, 0), 4);
    current_block(l)->waits = true;
}

/* ==== lower memory ================================================================================================ */

/* Loads and stores. */

/* Strong accesses are meant to meet those of other threads; the PTX memory model calls them so. */
static bool is_strong(const OpcodeModifiers *parts)
{
    static const char *const strong[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        if (parts_have(parts, strong[i]))
            return true;
    return false;
}

/* A strong load has to see what other multiprocessors store, so that the L1 may serve it only if it is meant for the block's
 * own threads; .cg and .cv leave the L1 out, too (PTX ISA, Cache Operators). */
static bool skips_l1(const OpcodeModifiers *parts)
{
    return (is_strong(parts) && !parts_have(parts, "cta")) || parts_have(parts, "cg") || parts_have(parts, "cv");
}

/* Replaces the load of a kernel parameter at a constant offset, which was emitted last, by LOAD_PARAMETER. That costs
 * next to nothing. */
static void to_parameter_loads(Lowering *l, Instruction *load)
{
    Instruction whole = *load;
    l->code->instruction_count--;
    l->code->memory_count--;
    for (int i = 0; i < whole.count; i++) {
        Instruction *one = emit(l, LOAD_PARAMETER);
        one->results[0] = whole.results[i];
        one->size = whole.size;
        one->is_signed = whole.is_signed;
        one->offset = whole.offset + ((int64_t)i << whole.size);
    }
}

/* Whether the load lies within the parameters of the kernel and is aligned. Any other is left to the engine, which
 * checks it when it runs, and makes it a fault. */
static bool is_inside_parameters(const Lowering *l, const Instruction *load)
{
    const Instance *kernel = l->instance;
    while (kernel->caller != NULL)
        kernel = kernel->caller;
    uint64_t bytes = (uint64_t)load->count << load->size, size = kernel->function->parameter_bytes;
    uint64_t offset = (uint64_t)load->offset;
    return offset % bytes == 0 && offset <= size && bytes <= size - offset;
}

static void lower_load(Lowering *l, const OpcodeModifiers *parts)
{
    AccessForm form = access_form(l, parts);
    Operand results[4] = {0};
    for (int i = 0; i < form.count; i++)
        results[i] = result_at_least(l, data_operand(l, operand_at(l, 0), form.count, i), ptx_type_bytes(form.type));
    ignored_hint(l, parts);
    Instruction *load = emit(l, LOAD);
    load->size = size_of(form.type);
    load->count = (uint8_t)form.count;
    load->is_signed = ptx_type_is_signed(form.type);
    load->is_strong = is_strong(parts);
    load->skips_l1 = skips_l1(parts);
    load->is_read_only = parts_have(parts, "nc");
    load->unused_bytes = unused_bytes(l, form.count, ptx_type_bytes(form.type));
    for (int i = 0; i < form.count; i++)
        load->results[i] = results[i];
    set_address(l, load, operand_at(l, 1), form.space);
    count_request(l, load);
    if (load->space == PTX_PARAM && load->sources[0].slot == NO_SLOT && is_inside_parameters(l, load))
        to_parameter_loads(l, load);
}

static void lower_store(Lowering *l, const OpcodeModifiers *parts)
{
    AccessForm form = access_form(l, parts);
    Operand sources[4] = {0};
    for (int i = 0; i < form.count; i++)
        sources[i] = source_at_least(l, data_operand(l, operand_at(l, 1), form.count, i), ptx_type_bytes(form.type));
    ignored_hint(l, parts);
    Instruction *store = emit(l, STORE);
    store->size = size_of(form.type);
    store->count = (uint8_t)form.count;
    store->is_strong = is_strong(parts);
    store->is_release = parts_release(parts);
    for (int i = 0; i < form.count; i++)
        store->sources[1 + i] = sources[i];
    set_address(l, store, operand_at(l, 0), form.space);
    if (store->space == PTX_PARAM || store->space == PTX_CONST)
        lower_refuse(l, "a store to parameter or constant memory");
}

/* ==== lower atomic ================================================================================================ */

/* Atomic operations: atom and red. */

/* The AtomicKind that a part of the opcode names; -1: none. */
static int atomic_kind(const char *part)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } kinds[] = {
        {"add", ATOMIC_ADD}, {"inc", ATOMIC_INC},       {"dec", ATOMIC_DEC},     {"min", ATOMIC_MIN},
        {"max", ATOMIC_MAX}, {"exch", ATOMIC_EXCHANGE}, {"cas", ATOMIC_COMPARE}, {"and", ATOMIC_AND},
        {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(part, kinds[i].name) == 0)
            return (int)kinds[i].kind;
    return -1;
}

/* The operation on memory. Refuses the instruction if PTX has no such operation for the type. */
static AtomicKind atomic_operation(Lowering *l, int kind, PtxType type)
{
    bool adds = kind == ATOMIC_ADD, is_float = ptx_type_is_float(type);
    bool moves = kind == ATOMIC_EXCHANGE || kind == ATOMIC_COMPARE;
    if (kind < 0 || ptx_type_bytes(type) < 2 || (is_float && !adds && !moves))
        lower_refuse(l, "");
    if (ptx_type_bytes(type) == 2 && !moves && !(adds && is_float))
        lower_refuse(l, "");
    if (adds && (type == PTX_F16 || type == PTX_F16X2))
        return ATOMIC_F16_ADD;
    if (adds && ptx_type_is_half(type))
        return ATOMIC_BF16_ADD;
    return adds && is_float ? ATOMIC_FLOAT_ADD : (AtomicKind)kind;
}

/* One element of an atomic operation. Its old value goes to `result`. The elements of a vector are atomic one by
 * one. */
static void emit_atomic(Lowering *l, const AccessForm *form, AtomicKind kind, Operand result, int index)
{
    uint32_t bytes = ptx_type_bytes(form->type);
    int returns = result.slot != NO_SLOT;
    Operand c = {.slot = NO_SLOT};
    Operand b = source_operand(l, data_operand(l, operand_at(l, returns + 1), form->count, index), bytes);
    if (kind == ATOMIC_COMPARE)
        c = source_operand(l, operand_at(l, returns + 2), bytes);
    Instruction *atomic = emit(l, ATOMIC);
    atomic->detail = (uint8_t)kind;
    atomic->size = size_of(form->type);
    atomic->count = 1;
    atomic->is_signed = ptx_type_is_signed(form->type);
    atomic->results[0] = result;
    atomic->sources[1] = b;
    atomic->sources[2] = c;
    set_address(l, atomic, operand_at(l, returns), form->space);
    atomic->offset += (int64_t)index * bytes;
    atomic->is_hidden = index > 0; /* the hardware makes one request of all elements */
    if (atomic->space == PTX_PARAM || atomic->space == PTX_CONST || atomic->space == PTX_LOCAL)
        lower_refuse(l, "an atomic operation on parameter, constant or local memory");
    count_request(l, atomic);
}

/* atom.global.add.u32 d, [a], b {, c}; red.global.add.u32 [a], b; atom.global.add.v2.f32 {d, e}, [a], {b, c} */
static void lower_atomic(Lowering *l, const OpcodeModifiers *parts)
{
    OpcodeModifiers rest = {.part = {parts->part[0]}, .count = 1};
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        if (kind < 0 && atomic_kind(parts->part[i]) >= 0)
            kind = atomic_kind(parts->part[i]);
        else
            rest.part[rest.count++] = parts->part[i];
    AccessForm form = access_form(l, &rest);
    AtomicKind operation = atomic_operation(l, kind, form.type);
    bool returns = strcmp(parts->part[0], "atom") == 0;
    ignored_hint(l, parts);
    uint32_t bytes = ptx_type_bytes(form.type);
    Operand old[4] = {{.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}};
    for (int i = 0; i < form.count; i++) {
        if (returns)
            old[i] = temporary(l, bytes);
        emit_atomic(l, &form, operation, old[i], i);
        l->code->instructions[l->code->instruction_count - 1].is_release = parts_release(parts);
    }
    for (int i = 0; returns && i < form.count; i++) /* at the end: a result may be the source of a later element */
        emit_move(l, result_operand(l, data_operand(l, operand_at(l, 0), form.count, i), bytes), old[i]);
}

/* ==== lower system call =========================================================================================== */

/* The functions that CUDA provides in every kernel: vprintf, __assertfail, malloc, free. */

static void lower_print(Lowering *l, const PtxOperand *name)
{
    const PtxOperand *list = parameter_list(l, name, false);
    Operand format = emit_frame_load(l, list_variable(l, list, 0), 8);
    Operand arguments = emit_frame_load(l, list_variable(l, list, 1), 8);
    Operand printed = temporary(l, 4);
    Instruction *print = emit(l, PRINT);
    print->sources[0] = format;
    print->sources[1] = arguments;
    print->results[0] = printed;
    const PtxOperand *results = parameter_list(l, name, true);
    if (results != NULL)
        emit_frame_store(l, list_variable(l, results, 0), printed);
}

static void lower_assert(Lowering *l, const PtxOperand *name)
{
    static const uint8_t bytes[] = {8, 8, 4, 8};
    const PtxOperand *list = parameter_list(l, name, false);
    Operand arguments[4];
    for (int i = 0; i < 4; i++)
        arguments[i] = emit_frame_load(l, list_variable(l, list, i), bytes[i]);
    Instruction *failed = emit(l, FAIL_ASSERT);
    for (int i = 0; i < 4; i++)
        failed->sources[i] = arguments[i];
}

static void lower_malloc(Lowering *l, const PtxOperand *name)
{
    Operand bytes = emit_frame_load(l, list_variable(l, parameter_list(l, name, false), 0), 8);
    Operand address = temporary(l, 8);
    Instruction *allocate = emit(l, HEAP_ALLOCATE);
    allocate->sources[0] = bytes;
    allocate->results[0] = address;
    emit_frame_store(l, list_variable(l, parameter_list(l, name, true), 0), address);
    l->code->uses_heap = true;
}

static void lower_free(Lowering *l, const PtxOperand *name)
{
    Operand address = emit_frame_load(l, list_variable(l, parameter_list(l, name, false), 0), 8);
    emit(l, HEAP_FREE)->sources[0] = address;
    l->code->uses_heap = true;
}

/* `name` is the operand of the call that names the function. Refuses any other function without code. */
static void lower_system_call(Lowering *l, const PtxOperand *name)
{
    static const struct {
        const char *name;
        void (*lower)(Lowering *l, const PtxOperand *name);
    } functions[] = {
        {"vprintf", lower_print}, {"__assertfail", lower_assert}, {"malloc", lower_malloc}, {"free", lower_free}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name->name, functions[i].name) == 0) {
            functions[i].lower(l, name);
            return;
        }
    lower_refuse(l, name->name);
}

/* ==== lower call ================================================================================================== */

/* Calls of device functions.
 *
 * A function is inlined at each of its calls. It becomes a procedure (code.h) instead where that cannot be: where it
 * may call itself, where a pointer may lead to it, or where calls are nested very deeply. */

enum { MAX_INLINE_DEPTH = 40 };

/* ---- which functions are procedures ------------------------------------------------------------------------------ */

/* Whether calls lead from `function` to `sought`. */
typedef struct CallGraph {
    struct CallGraph *next;
    const PtxFunction *function;
    bool calls_itself; /* of the list of functions that are known */
} CallGraph;

static bool is_listed(const CallGraph *list, const PtxFunction *function)
{
    for (; list != NULL; list = list->next)
        if (list->function == function)
            return true;
    return false;
}

static CallGraph *add_function(Lowering *l, CallGraph **list, const PtxFunction *function)
{
    CallGraph *entry = arena_alloc(l->arena, sizeof *entry);
    *entry = (CallGraph){.next = *list, .function = function};
    return *list = entry;
}

static bool leads_to(Lowering *l, const PtxFunction *function, const PtxFunction *sought, CallGraph **seen)
{
    add_function(l, seen, function);
    for (int i = 0; i < function->instruction_count; i++) {
        const char *name = ptx_called_name(&function->instructions[i]);
        const PtxFunction *callee = name == NULL ? NULL : ptx_function(l->module, name);
        if (callee == sought)
            return true;
        if (callee != NULL && !is_listed(*seen, callee) && leads_to(l, callee, sought, seen))
            return true;
    }
    return false;
}

static bool calls_itself(Lowering *l, const PtxFunction *function)
{
    for (const CallGraph *known = l->graph; known != NULL; known = known->next)
        if (known->function == function)
            return known->calls_itself;
    CallGraph *seen = NULL;
    bool calls = leads_to(l, function, function, &seen);
    add_function(l, &l->graph, function)->calls_itself = calls;
    return calls;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static int count_variables(const PtxVariable *list)
{
    int count = 0;
    for (; list != NULL; list = list->next)
        count++;
    return count;
}

/* Places the parameters or results of a procedure in its frame. */
static CallArgument *place_parameters(Lowering *l, Instance *instance, const PtxVariable *list, int *count)
{
    *count = count_variables(list);
    CallArgument *arguments = arena_array(&l->code->arena, (size_t)*count + 1, sizeof *arguments);
    for (int i = 0; list != NULL; list = list->next, i++)
        arguments[i] = (CallArgument){.offset = (uint32_t)place_in_frame(l, instance, list),
                                      .bytes = (uint32_t)list->bytes};
    return arguments;
}

static CallArgument *find_arguments(Lowering *l, const PtxOperand *list, int *count)
{
    *count = list == NULL ? 0 : list->element_count;
    CallArgument *arguments = arena_array(&l->code->arena, (size_t)*count + 1, sizeof *arguments);
    for (int i = 0; i < *count; i++) {
        const PtxVariable *variable = list_variable(l, list, i);
        arguments[i] = (CallArgument){.offset = (uint32_t)variable_address(l, variable),
                                      .bytes = (uint32_t)variable->bytes};
    }
    return arguments;
}

/* ---- procedures -------------------------------------------------------------------------------------------------- */

static int procedure_of(Lowering *l, const PtxFunction *function)
{
    Code *code = l->code;
    for (int i = 0; i < code->procedure_count; i++)
        if (l->procedures[i] == function)
            return i;
    char name[128];
    symbol_name(function->name, name, sizeof name);
    code->procedures = arena_grown(&code->arena, code->procedures, (size_t)code->procedure_count,
                                   &l->procedure_capacity, sizeof *code->procedures);
    l->procedures = arena_grown(l->arena, l->procedures, (size_t)code->procedure_count,
                                &l->procedure_functions_capacity, sizeof *l->procedures);
    code->procedures[code->procedure_count] = (Procedure){.name = arena_string(&code->arena, name),
                                                          .symbol = arena_string(&code->arena, function->name),
                                                          .address = function->address};
    l->procedures[code->procedure_count] = function;
    return code->procedure_count++;
}

/* A pointer may lead to every function whose address the module uses. */
static void add_all_targets(Lowering *l)
{
    for (const PtxFunction *function = l->module->functions; function != NULL; function = function->next)
        if (is_address_taken(l->module, function))
            procedure_of(l, function);
}

/* Begins the code of a procedure: places its parameters, and finds its frame. */
static void begin_procedure(Lowering *l, int number, Instance *instance)
{
    CallArguments arguments;
    arguments.results = place_parameters(l, instance, instance->function->results, &arguments.result_count);
    arguments.parameters = place_parameters(l, instance, instance->function->parameters, &arguments.parameter_count);
    l->guard = no_operand;
    l->code->procedures[number].entry = new_block(l);
    l->code->procedures[number].arguments = arguments;
    instance->frame_address = temporary(l, 8);
    emit(l, FRAME_ADDRESS)->results[0] = instance->frame_address;
}

/* Calls procedure `number`; -1: the one whose address is in the register. */
static void end_with_call(Lowering *l, const PtxOperand *function, int number)
{
    CallSite *call = arena_alloc(&l->code->arena, sizeof *call);
    call->procedure = number;
    call->arguments.results = find_arguments(l, parameter_list(l, function, true), &call->arguments.result_count);
    call->arguments.parameters = find_arguments(l, parameter_list(l, function, false),
                                                &call->arguments.parameter_count);
    Operand address = number < 0 ? source_operand(l, function, 8) : no_operand;
    BasicBlock *block = end_block(l, END_CALL);
    block->call = call;
    block->index = address;
}

static void call_through_pointer(Lowering *l)
{
    const PtxOperand *pointer = find_operand(l, PTX_REGISTER);
    if (pointer == NULL)
        lower_refuse(l, "a call of this kind");
    find_operand(l, PTX_LABEL); /* the prototype: the engine compares the sizes of what is passed */
    add_all_targets(l);
    end_with_call(l, pointer, -1);
}

/* ---- inlining ---------------------------------------------------------------------------------------------------- */

/* Places the parameters of the callee where the arguments of the caller lie: both are the same bytes of the frame. */
static void bind_parameters(Lowering *l, Instance *callee, const PtxVariable *formal, const PtxOperand *actual)
{
    int count = 0;
    for (; formal != NULL; formal = formal->next, count++) {
        const PtxVariable *variable = list_variable(l, actual, count);
        if (variable->bytes < formal->bytes)
            lower_reject(l, "an argument smaller than the parameter");
        add_placement(l, &callee->frame, formal, variable_address(l, variable));
    }
    if (actual != NULL && actual->element_count != count)
        lower_reject(l, "more arguments than parameters");
}

static void inline_function(Lowering *l, const PtxOperand *name, const PtxFunction *function)
{
    l->inline_depth++;
    Instance callee = {.caller = l->instance,
                       .function = function,
                       .in_procedure = l->instance->in_procedure,
                       .frame_address = l->instance->frame_address};
    bind_parameters(l, &callee, function->results, parameter_list(l, name, true));
    bind_parameters(l, &callee, function->parameters, parameter_list(l, name, false));
    const PtxInstruction *source = l->source;
    const unsigned taken = l->taken;
    count_control(l);
    l->lower_body(l, &callee);
    new_block(l);
    l->source = source;
    l->taken = taken;
    l->inline_depth--;
}

/* Makes a guarded call unguarded, with a branch around it, so that the inlined function needs no guard. Gives back the
 * block that ends with the branch; -1: the call has no guard. */
static int skip_unless_guard(Lowering *l)
{
    if (l->guard.slot == NO_SLOT)
        return -1;
    l->guard_negated = !l->guard_negated;
    int block = l->code->block_count - 1;
    end_block(l, END_BRANCH);
    l->guard = no_operand;
    l->guard_negated = false;
    return block;
}

static void call_by_name(Lowering *l, const PtxOperand *name)
{
    const PtxFunction *function = ptx_function(l->module, name->name);
    if (function == NULL || !function->has_body) {
        count_control(l);
        lower_system_call(l, name);
    } else if (calls_itself(l, function) || l->inline_depth == MAX_INLINE_DEPTH) {
        end_with_call(l, name, procedure_of(l, function));
    } else {
        inline_function(l, name, function);
    }
}

static void lower_call(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *name = find_operand(l, PTX_FUNCTION);
    int skipped = skip_unless_guard(l);
    if (name == NULL)
        call_through_pointer(l);
    else
        call_by_name(l, name);
    if (skipped >= 0) {
        int after = new_block(l); /* in a statement of its own: it may move the blocks */
        l->code->blocks[skipped].target = after;
    }
}

/* ==== lower warp ================================================================================================== */

/* What the lanes of a warp do together: shuffles, votes and their like. */

/* The mask of participating lanes, the last operand of a .sync instruction; all lanes, in the old forms without
 * .sync. */
static Operand members(Lowering *l, const OpcodeModifiers *parts, int index)
{
    return parts_have(parts, "sync") ? source_operand(l, operand_at(l, index), 4) : constant(l, ~0u, 4);
}

static Instruction *emit_warp(Lowering *l, InstructionKind kind)
{
    count_control(l);
    return emit(l, kind);
}

/* shfl.sync.bfly.b32 d{|p}, a, b, c, members */
static void lower_shuffle(Lowering *l, const OpcodeModifiers *parts)
{
    ShuffleKind kind = parts_have(parts, "up")     ? SHUFFLE_UP
                       : parts_have(parts, "down") ? SHUFFLE_DOWN
                       : parts_have(parts, "bfly") ? SHUFFLE_BUTTERFLY
                                                   : SHUFFLE_INDEX;
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand valid = pair ? result_operand(l, &to->elements[1], 1) : no_operand;
    Operand sources[] = {source_operand(l, operand_at(l, 1), 4), source_operand(l, operand_at(l, 2), 4),
                         source_operand(l, operand_at(l, 3), 4), members(l, parts, 4)};
    Instruction *shuffle = emit_warp(l, SHUFFLE);
    shuffle->detail = (uint8_t)kind;
    shuffle->results[0] = result;
    shuffle->results[1] = valid;
    memcpy(shuffle->sources, sources, sizeof sources);
    separate_results_from_sources(l);
}

/* vote.sync.ballot.b32 d, p, members */
static void lower_vote(Lowering *l, const OpcodeModifiers *parts)
{
    VoteKind kind = parts_have(parts, "ballot") ? VOTE_BALLOT
                    : parts_have(parts, "any")  ? VOTE_ANY
                    : parts_have(parts, "uni")  ? VOTE_UNIFORM
                                                : VOTE_ALL;
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), kind == VOTE_BALLOT ? 4 : 1);
    Operand source = source_operand(l, operand_at(l, 1), 1);
    Operand mask = members(l, parts, 2);
    Instruction *vote = emit_warp(l, VOTE);
    vote->detail = (uint8_t)kind;
    vote->results[0] = result;
    vote->sources[0] = source;
    vote->sources[1] = mask;
    separate_results_from_sources(l);
}

/* match.any.sync.b32 d, a, members; match.all.sync.b32 d{|p}, a, members */
static void lower_match(Lowering *l, const OpcodeModifiers *parts)
{
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    uint32_t bytes = parts_have(parts, "b64") ? 8 : 4;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand all = pair ? result_operand(l, &to->elements[1], 1) : no_operand;
    Operand value = source_operand(l, operand_at(l, 1), bytes);
    Operand mask = members(l, parts, 2);
    Instruction *match = emit_warp(l, MATCH);
    match->detail = parts_have(parts, "all");
    match->results[0] = result;
    match->results[1] = all;
    match->sources[0] = value;
    match->sources[1] = mask;
    separate_results_from_sources(l);
}

/* redux.sync.add.s32 d, a, members */
static void lower_reduce(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } kinds[] = {
        {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX},
        {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && !parts_have(parts, kinds[i].name))
        i++;
    if (i == sizeof kinds / sizeof *kinds || parts_have(parts, "f32"))
        lower_refuse(l, "");
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), 4), value = source_operand(l, operand_at(l, 1), 4);
    Operand mask = members(l, parts, 2);
    Instruction *reduce = emit_warp(l, REDUCE);
    reduce->detail = (uint8_t)kinds[i].kind;
    reduce->is_signed = parts_have(parts, "s32");
    reduce->results[0] = result;
    reduce->sources[0] = value;
    reduce->sources[1] = mask;
    separate_results_from_sources(l);
}

static void lower_active_mask(Lowering *l, const OpcodeModifiers *parts)
{
    Operand result = result_operand(l, operand_at(l, 0), 4);
    emit_warp(l, ACTIVE_MASK)->results[0] = result;
}

/* elect.sync leader|p, members: the leader is the lowest member; p holds in that lane only. */
static void lower_elect(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *to = operand_at(l, 0);
    if (to->kind != PTX_PAIR)
        lower_refuse(l, "");
    join_warp(l);
    count_control(l);
    Operand mask = source_operand(l, operand_at(l, 1), 4), reversed = temporary(l, 4), leader = temporary(l, 4);
    emit_form(l, "brev.b32", reversed, mask, no_operand, no_operand);
    emit_form(l, "clz.b32", leader, reversed, no_operand, no_operand);
    emit_form(l, "setp.eq.u32", result_operand(l, &to->elements[1], 1), special_register(l, SPECIAL_LANE, 0, 0, 4),
              leader, no_operand);
    emit_move(l, result_operand(l, &to->elements[0], 4), leader);
}

/* bar.warp.sync members: the lanes of the warp wait for all of it, as the join does. */
static void lower_warp_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    ignored_value(l, operand_at(l, 0), 4);
    join_warp(l);
    count_control(l);
}

/* ==== lower barrier =============================================================================================== */

/* Barriers of a block: bar and barrier. */

/* bar.sync a {, b}; bar.arrive a, b; bar.red.popc.u32 d, a {, b}, p; bar.red.and.pred p, a {, b}, q */
static void lower_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    BarrierKind kind = parts_have(parts, "arrive") ? BARRIER_ARRIVE
                       : parts_have(parts, "popc") ? BARRIER_POPC
                       : parts_have(parts, "and")  ? BARRIER_AND
                       : parts_have(parts, "or")   ? BARRIER_OR
                                                   : BARRIER_SYNC;
    bool reduces = kind >= BARRIER_POPC;
    int first = reduces ? 1 : 0, count = l->source->operand_count - first - (reduces ? 1 : 0);
    if ((!reduces && !parts_have(parts, "sync") && kind != BARRIER_ARRIVE) || count > 2 || (reduces && count < 1))
        lower_refuse(l, "");
    Operand number = count >= 1 ? source_operand(l, operand_at(l, first), 4) : constant(l, 0, 4);
    Operand threads = count == 2 ? source_operand(l, operand_at(l, first + 1), 4) : no_operand;
    Operand source = reduces ? source_operand(l, operand_at(l, l->source->operand_count - 1), 1) : no_operand;
    Operand result = reduces ? result_operand(l, operand_at(l, 0), kind == BARRIER_POPC ? 4 : 1) : no_operand;
    if (kind != BARRIER_ARRIVE && count < 2)
        emit(l, BARRIER);
    BasicBlock *block = end_block(l, END_BARRIER);
    block->barrier = (uint8_t)kind;
    block->index = number;
    block->threads = threads;
    block->source = source;
    block->result = result;
}

/* barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned */
static void lower_cluster_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    l->code->uses_cluster = true;
    if (parts_have(parts, "wait")) {
        end_block(l, END_CLUSTER);
        return;
    }
    if (!parts_have(parts, "arrive"))
        lower_refuse(l, "");
    count_control(l);
    emit(l, CLUSTER_ARRIVE);
}

static void lower_bar(Lowering *l, const OpcodeModifiers *parts)
{
    if (parts_have(parts, "cluster"))
        lower_cluster_barrier(l, parts);
    else if (parts_have(parts, "warp"))
        lower_warp_barrier(l, parts);
    else
        lower_barrier(l, parts);
}

/* ==== lower ======================================================================================================= */

/* Remembers which PTX line the next instructions belong to. */
static void note_line(Lowering *l)
{
    Code *code = l->code;
    code->lines = arena_grown(&code->arena, code->lines, (size_t)code->line_count, &l->line_capacity,
                              sizeof *code->lines);
    code->lines[code->line_count++] = (CodeLine){.ptx_line = l->source->ptx_line,
                                                 .block = code->block_count - 1,
                                                 .place = l->source->place,
                                                 .access = code->memory_count};
}

typedef struct Mnemonic {
    const char *name;
    void (*lower)(Lowering *l, const OpcodeModifiers *parts);
} Mnemonic;

/* Lowers the instruction by the function for the first part of its opcode; false where the list has none. */
static bool lower_by_mnemonic(Lowering *l, const OpcodeModifiers *parts, const Mnemonic *mnemonics, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts->part[0], mnemonics[i].name) == 0) {
            mnemonics[i].lower(l, parts);
            return true;
        }
    return false;
}

/* Control flow, and what the lanes of a warp or the threads of a block do together. Some of these begin a block or
 * end one, and so each counts itself, in the right block. */
static bool lower_control(Lowering *l, const OpcodeModifiers *parts)
{
    static const Mnemonic mnemonics[] = {
        {"bra", lower_branch},
        {"brx", lower_indexed_branch},
        {"ret", lower_return},
        {"exit", lower_return},
        {"trap", lower_trap},
        {"call", lower_call},
        {"bar", lower_bar},
        {"barrier", lower_bar},
        {"shfl", lower_shuffle},
        {"vote", lower_vote},
        {"match", lower_match},
        {"redux", lower_reduce},
        {"activemask", lower_active_mask},
        {"cp", lower_cp},
        {"membar", lower_fence},
        {"fence", lower_fence},
        {"prefetch", lower_hint},
        {"prefetchu", lower_hint},
        {"brkpt", lower_hint},
        {"nanosleep", lower_sleep},
        {"pmevent", lower_hint},
        {"discard", lower_hint},
        {"applypriority", lower_hint},
        {"griddepcontrol", lower_grid_control},
        {"elect", lower_elect},
        {"createpolicy", lower_create_policy},
        {"setmaxnreg", lower_set_registers},
    };
    return lower_by_mnemonic(l, parts, mnemonics, sizeof mnemonics / sizeof *mnemonics);
}

/* Everything else that has a function of its own. */
static bool lower_plain(Lowering *l, const OpcodeModifiers *parts)
{
    static const Mnemonic mnemonics[] = {
        {"mov", lower_mov},
        {"cvt", lower_cvt},
        {"setp", lower_setp},
        {"set", lower_set},
        {"ld", lower_load},
        {"ldu", lower_load},
        {"st", lower_store},
        {"atom", lower_atomic},
        {"red", lower_atomic},
        {"cvta", lower_convert_address},
        {"isspacep", lower_is_space},
        {"mapa", lower_map_to_block},
        {"getctarank", lower_rank_of_address},
        {"tex", lower_texture},
        {"tld4", lower_gather},
        {"suld", lower_surface_load},
        {"sust", lower_surface_store},
        {"mbarrier", lower_mbarrier},
    };
    return !parts_have(parts, "pack") && lower_by_mnemonic(l, parts, mnemonics, sizeof mnemonics / sizeof *mnemonics);
}

static void set_guard(Lowering *l)
{
    l->guard = no_operand;
    l->guard_negated = l->source->guard_negated;
    if (l->source->guard >= 0) {
        uint32_t number = l->instance->first_register + (uint32_t)l->source->guard;
        l->guard = (Operand){.slot = number, .size = 0};
    }
}

static void lower_by_parts(Lowering *l, const OpcodeModifiers *parts)
{
    if (lower_control(l, parts) || lower_matrix(l, parts))
        return;
    count_instruction(l);
    if (lower_plain(l, parts))
        return;
    if (has_carry(parts))
        lower_carry(l, parts);
    else
        lower_arithmetic(l, parts);
}

static void lower_instruction(Lowering *l)
{
    if (l->source->refusal != NULL)
        lower_refuse(l, l->source->refusal);
    OpcodeModifiers parts = parts_of(l, l->source->opcode);
    l->taken = 0;
    set_guard(l);
    note_line(l);
    lower_by_parts(l, &parts);
    check_all_taken(l);
}

/* Marks the instructions at which a block must begin, because a branch leads there. */
static void mark_branch_targets(Lowering *l, Instance *instance)
{
    const PtxFunction *function = instance->function;
    instance->block_of = arena_array(l->arena, (size_t)function->instruction_count + 1, sizeof *instance->block_of);
    for (int i = 0; i <= function->instruction_count; i++)
        instance->block_of[i] = -1;
    for (int i = 0; i < function->instruction_count; i++)
        for (int j = 0; j < function->instructions[i].operand_count; j++) {
            const PtxLabel *label = function->instructions[i].operands[j].label;
            if (label == NULL)
                continue;
            instance->block_of[label->instruction] = 0;
            for (int k = 0; k < label->target_count; k++)
                if (label->targets[k].label != NULL)
                    instance->block_of[label->targets[k].label->instruction] = 0;
        }
}

static void lower_function(Lowering *l, Instance *instance)
{
    const PtxFunction *function = instance->function;
    instance->first_register = l->register_count;
    for (int i = 0; i < function->register_count; i++) {
        uint32_t bytes = ptx_type_bytes(function->register_types[i]);
        new_virtual(l, function->register_types[i] == PTX_PRED ? 0 : bytes == 1 ? 1 : logarithm(bytes));
    }
    for (const PtxVariable *variable = function->variables; variable != NULL; variable = variable->next)
        if (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)
            place_in_frame(l, instance, variable);
    mark_branch_targets(l, instance);
    instance->provenance = provenance_of_registers(function, l->arena);
    instance->mentions = mentions_of_registers(function, l->arena);
    Instance *outer = l->instance;
    l->instance = instance;
    int first_block = new_block(l);
    for (int i = 0; i < function->instruction_count; i++) {
        l->source = &function->instructions[i];
        if (instance->block_of[i] >= 0)
            instance->block_of[i] = new_block(l);
        lower_instruction(l);
    }
    if (instance->block_of[function->instruction_count] >= 0)
        instance->block_of[function->instruction_count] = new_block(l);
    bind_branches(l, instance, first_block);
    l->instance = outer;
}

/* A function may end without an instruction that says so. */
static void finish_body(Lowering *l, BlockEnd end)
{
    BasicBlock *last = current_block(l);
    if (last->ends == END_FALL)
        last->ends = (uint8_t)end;
}

/* Lowers the functions that calls have asked for. These may ask for more. */
static void lower_procedures(Lowering *l)
{
    for (int i = 0; i < l->code->procedure_count; i++) {
        Instance instance = {.function = l->procedures[i], .in_procedure = true};
        l->source = NULL;
        l->frame_bytes = 0;
        begin_procedure(l, i, &instance);
        lower_function(l, &instance);
        finish_body(l, END_RETURN);
        l->code->procedures[i].frame_bytes = l->frame_bytes;
    }
}

/* False where an instruction was refused; `why` then says so. */
static bool lower_or_give_up(Lowering *l, const PtxFunction *function)
{
    if (setjmp(l->give_up) != 0)
        return false;
    place_shared(l, function);
    lower_function(l, &(Instance){.function = function, .frame_address = no_operand});
    finish_body(l, END_EXIT);
    l->code->frame_bytes = l->frame_bytes;
    lower_procedures(l);
    l->source = NULL;
    mark_used_results(l);
    count_certain_work(l);
    find_targets(l);
    mark_unwaited_products(l);
    mark_unfenced_products(l);
    mark_unset_registers(l);
    check_registers(l);
    assign_slots(l);
    return true;
}

Status lower_kernel(const PtxModule *module, const PtxFunction *function, Code *code, Message *why)
{
    Arena scratch = {0};
    Lowering l = {.module = module,
                  .code = code,
                  .arena = &scratch,
                  .why = why,
                  .guard = no_operand,
                  .carry = no_operand,
                  .lower_body = lower_function};
    *code = (Code){0};
    bool done = lower_or_give_up(&l, function);
    arena_free(&scratch);
    if (!done)
        code_free(code);
    return done ? STATUS_OK : l.refusal;
}
