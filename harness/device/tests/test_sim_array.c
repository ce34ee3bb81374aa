/* Textures of the simulated GPU, as the broker creates them. simgpu/memory/tests/test_texture.c tests what a fetch
 * returns.  */
#include "harness/tests/sim_fixture.h"

/* fetch1(t, out, x, y, z), fetch2, fetch3 and index1 write one texel's first two channels, whatever they are. */
#define KERNEL(name, fetch)                                                                                            \
    ".visible .entry " name "(.param .u64 t, .param .u64 out, .param .f32 x, .param .f32 y, .param .f32 z)\n"          \
    "{\n  .reg .f32 %f<7>; .reg .b32 %r; .reg .b64 %d<2>;\n"                                                           \
    "  ld.param.u64 %d0, [t];\n  ld.param.u64 %d1, [out];\n"                                                           \
    "  ld.param.f32 %f0, [x];\n  ld.param.f32 %f1, [y];\n  ld.param.f32 %f2, [z];\n  cvt.rzi.s32.f32 %r, %f0;\n"       \
    "  " fetch ";\n  st.global.v2.f32 [%d1], {%f3, %f4};\n  ret;\n}\n"
static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL(
    "index1", "tex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%d0, {%r}]")
    KERNEL("fetch1", "tex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d0, {%f0}]")
        KERNEL("fetch2", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d0, {%f0, %f1}]")
            KERNEL("fetch3", "tex.3d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d0, {%f0, %f1, %f2, %f2}]")
                KERNEL("layer2", "tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d0, {%r, %f1, %f2, %f2}]") KERNEL(
                    "store2", "sust.b.a2d.b32.trap [%d0, {%r, 4, 1, 1}], {%f1}; mov.f32 %f3, %f1; mov.f32 %f4, %f1");

static int set_up(void **state)
{
    return open_sim(state, PTX);
}

/* The bits of the two channels that the kernel reads. */
static void fetch(Fixture *f, const char *kernel, uint64_t texture, const float place[3], void *channels)
{
    struct {
        uint64_t texture, out;
        float place[3];
    } parameters = {texture, f->array, {place[0], place[1], place[2]}};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, kernel),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {1, 1, 1},
                           .parameters = &parameters,
                           .parameter_bytes = 28};
    assert_int_equal(f->device->kernels->launch(f->device, &launch), 0);
    assert_int_equal(f->device->copies->read(f->device, channels, f->array, 8, NULL), 0);
}

static float fetch_float(Fixture *f, const char *kernel, uint64_t texture, float x, float y, float z)
{
    float channels[2];
    fetch(f, kernel, texture, (float[]){x, y, z}, channels);
    return channels[0];
}

/* An array whose texels are their own numbers. */
static DeviceArray *numbered_array(Fixture *f, uint64_t width, uint64_t height, uint64_t depth)
{
    const DeviceShape shape = {
        .width = width, .height = height, .depth = depth, .format = DEVICE_FLOAT32, .channels = 1};
    uint64_t rows = height == 0 ? 1 : height, slices = depth == 0 ? 1 : depth;
    DeviceArray *array;
    float texels[100];
    assert_true(width * rows * slices <= COUNT_OF(texels));
    for (size_t i = 0; i < COUNT_OF(texels); i++)
        texels[i] = (float)i;
    assert_int_equal(f->device->arrays->create(f->device, &shape, &array), 0);
    const DevicePlace to = {.array = array}, from = {.host = texels, .pitch = 4 * width, .slice_rows = rows};
    const DeviceBox box = {4 * width, rows, slices};
    assert_int_equal(f->device->arrays->copy_box(f->device, &to, &from, &box, NULL), 0);
    return array;
}

static uint64_t texture_of(Fixture *f, const DeviceTexture *asked)
{
    uint64_t number = 0;
    assert_int_equal(f->device->textures->create(f->device, asked, &number), 0);
    assert_true(number != 0);
    return number;
}

