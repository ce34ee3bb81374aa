#include "simgpu/code/code.h"

void code_free(Code *code)
{
    arena_free(&code->arena);
    *code = (Code){0};
}

int code_successor(const Code *code, int number, int index)
{
    const BasicBlock *block = &code->blocks[number];
    bool may_fall = block->ends == END_FALL || block->ends == END_BARRIER ||
                    (block->ends != END_INDEXED && block->guard.slot != NO_SLOT);
    if (index == 0)
        return may_fall && number + 1 < code->block_count ? number + 1 : -1;
    if (block->ends == END_BRANCH)
        return index == 1 ? block->target : -2;
    if (block->ends == END_INDEXED)
        return index <= block->target_count ? block->targets[index - 1] : -2;
    return -2;
}
