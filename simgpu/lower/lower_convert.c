
#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"

#include <stdio.h>
#include <string.h>

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* The source of a conversion in a register of exactly the size of its type; integers of 8 and 16 bits as 32 bits.
 * `widened` is the type in which it then is. */
static Operand conversion_source(Lowering *l, PtxType type, PtxType *widened)
{
    const PtxOperand *operand = operand_at(l, 1);
    uint32_t bytes = ptx_type_bytes(type);
    *widened = type;
    if (operand->kind != PTX_REGISTER && operand->kind != PTX_SPECIAL)
        return source_operand(l, operand, bytes < 4 && !ptx_type_is_float(type) ? 4 : bytes);
    Operand value = operand->kind == PTX_REGISTER ? source_at_least(l, operand, bytes) : source_operand(l, operand, 4);
    if (!ptx_type_is_float(type) && bytes < 4)
        *widened = ptx_type_is_signed(type) ? PTX_S32 : PTX_U32;
    if (bytes_of(value) == ptx_type_bytes(*widened))
        if (*widened == type)
            return value;
    Operand fitted = temporary(l, ptx_type_bytes(*widened));
    emit_extend(l, ptx_type_is_float(type) ? unsigned_type(bytes) : type, fitted, value);
    return fitted;
}

/* From an integer to an integer. Without saturation, the narrower of both types decides which bits are kept. */
static void convert_integer(Lowering *l, PtxType to, PtxType from, bool saturate)
{
    Operand result = result_at_least(l, operand_at(l, 0), ptx_type_bytes(to));
    if (!saturate) {
        const PtxOperand *operand = operand_at(l, 1);
        uint32_t bytes = ptx_type_bytes(from), whole = bytes < 4 ? 4 : bytes;
        PtxType kept = bytes <= ptx_type_bytes(to) ? from : to;
        bool is_register = operand->kind == PTX_REGISTER;
        emit_extend(l, kept, result,
                    is_register ? source_at_least(l, operand, bytes) : source_operand(l, operand, whole));
        return;
    }
    PtxType widened;
    Operand narrow = conversion_source(l, from, &widened);
    Operand wide = temporary(l, 8);
    emit_extend(l, widened, wide, narrow);
    char form[32];
    snprintf(form, sizeof form, "+clamp.%c%u.%s", ptx_type_is_signed(to) ? 's' : 'u', 8 * ptx_type_bytes(to),
             ptx_type_is_signed(from) ? "s64" : "u64");
    if (!(to == PTX_U64 && !ptx_type_is_signed(from)))
        emit_form(l, form, wide, wide, no_operand, no_operand);
    emit_extend(l, to, result, wide);
}

static const char *type_name(PtxType type)
{
    switch (type) {
    case PTX_F16: return "f16";
    case PTX_BF16: return "bf16";
    case PTX_F32: return "f32";
    case PTX_F64: return "f64";
    case PTX_S32: return "s32";
    case PTX_U32:
    case PTX_B32: return "u32";
    case PTX_S64: return "s64";
    default: return "u64";
    }
}

/* From a float to an integer: first clamped to 32 or 64 bits, then clamped again if the type is narrower. */
static void convert_to_integer(Lowering *l, PtxType to, PtxType from, const char *rounding, Operand value)
{
    PtxType wide_type = ptx_type_bytes(to) >= 4 ? to : PTX_S32;
    Operand wide = temporary(l, ptx_type_bytes(wide_type));
    char form[64];
    snprintf(form, sizeof form, "cvt.%s.%s.%s", rounding, type_name(wide_type), type_name(from));
    emit_form(l, form, wide, value, no_operand, no_operand);
    Operand result = result_at_least(l, operand_at(l, 0), ptx_type_bytes(to));
    if (wide_type != to) {
        Operand clamped = temporary(l, 8);
        emit_extend(l, PTX_S32, clamped, wide);
        snprintf(form, sizeof form, "+clamp.%c%u.s64", ptx_type_is_signed(to) ? 's' : 'u', 8 * ptx_type_bytes(to));
        emit_form(l, form, clamped, clamped, no_operand, no_operand);
        wide = clamped;
    }
    emit_extend(l, to, result, wide);
}

static void emit_cvt(Lowering *l, const char *rounding, PtxType to, PtxType from, Operand result, Operand value,
                     int mode)
{
    char form[64];
    snprintf(form, sizeof form, "cvt.%s%s%s.%s", rounding, *rounding ? "." : "", type_name(to), type_name(from));
    Opcode opcode = opcode_find(form);
    if (opcode == OPCODE_NONE)
        lower_refuse(l, "");
    emit_sized(l, opcode, result, &value, 1, mode);
}

/* To float32 or float64, with rounding to a whole number (`whole`) or to the precision of the type (`mode`). */
static void convert_to_float(Lowering *l, PtxType to, PtxType from, const char *whole, int mode, Operand result,
                             Operand value)
{
    if (from == to && *whole == '\0')
        emit_move(l, result, value);
    else
        emit_cvt(l, whole, to, from, result, value, mode);
}

