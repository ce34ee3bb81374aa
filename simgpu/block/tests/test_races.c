#include "simgpu/tests/sanitizer_kernels.h"

static const char *const in_order[] = {
    "halo_tile",
    "three_words_of_four",
    "double_buffer",
    "tree",
    "tree_with_syncwarp",
    "shuffles",
    "histogram",
    "largest_by_compare",
    "copies_ahead",
    "copies_of_the_same",
    "last_block_adds_up",
    "lock_around_a_sum",
    "all_raise_a_flag",
    "bytes_side_by_side",
    "producers_and_consumers",
    "local_array",
    "scratch_in_global_memory",
    "sums_by_compare_in_global_memory",
    "copies_of_ones_own",
    "copies_within_a_warp",
    "copies_all_awaited",
    "one_of_two_tiles",
    "barriers_of_branches_that_whole_blocks_take",
};

static void code_in_order_has_no_race(void **state)
{
    for (size_t i = 0; i < COUNT_OF(in_order); i++)
        for (uint32_t blocks = 1; blocks <= 16; blocks += 15) {
            SimReport report = sanitizer_run(in_order[i], blocks, 2, SIM_SANITIZE_RACES, true);
            expect_none(in_order[i], &report);
        }
}

static const SanitizerRow rows[] = {
    {"tile_without_barrier", 2, SIM_RACE_OF_WARPS, 2 * 128,
     "block (0,0,0), thread (0,0,0) reads 4 bytes at byte 508 of shared variable 'tile', which thread (127,0,0) has "
     "written with no barrier in between"},
    {"tile_loaded_too_early", 2, SIM_RACE_OF_WARPS, 2 * 128,
     "writes 4 bytes at byte 0 of shared variable 'tile', "
     "which thread (127,0,0) has read"},
    {"warps_write_one_word", 1, SIM_RACE_OF_WARPS, 3,
     "thread (32,0,0) writes 4 bytes at byte 0 of shared variable 'sum', "
     "which thread (0,0,0) has written"},
    {"lanes_write_one_word", 1, SIM_RACE_OF_LANES, 64,
     "thread (1,0,0) writes 4 bytes at byte 0 of shared variable "
     "'tile', where thread (0,0,0) writes another value at the same time"},
    {"lanes_exchange", 1, SIM_RACE_IN_WARP, 128, "no __syncthreads() or __syncwarp()"},
    {"tree_of_volatiles", 1, SIM_ORDER_IN_WARP, 16,
     "thread (0,0,0) reads 4 bytes at byte 64 of shared variable 'sums', which thread (16,0,0) of its warp has written with "
     "no __syncthreads() or __syncwarp() in between"},
    {"histogram_read_too_early", 1, SIM_RACE_OF_WARPS, 0, "reads 4 bytes at byte 0 of shared variable 'counts'"},
    {"histogram_cleared_too_late", 1, SIM_RACE_OF_WARPS, 0, "which thread (0,0,0) has written"},
    {"copy_without_barrier", 1, SIM_RACE_OF_WARPS, 128, "byte 508 of shared variable 'tile'"},
    {"copy_read_before_it_is_there", 1, SIM_RACE_WITH_COPY, 128,
     "thread (0,0,0) reads 4 bytes at byte 0 of shared variable "
     "'tile', into which its own cp.async copies: it has not waited for that copy"},
    {"copy_not_awaited", 1, SIM_RACE_WITH_COPY, 128,
     "thread (0,0,0) reads 4 bytes at byte 508 of shared variable 'tile', "
     "into which a cp.async of thread (127,0,0) copies: that thread did not wait for the copy before the last barrier"},
    {"copy_awaited_after_the_barrier", 1, SIM_RACE_WITH_COPY, 128, "before the last barrier"},
    {"copy_before_the_last_awaited", 1, SIM_RACE_WITH_COPY, 128, "byte 640 of shared variable 'stages'"},
    {"copy_overwritten_before_it_is_there", 1, SIM_RACE_WITH_COPY, 128, "writes 4 bytes at byte 0"},
    {"index_beyond_a_tile", 1, SIM_OUTSIDE_VARIABLE, 1,
     "thread (127,0,0) reads 4 bytes past the end of shared array 'tile', at byte 0 of shared variable 'next'"},
    {"scratch_without_barrier", 2, SIM_RACE_OF_WARPS, 2 * 128,
     "thread (0,0,0) reads 4 bytes at output[32], which "
     "thread (32,0,0) has written with no barrier in between"},
    {"in_place", 1, SIM_RACE_OF_WARPS, 3,
     "thread (31,0,0) writes 4 bytes at words[31], which thread (32,0,0) has read"},
    {"lanes_store_one_element", 1, SIM_RACE_OF_LANES, 64,
     "thread (1,0,0) writes 4 bytes at output[0], where thread "
     "(0,0,0) writes another value at the same time"},
    {"blocks_add_up", 4, SIM_RACE_OF_BLOCKS, 128,
     "block (3,0,0), thread (0,0,0) reads 4 bytes at output[0], which block (0,0,0) writes in the same launch"},
    {"blocks_write_one_word", 4, SIM_RACE_OF_BLOCKS, 1,
     "block (3,0,0), thread (5,0,0) writes 4 bytes at output[3], where block (0,0,0) writes another value"},
    {"blocks_read_their_neighbours", 3, SIM_RACE_OF_BLOCKS, 256,
     "block (1,0,0), thread (0,0,0) reads 4 bytes at output[0], which block (0,0,0) writes"},
    {"cleared_while_others_add", 3, SIM_RACE_OF_BLOCKS, 128,
     "block (2,0,0), thread (0,0,0) writes 4 bytes at output[0], which block (0,0,0) writes without an atomic"},
    {"barriers_of_two_branches", 2, SIM_MIXED_BARRIERS, 2,
     "block (0,0,0), thread (64,0,0) waits at one __syncthreads() while thread (0,0,0) waits at another: all threads of a "
     "block must reach the same one, 2 times in all"},
    {"half_a_warp_shuffles", 1, SIM_BAD_SHUFFLE, 4 * 8, "thread (8,0,0) takes the value of lane 16 of its warp"},
};

