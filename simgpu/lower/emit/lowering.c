#include "simgpu/lower/emit/lowering.h"

#include <string.h>

void lower_refuse(Lowering *l, const char *what)
{
    const PtxInstruction *source = l->source;
    const char *file = source != NULL && source->file < l->module->file_count ? l->module->files[source->file] : NULL;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (source == NULL)
        fail(STATUS_UNSUPPORTED, l->why, "the simulated GPU does not implement %s", what);
    else if (file != NULL && source->line > 0)
        fail(STATUS_UNSUPPORTED, l->why, "the simulated GPU does not implement '%.100s'%s%s (%s:%d)", source->opcode,
             *what ? ": " : "", what, slash != NULL ? slash + 1 : file, source->line);
    else
        fail(STATUS_UNSUPPORTED, l->why, "the simulated GPU does not implement '%.100s'%s%s (%s:%d)", source->opcode,
             *what ? ": " : "", what, l->module->name, source->ptx_line);
    longjmp(l->give_up, 1);
}

const PtxOperand *operand_at(Lowering *l, int index)
{
    if (index >= l->source->operand_count)
        lower_refuse(l, "fewer operands than expected");
    return &l->source->operands[index];
}
