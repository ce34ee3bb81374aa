#include "simgpu/tests/machine.h"

enum { BLOCKS = 64, ELEMENTS = 1024 };

/* Thread 0 of each block, and where it stands, at `words`, of zeros:
 *   earlier    waits for the block before it, which sets its flag after `turns` turns of a loop
 *   later      waits for the block after it
 *   lock       takes a lock that nobody gives back
 *   pings      two blocks take turns, 10 times each
 *   faults     waits for the second block, which stores at address 0 before it does anything else
 *   toggles    stores 1 and 0 by turns, for ever
 *   stores     counts in memory, for ever */
static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(NAME, TEXT)                                                                                             \
    ".visible .entry " NAME "(.param .u64 words, .param .u32 turns)\n"                                                 \
    "{\n"                                                                                                              \
    "  .reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;\n"                                                          \
    "  ld.param.u64 %d1, [words];\n  ld.param.u32 %r1, [turns];\n"                                                     \
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %nctaid.x;\n  mov.u32 %r4, 0;\n"                                         \
    "  mul.wide.u32 %d2, %r2, 4;\n  add.s64 %d3, %d1, %d2;\n" TEXT "  ret;\n}\n"
    KERNEL("earlier", "WORK: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra WORK;\n"
                      "setp.eq.u32 %p2, %r2, 0; @%p2 bra TELL;\n"
                      "WAIT: ld.acquire.gpu.global.u32 %r5, [%d3+-4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra WAIT;\n"
                      "TELL: st.release.gpu.global.u32 [%d3], 1;\n")
        KERNEL("faults", "mov.u64 %d4, 0; setp.eq.u32 %p2, %r2, 1; @%p2 st.global.u32 [%d4], %r4;\n"
                         "WAIT: ld.volatile.global.u32 %r5, [%d1+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra WAIT;\n")
            KERNEL("later", "add.u32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, %r3; @%p1 bra TELL;\n"
                            "WAIT: ld.volatile.global.u32 %r5, [%d3+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra WAIT;\n"
                            "TELL: st.volatile.global.u32 [%d3], 1;\n")
                KERNEL("lock",
                       "TAKE: atom.global.cas.b32 %r5, [%d1+40], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra TAKE;\n")
                    KERNEL("pings",
                           "AGAIN:\n"
                           "WAIT: ld.volatile.global.u32 %r5, [%d1]; setp.ne.u32 %p1, %r5, %r2; @%p1 bra WAIT;\n"
                           "sub.u32 %r6, 1, %r2; st.volatile.global.u32 [%d1], %r6;\n"
                           "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 10; @%p2 bra AGAIN;\n")
                        KERNEL("toggles", "AGAIN: st.global.u32 [%d3], 1; st.global.u32 [%d3], 0; bra AGAIN;\n") KERNEL(
                            "stores",
                            "AGAIN: ld.volatile.global.u32 %r5, [%d3]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%d3], %r5; bra AGAIN;\n")
#undef KERNEL
    ;

