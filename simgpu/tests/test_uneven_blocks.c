#include "simgpu/tests/one_gpu.h"

#include <math.h>

/* A tile is a loop of `turns` sums and a store. */
#define TILE(label)                                                                                                    \
    " mov.u32 %r8, 0;\n" label ":\n fma.rn.f32 %f1, %f1, %f1, %f1;\n ld.global.f32 %f2, [%d2];\n"                      \
    " add.f32 %f1, %f1, %f2;\n add.u32 %r8, %r8, 1;\n setp.lt.u32 %p1, %r8, %r2;\n @%p1 bra " label ";\n"              \
    " st.global.f32 [%d2], %f1;\n"
#define SHUFFLE " shfl.sync.bfly.b32 %r8, %r8, 1, 31, -1;\n"
#define KERNEL(name, body)                                                                                             \
    ".visible .entry " name "(.param .u64 counter, .param .u64 out, .param .u32 tiles, .param .u32 turns)\n{\n"        \
    " .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>; .reg .f32 %f<4>;\n"                                         \
    " ld.param.u64 %d1, [counter];\n ld.param.u64 %d2, [out];\n ld.param.u32 %r1, [tiles];\n"                          \
    " ld.param.u32 %r2, [turns];\n mov.f32 %f1, 0f3F800000;\n mov.u32 %r3, %tid.x;\n mov.u32 %r4, %ctaid.x;\n"         \
    " mul.wide.u32 %d3, %r3, 4;\n add.s64 %d2, %d2, %d3;\n" body " ret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* each lane takes a ticket, and 32 of them are a tile */
    KERNEL("queue", "N:\n atom.global.add.u32 %r5, [%d1], 1;\n shr.u32 %r5, %r5, 5;\n setp.ge.u32 %p2, %r5, %r1;\n"
                    " @%p2 ret;\n" TILE("A") " bra N;\n")
    /* each block does as many tiles as there are for one */
    KERNEL("dealt", " mov.u32 %r6, 0;\nN:\n setp.ge.u32 %p2, %r6, %r1;\n @%p2 ret;\n add.u32 %r6, %r6, 1;\n" TILE(
                        "B") " bra N;\n")
    /* the block that comes last adds something up */
    KERNEL("last", TILE("C") " atom.global.add.u32 %r5, [%d1], 1;\n shr.u32 %r5, %r5, 5;\n add.u32 %r5, %r5, 1;\n"
                             " setp.lt.u32 %p2, %r5, %r1;\n @%p2 ret;\n mul.lo.u32 %r2, %r2, 50;\n" TILE(
                                 "D")) KERNEL("leaving", " setp.ge.u32 %p2, %r3, 128;\n @%p2 ret;\n" TILE("E"))
        KERNEL("skipping", " setp.ge.u32 %p2, %r3, 128;\n @%p2 bra M;\n" TILE("F") "M:\n") KERNEL(
            "meeting", " setp.ge.u32 %p2, %r3, 128;\n @%p2 bra M;\n" TILE("G") "M:\n bar.sync 0;\n")
            KERNEL("double", " cvt.f64.f32 %d4, %f1;\n cvt.rn.f32.f64 %f2, %d4;\n st.global.f32 [%d2], %f2;\n") KERNEL(
                "neighbours",
                " atom.global.add.f32 %f2, [%d2], %f1;\n") KERNEL("one_word", " atom.global.add.f32 %f2, [%d1], %f1;\n")
                KERNEL("shared",
                       " .shared .align 4 .b8 s[128];\n mov.u32 %r5, s;\n and.b32 %r6, %r3, 3;\n shl.b32 %r6, %r6, 2;\n"
                       " add.u32 %r5, %r5, %r6;\n atom.shared.add.u32 %r7, [%r5], 1;\n")
                    KERNEL("shuffling", " shr.u32 %r2, %r2, 2;\n mov.u32 %r8, 0;\nH:\n" SHUFFLE SHUFFLE SHUFFLE SHUFFLE
                                        " add.u32 %r8, %r8, 1;\n setp.lt.u32 %p1, %r8, %r2;\n @%p1 bra H;\n"
                                        " st.global.u32 [%d2], %r8;\n");

enum { MULTIPROCESSORS = 132, TURNS = 400 };

static SimModule *module;
static uint64_t counter, out;

static SimReport launch(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t tiles)
{
    const struct {
        uint64_t counter, out;
        uint32_t tiles, turns;
    } parameters = {counter, out, tiles, TURNS};
    const SimLaunch request = {.function = simgpu_function(module, kernel),
                               .shape = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}},
                               .parameters = &parameters};
    SimReport report;
    memset(at(counter), 0, 4);
    simgpu_launch(gpu, &request, &report);
    assert_int_equal(report.outcome, SIM_OK);
    return report;
}

