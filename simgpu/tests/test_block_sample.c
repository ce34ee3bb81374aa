#include "simgpu/tests/one_gpu.h"

#include <math.h>

/* Each thread stores how often it went through a loop. With `uneven`, some blocks go through it a third more often. */
#define KERNEL(name, extra)                                                                                            \
    ".visible .entry " name "(.param .u64 out, .param .u32 uneven)\n{\n"                                               \
    " .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<2>;\n"                                                          \
    " ld.param.u64 %d1, [out];\n ld.param.u32 %r1, [uneven];\n"                                                        \
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n mad.lo.s32 %r5, %r2, %r3, %r4;\n"        \
    " and.b32 %r6, %r2, 7;\n mul.lo.s32 %r6, %r6, %r1;\n add.s32 %r6, %r6, 50;\n"                                      \
    " mov.u32 %r7, 0;\n"                                                                                               \
    "L:\n add.s32 %r7, %r7, 1;\n setp.lt.s32 %p1, %r7, %r6;\n @%p1 bra L;\n"                                           \
    " mul.wide.s32 %d2, %r5, 4;\n add.s64 %d3, %d1, %d2;\n" extra " st.global.u32 [%d3], %r7;\n ret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" KERNEL("plain", "")
    KERNEL("atomic", " atom.global.add.u32 %r9, [%d1], 0;\n") KERNEL("fence", " membar.gl;\n")
        KERNEL("volatile", " ld.volatile.global.u32 %r9, [%d3];\n") KERNEL(
            "shared", " .shared .align 4 .b8 tile[4];\n mov.u32 %r9, tile;\n atom.shared.add.u32 %r10, [%r9], 1;\n");

enum { BLOCKS = 20000, THREADS = 64 };

typedef struct Parameters {
    uint64_t out;
    uint32_t uneven;
} Parameters;

static SimModule *module;
static uint64_t out;
static const uint32_t zero;

static SimReport launch(const char *kernel, bool uneven, uint32_t blocks, uint64_t limit, uint32_t key, uint32_t flags)
{
    const Parameters parameters = {out, uneven ? 2 : 0};
    const Chacha20Key words = {{key}};
    const SimLaunch request = {.function = simgpu_function(module, kernel),
                               .shape = {.grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}},
                               .parameters = &parameters,
                               .flags = flags,
                               .sample_key = &words,
                               .sample_lane_instructions = limit,
                               .marked = {out, (uint64_t)blocks * THREADS * sizeof zero, &zero, 1}};
    SimReport report = {0};
    memset(at(out), 0, (size_t)BLOCKS * THREADS * 4);
    simgpu_launch(gpu, &request, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    return report;
}

static uint32_t blocks_that_ran(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCKS; i++)
        count += ((const uint32_t *)at(out))[(size_t)i * THREADS] != 0;
    return count;
}

static double ratio_of(uint64_t a, uint64_t b)
{
    return (double)a / (double)b;
}

/* Blocks that are alike can be counted from any of them. */
static void a_sample_of_equal_blocks_counts_as_the_whole_grid(void **state)
{
    const SimReport whole = launch("plain", false, BLOCKS, 0, 1, SIM_COUNT_LINES);
    const SimCounters all = whole.counters;
    const uint64_t of_line = whole.lines[0].counters.warp_instructions;
    assert_true(whole.sampled_share == 1 && blocks_that_ran() == BLOCKS);
    const SimReport sample = launch("plain", false, BLOCKS, 10000000, 1, SIM_COUNT_LINES);
    assert_true(sample.sampled_share > 0.01 && sample.sampled_share < 0.5);
    assert_true(sample.sample_error == 0);
    assert_int_equal(blocks_that_ran(), (int)lround(sample.sampled_share * BLOCKS));
    assert_int_equal(sample.counters.warp_instructions, all.warp_instructions);
    assert_int_equal(sample.counters.global_store_sectors, all.global_store_sectors);
    assert_int_equal(sample.counters.unique_store_sectors, all.unique_store_sectors);
    assert_int_equal(sample.lines[0].counters.warp_instructions, of_line);
    assert_true(sample.modelled_s == whole.modelled_s);
}

