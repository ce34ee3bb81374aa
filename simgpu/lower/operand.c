#include "simgpu/lower/operand.h"

#include "simgpu/lower/lowering.h"
#include "simgpu/lower/placement.h"
#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

/* ==== call operands =============================================================================================== */

const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind)
{
    for (int i = 0; i < l->source->operand_count; i++)
        if (l->source->operands[i].kind == kind && !l->source->operands[i].negated)
            return operand_at(l, i);
    return NULL;
}

const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results)
{
    long at = function - l->source->operands;
    long wanted = results ? at - 1 : at + 1;
    if (wanted < 0 || wanted >= l->source->operand_count || l->source->operands[wanted].kind != PTX_LIST)
        return NULL;
    return operand_at(l, (int)wanted);
}

const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index)
{
    if (list == NULL || index >= list->element_count)
        lower_refuse(l, "these arguments");
    const PtxOperand *element = &list->elements[index];
    if (element->kind != PTX_VARIABLE || element->number != 0 || element->negated ||
        find_placement(l->instance->frame, element->variable) == NULL || element->variable->space != PTX_PARAM)
        lower_reject_operand(l, element, "a .param variable of the caller");
    return element->variable;
}

/* ==== operand ===================================================================================================== */

/* The immediate as a value of `bytes`. One byte means a predicate, which is 0 or 1; compilers write -1 for true. */
static uint64_t immediate_bits(const PtxOperand *operand, uint32_t bytes)
{
    uint64_t bits = operand->number;
    if (bytes == 1)
        return bits != 0;
    if (operand->number_kind == NUMBER_FLOAT64 && bytes == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    } else if (operand->number_kind == NUMBER_FLOAT32 && bytes == 8) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

static Operand clock_operand(Lowering *l, const char *name)
{
    Operand wide = temporary(l, 8);
    Instruction *clock = emit(l, CLOCK);
    clock->results[0] = wide;
    clock->detail = strcmp(name, "%globaltimer") == 0 || strncmp(name, "%globaltimer_", 13) == 0;
    l->code->reads_clock = true;
    if (strcmp(name, "%clock64") == 0 || strcmp(name, "%globaltimer") == 0)
        return wide;
    Operand half = temporary(l, 4);
    bool is_high = strstr(name, "_hi") != NULL;
    emit_form(l, is_high ? "+high.b64" : "+extend.u32.32.64", half, wide, no_operand, no_operand);
    return half;
}

static Operand special_operand(Lowering *l, const char *name)
{
    static const struct {
        const char *name;
        SpecialRegisterKind kind;
    } vectors[] = {
        {"%tid.", SPECIAL_TID},
        {"%ntid.", SPECIAL_NTID},
        {"%ctaid.", SPECIAL_CTAID},
        {"%nctaid.", SPECIAL_NCTAID},
        {"%clusterid.", SPECIAL_CLUSTERID},
        {"%nclusterid.", SPECIAL_NCLUSTERID},
        {"%cluster_ctaid.", SPECIAL_CLUSTER_CTAID},
        {"%cluster_nctaid.", SPECIAL_CLUSTER_NCTAID},
    };
    static const struct {
        const char *name;
        SpecialRegisterKind kind;
        int detail;
    } scalars[] = {
        {"%laneid", SPECIAL_LANE, 0},
        {"%warpid", SPECIAL_WARP, 0},
        {"%nwarpid", SPECIAL_WARPS, 0},
        {"%lanemask_eq", SPECIAL_LANEMASK, 0},
        {"%lanemask_le", SPECIAL_LANEMASK, 1},
        {"%lanemask_lt", SPECIAL_LANEMASK, 2},
        {"%lanemask_ge", SPECIAL_LANEMASK, 3},
        {"%lanemask_gt", SPECIAL_LANEMASK, 4},
        {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED, 0},
        {"%total_smem_size", SPECIAL_TOTAL_SHARED, 0},
        {"%smid", SPECIAL_MULTIPROCESSOR, 0},
        {"%nsmid", SPECIAL_MULTIPROCESSORS, 0},
        {"%cluster_ctarank", SPECIAL_CLUSTER_RANK, 0},
        {"%cluster_nctarank", SPECIAL_CLUSTER_RANKS, 0},
        {"%envreg1", SPECIAL_WORKSPACE, 32}, /* as cooperative_groups/details/helpers.h of CUDA 13.0 reads it */
        {"%envreg2", SPECIAL_WORKSPACE, 0},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (strncmp(name, vectors[i].name, strlen(vectors[i].name)) == 0)
            return special_register(l, vectors[i].kind, name[strlen(vectors[i].name)] - 'x', 0, 4);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(name, scalars[i].name) == 0)
            return special_register(l, scalars[i].kind, scalars[i].detail, 0, 4);
    if (strcmp(name, "%is_explicit_cluster") == 0)
        return special_register(l, SPECIAL_IS_CLUSTER, 0, 0, 1);
    if (strcmp(name, "%gridid") == 0)
        return constant(l, 1, 8);
    return clock_operand(l, name);
}

bool is_predicate(const Lowering *l, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && l->instance->function->register_types[operand->register_index] == PTX_PRED;
}

/* The register of an operand that is one, or of an address in one. */
static Operand named_register(Lowering *l, const PtxOperand *operand)
{
    if (l->instance->function->register_types[operand->register_index] == PTX_OTHER_TYPE)
        lower_refuse(l, "a register of this type");
    uint32_t number = l->instance->first_register + (uint32_t)operand->register_index;
    return (Operand){.slot = number, .size = l->register_sizes[number] & 0xF};
}

Operand address_register(Lowering *l, const PtxOperand *address, uint32_t least)
{
    Operand base = named_register(l, address);
    if (base.size == 0 || (bytes_of(base) < least && bytes_of(base) >= 4))
        lower_reject_operand(l, address, least == 8 ? "an address in a register of 64 bits" : "an address");
    if (bytes_of(base) < least)
        lower_refuse(l, "an address of fewer than 32 bits");
    return base;
}

static const char *width_name(uint32_t bytes)
{
    return bytes == 1   ? "a predicate"
           : bytes == 2 ? "a register of 16 bits"
           : bytes == 4 ? "a register of 32 bits"
                        : "a register of 64 bits";
}

/* The address of a variable. In the frame of a procedure it is not the same in all calls. */
static Operand address_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    const PtxVariable *variable = operand->variable;
    uint64_t address = variable_address(l, variable) + operand->number;
    bool in_frame = find_placement(l->instance->frame, variable) != NULL;
    if (!in_frame || l->instance->frame_address.slot == NO_SLOT)
        return constant(l, address, bytes);
    Operand sum = temporary(l, 8);
    emit_form(l, "add.u64", sum, l->instance->frame_address, constant(l, address, 8), no_operand);
    return sum;
}

