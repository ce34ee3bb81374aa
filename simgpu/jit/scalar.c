/* Scalars are registers that hold base + x * a + y * b + z * c in thread (x, y, z).
 *
 * A number of 32 bits is kept modulo 2^32, as in the PTX: the value in thread 0 unsigned, the steps signed. Where it
 * is widened or compared, what it stands for in each lane must be known; so its least and its greatest value are
 * required to be within the range of the type.  */

#include "simgpu/jit/builder.h"
#include "simgpu/jit/text.h"

#include <string.h>

static bool same_atom(Atom a, Atom b)
{
    return a.is_literal == b.is_literal && (a.is_literal ? a.number == b.number : a.variable == b.variable);
}

static Atom cut_text(Builder *b, uint8_t size, int part, const char *text)
{
    switch (size) {
    case 2: return new_atom(b, part == 0 ? "(u32)(%s)" : "(u64)(s64)(s32)(%s)", text);
    case 1: return new_atom(b, "(u16)(%s)", text);
    case 0: return new_atom(b, "(u8)(%s)", text);
    default: return new_atom(b, "%s", text);
    }
}

static Atom add(Builder *b, Atom x, Atom y, uint8_t size, int part)
{
    if (x.is_literal && y.is_literal)
        return atom_literal(cut_part(x.number + y.number, size, part));
    if (is_number(x, 0) || is_number(y, 0))
        return is_number(x, 0) ? y : x;
    return cut_text(b, size, part, arena_printf(&b->scratch, "%s + %s", atom_text(b, x), atom_text(b, y)));
}

static Atom subtract(Builder *b, Atom x, Atom y, uint8_t size, int part)
{
    if (x.is_literal && y.is_literal)
        return atom_literal(cut_part(x.number - y.number, size, part));
    if (is_number(y, 0))
        return x;
    return cut_text(b, size, part, arena_printf(&b->scratch, "%s - %s", atom_text(b, x), atom_text(b, y)));
}

static Atom multiply(Builder *b, Atom x, Atom y, uint8_t size, int part)
{
    if (x.is_literal && y.is_literal)
        return atom_literal(cut_part(x.number * y.number, size, part));
    if (is_number(x, 0) || is_number(y, 0))
        return atom_literal(0);
    if (is_number(x, 1) || is_number(y, 1)) {
        Atom kept = is_number(x, 1) ? y : x;
        return part == 0 || size == 3 ? kept : cut_text(b, size, part, atom_text(b, kept));
    }
    return cut_text(b, size, part, arena_printf(&b->scratch, "%s * %s", atom_text(b, x), atom_text(b, y)));
}

/* Can both be part of one scalar? A scalar has at most one irregular axis. */
static bool share_axis(const Value *x, const Value *y)
{
    return !is_irregular(x) || !is_irregular(y) || x->axis == y->axis;
}

typedef Atom Combine(Builder *b, Atom x, Atom y, uint8_t size, int part);

static bool combine(Builder *b, Combine *how, const Value *x, const Value *y, uint8_t size, Value *result)
{
    if (!share_axis(x, y))
        return false;
    Value sum = scalar_literal(0, size);
    sum.axis = is_irregular(x) ? x->axis : y->axis;
    for (int i = 0; i < PARTS; i++)
        sum.part[i] = how(b, x->part[i], y->part[i], size, i);
    *result = sum;
    return true;
}

static Value scaled(Builder *b, const Value *value, Atom factor, uint8_t size)
{
    Value result = scalar_literal(0, size);
    result.axis = value->axis;
    for (int i = 0; i < PARTS; i++)
        result.part[i] = multiply(b, value->part[i], factor, size, i);
    return result;
}

/* The sum over the axes of the least or the greatest distance that the steps give ("least", "most"). */
static const char *over_axes(Builder *b, const Value *value, const char *which)
{
    char *sum = arena_string(&b->scratch, "(s64)0");
    for (int i = 1; i <= AXES; i++)
        if (!is_number(value->part[i], 0))
            sum = arena_printf(&b->scratch, "%s + %s_along((s64)%s, %c0, %c1)", sum, which,
                               atom_text(b, value->part[i]), 'w' + i, 'w' + i);
    if (is_irregular(value))
        sum = arena_printf(&b->scratch, "%s + %s_on((s64)%s, &axes[%d])", sum, which,
                           atom_text(b, value->part[PARTS - 1]), value->axis);
    return sum;
}

