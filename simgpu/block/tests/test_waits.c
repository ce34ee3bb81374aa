#include "simgpu/tests/sanitizer_kernels.h"

static const char *const in_order[] = {
    "arrive_and_wait",
    "arrive_then_wait",
    "half_produces_half_consumes",
    "named_barriers",
    "pipeline_of_the_block",
    "last_block",
    "last_block_of_all_threads",
    "last_block_by_release",
    "flags_of_neighbours",
    "flags_of_neighbours_read_volatile",
    "flags_that_are_values",
    "pipeline_one_ahead",
    "barrier_of_those_that_are_left",
    "blocks_in_turn",
    "tiles_that_agree_where_they_overlap",
    "read_only_before_the_store",
};

static const SanitizerRow rows[] = {
    {"arrive_without_wait", 1, SIM_RACE_OF_WARPS, 128, "shared variable"},
    {"second_wait_missing", 1, SIM_RACE_OF_WARPS, 0, "which thread"},
    {"initialised_too_late", 1, SIM_RACE_OF_WARPS, 0, "with no barrier in between"},
    {"consumers_do_not_wait", 1, SIM_RACE_OF_WARPS, 64, "shared variable"},
    {"arrives_at_a_named_barrier", 1, SIM_RACE_OF_WARPS, 0, "shared variable"},
    {"arrives_at_another_barrier", 1, SIM_RACE_OF_WARPS, 0, "shared variable"},
    {"exits_before_a_counted_barrier", 1, SIM_RACE_OF_WARPS, 32, "shared variable"},
    {"pipeline_without_consumer_wait", 1, SIM_RACE_OF_WARPS, 0, "shared variable"},
    {"last_block_without_fence", 4, SIM_NO_FENCE, 0, "at output["},
    {"counted_before_it_is_stored", 4, SIM_NO_FENCE, 0, "__threadfence() is missing, or a barrier"},
    {"counted_without_waiting_for_the_block", 4, SIM_NO_FENCE, 0, "at output["},
    {"flag_without_fence", 4, SIM_NO_FENCE, 0, "once a counter or flag says so"},
    {"last_block_without_fence_reads_volatile", 4, SIM_NO_FENCE, 0, "at output["},
    {"flag_without_fence_reads_volatile", 4, SIM_NO_FENCE, 0, "__threadfence() is missing"},
    {"exits_before_a_barrier_of_all", 1, SIM_EARLY_EXIT, 1,
     "thread (64,0,0) has returned before a __syncthreads() that thread (0,0,0) reaches"},
    {"every_block_writes_the_sum", 4, SIM_RACE_OF_BLOCKS, 128,
     "block (3,0,0), thread (0,0,0) writes 4 bytes at output[128], where block (0,0,0) writes another value"},
    {"tiles_that_differ_where_they_overlap", 4, SIM_RACE_OF_BLOCKS, 0, "writes another value: blocks run in any order"},
    {"cleared_without_a_fence", 4, SIM_RACE_OF_BLOCKS, 128, "where block (0,0,0) writes another value"},
    {"read_only_after_the_store", 2, SIM_STALE_LOAD, 2 * 128,
     "block (0,0,0), thread (0,0,0) reads 4 bytes at output[0], through the read-only cache (__ldg(), or a const "
     "__restrict__ pointer), while block (0,0,0) writes there in the same launch"},
    {"read_only_behind_a_barrier", 2, SIM_STALE_LOAD, 2 * 128, "thread (0,0,0) reads 4 bytes at output[127]"},
    {"read_only_by_the_last_block", 4, SIM_STALE_LOAD, 0, "through the read-only cache"},
    {"pipeline_one_ahead_waits_once", 1, SIM_RACE_OF_WARPS, 0, "shared variable 'tiles'"},
    {"own_pipeline_without_consumer_wait", 1, SIM_RACE_WITH_COPY, 0, "shared variable"},
};

static SimReport run(const char *kernel, uint32_t blocks)
{
    return sanitizer_run_of("waits.ptx", kernel, blocks, 2, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED, true,
                            NULL);
}

static void threads_that_wait_do_not_race(void **state)
{
    for (size_t i = 0; i < COUNT_OF(in_order); i++)
        for (uint32_t blocks = 1; blocks <= 16; blocks += 15) {
            SimReport report = run(in_order[i], blocks);
            expect_none(in_order[i], &report);
        }
}

static void each_missing_wait_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = run(rows[i].kernel, rows[i].blocks);
        expect_finding(&rows[i], &report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_wait_do_not_race),
        cmocka_unit_test(each_missing_wait_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