static uint64_t function_address(Lowering *l, const char *name)
{
    const PtxFunction *function = ptx_function(l->module, name);
    if (function == NULL)
        lower_refuse(l, "the address of this function");
    return function->address;
}

/* An operand that is no register: constants, addresses and special registers are made as wide as they are needed. */
static Operand value_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    Operand value = no_operand;
    switch (operand->kind) {
    case PTX_IMMEDIATE: return constant(l, immediate_bits(operand, bytes), bytes);
    case PTX_SPECIAL: value = special_operand(l, operand->name); break;
    case PTX_VARIABLE: value = bytes == 1 ? no_operand : address_operand(l, operand, bytes); break;
    case PTX_FUNCTION:
        if (bytes != 1)
            return constant(l, function_address(l, operand->name), bytes);
        break;
    case PTX_REGISTER:
    case PTX_ADDRESS:
    case PTX_LABEL:
    case PTX_VECTOR:
    case PTX_PAIR:
    case PTX_LIST:
    case PTX_SINK: break;
    }
    if (value.slot == NO_SLOT || (value.size == 0) != (bytes == 1))
        lower_reject_operand(l, operand, width_name(bytes));
    if (bytes_of(value) == bytes)
        return value;
    Operand fitted = temporary(l, bytes);
    emit_extend(l, unsigned_type(bytes_of(fitted.size < value.size ? fitted : value)), fitted, value);
    return fitted;
}

Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    if (operand->negated && (bytes != 1 || operand->kind != PTX_REGISTER))
        lower_reject_operand(l, operand, width_name(bytes));
    if (operand->kind != PTX_REGISTER)
        return value_operand(l, operand, bytes);
    Operand value = named_register(l, operand);
    if (bytes_of(value) != bytes)
        lower_reject_operand(l, operand, width_name(bytes));
    if (!operand->negated)
        return value;
    Operand negated = temporary(l, 1);
    emit_form(l, "not.pred", negated, value, no_operand, no_operand);
    return negated;
}

