/* warp_rows.h - what instructions do that concern a whole warp or block: shuffles, votes, barriers, divergence, calls.
 *
 * Text and registers are those of opcode_rows.h. Each row runs as one block of `threads`; operand a is the number of
 * the thread, operand b WARP_ROW_B of it. `expected` gives a thread's result in terms of that number alone.
 *
 * Source   PTX ISA 9.0; results were worked out by hand, and most then held against an H200 (lab/measurements.md).  */
/* clang-format off */
#ifndef SIMGPU_TESTS_WARP_ROWS_H
#define SIMGPU_TESTS_WARP_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct WarpRow {
    const char *text;
    unsigned threads;
    uint64_t (*expected)(unsigned thread);
    const char *functions; /* before the kernel; NULL: none */
} WarpRow;

#define WARP_ROW_B(thread) (1000 + 3 * (uint64_t)(thread))
#define WARP_ROW_UNTOUCHED 0x5555555555555555 /* the result of a thread that returned before it stored one */

/* A function of one expression, `t` being the thread. */
#define RESULT(name, expression)                                                                                       \
    static uint64_t name(unsigned t)                                                                                   \
    {                                                                                                                  \
        (void)t;                                                                                                       \
        return (uint64_t)(expression);                                                                                 \
    }

static inline uint64_t B(unsigned thread)
{
    return WARP_ROW_B(thread);
}

/* Sum of b over the threads [from, to). */
static inline uint64_t sum_b(unsigned from, unsigned to)
{
    uint64_t sum = 0;
    for (unsigned i = from; i < to; i++)
        sum += B(i);
    return sum;
}

RESULT(of_5, B(5))
RESULT(of_neighbour, B(t ^ 1))
RESULT(of_lane_8, B(8))
RESULT(of_2_in_eight, B((t & 24) + 2))
RESULT(up_3, t >= 3 ? B(t - 3) : B(t))
RESULT(up_3_in_eight, t % 8 >= 3 ? B(t - 3) : B(t))
RESULT(up_3_is_inside, t >= 3)
RESULT(down_3, t <= 28 ? B(t + 3) : B(t))
RESULT(down_16_of_20, t < 4 ? B(t + 16) : t < 16 ? 0 : B(t)) /* lanes 20 to 31 do not exist; an H200 gives 0 as well */
RESULT(down_3_in_eight, t % 8 <= 4 ? B(t + 3) : B(t))
RESULT(down_3_is_inside, t <= 28)
RESULT(across_5, B(t ^ 5))
RESULT(across_9_in_eight, (t & 8) != 0 ? B(t ^ 9) : B(t))
RESULT(across_16_of_two_warps, B(t ^ 16))
RESULT(half_shuffled, t < 16 ? B(t ^ 1) : 7)
RESULT(sum_of_warp, sum_b(t & ~31u, (t & ~31u) + 32))
RESULT(sum_of_half_warp, sum_b(t & ~15u, (t & ~15u) + 16))
RESULT(prefix_sum, sum_b(0, t + 1))

RESULT(odd_lanes, 0xaaaaaaaa)
RESULT(odd_of_twenty, 0xaaaaa)
RESULT(first_twenty, 0xfffff)
RESULT(one, 1)
RESULT(zero, 0)
RESULT(group_of_four, 0xfull << (t & 28))
RESULT(full_mask, 0xffffffff)
RESULT(lane, t % 32)
RESULT(lowest, B(0))
RESULT(highest, B(31))
RESULT(b_and, B(0) & B(1) & B(2) & B(3))
RESULT(b_or, 2047)
RESULT(b_xor_of_pairs, (B(0) ^ B(1) ^ B(2) ^ B(3)))

/* An 8x8 matrix whose element (r, c) is 8 r + c: two elements of a lane in one register, as ldmatrix gives them. */
RESULT(matrix_rows_of, (t % 32 / 4 * 8 + t % 4 * 2) | (uint64_t)(t % 32 / 4 * 8 + t % 4 * 2 + 1) << 16)
RESULT(matrix_turned, (t % 4 * 2 * 8 + t / 4) | (uint64_t)((t % 4 * 2 + 1) * 8 + t / 4) << 16)
RESULT(second_matrix_turned, matrix_turned(t) + 0x00400040)
RESULT(fourth_matrix, matrix_rows_of(t) + 0x00c000c0)
RESULT(tile_row_major, t / 4 * 16 + t % 4 * 2)