static void a_sample_of_unequal_blocks_says_how_far_off_it_may_be(void **state)
{
    const SimReport whole = launch("plain", true, BLOCKS, 0, 1, 0);
    int outside = 0;
    for (uint32_t key = 1; key <= 20; key++) {
        const SimReport sample = launch("plain", true, BLOCKS, 10000000, key, 0);
        const double off = fabs(ratio_of(sample.counters.warp_instructions, whole.counters.warp_instructions) - 1);
        assert_true(sample.sampled_share < 1 && sample.sample_error > 0 && sample.sample_error <= 0.005);
        assert_true(off < 3 * sample.sample_error);
        outside += off > sample.sample_error;
    }
    assert_true(outside <= 4); /* one in twenty is expected; five or more happen once in 400 times */
}

static void the_key_decides_which_blocks_run(void **state)
{
    static uint32_t first[BLOCKS];
    uint32_t same = 0, ran;
    launch("plain", false, BLOCKS, 10000000, 7, 0);
    for (uint32_t i = 0; i < BLOCKS; i++)
        first[i] = ((const uint32_t *)at(out))[(size_t)i * THREADS];
    launch("plain", false, BLOCKS, 10000000, 7, 0);
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(first[i], ((const uint32_t *)at(out))[(size_t)i * THREADS]);
    launch("plain", false, BLOCKS, 10000000, 8, 0);
    ran = blocks_that_ran();
    for (uint32_t i = 0; i < BLOCKS; i++)
        same += first[i] != 0 && ((const uint32_t *)at(out))[(size_t)i * THREADS] != 0;
    assert_true(same < ran / 2);
}

static bool has_run(uint32_t block)
{
    return ((const uint32_t *)at(out))[(size_t)block * THREADS] != 0;
}

/* An index is most likely to go wrong there. A block stores 256 bytes. */
static void blocks_on_both_sides_of_a_power_of_two_are_in_each_sample(void **state)
{
    for (uint32_t key = 1; key <= 3; key++) {
        launch("plain", false, BLOCKS, 10000000, key, 0);
        for (uint32_t block = 16; block < BLOCKS; block *= 2)
            assert_true(has_run(block - 1) && has_run(block));
        assert_true(has_run(0) && has_run(BLOCKS - 1));
    }
}

static void what_a_sample_cannot_stand_for_runs_whole(void **state)
{
    static const struct {
        const char *kernel;
        uint32_t blocks;
        uint64_t limit;
        bool is_whole;
    } rows[] = {
        {"plain", BLOCKS, 10000000, false},  {"shared", BLOCKS, 10000000, false},  {"atomic", BLOCKS, 10000000, true},
        {"fence", BLOCKS, 10000000, true},   {"volatile", BLOCKS, 10000000, true}, {"plain", 1000, 1, true},
        {"plain", BLOCKS, UINT64_MAX, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const SimReport whole = launch(rows[i].kernel, true, rows[i].blocks, 0, 1, 0);
        const SimReport report = launch(rows[i].kernel, true, rows[i].blocks, rows[i].limit, 1, 0);
        if ((report.sampled_share == 1) != rows[i].is_whole)
            fail_test("row %zu: a share of %g", i, report.sampled_share);
        if (rows[i].is_whole)
            assert_memory_equal(&report.counters, &whole.counters, sizeof whole.counters);
        assert_true(!rows[i].is_whole || report.sample_error == 0);
    }
}

static int set_up(void **state)
{
    Message why = {0};
    new_gpu(state);
    if (machine_load(gpu, ptx, sizeof ptx - 1, "plain", &module, &why) == NULL)
        fail_test("%s", why.text);
    out = machine_array(gpu, NULL, (size_t)BLOCKS * THREADS * 4);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_of_equal_blocks_counts_as_the_whole_grid),
        cmocka_unit_test(a_sample_of_unequal_blocks_says_how_far_off_it_may_be),
        cmocka_unit_test(the_key_decides_which_blocks_run),
        cmocka_unit_test(blocks_on_both_sides_of_a_power_of_two_are_in_each_sample),
        cmocka_unit_test(what_a_sample_cannot_stand_for_runs_whole),
    };
    return cmocka_run_group_tests(tests, set_up, free_gpu);
}
