/* Loads and stores through surfaces: which element of the array they reach, and what becomes of the others.  */
#include "simgpu/tests/texture_kernels.h"

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 3, ROW_BYTES = WIDTH * sizeof(float), ELEMENTS = WIDTH * HEIGHT * DEPTH };

typedef struct Place {
    int32_t at[4]; /* x in bytes, y, slice or layer, unused */
} Place;

static float numbers[ELEMENTS]; /* 100 z + 10 y + x */

static void fill_numbers(void)
{
    for (int i = 0; i < ELEMENTS; i++)
        numbers[i] = (float)(100 * (i / WIDTH / HEIGHT) + 10 * (i / WIDTH % HEIGHT) + i % WIDTH);
}

/* An array of numbers, of which kernels make no texture. */
static SimTexture surface_over(uint32_t dimensions, uint32_t layers)
{
    fill_numbers();
    SimTexture is = array_of(numbers, 3, WIDTH, HEIGHT, DEPTH);
    is.dimensions = dimensions;
    is.extent[1] = dimensions > 1 ? HEIGHT : 1;
    is.extent[2] = dimensions > 2 ? DEPTH : 1;
    is.layers = layers;
    is.slice_bytes = dimensions > 1 ? HEIGHT * ROW_BYTES : ROW_BYTES;
    is.is_surface = true;
    simgpu_mark_written(gpu, is.address, sizeof numbers);
    return is;
}

static SimReport run_at(const char *kernel, uint64_t surface, const Place *places, float *values, uint32_t threads)
{
    uint64_t from = machine_array(gpu, places, threads * sizeof *places);
    uint64_t to = machine_array(gpu, NULL, threads * sizeof *values);
    const uint64_t parameters[] = {surface, from, to};
    SimReport report = run(kernel, parameters, threads);
    if (values != NULL)
        memcpy(values, at(to), threads * sizeof *values);
    assert_true(simgpu_release(gpu, from) && simgpu_release(gpu, to));
    return report;
}

static void run_well(const char *kernel, uint64_t surface, const Place *places, float *values, uint32_t threads)
{
    SimReport report = run_at(kernel, surface, places, values, threads);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", kernel, report.outcome, report.fault.text);
}

/* ---- where an element lies --------------------------------------------------------------------------------------- */

static void loads_reach_the_element_that_the_mode_says(void **state)
{
    static const struct {
        const char *kernel;
        uint32_t dimensions, layers;
        Place place;
        float value;
    } rows[] = {
        {"load_trap", 2, 0, {{12, 2}}, 23},
        {"load_trap", 2, 0, {{28, 3}}, 37},
        {"load_zero", 2, 0, {{12, 2}}, 23},
        {"load_zero", 2, 0, {{32, 2}}, 0},
        {"load_zero", 2, 0, {{-4, 2}}, 0},
        {"load_zero", 2, 0, {{12, 4}}, 0},
        {"load_zero", 2, 0, {{12, -1}}, 0},
        {"load_clamp", 2, 0, {{12, 2}}, 23},
        {"load_clamp", 2, 0, {{32, 2}}, 27},
        {"load_clamp", 2, 0, {{-400, 9}}, 30},
        {"load_clamp", 2, 0, {{INT32_MAX - 3, INT32_MIN}}, 7},
        {"load_1d", 1, 0, {{20}}, 5},
        {"load_1d", 1, 0, {{64}}, 7},
        {"load_3d", 3, 0, {{4, 1, 2}}, 211},
        {"load_3d", 3, 0, {{4, 1, 3}}, 211},
        {"load_3d", 3, 0, {{4, 1, -1}}, 11},
        {"load_1d_layer", 1, 3, {{4, 0, 2}}, 21}, /* the layers of one row lie where rows lie */
        {"load_2d_layer", 2, 3, {{4, 1, 2}}, 211},
        {"load_2d_layer", 2, 3, {{36, 1, 1}}, 117},
        {"load_2d_layer", 2, 3, {{4, 1, 7}}, 211},
        {"load_2d_layer", 2, 3, {{4, 1, -1}}, 211},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const SimTexture is = surface_over(rows[i].dimensions, rows[i].layers);
        uint64_t surface = made(&is);
        float value;
        run_well(rows[i].kernel, surface, &rows[i].place, &value, 1);
        if (value != rows[i].value)
            fail_test("row %zu, %s: %g, expected %g", i, rows[i].kernel, (double)value, (double)rows[i].value);
        discard(surface, &is);
    }
}

