#include "simgpu/tests/texture_kernels.h"

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void lanes_can_read_different_textures(void **state)
{
    static const float small[] = {1, 2, 3, 4}, other[] = {10, 20, 30, 40, 50, 60};
    SimTexture even = array_of(small, 2, 2, 2, 1), odd = array_of(other, 2, 3, 2, 1);
    Four places[40], values[40];
    for (int i = 0; i < 40; i++)
        places[i] = (Four){.number = {1.5f, 1.5f}};
    uint64_t from = machine_array(gpu, places, sizeof places), to = machine_array(gpu, NULL, sizeof values);
    const uint64_t parameters[] = {made(&even), made(&odd), from, to};
    SimReport report = run("fetch_either", parameters, 40);
    assert_int_equal(report.outcome, SIM_OK);
    memcpy(values, at(to), sizeof values);
    for (int i = 0; i < 40; i++)
        assert_true(values[i].number[0] == (i % 2 == 0 ? 4.0f : 50.0f));
    assert_int_equal(report.counters.texture_requests, 4); /* two warps, two textures */
    assert_true(simgpu_release(gpu, from) && simgpu_release(gpu, to));
    discard(parameters[0], &even);
    discard(parameters[1], &odd);
}

static void lanes_that_do_not_read_keep_their_values(void **state)
{
    static const float texels[] = {1, 2, 3, 4};
    SimTexture is = array_of(texels, 2, 2, 2, 1);
    uint64_t texture = made(&is);
    Four places[50], values[50];
    for (int i = 0; i < 50; i++)
        places[i] = (Four){.number = {0.5f, 1.5f}};
    fetch_well("fetch_some", texture, places, values, 50);
    for (int i = 0; i < 50; i++)
        assert_true(values[i].number[0] == (i % 3 == 0 ? 3.0f : 0.0f));
    discard(texture, &is);
}

