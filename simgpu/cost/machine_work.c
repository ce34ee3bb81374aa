#include "simgpu/cost/machine_work.h"

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
    bool is_float = operation == MACHINE_FMUL || operation == MACHINE_FADD || operation == MACHINE_FFMA;
    bool loads_constant = instruction->of_variables && machine_is_access(instruction);
    return (MachineWork){
        .issue = 1,
        .fma = multiplies || is_float,
        .multiply = multiplies,
        .alu = is_integer_or_comparison(operation),
        .special = operation >= MACHINE_FLO && operation <= MACHINE_POPC,
        .shared = operation == MACHINE_LDS,
        .constant = loads_constant && operation == MACHINE_LDC,
        .direct = instruction->direct,
        .uniform = loads_constant && operation == MACHINE_ULDC_INDEXED,
        .cycles = instruction->cycles,
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
    sum->constant += times * work->constant;
    sum->uniform += times * work->uniform;
    sum->direct += times * work->direct;
    sum->cycles += times * work->cycles;
}
