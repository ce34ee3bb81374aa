/* Loads, stores and atomics, and where variables lie.  */
#include "simgpu/lower/lower.h"

#include "base/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- variables --------------------------------------------------------------------------------------------------- */

static const Placement *find_placement(const Placement *list, const PtxVariable *variable)
{
    for (; list != NULL; list = list->next)
        if (list->variable == variable)
            return list;
    return NULL;
}

static uint64_t add_placement(Lowering *l, Placement **list, const PtxVariable *variable, uint64_t offset)
{
    Placement *placement = arena_alloc(l->arena, sizeof *placement);
    *placement = (Placement){.next = *list, .variable = variable, .offset = offset};
    *list = placement;
    return offset;
}

static uint64_t round_up(uint64_t value, uint32_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

enum { MAX_FRAME_BYTES = 512 * 1024 }; /* CUDA C++ Programming Guide, Technical Specifications: local memory a thread */

uint64_t place_in_frame(Lowering *l, Instance *instance, const PtxVariable *variable)
{
    uint64_t offset = round_up(l->code->frame_bytes, variable->align);
    if (offset + variable->bytes > MAX_FRAME_BYTES)
        lower_refuse(l, "a thread needs more than 512 KiB of local memory");
    l->code->frame_bytes = (uint32_t)(offset + variable->bytes);
    if (variable->space == PTX_LOCAL)
        l->code->local_bytes += (uint32_t)variable->bytes;
    return add_placement(l, &instance->frame, variable, offset);
}

/* For messages: the code outlives the module's text. */
static void remember_shared(Lowering *l, const PtxVariable *variable, uint64_t offset)
{
    char name[64];
    SharedVariable *shared = arena_alloc(&l->code->arena, sizeof *shared);
    symbol_name(variable->name, name, sizeof name);
    *shared = (SharedVariable){.next = l->code->shared,
                               .name = arena_string(&l->code->arena, name),
                               .offset = offset,
                               .bytes = variable->is_unsized ? 0 : variable->bytes};
    l->code->shared = shared;
}

static void place_shared_variable(Lowering *l, const PtxVariable *variable, uint32_t *dynamic_align)
{
    if (variable == NULL || variable->space != PTX_SHARED || find_placement(l->shared, variable) != NULL)
        return;
    if (variable->is_unsized) {
        l->unsized_shared = variable;
        *dynamic_align = variable->align > *dynamic_align ? variable->align : *dynamic_align;
        return;
    }
    uint64_t offset = round_up(l->code->shared_bytes, variable->align);
    if (offset + variable->bytes > 1u << 30)
        lower_refuse(l, "more than 1 GiB of shared memory");
    l->code->shared_bytes = (uint32_t)(offset + variable->bytes);
    add_placement(l, &l->shared, variable, offset);
    remember_shared(l, variable, offset);
}

typedef struct Visited {
    struct Visited *next;
    const PtxFunction *function;
} Visited;

static void visit_operand(Lowering *l, const PtxOperand *operand, Visited **visited, uint32_t *dynamic_align);

static void visit_function(Lowering *l, const PtxFunction *function, Visited **visited, uint32_t *dynamic_align)
{
    for (const Visited *other = *visited; other != NULL; other = other->next)
        if (other->function == function)
            return;
    Visited *visit = arena_alloc(l->arena, sizeof *visit);
    *visit = (Visited){.next = *visited, .function = function};
    *visited = visit;
    for (int i = 0; i < function->instruction_count; i++)
        for (int j = 0; j < function->instructions[i].operand_count; j++)
            visit_operand(l, &function->instructions[i].operands[j], visited, dynamic_align);
}

static void visit_operand(Lowering *l, const PtxOperand *operand, Visited **visited, uint32_t *dynamic_align)
{
    place_shared_variable(l, operand->variable, dynamic_align);
    for (int i = 0; i < operand->element_count; i++)
        visit_operand(l, &operand->elements[i], visited, dynamic_align);
    if (operand->kind == PTX_FUNCTION && ptx_function(l->module, operand->name) != NULL)
        visit_function(l, ptx_function(l->module, operand->name), visited, dynamic_align);
}

void place_shared(Lowering *l, const PtxFunction *kernel)
{
    Visited *visited = NULL;
    uint32_t dynamic_align = 16;
    visit_function(l, kernel, &visited, &dynamic_align);
    l->code->dynamic_shared_offset = (uint32_t)round_up(l->code->shared_bytes, dynamic_align);
    if (l->unsized_shared != NULL)
        remember_shared(l, l->unsized_shared, l->code->dynamic_shared_offset);
}

uint64_t variable_address(Lowering *l, const PtxVariable *variable)
{
    const Placement *placement = NULL;
    switch (variable->space) {
    case PTX_SHARED:
        if (variable->is_unsized)
            return l->code->dynamic_shared_offset;
        placement = find_placement(l->shared, variable);
        break;
    case PTX_LOCAL:
    case PTX_PARAM:
        placement = find_placement(l->instance->frame, variable);
        if (placement == NULL && variable->space == PTX_PARAM && l->instance->caller == NULL)
            return variable->address; /* of the kernel: its offset in the parameter block */
        break;
    default:
        if (variable->type == PTX_OTHER_TYPE)
            lower_refuse(l, "a variable of this type"); /* module.c has given it no place */
        if (variable->refusal != NULL)
            lower_refuse(l, variable->refusal);
        return variable->address;
    }
    if (placement == NULL)
        lower_refuse(l, "a variable of another function");
    return placement->offset;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

typedef struct AccessForm {
    PtxSpace space;
    PtxType type;
    int count;
} AccessForm;

static PtxSpace space_named(const char *part)
{
    static const struct {
        const char *name;
        PtxSpace space;
    } spaces[] = {
        {"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED}, {"local", PTX_LOCAL},
        {"const", PTX_CONST},   {"param", PTX_PARAM},   {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(part, spaces[i].name) == 0)
            return spaces[i].space;
    return PTX_NO_SPACE;
}

/* Ordering and caching: every access here is performed at once and in order, so they change nothing. The operand of
 * L2::cache_hint comes last and is not looked at. */
static bool is_ignored(const char *part)
{
    static const char *const ignored[] = {
        "volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "mmio", "sys", "gpu", "cta",
        "cluster",  "nc",      "ca",      "cg",      "cs",      "lu",   "cv",   "wb",  "wt",  "noftz",
    };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(part, ignored[i]) == 0)
            return true;
    return strncmp(part, "L1::", 4) == 0 || strncmp(part, "L2::", 4) == 0;
}

/* Such accesses are there to meet those of other threads. */
static bool is_strong(const Parts *parts)
{
    static const char *const strong[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        if (parts_have(parts, strong[i]))
            return true;
    return false;
}

static AccessForm access_form(Lowering *l, const Parts *parts)
{
    AccessForm form = {.count = 1};
    for (int i = 1; i < parts->count; i++) {
        const char *part = parts->part[i];
        PtxType type = ptx_type(part, strlen(part));
        if (type != PTX_NO_TYPE)
            form.type = type;
        else if (space_named(part) != PTX_NO_SPACE)
            form.space = space_named(part);
        else if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0)
            form.count = part[1] - '0';
        else if (!is_ignored(part))
            lower_refuse(l, "");
    }
    if (form.type == PTX_NO_TYPE || form.type == PTX_OTHER_TYPE || form.type == PTX_PRED)
        lower_refuse(l, "");
    return form;
}

static uint8_t size_of(PtxType type)
{
    uint32_t bytes = ptx_type_bytes(type);
    return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

/* The shared variable that an address was made from; NULL: not known. */
static const SharedVariable *variable_of(Lowering *l, const PtxOperand *address)
{
    const PtxVariable *variable = address->variable;
    if (variable == NULL && address->register_index >= 0)
        variable = l->instance->provenance[address->register_index];
    if (variable == NULL || variable->space != PTX_SHARED)
        return NULL;
    uint64_t offset = variable_address(l, variable), bytes = variable->is_unsized ? 0 : variable->bytes;
    for (const SharedVariable *shared = l->code->shared; shared != NULL; shared = shared->next)
        if (shared->offset == offset && shared->bytes == bytes)
            return shared;
    return NULL;
}

/* Fills in the address of a memory instruction. A variable's address is a constant and needs no register. Parameters
 * of calls lie in the caller's frame. */
static void set_address(Lowering *l, Instruction *instruction, const PtxOperand *address, PtxSpace space)
{
    if (address->kind != PTX_ADDRESS || address->element_count > 0)
        lower_refuse(l, "an operand that must be an address is none");
    instruction->space = (uint8_t)space;
    instruction->offset = (int64_t)address->number;
    instruction->variable = variable_of(l, address);
    if (address->variable != NULL) {
        const PtxVariable *variable = address->variable;
        bool in_frame = variable->space == PTX_PARAM && find_placement(l->instance->frame, variable) != NULL;
        instruction->offset += (int64_t)variable_address(l, variable);
        instruction->space = (uint8_t)(in_frame ? PTX_LOCAL : variable->space);
        instruction->is_hidden = in_frame;
    } else if (address->register_index >= 0) {
        PtxOperand base = *address;
        base.kind = PTX_REGISTER;
        instruction->sources[0] = register_operand(l, &base);
        if (instruction->sources[0].size < 2)
            lower_refuse(l, "an address of fewer than 32 bits");
        if (space == PTX_PARAM && l->instance->caller != NULL) { /* address of a parameter of a device function */
            instruction->space = PTX_LOCAL;
            instruction->is_hidden = true;
        }
    }
}

void count_request(Lowering *l, const Instruction *instruction)
{
    Block *block = current_block(l);
    if (instruction->is_hidden || instruction->space == PTX_PARAM)
        return;
    if (instruction->space == PTX_SHARED)
        block->shared_loads++;
    else if (instruction->space == PTX_CONST)
        block->constant_loads++;
    else
        block->loads++;
}

/* The data operands of a load or store: one register or a vector of them. */
static const PtxOperand *data_operand(Lowering *l, const PtxOperand *data, int count, int index)
{
    if (count == 1)
        return data;
    if (data->kind != PTX_VECTOR || data->element_count != count)
        lower_refuse(l, "with this number of elements");
    return &data->elements[index];
}

/* A load of a kernel parameter at a constant place becomes LOAD_PARAMETER, which costs next to nothing. */
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

void lower_load(Lowering *l, const Parts *parts)
{
    AccessForm form = access_form(l, parts);
    Operand results[4] = {0};
    uint32_t least = ptx_type_bytes(form.type) < 2 ? 2 : ptx_type_bytes(form.type);
    for (int i = 0; i < form.count; i++) {
        const PtxOperand *data = data_operand(l, operand_at(l, 0), form.count, i);
        results[i] = result_operand(l, data, least);
        if (bytes_of(results[i]) < ptx_type_bytes(form.type))
            lower_refuse(l, "into a smaller register");
    }
    Instruction *load = emit(l, LOAD);
    load->size = size_of(form.type);
    load->count = (uint8_t)form.count;
    load->is_signed = ptx_type_is_signed(form.type);
    load->is_strong = is_strong(parts);
    for (int i = 0; i < form.count; i++)
        load->results[i] = results[i];
    set_address(l, load, operand_at(l, 1), form.space);
    count_request(l, load);
    if (load->space == PTX_PARAM && load->sources[0].slot == NO_SLOT)
        to_parameter_loads(l, load);
}

void lower_store(Lowering *l, const Parts *parts)
{
    AccessForm form = access_form(l, parts);
    Operand sources[4] = {0};
    for (int i = 0; i < form.count; i++) {
        const PtxOperand *data = data_operand(l, operand_at(l, 1), form.count, i);
        uint32_t bytes = ptx_type_bytes(form.type) < 2 ? 2 : ptx_type_bytes(form.type);
        sources[i] = data->kind == PTX_REGISTER ? register_operand(l, data) : source_operand(l, data, bytes);
        if (sources[i].size == 0 || bytes_of(sources[i]) < ptx_type_bytes(form.type))
            lower_refuse(l, "from a smaller register");
    }
    Instruction *store = emit(l, STORE);
    store->size = size_of(form.type);
    store->count = (uint8_t)form.count;
    store->is_strong = is_strong(parts);
    for (int i = 0; i < form.count; i++)
        store->sources[1 + i] = sources[i];
    set_address(l, store, operand_at(l, 0), form.space);
    if (store->space == PTX_PARAM || store->space == PTX_CONST)
        lower_refuse(l, "a store where nothing can be stored");
}

static Instruction *emit_frame_access(Lowering *l, InstructionKind kind, const PtxVariable *variable, uint32_t bytes)
{
    if (variable->bytes < bytes)
        lower_refuse(l, "with these parameters");
    int64_t offset = (int64_t)variable_address(l, variable);
    Instruction *access = emit(l, kind);
    access->space = PTX_LOCAL;
    access->is_hidden = true;
    access->size = bytes == 8 ? 3 : 2;
    access->count = 1;
    access->offset = offset;
    return access;
}

Operand emit_frame_load(Lowering *l, const PtxVariable *variable, uint32_t bytes)
{
    Operand result = temporary(l, bytes);
    emit_frame_access(l, LOAD, variable, bytes)->results[0] = result;
    return result;
}

void emit_frame_store(Lowering *l, const PtxVariable *variable, Operand value)
{
    emit_frame_access(l, STORE, variable, bytes_of(value))->sources[1] = value;
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

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

/* What is done to memory; refused where there is no such operation on the type. */
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

/* One element of an atomic operation, whose old value goes to `result`; those of a vector are atomic one by one. */
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
        lower_refuse(l, "on memory that is not shared");
    count_request(l, atomic);
}

/* atom.global.add.u32 d, [a], b {, c}; red.global.add.u32 [a], b; atom.global.add.v2.f32 {d, e}, [a], {b, c} */
void lower_atomic(Lowering *l, const Parts *parts)
{
    Parts rest = {.part = {parts->part[0]}, .count = 1};
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        if (kind < 0 && atomic_kind(parts->part[i]) >= 0)
            kind = atomic_kind(parts->part[i]);
        else
            rest.part[rest.count++] = parts->part[i];
    AccessForm form = access_form(l, &rest);
    AtomicKind operation = atomic_operation(l, kind, form.type);
    bool returns = strcmp(parts->part[0], "atom") == 0;
    uint32_t bytes = ptx_type_bytes(form.type);
    Operand old[4] = {{.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}};
    for (int i = 0; i < form.count; i++) {
        if (returns)
            old[i] = temporary(l, bytes);
        emit_atomic(l, &form, operation, old[i], i);
    }
    for (int i = 0; returns && i < form.count; i++) { /* only now: a result may be a later element's source */
        Operand result = result_operand(l, data_operand(l, operand_at(l, 0), form.count, i), bytes);
        if (bytes_of(result) != bytes)
            lower_refuse(l, "into a register of another size");
        emit_move(l, result, old[i]);
    }
}

static Instruction *emit_word_access(Lowering *l, InstructionKind kind, const PtxOperand *address, PtxSpace space)
{
    Instruction *access = emit(l, kind);
    access->size = 3;
    access->count = 1;
    set_address(l, access, address, space);
    count_request(l, access);
    return access;
}

void emit_word_atomic(Lowering *l, AtomicKind kind, const PtxOperand *address, PtxSpace space, Operand b,
                      Operand result)
{
    Instruction *atomic = emit_word_access(l, ATOMIC, address, space);
    atomic->detail = (uint8_t)kind;
    atomic->results[0] = result;
    atomic->sources[1] = b;
}

void emit_word_load(Lowering *l, const PtxOperand *address, PtxSpace space, Operand result)
{
    emit_word_access(l, LOAD, address, space)->results[0] = result;
}

void emit_word_store(Lowering *l, const PtxOperand *address, PtxSpace space, Operand value)
{
    emit_word_access(l, STORE, address, space)->sources[1] = value;
}

/* ---- cp.async ---------------------------------------------------------------------------------------------------- */

Operand whole_address(Lowering *l, const PtxOperand *address, PtxSpace space)
{
    Instruction probe = {.sources = {{.slot = NO_SLOT}}};
    set_address(l, &probe, address, space);
    if (probe.sources[0].slot == NO_SLOT)
        return constant(l, (uint64_t)probe.offset, 8);
    Operand base = probe.sources[0];
    if (bytes_of(base) == 4) {
        Operand wide = temporary(l, 8);
        emit_extend(l, PTX_U32, wide, base);
        base = wide;
    }
    Operand whole = temporary(l, 8);
    emit_form(l, "add.u64", whole, base, constant(l, (uint64_t)probe.offset, 8), (Operand){.slot = NO_SLOT});
    return whole;
}

/* cp.async.wait_group 1; cp.async.wait_all: of a group that it makes of the copies so far, too. */
void lower_copy_wait(Lowering *l, const Parts *parts)
{
    const uint64_t most = UINT8_MAX;
    if (parts_have(parts, "wait_all")) {
        emit(l, COPY_COMMIT);
        emit(l, COPY_WAIT);
        return;
    }
    const PtxOperand *left = operand_at(l, 0);
    if (left->kind != PTX_IMMEDIATE)
        lower_refuse(l, "of a number of groups that is no constant");
    emit(l, COPY_WAIT)->detail = (uint8_t)(left->number < most ? left->number : most);
}

/* cp.async.ca.shared.global [to], [from], 16 {, bytes | predicate}: the copy is done at once; bytes beyond those read
 * become zero. */
void lower_copy_async(Lowering *l, const Parts *parts)
{
    if (!parts_have(parts, "global") || parts_have(parts, "bulk") || parts_have(parts, "tensor"))
        lower_refuse(l, "");
    const PtxOperand *size = operand_at(l, 2);
    if (size->kind != PTX_IMMEDIATE || (size->number != 4 && size->number != 8 && size->number != 16))
        lower_refuse(l, "of this size");
    Operand to = whole_address(l, operand_at(l, 0), PTX_SHARED);
    Operand from = whole_address(l, operand_at(l, 1), PTX_GLOBAL);
    Operand bytes = constant(l, size->number, 4);
    if (l->source->operand_count > 3) {
        const PtxOperand *limit = operand_at(l, 3);
        bool is_predicate = limit->kind == PTX_REGISTER && register_operand(l, limit).size == 0;
        if (is_predicate) {
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

/* ---- address conversion ------------------------------------------------------------------------------------------ */

static uint64_t window_of(PtxSpace space)
{
    switch (space) {
    case PTX_SHARED: return SHARED_WINDOW;
    case PTX_LOCAL: return LOCAL_WINDOW;
    case PTX_PARAM: return PARAM_WINDOW;
    default: return 0;
    }
}

/* cvta.shared.u64 d, a; cvta.to.shared.u64 d, a. Global and constant addresses are generic already. */
void lower_convert_address(Lowering *l, const Parts *parts)
{
    bool to = parts_have(parts, "to");
    PtxSpace space = PTX_NO_SPACE;
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE)
            space = space_named(parts->part[i]);
    if (space == PTX_NO_SPACE || !(parts_have(parts, "u64") || parts_have(parts, "b64")))
        lower_refuse(l, "");
    if (space == PTX_PARAM && l->instance->caller != NULL)
        space = PTX_LOCAL;
    Operand result = result_operand(l, operand_at(l, 0), 8);
    Operand value = source_operand(l, operand_at(l, 1), 8);
    uint64_t window = window_of(space);
    if (bytes_of(result) != 8)
        lower_refuse(l, "into a register of another size");
    const Operand none = {.slot = NO_SLOT};
    if (window == 0)
        emit_form(l, "mov.b64", result, value, none, none);
    else
        emit_form(l, "add.u64", result, value, constant(l, to ? -window : window, 8), none);
    count_class(l, INTEGER);
}

/* isspacep.shared p, a: does the generic address lie in the window? */
void lower_is_space(Lowering *l, const Parts *parts)
{
    PtxSpace space = parts->count == 2 ? space_named(parts->part[1]) : PTX_NO_SPACE;
    const Operand none = {.slot = NO_SLOT};
    if (space == PTX_NO_SPACE || space == PTX_CONST)
        lower_refuse(l, "");
    Operand result = result_operand(l, operand_at(l, 0), 1);
    Operand value = source_operand(l, operand_at(l, 1), 8);
    count_class(l, INTEGER);
    if (space == PTX_GLOBAL) {
        emit_form(l, "setp.ge.u64", result, value, constant(l, WINDOWS_END, 8), none);
        return;
    }
    Operand above = temporary(l, 1), below = temporary(l, 1);
    emit_form(l, "setp.ge.u64", above, value, constant(l, window_of(space), 8), none);
    emit_form(l, "setp.lt.u64", below, value, constant(l, window_of(space) + SHARED_WINDOW, 8), none);
    emit_form(l, "and.pred", result, above, below, none);
}