/* The difference between thread 0 and the first thread of the box, which has place 0 on every irregular axis. */
static const char *shift_of(Builder *b, const Value *value)
{
    char *sum = arena_string(&b->scratch, "(s64)0");
    for (int i = 1; i <= AXES; i++)
        if (!is_number(value->part[i], 0))
            sum = arena_printf(&b->scratch, "%s + (s64)%s * %c0", sum, atom_text(b, value->part[i]), 'w' + i);
    return sum;
}

/* The number that a scalar stands for in thread 0, as 64 bits. Requires that no lane overflows the type. */
static Atom number_of(Builder *b, const Value *value, bool is_signed)
{
    Atom number = value->part[0];
    bool is_wide = value->size == 3;
    if (is_same_for_all(value)) {
        if (is_wide || !is_signed)
            return number;
        return number.is_literal ? atom_literal((uint64_t)(int64_t)(int32_t)number.number)
                                 : new_atom(b, "(u64)(s64)(s32)%s", atom_text(b, number));
    }
    if (!is_wide)
        number = new_atom(b, "(u64)as_%s(%s, %s)", is_signed ? "s32" : "u32", atom_text(b, number), shift_of(b, value));
    Atom least = new_atom(b, "%s + (u64)(%s)", atom_text(b, number), over_axes(b, value, "least"));
    Atom most = new_atom(b, "%s + (u64)(%s)", atom_text(b, number), over_axes(b, value, "most"));
    if (!is_wide)
        require(b,
                is_signed ? "((s64)%s >= INT32_MIN) & ((s64)%s <= INT32_MAX)"
                          : "((s64)%s >= 0) & ((s64)%s <= UINT32_MAX)",
                atom_text(b, least), atom_text(b, most));
    for (int i = 0; i < PARTS && is_wide; i++)
        require(b, "is_moderate(%s)", atom_text(b, value->part[i]));
    if (is_wide && !is_signed)
        require(b, "(s64)%s >= 0", atom_text(b, least));
    return number;
}

/* From 32 to 64 bits. */
static Value widened(Builder *b, const Value *value, bool is_signed)
{
    Value result = *value;
    result.size = 3;
    result.part[0] = number_of(b, value, is_signed);
    return result;
}

static Value shortened(Builder *b, const Value *value)
{
    Value result = scalar_literal(0, 2);
    result.axis = value->axis;
    for (int i = 0; i < PARTS; i++)
        result.part[i] = value->part[i].is_literal ? atom_literal(cut_part(value->part[i].number, 2, i))
                                                   : cut_text(b, 2, i, atom_text(b, value->part[i]));
    return result;
}

/* False where neither factor is the same for all lanes. */
static bool product(Builder *b, const Value *x, const Value *y, uint8_t size, Value *result)
{
    if (!is_same_for_all(x) && !is_same_for_all(y))
        return false;
    *result = is_same_for_all(y) ? scaled(b, x, y->part[0], size) : scaled(b, y, x->part[0], size);
    return true;
}

static bool wide_product(Builder *b, const Value *x, const Value *y, bool is_signed, Value *result)
{
    if (!is_same_for_all(x) && !is_same_for_all(y))
        return false;
    Value wide_x = widened(b, x, is_signed), wide_y = widened(b, y, is_signed);
    return product(b, &wide_x, &wide_y, 3, result);
}

static bool shifted(Builder *b, const Value *value, const Value *count, Value *result)
{
    Atom by = count->part[0];
    if (!is_same_for_all(count) || !by.is_literal || by.number >= 8ull << value->size)
        return false;
    *result = scaled(b, value, atom_literal(1ull << by.number), value->size);
    return true;
}

typedef struct ScalarComparison {
    char name[3];
    bool is_signed;
} ScalarComparison;

/* setp.<how>.<type> of 32 or 64 bits; false for any other form. */
static bool comparison_of(const char *form, ScalarComparison *comparison)
{
    static const char *const rows[][2] = {
        {"lt", "lt"}, {"le", "le"}, {"gt", "gt"}, {"ge", "ge"}, {"lo", "lt"},
        {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}, {"eq", "eq"}, {"ne", "ne"},
    };
    if (strncmp(form, "setp.", 5) != 0 || strlen(form) != 11 || strchr("sub", form[8]) == NULL ||
        (strcmp(form + 9, "32") != 0 && strcmp(form + 9, "64") != 0))
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(form + 5, rows[i][0], 2) == 0) {
            *comparison = (ScalarComparison){.is_signed = form[8] == 's'};
            memcpy(comparison->name, rows[i][1], 3);
            return true;
        }
    return false;
}

