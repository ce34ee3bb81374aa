#include "simgpu/tests/sanitizer_kernels.h"

static const char *const in_order[] = {"each_thread_fences",
                                       "the_copying_thread_fences",
                                       "reader_arrives",
                                       "matrix_after_barrier",
                                       "product",
                                       "product_of_two_buffers",
                                       "product_of_two_groups",
                                       "fragments_fenced",
                                       "next_fragment_loaded_ahead",
                                       "sums_begin_with_an_offset",
                                       "sums_scaled_and_fenced",
                                       "stored_and_copied_back",
                                       "stored_and_copied_back_by_global_fence",
                                       "copied_over_zeros"};

static const SanitizerRow rows[] = {
    {"no_thread_fences", 1, SIM_NO_PROXY_FENCE, 0, "shared variable 'tile'"},
    {"one_thread_fences_too_early", 1, SIM_NO_PROXY_FENCE, 0, "if a fence.proxy.async comes after the store"},
    {"fences_before_it_stores", 1, SIM_NO_PROXY_FENCE, 0, "shared variable 'tile'"},
    {"overwritten_while_copied", 1, SIM_RACE_WITH_COPY, 0,
     "which a bulk copy of thread (0,0,0) reads: cp.async.bulk.wait_group.read by that thread is missing, or a barrier "
     "after it"},
    {"matrix_before_barrier", 1, SIM_RACE_OF_WARPS, 0, "shared variable 'tile'"},
    {"matrix_overwritten", 1, SIM_RACE_OF_WARPS, 0, "has read with no barrier in between"},
    {"matrix_of_nothing", 1, SIM_UNINITIALISED, 0, "shared variable 'tile'"},
    {"product_without_fence", 1, SIM_NO_PROXY_FENCE, 0, "shared variable 'b'"},
    {"product_without_barrier", 1, SIM_RACE_OF_WARPS, 0, "shared variable 'b'"},
    {"product_overwritten", 1, SIM_RACE_WITH_PRODUCT, 0, "has not waited for it by wgmma.wait_group"},
    {"sums_used_too_early", 1, SIM_UNWAITED_PRODUCT, 0, "uses the sums of a wgmma before a wgmma.wait_group"},
    {"sums_of_the_later_group", 1, SIM_UNWAITED_PRODUCT, 0, "has waited for it"},
    {"never_committed", 1, SIM_UNWAITED_PRODUCT, 0, "uses the sums of a wgmma"},
    {"never_fenced", 1, SIM_UNFENCED_PRODUCT, 0, "with no wgmma.fence in between"},
    {"fenced_before_the_loop", 1, SIM_UNFENCED_PRODUCT, 0, "executes a wgmma on registers that it has set"},
    {"fenced_before_the_load", 1, SIM_UNFENCED_PRODUCT, 0, "with no wgmma.fence in between"},
    {"sums_scaled_between", 1, SIM_UNFENCED_PRODUCT, 0, "with no wgmma.fence in between"},
    {"stored_and_copied_back_without_fence", 1, SIM_NO_PROXY_FENCE, 0, "bulk copies and wgmma see that only if"},
    {"stored_and_copied_back_by_shared_fence", 1, SIM_NO_PROXY_FENCE, 0, "bulk copies and wgmma see that only if"},
    {"copied_over_zeros_without_fence", 1, SIM_NO_PROXY_FENCE, 0, "that may come later than the bulk copy"},
    {"product_waits_for_too_few", 1, SIM_RACE_WITH_PRODUCT, 0, "shared variable 'b'"},
};

static SimReport run(const char *kernel, uint32_t blocks)
{
    return sanitizer_run_of("proxies.ptx", kernel, blocks, 2, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED, true,
                            NULL);
}

static void what_is_fenced_and_waited_for_does_not_race(void **state)
{
    for (size_t i = 0; i < COUNT_OF(in_order); i++)
        for (uint32_t blocks = 1; blocks <= 16; blocks += 15) {
            SimReport report = run(in_order[i], blocks);
            expect_none(in_order[i], &report);
        }
}

static void each_missing_fence_wait_or_barrier_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = run(rows[i].kernel, rows[i].blocks);
        expect_finding(&rows[i], &report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_fenced_and_waited_for_does_not_race),
        cmocka_unit_test(each_missing_fence_wait_or_barrier_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
