#include "simgpu/tests/machine.h"

static SimGpu *gpus[2]; /* that interprets, that translates */

static int set_up(void **state)
{
    gpus[0] = machine_new(0, 2);
    gpus[1] = machine_new_translating(1, 2);
    return 0;
}

static int tear_down(void **state)
{
    for (int engine = 0; engine < 2; engine++)
        simgpu_free(gpus[engine]);
    return machine_remove_libraries();
}

/* Thread i of 64: loads p[i], stores p[64 + i] and, where i < 8, the value that p[128 + i] has; adds to p[192] once with
 * and once without using the result; loads the middle of a vector at p[256]; is volatile at p[320]. */
static const char PTX[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry steps(.param .u64 p)\n"
                          "{\n"
                          "  .reg .b32 %r<8>; .reg .f32 %f<5>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  mov.u32 %r1, %tid.x;\n"
                          "  mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.s64 %rd3, %rd1, %rd2;\n"
                          "  ld.global.u32 %r2, [%rd3];\n"
                          "  add.u32 %r2, %r2, 7;\n"
                          "  st.global.u32 [%rd3+256], %r2;\n"
                          "  mov.u32 %r3, 0;\n"
                          "  setp.lt.u32 %p1, %r1, 8;\n"
                          "  @%p1 st.global.u32 [%rd3+512], %r3;\n"
                          "  red.global.add.u32 [%rd1+768], 1;\n"
                          "  atom.global.add.u32 %r4, [%rd1+772], 1;\n"
                          "  add.u32 %r4, %r4, %r2;\n"
                          "  st.global.u32 [%rd3+1536], %r4;\n"
                          "  ld.volatile.global.u32 %r5, [%rd1+1280];\n"
                          "  ret;\n"
                          "}\n";

/* Thread i of 64 loads p[i]. Thread 0 alone waits for the kernel before, and each thread loads p[64 + i]; behind a barrier each
 * loads p[128 + i]. Then thread 0 lets the next kernel begin, and each thread loads p[192 + i] and stores p[256 + i]. */
static const char CONTROLS[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry controls(.param .u64 p)\n"
    "{\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n"
    "  add.s64 %rd3, %rd1, %rd2;\n"
    "  setp.eq.u32 %p1, %r1, 0;\n"
    "  ld.global.u32 %r2, [%rd3];\n"
    "  @%p1 griddepcontrol.wait;\n"
    "  ld.global.u32 %r3, [%rd3+256];\n"
    "  bar.sync 0;\n"
    "  ld.global.u32 %r4, [%rd3+512];\n"
    "  @%p1 griddepcontrol.launch_dependents;\n"
    "  ld.global.u32 %r5, [%rd3+768];\n"
    "  add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, 1;\n"
    "  st.global.u32 [%rd3+1024], %r2;\n"
    "  ret;\n"
    "}\n";

static Footprint *run_kernel(SimGpu *gpu, const char *ptx, size_t bytes, const char *name, uint64_t array,
                             uint32_t flags)
{
    SimModule *module;
    SimReport report;
    Message why = {0};
    Footprint *footprint = footprint_new();
    SimFunction *function = machine_load(gpu, ptx, bytes, name, &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    const SimLaunch launch = {.function = function,
                              .shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}},
                              .parameters = &array,
                              .flags = flags,
                              .footprint = footprint};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(report.finding_count, 0);
    assert_false(footprint_is_partial(footprint));
    simgpu_module_unload(gpu, module);
    return footprint;
}

static Footprint *run(SimGpu *gpu, uint64_t array, uint32_t flags)
{
    return run_kernel(gpu, PTX, sizeof PTX, "steps", array, flags);
}

/* What a plain store of four bytes there would do to the launch. */
static FootprintOverlap stored_at(const Footprint *launch, uint64_t address)
{
    uint64_t at;
    Footprint *store = footprint_new();
    footprint_add(store, FOOTPRINT_STORE, address, 4);
    FootprintOverlap overlap = footprint_compare(launch, store, &at);
    footprint_free(store);
    return overlap;
}

static void a_launch_notes_what_it_uses(void **state)
{
    static const struct {
        uint64_t first, last; /* offsets */
        FootprintOverlap overlap;
    } rows[] = {{0, 252, OVERLAP_LOAD},     {256, 508, OVERLAP_STORE},  {512, 540, OVERLAP_NONE},
                {544, 764, OVERLAP_NONE},   {768, 772, OVERLAP_STORE},  {776, 1276, OVERLAP_NONE},
                {1280, 1280, OVERLAP_LOAD}, {1284, 1532, OVERLAP_NONE}, {1536, 1788, OVERLAP_STORE},
                {1792, 2044, OVERLAP_NONE}};
    for (int engine = 0; engine < 2; engine++) {
        uint64_t array = machine_array(gpus[engine], NULL, 2048);
        Footprint *footprint = run(gpus[engine], array, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED);
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            for (uint64_t at = rows[i].first; at <= rows[i].last; at += 4)
                if (stored_at(footprint, array + at) != rows[i].overlap)
                    fail_test("engine %d, offset %d: overlap %d", engine, (int)at, stored_at(footprint, array + at));
        footprint_free(footprint);
    }
}

/* Two launches that add by atomic operations whose results they use may wait for each other there. */
static void two_launches_are_compared(void **state)
{
    SimGpu *gpu = gpus[0];
    uint64_t array = machine_array(gpu, NULL, 4096), at = 0;
    Footprint *first = run(gpu, array, 0), *apart = run(gpu, array + 2048, 0), *second = run(gpu, array, 0);
    assert_int_equal(footprint_compare(first, second, &at), OVERLAP_ATOMIC);
    assert_int_equal(footprint_compare(first, apart, &at), OVERLAP_NONE);
    footprint_free(first);
    footprint_free(apart);
    footprint_free(second);
}

/* What the launch does to a kernel before it that stores there; what a kernel does to it that comes next and stores there. */
static FootprintOverlap overlap_with_neighbour(const Footprint *launch, uint64_t address, bool is_next)
{
    uint64_t at;
    Footprint *store = footprint_new();
    footprint_add(store, FOOTPRINT_STORE | FOOTPRINT_EARLY_STORE, address, 4);
    FootprintOverlap overlap = is_next ? footprint_compare_next(launch, store, &at)
                                       : footprint_compare_next(store, launch, &at);
    footprint_free(store);
    return overlap;
}

static void uses_before_a_wait_and_after_a_release_are_told_apart(void **state)
{
    static const struct {
        uint64_t offset;
        bool is_early, is_late;
    } rows[] = {{0, true, false},    {252, true, false},  {256, false, false}, {260, true, false},
                {508, true, false},  {512, false, false}, {764, false, false}, {768, false, true},
                {1020, false, true}, {1024, false, true}};
    for (int engine = 0; engine < 2; engine++) {
        uint64_t array = machine_array(gpus[engine], NULL, 2048);
        Footprint *launch = run_kernel(gpus[engine], CONTROLS, sizeof CONTROLS, "controls", array, 0);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const uint64_t at = array + rows[i].offset;
            assert_int_equal(overlap_with_neighbour(launch, at, false) != OVERLAP_NONE, rows[i].is_early);
            assert_int_equal(overlap_with_neighbour(launch, at, true) != OVERLAP_NONE, rows[i].is_late);
        }
        assert_true(footprint_has_waited(launch));
        footprint_free(launch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_notes_what_it_uses),
        cmocka_unit_test(two_launches_are_compared),
        cmocka_unit_test(uses_before_a_wait_and_after_a_release_are_told_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
