#include "simgpu/cost/machine_work.h"

_Static_assert(sizeof(MachineWork) % sizeof(double) == 0, "work is numbers of one kind, one after the other");

static bool is_integer_or_comparison(uint32_t operation)
{
    return (operation >= MACHINE_MOV && operation <= MACHINE_VIMNMX3) ||
           (operation >= MACHINE_IADD3 && operation <= MACHINE_PLOP3) || operation == MACHINE_VIADD ||
           (operation >= MACHINE_I2FP && operation <= MACHINE_VIMNMX);
}

MachineWork machine_work_of(const MachineInstruction *instruction)
{
    uint32_t operation = instruction->operation;
    bool multiplies = (operation >= MACHINE_IMAD && operation <= MACHINE_IMAD_HIGH) || operation == MACHINE_HFMA2;
    bool loads_constant = instruction->of_variables && machine_is_access(instruction);
    return (MachineWork){
        .issue = 1,
        .fma = multiplies || machine_is_float(instruction),
        .multiply = multiplies,
        .alu = is_integer_or_comparison(operation),
        .special = operation >= MACHINE_FLO && operation <= MACHINE_POPC,
        .shared = operation == MACHINE_LDS,
        .local = machine_is_local(instruction),
        .local_bytes = machine_is_local(instruction) ? instruction->bytes : 0,
        .constant = loads_constant && operation == MACHINE_LDC,
        .direct = instruction->direct,
        .uniform = loads_constant && operation == MACHINE_ULDC_INDEXED,
        .uniform_misses = instruction->missing,
        .cycles = instruction->cycles,
        .checked_cycles = instruction->checked_cycles,
    };
}

void machine_work_add(MachineWork *sum, const MachineWork *work, double times)
{
    sum->issue += times * work->issue;
    sum->fma += times * work->fma;
    sum->multiply += times * work->multiply;
    sum->alu += times * work->alu;
    sum->special += times * work->special;
    sum->shared += times * work->shared;
    sum->local += times * work->local;
    sum->local_bytes += times * work->local_bytes;
    sum->constant += times * work->constant;
    sum->uniform += times * work->uniform;
    sum->uniform_misses += times * work->uniform_misses;
    sum->direct += times * work->direct;
    sum->cycles += times * work->cycles;
    sum->checked_cycles += times * work->checked_cycles;
}

MachineWork machine_work_larger(const MachineWork *a, const MachineWork *b)
{
    MachineWork larger = *a;
    for (size_t i = 0; i < sizeof larger / sizeof(double); i++)
        if (((const double *)b)[i] > ((const double *)a)[i])
            ((double *)&larger)[i] = ((const double *)b)[i];
    return larger;
}