static bool is_near(double found, double expected)
{
    return fabs(found - expected) <= 0.1 * expected;
}

/* The simulator's first block takes all tiles, and on hardware those take them whose turn it is. */
static void persistent_blocks_share_what_they_take_from_a_queue(void **state)
{
    const SimReport queue = launch("queue", MULTIPROCESSORS, 32, 8 * MULTIPROCESSORS),
                    dealt = launch("dealt", MULTIPROCESSORS, 32, 8);
    assert_true(is_near(queue.block_shares.share, 1.0 / MULTIPROCESSORS) && queue.block_shares.together == 1);
    assert_true(is_near(queue.block_shares.waves, 8) && is_near(queue.modelled_s, dealt.modelled_s));
}

static void one_block_too_many_in_a_queue_costs_no_wave(void **state)
{
    const SimReport fitting = launch("queue", MULTIPROCESSORS, 32, 8 * MULTIPROCESSORS),
                    more = launch("queue", MULTIPROCESSORS, 32, 8 * MULTIPROCESSORS + 1);
    assert_true(is_near(more.block_shares.waves, fitting.block_shares.waves + 1));
}

static void what_the_last_block_adds_up_comes_after_all_others(void **state)
{
    const SimReport with = launch("last", MULTIPROCESSORS, 32, MULTIPROCESSORS),
                    without = launch("last", MULTIPROCESSORS, 32, MULTIPROCESSORS + 1);
    assert_true(with.modelled_s > 10 * without.modelled_s);
    assert_true(is_near(with.block_shares.waves, 51 / 50.0));
}

/* 4 warps of 32 work. Those that have returned, or have skipped the work, make room for other blocks. */
static void warps_that_exit_make_room(void **state)
{
    const SimReport leaving = launch("leaving", 10 * MULTIPROCESSORS, 1024, 0),
                    skipping = launch("skipping", 10 * MULTIPROCESSORS, 1024, 0),
                    meeting = launch("meeting", 10 * MULTIPROCESSORS, 1024, 0);
    assert_true(is_near(leaving.block_shares.staying, 4 / 32.0) && is_near(skipping.block_shares.staying, 4 / 32.0));
    assert_true(is_near(meeting.block_shares.staying, 1));
    assert_true(leaving.modelled_s < 0.5 * meeting.modelled_s);
}

static void conversions_from_and_to_double_are_special_functions(void **state)
{
    const SimReport report = launch("double", 1, 32, 0);
    assert_int_equal(report.counters.special, 2 * 32);
    assert_int_equal(report.counters.fp64, 0);
}

static void atomic_operations_cost_what_they_touch(void **state)
{
    const SimReport neighbours = launch("neighbours", 2, 64, 0), one_word = launch("one_word", 2, 64, 0),
                    shared = launch("shared", 2, 64, 0);
    assert_int_equal(neighbours.counters.atomic_sectors, 2 * 2 * 4);
    assert_int_equal(one_word.counters.atomic_sectors, 2 * 2 * (1 + 31));
    assert_int_equal(shared.counters.atomic_sectors, 0);
    assert_int_equal(shared.counters.shared_atomic_wavefronts, 2 * 2 * 8);
}

/* A multiprocessor of an H200 makes one in a cycle, and holds two of these blocks. */
static void shuffles_take_the_cycles_of_a_multiprocessor(void **state)
{
    const SimReport one = launch("shuffling", 2 * MULTIPROCESSORS, 1024, 0);
    const SimReport two = launch("shuffling", 4 * MULTIPROCESSORS, 1024, 0);
    assert_int_equal(one.counters.shuffle_requests, 2 * MULTIPROCESSORS * 32 * TURNS);
    assert_true(two.modelled_s - one.modelled_s > 0.99 * 2 * 32 * TURNS / 1.98e9);
}

static int set_up(void **state)
{
    Message why = {0};
    new_gpu(state);
    if (machine_load(gpu, ptx, sizeof ptx - 1, "queue", &module, &why) == NULL)
        fail_test("%s", why.text);
    counter = machine_array(gpu, NULL, 4);
    out = machine_array(gpu, NULL, 1024 * 4);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persistent_blocks_share_what_they_take_from_a_queue),
        cmocka_unit_test(one_block_too_many_in_a_queue_costs_no_wave),
        cmocka_unit_test(what_the_last_block_adds_up_comes_after_all_others),
        cmocka_unit_test(warps_that_exit_make_room),
        cmocka_unit_test(conversions_from_and_to_double_are_special_functions),
        cmocka_unit_test(atomic_operations_cost_what_they_touch),
        cmocka_unit_test(shuffles_take_the_cycles_of_a_multiprocessor),
    };
    return cmocka_run_group_tests(tests, set_up, free_gpu);
}