static void each_race_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = sanitizer_run(rows[i].kernel, rows[i].blocks, 1, SIM_SANITIZE_RACES, true);
        expect_finding(&rows[i], &report);
    }
}

static void findings_do_not_depend_on_the_number_of_threads(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport one = sanitizer_run(rows[i].kernel, SANITIZER_MAX_BLOCKS, 1, SIM_SANITIZE_RACES, true);
        SimReport three = sanitizer_run(rows[i].kernel, SANITIZER_MAX_BLOCKS, 3, SIM_SANITIZE_RACES, true);
        if (one.finding_count == 0)
            fail_test("%s: nothing was found", rows[i].kernel);
        assert_int_equal(one.finding_count, three.finding_count);
        for (uint32_t j = 0; j < one.finding_count; j++) {
            assert_string_equal(one.findings[j].where.text, three.findings[j].where.text);
            assert_int_equal(one.findings[j].where.lanes, three.findings[j].where.lanes);
        }
    }
}

/* Each of 512 blocks races alike. Without a key, the first block is one of those that are chosen; with a key, others are
 * chosen, and the first is looked at besides. */
static void a_key_chooses_the_blocks_that_are_looked_at(void **state)
{
    const char *kernel = "scratch_without_barrier";
    static const Chacha20Key some = {{1}}, other = {{2}};
    const Chacha20Key *keys[] = {NULL, &some, &other};
    uint64_t lanes[COUNT_OF(keys)];
    SimReport plain = sanitizer_run(kernel, SANITIZER_MAX_BLOCKS, 2, 0, true);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        SimReport report = sanitizer_run_sampled(kernel, SANITIZER_MAX_BLOCKS, 2, SIM_SANITIZE_RACES, true, keys[i]);
        SimReport again = sanitizer_run_sampled(kernel, SANITIZER_MAX_BLOCKS, 1, SIM_SANITIZE_RACES, true, keys[i]);
        assert_true(report.finding_count > 0);
        lanes[i] = report.findings[0].where.lanes;
        assert_int_equal(lanes[i], again.findings[0].where.lanes);
        assert_true(report.modelled_s == plain.modelled_s);
        assert_memory_equal(&report.counters, &plain.counters, sizeof plain.counters);
    }
    assert_true(lanes[0] != lanes[1] || lanes[0] != lanes[2] || lanes[1] != lanes[2]);
}

