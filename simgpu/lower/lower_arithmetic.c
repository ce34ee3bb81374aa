
#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"

#include <stdio.h>
#include <string.h>

/* The row of opcodes.def for the parts of an opcode; OPCODE_NONE: there is none. A row for .ftz has it before the
 * last type. Where no row has the type, the row for untyped bits of its width is used: selp.b32 for selp.f32. */
static Opcode find_opcode(const OpcodeModifiers *parts, bool flush)
{
    for (int untyped = 0; untyped < 2; untyped++) {
        char form[128];
        int length = snprintf(form, sizeof form, "%s", parts->part[0]);
        for (int i = 1; i < parts->count; i++) {
            PtxType type = type_part(parts->part[i]);
            if (flush && i == parts->count - 1)
                length += snprintf(form + length, sizeof form - (size_t)length, ".ftz");
            if (untyped == 1 && type > PTX_PRED && type < PTX_OTHER_TYPE) {
                length += snprintf(form + length, sizeof form - (size_t)length, ".b%u", 8 * ptx_type_bytes(type));
                untyped = 2; /* only the first type */
            } else {
                length += snprintf(form + length, sizeof form - (size_t)length, ".%s", parts->part[i]);
            }
            if (length >= (int)sizeof form)
                return OPCODE_NONE;
        }
        Opcode opcode = opcode_find(form);
        if (opcode != OPCODE_NONE)
            return opcode;
    }
    return OPCODE_NONE;
}

typedef struct Modifiers {
    int rounding;      /* ROUND_ constant */
    bool flush;        /* .ftz: subnormal numbers become 0 */
    const char *clamp; /* "+saturate" or "+relu"; NULL: neither */
} Modifiers;

/* Removes rounding, .full, .approx, .ftz, .sat and .relu from the parts, which then name a row of opcodes.def. */
static Modifiers take_modifiers(OpcodeModifiers *parts)
{
    Modifiers modifiers = {0};
    PtxType type = type_part(parts->part[parts->count - 1]);
    int kept = 1;
    for (int i = 1; i < parts->count; i++) {
        const char *part = parts->part[i];
        if (rounding_of(part) >= 0)
            modifiers.rounding = rounding_of(part);
        else if (strcmp(part, "ftz") == 0)
            modifiers.flush = true;
        else if (strcmp(part, "sat") == 0 && ptx_type_is_float(type))
            modifiers.clamp = "+saturate";
        else if (strcmp(part, "relu") == 0 && ptx_type_is_half(type))
            modifiers.clamp = "+relu";
        else if (strcmp(part, "full") != 0 && (strcmp(part, "approx") != 0 || strcmp(parts->part[0], "div") == 0))
            parts->part[kept++] = part; /* div.approx has a row of its own */
    }
    parts->count = kept;
    return modifiers;
}

/* Emits a SLOW_PATH for a division, reciprocal or square root of float32 that rounds as IEEE 754 requires. */
static void emit_slow_path(Lowering *l, const OpcodeModifiers *parts, const Operand *sources)
{
    static const char *const names[] = {[SLOW_DIVISION] = "div", [SLOW_RECIPROCAL] = "rcp", [SLOW_ROOT] = "sqrt"};
    if (type_part(parts->part[parts->count - 1]) != PTX_F32 || parts_have(parts, "approx") || parts_have(parts, "full"))
        return;
    for (int kind = SLOW_DIVISION; kind <= SLOW_ROOT; kind++) {
        if (strcmp(parts->part[0], names[kind]) != 0)
            continue;
        Instruction *path = emit(l, SLOW_PATH);
        path->detail = (uint8_t)kind;
        path->sources[0] = sources[0];
        path->sources[1] = kind == SLOW_DIVISION ? sources[1] : no_operand;
    }
}

