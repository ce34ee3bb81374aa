/* The types of PTX: their names and sizes.  */
/* clang-format off */
#include "simgpu/ptx/ptx.h"

#include <string.h>

static const struct { const char *name; PtxType type; uint8_t bytes; } type_names[] = {
    {"pred", PTX_PRED, 1}, {"b8", PTX_B8, 1}, {"b16", PTX_B16, 2}, {"b32", PTX_B32, 4}, {"b64", PTX_B64, 8},
    {"u8", PTX_U8, 1}, {"u16", PTX_U16, 2}, {"u32", PTX_U32, 4}, {"u64", PTX_U64, 8},
    {"s8", PTX_S8, 1}, {"s16", PTX_S16, 2}, {"s32", PTX_S32, 4}, {"s64", PTX_S64, 8},
    {"f16", PTX_F16, 2}, {"f32", PTX_F32, 4}, {"f64", PTX_F64, 8},
    {"bf16", PTX_BF16, 2}, {"f16x2", PTX_F16X2, 4}, {"bf16x2", PTX_BF16X2, 4},
    {"b128", PTX_OTHER_TYPE, 16}, {"tf32", PTX_OTHER_TYPE, 4}, {"texref", PTX_OTHER_TYPE, 8},
    {"surfref", PTX_OTHER_TYPE, 8}, {"samplerref", PTX_OTHER_TYPE, 8},
};
enum { TYPE_NAMES = sizeof type_names / sizeof *type_names };

PtxType ptx_type(const char *name, size_t length)
{
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (strlen(type_names[i].name) == length && memcmp(type_names[i].name, name, length) == 0)
            return type_names[i].type;
    return PTX_NO_TYPE;
}

const char *ptx_type_name(PtxType type)
{
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].type == type)
            return type_names[i].name;
    return "";
}

uint32_t ptx_type_bytes(PtxType type)
{
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].type == type)
            return type_names[i].bytes;
    return 0;
}

bool ptx_type_is_signed(PtxType type) { return type >= PTX_S8 && type <= PTX_S64; }
bool ptx_type_is_float(PtxType type) { return type >= PTX_F16 && type <= PTX_F64; }
bool ptx_type_is_half(PtxType type) { return type >= PTX_F16 && type <= PTX_BF16X2; }
bool ptx_type_is_pair(PtxType type) { return type == PTX_F16X2 || type == PTX_BF16X2; }