/* The least and the greatest of x - y. Equal steps cancel out. */
static void difference(Builder *b, const Value *x, const Value *y, bool is_signed, Atom *least, Atom *most)
{
    Value wide_x = widened(b, x, is_signed), wide_y = widened(b, y, is_signed), distance;
    combine(b, subtract, &wide_x, &wide_y, 3, &distance);
    *least = new_atom(b, "%s + (u64)(%s)", atom_text(b, distance.part[0]), over_axes(b, &distance, "least"));
    *most = new_atom(b, "%s + (u64)(%s)", atom_text(b, distance.part[0]), over_axes(b, &distance, "most"));
}

/* A comparison, guessed to have the same result in all lanes. */
static bool compared(Builder *b, const char *form, const Value *x, const Value *y, Value *result)
{
    ScalarComparison comparison;
    Atom least, most;
    if (!comparison_of(form, &comparison) || !share_axis(x, y))
        return false;
    if (x->size == 3 && is_same_for_all(x))
        require(b, "is_moderate(%s)", atom_text(b, x->part[0]));
    if (x->size == 3 && is_same_for_all(y))
        require(b, "is_moderate(%s)", atom_text(b, y->part[0]));
    if (x->size == 3 && !comparison.is_signed)
        require(b, "((s64)%s >= 0) & ((s64)%s >= 0)", atom_text(b, x->part[0]), atom_text(b, y->part[0]));
    difference(b, x, y, comparison.is_signed, &least, &most);
    *result = scalar_literal(0, 0);
    result->part[0] = new_atom(b, "is_%s((s64)%s)", comparison.name, atom_text(b, least));
    require(b, "all_%s((s64)%s, (s64)%s)", comparison.name, atom_text(b, least), atom_text(b, most));
    return true;
}

static bool falls(const Value *value)
{
    for (int i = 1; i < PARTS; i++)
        if (value->part[i].is_literal && (int64_t)value->part[i].number < 0)
            return true;
    return false;
}

/* min or max, guessed to be the same operand in all lanes. Kernels use it to keep an index within an array; most blocks
 * are not at a border, where the index itself, which grows with that of the thread, is the result. But an operand that
 * falls with the index of the thread is the distance to a border, as in max(-radius, -row); then the other one is. */
static bool limited(Builder *b, const char *form, const Value *x, const Value *y, Value *result)
{
    bool is_min = strncmp(form, "min.", 4) == 0;
    Atom least, most;
    if ((!is_min && strncmp(form, "max.", 4) != 0) || strchr("su", form[4]) == NULL || strcmp(form + 5, "32") != 0 ||
        !share_axis(x, y))
        return false;
    bool takes_x = is_same_for_all(x) ? falls(y) : !falls(x);
    difference(b, x, y, form[4] == 's', &least, &most);
    if (is_min == takes_x)
        require(b, "(s64)%s <= 0", atom_text(b, most));
    else
        require(b, "(s64)%s >= 0", atom_text(b, least));
    *result = takes_x ? *x : *y;
    return true;
}

static bool selected(Builder *b, const Value sources[4], Value *result)
{
    if (!is_same_for_all(&sources[2]) || !share_axis(&sources[0], &sources[1]))
        return false;
    *result = scalar_literal(0, sources[0].size);
    result->axis = is_irregular(&sources[0]) ? sources[0].axis : sources[1].axis;
    for (int i = 0; i < PARTS; i++) {
        Atom x = sources[0].part[i], y = sources[1].part[i];
        result->part[i] = same_atom(x, y) ? x
                                          : new_atom(b, "%s ? %s : %s", atom_text(b, sources[2].part[0]),
                                                     atom_text(b, x), atom_text(b, y));
    }
    return true;
}

