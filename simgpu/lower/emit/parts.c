#include "simgpu/lower/emit/parts.h"

#include <fenv.h>
#include <string.h>

OpcodeModifiers parts_of(Lowering *l, const char *opcode)
{
    OpcodeModifiers parts = {0};
    char *copy = arena_string(l->arena, opcode), *rest;
    for (char *part = strtok_r(copy, ".", &rest); part != NULL; part = strtok_r(NULL, ".", &rest)) {
        if (parts.count == MAX_PARTS)
            lower_refuse(l, "");
        parts.part[parts.count++] = part;
    }
    if (parts.count == 0)
        lower_refuse(l, "");
    return parts;
}

bool parts_have(const OpcodeModifiers *parts, const char *name)
{
    for (int i = 1; i < parts->count; i++)
        if (strcmp(parts->part[i], name) == 0)
            return true;
    return false;
}

int rounding_of(const char *part)
{
    static const struct {
        const char *name;
        int mode;
    } modes[] = {
        {"rn", FE_TONEAREST},
        {"rz", FE_TOWARDZERO},
        {"rm", FE_DOWNWARD},
        {"rp", FE_UPWARD},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(part, modes[i].name) == 0)
            return modes[i].mode;
    return -1;
}

PtxType type_part(const char *part)
{
    return ptx_type(part, strlen(part));
}

PtxType last_type(Lowering *l, const OpcodeModifiers *parts, int from_end)
{
    PtxType type = parts->count > from_end ? type_part(parts->part[parts->count - 1 - from_end]) : PTX_NO_TYPE;
    if (type == PTX_NO_TYPE || type == PTX_OTHER_TYPE)
        lower_refuse(l, "");
    return type;
}

bool parts_release(const OpcodeModifiers *parts)
{
    return (parts_have(parts, "release") || parts_have(parts, "acq_rel")) && !parts_have(parts, "cta");
}
