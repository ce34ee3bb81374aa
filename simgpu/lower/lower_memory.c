#include "simgpu/lower/lower_memory.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/lower/flow/unused_bytes.h"

/* Strong accesses are meant to meet those of other threads; the PTX memory model calls them so. */
static bool is_strong(const OpcodeModifiers *parts)
{
    static const char *const strong[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        if (parts_have(parts, strong[i]))
            return true;
    return false;
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

void lower_load(Lowering *l, const OpcodeModifiers *parts)
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
    load->unused_bytes = unused_bytes(l, form.count, ptx_type_bytes(form.type));
    for (int i = 0; i < form.count; i++)
        load->results[i] = results[i];
    set_address(l, load, operand_at(l, 1), form.space);
    count_request(l, load);
    if (load->space == PTX_PARAM && load->sources[0].slot == NO_SLOT && is_inside_parameters(l, load))
        to_parameter_loads(l, load);
}

void lower_store(Lowering *l, const OpcodeModifiers *parts)
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
