/* The walk over the instructions of a kernel. Each of them is lowered by the function for its mnemonic; most
 * calls are inlined. An instruction that is not understood in every detail is refused by name, because a guess would give wrong
 * answers.  */
#include "simgpu/lower/lower.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/placement.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/lower/check_registers.h"
#include "simgpu/lower/lower_address.h"
#include "simgpu/lower/lower_arithmetic.h"
#include "simgpu/lower/lower_atomic.h"
#include "simgpu/lower/lower_barrier.h"
#include "simgpu/lower/lower_branch.h"
#include "simgpu/lower/lower_call.h"
#include "simgpu/lower/lower_convert.h"
#include "simgpu/lower/lower_copy_async.h"
#include "simgpu/lower/lower_hint.h"
#include "simgpu/lower/lower_matrix.h"
#include "simgpu/lower/lower_mbarrier.h"
#include "simgpu/lower/lower_memory.h"
#include "simgpu/lower/lower_texture.h"
#include "simgpu/lower/lower_warp.h"
#include "simgpu/lower/flow/provenance.h"
#include "simgpu/lower/slots.h"
#include "simgpu/lower/flow/targets.h"
#include "simgpu/lower/flow/unset_registers.h"
#include "simgpu/lower/flow/unused_bytes.h"
#include "simgpu/lower/flow/unfenced_products.h"
#include "simgpu/lower/flow/unwaited_products.h"
#include "simgpu/lower/flow/used_results.h"

#include <string.h>

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
        {"setmaxnreg", lower_hint}, /* hardware lets a warp wait for registers; here they are always there */
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