static void arrays_are_read_in_their_dimensions(void **state)
{
    static const struct {
        uint64_t width, height, depth;
        const char *kernel;
        float place[3], texel;
    } rows[] = {
        {7, 0, 0, "fetch1", {5.5f}, 5},
        {7, 5, 0, "fetch2", {3.5f, 2.5f}, 17},
        {2, 3, 4, "fetch3", {1.5f, 2.5f, 3.5f}, 23},
        {4, 3, 2, "fetch3", {1.5f, 2.5f, 1.5f}, 21},
        {7, 1, 0, "fetch2", {6.5f, 0.5f}, 6},
    };
    Fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const float *at = rows[i].place;
        DeviceArray *array = numbered_array(f, rows[i].width, rows[i].height, rows[i].depth);
        uint64_t texture = texture_of(f, &(DeviceTexture){.array = array});
        float texel = fetch_float(f, rows[i].kernel, texture, at[0], at[1], at[2]);
        if (texel != rows[i].texel)
            fail_test("row %zu: %g", i, (double)texel);
        assert_int_equal(f->device->textures->destroy(f->device, texture), 0);
        assert_int_equal(f->device->arrays->destroy(f->device, array), 0);
    }
}

/* At the second texel before the start, each mode reads another texel. */
static void the_modes_are_those_asked_for(void **state)
{
    static const float texels[DEVICE_ADDRESS_MODES] = {[DEVICE_ADDRESS_WRAP] = 2,
                                                       [DEVICE_ADDRESS_CLAMP] = 0,
                                                       [DEVICE_ADDRESS_MIRROR] = 1,
                                                       [DEVICE_ADDRESS_BORDER] = 9};
    Fixture *f = *state;
    DeviceArray *array = numbered_array(f, 4, 4, 0);
    for (int mode = 0; mode < DEVICE_ADDRESS_MODES; mode++) {
        DeviceTexture asked = {.array = array,
                               .normalized = true,
                               .border = {9},
                               .address_mode = {(DeviceAddressMode)mode, DEVICE_ADDRESS_CLAMP}};
        assert_true(fetch_float(f, "fetch2", texture_of(f, &asked), -1.5f / 4, -9, 0) == texels[mode]);
    }
    DeviceTexture mixed = {.array = array,
                           .filter_mode = DEVICE_FILTER_LINEAR,
                           .address_mode = {DEVICE_ADDRESS_CLAMP, DEVICE_ADDRESS_CLAMP}};
    assert_true(fetch_float(f, "fetch2", texture_of(f, &mixed), 1, 1, 0) == 2.5f);
    assert_int_equal(f->device->arrays->destroy(f->device, array), 0);
}

static void memory_is_read_as_its_format_says(void **state)
{
    static const uint8_t bytes[] = {0, 51, 255, 102, 1, 2, 3, 4};
    Fixture *f = *state;
    uint64_t memory;
    float floats[2];
    uint32_t integers[2];
    assert_int_equal(f->device->memory->alloc(f->device, 1024, &memory), 0);
    assert_int_equal(f->device->copies->write(f->device, memory, bytes, sizeof bytes, NULL), 0);
    assert_int_equal(f->device->copies->write(f->device, memory + 64, bytes, sizeof bytes, NULL), 0);
    DeviceTexture linear = {.address = memory, .format = DEVICE_UINT8, .channels = 2, .bytes = sizeof bytes};
    fetch(f, "index1", texture_of(f, &linear), (float[]){1, 0, 0}, floats);
    assert_true(floats[0] == 1 && floats[1] == 0.4f);
    linear.format = DEVICE_UINT16;
    linear.as_integer = true;
    fetch(f, "index1", texture_of(f, &linear), (float[]){1, 0, 0}, integers);
    assert_true(integers[0] == 0x0201 && integers[1] == 0x0403);
    DeviceTexture rows = {.address = memory,
                          .format = DEVICE_SINT8,
                          .channels = 4,
                          .width = 2,
                          .height = 2,
                          .pitch = 64,
                          .as_integer = true};
    fetch(f, "fetch2", texture_of(f, &rows), (float[]){0, 1, 0}, integers);
    assert_true(integers[0] == 0 && integers[1] == 51);
    assert_int_equal(f->device->memory->release(f->device, memory), 0);
}

