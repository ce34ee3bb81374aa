/* Calls of procedures, and the heap of kernels: simgpu/tests/data/calls.cu. */
#include "simgpu/tests/one_gpu.h"

enum { THREADS = 64 };

typedef struct Run {
    SimReport report;
    unsigned out[THREADS];
} Run;

static SimModule *module;

/* Two blocks, so that the second one finds what the first has left. */
static Run run_with(const char *name, const SimLaunch *limits)
{
    Run result;
    SimFunction *function = simgpu_function(module, name);
    assert_non_null(function);
    uint64_t out = machine_array(gpu, NULL, sizeof result.out + 4);
    SimLaunch launch = *limits;
    launch.function = function;
    launch.shape = (LaunchShape){.grid = {2, 1, 1}, .block = {THREADS, 1, 1}};
    launch.parameters = (uint64_t[]){out};
    launch.warp_instructions = 10000000;
    simgpu_launch(gpu, &launch, &result.report);
    memcpy(result.out, at(out), sizeof result.out);
    simgpu_release(gpu, out);
    return result;
}

static Run run_checked(const char *name)
{
    Run result = run_with(name, &(SimLaunch){.flags = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED});
    if (result.report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", name, result.report.outcome, result.report.fault.text);
    return result;
}

static void check_fault(const char *name, const char *text)
{
    Run result = run_with(name, &(SimLaunch){0});
    const SimFault *fault = &result.report.fault;
    if (result.report.outcome == SIM_OK || strstr(fault->text, text) == NULL || fault->line == 0)
        fail_test("%s: outcome %d: %s", name, result.report.outcome, fault->text);
}

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned sum_of(const unsigned *numbers, unsigned count)
{
    unsigned own[4];
    for (int i = 0; i < 4; i++)
        own[i] = numbers[i] + count;
    return count == 0 ? own[0] : sum_of(own, count - 1) + own[count % 4];
}

/* ---- procedures -------------------------------------------------------------------------------------------------- */

static void a_function_may_call_itself(void **state)
{
    Run run = run_checked("recursion");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], i * 1000 + fibonacci(i % 13));
}

static void lanes_of_different_depths_meet_behind_the_call(void **state)
{
    Run run = run_checked("barrier_behind_recursion");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], fibonacci((63 - i) % 7));
}

static void each_call_has_local_memory_of_its_own(void **state)
{
    Run run = run_checked("local_arrays");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], sum_of((unsigned[]){i, 1, 2, 3}, i % 9));
}

static void lanes_may_call_different_functions(void **state)
{
    Run run = run_checked("pointers");
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned first = i % 2 == 0 ? i + 7 : i * 7;
        assert_int_equal(run.out[i], i < 32 ? first * 3 : first + 3);
    }
}

static void a_warp_enters_a_function_together(void **state)
{
    Run run = run_checked("shuffle_in_function");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], i / 32 * 32 + 5 + 100);
}

static void virtual_functions_are_found_in_their_tables(void **state)
{
    Run run = run_checked("virtual_functions");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], 2 * (i % 2 == 0 ? i : i * i));
}

static void a_pointer_that_leads_to_no_function_is_a_fault(void **state)
{
    check_fault("null_pointer", "thread (9,0,0) calls a function through a null pointer");
    check_fault("no_function", "calls a function through a pointer that leads to none");
    check_fault("other_parameters", "calls one_argument() through a pointer to a function with other parameters");
    check_fault("reads_code", "which is not device memory");
}

static void the_stack_has_an_end(void **state)
{
    check_fault("deep",
                "deep, and a thread's stack has 1024 bytes (cudaDeviceSetLimit(cudaLimitStackSize, ...) gives more)");
    Run more = run_with("deep", &(SimLaunch){.stack_bytes = 400 << 10});
    assert_int_equal(more.report.outcome, SIM_OK);
    assert_int_equal(more.out[3], UINT32_MAX); /* 2^5000 - 1 */
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static void kernels_may_allocate(void **state)
{
    Run run = run_checked("heap");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run.out[i], 45 * i);
    assert_int_equal(run.report.counters.heap_allocations, 2 * THREADS);
    assert_string_equal(run.report.limiter, "heap");
}

/* All threads at each depth of the recursion call once. */
static void calls_cost_instructions(void **state)
{
    Run flat = run_checked("virtual_functions"), deep = run_checked("recursion");
    assert_true(deep.report.counters.control > 4 * flat.report.counters.control);
    assert_true(deep.report.modelled_s > flat.report.modelled_s);
}

static void the_heap_outlives_a_launch(void **state)
{
    SimFunction *function = simgpu_function(module, "heap_of_an_earlier_launch");
    uint64_t out = machine_array(gpu, NULL, 4);
    SimLaunch launch = {
        .function = function, .shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}}, .parameters = (uint64_t[]){out}};
    for (int i = 0; i < 2; i++) {
        SimReport report;
        simgpu_launch(gpu, &launch, &report);
        assert_int_equal(report.outcome, SIM_OK);
    }
    assert_int_equal(*(unsigned *)at(out), 77);
    simgpu_release(gpu, out);
}

/* The heap has 8 MiB, minus what lies between its pieces. */
static void a_heap_that_is_full_gives_null(void **state)
{
    Run run = run_with("heap_is_full", &(SimLaunch){0});
    unsigned given = 0;
    for (unsigned i = 0; i < THREADS; i++)
        given += run.out[i];
    assert_int_equal(run.report.outcome, SIM_OK);
    assert_int_equal(given, 0); /* of the second block; the first has taken all */
}

static void misuse_of_the_heap_is_a_fault(void **state)
{
    check_fault("beyond_a_piece", "writes 4 bytes at byte 40 of 40 that malloc() gave, past their end");
    check_fault("use_after_free", "reads 4 bytes at byte 8 of 40 that malloc() gave and free() took back");
    check_fault("free_twice", "frees memory of the device heap that has been freed already");
    check_fault("free_of_other_memory", "frees an address that malloc() in a kernel has not given");
}

static int load(void **state)
{
    new_gpu(state);
    return machine_read(gpu, "calls.ptx", "recursion", &module) == NULL;
}

static int unload(void **state)
{
    simgpu_module_unload(gpu, module);
    return free_gpu(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_may_call_itself),
        cmocka_unit_test(lanes_of_different_depths_meet_behind_the_call),
        cmocka_unit_test(each_call_has_local_memory_of_its_own),
        cmocka_unit_test(lanes_may_call_different_functions),
        cmocka_unit_test(a_warp_enters_a_function_together),
        cmocka_unit_test(virtual_functions_are_found_in_their_tables),
        cmocka_unit_test(a_pointer_that_leads_to_no_function_is_a_fault),
        cmocka_unit_test(the_stack_has_an_end),
        cmocka_unit_test(kernels_may_allocate),
        cmocka_unit_test(calls_cost_instructions),
        cmocka_unit_test(the_heap_outlives_a_launch),
        cmocka_unit_test(misuse_of_the_heap_is_a_fault),
        cmocka_unit_test(a_heap_that_is_full_gives_null),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
