/* recorded_rows.h - which single instructions are recorded on a GPU and replayed on the simulated one, and on what.
 *
 * Shapes   each form runs RECORDED_CASES times, as launches of RECORDED_LANES threads of an opcode_kernel.h kernel.
 * Values   operand k of case i is recorded_operand(): an edge of its type, or random bits. Only results are stored.
 * File     simgpu/tests/data/opcodes.bin: for each form in order a u32, hash of its text, then the results,
 *          little-endian, in the bytes of their register (predicates one).
 * Source   the bounds of approximations are those of PTX ISA 9.0, at the instruction.  */
/* clang-format off */
#ifndef SIMGPU_TESTS_RECORDED_ROWS_H
#define SIMGPU_TESTS_RECORDED_ROWS_H

#include "simgpu/tests/opcode_kernel.h"
#include "simgpu/tests/recorded.h"

#include <math.h>
#include <stddef.h>

enum { RECORDED_CASES = 256, RECORDED_LANES = 128 };

typedef enum Agreement {
    SAME_BITS,     /* NaNs of float32 and float64 may differ in payload and sign */
    SAME_ULPS,     /* within `bound` units in the last place of the recorded result */
    SAME_ABSOLUTE  /* within `bound`, relative to a result above one */
} Agreement;

typedef struct RecordedGroup {
    const char *registers; /* by letter of opcode_rows.h: result, then sources; 8 is that number, # is 0xE8 */
    char elements;         /* of sources in %h, %r, %d: 'i' integers, 's' the same but a small last one, 'x' float16,
                            * 'b' bfloat16 */
    Agreement agreement;
    double bound;
    const char *forms;     /* separated by spaces */
} RecordedGroup;