/* Operations whose result has the form base + x * a + y * b + z * c again. */
static bool linear(Builder *b, Opcode opcode, const Value s[4], Value *result)
{
    Value zero = scalar_literal(0, s[0].size), ones = scalar_literal(~0ull, s[0].size);
    switch (opcode) {
    case OP_mov_b16:
    case OP_mov_b32:
    case OP_mov_b64:
    case OP_mov_pred: *result = s[0]; return true;
    case OP_add_u32:
    case OP_add_s32:
    case OP_add_u64:
    case OP_add_s64: return combine(b, add, &s[0], &s[1], s[0].size, result);
    case OP_sub_u32:
    case OP_sub_s32:
    case OP_sub_u64:
    case OP_sub_s64: return combine(b, subtract, &s[0], &s[1], s[0].size, result);
    case OP_neg_s32:
    case OP_neg_s64: return combine(b, subtract, &zero, &s[0], s[0].size, result);
    case OP_not_b32:
    case OP_not_b64: /* -1 - a */ return combine(b, subtract, &ones, &s[0], s[0].size, result);
    case OP_mul_lo_u32:
    case OP_mul_lo_s32:
    case OP_mul_lo_u64:
    case OP_mul_lo_s64: return product(b, &s[0], &s[1], s[0].size, result);
    case OP_mad_lo_u32:
    case OP_mad_lo_s32:
    case OP_mad_lo_u64:
    case OP_mad_lo_s64:
        return product(b, &s[0], &s[1], s[0].size, result) && combine(b, add, result, &s[2], s[0].size, result);
    case OP_mul_wide_s32:
    case OP_mul_wide_u32: return wide_product(b, &s[0], &s[1], opcode == OP_mul_wide_s32, result);
    case OP_mad_wide_s32:
    case OP_mad_wide_u32:
        return wide_product(b, &s[0], &s[1], opcode == OP_mad_wide_s32, result) &&
               combine(b, add, result, &s[2], 3, result);
    case OP_shl_b32:
    case OP_shl_b64: return shifted(b, &s[0], &s[1], result);
    case OP_extend_s32_64_32:
    case OP_extend_u32_64_32: *result = widened(b, &s[0], opcode == OP_extend_s32_64_32); return true;
    case OP_extend_s32_32_64:
    case OP_extend_u32_32_64: *result = shortened(b, &s[0]); return true;
    default: return false;
    }
}

/* The source by which a linear opcode multiplies source j, and which must be the same for all lanes; -1: none; -2: the
 * opcode is not linear. */
static int factor_of(Opcode opcode, int j)
{
    switch (opcode) {
    case OP_add_u32:
    case OP_add_s32:
    case OP_add_u64:
    case OP_add_s64:
    case OP_sub_u32:
    case OP_sub_s32:
    case OP_sub_u64:
    case OP_sub_s64:
    case OP_neg_s32:
    case OP_neg_s64:
    case OP_not_b32:
    case OP_not_b64:
    case OP_extend_s32_64_32:
    case OP_extend_u32_64_32:
    case OP_extend_s32_32_64:
    case OP_extend_u32_32_64: return -1;
    case OP_mul_lo_u32:
    case OP_mul_lo_s32:
    case OP_mul_lo_u64:
    case OP_mul_lo_s64:
    case OP_mul_wide_s32:
    case OP_mul_wide_u32:
    case OP_mad_wide_s32:
    case OP_mad_wide_u32:
    case OP_mad_lo_u32:
    case OP_mad_lo_s32:
    case OP_mad_lo_u64:
    case OP_mad_lo_s64: return j == 2 ? -1 : 1 - j;
    case OP_shl_b32:
    case OP_shl_b64: return 1;
    default: return -2;
    }
}

bool wants_axis(Builder *b, const Instruction *instruction, const Value sources[4], int *source)
{
    int found = -1;
    Operand result = instruction->results[0];
    if (result.slot == NO_SLOT || !b->is_address[result.slot] || factor_of((Opcode)instruction->opcode, 0) == -2)
        return false;
    for (int i = 0; i < 4; i++) {
        bool is_one = instruction->sources[i].slot != NO_SLOT && sources[i].is_varying;
        if ((is_one && (found >= 0 || sources[i].size < 2)) || is_irregular(&sources[i]))
            return false;
        found = is_one ? i : found;
    }
    int factor = found < 0 ? -2 : factor_of((Opcode)instruction->opcode, found);
    *source = found;
    return factor == -1 || (factor >= 0 && factor != found && is_same_for_all(&sources[factor]));
}

bool scalar_opcode(Builder *b, const Instruction *instruction, const Value sources[4], Value *result)
{
    Opcode opcode = (Opcode)instruction->opcode;
    const char *form = opcode_info(opcode)->form;
    bool all_same = true;
    for (int i = 0; i < 4; i++) {
        if (sources[i].is_varying)
            return false;
        all_same &= is_same_for_all(&sources[i]);
    }
    if (linear(b, opcode, sources, result))
        return true;
    if (!all_same)
        return strncmp(form, "selp.", 5) == 0 ? selected(b, sources, result)
                                              : compared(b, form, &sources[0], &sources[1], result) ||
                                                    limited(b, form, &sources[0], &sources[1], result);
    if (!opcode_is_plain(opcode, false))
        return false;
    const char *arguments[4];
    for (int i = 0; i < 4; i++)
        arguments[i] = atom_text(b, sources[i].part[0]);
    *result = scalar_literal(0, instruction->results[0].size);
    result->part[0] = new_atom(b, "%s", call_text(b, opcode, arguments));
    return true;
}
