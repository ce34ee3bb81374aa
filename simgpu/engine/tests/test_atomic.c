/* What atomic operations make of unusual values, in global and in shared memory, against the results of an NVIDIA H200
 * (driver 580.159).  */
#include "simgpu/tests/one_gpu.h"

#include <stdio.h>

typedef struct Row {
    const char *operation;
    uint32_t old, b, in_global, in_shared;
} Row;

static const Row rows[] = {
    /* inc wraps to 0 at its limit and beyond it; dec wraps to its limit at 0 and beyond it */
    {"inc.u32", 0, 5, 1, 1},
    {"inc.u32", 4, 5, 5, 5},
    {"inc.u32", 5, 5, 0, 0},
    {"inc.u32", 6, 5, 0, 0},
    {"inc.u32", 9, 0, 0, 0},
    {"inc.u32", 0xFFFFFFFF, 5, 0, 0},
    {"dec.u32", 0, 5, 5, 5},
    {"dec.u32", 1, 5, 0, 0},
    {"dec.u32", 5, 5, 4, 4},
    {"dec.u32", 6, 5, 5, 5},
    {"dec.u32", 9, 0, 0, 0},
    {"dec.u32", 0xFFFFFFFF, 5, 5, 5},
    /* global memory flushes subnormal numbers, shared memory keeps them */
    {"add.f32", 0x00000001, 0x00000001, 0x00000000, 0x00000002},
    {"add.f32", 0x00400000, 0x00400000, 0x00000000, 0x00800000},
    {"add.f32", 0x00800000, 0x80000001, 0x00800000, 0x007FFFFF},
    {"add.f32", 0x80000001, 0x00000000, 0x00000000, 0x80000001},
    {"add.f32", 0x80000000, 0x80000000, 0x80000000, 0x80000000},
    {"add.f32", 0x80000000, 0x00000000, 0x00000000, 0x00000000},
};

/* Both forms in each space; what comes back of atom is the old value as it is. */
static void run_row(const Row *row, uint32_t out[6])
{
    char ptx[1500];
    SimModule *module;
    SimReport report;
    Message why = {0};
    int length = snprintf(
        ptx, sizeof ptx,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 o)\n{\n    .reg .b32 %%r<7>;\n    .reg .b64 %%d<2>;\n    .shared .align 4 .b8 s[8];\n"
        "    ld.param.u64 %%d0, [o];\n    mov.b32 %%r0, %u;\n    mov.b32 %%r1, %u;\n"
        "    st.global.b32 [%%d0], %%r0;\n    st.global.b32 [%%d0+4], %%r0;\n"
        "    st.shared.b32 [s], %%r0;\n    st.shared.b32 [s+4], %%r0;\n"
        "    atom.global.%s %%r2, [%%d0], %%r1;\n    red.global.%s [%%d0+4], %%r1;\n"
        "    atom.shared.%s %%r3, [s], %%r1;\n    red.shared.%s [s+4], %%r1;\n"
        "    ld.shared.b32 %%r4, [s];\n    ld.shared.b32 %%r5, [s+4];\n    st.global.b32 [%%d0+8], %%r2;\n"
        "    st.global.b32 [%%d0+12], %%r3;\n    st.global.b32 [%%d0+16], %%r4;\n    st.global.b32 [%%d0+20], %%r5;\n"
        "    ret;\n}\n",
        row->old, row->b, row->operation, row->operation, row->operation, row->operation);
    uint64_t to = machine_array(gpu, NULL, 6 * sizeof *out);
    SimLaunch launch = {.function = machine_load(gpu, ptx, (size_t)length, "k", &module, &why),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {1, 1, 1},
                        .parameters = &to};
    if (launch.function == NULL)
        fail_test("%s: %s", row->operation, why.text);
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: %s", row->operation, report.fault.text);
    memcpy(out, at(to), 6 * sizeof *out);
    simgpu_module_unload(gpu, module);
    assert_true(simgpu_release(gpu, to));
}

static void unusual_values_give_what_hardware_gives(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Row *row = &rows[i];
        const uint32_t expected[6] = {row->in_global, row->in_global, row->old,
                                      row->old,       row->in_shared, row->in_shared};
        uint32_t out[6];
        run_row(row, out);
        for (int j = 0; j < 6; j++)
            if (out[j] != expected[j])
                fail_test("%s of 0x%08x and 0x%08x, word %d: 0x%08x, expected 0x%08x", row->operation, row->old, row->b,
                          j, out[j], expected[j]);
    }
}

/* Even lanes add to one array, odd ones to another, and lane 31 to shared memory. */
static const char scattered[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n    .reg .pred %p<3>;\n    .reg .b32 %r<4>;\n    .reg .b64 %d<6>;\n"
    "    .shared .align 4 .b8 s[4];\n"
    "    ld.param.u64 %d0, [a];\n    ld.param.u64 %d1, [b];\n    mov.u32 %r0, %tid.x;\n    add.u32 %r1, %r0, 1;\n"
    "    and.b32 %r2, %r0, 1;\n    setp.eq.u32 %p1, %r2, 0;\n    setp.eq.u32 %p2, %r0, 31;\n"
    "    selp.b64 %d2, %d0, %d1, %p1;\n    mul.wide.u32 %d3, %r0, 4;\n    add.u64 %d2, %d2, %d3;\n"
    "    mov.u32 %r3, s;\n    mov.u64 %d4, s;\n    cvta.shared.u64 %d4, %d4;\n"
    "    @%p2 st.shared.u32 [%r3], 100;\n    selp.b64 %d2, %d4, %d2, %p2;\n    red.add.u32 [%d2], %r1;\n"
    "    ld.shared.u32 %r3, [%r3];\n    @%p2 st.global.u32 [%d1+124], %r3;\n    ret;\n}\n";

static void lanes_may_add_to_different_arrays(void **state)
{
    enum { LANES = 32 };
    const uint32_t zeros[LANES] = {0};
    uint64_t arrays[2] = {machine_array(gpu, zeros, sizeof zeros), machine_array(gpu, zeros, sizeof zeros)};
    SimModule *module;
    SimReport report;
    Message why = {0};
    SimLaunch launch = {.function = machine_load(gpu, scattered, sizeof scattered - 1, "k", &module, &why),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {LANES, 1, 1},
                        .parameters = arrays};
    if (launch.function == NULL)
        fail_test("%s", why.text);
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t *even = at(arrays[0]), *odd = at(arrays[1]);
        assert_int_equal(even[lane], lane % 2 == 0 ? lane + 1 : 0);
        assert_int_equal(odd[lane], lane == 31 ? 132 : lane % 2 == 1 ? lane + 1 : 0);
    }
    simgpu_module_unload(gpu, module);
    assert_true(simgpu_release(gpu, arrays[0]) && simgpu_release(gpu, arrays[1]));
}

static int new_translating_gpu(void **state)
{
    gpu = machine_new_translating(0, 2);
    return 0;
}

static int free_translating_gpu(void **state)
{
    simgpu_free(gpu);
    return machine_remove_libraries();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_values_give_what_hardware_gives),
        cmocka_unit_test(lanes_may_add_to_different_arrays),
    };
    int failed = cmocka_run_group_tests_name("interpreted", tests, new_gpu, free_gpu);
    return failed + cmocka_run_group_tests_name("translated", tests, new_translating_gpu, free_translating_gpu);
}
