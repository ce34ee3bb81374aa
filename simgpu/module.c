#include "simgpu/simgpu.h"

#include "base/arena.h"
#include "base/elf.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/gpu.h"
#include "simgpu/lower/lower.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FATBIN_MAGIC = 0xBA55ED50 }; /* by itself: it makes the type of its enum unsigned (gcc 13 and later) */
enum {
    MAX_VARIABLES = 2048,    /* of all modules: each is an allocation, of which there are 8192 */
    MAX_PTX_BYTES = 32 << 20 /* a parsed module takes many times its text */
};

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool is_placed(const PtxVariable *variable)
{
    return variable->space == PTX_GLOBAL || variable->space == PTX_CONST;
}

static Status place_variable(SimModule *module, PtxVariable *variable, Message *why)
{
    SimGpu *gpu = module->gpu;
    if (variable->type == PTX_OTHER_TYPE)
        return STATUS_OK; /* such as a texture reference; kernels that use it are refused */
    if (variable->bytes == 0)
        return STATUS_OK; /* declared only, without a size */
    if (gpu->variable_count >= MAX_VARIABLES)
        return fail(STATUS_BAD_INPUT, why, "more than %d variables in device memory", MAX_VARIABLES);
    variable->address = memory_alloc(&gpu->memory, variable->bytes, variable->name);
    if (variable->address == 0)
        return fail(STATUS_BAD_INPUT, why, "variable '%.100s' of %llu bytes does not fit into device memory",
                    variable->name, (unsigned long long)variable->bytes);
    gpu->variable_count++;
    gpu->memory.allocations[memory_find(&gpu->memory, variable->address)].is_constant = variable->space == PTX_CONST;
    memset((void *)variable->address, 0, variable->bytes);
    if (variable->initial_bytes > 0)
        memcpy((void *)variable->address, variable->initial, variable->initial_bytes);
    if (variable->space == PTX_CONST)
        module->constant_bytes += variable->bytes;
    return STATUS_OK;
}

/* Fills in the addresses in a variable's initialiser, now that every variable has its place. */
static void relocate(const PtxModule *module, const PtxVariable *variable)
{
    for (const PtxRelocation *r = variable->relocations; r != NULL; r = r->next) {
        const PtxFunction *function = r->function != NULL ? ptx_function(module, r->function) : NULL;
        uint64_t address = function != NULL ? function->address : r->target != NULL ? r->target->address : 0;
        uint64_t value = address + (uint64_t)r->addend;
        if (r->mask != 0)
            value = (value & r->mask) >> __builtin_ctzll(r->mask);
        if (r->offset + r->bytes <= variable->bytes)
            memcpy((char *)variable->address + r->offset, &value, r->bytes);
    }
}