/* A sample finds what threads of one block do to each other. */
static void a_sample_of_the_blocks_is_enough_to_find_a_race(void **state)
{
    static const char *const wrong[] = {"tile_without_barrier", "tile_loaded_too_early", "copy_not_awaited"};
    const uint32_t all = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED;
    static const Chacha20Key key = {{5}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        SimReport some = sanitizer_run_sampled(wrong[i], SANITIZER_MAX_BLOCKS, 2, all | SIM_SANITIZE_SAMPLE, true,
                                               &key);
        SimReport most = sanitizer_run_sampled(wrong[i], SANITIZER_MAX_BLOCKS, 2, all, true, &key);
        if (some.finding_count == 0)
            fail_test("%s: nothing was found", wrong[i]);
        assert_true(some.findings[0].where.lanes < most.findings[0].where.lanes);
    }
    for (size_t i = 0; i < COUNT_OF(in_order); i++) {
        SimReport report = sanitizer_run_sampled(in_order[i], 100, 2, SIM_SANITIZE_RACES | SIM_SANITIZE_SAMPLE, false,
                                                 &key);
        expect_none(in_order[i], &report);
    }
}

static void watching_changes_no_counter(void **state)
{
    for (size_t i = 0; i < COUNT_OF(in_order); i++) {
        SimReport watched = sanitizer_run(in_order[i], 4, 1, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED, true);
        SimReport not = sanitizer_run(in_order[i], 4, 1, 0, true);
        assert_memory_equal(&watched.counters, &not .counters, sizeof not .counters);
        assert_true(watched.modelled_s == not .modelled_s);
    }
}

static void only_what_is_asked_for_is_found(void **state)
{
    SimReport report = sanitizer_run("tile_without_barrier", 2, 1, SIM_SANITIZE_UNINITIALISED, true);
    expect_none("tile_without_barrier", &report);
    report = sanitizer_run("adds_to_output", 2, 1, SIM_SANITIZE_RACES, false);
    expect_none("adds_to_output", &report);
    report = sanitizer_run("blocks_add_up", 2, 1, 0, false);
    expect_none("blocks_add_up", &report);
}

/* What blocks did is kept of any address, not of the whole allocation. */
static void races_in_large_allocations_are_found(void **state)
{
    const uint64_t bytes = 1ull << 30, place = bytes - 4096;
    SimGpu *gpu = machine_new(0, 2);
    SimModule *module;
    SimReport report;
    SimFunction *function = machine_read(gpu, "sanitizer.ptx", "blocks_write_one_word", &module);
    uint64_t large = simgpu_alloc(gpu, bytes);
    const uint64_t arrays[] = {large, large + place, large};
    SimLaunch launch = {.function = function,
                        .shape.grid = {4, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .parameters = arrays,
                        .flags = SIM_SANITIZE_RACES};
    simgpu_name(gpu, large, "large", 1);
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.finding_count, 1);
    assert_non_null(strstr(report.findings[0].where.text, "at large[1073737740], where block (0,0,0) writes another"));
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
}

/* Which allocations a launch changes is known by where its pointers lead. Both lines that read a neighbour are
 * found. */
static void one_array_as_input_and_output_races(void **state)
{
    SimGpu *gpu = machine_new(0, 2);
    SimModule *module;
    SimReport report;
    SimFunction *function = machine_read(gpu, "sanitizer.ptx", "halo_tile", &module);
    uint64_t array = machine_array(gpu, NULL, SANITIZER_ELEMENTS * sizeof(float));
    const uint64_t arrays[] = {array, array, machine_array(gpu, NULL, SANITIZER_ELEMENTS * sizeof(float))};
    simgpu_mark_written(gpu, array, SANITIZER_ELEMENTS * sizeof(float));
    SimLaunch launch = {.function = function,
                        .shape.grid = {4, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .parameters = arrays,
                        .flags = SIM_SANITIZE_RACES};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.finding_count, 2);
    assert_int_equal(report.findings[0].kind, SIM_RACE_OF_BLOCKS);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_in_order_has_no_race),
        cmocka_unit_test(each_race_is_found),
        cmocka_unit_test(races_in_large_allocations_are_found),
        cmocka_unit_test(one_array_as_input_and_output_races),
        cmocka_unit_test(findings_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_key_chooses_the_blocks_that_are_looked_at),
        cmocka_unit_test(a_sample_of_the_blocks_is_enough_to_find_a_race),
        cmocka_unit_test(watching_changes_no_counter),
        cmocka_unit_test(only_what_is_asked_for_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
