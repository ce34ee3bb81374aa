#include "simgpu/lower/emit/address.h"

#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/placement.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

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