RESULT(is_lane_3, t % 32 == 3)
RESULT(three, 3)
RESULT(mirrored, B(127 - t))
RESULT(block_sum, sum_b(0, 128))
RESULT(sum_of_sixty_four, 2016)
RESULT(how_many_over_99, 28)
RESULT(first_half_alone, t < 64 ? B(t ^ 63) : 0)
RESULT(seventeen_live, t < 17 ? B(16 - t) : WARP_ROW_UNTOUCHED)
RESULT(a_live, t < 10 ? t : WARP_ROW_UNTOUCHED)

RESULT(own_b, B(t))
RESULT(b_less_thread, B(t) - t)
RESULT(b_and_thread, B(t) + t)
RESULT(half_b, t % 2 == 0 ? B(t) : 0)
RESULT(zeros_after_eight, 0)
RESULT(thread_itself, t)
RESULT(warp_number, t / 32)
RESULT(lanes_below, (1ull << t % 32) - 1)
RESULT(lanes_up_to, (2ull << t % 32) - 1)
RESULT(lanes_above, 0xffffffff & ~((2ull << t % 32) - 1))
RESULT(lanes_from, 0xffffffff & ~((1ull << t % 32) - 1))
RESULT(lane_alone, 1ull << t % 32)
RESULT(block_size, 96)

RESULT(quarters, t < 8 ? 1 : t < 16 ? 2 : t < 24 ? 3 : 4)
RESULT(triangle, t * (t + 1) / 2)
RESULT(product_of_loops, t * (t % 3))
RESULT(by_switch, t % 4 == 0 ? 10 : t % 4 == 1 ? 21 : t % 4 == 2 ? 32 : 43)
RESULT(collatz_27, 111)
RESULT(predicated, t < 5 ? 100 : 200)
RESULT(square_plus_seven, t * t + 7)
RESULT(square_of_odd, t % 2 == 1 ? t * t : 1)
RESULT(thrice, 3 * t)
RESULT(wide, ((uint64_t)t << 32) + 5)

static const char square_function[] =
    ".func (.param .b32 result) square(.param .b32 x)\n{\n    .reg .b32 %x<3>;\n    ld.param.u32 %x0, [x];\n"
    "    mul.lo.s32 %x1, %x0, %x0;\n    st.param.b32 [result], %x1;\n    ret;\n}\n";

static const char nested_functions[] =
    ".func (.param .b32 result) twice(.param .b32 x)\n{\n    .reg .b32 %x<3>;\n    ld.param.s32 %x0, [x];\n"
    "    add.s32 %x1, %x0, %x0;\n    st.param.b32 [result], %x1;\n    ret;\n}\n"
    ".func (.param .b32 result) thrice(.param .b32 x)\n{\n    .reg .b32 %x<4>;\n    ld.param.u32 %x0, [x];\n"
    "    {\n    .param .b32 p;\n    .param .b32 q;\n    st.param.b32 [p], %x0;\n    call.uni (q), twice, (p);\n"
    "    ld.param.b32 %x1, [q];\n    }\n    add.s32 %x2, %x0, %x1;\n    st.param.b32 [result], %x2;\n    ret;\n}\n";

static const char mixed_function[] =
    ".func (.param .b64 result) mixed(.param .b32 high, .param .f32 low)\n{\n    .reg .b32 %x;\n    .reg .f32 %y;\n"
    "    .reg .b64 %z<4>;\n    ld.param.u32 %x, [high];\n    ld.param.f32 %y, [low];\n    cvt.rzi.u64.f32 %z0, %y;\n"
    "    cvt.u64.u32 %z1, %x;\n    shl.b64 %z2, %z1, 32;\n    add.s64 %z3, %z2, %z0;\n    st.param.b64 [result], %z3;\n"
    "    ret;\n}\n";

#define NUMBERS                                                                                                        \
    "and.b32 %r4, %r1, 31; shl.b32 %r5, %r4, 3; mad.lo.u32 %r5, %r5, 0x00010001, 0x00010000; add.u32 %r6, %r5, "      \
    "0x00020002; add.u32 %r7, %r5, 0x00040004; add.u32 %r8, %r5, 0x00060006; shl.b32 %r4, %r4, 4; "                   \
    "mov.u32 %r10, shared; add.u32 %r10, %r10, %r4; st.shared.v4.u32 [%r10], {%r5, %r6, %r7, %r8}; bar.sync 0; "