static Status place_variables(SimModule *module, Message *why)
{
    for (PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next) {
        Status status = is_placed(variable) ? place_variable(module, variable, why) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    if (module->constant_bytes > module->gpu->profile.constant_bytes)
        return fail(STATUS_BAD_INPUT, why, "%llu bytes of constant memory, the device has %u",
                    (unsigned long long)module->constant_bytes, module->gpu->profile.constant_bytes);
    for (const PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next)
        if (is_placed(variable) && variable->address != 0)
            relocate(&module->ptx, variable);
    return STATUS_OK;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static bool is_fatbin(const void *image, size_t bytes)
{
    uint32_t magic = 0;
    if (bytes >= sizeof magic)
        memcpy(&magic, image, sizeof magic);
    return magic == FATBIN_MAGIC;
}

/* Finds the PTX of an image, and copies the machine code beside it. */
static Status find_ptx(SimModule *module, const void *image, size_t bytes, const char **ptx, size_t *ptx_bytes,
                       Message *why)
{
    if (!is_fatbin(image, bytes)) {
        *ptx = image;
        *ptx_bytes = bytes;
        return STATUS_OK;
    }
    const HardwareProfile *profile = &module->gpu->profile;
    Fatbin fatbin;
    TRY(fatbin_read(image, bytes, profile->compute_major * 10 + profile->compute_minor, &fatbin, why));
    if (fatbin.ptx == NULL)
        return fail(STATUS_UNSUPPORTED, why, "the fatbin holds no PTX for compute capability %d.%d or below",
                    profile->compute_major, profile->compute_minor);
    *ptx = fatbin.ptx;
    *ptx_bytes = fatbin.ptx_bytes;
    if (fatbin.cubin != NULL) {
        module->cubin = allocated(calloc(1, fatbin.cubin_bytes));
        module->cubin_bytes = fatbin.cubin_bytes;
        memcpy(module->cubin, fatbin.cubin, fatbin.cubin_bytes);
    }
    return STATUS_OK;
}

Status simgpu_module_load(SimGpu *gpu, const void *image, size_t bytes, SimModule **module, Message *why)
{
    SimModule *new = allocated(calloc(1, sizeof *new));
    new->gpu = gpu;
    const char *ptx = NULL;
    size_t ptx_bytes = 0;
    Status status = find_ptx(new, image, bytes, &ptx, &ptx_bytes, why);
    if (status == STATUS_OK && ptx_bytes > MAX_PTX_BYTES)
        status = fail(STATUS_BAD_INPUT, why, "%zu bytes of PTX, at most %d can be loaded", ptx_bytes, MAX_PTX_BYTES);
    THEN(status, ptx_parse("PTX", ptx, ptx_bytes, &new->ptx, why));
    THEN(status, place_variables(new, why));
    if (status != STATUS_OK) {
        simgpu_module_unload(gpu, new);
        return status;
    }
    *module = new;
    return STATUS_OK;
}

void simgpu_module_unload(SimGpu *gpu, SimModule *module)
{
    if (module == NULL)
        return;
    for (const PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next)
        if (is_placed(variable) && variable->address != 0)
            gpu->variable_count -= memory_release(&gpu->memory, variable->address);
    while (module->functions != NULL) {
        SimFunction *function = module->functions;
        module->functions = function->next;
        if (function->jobs != NULL)
            gpu->translator->free(function->jobs);
        code_free(&function->code);
        machine_code_free(&function->machine);
        free((void *)function->info.parameter_offsets);
        free((void *)function->info.parameter_sizes);
        free(function);
    }
    ptx_free(&module->ptx);
    free(module->cubin);
    free(module);
}

bool simgpu_variable(SimModule *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    for (const PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next)
        if (is_placed(variable) && variable->address != 0 && strcmp(variable->name, name) == 0) {
            *address = variable->address;
            *bytes = variable->bytes;
            return true;
        }
    return false;
}

bool simgpu_constant(const SimModule *module, uint32_t number, uint64_t *address, uint64_t *bytes)
{
    for (const PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next)
        if (variable->space == PTX_CONST && variable->address != 0 && number-- == 0) {
            *address = variable->address;
            *bytes = variable->bytes;
            return true;
        }
    return false;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void fill_parameters(SimFunctionInfo *info, const PtxFunction *ptx)
{
    uint32_t *offsets = zeroed(ptx->parameter_count, sizeof *offsets);
    uint32_t *sizes = zeroed(ptx->parameter_count, sizeof *sizes);
    uint32_t i = 0;
    for (const PtxVariable *parameter = ptx->parameters; parameter != NULL; parameter = parameter->next, i++) {
        offsets[i] = (uint32_t)parameter->address;
        sizes[i] = (uint32_t)parameter->bytes;
    }
    info->parameter_count = ptx->parameter_count;
    info->parameter_bytes = ptx->parameter_bytes;
    info->parameter_offsets = offsets;
    info->parameter_sizes = sizes;
}

/* Registers per thread that ptxas would need: those alive at once, and some for addresses; at least 16, and no more than
 * a block of `max_threads` leaves to each (0: the kernel does not say). */
static uint32_t estimated_registers(const Code *code, uint32_t max_threads, const HardwareProfile *profile)
{
    uint32_t estimate = code->live_registers + 8, most = profile->max_registers_per_thread;
    if (max_threads > 0 && max_threads <= profile->max_threads_per_block) {
        uint32_t warps = (max_threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
        uint32_t share = profile->registers_per_multiprocessor / (warps * SIM_WARP_SIZE);
        most = share < most ? share : most;
    }
    estimate = estimate < 16 ? 16 : estimate;
    return estimate < most ? estimate : most;
}

/* Without machine code, the stack that a call takes is estimated: its frame here, and where it returns to. */
static void find_stack(SimFunction *function)
{
    const SimModule *module = function->module;
    Code *code = &function->code;
    code->stack_bytes = function->info.frame_bytes;
    code->least_stack = cubin_least_stack(module->cubin, module->cubin_bytes, function->info.name);
    for (int i = 0; i < code->procedure_count; i++) {
        Procedure *procedure = &code->procedures[i];
        if (!cubin_call_bytes(module->cubin, module->cubin_bytes, function->info.name, procedure->symbol,
                              &procedure->stack_bytes))
            procedure->stack_bytes = (procedure->frame_bytes + 15) / 8 * 8;
    }
}

static bool names_variable(const PtxFunction *function, const PtxVariable *variable)
{
    for (int i = 0; i < function->instruction_count; i++)
        for (int k = 0; k < function->instructions[i].operand_count; k++)
            if (function->instructions[i].operands[k].variable == variable)
                return true;
    return false;
}

/* Bytes of the constant arrays that a kernel names. With calls it may use others, too. */
static uint32_t constant_bytes(const SimFunction *function)
{
    uint64_t bytes = 0;
    const SimModule *module = function->module;
    for (const PtxVariable *variable = module->ptx.variables; variable != NULL; variable = variable->next)
        if (variable->space == PTX_CONST && names_variable(function->ptx, variable))
            bytes += variable->bytes;
    return (uint32_t)(bytes > 0 && function->code.procedure_count == 0 ? bytes : module->constant_bytes);
}

static void fill_info(SimFunction *function)
{
    const SimModule *module = function->module;
    const HardwareProfile *profile = &module->gpu->profile;
    SimFunctionInfo *info = &function->info;
    snprintf(info->name, sizeof info->name, "%s", function->ptx->name);
    symbol_name(info->name, function->plain_name, sizeof function->plain_name);
    fill_parameters(info, function->ptx);
    info->registers = cubin_registers(module->cubin, module->cubin_bytes, info->name);
    info->uniform_constant_loads = cubin_loads_constants_uniformly(module->cubin, module->cubin_bytes, info->name);
    info->live_registers = function->code.live_registers;
    info->registers_estimated = info->registers == 0;
    if (info->registers_estimated)
        info->registers = estimated_registers(&function->code, function->ptx->max_threads, profile);
    info->static_shared_bytes = function->code.shared_bytes;
    info->local_bytes = function->code.local_bytes;
    info->frame_bytes = cubin_frame_bytes(module->cubin, module->cubin_bytes, info->name);
    if (info->frame_bytes < info->local_bytes)
        info->frame_bytes = info->local_bytes;
    find_stack(function);
    info->constant_bytes = constant_bytes(function);
    info->max_threads_per_block = profile->max_threads_per_block;
    if (function->ptx->max_threads > 0 && function->ptx->max_threads < info->max_threads_per_block)
        info->max_threads_per_block = function->ptx->max_threads;
    memcpy(info->cluster, function->ptx->cluster, sizeof info->cluster);
    function->dynamic_shared_limit = profile->shared_bytes_per_block > info->static_shared_bytes
                                         ? profile->shared_bytes_per_block - info->static_shared_bytes
                                         : 0;
}

/* A kernel is decoded when it is first asked for. */
SimFunction *simgpu_function(SimModule *module, const char *name)
{
    for (SimFunction *function = module->functions; function != NULL; function = function->next)
        if (strcmp(function->ptx->name, name) == 0)
            return function;
    const PtxFunction *ptx = ptx_function(&module->ptx, name);
    if (ptx == NULL || !ptx->is_entry || !ptx->has_body)
        return NULL;
    SimFunction *function = allocated(calloc(1, sizeof *function));
    function->module = module;
    function->ptx = ptx;
    function->lowered = lower_kernel(&module->ptx, ptx, &function->code, &function->refusal);
    fill_info(function);
    merged_loads_find(module->cubin, module->cubin_bytes, name, &function->code);
    function->machine_known = machine_code_read(module->cubin, module->cubin_bytes, name, &function->code,
                                                &module->gpu->profile, &function->machine);
    machine_code_weigh(function->machine_known ? &function->machine : NULL, &function->code);
    function->info.has_unknown_code = !function->info.registers_estimated && !function->machine_known;
    function->next = module->functions;
    module->functions = function;
    return function;
}

void simgpu_function_info(const SimFunction *function, SimFunctionInfo *info)
{
    *info = function->info;
}

bool simgpu_function_set_dynamic_shared(SimFunction *function, uint32_t bytes)
{
    const HardwareProfile *profile = &function->module->gpu->profile;
    uint32_t most = profile->shared_bytes_per_block_optin;
    if (bytes > most || function->info.static_shared_bytes > most - bytes)
        return false;
    function->dynamic_shared_limit = bytes;
    return true;
}

LaunchNeeds function_needs(const SimFunction *function)
{
    LaunchNeeds needs = {.registers = function->info.registers_estimated ? 0 : function->info.registers,
                         .static_shared_bytes = function->info.static_shared_bytes,
                         .max_threads_per_block = function->info.max_threads_per_block,
                         .max_dynamic_shared_bytes = function->dynamic_shared_limit};
    memcpy(needs.cluster, function->info.cluster, sizeof needs.cluster);
    return needs;
}
