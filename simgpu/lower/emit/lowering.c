#include "simgpu/lower/emit/lowering.h"

#include <stdio.h>
#include <string.h>

__attribute__((noreturn)) static void give_up(Lowering *l, Status status, const char *says, const char *what)
{
    const PtxInstruction *source = l->source;
    const char *file = source != NULL && source->file < l->module->file_count ? l->module->files[source->file] : NULL;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (source == NULL)
        l->refusal = fail(status, l->why, "%s %s", says, what);
    else if (file != NULL && source->line > 0)
        l->refusal = fail(status, l->why, "%s '%.100s'%s%s (%s:%d)", says, source->opcode, *what ? ": " : "", what,
                          slash != NULL ? slash + 1 : file, source->line);
    else
        l->refusal = fail(status, l->why, "%s '%.100s'%s%s (%s:%d)", says, source->opcode, *what ? ": " : "", what,
                          l->module->name, source->ptx_line);
    longjmp(l->give_up, 1);
}

void lower_refuse(Lowering *l, const char *what)
{
    give_up(l, STATUS_UNSUPPORTED, "the simulated GPU does not implement", what);
}

/* ---- operands that PTX does not allow ---------------------------------------------------------------------------- */

void lower_reject(Lowering *l, const char *what)
{
    give_up(l, STATUS_BAD_INPUT, "this is not PTX:", what);
}

/* "operand 2", "element 1 of operand 2"; numbers begin with 1. */
static void name_operand(const PtxInstruction *source, const PtxOperand *operand, char *name, size_t size)
{
    snprintf(name, size, "an operand");
    for (int i = 0; i < source->operand_count; i++) {
        if (operand == &source->operands[i])
            snprintf(name, size, "operand %d", i + 1);
        for (int j = 0; j < source->operands[i].element_count; j++)
            if (operand == &source->operands[i].elements[j])
                snprintf(name, size, "element %d of operand %d", j + 1, i + 1);
    }
}

static void describe_register(const Lowering *l, int number, char *text, size_t size)
{
    const PtxType type = l->instance->function->register_types[number];
    if (type == PTX_PRED)
        snprintf(text, size, "a predicate");
    else
        snprintf(text, size, "a register of %u bits", 8 * ptx_type_bytes(type));
}

static void describe_operand(const Lowering *l, const PtxOperand *operand, char *text, size_t size)
{
    static const char *const kinds[] = {[PTX_SPECIAL] = "a special register",
                                        [PTX_IMMEDIATE] = "a constant",
                                        [PTX_ADDRESS] = "an address",
                                        [PTX_VARIABLE] = "a variable",
                                        [PTX_LABEL] = "a label",
                                        [PTX_FUNCTION] = "a function",
                                        [PTX_VECTOR] = "a vector",
                                        [PTX_PAIR] = "a pair",
                                        [PTX_LIST] = "a list",
                                        [PTX_SINK] = "'_'"};
    char what[40];
    if (operand->kind == PTX_REGISTER)
        describe_register(l, operand->register_index, what, sizeof what);
    else if (operand->kind == PTX_ADDRESS && operand->register_index >= 0)
        describe_register(l, operand->register_index, what, sizeof what);
    else
        snprintf(what, sizeof what, "%s", kinds[operand->kind]);
    snprintf(text, size, "%s%s%s", operand->kind == PTX_ADDRESS && operand->register_index >= 0 ? "an address in " : "",
             operand->negated ? "'!' in front of " : "", what);
}

void lower_reject_operand(Lowering *l, const PtxOperand *operand, const char *expected)
{
    char name[40], found[80], what[200];
    name_operand(l->source, operand, name, sizeof name);
    describe_operand(l, operand, found, sizeof found);
    snprintf(what, sizeof what, "%s is %s, expected %.60s", name, found, expected);
    lower_reject(l, what);
}

/* ---- which operands an instruction has --------------------------------------------------------------------------- */

const PtxOperand *operand_at(Lowering *l, int index)
{
    if (index < 0 || index >= l->source->operand_count)
        lower_reject(l, "fewer operands than expected");
    take_operand(l, index);
    return &l->source->operands[index];
}

void take_operand(Lowering *l, long index)
{
    l->taken |= 1u << index;
}

void check_all_taken(Lowering *l)
{
    if (l->taken != (1u << l->source->operand_count) - 1)
        lower_reject(l, "more operands than expected");
}
