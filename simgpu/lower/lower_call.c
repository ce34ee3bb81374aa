#include "simgpu/lower/lower_call.h"

#include "base/symbol.h"
#include "simgpu/lower/emit/address_taken.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/call_operands.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/placement.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/lower/lower_system_call.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

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

void begin_procedure(Lowering *l, int number, Instance *instance)
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

void lower_call(Lowering *l, const OpcodeModifiers *parts)
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
