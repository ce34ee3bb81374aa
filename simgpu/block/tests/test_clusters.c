#include "simgpu/tests/sanitizer_kernels.h"

static const char *const in_order[] = {
    "exchange",         "two_buffers",         "store_there",      "count_there",
    "tell_by_mbarrier", "first_block_ends",    "arrive_then_wait", "exchange_in_global_memory",
    "add_atomically",   "both_store_the_same", "last_cluster_sums"};

static const SanitizerRow rows[] = {
    {"exchange_without_sync", 2, SIM_RACE_IN_CLUSTER, 0, "with no cluster.sync() in between"},
    {"one_buffer", 2, SIM_RACE_IN_CLUSTER, 0, "shared variable 'tile'"},
    {"store_there_without_sync", 2, SIM_RACE_IN_CLUSTER, 0, "of block 1 of its cluster, which block 1"},
    {"count_there_without_sync", 2, SIM_RACE_IN_CLUSTER, 0, "shared variable 'count'"},
    {"ends_too_early", 2, SIM_RACE_IN_CLUSTER, 0,
     "shared variable 'tile' of block 0 of its cluster, which may end before that: a cluster.sync() after it is "
     "missing"},
    {"stores_into_one_that_ends", 2, SIM_RACE_IN_CLUSTER, 0, "which may end before that"},
    {"reads_what_the_other_stores", 2, SIM_RACE_IN_CLUSTER, 0, "of its cluster has"},
    {"reads_before_the_other_stores", 2, SIM_RACE_IN_CLUSTER, 0, "of its cluster has"},
    {"both_store", 64, SIM_RACE_IN_CLUSTER, 0, "of its cluster has written with no cluster.sync() in between"},
    {"waits_for_its_own_block", 2, SIM_RACE_IN_CLUSTER, 0, "with no cluster.sync() in between"},
    {"reads_of_the_next_cluster", 8, SIM_RACE_OF_BLOCKS, 0, "blocks run in any order"},
    {"warps_race", 2, SIM_RACE_OF_WARPS, 0, "shared variable 'tile'"},
};

static SimReport run(const char *kernel, uint32_t blocks)
{
    return sanitizer_run_of("clusters.ptx", kernel, blocks, 2, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED, true,
                            NULL);
}

static void blocks_that_wait_for_the_cluster_do_not_race(void **state)
{
    for (size_t i = 0; i < COUNT_OF(in_order); i++)
        for (uint32_t blocks = 2; blocks <= 512; blocks *= 16) {
            SimReport report = run(in_order[i], blocks);
            expect_none(in_order[i], &report);
        }
}

static void each_missing_wait_for_the_cluster_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = run(rows[i].kernel, rows[i].blocks);
        expect_finding(&rows[i], &report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_wait_for_the_cluster_do_not_race),
        cmocka_unit_test(each_missing_wait_for_the_cluster_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
