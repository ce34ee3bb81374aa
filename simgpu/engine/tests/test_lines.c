#include "simgpu/tests/machine.h"

#include "simgpu/cost/cost.h"

#include <math.h>
#include <stdlib.h>

static SimGpu *gpu;
static SimModule *module;
static SimFunction *events; /* simgpu/tests/data/lines.cu */

static int new_gpu(void **state)
{
    gpu = machine_new(0, 2);
    events = machine_read(gpu, "lines.ptx", "events", &module);
    return 0;
}

static int free_gpu(void **state)
{
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    return 0;
}

/* The lines of lines.cu by what happens there. */
enum { LOAD_LINE = 5, SHARED_LINE, BARRIER_LINE, LOOP_LINE = 9, DIVISION_LINE, STORE_LINE, BRANCH_LINE, ATOMIC_LINE };
enum { STRIDE = 8, TURNS = 3, BLOCKS = 5 };

typedef struct Parameters {
    uint64_t input, output;
    int32_t stride;
    uint32_t divisor;
    int32_t turns;
} Parameters;

static SimReport run(uint32_t flags)
{
    Parameters parameters = {machine_array(gpu, NULL, 4 * 32 * STRIDE), machine_array(gpu, NULL, 4 * 33), STRIDE, 7,
                             TURNS};
    SimLaunch launch = {.function = events,
                        .shape.grid = {BLOCKS, 1, 1},
                        .shape.block = {32, 1, 1},
                        .parameters = &parameters,
                        .flags = flags};
    SimReport report;
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.output);
    return report;
}

static const SimLine *line_of(const SimReport *report, int number)
{
    for (size_t i = 0; i < report->line_count; i++)
        if (report->lines[i].line == number && report->lines[i].file != NULL &&
            strcmp(report->lines[i].file, "lines.cu") == 0)
            return &report->lines[i];
    fail_test("no line %d", number);
    return NULL;
}

static void a_launch_that_is_not_watched_has_no_lines(void **state)
{
    SimReport report = run(0);
    assert_null(report.lines);
    assert_int_equal(report.line_count, 0);
}

static void watching_changes_no_counter(void **state)
{
    SimReport plain = run(0), watched = run(SIM_COUNT_LINES);
    assert_memory_equal(&plain.counters, &watched.counters, sizeof plain.counters);
    assert_true(plain.modelled_s == watched.modelled_s);
}

/* All but the footprint and what the L1 does not hold, which belong to no line. */
static void check_sum(const SimReport *report)
{
    SimCounters sum = {0};
    for (size_t i = 0; i < report->line_count; i++)
        simgpu_counters_add(&sum, &report->lines[i].counters);
    assert_int_equal(sum.unique_load_sectors, 0);
    sum.unique_load_sectors = report->counters.unique_load_sectors;
    sum.unique_store_sectors = report->counters.unique_store_sectors;
    sum.missing_load_sectors = report->counters.missing_load_sectors;
    assert_memory_equal(&sum, &report->counters, sizeof sum);
}

static void lines_add_up_to_the_counters(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    check_sum(&report);
}

/* Counted while they run, though they touch no memory; and without lines of the source all is of one that is
 * unknown. */
static void matrix_products_have_a_line_too(void **state)
{
    SimModule *precision;
    SimFunction *mixed = machine_read(gpu, "precision.ptx", "mixed", &precision);
    uint64_t parameters[] = {machine_array(gpu, NULL, 256), machine_array(gpu, NULL, 1024),
                             machine_array(gpu, NULL, 1024)};
    SimLaunch launch = {.function = mixed,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {32, 1, 1},
                        .parameters = parameters,
                        .flags = SIM_COUNT_LINES};
    SimReport report;
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    assert_true(report.counters.tensor > 0);
    assert_null(report.lines[0].file);
    check_sum(&report);
    for (size_t i = 0; i < COUNT_OF(parameters); i++)
        simgpu_release(gpu, parameters[i]);
    simgpu_module_unload(gpu, precision);
}

static void lines_are_sorted(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    for (size_t i = 1; i < report.line_count; i++)
        assert_true(report.lines[i - 1].line < report.lines[i].line);
}