/* Each lane has a place and a value of its own; those outside leave no trace, or meet at the edge. */
static void stores_reach_the_element_that_the_mode_says(void **state)
{
    Place places[40];
    for (int i = 0; i < 40; i++)
        places[i] = (Place){{4 * (i % 10), i / 10}};
    for (int clamps = 0; clamps < 2; clamps++) {
        const SimTexture is = surface_over(2, 0);
        uint64_t surface = made(&is);
        const float *elements = at(is.address);
        run_well(clamps ? "store_clamp" : "store_zero", surface, places, NULL, 40);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            float expected = (float)(i / WIDTH * 10 + i % WIDTH + 1);
            bool is_at_edge = i % WIDTH == WIDTH - 1;
            if (elements[i] != expected && !(clamps && is_at_edge && elements[i] <= expected + 2))
                fail_test("element %d: %g, expected %g", i, (double)elements[i], (double)expected);
        }
        assert_true(elements[WIDTH * HEIGHT] == 100); /* the slice behind */
        discard(surface, &is);
    }
}

static void an_access_lies_within_as_a_whole(void **state)
{
    const SimTexture is = surface_over(2, 0);
    uint64_t surface = made(&is);
    const float *elements = at(is.address);
    run_well("store_pair", surface, (Place[]){{{24, 0}}, {{32, 1}}}, NULL, 2);
    assert_true(elements[6] == 1 && elements[7] == -1 && elements[8 + 7] == 17 && elements[16] == 20);
    run_well("store_byte", surface, (Place[]){{{0, 0}}, {{5, 1}}}, NULL, 2);
    assert_int_equal(((const uint8_t *)at(is.address))[ROW_BYTES + 5], 2);
    discard(surface, &is);
}

/* The predicate is odd threads; handwritten, because nvcc branches instead. */
static void a_guard_and_a_boundary_apply_together(void **state)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 s, .param .u64 o)\n{\n    .reg .b32 %r<6>;\n    .reg .b64 %d<5>;\n"
        "    .reg .pred %p;\n    ld.param.u64 %d0, [s];\n    ld.param.u64 %d1, [o];\n    mov.u32 %r0, %tid.x;\n"
        "    and.b32 %r1, %r0, 1;\n    setp.eq.u32 %p, %r1, 1;\n    shl.b32 %r2, %r0, 2;\n    mov.u32 %r3, 1;\n"
        "    mov.u32 %r4, 9;\n    @%p suld.b.2d.b32.zero {%r4}, [%d0, {%r2, %r3}];\n"
        "    @!%p sust.b.2d.b32.zero [%d0, {%r2, %r3}], {%r4};\n"
        "    mul.wide.u32 %d2, %r0, 4;\n    add.u64 %d2, %d2, %d1;\n    st.global.b32 [%d2], %r4;\n    ret;\n}\n";
    const SimTexture is = surface_over(2, 0);
    SimModule *module;
    Message why = {0};
    const uint64_t parameters[] = {made(&is), machine_array(gpu, NULL, 4 * 12)};
    SimLaunch launch = {.function = machine_load(gpu, ptx, sizeof ptx - 1, "k", &module, &why),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {12, 1, 1},
                        .parameters = parameters};
    SimReport report;
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    const uint32_t *out = at(parameters[1]), *elements = at(is.address);
    for (uint32_t i = 0; i < 12; i++) {
        float old = (float)(10 + i);
        uint32_t bits;
        memcpy(&bits, &old, sizeof bits);
        assert_int_equal(out[i], i % 2 == 0 ? 9 : i < WIDTH ? bits : 0);
        if (i < WIDTH)
            assert_int_equal(elements[WIDTH + i], i % 2 == 0 ? 9 : bits);
    }
    simgpu_module_unload(gpu, module);
    assert_true(simgpu_release(gpu, parameters[1]));
    discard(parameters[0], &is);
}

/* ---- what is known of the array ---------------------------------------------------------------------------------- */

