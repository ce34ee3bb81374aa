#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static HardwareProfile h200;

static int read_profile(void **state)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &h200, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

enum { LOADS, MULTIPLIES, NOTHING, LINES, WARPS = 100000 };

static SimFunctionInfo function = {.registers = 32};
static SimCounters all;

/* A line that loads from DRAM, one that computes, and one without work. */
static SimLine *new_lines(double loads, double multiplies)
{
    SimLine *lines = calloc(LINES, sizeof *lines);
    const uint64_t sectors = (uint64_t)(4 * WARPS * loads), instructions = (uint64_t)(WARPS * multiplies);
    assert_non_null(lines);
    lines[LOADS].counters = (SimCounters){.warp_instructions = sectors / 4,
                                          .global_load_requests = sectors / 4,
                                          .global_load_sectors = sectors,
                                          .global_load_bytes = 32 * sectors};
    lines[MULTIPLIES].counters = (SimCounters){
        .warp_instructions = instructions, .fp32 = 32 * instructions, .fma32 = 32 * instructions};
    all = lines[LOADS].counters;
    all.warp_instructions += instructions;
    all.fp32 = all.fma32 = 32 * instructions;
    all.unique_load_sectors = all.missing_load_sectors = sectors;
    return lines;
}

static CostInput input_of(const SimLine *lines)
{
    return (CostInput){.profile = &h200,
                       .function = &function,
                       .shape.grid = {WARPS / 8, 1, 1},
                       .shape.block = {256, 1, 1},
                       .counters = &all,
                       .longest_warp_instructions = all.warp_instructions / WARPS,
                       .longest_warp_loads = all.global_load_requests / WARPS};
}

static double *new_shares(double loads, double multiplies)
{
    double *shares = malloc(LINES * sizeof *shares);
    SimLine *lines = new_lines(loads, multiplies);
    const CostInput input = input_of(lines);
    assert_non_null(shares);
    for (int i = 0; i < LINES; i++)
        shares[i] = 7; /* what stood there before does not count */
    cost_shares(&input, lines, LINES, shares);
    free(lines);
    return shares;
}

static void the_line_that_takes_the_time_has_the_share(void **state)
{
    const struct {
        double loads, multiplies;
        int most;
    } rows[] = {{100, 10, LOADS}, {1, 1000, MULTIPLIES}, {100, 0, LOADS}, {0, 1000, MULTIPLIES}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double *shares = new_shares(rows[i].loads, rows[i].multiplies);
        const double sum = shares[LOADS] + shares[MULTIPLIES] + shares[NOTHING];
        if (!(shares[rows[i].most] > 0.8 && sum > 0.9 && sum < 1))
            fail_test("row %zu: %g %g %g", i, shares[LOADS], shares[MULTIPLIES], shares[NOTHING]);
        assert_true(shares[NOTHING] == 0);
        free(shares);
    }
}

static void a_line_that_does_more_has_a_larger_share(void **state)
{
    double *before = new_shares(4, 150), *after = new_shares(4, 300);
    assert_true(before[LOADS] > 0.05 && before[MULTIPLIES] > 0.05);
    assert_true(after[MULTIPLIES] > before[MULTIPLIES] && after[LOADS] < before[LOADS]);
    free(before);
    free(after);
}

/* The start of a kernel belongs to no line. */
static void lines_without_work_have_no_share(void **state)
{
    double *shares = new_shares(0, 0);
    for (int i = 0; i < LINES; i++)
        assert_true(shares[i] == 0);
    free(shares);
}

static void lines_that_do_the_same_share_alike(void **state)
{
    double shares[2];
    SimLine *lines = new_lines(100, 0);
    lines[1] = lines[0];
    const SimCounters one = all;
    all.warp_instructions += one.warp_instructions;
    all.global_load_requests += one.global_load_requests;
    all.global_load_sectors += one.global_load_sectors;
    all.global_load_bytes += one.global_load_bytes;
    all.unique_load_sectors += one.unique_load_sectors;
    all.missing_load_sectors += one.missing_load_sectors;
    const CostInput input = input_of(lines);
    cost_shares(&input, lines, 2, shares);
    assert_true(shares[0] > 0.4 && fabs(shares[0] - shares[1]) < 1e-9);
    free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_that_takes_the_time_has_the_share),
        cmocka_unit_test(a_line_that_does_more_has_a_larger_share),
        cmocka_unit_test(lines_without_work_have_no_share),
        cmocka_unit_test(lines_that_do_the_same_share_alike),
    };
    return cmocka_run_group_tests_name("cost_shares", tests, read_profile, NULL);
}