static const WarpRow warp_rows[] = {
    /* ---- shuffles ------------------------------------------------------------------------------------------------ */
    {"shfl.sync.idx.b32 %r0, %r2, 5, 31, -1", 32, of_5, NULL},
    {"xor.b32 %r4, %r1, 1; shfl.sync.idx.b32 %r0, %r2, %r4, 31, -1", 32, of_neighbour, NULL},
    {"shfl.sync.idx.b32 %r0, %r2, 40, 31, -1", 32, of_lane_8, NULL},
    {"shfl.sync.idx.b32 %r0, %r2, 2, 0x181f, -1", 32, of_2_in_eight, NULL},
    {"shfl.sync.up.b32 %r0, %r2, 3, 0, -1", 32, up_3, NULL},
    {"shfl.sync.up.b32 %r0, %r2, 3, 0x1800, -1", 32, up_3_in_eight, NULL},
    {"shfl.sync.up.b32 %r4|%p0, %r2, 3, 0, -1", 32, up_3_is_inside, NULL},
    {"shfl.sync.down.b32 %r0, %r2, 3, 31, -1", 32, down_3, NULL},
    {"shfl.sync.down.b32 %r0, %r2, 3, 0x181f, -1", 32, down_3_in_eight, NULL},
    {"shfl.sync.down.b32 %r0, %r2, 16, 31, -1", 20, down_16_of_20, NULL},
    {"shfl.sync.down.b32 %r4|%p0, %r2, 3, 31, -1", 32, down_3_is_inside, NULL},
    {"shfl.sync.bfly.b32 %r0, %r2, 5, 31, -1", 32, across_5, NULL},
    {"shfl.sync.bfly.b32 %r0, %r2, 9, 0x181f, -1", 32, across_9_in_eight, NULL},
    {"shfl.sync.bfly.b32 %r0, %r2, 16, 31, -1", 64, across_16_of_two_warps, NULL},
    {"mov.u32 %r4, -1; shfl.sync.bfly.b32 %r0, %r2, 1, 31, %r4", 32, of_neighbour, NULL},
    {"setp.lt.u32 %p4, %r1, 16; mov.u32 %r0, 7; @%p4 shfl.sync.bfly.b32 %r0, %r2, 1, 31, 0xffff",
     32, half_shuffled, NULL},
    {"mov.u32 %r0, %r2; shfl.sync.bfly.b32 %r0, %r0, 1, 31, -1", 64, of_neighbour, NULL}, /* in place */
    {"mov.u32 %r0, %r2; shfl.sync.idx.b32 %r0, %r0, 5, 31, -1", 32, of_5, NULL},
    {"shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1; add.s32 %r0, %r2, %r4; shfl.sync.bfly.b32 %r4, %r0, 8, 31, -1; "
     "add.s32 %r0, %r0, %r4; shfl.sync.bfly.b32 %r4, %r0, 4, 31, -1; add.s32 %r0, %r0, %r4; "
     "shfl.sync.bfly.b32 %r4, %r0, 2, 31, -1; add.s32 %r0, %r0, %r4; shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1; "
     "add.s32 %r0, %r0, %r4", 64, sum_of_warp, NULL},
    {"mov.u32 %r0, %r2; mov.u32 %r5, 1; LOOP: shfl.sync.up.b32 %r4|%p4, %r0, %r5, 0, -1; "
     "@%p4 add.s32 %r0, %r0, %r4; shl.b32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 32; @%p5 bra LOOP", 32, prefix_sum, NULL},

    /* ---- votes --------------------------------------------------------------------------------------------------- */
    {"and.b32 %r4, %r1, 1; setp.ne.s32 %p4, %r4, 0; vote.sync.ballot.b32 %r0, %p4, -1", 64, odd_lanes, NULL},
    {"and.b32 %r4, %r1, 1; setp.ne.s32 %p4, %r4, 0; vote.sync.ballot.b32 %r0, %p4, 0xfffff", 20, odd_of_twenty, NULL},
    {"setp.lt.u32 %p4, %r1, 99; vote.sync.all.pred %p0, %p4, -1", 32, one, NULL},
    {"setp.lt.u32 %p4, %r1, 31; vote.sync.all.pred %p0, %p4, -1", 32, zero, NULL},
    {"setp.eq.u32 %p4, %r1, 31; vote.sync.any.pred %p0, %p4, -1", 32, one, NULL},
    {"setp.eq.u32 %p4, %r1, 32; vote.sync.any.pred %p0, %p4, -1", 32, zero, NULL},
    {"setp.eq.u32 %p4, %r1, 32; vote.sync.any.pred %p0, !%p4, -1", 32, one, NULL},
    {"setp.eq.u32 %p4, %r1, 32; vote.sync.uni.pred %p0, %p4, -1", 32, one, NULL},
    {"setp.eq.u32 %p4, %r1, 3; vote.sync.uni.pred %p0, %p4, -1", 32, zero, NULL},
    {"activemask.b32 %r0", 20, first_twenty, NULL},
    {"shr.u32 %r4, %r1, 2; match.any.sync.b32 %r0, %r4, -1", 32, group_of_four, NULL},
    {"shr.u64 %d4, %d1, 2; shl.b64 %d4, %d4, 40; match.any.sync.b64 %r0, %d4, -1", 32, group_of_four, NULL},
    {"shr.u32 %r0, %r1, 2; match.any.sync.b32 %r0, %r0, -1", 32, group_of_four, NULL},
    {"match.all.sync.b32 %r0|%p4, 7, -1", 32, full_mask, NULL},
    {"match.all.sync.b32 %r4|%p0, %r1, -1", 32, zero, NULL},
    {"redux.sync.add.s32 %r0, %r2, -1", 64, sum_of_warp, NULL},
    {"redux.sync.min.u32 %r0, %r2, -1", 32, lowest, NULL},
    {"redux.sync.max.s32 %r0, %r2, -1", 32, highest, NULL},
    {"redux.sync.and.b32 %r0, %r2, 0xf", 4, b_and, NULL},
    {"and.b32 %r4, %r1, 16; mov.u32 %r5, 0xffff; shl.b32 %r5, %r5, %r4; redux.sync.add.s32 %r0, %r2, %r5", 32,
     sum_of_half_warp, NULL},
    {"redux.sync.or.b32 %r0, %r2, -1", 32, b_or, NULL},
    {"redux.sync.xor.b32 %r0, %r2, 0xf", 4, b_xor_of_pairs, NULL},

    /* ---- barriers, fences, shared memory ------------------------------------------------------------------------- */
    {"st.shared.u32 [%r10], %r2; bar.sync 0; sub.s32 %r4, 127, %r1; shl.b32 %r4, %r4, 4; mov.u32 %r5, shared; "
     "add.s32 %r5, %r5, %r4; ld.shared.u32 %r0, [%r5]", 128, mirrored, NULL},
    {"st.shared.u32 [%r10], %r2; barrier.sync 0; sub.s32 %r4, 127, %r1; shl.b32 %r4, %r4, 4; mov.u32 %r5, shared; "
     "add.s32 %r5, %r5, %r4; ld.shared.u32 %r0, [%r5]", 128, mirrored, NULL},
    {"st.shared.u32 [%r10], %r2; mov.u32 %r4, 64; LOOP: bar.sync 0; setp.ge.u32 %p4, %r1, %r4; @%p4 bra NEXT; "
     "shl.b32 %r5, %r4, 4; add.s32 %r5, %r5, %r10; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r10]; "
     "add.s32 %r7, %r7, %r6; st.shared.u32 [%r10], %r7; NEXT: shr.u32 %r4, %r4, 1; setp.ne.s32 %p5, %r4, 0; "
     "@%p5 bra LOOP; bar.sync 0; ld.shared.u32 %r0, [shared]", 128, block_sum, NULL},
    {"setp.gt.u32 %p4, %r1, 99; bar.red.popc.u32 %r0, 0, %p4", 128, how_many_over_99, NULL},
    {"setp.lt.u32 %p4, %r1, 127; bar.red.and.pred %p0, 0, %p4", 128, zero, NULL},
    {"setp.eq.u32 %p4, %r1, 127; bar.red.or.pred %p0, 0, %p4", 128, one, NULL},
    {"setp.ge.u32 %p4, %r1, 64; mov.u32 %r0, 0; @%p4 bra END; st.shared.u32 [%r10], %r2; bar.sync 1, 64; "
     "xor.b32 %r4, %r1, 63; shl.b32 %r4, %r4, 4; mov.u32 %r5, shared; add.s32 %r5, %r5, %r4; "
     "ld.shared.u32 %r0, [%r5]; END: bar.sync 0", 128, first_half_alone, NULL},
    {"setp.ge.u32 %p4, %r1, 17; @%p4 ret; st.shared.u32 [%r10], %r2; bar.sync 0; sub.s32 %r4, 16, %r1; "
     "shl.b32 %r4, %r4, 4; mov.u32 %r5, shared; add.s32 %r5, %r5, %r4; ld.shared.u32 %r0, [%r5]",
     96, seventeen_live, NULL},
    {"st.shared.u32 [%r10], %r2; bar.warp.sync -1; xor.b32 %r4, %r10, 16; ld.shared.u32 %r0, [%r4]",
     32, of_neighbour, NULL},
    {"st.global.u32 [%d10], %r2; membar.gl; membar.cta; membar.sys; ld.global.u32 %r0, [%d10]", 32, own_b, NULL},
    {"st.global.u32 [%d10], %r2; fence.acq_rel.gpu; fence.sc.gpu; ld.global.u32 %r0, [%d10]", 32, own_b, NULL},
    {"mov.u32 %r4, 0; st.shared.u32 [shared], %r4; bar.sync 0; atom.shared.add.u32 %r5, [shared], %r1; bar.sync 0; "
     "ld.shared.u32 %r0, [shared]", 64, sum_of_sixty_four, NULL},
    {"st.global.u32 [%d12+16], 0; bar.sync 0; red.global.add.u32 [%d12+16], %r1; bar.sync 0; "
     "ld.global.u32 %r0, [%d12+16]", 64, sum_of_sixty_four, NULL},
    {"st.global.u32 [%d12+16], 0; bar.sync 0; atom.global.max.u32 %r4, [%d12+16], %r2; bar.sync 0; "
     "ld.global.u32 %r0, [%d12+16]", 32, highest, NULL},
    {"st.global.u64 [%d12+16], 0; bar.sync 0; SPIN: ld.volatile.global.u64 %d4, [%d12+16]; add.s64 %d5, %d4, %d1; "
     "atom.global.cas.b64 %d6, [%d12+16], %d4, %d5; setp.ne.s64 %p4, %d6, %d4; @%p4 bra SPIN; bar.sync 0; "
     "ld.global.u64 %d0, [%d12+16]", 64, sum_of_sixty_four, NULL},

    /* ---- asynchronous copies ------------------------------------------------------------------------------------- */
    {"cp.async.ca.shared.global [%r10], [%d11+8], 4; cp.async.commit_group; cp.async.wait_group 0; "
     "ld.shared.u32 %r0, [%r10]", 32, own_b, NULL},
    {"cp.async.ca.shared.global [%r10], [%d11+8], 8; cp.async.wait_all; ld.shared.u64 %d0, [%r10]", 32, own_b, NULL},
    {"cp.async.cg.shared.global [%r10], [%d11], 16; cp.async.commit_group; cp.async.wait_group 0; "
     "ld.shared.u64 %d0, [%r10+8]", 32, own_b, NULL},
    {"st.shared.u64 [%r10+8], %d2; cp.async.cg.shared.global [%r10], [%d11], 16, 8; cp.async.wait_all; "
     "ld.shared.u64 %d0, [%r10+8]", 32, zeros_after_eight, NULL},
    {"and.b32 %r4, %r1, 1; setp.eq.s32 %p4, %r4, 0; selp.b32 %r5, 4, 0, %p4; "
     "cp.async.ca.shared.global [%r10], [%d11+8], 4, %r5; cp.async.wait_all; ld.shared.u32 %r0, [%r10]",
     32, half_b, NULL},
    {"cp.async.ca.shared.global [%r10], [%d11], 4; cp.async.commit_group; "
     "cp.async.ca.shared.global [%r10+4], [%d11+8], 4; cp.async.commit_group; cp.async.wait_group 1; "
     "ld.shared.u32 %r0, [%r10]; cp.async.wait_group 0", 32, thread_itself, NULL},

    /* ---- barriers in shared memory ------------------------------------------------------------------------------- */
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 64; bar.sync 0; st.shared.u32 [%r10], %r2; "
     "mbarrier.arrive.shared.b64 %d4, [shared+1536]; "
     "WAIT: mbarrier.try_wait.shared.b64 %p5, [shared+1536], %d4; @!%p5 bra WAIT; xor.b32 %r4, %r10, 16; "
     "ld.shared.u32 %r0, [%r4]", 64, of_neighbour, NULL},
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared::cta.b64 [shared+1536], 64; bar.sync 0; mov.u32 %r5, 0; "
     "AGAIN: st.shared.u32 [%r10], %r2; mbarrier.arrive.release.cta.shared::cta.b64 %d4, [shared+1536]; "
     "and.b32 %r6, %r5, 1; WAIT: mbarrier.try_wait.parity.shared.b64 %p5, [shared+1536], %r6; @!%p5 bra WAIT; "
     "add.u32 %r5, %r5, 1; setp.lt.u32 %p6, %r5, 3; @%p6 bra AGAIN; xor.b32 %r4, %r10, 16; ld.shared.u32 %r0, [%r4]",
     64, of_neighbour, NULL},
    /* The first half arrives and leaves for good; later phases are the second half's alone. */
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 64; bar.sync 0; mov.u32 %r0, 0; "
     "setp.lt.u32 %p4, %r1, 32; @%p4 bra DROP; mov.u32 %r0, 3; mbarrier.arrive.shared.b64 %d4, [shared+1536]; "
     "WAIT: mbarrier.test_wait.shared.b64 %p5, [shared+1536], %d4; @!%p5 bra WAIT; "
     "mbarrier.arrive.shared.b64 %d4, [shared+1536]; "
     "LAST: mbarrier.test_wait.shared.b64 %p5, [shared+1536], %d4; @!%p5 bra LAST; bra END; "
     "DROP: mbarrier.arrive_drop.shared.b64 %d4, [shared+1536]; mov.u32 %r0, 3; END:", 64, three, NULL},
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 64; bar.sync 0; "
     "cp.async.ca.shared.global [%r10], [%d11+8], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [shared+1536]; "
     "WAIT: mbarrier.try_wait.parity.shared.b64 %p5, [shared+1536], 0; @!%p5 bra WAIT; xor.b32 %r4, %r10, 16; "
     "ld.shared.u32 %r0, [%r4]", 64, of_neighbour, NULL},

    /* ---- bulk copies --------------------------------------------------------------------------------------------- */
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 64; bar.sync 0; "
     "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [shared+1536], 16; mov.u32 %r5, 16; "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d11], %r5, [shared+1536]; "
     "WAIT: mbarrier.try_wait.parity.shared.b64 %p5, [shared+1536], 0; @!%p5 bra WAIT; xor.b32 %r4, %r10, 16; "
     "ld.shared.u64 %d0, [%r4+8]", 64, of_neighbour, NULL},
    /* It ends only when somebody waits for it. */
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 32; st.shared.u64 [%r10+8], %d1; bar.sync 0; "
     "mbarrier.arrive.expect_tx.shared.b64 %d4, [shared+1536], 16; "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d11], 16, [shared+1536]; "
     "ld.shared.u64 %d5, [%r10+8]; WAIT: mbarrier.try_wait.shared.b64 %p5, [shared+1536], %d4; @!%p5 bra WAIT; "
     "ld.shared.u64 %d6, [%r10+8]; sub.u64 %d0, %d6, %d5", 32, b_less_thread, NULL},
    /* Bytes may arrive before they are expected, and from any thread. */
    {"setp.eq.u32 %p4, %r1, 0; @%p4 mbarrier.init.shared.b64 [shared+1536], 33; bar.sync 0; "
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [shared+1536], 8; mbarrier.arrive.shared.b64 _, [shared+1536]; "
     "mbarrier.test_wait.parity.shared.b64 %p6, [shared+1536], 0; selp.u32 %r0, 100, 0, %p6; bar.sync 0; "
     "@%p4 mbarrier.arrive.expect_tx.shared.b64 _, [shared+1536], 256; bar.sync 0; "
     "mbarrier.test_wait.parity.shared.b64 %p6, [shared+1536], 0; selp.u32 %r4, 3, 0, %p6; add.u32 %r0, %r0, %r4",
     32, three, NULL},
    {"st.shared.u64 [%r10], %d2; st.shared.u64 [%r10+8], %d2; fence.proxy.async.shared::cta; "
     "cp.async.bulk.global.shared::cta.bulk_group [%d10], [%r10], 16; cp.async.bulk.commit_group; "
     "cp.async.bulk.wait_group 0; ld.global.u64 %d0, [%d10+8]", 64, own_b, NULL},
    {"st.shared.u64 [%r10], %d2; st.shared.u64 [%r10+8], %d2; st.global.u64 [%d10], %d1; st.global.u64 [%d10+8], 0; "
     "fence.proxy.async; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%d10], [%r10], 16; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ld.global.u64 %d0, [%d10]", 64, b_and_thread, NULL},
    {"cp.async.bulk.prefetch.L2.global [%d11], 16; mov.u32 %r0, %r1", 32, thread_itself, NULL},
    /* A block by itself is a cluster of one. */
    {"st.shared.u32 [%r10], %r2; barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; "
     "xor.b32 %r4, %r10, 16; mapa.shared::cluster.u32 %r5, %r4, 0; ld.shared::cluster.u32 %r0, [%r5]", 64,
     of_neighbour, NULL},
    {"cvt.u64.u32 %d4, %r10; cvta.shared.u64 %d4, %d4; mapa.u64 %d5, %d4, 0; st.u32 [%d5], %r2; "
     "getctarank.u64 %r4, %d5; isspacep.shared::cta %p4, %d5; selp.u32 %r5, 0, 7, %p4; ld.shared.u32 %r6, [%r10]; "
     "add.u32 %r4, %r4, %r5; add.u32 %r0, %r6, %r4", 64, own_b, NULL},
    {"elect.sync %r4|%p0, 0xfffffff8", 64, is_lane_3, NULL},
    {"elect.sync %r0|%p4, 0xfffffff8", 64, three, NULL},

    /* ---- 8x8 matrices: shared memory holds the 16-bit numbers 0, 1, 2, ... row by row -------------------------- */
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r10]", 32, matrix_rows_of, NULL},
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%r10]", 32, matrix_turned, NULL},
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r4, %r0}, [%r10]", 32, second_matrix_turned, NULL},
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r0}, [%r10]", 64, fourth_matrix, NULL},
    {NUMBERS "cvt.u64.u32 %d4, %r10; cvta.shared.u64 %d4, %d4; ldmatrix.sync.aligned.m8n8.x4.b16 {%r0, %r5, %r6, %r7}, "
     "[%d4]", 32, matrix_rows_of, NULL},
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r10]; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r4",
     32, matrix_turned, NULL},
    {NUMBERS "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r10]; bar.sync 0; "
     "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r10], {%r4}; bar.sync 0; shl.b32 %r5, %r1, 2; "
     "mov.u32 %r6, shared; add.u32 %r6, %r6, %r5; ld.shared.u32 %r0, [%r6]", 32, matrix_turned, NULL},
    {NUMBERS "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0, %r4, %r5, %r6, %r7, %r8, %r9, %r11}, [shared]; "
     "and.b32 %r0, %r0, 0xffff", 32, tile_row_major, NULL},

    /* ---- special registers --------------------------------------------------------------------------------------- */
    {"mov.u32 %r0, %tid.x", 96, thread_itself, NULL},
    {"mov.u32 %r0, %ntid.x", 96, block_size, NULL},
    {"mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z; add.s32 %r0, %r4, %r5", 32, zero, NULL},
    {"mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z; mul.lo.s32 %r0, %r4, %r5", 32, one, NULL},
    {"mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z; or.b32 %r0, %r4, %r5; "
     "or.b32 %r0, %r0, %r6", 32, zero, NULL},
    {"mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %nctaid.z; and.b32 %r0, %r4, %r5; "
     "and.b32 %r0, %r0, %r6", 32, one, NULL},
    {"mov.u32 %r0, %laneid", 96, lane, NULL},
    /* On hardware it is the slot that the warp happens to hold; here the warp's number. */
    {"mov.u32 %r0, %warpid", 96, warp_number, NULL},
    {"mov.u32 %r0, %lanemask_lt", 64, lanes_below, NULL},
    {"mov.u32 %r0, %lanemask_le", 64, lanes_up_to, NULL},
    {"mov.u32 %r0, %lanemask_gt", 64, lanes_above, NULL},
    {"mov.u32 %r0, %lanemask_ge", 64, lanes_from, NULL},
    {"mov.u32 %r0, %lanemask_eq", 64, lane_alone, NULL},
    {"mov.u32 %r4, %cluster_nctarank; mov.u32 %r5, %cluster_ctarank; sub.u32 %r0, %r4, %r5", 32, one, NULL},
    {"mov.u64 %d4, %clock64; mov.u64 %d5, %clock64; setp.ge.u64 %p0, %d5, %d4", 32, one, NULL},
    /* eight dependent additions of 4.13 cycles each, and what reading the clock takes */
    {"mov.u64 %d4, %clock64; add.u32 %r4, %r1, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; "
     "add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; mov.u64 %d5, %clock64; "
     "sub.u64 %d5, %d5, %d4; setp.ge.u64 %p0, %d5, 33; setp.le.and.u64 %p0, %d5, 46, %p0", 32, one, NULL},
    {"mov.u32 %r4, WARP_SZ; setp.eq.u32 %p0, %r4, 32", 32, one, NULL},

    /* ---- divergence ---------------------------------------------------------------------------------------------- */
    {"setp.lt.u32 %p4, %r1, 16; @%p4 bra LOW; setp.lt.u32 %p5, %r1, 24; @%p5 bra THIRD; mov.u32 %r0, 4; "
     "bra.uni END; THIRD: mov.u32 %r0, 3; bra.uni END; LOW: setp.lt.u32 %p5, %r1, 8; @%p5 bra FIRST; "
     "mov.u32 %r0, 2; bra.uni END; FIRST: mov.u32 %r0, 1; END:", 32, quarters, NULL},
    {"mov.u32 %r0, 0; mov.u32 %r4, 0; LOOP: setp.gt.u32 %p4, %r4, %r1; @%p4 bra END; add.s32 %r0, %r0, %r4; "
     "add.s32 %r4, %r4, 1; bra LOOP; END:", 64, triangle, NULL},
    {"mov.u32 %r0, 0; mov.u32 %r4, 0; rem.u32 %r8, %r1, 3; OUTER: setp.ge.u32 %p4, %r4, %r1; @%p4 bra END; "
     "mov.u32 %r5, 0; INNER: setp.ge.u32 %p5, %r5, %r8; @%p5 bra NEXT; add.s32 %r0, %r0, 1; add.s32 %r5, %r5, 1; "
     "bra INNER; NEXT: add.s32 %r4, %r4, 1; bra OUTER; END:", 32, product_of_loops, NULL},
    {"mov.u32 %r0, 0; mov.u32 %r4, 27; LOOP: setp.eq.u32 %p4, %r4, 1; @%p4 bra END; add.s32 %r0, %r0, 1; "
     "and.b32 %r5, %r4, 1; setp.eq.s32 %p5, %r5, 0; @%p5 shr.u32 %r4, %r4, 1; @!%p5 mad.lo.s32 %r4, %r4, 3, 1; "
     "bra LOOP; END:", 32, collatz_27, NULL},
    {"mov.u32 %r0, 200; setp.lt.u32 %p4, %r1, 5; @%p4 mov.u32 %r0, 100", 32, predicated, NULL},
    {"mov.u32 %r0, 100; setp.lt.u32 %p4, %r1, 5; @!%p4 mov.u32 %r0, 200", 32, predicated, NULL},
    {"setp.ge.u32 %p4, %r1, 10; @%p4 ret; mov.u32 %r0, %r1", 64, a_live, NULL},
    {"setp.ge.u32 %p4, %r1, 10; @%p4 exit; mov.u32 %r0, %r1", 64, a_live, NULL},
    {"setp.lt.u32 %p4, %r1, 7; @%p4 bra OTHER; add.s32 %r4, %r1, 0; bra JOIN; OTHER: mov.u32 %r4, %r1; "
     "JOIN: shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1; shfl.sync.bfly.b32 %r0, %r5, 1, 31, -1", 32, thread_itself, NULL},
    {"and.b32 %r4, %r1, 3; TABLE: .branchtargets A, B, C, D; brx.idx %r4, TABLE; A: mov.u32 %r0, 10; bra END; "
     "B: mov.u32 %r0, 21; bra END; C: mov.u32 %r0, 32; bra END; D: mov.u32 %r0, 43; END:", 32, by_switch, NULL},

    /* ---- functions ----------------------------------------------------------------------------------------------- */
    {"{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), square, (p); ld.param.b32 %r4, [q]; "
     "} add.s32 %r0, %r4, 7", 64, square_plus_seven, square_function},
    {"mov.u32 %r0, 1; and.b32 %r4, %r1, 1; setp.eq.s32 %p4, %r4, 0; @%p4 bra END; { .param .b32 p; .param .b32 q; "
     "st.param.b32 [p], %r1; call (q), square, (p); ld.param.b32 %r0, [q]; } END:", 32, square_of_odd, square_function},
    {"{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), thrice, (p); ld.param.b32 %r0, [q]; }",
     32, thrice, nested_functions},
    {"mov.f32 %f4, 0f40A00000; { .param .b32 p; .param .f32 x; .param .b64 q; st.param.b32 [p], %r1; "
     "st.param.f32 [x], %f4; call.uni (q), mixed, (p, x); ld.param.b64 %d0, [q]; }", 32, wide, mixed_function},
};

#endif
