#include "simgpu/block/lines.h"

#include "base/arena.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/pattern.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef struct SectorPlace {
    int32_t file, line;
} SectorPlace;

static int compare_places(const void *a, const void *b)
{
    const SectorPlace *x = a, *y = b;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file) : (x->line > y->line) - (x->line < y->line);
}

/* The source lines of a kernel's instructions, each once, in order. */
static SectorPlace *find_places(const Code *code, int *count)
{
    SectorPlace *places = zeroed((size_t)code->block_line_count, sizeof *places);
    for (int i = 0; i < code->block_line_count; i++)
        places[i] = (SectorPlace){code->block_lines[i].file, code->block_lines[i].line};
    qsort(places, (size_t)code->block_line_count, sizeof *places, compare_places);
    *count = 0;
    for (int i = 0; i < code->block_line_count; i++)
        if (*count == 0 || compare_places(&places[*count - 1], &places[i]) != 0)
            places[(*count)++] = places[i];
    return places;
}

/* Every instruction belongs to a PTX instruction that was counted, and so has an entry. Only a basic block that falls
 * through to the next one ends at no line; it counts nothing there. */
static int32_t index_of(const SectorPlace *places, int count, int32_t file, int32_t line)
{
    const SectorPlace *found = bsearch(&(SectorPlace){file, line}, places, (size_t)count, sizeof *places,
                                       compare_places);
    return found == NULL ? 0 : (int32_t)(found - places);
}

static const char *file_of(const Launch *launch, SectorPlace place)
{
    bool known = place.line > 0 && place.file > 0 && place.file < launch->file_count;
    return known ? launch->files[place.file] : NULL;
}

LineTable *lines_new(const Launch *launch)
{
    const Code *code = launch->code;
    LineTable *table = zeroed(1, sizeof *table);
    SectorPlace *places = find_places(code, &table->count);
    table->lines = zeroed((size_t)table->count, sizeof *table->lines);
    for (int i = 0; i < table->count; i++)
        table->lines[i] = (SimLine){.file = file_of(launch, places[i]), .line = places[i].line};
    table->of_instruction = zeroed((size_t)code->instruction_count, sizeof *table->of_instruction);
    for (int i = 0; i < code->instruction_count; i++) {
        table->of_instruction[i] = index_of(places, table->count, code->instructions[i].file,
                                            code->instructions[i].line);
        SimLine *line = &table->lines[table->of_instruction[i]];
        line->live_registers = code->live[i] > line->live_registers ? code->live[i] : line->live_registers;
    }
    table->of_end = zeroed((size_t)code->block_count, sizeof *table->of_end);
    for (int i = 0; i < code->block_count; i++)
        table->of_end[i] = index_of(places, table->count, code->blocks[i].file, code->blocks[i].line);
    table->of_part = zeroed((size_t)code->block_line_count, sizeof *table->of_part);
    for (int i = 0; i < code->block_line_count; i++)
        table->of_part[i] = index_of(places, table->count, code->block_lines[i].file, code->block_lines[i].line);
    free(places);
    return table;
}

SimLine *lines_take(LineTable *table)
{
    SimLine *lines = table->lines;
    free(table->of_instruction);
    free(table->of_end);
    free(table->of_part);
    free(table);
    return lines;
}

SimLine *lines_empty(const LineTable *table)
{
    return zeroed((size_t)table->count, sizeof(SimLine));
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A request takes at least one sector, and as many as hold the bytes that its lanes ask for; fewer where lanes ask for
 * the same bytes. */
static uint64_t ideal_sectors(uint64_t requests, uint64_t sectors, uint64_t bytes)
{
    uint64_t filled = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return smaller(sectors, filled > requests ? filled : requests);
}

void lines_note(Worker *worker, int32_t line, const SimCounters *before, uint32_t bytes)
{
    SimLine *to = &worker->lines[line];
    const SimCounters gained = counters_gained(&worker->counters, before);
    uint64_t shared_requests = gained.shared_load_requests + gained.shared_store_requests;
    uint64_t wavefronts = gained.shared_load_wavefronts + gained.shared_store_wavefronts;
    to->ideal_load_sectors += ideal_sectors(gained.global_load_requests, gained.global_load_sectors,
                                            gained.global_load_bytes);
    to->ideal_store_sectors += ideal_sectors(gained.global_store_requests, gained.global_store_sectors,
                                             gained.global_store_bytes);
    to->ideal_shared_wavefronts += smaller(wavefronts, shared_requests * (bytes > BANK_BYTES ? bytes / BANK_BYTES : 1));
    simgpu_counters_add(&to->counters, &gained);
}

void lines_add_worker(LineTable *table, const Worker *worker)
{
    for (int i = 0; i < table->count; i++)
        simgpu_line_add(&table->lines[i], &worker->lines[i]);
}

void lines_add_executed(LineTable *table, const Code *code, const Executed *executed)
{
    for (int i = 0; i < code->block_line_count; i++) {
        const BlockLine *part = &code->block_lines[i];
        const Executed *ran = &executed[part->block];
        SimLine *line = &table->lines[table->of_part[i]];
        line->executions = ran->warps > line->executions ? ran->warps : line->executions;
        line->divisions += ran->lanes * part->divisions;
        line->float_divisions += ran->lanes * part->float_divisions;
        counters_add_executed(&line->counters, part, ran);
    }
}
