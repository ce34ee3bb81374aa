#include "tools/hardware/counts.h"

#include "base/arena.h"
#include "simgpu/cost/machine_program.h"
#include "simgpu/engine/interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Record { /* then executed[block_count] and loads[load_count] */
    uint32_t bytes;     /* of this struct: it changes with the counters */
    char kernel[64];    /* the start of its mangled name */
    uint32_t block_count, load_count;
    LaunchShape shape;
    SimCounters counters;
    BlockShares block_shares;
    uint64_t
        longest[4]; /* the fields of CostInput that begin with longest_warp: instructions, loads, shared, constant */
} Record;

static uint64_t *executed;
static LoadShare *loads;
static uint32_t block_count, load_count;
static Cost last_cost;

static void die(const char *what)
{
    fprintf(stderr, "counts: %s\n", what);
    exit(1);
}

const Cost *counts_last_cost(void)
{
    return &last_cost;
}

/* ---- taking notes ------------------------------------------------------------------------------------------------ */

void __real_machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                              const LoadShare *shares, LoadShare local);
void __real_machine_total(const MachineProgram *program, const Code *code, const uint64_t *warps, MachineWork *sum);
Cost __real_cost_model(const CostInput *input);
void __wrap_machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                              const LoadShare *shares, LoadShare local);
void __wrap_machine_total(const MachineProgram *program, const Code *code, const uint64_t *warps, MachineWork *sum);
Cost __wrap_cost_model(const CostInput *input);

static FILE *opened(const char *variable, const char *mode)
{
    const char *path = getenv(variable);
    FILE *file = path == NULL ? NULL : fopen(path, mode);
    if (path != NULL && file == NULL)
        die(path);
    return file;
}

void __wrap_machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                              const LoadShare *shares, LoadShare local)
{
    load_count = shares == NULL ? 0 : (uint32_t)code->memory_count;
    loads = allocated(realloc(loads, (load_count + 1) * sizeof *loads));
    if (shares != NULL)
        memcpy(loads, shares, load_count * sizeof *loads);
    __real_machine_code_wait(program, code, profile, shares, local);
}

void __wrap_machine_total(const MachineProgram *program, const Code *code, const uint64_t *warps, MachineWork *sum)
{
    block_count = (uint32_t)code->block_count;
    executed = allocated(realloc(executed, (block_count + 1) * sizeof *executed));
    memcpy(executed, warps, block_count * sizeof *executed);
    __real_machine_total(program, code, warps, sum);
}

static void write_record(FILE *file, const CostInput *input)
{
    Record record = {.bytes = sizeof record,
                     .block_count = block_count,
                     .load_count = load_count,
                     .shape = input->shape,
                     .counters = *input->counters,
                     .block_shares = input->block_shares,
                     .longest = {input->longest_warp_instructions, input->longest_warp_loads,
                                 input->longest_warp_shared, input->longest_warp_constant}};
    memcpy(record.kernel, input->function->name, sizeof record.kernel - 1);
    if (fwrite(&record, sizeof record, 1, file) != 1 ||
        fwrite(executed, sizeof *executed, block_count, file) != block_count ||
        fwrite(loads, sizeof *loads, load_count, file) != load_count || fflush(file) != 0)
        die("the file cannot be written");
}

Cost __wrap_cost_model(const CostInput *input)
{
    static FILE *file;
    if (file == NULL && !counts_are_replayed())
        file = opened("CONVJUDGE_COUNTS", "ab");
    if (file != NULL)
        write_record(file, input);
    block_count = load_count = 0;
    last_cost = __real_cost_model(input);
    return last_cost;
}

/* ---- replaying --------------------------------------------------------------------------------------------------- */

bool counts_are_replayed(void)
{
    return getenv("CONVJUDGE_REPLAY") != NULL;
}

static Record next_record(const SimFunction *function)
{
    static FILE *file;
    static Record record;
    if (file == NULL)
        file = opened("CONVJUDGE_REPLAY", "rb");
    if (fread(&record, sizeof record, 1, file) != 1)
        die("there are more launches than records");
    if (record.bytes != sizeof record || strncmp(record.kernel, function->info.name, sizeof record.kernel - 1) != 0)
        die("the records are of other kernels, or of another simulator");
    block_count = record.block_count;
    load_count = record.load_count;
    executed = allocated(realloc(executed, (block_count + 1) * sizeof *executed));
    loads = allocated(realloc(loads, (load_count + 1) * sizeof *loads));
    if (fread(executed, sizeof *executed, block_count, file) != block_count ||
        fread(loads, sizeof *loads, load_count, file) != load_count)
        die("the last record is incomplete");
    if (block_count > 0 && block_count != (uint32_t)function->code.block_count)
        die("the records are of kernels that were compiled anew");
    return record;
}

void counts_replay(const HardwareProfile *profile, SimFunction *function, const LaunchShape *shape, SimReport *report)
{
    const Record record = next_record(function);
    *report = (SimReport){.outcome = SIM_OK, .counters = record.counters};
    CostInput input = {.profile = profile,
                       .function = &function->info,
                       .shape = *shape,
                       .counters = &record.counters,
                       .block_shares = record.block_shares,
                       .longest_warp_instructions = record.longest[0],
                       .longest_warp_loads = record.longest[1],
                       .longest_warp_shared = record.longest[2],
                       .longest_warp_constant = record.longest[3]};
    MachineWork work;
    if (function->machine_known && block_count > 0) {
        __real_machine_code_wait(&function->machine, &function->code, profile, load_count > 0 ? loads : NULL,
                                 cost_local_share(&input));
        __real_machine_total(&function->machine, &function->code, executed, &work);
        slow_path_add(&work, record.counters.slow_path_instructions);
        input.machine = cost_machine_ratios(&input, &work, function->machine.direct_bytes);
    }
    const Cost cost = __wrap_cost_model(&input);
    report->machine = input.machine;
    report->modelled_s = cost.seconds;
    report->occupancy = cost.occupancy;
    report->limiter = cost.limiter;
}