static SimReport sanitized(const char *kernel, const uint64_t *parameters, uint32_t threads)
{
    SimModule *module;
    SimReport report;
    SimLaunch launch = {.function = machine_read(gpu, "texture.ptx", kernel, &module),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {threads, 1, 1},
                        .parameters = parameters,
                        .flags = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED};
    simgpu_launch(gpu, &launch, &report);
    simgpu_module_unload(gpu, module);
    return report;
}

static void an_element_that_nothing_has_written_is_found(void **state)
{
    SimTexture is = surface_over(2, 0);
    assert_true(simgpu_release(gpu, is.address));
    is.address = simgpu_alloc(gpu, ELEMENTS * sizeof(float));
    uint64_t surface = made(&is), out = machine_array(gpu, NULL, 8);
    uint64_t places = machine_array(gpu, (Place[]){{{4, 1}}, {{8, 1}}}, 2 * sizeof(Place));
    simgpu_mark_written(gpu, places, 2 * sizeof(Place));
    const uint64_t parameters[] = {surface, places, out};
    SimReport report = sanitized("load_trap", parameters, 1);
    assert_int_equal(report.finding_count, 1);
    assert_int_equal(report.findings[0].kind, SIM_UNINITIALISED);
    assert_int_equal(sanitized("store_trap", parameters, 1).finding_count, 0);
    assert_int_equal(sanitized("load_trap", parameters, 1).finding_count, 0);
    assert_int_equal(sanitized("load_trap", parameters, 2).finding_count, 1);
    assert_true(simgpu_release(gpu, out) && simgpu_release(gpu, places));
    discard(surface, &is);
}

/* Two warps load and store the same elements; one has elements of its own. */
static void threads_race_for_elements(void **state)
{
    const SimTexture is = surface_over(2, 0);
    uint64_t surface = made(&is);
    Place places[64];
    for (int i = 0; i < 64; i++) /* z and w: where it stores */
        places[i] = (Place){{4 * (i % 8), i / 8 % HEIGHT, 4 * (i % 8), i / 8 % HEIGHT}};
    uint64_t from = machine_array(gpu, places, sizeof places);
    simgpu_mark_written(gpu, from, sizeof places);
    const uint64_t parameters[] = {surface, from};
    SimReport report = sanitized("store_and_load", parameters, 64);
    assert_true(report.finding_count > 0);
    assert_int_equal(report.findings[0].kind, SIM_RACE_OF_WARPS);
    assert_int_equal(sanitized("store_and_load", parameters, 32).finding_count, 0);
    assert_true(simgpu_release(gpu, from));
    discard(surface, &is);
}

static void what_a_kernel_stores_does_not_come_from_the_host(void **state)
{
    const SimTexture is = surface_over(2, 0);
    uint64_t surface = made(&is);
    const float changed[2] = {-1, -2};
    simgpu_host_writes(gpu, is.address, changed, sizeof changed);
    memcpy(at(is.address), changed, sizeof changed);
    assert_true(simgpu_comes_from_host(gpu, is.address, 4));
    run_well("store_trap", surface, (Place[]){{{0, 0}}}, NULL, 1);
    assert_false(simgpu_comes_from_host(gpu, is.address, 4));
    assert_true(simgpu_comes_from_host(gpu, is.address + 4, 4));
    discard(surface, &is);
}

