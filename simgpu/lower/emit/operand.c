#include "simgpu/lower/emit/operand.h"

#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/placement.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

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