static const RecordedGroup recorded_groups[] = {
    {"rrr", 'i', SAME_BITS, 0,
     "add.s32 add.u32 add.sat.s32 sub.s32 sub.sat.s32 mul.lo.s32 mul.hi.s32 mul.hi.u32 mul24.lo.s32 mul24.lo.u32 "
     "mul24.hi.s32 mul24.hi.u32 div.s32 div.u32 rem.s32 rem.u32 min.s32 min.u32 max.s32 max.u32 and.b32 or.b32 xor.b32 "
     "copysign.f32 add.s16x2 add.u16x2 min.s16x2 min.u16x2 max.s16x2 max.u16x2 max.s32.relu min.s32.relu "
     "max.s16x2.relu min.s16x2.relu cvt.pack.sat.u16.s32 cvt.pack.sat.s16.s32 set.lt.u32.s32"},
    {"rrr", 's', SAME_BITS, 0,
     "shl.b32 shr.u32 shr.s32 bmsk.clamp.b32 bmsk.wrap.b32 szext.clamp.s32 szext.wrap.s32 szext.clamp.u32 "
     "szext.wrap.u32"},
    {"rrrr", 'i', SAME_BITS, 0,
     "mad.lo.s32 mad.hi.s32 mad.hi.u32 mad.hi.sat.s32 mad24.lo.s32 mad24.lo.u32 sad.s32 sad.u32 dp4a.s32.s32 "
     "dp4a.s32.u32 dp4a.u32.s32 dp4a.u32.u32 dp2a.lo.s32.s32 dp2a.hi.s32.u32 dp2a.lo.u32.s32 dp2a.hi.u32.u32 prmt.b32 "
     "prmt.b32.f4e prmt.b32.b4e prmt.b32.rc8 prmt.b32.ecl prmt.b32.ecr prmt.b32.rc16 cvt.pack.sat.u8.s32.b32 "
     "cvt.pack.sat.s8.s32.b32 vabsdiff4.u32.u32.u32 vabsdiff4.u32.s32.s32 vabsdiff4.u32.u32.u32.add "
     "vabsdiff4.u32.s32.s32.add slct.s32.s32"},
    {"rrrr", 's', SAME_BITS, 0,
     "bfe.u32 bfe.s32 shf.l.wrap.b32 shf.l.clamp.b32 shf.r.wrap.b32 shf.r.clamp.b32 fns.b32"},
    {"rrrr8", 's', SAME_BITS, 0, "bfi.b32"},
    {"rrrr#", 'i', SAME_BITS, 0, "lop3.b32"},
    {"rr", 'i', SAME_BITS, 0,
     "abs.s32 neg.s32 not.b32 cnot.b32 popc.b32 clz.b32 brev.b32 bfind.u32 bfind.s32 bfind.shiftamt.u32 "
     "bfind.shiftamt.s32 cvt.s8.s32 cvt.u8.u32 cvt.s16.s32 cvt.sat.s8.s32 cvt.sat.u8.s32 cvt.sat.u16.s32 "
     "cvt.sat.s16.u32 cvt.sat.u32.s32 cvt.sat.s32.u32"},
    {"rd", 'i', SAME_BITS, 0, "popc.b64 clz.b64 bfind.u64 bfind.s64 cvt.u32.u64 cvt.sat.s32.s64 cvt.sat.u32.u64"},
    {"ddd", 'i', SAME_BITS, 0,
     "add.s64 sub.u64 mul.lo.s64 mul.hi.s64 mul.hi.u64 div.s64 div.u64 rem.s64 rem.u64 min.s64 min.u64 max.s64 max.u64 "
     "and.b64 or.b64 xor.b64"},
    {"dddd", 'i', SAME_BITS, 0, "mad.lo.s64 mad.hi.s64 mad.hi.u64 sad.s64 sad.u64"},
    {"dd", 'i', SAME_BITS, 0, "abs.s64 neg.s64 not.b64 cnot.b64 brev.b64"},
    {"ddr", 's', SAME_BITS, 0, "shl.b64 shr.u64 shr.s64"},
    {"ddrr", 's', SAME_BITS, 0, "bfe.u64 bfe.s64"},
    {"drr", 'i', SAME_BITS, 0, "mul.wide.s32 mul.wide.u32"},
    {"drrd", 'i', SAME_BITS, 0, "mad.wide.s32 mad.wide.u32"},
    {"dr", 'i', SAME_BITS, 0, "cvt.s64.s32 cvt.u64.u32 cvt.sat.u64.s32"},
    {"hhh", 'i', SAME_BITS, 0,
     "add.s16 sub.s16 mul.lo.s16 mul.hi.s16 mul.hi.u16 div.s16 div.u16 rem.s16 rem.u16 min.s16 min.u16 max.s16 max.u16 "
     "and.b16 or.b16 xor.b16"},
    {"hhhh", 'i', SAME_BITS, 0, "mad.lo.s16 sad.s16 sad.u16"},
    {"hh", 'i', SAME_BITS, 0, "abs.s16 neg.s16 not.b16 cnot.b16"},
    {"hhr", 's', SAME_BITS, 0, "shl.b16 shr.u16 shr.s16"},
    {"rhh", 'i', SAME_BITS, 0, "mul.wide.s16 mul.wide.u16"},
    {"prr", 'i', SAME_BITS, 0, "setp.lt.s32 setp.le.u32 setp.hi.u32 setp.ge.s32 setp.eq.b32"},
    {"pdd", 'i', SAME_BITS, 0, "setp.lt.s64 setp.gt.u64 setp.ne.s64"},
    {"phh", 'i', SAME_BITS, 0, "setp.lt.s16 setp.gt.u16"},

    {"fff", 'i', SAME_BITS, 0,
     "add.rn.f32 add.rz.f32 add.rm.f32 add.rp.f32 add.rn.ftz.f32 add.rz.ftz.f32 add.sat.f32 add.ftz.sat.f32 sub.rn.f32 "
     "sub.rz.f32 sub.rn.ftz.f32 mul.rn.f32 mul.rz.f32 mul.rm.f32 mul.rp.f32 mul.rn.ftz.f32 mul.sat.f32 mul.ftz.sat.f32 "
     "div.rn.f32 div.rz.f32 div.rm.f32 div.rp.f32 div.rn.ftz.f32 min.f32 min.ftz.f32 min.NaN.f32 max.f32 max.ftz.f32 "
     "max.NaN.f32"},
    {"fff", 'i', SAME_ULPS, 2, "div.full.f32 div.full.ftz.f32 div.approx.f32 div.approx.ftz.f32"},
    {"ffff", 'i', SAME_BITS, 0,
     "fma.rn.f32 fma.rz.f32 fma.rm.f32 fma.rp.f32 fma.rn.ftz.f32 fma.rz.ftz.f32 fma.rn.sat.f32 fma.rn.ftz.sat.f32"},
    {"ff", 'i', SAME_BITS, 0,
     "abs.f32 abs.ftz.f32 neg.f32 neg.ftz.f32 rcp.rn.f32 rcp.rz.f32 rcp.rm.f32 rcp.rp.f32 rcp.rn.ftz.f32 sqrt.rn.f32 "
     "sqrt.rz.f32 sqrt.rm.f32 sqrt.rp.f32 sqrt.rn.ftz.f32 cvt.rni.f32.f32 cvt.rzi.f32.f32 cvt.rmi.f32.f32 "
     "cvt.rpi.f32.f32 cvt.rni.ftz.f32.f32 cvt.sat.f32.f32 cvt.ftz.f32.f32 cvt.ftz.sat.f32.f32"},
    {"ff", 'i', SAME_ULPS, 1, "rcp.approx.f32 rcp.approx.ftz.f32"},
    {"ff", 'i', SAME_ULPS, 2, "rsqrt.approx.f32 rsqrt.approx.ftz.f32 sqrt.approx.f32 sqrt.approx.ftz.f32"},
    {"ff", 'i', SAME_ULPS, 3, "ex2.approx.f32 ex2.approx.ftz.f32"},
    {"ff", 'i', SAME_ULPS, 8192, "tanh.approx.f32"}, /* a relative 2^-11 */
    {"pff", 'i', SAME_BITS, 0,
     "setp.lt.f32 setp.le.ftz.f32 setp.gtu.f32 setp.equ.f32 setp.neu.ftz.f32 setp.num.f32 setp.nan.f32 setp.ne.f32"},
    {"pf", 'i', SAME_BITS, 0,
     "testp.finite.f32 testp.infinite.f32 testp.number.f32 testp.notanumber.f32 testp.normal.f32 testp.subnormal.f32"},
    {"rff", 'i', SAME_BITS, 0, "set.lt.u32.f32 set.geu.ftz.u32.f32"},
    {"frr", 'i', SAME_BITS, 0, "set.gt.f32.s32"},
    {"rf", 'i', SAME_BITS, 0,
     "cvt.rni.s32.f32 cvt.rzi.s32.f32 cvt.rmi.s32.f32 cvt.rpi.s32.f32 cvt.rzi.ftz.s32.f32 cvt.rzi.u32.f32 "
     "cvt.rni.u32.f32 cvt.rpi.ftz.u32.f32 cvt.rzi.u8.f32 cvt.rzi.s8.f32 cvt.rni.s16.f32 cvt.rni.u16.f32"},
    {"df", 'i', SAME_BITS, 0, "cvt.rzi.s64.f32 cvt.rni.s64.f32 cvt.rzi.u64.f32 cvt.rpi.u64.f32"},
    {"fr", 'i', SAME_BITS, 0,
     "cvt.rn.f32.s32 cvt.rz.f32.s32 cvt.rm.f32.s32 cvt.rp.f32.s32 cvt.rn.f32.u32 cvt.rz.f32.u32 cvt.rn.f32.u8 "
     "cvt.rn.f32.s8"},
    {"fd", 'i', SAME_BITS, 0,
     "cvt.rn.f32.s64 cvt.rz.f32.s64 cvt.rm.f32.s64 cvt.rp.f32.s64 cvt.rn.f32.u64 cvt.rz.f32.u64 cvt.rp.f32.u64"},

    {"ggg", 'i', SAME_BITS, 0,
     "add.rn.f64 add.rz.f64 add.rm.f64 add.rp.f64 sub.rn.f64 mul.rn.f64 mul.rz.f64 mul.rm.f64 mul.rp.f64 div.rn.f64 "
     "div.rz.f64 div.rm.f64 div.rp.f64 min.f64 max.f64 copysign.f64"},
    {"gggg", 'i', SAME_BITS, 0, "fma.rn.f64 fma.rz.f64 fma.rm.f64 fma.rp.f64"},
    {"gg", 'i', SAME_BITS, 0,
     "abs.f64 neg.f64 rcp.rn.f64 rcp.rz.f64 rcp.rp.f64 sqrt.rn.f64 sqrt.rz.f64 sqrt.rm.f64 cvt.rni.f64.f64 "
     "cvt.rzi.f64.f64 cvt.rmi.f64.f64 cvt.rpi.f64.f64 cvt.sat.f64.f64"},
    {"pgg", 'i', SAME_BITS, 0, "setp.lt.f64 setp.leu.f64 setp.eq.f64 setp.neu.f64 setp.nan.f64"},
    {"rg", 'i', SAME_BITS, 0, "cvt.rzi.s32.f64 cvt.rni.s32.f64 cvt.rmi.u32.f64 cvt.rpi.u32.f64"},
    {"dg", 'i', SAME_BITS, 0, "cvt.rzi.s64.f64 cvt.rni.s64.f64 cvt.rzi.u64.f64 cvt.rpi.u64.f64"},
    {"gr", 'i', SAME_BITS, 0, "cvt.rn.f64.s32 cvt.rn.f64.u32"},
    {"gd", 'i', SAME_BITS, 0, "cvt.rn.f64.s64 cvt.rz.f64.s64 cvt.rn.f64.u64 cvt.rp.f64.u64"},
    {"gf", 'i', SAME_BITS, 0, "cvt.f64.f32 cvt.ftz.f64.f32"},
    {"fg", 'i', SAME_BITS, 0, "cvt.rn.f32.f64 cvt.rz.f32.f64 cvt.rm.f32.f64 cvt.rp.f32.f64 cvt.rn.ftz.f32.f64"},

    {"hhh", 'x', SAME_BITS, 0,
     "add.f16 add.ftz.f16 add.sat.f16 sub.f16 sub.ftz.f16 sub.sat.f16 mul.f16 mul.ftz.f16 mul.sat.f16 min.f16 "
     "min.ftz.f16 min.NaN.f16 max.f16 max.ftz.f16 max.NaN.f16 set.lt.f16.f16"},
    {"hhhh", 'x', SAME_BITS, 0, "fma.rn.f16 fma.rn.ftz.f16 fma.rn.sat.f16 fma.rn.relu.f16 fma.rn.ftz.relu.f16"},
    {"hh", 'x', SAME_BITS, 0,
     "abs.f16 abs.ftz.f16 neg.f16 neg.ftz.f16 cvt.rni.f16.f16 cvt.rzi.f16.f16 cvt.rmi.f16.f16 cvt.rpi.f16.f16 "
     "cvt.rzi.s16.f16 cvt.rni.u16.f16 cvt.rpi.s16.f16"},
    {"hh", 'x', SAME_ULPS, 2, "ex2.approx.f16 tanh.approx.f16"},
    {"rrr", 'x', SAME_BITS, 0,
     "add.f16x2 add.sat.f16x2 sub.f16x2 mul.f16x2 mul.ftz.f16x2 min.f16x2 min.NaN.f16x2 max.f16x2 max.NaN.f16x2 "
     "set.lt.f16x2.f16x2 set.gtu.u32.f16x2"},
    {"rrrr", 'x', SAME_BITS, 0, "fma.rn.f16x2 fma.rn.ftz.f16x2 fma.rn.sat.f16x2 fma.rn.relu.f16x2"},
    {"rr", 'x', SAME_BITS, 0, "abs.f16x2 neg.f16x2"},
    {"phh", 'x', SAME_BITS, 0, "setp.lt.f16 setp.neu.f16 setp.eq.ftz.f16 setp.nan.f16 setp.geu.f16"},
    {"fh", 'x', SAME_BITS, 0, "cvt.f32.f16"},
    {"gh", 'x', SAME_BITS, 0, "cvt.f64.f16"},
    {"rh", 'x', SAME_BITS, 0, "cvt.rzi.s32.f16 cvt.rni.s32.f16 cvt.rmi.u32.f16 cvt.rzi.u8.f16 cvt.rzi.s8.f16"},
    {"dh", 'x', SAME_BITS, 0, "cvt.rzi.s64.f16 cvt.rni.u64.f16"},
    {"hf", 'x', SAME_BITS, 0,
     "cvt.rn.f16.f32 cvt.rz.f16.f32 cvt.rm.f16.f32 cvt.rp.f16.f32 cvt.rn.ftz.f16.f32 cvt.rn.sat.f16.f32 "
     "cvt.rn.relu.f16.f32"},
    {"hg", 'x', SAME_BITS, 0, "cvt.rn.f16.f64 cvt.rz.f16.f64 cvt.rp.f16.f64"},
    {"hr", 'i', SAME_BITS, 0, "cvt.rn.f16.s32 cvt.rz.f16.s32 cvt.rn.f16.u32 cvt.rp.f16.u32 cvt.rm.f16.s32"},
    {"hd", 'i', SAME_BITS, 0, "cvt.rn.f16.s64 cvt.rn.f16.u64 cvt.rp.f16.u64 cvt.rz.f16.s64"},
    {"hh", 'i', SAME_BITS, 0, "cvt.rn.f16.s16 cvt.rn.f16.u16 cvt.rz.f16.u16"},
    {"rff", 'x', SAME_BITS, 0, "cvt.rn.f16x2.f32 cvt.rz.f16x2.f32 cvt.rn.relu.f16x2.f32"},

    {"hhh", 'b', SAME_BITS, 0,
     "add.bf16 sub.bf16 mul.bf16 min.bf16 min.NaN.bf16 max.bf16 max.NaN.bf16 set.lt.bf16.bf16"},
    {"hhhh", 'b', SAME_BITS, 0, "fma.rn.bf16 fma.rn.relu.bf16"},
    {"hh", 'b', SAME_BITS, 0,
     "abs.bf16 neg.bf16 cvt.rni.bf16.bf16 cvt.rzi.bf16.bf16 cvt.rmi.bf16.bf16 cvt.rpi.bf16.bf16"},
    {"hh", 'b', SAME_ULPS, 2, "ex2.approx.ftz.bf16 tanh.approx.bf16"},
    {"rrr", 'b', SAME_BITS, 0,
     "add.bf16x2 sub.bf16x2 mul.bf16x2 min.bf16x2 max.bf16x2 max.NaN.bf16x2 set.lt.bf16x2.bf16x2 set.gtu.u32.bf16x2"},
    {"rrrr", 'b', SAME_BITS, 0, "fma.rn.bf16x2 fma.rn.relu.bf16x2"},
    {"phh", 'b', SAME_BITS, 0, "setp.lt.bf16 setp.neu.bf16 setp.nan.bf16"},
    {"fh", 'b', SAME_BITS, 0, "cvt.f32.bf16"},
    {"rh", 'b', SAME_BITS, 0, "cvt.rzi.s32.bf16 cvt.rni.s32.bf16 cvt.rmi.u32.bf16"},
    {"dh", 'b', SAME_BITS, 0, "cvt.rzi.s64.bf16"},
    {"hf", 'b', SAME_BITS, 0,
     "cvt.rn.bf16.f32 cvt.rz.bf16.f32 cvt.rm.bf16.f32 cvt.rp.bf16.f32 cvt.rn.relu.bf16.f32"},
    {"hg", 'b', SAME_BITS, 0, "cvt.rn.bf16.f64"},
    {"hr", 'i', SAME_BITS, 0, "cvt.rn.bf16.s32 cvt.rz.bf16.s32 cvt.rn.bf16.u32"},
    {"hd", 'i', SAME_BITS, 0, "cvt.rn.bf16.s64 cvt.rn.bf16.u64"},
    {"rff", 'b', SAME_BITS, 0, "cvt.rn.bf16x2.f32 cvt.rz.bf16x2.f32 cvt.rn.relu.bf16x2.f32"},
};