/* The register that the operand names, of at least that many bytes. */
static Operand register_at_least(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    static const char *const expected[] = {"a register", "a register of 32 bits or more", "a register of 64 bits"};
    const uint32_t least = bytes < 2 ? 2 : bytes;
    Operand value = operand->kind == PTX_REGISTER && !operand->negated ? named_register(l, operand) : no_operand;
    if (value.slot == NO_SLOT || bytes_of(value) < least)
        lower_reject_operand(l, operand, expected[logarithm(least) - 1]);
    return value;
}

Operand source_at_least(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    return operand->kind == PTX_REGISTER ? register_at_least(l, operand, bytes)
                                         : source_operand(l, operand, bytes < 2 ? 2 : bytes);
}

Operand source_cut(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    Operand value = source_at_least(l, operand, bytes);
    if (bytes_of(value) == bytes)
        return value;
    Operand cut = temporary(l, bytes);
    emit_extend(l, unsigned_type(bytes), cut, value);
    return cut;
}

Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    if (operand->kind == PTX_SINK && !operand->negated)
        return temporary(l, bytes);
    if (operand->kind != PTX_REGISTER || operand->negated || bytes_of(named_register(l, operand)) != bytes)
        lower_reject_operand(l, operand, width_name(bytes));
    return named_register(l, operand);
}

Operand result_at_least(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    if (operand->kind == PTX_SINK && !operand->negated)
        return temporary(l, bytes < 2 ? 2 : bytes);
    return register_at_least(l, operand, bytes);
}

void ignored_value(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    if (operand->kind == PTX_REGISTER)
        source_operand(l, operand, bytes);
    else if (operand->kind != PTX_IMMEDIATE || operand->negated)
        lower_reject_operand(l, operand, width_name(bytes));
}

uint64_t expect_constant(Lowering *l, int index)
{
    const PtxOperand *operand = operand_at(l, index);
    if (operand->kind != PTX_IMMEDIATE || operand->negated)
        lower_reject_operand(l, operand, "a constant");
    return operand->number;
}

/* ==== address ===================================================================================================== */

PtxSpace space_named(const char *part)
{
    static const struct {
        const char *name;
        PtxSpace space;
    } spaces[] = {
        {"global", PTX_GLOBAL},
        {"shared", PTX_SHARED},
        {"shared::cta", PTX_SHARED},
        {"shared::cluster", PTX_SHARED}, /* the address tells which block of the cluster (code.h) */
        {"local", PTX_LOCAL},
        {"const", PTX_CONST},
        {"param", PTX_PARAM},
        {"param::entry", PTX_PARAM},
        {"param::func", PTX_PARAM},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(part, spaces[i].name) == 0)
            return spaces[i].space;
    return PTX_NO_SPACE;
}

/* The number of a kernel's parameter, from 1; 0: it is none. */
static uint32_t number_of_parameter(const Lowering *l, const PtxVariable *sought)
{
    uint32_t number = 1;
    for (const PtxVariable *parameter = l->instance->function->parameters; parameter != NULL; number++) {
        if (parameter == sought)
            return is_kernel(l->instance) ? number : 0;
        parameter = parameter->next;
    }
    return 0;
}

/* The frame of a procedure's call lies at another address each time. */
static const WindowVariable *local_variable(Lowering *l, const PtxVariable *variable)
{
    if (l->instance->in_procedure)
        return NULL;
    WindowVariable *local = arena_alloc(&l->code->arena, sizeof *local);
    *local = (WindowVariable){.space = PTX_LOCAL,
                              .parameter = number_of_parameter(l, variable->copy_of),
                              .offset = variable_address(l, variable),
                              .bytes = variable->bytes};
    return local;
}

/* A struct among the kernel's parameters. */
static const WindowVariable *parameter_variable(Lowering *l, const PtxVariable *variable)
{
    uint32_t number = number_of_parameter(l, variable);
    if (number == 0)
        return NULL;
    WindowVariable *parameter = arena_alloc(&l->code->arena, sizeof *parameter);
    *parameter = (WindowVariable){
        .space = PTX_PARAM, .parameter = number, .offset = variable->address, .bytes = variable->bytes};
    return parameter;
}

