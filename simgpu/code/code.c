#include "simgpu/code/code.h"

void code_free(Code *code)
{
    arena_free(&code->arena);
    *code = (Code){0};
}

/* May lanes go on to the next basic block? */
static bool may_fall(const BasicBlock *block)
{
    switch ((BlockEnd)block->ends) {
    case END_FALL:
    case END_CALL: /* what the procedure does to registers is undone when it returns */
    case END_CLUSTER:
    case END_BARRIER: return true;
    case END_BRANCH:
    case END_EXIT:
    case END_RETURN:
    case END_TRAP: return block->guard.slot != NO_SLOT;
    case END_INDEXED: return false;
    }
    return false;
}

int code_successor(const Code *code, int number, int index)
{
    const BasicBlock *block = &code->blocks[number];
    if (index == 0)
        return may_fall(block) && number + 1 < code->block_count ? number + 1 : -1;
    switch ((BlockEnd)block->ends) {
    case END_BRANCH: return index == 1 ? block->target : -2;
    case END_INDEXED: return index <= block->target_count ? block->targets[index - 1] : -2;
    case END_FALL:
    case END_EXIT:
    case END_CLUSTER:
    case END_BARRIER:
    case END_CALL:
    case END_RETURN:
    case END_TRAP: return -2;
    }
    return -2;
}