/* Angles and logarithms: the ISA's bounds are absolute, and hold in a range. */
static const RecordedGroup recorded_bounded[] = {
    {"ff", 'a', SAME_ABSOLUTE, 0x1p-20, "sin.approx.f32 sin.approx.ftz.f32 cos.approx.f32 cos.approx.ftz.f32"},
    {"ff", 'l', SAME_ABSOLUTE, 0x1p-21, "lg2.approx.f32 lg2.approx.ftz.f32"},
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Any power of two and its neighbours, of either sign; zeros, extremes; for floats: the neighbourhood of one, numbers
 * that lie halfway between two whole numbers, subnormals, infinities and NaNs. */
static uint64_t recorded_integer(uint64_t random)
{
    uint64_t magnitude = (1ull << (random & 63)) + (random >> 6 & 3) - 1;
    return random >> 8 & 1 ? -magnitude : magnitude;
}

/* A float of that many digits behind the point and exponent bits. */
static uint64_t recorded_float(uint64_t random, int digits, int exponent_bits)
{
    uint64_t one = ((1ull << (exponent_bits - 1)) - 1) << digits, infinity = ((1ull << exponent_bits) - 1) << digits;
    uint64_t fraction = (1ull << digits) - 1, sign = (random >> 63) << (digits + exponent_bits), r = random >> 8;
    switch (random & 15) {
    case 0: return sign;
    case 1: return sign | infinity | ((r & 3) == 0 ? 1ull << (digits - 1) | (r >> 2 & fraction) : 0);
    case 2: return sign | (r & fraction);                               /* subnormal */
    case 3: return sign | (1 + (r & 1));                                /* the least ones */
    case 4: return sign | ((1ull << digits) - (r & 1));                 /* about the least normal one */
    case 5: return sign | (infinity - 1 - (r & 3));                     /* the greatest */
    case 6: return sign | (one + (r & 3));                              /* about one */
    case 7: return sign | (one - (r & 3));
    case 8: return sign | (one + ((r & 31) << digits));                 /* powers of two */
    case 9: /* halfway between two whole numbers */
        return sign | ((one + ((r & 15) << digits)) | 1ull << (digits - 1 - (r & 15) % (unsigned)digits));
    case 10: case 11: return sign | (one - (8ull << digits) + (r % (16ull << digits))); /* within 2^8 of one */
    default: return sign | (r % infinity);
    }
}

static uint64_t recorded_half_pair(uint64_t random, char elements)
{
    int digits = elements == 'x' ? 10 : 7, exponent = elements == 'x' ? 5 : 8;
    return recorded_float(recorded_random(random), digits, exponent) |
           recorded_float(recorded_random(random + 1), digits, exponent) << 16;
}

/* Operand `k` in a register of that letter, in case `i`. */
static uint64_t recorded_operand(const RecordedGroup *group, char letter, int k, bool is_last, int i)
{
    uint64_t random = recorded_random((uint64_t)i * 4 + (uint64_t)k);
    if (letter == 'f' && group->elements == 'a') /* within [-pi, pi] */
        return (random & 0x80000000) | (uint64_t)((double)(random >> 40) * (0x40490FDA / 0x1p24));
    if (letter == 'f' && group->elements == 'l' && random % 3 == 0) /* between 1/2 and 2 */
        return 0x3F000000 + (random >> 40);
    if (letter == 'f')
        return recorded_float(random, 23, 8);
    if (letter == 'g')
        return recorded_float(random, 52, 11);
    if (letter == 'p')
        return random & 1;
    if (group->elements == 'x' || group->elements == 'b')
        return recorded_half_pair(random, group->elements);
    if (group->elements == 's' && k > 0 && (is_last || random >> 40 & 1))
        return random % 72;
    return random >> 32 & 1 ? recorded_integer(random) : random;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* "add.s32 %r0, %r1, %r2" */
static void recorded_text(Text *text, const RecordedGroup *group, const char *form, size_t length)
{
    text_printf(text, "%.*s ", (int)length, form);
    for (int k = 0; group->registers[k] != '\0'; k++)
        if (strchr("8#", group->registers[k]) != NULL)
            text_add(text, group->registers[k] == '8' ? ", 8" : ", 0xE8");
        else
            text_printf(text, "%s%%%c%d", k > 0 ? ", " : "", group->registers[k], k);
}

static size_t recorded_bytes(char letter)
{
    return letter == 'p' ? 1 : letter == 'h' ? 2 : letter == 'r' || letter == 'f' ? 4 : 8;
}

static void recorded_fill(const RecordedGroup *group, int first, Slot *slots)
{
    int sources = (int)strcspn(group->registers, "8#") - 1;
    for (int i = 0; i < RECORDED_LANES; i++) {
        uint64_t values[3] = {0};
        for (int k = 0; k < sources; k++)
            values[k] = recorded_operand(group, group->registers[k + 1], k, k == sources - 1, first + i);
        slots[i] = (Slot){.a = values[0], .b = values[1], .c = values[2]};
    }
}

typedef void RecordedVisit(void *context, const RecordedGroup *group, const char *text);

static void recorded_each_of(const RecordedGroup *groups, size_t count, RecordedVisit *visit, void *context)
{
    for (size_t g = 0; g < count; g++)
        for (const char *form = groups[g].forms; *form != '\0'; form += strspn(form, " ")) {
            Text text = {0};
            size_t length = strcspn(form, " ");
            recorded_text(&text, &groups[g], form, length);
            visit(context, &groups[g], text.data);
            text_free(&text);
            form += length;
        }
}

/* Visits every form in the order of the file. */
static void recorded_each(RecordedVisit *visit, void *context)
{
    recorded_each_of(recorded_groups, sizeof recorded_groups / sizeof *recorded_groups, visit, context);
    recorded_each_of(recorded_bounded, sizeof recorded_bounded / sizeof *recorded_bounded, visit, context);
}

#endif