/* A warp that stores 32 neighbours of a row of 8 writes 4 rows, two of which share the 16-byte halves of a sector. */
static void accesses_are_counted_in_the_texture_unit(void **state)
{
    const SimTexture is = surface_over(2, 0);
    uint64_t surface = made(&is);
    Place places[32];
    float values[32];
    for (int i = 0; i < 32; i++)
        places[i] = (Place){{4 * (i % 8), i / 8}};
    SimCounters stores = run_at("store_trap", surface, places, NULL, 32).counters;
    SimCounters loads = run_at("load_trap", surface, places, values, 32).counters;
    assert_int_equal(stores.texture_requests, 1);
    assert_int_equal(stores.texture_sectors, 0);
    assert_int_equal(stores.global_store_sectors, 4);
    assert_int_equal(stores.global_store_requests, 0);
    assert_int_equal(loads.texture_requests, 1);
    assert_int_equal(loads.texture_sectors, 4);
    assert_int_equal(loads.global_load_requests, 1); /* of the places */
    discard(surface, &is);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

static void faults_with(const char *kernel, uint64_t surface, Place place, SimOutcome outcome, const char *text)
{
    float value;
    SimReport report = run_at(kernel, surface, &place, &value, 1);
    if (report.outcome != outcome || strstr(report.fault.text, text) == NULL)
        fail_test("%s: outcome %d: %s", kernel, report.outcome, report.fault.text);
}

static void an_access_beyond_the_edge_says_where(void **state)
{
    const SimTexture is = surface_over(2, 0), layered = surface_over(2, 3);
    uint64_t surface = made(&is), layers = made(&layered);
    faults_with(
        "store_trap", surface, (Place){{32, 1}}, SIM_OUT_OF_BOUNDS,
        "writes 4 bytes at x = 32, y = 1 of a 2D surface of 8 x 4 elements; x counts bytes, and its rows have 32");
    faults_with("load_trap", surface, (Place){{0, 4}}, SIM_OUT_OF_BOUNDS, "reads 4 bytes at x = 0, y = 4");
    faults_with("load_trap", surface, (Place){{-4, 0}}, SIM_OUT_OF_BOUNDS, "reads 4 bytes at x = -4, y = 0");
    faults_with("store_trap", surface, (Place){{3, 1}}, SIM_MISALIGNED, "x counts bytes, and must be a multiple of 4");
    faults_with("load_zero", surface, (Place){{2, 1}}, SIM_MISALIGNED, "x counts bytes, and must be a multiple of 4");
    faults_with("load_zero", surface, (Place){{33, 1}}, SIM_MISALIGNED, "x counts bytes, and must be a multiple of 4");
    faults_with("load_clamp", surface, (Place){{-3, 1}}, SIM_MISALIGNED, "x counts bytes, and must be a multiple of 4");
    faults_with("load_trap", layers, (Place){{0}}, SIM_BAD_HANDLE,
                "reads a layered 2D surface as if it were a 2D surface");
    discard(surface, &is);
    discard(layers, &layered);
}

static void a_wrong_object_is_a_fault_with_its_reason(void **state)
{
    SimTexture is = surface_over(2, 0), texture = is;
    texture.is_surface = false;
    uint64_t surface = made(&is), gone = made(&is), other = made(&texture);
    Four place = {0}, value;
    assert_true(simgpu_texture_free(gpu, gone));
    faults_with("load_trap", 0, (Place){{0}}, SIM_BAD_HANDLE, "reads through 0x0, which is not a surface object");
    faults_with("store_trap", other, (Place){{0}}, SIM_BAD_HANDLE, "which is not a surface object");
    faults_with("load_trap", gone, (Place){{0}}, SIM_BAD_HANDLE, "through a surface object that has been destroyed");
    faults_with("load_3d", surface, (Place){{0}}, SIM_BAD_HANDLE, "reads a 2D surface as if it were a 3D surface");
    SimReport report = fetch("fetch_2d", surface, &place, &value, 1);
    assert_non_null(strstr(report.fault.text, "which is not a texture object"));
    assert_true(simgpu_release(gpu, is.address));
    faults_with("store_trap", surface, (Place){{0}}, SIM_BAD_HANDLE, "writes a surface whose memory has been freed");
    assert_true(simgpu_texture_free(gpu, surface) && simgpu_texture_free(gpu, other));
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
        cmocka_unit_test(loads_reach_the_element_that_the_mode_says),
        cmocka_unit_test(stores_reach_the_element_that_the_mode_says),
        cmocka_unit_test(an_access_lies_within_as_a_whole),
        cmocka_unit_test(a_guard_and_a_boundary_apply_together),
        cmocka_unit_test(an_element_that_nothing_has_written_is_found),
        cmocka_unit_test(threads_race_for_elements),
        cmocka_unit_test(what_a_kernel_stores_does_not_come_from_the_host),
        cmocka_unit_test(accesses_are_counted_in_the_texture_unit),
        cmocka_unit_test(an_access_beyond_the_edge_says_where),
        cmocka_unit_test(a_wrong_object_is_a_fault_with_its_reason),
    };
    int failed = cmocka_run_group_tests_name("interpreted", tests, new_gpu, free_gpu);
    return failed + cmocka_run_group_tests_name("translated", tests, new_translating_gpu, free_translating_gpu);
}