/* `limit`: of the instructions of a block. */
static SimReport run_within(uint64_t most, const char *name, uint32_t blocks, int threads, uint32_t turns,
                            uint64_t limit, bool translates)
{
    SimGpu *gpu = translates ? machine_new_translating(0, threads) : machine_new(0, threads);
    SimModule *module;
    SimReport report;
    Message why = {0};
    struct {
        uint64_t words;
        uint32_t turns;
    } parameters = {machine_array(gpu, NULL, ELEMENTS * sizeof(uint32_t)), turns};
    SimFunction *function = machine_load(gpu, PTX, sizeof PTX, name, &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    simgpu_name(gpu, parameters.words, "words", sizeof(uint32_t));
    const SimLaunch launch = {.function = function,
                              .shape = {.grid = {blocks, 1, 1}, .block = {1, 1, 1}},
                              .parameters = &parameters,
                              .warp_instructions = most,
                              .block_instructions = limit};
    simgpu_launch(gpu, &launch, &report);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    if (translates)
        assert_int_equal(machine_remove_libraries(), 0);
    return report;
}

static SimReport run(const char *name, uint32_t blocks, int threads, uint32_t turns, uint64_t limit, bool translates)
{
    return run_within(1ull << 30, name, blocks, threads, turns, limit, translates);
}

static void expect(const char *name, const SimReport *report, SimOutcome outcome, const char *text)
{
    if (report->outcome != outcome || strstr(report->fault.text, text) == NULL)
        fail_test("%s: outcome %d: %s", name, report->outcome, report->fault.text);
}

/* The block that is waited for runs longer than it takes to see that the other one stands still. */
static void blocks_that_wait_for_earlier_ones_end(void **state)
{
    for (int threads = 1; threads <= 3; threads++) {
        SimReport report = run("earlier", 4, threads, 500000, 0, false);
        expect("earlier", &report, SIM_OK, "");
    }
    SimReport report = run("pings", 2, 2, 0, 0, false);
    expect("pings", &report, SIM_OK, "");
}

static void a_block_that_waits_for_one_that_has_not_begun_is_found(void **state)
{
    for (int threads = 1; threads <= 3; threads++) {
        SimReport report = run("later", BLOCKS, threads, 0, 0, false);
        expect(
            "later", &report, SIM_ENDLESS,
            "kernel later: block (0,0,0), thread (0,0,0) waits for ever for another value at words[1], which nothing that "
            "runs changes; ");
        assert_non_null(strstr(report.fault.text, "; other blocks have not begun, and may not before this one ends"));
    }
}

/* Each thread of the host runs a block in vain until the last one has seen it. */
static void many_threads_of_the_host_do_not_use_up_the_instructions(void **state)
{
    SimReport report = run_within(5000000, "later", BLOCKS, 48, 0, 0, false);
    expect("later", &report, SIM_ENDLESS, "waits for ever for another value at words[1]");
}

static void the_fault_of_another_block_is_the_cause(void **state)
{
    SimReport report = run("faults", 2, 2, 0, 0, false);
    expect("faults", &report, SIM_OUT_OF_BOUNDS, "block (1,0,0), thread (0,0,0) writes 4 bytes at address 0x0");
}

static void a_lock_that_nobody_gives_back_is_found(void **state)
{
    SimReport report = run("lock", 2, 1, 0, 0, false);
    expect(
        "lock", &report, SIM_ENDLESS,
        "block (1,0,0), thread (0,0,0) waits for ever for another value at words[10], which nothing that runs changes");
}

static void a_loop_whose_stores_repeat_is_found_and_one_that_counts_is_not(void **state)
{
    SimReport report = run("toggles", 1, 1, 0, 0, false);
    expect("toggles", &report, SIM_ENDLESS, "repeats a loop for ever, in which nothing changes");
    report = run("stores", 1, 1, 0, 400000, false);
    expect("stores", &report, SIM_TIME_LIMIT,
           "thread (0,0,0) still runs after 400000 instructions of its block, perhaps in an endless loop");
}

static void translated_loops_are_found_as_well(void **state)
{
    SimReport report = run("later", BLOCKS, 2, 0, 0, true);
    expect("later", &report, SIM_ENDLESS, "block (0,0,0), thread (0,0,0) waits for ever for another value at words[1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_wait_for_earlier_ones_end),
        cmocka_unit_test(a_block_that_waits_for_one_that_has_not_begun_is_found),
        cmocka_unit_test(many_threads_of_the_host_do_not_use_up_the_instructions),
        cmocka_unit_test(the_fault_of_another_block_is_the_cause),
        cmocka_unit_test(a_lock_that_nobody_gives_back_is_found),
        cmocka_unit_test(a_loop_whose_stores_repeat_is_found_and_one_that_counts_is_not),
        cmocka_unit_test(translated_loops_are_found_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