/* Rows of 3 elements lie 16 bytes apart, which neither copies nor kernels may see. */
static void a_layered_array_is_a_texture_and_a_surface(void **state)
{
    Fixture *f = *state;
    const DeviceShape shape = {
        .width = 3, .height = 2, .depth = 2, .format = DEVICE_FLOAT32, .channels = 1, .layered = true, .surface = true};
    const float texels[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    float back[12], two[2];
    DeviceArray *array;
    uint64_t surface = 0;
    assert_int_equal(f->device->arrays->create(f->device, &shape, &array), 0);
    const DevicePlace there = {.array = array}, from = {.host = (void *)texels, .pitch = 12, .slice_rows = 2},
                      to = {.host = back, .pitch = 12, .slice_rows = 2};
    const DeviceBox box = {12, 2, 2};
    assert_int_equal(f->device->arrays->copy_box(f->device, &there, &from, &box, NULL), 0);
    uint64_t texture = texture_of(f, &(DeviceTexture){.array = array});
    assert_true(fetch_float(f, "layer2", texture, 1, 2.5f, 1.5f) == 11);
    assert_int_equal(f->device->textures->create_surface(f->device, array, &surface), 0);
    fetch(f, "store2", surface, (float[]){1, 99, 0}, two);
    assert_int_equal(f->device->arrays->copy_box(f->device, &to, &there, &box, NULL), 0);
    for (int i = 0; i < 12; i++)
        assert_true(back[i] == (i == 10 ? 99 : (float)i));
    assert_int_equal(f->device->textures->destroy(f->device, texture), 0);
    assert_int_equal(f->device->textures->destroy_surface(f->device, surface), 0);
    assert_int_equal(f->device->arrays->destroy(f->device, array), 0);
}

static void unsupported_textures_are_refused(void **state)
{
    Fixture *f = *state;
    uint64_t memory, number = 0;
    assert_int_equal(f->device->memory->alloc(f->device, 1024, &memory), 0);
    DeviceTexture asked = {.address = memory, .format = DEVICE_UINT8, .channels = 4, .bytes = 1024};
    asked.srgb = true;
    assert_int_equal(f->device->textures->create(f->device, &asked, &number), CUDA_ERROR_NOT_SUPPORTED);
    asked.srgb = false;
    asked.address += 4;
    assert_int_equal(f->device->textures->create(f->device, &asked, &number), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->textures->destroy(f->device, 12345), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->memory->release(f->device, memory), 0);
}

static void a_destroyed_texture_is_a_fault(void **state)
{
    Fixture *f = *state;
    DeviceFault fault;
    DeviceArray *array = numbered_array(f, 4, 4, 0);
    uint64_t texture = texture_of(f, &(DeviceTexture){.array = array});
    assert_int_equal(f->device->textures->destroy(f->device, texture), 0);
    assert_int_equal(f->device->arrays->destroy(f->device, array), 0);
    struct {
        uint64_t texture, out;
        float place[3];
    } parameters = {texture, f->array, {0}};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "fetch2"),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {1, 1, 1},
                           .parameters = &parameters,
                           .parameter_bytes = 28};
    assert_int_equal(f->device->kernels->launch(f->device, &launch), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    f->device->report->fault(f->device, &fault);
    assert_non_null(strstr(fault.text, "reads through a texture object that has been destroyed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_are_read_in_their_dimensions, set_up, close_sim),
        cmocka_unit_test_setup_teardown(the_modes_are_those_asked_for, set_up, close_sim),
        cmocka_unit_test_setup_teardown(memory_is_read_as_its_format_says, set_up, close_sim),
        cmocka_unit_test_setup_teardown(a_layered_array_is_a_texture_and_a_surface, set_up, close_sim),
        cmocka_unit_test_setup_teardown(unsupported_textures_are_refused, set_up, close_sim),
        cmocka_unit_test_setup_teardown(a_destroyed_texture_is_a_fault, set_up, close_sim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