void lower_arithmetic(Lowering *l, const OpcodeModifiers *all_parts)
{
    OpcodeModifiers parts = *all_parts;
    Modifiers modifiers = take_modifiers(&parts);
    Opcode opcode = find_opcode(&parts, modifiers.flush);
    if (opcode == OPCODE_NONE)
        lower_refuse(l, "");
    const OpcodeInfo *info = opcode_info(opcode);
    Operand sources[4];
    int count = 0;
    const bool may_be_wider = strcmp(parts.part[0], "cvt") == 0; /* cvt.pack */
    for (; count < 4 && info->source_bytes[count] != 0; count++)
        sources[count] = (may_be_wider ? source_cut : source_operand)(l, operand_at(l, count + 1),
                                                                      info->source_bytes[count]);
    Operand result = (may_be_wider ? result_at_least : result_operand)(l, operand_at(l, 0), info->result_bytes);
    emit_slow_path(l, all_parts, sources);
    emit_sized(l, opcode, result, sources, count, modifiers.rounding);
    emit_clamp(l, modifiers.clamp, type_part(parts.part[parts.count - 1]), result);
    count_class(l, info->op_class);
}

/* The boolean operation that combines a comparison with a predicate: "and", "or", "xor"; NULL: none. */
static const char *combination(Lowering *l, const OpcodeModifiers *parts)
{
    const char *combine = NULL;
    for (int i = 2; i < parts->count - 1; i++) {
        const char *part = parts->part[i];
        if (strcmp(part, "and") == 0 || strcmp(part, "or") == 0 || strcmp(part, "xor") == 0)
            combine = part;
        else if (strcmp(part, "ftz") != 0 && type_part(part) == PTX_NO_TYPE)
            lower_refuse(l, "");
    }
    return combine;
}

/* Compares two values of `type` as the second part of the opcode says ("lt": a < b), into a new predicate. */
static Operand emit_comparison(Lowering *l, const OpcodeModifiers *parts, PtxType type, Operand a, Operand b)
{
    const OpcodeModifiers form = {.part = {"setp", parts->part[1], ptx_type_name(type)}, .count = 3};
    Opcode opcode = find_opcode(&form, parts_have(parts, "ftz"));
    if (opcode == OPCODE_NONE)
        lower_refuse(l, "");
    Operand result = temporary(l, 1);
    emit_opcode(l, opcode, result, (const Operand[]){a, b}, 2);
    count_class(l, opcode_info(opcode)->op_class);
    return result;
}

/* Half 0 (low) or 1 (high) of a pair, as a register of 16 bits. */
static Operand half_of(Lowering *l, const PtxOperand *operand, int index)
{
    Operand half = temporary(l, 2);
    emit_form(l, index == 0 ? "+extend.u16.16.32" : "+high.b32", half, source_operand(l, operand, 4), no_operand,
              no_operand);
    return half;
}

/* Compares operands 1 and 2; of pairs, their halves `index`. */
static Operand compare_operands(Lowering *l, const OpcodeModifiers *parts, int index)
{
    PtxType type = last_type(l, parts, 0);
    const PtxOperand *a = operand_at(l, 1), *b = operand_at(l, 2);
    if (ptx_type_is_pair(type))
        return emit_comparison(l, parts, type == PTX_F16X2 ? PTX_F16 : PTX_BF16, half_of(l, a, index),
                               half_of(l, b, index));
    uint32_t bytes = ptx_type_bytes(type);
    Operand first = source_operand(l, a, bytes);
    return emit_comparison(l, parts, type, first, source_operand(l, b, bytes));
}

static void combine_predicates(Lowering *l, const char *combine, Operand result, Operand a, const PtxOperand *c)
{
    char form[16];
    if (combine == NULL) {
        emit_move(l, result, a);
        return;
    }
    snprintf(form, sizeof form, "%s.pred", combine);
    emit_form(l, form, result, a, source_operand(l, c, 1), no_operand);
}

/* setp.lt.and.s32 p|q, a, b, c: p = (a < b) and c, q = !(a < b) and c. Of pairs, p compares the low halves and q the
 * high ones. */
void lower_setp(Lowering *l, const OpcodeModifiers *parts)
{
    if (parts->count < 3)
        lower_refuse(l, "");
    const PtxOperand *results = operand_at(l, 0);
    const char *combine = combination(l, parts);
    Operand holds = compare_operands(l, parts, 0);
    const PtxOperand *c = combine != NULL ? operand_at(l, 3) : NULL;
    if (results->kind != PTX_PAIR && combine == NULL) { /* the usual case: the comparison writes the register itself */
        l->code->instructions[l->code->instruction_count - 1].results[0] = result_operand(l, results, 1);
        return;
    }
    if (results->kind != PTX_PAIR) {
        combine_predicates(l, combine, result_operand(l, results, 1), holds, c);
        return;
    }
    Operand other, p = temporary(l, 1), q = temporary(l, 1);
    if (ptx_type_is_pair(last_type(l, parts, 0))) {
        other = compare_operands(l, parts, 1);
    } else {
        other = temporary(l, 1);
        emit_form(l, "not.pred", other, holds, no_operand, no_operand);
    }
    combine_predicates(l, combine, p, holds, c); /* c may be p or q, so both are written at the end */
    combine_predicates(l, combine, q, other, c);
    emit_move(l, result_operand(l, &results->elements[0], 1), p);
    emit_move(l, result_operand(l, &results->elements[1], 1), q);
}

