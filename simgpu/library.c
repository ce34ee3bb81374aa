#include "simgpu/simgpu.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/elf.h"
#include "simgpu/cost/cost.h"
#include "simgpu/launch.h"
#include "simgpu/memory/origin.h"
#include "simgpu/memory/validity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef JIT /* the Makefile's variable */
#include "simgpu/jit/jit.h"
static const Translator *const translator = &jit_translator;
#else
static const Translator *const translator = NULL;
#endif

Status simgpu_new(const HardwareProfile *profile, uint64_t base, uint64_t span, int threads, SimGpu **gpu, Message *why)
{
    SimGpu *new = allocated(calloc(1, sizeof *new));
    new->profile = *profile;
    new->translator = translator;
    Status status = memory_new(base, span, profile->memory_bytes, &new->memory, why);
    if (status != STATUS_OK) {
        free(new);
        return status;
    }
    if (threads <= 0)
        threads = (int)processors_usable();
    pthread_mutex_init(&new->output.lock, NULL);
    pool_start(&new->pool, threads);
    *gpu = new;
    return STATUS_OK;
}

void simgpu_free(SimGpu *gpu)
{
    if (gpu == NULL)
        return;
    pool_stop(&gpu->pool);
    memory_free(&gpu->memory);
    texture_table_free(&gpu->textures);
    free(gpu->lines);
    free(gpu->touched);
    provenance_free(gpu->provenance);
    pthread_mutex_destroy(&gpu->output.lock);
    free(gpu->translator_settings.compiler);
    free(gpu->translator_settings.folder);
    free(gpu);
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

uint64_t simgpu_alloc(SimGpu *gpu, uint64_t bytes)
{
    return memory_alloc(&gpu->memory, bytes, NULL);
}

uint64_t simgpu_find_room(const SimGpu *gpu, uint64_t bytes)
{
    return memory_find_room(&gpu->memory, bytes);
}

bool simgpu_alloc_at(SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    return memory_alloc_at(&gpu->memory, address, bytes);
}

bool simgpu_release(SimGpu *gpu, uint64_t address)
{
    int index = memory_find(&gpu->memory, address);
    return index >= 0 && gpu->memory.allocations[index].name == NULL && memory_release(&gpu->memory, address);
}

void simgpu_set_memory_limit(SimGpu *gpu, uint64_t bytes)
{
    gpu->memory.limit = bytes > gpu->memory.used ? bytes : gpu->memory.used;
}

uint64_t simgpu_allocated_bytes(const SimGpu *gpu)
{
    return gpu->memory.used;
}

static void show(const Allocation *allocation, SimAllocation *shown)
{
    *shown = (SimAllocation){.address = allocation->address,
                             .bytes = allocation->bytes,
                             .name = allocation->name,
                             .kernel_wrote = allocation->kernel_wrote};
}

bool simgpu_find(const SimGpu *gpu, uint64_t address, uint64_t bytes, SimAllocation *found)
{
    int index = memory_find(&gpu->memory, address);
    if (index < 0)
        return false;
    const Allocation *allocation = &gpu->memory.allocations[index];
    if (bytes > allocation->bytes - (address - allocation->address))
        return false;
    show(allocation, found);
    return true;
}

void simgpu_empty_l2(SimGpu *gpu)
{
    for (int i = 0; i < gpu->memory.count; i++)
        gpu->memory.allocations[i].l2_low = gpu->memory.allocations[i].l2_end = 0;
}

void simgpu_name(SimGpu *gpu, uint64_t address, const char *name, uint32_t element_bytes)
{
    int index = memory_find(&gpu->memory, address);
    if (index < 0)
        return;
    Allocation *allocation = &gpu->memory.allocations[index];
    snprintf(allocation->label, sizeof allocation->label, "%s", name);
    allocation->element_bytes = element_bytes;
}

void simgpu_mark_written(SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    int index = memory_find(&gpu->memory, address);
    if (index < 0)
        return;
    Allocation *allocation = &gpu->memory.allocations[index];
    if (bytes == allocation->bytes)
        validity_free(allocation);
    else
        validity_mark(allocation, address, bytes);
}

void simgpu_mark_unwritten(SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    int index = memory_find(&gpu->memory, address);
    if (index >= 0)
        validity_unmark(&gpu->memory.allocations[index], address, bytes);
}

/* NULL where no allocation holds the address. */
static Allocation *allocation_at(const SimGpu *gpu, uint64_t address)
{
    int index = memory_find(&gpu->memory, address);
    return index < 0 ? NULL : &gpu->memory.allocations[index];
}

void simgpu_renew(SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    memset((void *)(uintptr_t)address, gpu->memory.uninitialised_byte, bytes);
    simgpu_mark_unwritten(gpu, address, bytes);
    simgpu_forget_origin(gpu, address, bytes);
}

void simgpu_host_writes(SimGpu *gpu, uint64_t address, const void *from, uint64_t bytes)
{
    Allocation *to = allocation_at(gpu, address);
    if (to != NULL)
        origin_write(to, address, from, bytes);
    if (gpu->provenance != NULL)
        provenance_host_writes(gpu->provenance, address, from, bytes);
}

void simgpu_host_fills(SimGpu *gpu, uint64_t address, uint8_t value, uint64_t bytes)
{
    Allocation *to = allocation_at(gpu, address);
    if (to != NULL)
        origin_fill(to, address, value, bytes);
    if (gpu->provenance != NULL)
        provenance_host_writes(gpu->provenance, address, NULL, bytes);
}

void simgpu_copies(SimGpu *gpu, uint64_t to, uint64_t from, uint64_t bytes)
{
    Allocation *target = allocation_at(gpu, to), *source = allocation_at(gpu, from);
    if (target != NULL && source != NULL)
        origin_copy(target, to, source, from, bytes);
    if (target != NULL && source != NULL && target->label[0] == '\0' && target->name == NULL &&
        target->copied[0] == '\0' && to == target->address && from == source->address) {
        memcpy(target->copied, source->label, sizeof target->copied);
        target->element_bytes = source->element_bytes;
    }
    if (gpu->provenance != NULL)
        provenance_copies(gpu->provenance, to, from, bytes);
}

void simgpu_forget_origin(SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    Allocation *allocation = allocation_at(gpu, address);
    if (allocation != NULL)
        origin_forget(allocation, address, bytes);
}

bool simgpu_comes_from_host(const SimGpu *gpu, uint64_t address, uint64_t bytes)
{
    Allocation *allocation = allocation_at(gpu, address);
    return allocation != NULL && origin_is_host(allocation, address, bytes);
}

void simgpu_forget_released(SimGpu *gpu)
{
    memory_forget_released(&gpu->memory);
}

void simgpu_set_uninitialised_bytes(SimGpu *gpu, uint8_t byte, uint8_t odd)
{
    memory_set_uninitialised_bytes(&gpu->memory, byte, odd);
}

void simgpu_trace_begin(SimGpu *gpu)
{
    simgpu_trace_end(gpu);
    gpu->provenance = provenance_new(&gpu->memory);
}

const Provenance *simgpu_trace(const SimGpu *gpu)
{
    return gpu->provenance;
}

/* Numbers those that neither the problem nor the module names, from 1. */
static int number_of(const SimGpu *gpu, const Allocation *array)
{
    int number = 1;
    for (const Allocation *before = gpu->memory.allocations; before < array; before++)
        number += before->label[0] == '\0' && before->name == NULL;
    return number;
}

bool simgpu_array_at(const SimGpu *gpu, uint64_t address, SimArray *array)
{
    const Allocation *from = allocation_at(gpu, address);
    *array = (SimArray){.address = address};
    if (from == NULL)
        return false;
    if (from->label[0] != '\0')
        snprintf(array->name, sizeof array->name, "%s", from->label);
    else if (from->name != NULL)
        symbol_name(from->name, array->name, sizeof array->name);
    else if (from->copied[0] != '\0')
        snprintf(array->name, sizeof array->name, "copy of %.20s", from->copied);
    else
        snprintf(array->name, sizeof array->name, "allocation %d", number_of(gpu, from));
    array->address = from->address;
    array->element_bytes = from->element_bytes;
    array->columns = from->row_bytes / (from->element_bytes > 0 ? from->element_bytes : (uint32_t)sizeof(float));
    return from->label[0] != '\0' || from->name != NULL;
}

const char *simgpu_file(const SimFunction *function, int32_t number)
{
    const PtxModule *ptx = &function->module->ptx;
    return number >= 0 && number < ptx->file_count ? ptx->files[number] : NULL;
}

void simgpu_trace_end(SimGpu *gpu)
{
    provenance_free(gpu->provenance);
    gpu->provenance = NULL;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

uint64_t simgpu_texture_new(SimGpu *gpu, const SimTexture *description)
{
    SimAllocation found;
    if (!texture_is_valid(description) || !simgpu_find(gpu, description->address, texture_bytes(description), &found))
        return 0;
    if (description->dimensions > 1)
        allocation_at(gpu, description->address)->row_bytes = (uint32_t)description->pitch;
    return texture_add(&gpu->textures, description);
}

bool simgpu_texture_free(SimGpu *gpu, uint64_t handle)
{
    return texture_remove(&gpu->textures, handle);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool simgpu_set_translator(SimGpu *gpu, const char *compiler, const char *folder, SimTranslate when)
{
    TranslatorSettings *settings = &gpu->translator_settings;
    free(settings->compiler);
    free(settings->folder);
    *settings = (TranslatorSettings){.when = when};
    if (compiler == NULL || gpu->translator == NULL)
        return compiler == NULL;
    settings->compiler = allocated(strdup(compiler));
    settings->folder = allocated(strdup(folder));
    return true;
}

void simgpu_set_compiles(SimGpu *gpu, bool compiles)
{
    gpu->translator_settings.compiles_nothing = !compiles;
}

bool simgpu_is_compiling(const SimGpu *gpu)
{
    return atomic_load(&gpu->translator_settings.under_way) > 0;
}

bool simgpu_accepts(const SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    return launch_is_possible(gpu, launch, report);
}

void simgpu_launch(SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    bool is_compared = gpu->translator_settings.compiler != NULL &&
                       gpu->translator_settings.when == SIM_TRANSLATE_COMPARED;
    if (is_compared)
        launch_compared(gpu, launch, report);
    else
        launch_run(gpu, launch, &(LaunchHow){.helpers = gpu->pool.count}, report);
}

uint32_t simgpu_occupancy(const SimGpu *gpu, const SimFunction *function, uint32_t block_threads,
                          uint32_t dynamic_shared_bytes)
{
    return cost_resident_blocks(&gpu->profile, &function->info, block_threads, dynamic_shared_bytes);
}

void simgpu_cancel(SimGpu *gpu)
{
    atomic_store(&gpu->cancelled, 1);
}

size_t simgpu_take_output(SimGpu *gpu, char *buffer, size_t size, uint64_t *lost_bytes)
{
    return output_take(&gpu->output, buffer, size, lost_bytes);
}

double simgpu_copy_seconds(const SimGpu *gpu, uint64_t bytes, bool across_bus)
{
    const HardwareProfile *profile = &gpu->profile;
    double rate = across_bus ? profile->bus_bytes_per_s : profile->dram_copy_bytes_per_s / 2;
    return (across_bus ? profile->bus_overhead_s : profile->copy_overhead_s) + (double)bytes / rate;
}

const HardwareProfile *simgpu_profile(const SimGpu *gpu)
{
    return &gpu->profile;
}