static void each_event_is_counted_on_its_line(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    const SimLine *load = line_of(&report, LOAD_LINE), *shared = line_of(&report, SHARED_LINE);
    const SimLine *store = line_of(&report, STORE_LINE), *branch = line_of(&report, BRANCH_LINE);
    assert_int_equal(load->counters.global_load_requests, BLOCKS);
    assert_int_equal(load->counters.global_load_sectors, 32 * BLOCKS);
    assert_int_equal(load->counters.global_store_requests, 0);
    assert_int_equal(shared->counters.shared_store_wavefronts, 32 * BLOCKS);
    assert_int_equal(line_of(&report, BARRIER_LINE)->counters.barriers, BLOCKS);
    assert_int_equal(store->counters.global_store_sectors, 4 * BLOCKS);
    assert_int_equal(branch->counters.divergent_branches, BLOCKS);
    assert_int_equal(line_of(&report, ATOMIC_LINE)->counters.atomic_lanes, 16 * BLOCKS);
    assert_int_equal(store->counters.divergent_branches, 0);
}

static void the_ideal_is_what_neighbouring_bytes_would_take(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    assert_int_equal(line_of(&report, LOAD_LINE)->ideal_load_sectors, 4 * BLOCKS);
    assert_int_equal(line_of(&report, STORE_LINE)->ideal_store_sectors, 4 * BLOCKS);
    assert_int_equal(line_of(&report, SHARED_LINE)->ideal_shared_wavefronts, BLOCKS);
}

static void executions_and_divisions_follow_the_loop(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    assert_int_equal(line_of(&report, LOAD_LINE)->executions, BLOCKS);
    assert_int_equal(line_of(&report, DIVISION_LINE)->executions, TURNS * BLOCKS);
    assert_int_equal(line_of(&report, DIVISION_LINE)->divisions, 32 * TURNS * BLOCKS);
    assert_int_equal(line_of(&report, LOAD_LINE)->divisions, 0);
    assert_true(line_of(&report, LOOP_LINE)->counters.integer > 0);
}

/* ---- shares of the modelled time --------------------------------------------------------------------------------- */

typedef struct Shares {
    double sum, load, shared;
} Shares;

static Shares shares_of(const SimReport *report)
{
    SimFunctionInfo function = {.registers = 32, .static_shared_bytes = 4096};
    CostInput input = {.profile = simgpu_profile(gpu),
                       .function = &function,
                       .shape.grid = {BLOCKS, 1, 1},
                       .shape.block = {32, 1, 1},
                       .counters = &report->counters,
                       .longest_warp_instructions = report->longest.instructions,
                       .longest_warp_loads = report->longest.loads,
                       .longest_warp_shared = report->longest.shared_loads};
    double *shares = calloc(report->line_count, sizeof *shares);
    Shares found = {0};
    cost_shares(&input, report->lines, report->line_count, shares);
    for (size_t i = 0; i < report->line_count; i++) {
        assert_true(shares[i] >= 0);
        found.sum += shares[i];
    }
    found.load = shares[line_of(report, LOAD_LINE) - report->lines];
    found.shared = shares[line_of(report, SHARED_LINE) - report->lines];
    free(shares);
    return found;
}

/* A kernel as short as this is hardly more than its launch. */
static void shares_leave_the_launch_to_no_line(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    Shares shares = shares_of(&report);
    double launch = simgpu_profile(gpu)->launch_s / report.modelled_s;
    assert_true(shares.sum > 0 && shares.sum <= 1 - launch + 1e-9);
}

static void what_a_line_takes_most_of_decides_its_share(void **state)
{
    SimReport report = run(SIM_COUNT_LINES);
    SimLine *lines = calloc(report.line_count, sizeof *lines);
    memcpy(lines, report.lines, report.line_count * sizeof *lines);
    SimLine *load = &lines[line_of(&report, LOAD_LINE) - report.lines];
    load->counters.global_load_sectors += 1000000;
    load->counters.global_load_requests += 100000;
    report.counters.global_load_sectors += 1000000;
    report.counters.global_load_requests += 100000;
    report.lines = lines;
    Shares shares = shares_of(&report);
    if (!(shares.load > 0.5 * shares.sum && shares.shared < 0.1 * shares.sum))
        fail_test("the load has %g, the store to shared memory %g of %g", shares.load, shares.shared, shares.sum);
    free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_that_is_not_watched_has_no_lines),
        cmocka_unit_test(watching_changes_no_counter),
        cmocka_unit_test(lines_add_up_to_the_counters),
        cmocka_unit_test(matrix_products_have_a_line_too),
        cmocka_unit_test(lines_are_sorted),
        cmocka_unit_test(each_event_is_counted_on_its_line),
        cmocka_unit_test(the_ideal_is_what_neighbouring_bytes_would_take),
        cmocka_unit_test(executions_and_divisions_follow_the_loop),
        cmocka_unit_test(shares_leave_the_launch_to_no_line),
        cmocka_unit_test(what_a_line_takes_most_of_decides_its_share),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
