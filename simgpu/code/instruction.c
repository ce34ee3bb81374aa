#include "simgpu/code/instruction.h"

#include "simgpu/code/matrix_fragment.h"

static bool may_be_global(const Instruction *i)
{
    return i->space != PTX_SHARED && i->space != PTX_LOCAL;
}

/* Arrays in local memory are registers of which the compiler has only made none yet, and constants are loaded anywhere. */
static bool is_load_in_place(const Instruction *i)
{
    return i->space != PTX_LOCAL && i->space != PTX_PARAM && i->space != PTX_CONST && !i->is_hidden;
}

static bool is_of_warpgroup(const Instruction *i)
{
    return i->matrix != NULL && i->matrix->is_of_warpgroup;
}

bool instruction_takes_work(const Instruction *i)
{
    return i->kind == ATOMIC && i->uses_result && i->detail < ATOMIC_ARRIVE && may_be_global(i) && !i->is_hidden;
}

InstructionFacts instruction_facts(const Instruction *i)
{
    switch ((InstructionKind)i->kind) {
#define INSTRUCTION(KIND, FUNCTION, ...)                                                                               \
    case KIND:                                                                                                         \
        return (InstructionFacts){__VA_ARGS__};
#include "simgpu/code/instructions.def"
#undef INSTRUCTION
    }
    return (InstructionFacts){0};
}