/* To float16 or bfloat16. From float32 to the nearest is one operation. Other roundings and sources go by way of
 * float64, which holds the source exactly or rounded to odd, so that it is not rounded twice. */
static void convert_to_half(Lowering *l, PtxType to, PtxType from, const char *direction, Operand result, Operand value)
{
    char form[32];
    Operand narrow = temporary(l, 2);
    if (from == PTX_F32 && strcmp(direction, "rn") == 0) {
        emit_cvt(l, "", to, from, narrow, value, 0);
    } else {
        Operand wide = value;
        PtxType wide_type = from == PTX_F32 ? PTX_F32 : PTX_F64;
        if (from == PTX_S64 || from == PTX_U64) {
            wide = temporary(l, 8);
            emit_form(l, from == PTX_S64 ? "+odd.f64.s64" : "+odd.f64.u64", wide, value, no_operand, no_operand);
        } else if (from != wide_type) {
            wide = temporary(l, 8);
            emit_cvt(l, "", PTX_F64, from, wide, value, 0);
        }
        snprintf(form, sizeof form, "+narrow.%s.%s.%s", direction, ptx_type_name(to), ptx_type_name(wide_type));
        emit_form(l, form, narrow, wide, no_operand, no_operand);
    }
    emit_move(l, result, narrow);
}

typedef struct Conversion {
    const char *whole;     /* "rni" and the like: rounds to a whole number; "": does not */
    const char *direction; /* of rounding: "rn", "rz", "rm", "rp" */
    const char *clamp;     /* as in emit_clamp() */
    bool flush;            /* .ftz */
} Conversion;

static Conversion conversion_of(Lowering *l, const OpcodeModifiers *parts)
{
    Conversion how = {.whole = "", .direction = "rn"};
    for (int i = 1; i < parts->count - 2; i++) {
        const char *part = parts->part[i];
        if (rounding_of(part) >= 0)
            how.direction = part;
        else if (strlen(part) == 3 && part[0] == 'r' && strchr("nzmp", part[1]) != NULL && part[2] == 'i')
            how.whole = part;
        else if (strcmp(part, "sat") == 0)
            how.clamp = "+saturate";
        else if (strcmp(part, "relu") == 0)
            how.clamp = "+relu";
        else if (strcmp(part, "ftz") == 0)
            how.flush = true;
        else
            lower_refuse(l, "");
    }
    return how;
}