const WindowVariable *variable_of(Lowering *l, const PtxOperand *address)
{
    const PtxVariable *variable = address->variable;
    if (variable == NULL && address->register_index >= 0)
        variable = l->instance->provenance[address->register_index];
    if (variable != NULL && variable->space == PTX_LOCAL)
        return local_variable(l, variable);
    if (variable != NULL && variable->space == PTX_PARAM && address->variable == NULL)
        return parameter_variable(l, variable);
    if (variable == NULL || variable->space != PTX_SHARED)
        return NULL;
    uint64_t offset = variable_address(l, variable), bytes = variable->is_unsized ? 0 : variable->bytes;
    for (const WindowVariable *shared = l->code->shared; shared != NULL; shared = shared->next)
        if (shared->offset == offset && shared->bytes == bytes)
            return shared;
    return NULL;
}

static void fill_in_address(Lowering *l, Instruction *instruction, const PtxOperand *address, PtxSpace space,
                            bool may_be_narrow)
{
    if (address->kind != PTX_ADDRESS || address->element_count > 0)
        lower_reject_operand(l, address, "an address");
    instruction->space = (uint8_t)space;
    instruction->offset = (int64_t)address->number;
    instruction->variable = variable_of(l, address);
    if (address->variable != NULL) {
        const PtxVariable *variable = address->variable;
        bool in_frame = variable->space == PTX_PARAM && find_placement(l->instance->frame, variable) != NULL;
        instruction->offset = (int64_t)(address->number + variable_address(l, variable)); /* may wrap around */
        instruction->space = (uint8_t)(in_frame ? PTX_LOCAL : variable->space);
        instruction->is_hidden = in_frame;
        if (instruction->space == PTX_LOCAL)
            instruction->sources[0] = l->instance->frame_address;
    } else if (address->register_index >= 0) {
        bool is_wide = space == PTX_GLOBAL || space == PTX_NO_SPACE; /* the other windows have 32 bits */
        instruction->sources[0] = address_register(l, address, is_wide && !may_be_narrow ? 8 : 4);
        if (space == PTX_PARAM && !is_kernel(l->instance)) { /* a parameter of a device function */
            instruction->space = PTX_LOCAL;
            instruction->is_hidden = true;
        }
    }
}

void set_address(Lowering *l, Instruction *instruction, const PtxOperand *address, PtxSpace space)
{
    fill_in_address(l, instruction, address, space, false);
}

void ignored_address(Lowering *l, int index, PtxSpace space)
{
    Instruction probe = {.sources = {{.slot = NO_SLOT}}};
    set_address(l, &probe, operand_at(l, index), space);
}

Operand whole_address(Lowering *l, const PtxOperand *address, PtxSpace space)
{
    Instruction probe = {.sources = {{.slot = NO_SLOT}}};
    fill_in_address(l, &probe, address, space, true);
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

/* ==== memory access =============================================================================================== */

/* Parts that say how an access is ordered or cached. They change nothing here: every access takes effect at once and in
 * order. */
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

AccessForm access_form(Lowering *l, const OpcodeModifiers *parts)
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

uint8_t size_of(PtxType type)
{
    return (uint8_t)logarithm(ptx_type_bytes(type));
}

const PtxOperand *data_operand(Lowering *l, const PtxOperand *data, int count, int index)
{
    if (count == 1)
        return data;
    if (data->kind != PTX_VECTOR || data->element_count != count)
        lower_reject_operand(l, data, count == 2 ? "a vector of 2" : "a vector of 4");
    return &data->elements[index];
}

PtxSpace first_space(const OpcodeModifiers *parts)
{
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE)
            return space_named(parts->part[i]);
    return PTX_NO_SPACE;
}

bool ignored_hint(Lowering *l, const OpcodeModifiers *parts)
{
    bool has_hint = parts_have(parts, "L2::cache_hint");
    if (has_hint)
        ignored_value(l, operand_at(l, l->source->operand_count - 1), 8);
    return has_hint;
}

static Instruction *emit_frame_access(Lowering *l, InstructionKind kind, const PtxVariable *variable, uint32_t bytes)
{
    if (variable->bytes < bytes)
        lower_refuse(l, "these arguments");
    int64_t offset = (int64_t)variable_address(l, variable);
    Instruction *access = emit(l, kind);
    access->space = PTX_LOCAL;
    access->is_hidden = true;
    access->size = bytes == 8 ? 3 : 2;
    access->count = 1;
    access->offset = offset;
    access->sources[0] = l->instance->frame_address;
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