/* What set writes for true: 1.0 in a floating-point type, all bits set in an integer type. */
static uint64_t truth_of(PtxType type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: return 0x3C00;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3F80;
    case PTX_F32: return 0x3F800000;
    default: return ~0ull;
    }
}

static void emit_set(Lowering *l, const OpcodeModifiers *parts, int index, Operand result)
{
    const char *combine = combination(l, parts);
    Operand holds = compare_operands(l, parts, index);
    uint32_t bytes = bytes_of(result);
    if (combine != NULL)
        combine_predicates(l, combine, holds, holds, operand_at(l, 3));
    emit_form(l, bytes == 2 ? "selp.b16" : "selp.b32", result, constant(l, truth_of(last_type(l, parts, 1)), bytes),
              constant(l, 0, bytes), holds);
}

/* set.lt.and.f32.s32 d, a, b {, c}. Of pairs, each half of d is the result for that half of a and b. */
void lower_set(Lowering *l, const OpcodeModifiers *parts)
{
    uint32_t bytes = ptx_type_bytes(last_type(l, parts, 1));
    if (bytes != 2 && bytes != 4)
        lower_refuse(l, "");
    Operand result = result_operand(l, operand_at(l, 0), bytes);
    if (!ptx_type_is_pair(last_type(l, parts, 0))) {
        emit_set(l, parts, 0, result);
        return;
    }
    Operand low = temporary(l, 2), high = temporary(l, 2);
    if (bytes != 4)
        lower_refuse(l, "");
    emit_set(l, parts, 0, low);
    emit_set(l, parts, 1, high);
    emit_form(l, "+pack.b32", result, low, high, no_operand);
}

/* add.cc.u32, addc.u32, subc.cc.u64, madc.hi.cc.u32 and the like. mad is emitted as a product and then a sum. */
void lower_carry(Lowering *l, const OpcodeModifiers *parts)
{
    const char *name = parts->part[0];
    uint32_t bytes = ptx_type_bytes(last_type(l, parts, 0));
    bool takes_carry = name[strlen(name) - 1] == 'c', gives_carry = parts_have(parts, "cc"), subtracts = name[0] == 's';
    if (bytes < 4)
        lower_refuse(l, "");
    if (l->carry.slot == NO_SLOT)
        l->carry = temporary(l, 4);
    Operand a = source_operand(l, operand_at(l, 1), bytes), b = source_operand(l, operand_at(l, 2), bytes);
    if (name[0] == 'm') {
        char form[32];
        snprintf(form, sizeof form, "mul.%s.%s", parts_have(parts, "hi") ? "hi" : "lo", parts->part[parts->count - 1]);
        Operand product = temporary(l, bytes);
        emit_form(l, form, product, a, b, no_operand);
        a = product;
        b = source_operand(l, operand_at(l, 3), bytes);
    }
    Operand in = takes_carry ? l->carry : constant(l, 0, 4), sum = temporary(l, bytes);
    char bits[3] = {bytes == 8 ? '6' : '3', bytes == 8 ? '4' : '2'}, form[16];
    snprintf(form, sizeof form, subtracts ? "+subc.%s" : "+addc.%s", bits);
    emit_form(l, form, sum, a, b, in);
    snprintf(form, sizeof form, subtracts ? "+borrow.%s" : "+carry.%s", bits);
    if (gives_carry)
        emit_form(l, form, l->carry, a, b, in);
    emit_move(l, result_operand(l, operand_at(l, 0), bytes), sum);
    count_class(l, INTEGER);
}

bool has_carry(const OpcodeModifiers *parts)
{
    const char *name = parts->part[0];
    return strcmp(name, "addc") == 0 || strcmp(name, "subc") == 0 || strcmp(name, "madc") == 0 ||
           parts_have(parts, "cc");
}