/* The second coordinate is the same in all lanes; the result in its register is not. */
static void a_result_may_overwrite_a_coordinate(void **state)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 t, .param .u64 o)\n{\n    .reg .f32 %f<5>;\n    .reg .b32 %r<2>;\n"
        "    .reg .b64 %d<5>;\n    ld.param.u64 %d0, [t];\n    ld.param.u64 %d1, [o];\n    mov.u32 %r0, %tid.x;\n"
        "    cvt.rn.f32.u32 %f0, %r0;\n    mov.f32 %f1, 0f3F800000;\n"
        "    tex.2d.v4.f32.f32 {%f1, %f2, %f0, %f3}, [%d0, {%f0, %f1}];\n"
        "    mul.wide.u32 %d2, %r0, 4;\n    add.u64 %d2, %d2, %d1;\n    st.global.f32 [%d2], %f1;\n    ret;\n}\n";
    float texels[2 * 64];
    SimModule *module;
    Message why = {0};
    for (int i = 0; i < 128; i++)
        texels[i] = (float)i;
    SimTexture is = array_of(texels, 2, 64, 2, 1);
    const uint64_t parameters[] = {made(&is), machine_array(gpu, NULL, 256)};
    SimLaunch launch = {.function = machine_load(gpu, ptx, sizeof ptx - 1, "k", &module, &why),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {64, 1, 1},
                        .parameters = parameters};
    SimReport report;
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    assert_memory_equal(at(parameters[1]), texels + 64, 256);
    simgpu_module_unload(gpu, module);
    assert_true(simgpu_release(gpu, parameters[1]));
    discard(parameters[0], &is);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* Sectors of a warp that reads `columns` neighbouring columns in as many rows as it needs, from the third texel of the
 * fifth row on. */
static uint64_t sectors_of(SimTexture *is, uint32_t columns)
{
    Four places[32], values[32];
    uint64_t texture = made(is);
    for (uint32_t i = 0; i < 32; i++)
        places[i] = (Four){.number = {(float)(2 + i % columns), (float)(4 + i / columns)}};
    SimReport report = fetch("fetch_2d", texture, places, values, 32);
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(report.counters.texture_requests, 1);
    assert_int_equal(report.counters.global_load_requests, 1); /* of the places */
    assert_true(simgpu_texture_free(gpu, texture));
    return report.counters.texture_sectors;
}

static void sectors_of_arrays_are_tiles(void **state)
{
    static const float texels[64 * 64];
    SimTexture is = array_of(texels, 2, 64, 64, 1);
    assert_int_equal(sectors_of(&is, 32), 9); /* columns 2 to 33: tiles 0 to 8 of one pair of rows */
    assert_int_equal(sectors_of(&is, 16), 5); /* columns 2 to 17: tiles 0 to 4, both rows in one pair */
    assert_int_equal(sectors_of(&is, 8), 6);  /* tiles 0 to 2, two pairs of rows */
    assert_int_equal(sectors_of(&is, 1), 16); /* 16 pairs */
    is.layout = SIM_TEXTURE_PITCH;
    assert_int_equal(sectors_of(&is, 32), 5); /* bytes 8 to 135 of a row: 32 at a time */
    assert_int_equal(sectors_of(&is, 1), 32);
    is.filters = true;
    assert_int_equal(sectors_of(&is, 32), 10); /* between rows 3 and 4 */
    assert_true(simgpu_release(gpu, is.address));
}

static void a_uniform_fetch_reads_once_for_each_warp(void **state)
{
    static const float texels[16];
    SimTexture is = array_of(texels, 2, 4, 4, 1);
    uint64_t out = machine_array(gpu, NULL, 100 * sizeof(Four));
    struct {
        uint64_t texture, unused;
        float place[4];
        uint64_t values;
    } parameters = {made(&is), 0, {1.5f, 1.5f}, out};
    SimReport report = run("fetch_same", &parameters, 100);
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(report.counters.texture_requests, 4);
    assert_int_equal(report.counters.texture_sectors, 4);
    assert_true(simgpu_release(gpu, out));
    discard(parameters.texture, &is);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

static void faults_with(const char *kernel, uint64_t texture, const char *text)
{
    Four places[5] = {0}, values[5];
    SimReport report = fetch(kernel, texture, places, values, 5);
    if (report.outcome != SIM_BAD_HANDLE || strstr(report.fault.text, text) == NULL ||
        strstr(report.fault.text, "thread (0,0,0) reads") == NULL)
        fail_test("%s: outcome %d: %s", kernel, report.outcome, report.fault.text);
}

static void a_wrong_texture_is_a_fault_with_its_reason(void **state)
{
    static const float texels[64 * 64];
    SimTexture is = array_of(texels, 2, 64, 64, 1), line = is;
    uint64_t texture = made(&is), gone = made(&is);
    line.layout = SIM_TEXTURE_LINEAR;
    line.dimensions = line.extent[1] = 1;
    uint64_t linear = made(&line);
    assert_true(simgpu_texture_free(gpu, gone));
    faults_with("fetch_2d", 0, "0x0, which is not a texture object");
    faults_with("fetch_2d", is.address, "which is not a texture object");
    faults_with("fetch_2d", linear + 1, "which is not a texture object");
    faults_with("fetch_2d", gone, "a texture object that has been destroyed");
    faults_with("fetch_1d", texture, "a 2D texture as if it were a 1D texture");
    faults_with("fetch_3d", texture, "a 2D texture as if it were a 3D texture");
    faults_with("fetch_2d", linear, "a 1D texture as if it were a 2D texture");
    faults_with("fetch_1d", linear,
                "a texture of linear memory with a float coordinate, which only tex1Dfetch() can read");
    assert_true(simgpu_release(gpu, is.address)); /* the next allocation lies in its place, but is smaller */
    faults_with("fetch_2d", texture, "a texture whose memory has been freed");
    assert_true(simgpu_texture_free(gpu, texture) && simgpu_texture_free(gpu, linear));
    assert_false(simgpu_texture_free(gpu, texture));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_can_read_different_textures),
        cmocka_unit_test(lanes_that_do_not_read_keep_their_values),
        cmocka_unit_test(a_result_may_overwrite_a_coordinate),
        cmocka_unit_test(sectors_of_arrays_are_tiles),
        cmocka_unit_test(a_uniform_fetch_reads_once_for_each_warp),
        cmocka_unit_test(a_wrong_texture_is_a_fault_with_its_reason),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
