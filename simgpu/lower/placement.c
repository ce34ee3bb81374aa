#include "simgpu/lower/placement.h"

#include "base/elf.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

/* ==== address taken =============================================================================================== */

static bool is_call(const PtxInstruction *instruction)
{
    return strncmp(instruction->opcode, "call", 4) == 0;
}

static const char *function_operand(const PtxInstruction *instruction)
{
    for (int i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == PTX_FUNCTION)
            return instruction->operands[i].name;
    return NULL;
}

const char *ptx_called_name(const PtxInstruction *instruction)
{
    return is_call(instruction) ? function_operand(instruction) : NULL;
}

/* Does the instruction call through a pointer? */
static bool calls_through_pointer(const PtxInstruction *instruction)
{
    return is_call(instruction) && function_operand(instruction) == NULL;
}

static bool variables_hold(const PtxModule *module, const char *name)
{
    for (const PtxVariable *variable = module->variables; variable != NULL; variable = variable->next)
        for (const PtxRelocation *r = variable->relocations; r != NULL; r = r->next)
            if (r->function != NULL && strcmp(r->function, name) == 0)
                return true;
    return false;
}

static bool instructions_take(const PtxModule *module, const char *name)
{
    for (const PtxFunction *function = module->functions; function != NULL; function = function->next)
        for (int i = 0; i < function->instruction_count; i++) {
            const PtxInstruction *instruction = &function->instructions[i];
            const char *taken = is_call(instruction) ? NULL : function_operand(instruction);
            if (taken != NULL && strcmp(taken, name) == 0)
                return true;
        }
    return false;
}

bool is_address_taken(const PtxModule *module, const PtxFunction *function)
{
    return function->has_body && !function->is_entry &&
           (variables_hold(module, function->name) || instructions_take(module, function->name));
}

/* ==== placement =================================================================================================== */

const Placement *find_placement(const Placement *list, const PtxVariable *variable)
{
    for (; list != NULL; list = list->next)
        if (list->variable == variable)
            return list;
    return NULL;
}

uint64_t add_placement(Lowering *l, Placement **list, const PtxVariable *variable, uint64_t offset)
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

enum {
    MAX_FRAME_BYTES = 512 * 1024
}; /* CUDA C++ Programming Guide, Technical Specifications: local memory per thread */

uint64_t place_in_frame(Lowering *l, Instance *instance, const PtxVariable *variable)
{
    uint64_t offset = round_up(l->frame_bytes, variable->align);
    if (offset + variable->bytes > MAX_FRAME_BYTES)
        lower_refuse(l, "more than 512 KiB of local memory per thread");
    l->frame_bytes = (uint32_t)(offset + variable->bytes);
    if (variable->space == PTX_LOCAL)
        l->code->local_bytes += (uint32_t)variable->bytes;
    return add_placement(l, &instance->frame, variable, offset);
}

/* Keeps a copy of the name for messages, because the code outlives the text of the module. */
static void remember_shared(Lowering *l, const PtxVariable *variable, uint64_t offset)
{
    char name[64];
    WindowVariable *shared = arena_alloc(&l->code->arena, sizeof *shared);
    symbol_name(variable->name, name, sizeof name);
    *shared = (WindowVariable){.next = l->code->shared,
                               .space = PTX_SHARED,
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
    bool calls_pointer;
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
        visit->calls_pointer |= calls_through_pointer(&function->instructions[i]);
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

/* A pointer may lead to functions of which no instruction of the kernel knows. */
static void visit_targets_of_pointers(Lowering *l, Visited **visited, uint32_t *dynamic_align)
{
    bool calls_pointer = false;
    for (const Visited *visit = *visited; visit != NULL; visit = visit->next)
        calls_pointer |= visit->calls_pointer;
    for (const PtxFunction *function = l->module->functions; function != NULL; function = function->next)
        if (calls_pointer && is_address_taken(l->module, function))
            visit_function(l, function, visited, dynamic_align);
}

void place_shared(Lowering *l, const PtxFunction *kernel)
{
    Visited *visited = NULL;
    uint32_t dynamic_align = 16;
    visit_function(l, kernel, &visited, &dynamic_align);
    visit_targets_of_pointers(l, &visited, &dynamic_align);
    l->code->dynamic_shared_offset = (uint32_t)round_up(l->code->shared_bytes, dynamic_align);
    if (l->unsized_shared != NULL)
        remember_shared(l, l->unsized_shared, l->code->dynamic_shared_offset);
}

uint64_t variable_address(Lowering *l, const PtxVariable *variable)
{
    const Placement *placement = NULL;
    if (variable->whole != NULL)
        return variable_address(l, variable->whole) + variable->address;
    switch (variable->space) {
    case PTX_SHARED:
        if (variable->is_unsized)
            return l->code->dynamic_shared_offset;
        placement = find_placement(l->shared, variable);
        break;
    case PTX_LOCAL:
    case PTX_PARAM:
        placement = find_placement(l->instance->frame, variable);
        if (placement == NULL && variable->space == PTX_PARAM && is_kernel(l->instance))
            return variable->address; /* a kernel parameter: its offset in the parameter block */
        break;
    case PTX_NO_SPACE:
    case PTX_GLOBAL:
    case PTX_CONST:
        if (variable->type == PTX_OTHER_TYPE)
            lower_refuse(l, "a variable of this type"); /* the module has not placed it */
        return variable->address;
    }
    if (placement == NULL)
        lower_refuse(l, "a local variable or parameter outside of every function");
    return placement->offset;
}