/* A floating-point source as float32 or float64. Widening a half is exact. */
static Operand widened_float(Lowering *l, bool flush, PtxType *type, Operand value)
{
    Operand single = temporary(l, 4);
    if (ptx_type_is_half(*type)) {
        emit_cvt(l, "", PTX_F32, *type, single, value, 0);
        *type = PTX_F32;
        return single;
    }
    if (!flush || *type != PTX_F32)
        return value;
    emit_form(l, "+flush.f32", single, value, no_operand, no_operand);
    return single;
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the high half. */
static void convert_pair(Lowering *l, PtxType to, PtxType from, const Conversion *how)
{
    PtxType half = to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    if (from != PTX_F32 || *how->whole != '\0')
        lower_refuse(l, "");
    Operand result = result_operand(l, operand_at(l, 0), 4), high = temporary(l, 2), low = temporary(l, 2);
    convert_to_half(l, half, from, how->direction, high, source_cut(l, operand_at(l, 1), 4));
    convert_to_half(l, half, from, how->direction, low, source_cut(l, operand_at(l, 2), 4));
    emit_form(l, "+pack.b32", result, low, high, no_operand);
    emit_clamp(l, how->clamp, to, result);
}

/* cvt.rna.tf32.f32 d, a: rna rounds to the nearest, ties away from zero. */
static void convert_to_tf32(Lowering *l, const OpcodeModifiers *parts)
{
    char form[32];
    if (parts->count != 4)
        lower_refuse(l, "");
    snprintf(form, sizeof form, "+tf32.%.8s", parts->part[1]);
    if (opcode_find(form) == OPCODE_NONE)
        lower_refuse(l, "");
    emit_form(l, form, result_operand(l, operand_at(l, 0), 4), source_operand(l, operand_at(l, 1), 4), no_operand,
              no_operand);
    count_class(l, FP32);
}

/* Conversions from or to 64 bits of which one side is a float have the throughput of special functions: CUDA C++ Programming
 * Guide 13.0, Arithmetic Instructions, 16 for 9.0. An H200 takes as long for float64 (2026-11-28; simgpu/calibrate,
 * conversions). */
static OpClass class_of_conversion(PtxType from, PtxType to)
{
    if (!ptx_type_is_float(from) && !ptx_type_is_float(to))
        return INTEGER;
    return ptx_type_bytes(from) == sizeof(uint64_t) || ptx_type_bytes(to) == sizeof(uint64_t) ? SPECIAL : FP32;
}

void lower_cvt(Lowering *l, const OpcodeModifiers *parts)
{
    if (parts_have(parts, "tf32")) {
        convert_to_tf32(l, parts);
        return;
    }
    PtxType to = last_type(l, parts, 1), from = last_type(l, parts, 0), widened;
    const Conversion how = conversion_of(l, parts);
    bool from_float = ptx_type_is_float(from), to_float = ptx_type_is_float(to);
    count_class(l, class_of_conversion(from, to));
    if (ptx_type_is_pair(from) || (how.clamp != NULL && strcmp(how.clamp, "+relu") == 0 && !ptx_type_is_half(to)))
        lower_refuse(l, "");
    if (!from_float && !to_float) {
        convert_integer(l, to, from, how.clamp != NULL);
        return;
    }
    if (ptx_type_is_pair(to)) {
        convert_pair(l, to, from, &how);
        return;
    }
    Operand value = conversion_source(l, from, &widened);
    if (from_float)
        value = widened_float(l, how.flush, &widened, value);
    if (!to_float) {
        convert_to_integer(l, to, widened, *how.whole ? how.whole : "rzi", value);
        return;
    }
    const uint32_t bytes = ptx_type_bytes(to);
    Operand wide = result_at_least(l, operand_at(l, 0), bytes);
    Operand result = bytes_of(wide) == bytes ? wide : temporary(l, bytes);
    if (ptx_type_is_half(to) && *how.whole != '\0') {
        Operand whole = temporary(l, 4);
        emit_cvt(l, how.whole, PTX_F32, widened, whole, value, 0);
        value = whole;
    }
    if (ptx_type_is_half(to))
        convert_to_half(l, to, widened, how.direction, result, value);
    else
        convert_to_float(l, to, widened, how.whole, rounding_of(how.direction), result, value);
    emit_clamp(l, how.clamp, to, result);
    if (how.flush && to == PTX_F32)
        emit_form(l, "+flush.f32", result, result, no_operand, no_operand);
    if (bytes_of(wide) != bytes)
        emit_extend(l, unsigned_type(bytes), wide, result);
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* mov.b64 {low, high}, d: the first element is in the lowest bits. */
static void unpack(Lowering *l, const PtxOperand *vector, const PtxOperand *from, uint32_t bytes)
{
    int count = vector->element_count;
    if (count == 0 || bytes / (uint32_t)count < 2)
        lower_refuse(l, "");
    Operand value = source_operand(l, from, bytes);
    Operand parts[4];
    if (count == 4 && bytes == 8) {
        Operand low = temporary(l, 4), high = temporary(l, 4);
        emit_form(l, "+extend.u32.32.64", low, value, no_operand, no_operand);
        emit_form(l, "+high.b64", high, value, no_operand, no_operand);
        for (int i = 0; i < 4; i++) {
            parts[i] = temporary(l, 2);
            emit_form(l, i % 2 == 0 ? "+extend.u16.16.32" : "+high.b32", parts[i], i < 2 ? low : high, no_operand,
                      no_operand);
        }
    } else if (count == 2) {
        parts[0] = temporary(l, bytes / 2);
        parts[1] = temporary(l, bytes / 2);
        emit_form(l, bytes == 8 ? "+extend.u32.32.64" : "+extend.u16.16.32", parts[0], value, no_operand, no_operand);
        emit_form(l, bytes == 8 ? "+high.b64" : "+high.b32", parts[1], value, no_operand, no_operand);
    } else {
        lower_refuse(l, "");
    }
    for (int i = 0; i < count; i++)
        emit_move(l, result_operand(l, &vector->elements[i], bytes_of(parts[i])), parts[i]);
}

/* mov.b64 d, {low, high} */
static void pack(Lowering *l, const PtxOperand *to, const PtxOperand *vector, uint32_t bytes)
{
    int count = vector->element_count;
    Operand result = result_operand(l, to, bytes);
    if (count == 4 && bytes == 8) {
        Operand half[2] = {temporary(l, 4), temporary(l, 4)};
        for (int i = 0; i < 2; i++)
            emit_form(l, "+pack.b32", half[i], source_operand(l, &vector->elements[2 * i], 2),
                      source_operand(l, &vector->elements[2 * i + 1], 2), no_operand);
        emit_form(l, "+pack.b64", result, half[0], half[1], no_operand);
    } else if (count == 2) {
        uint32_t half = bytes == 2 ? 2 : bytes / 2; /* registers of 8 bits are kept in 16 */
        emit_form(l,
                  bytes == 8   ? "+pack.b64"
                  : bytes == 4 ? "+pack.b32"
                               : "+pack.b16",
                  result, source_operand(l, &vector->elements[0], half), source_operand(l, &vector->elements[1], half),
                  no_operand);
    } else {
        lower_refuse(l, "");
    }
}

void lower_mov(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *to = operand_at(l, 0), *from = operand_at(l, 1);
    PtxType type = last_type(l, parts, 0);
    count_class(l, INTEGER);
    if (type != PTX_PRED && ptx_type_bytes(type) == 1)
        lower_refuse(l, "");
    if (to->kind == PTX_VECTOR) {
        unpack(l, to, from, ptx_type_bytes(type));
    } else if (from->kind == PTX_VECTOR) {
        pack(l, to, from, ptx_type_bytes(type));
    } else {
        Operand result = result_operand(l, to, ptx_type_bytes(type));
        emit_move(l, result, source_operand(l, from, ptx_type_bytes(type)));
    }
}
