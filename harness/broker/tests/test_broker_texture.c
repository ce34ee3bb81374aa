#include "harness/tests/broker_fixture.h"

/* ---- requests of an honest runtime library ----------------------------------------------------------------------- */

static uint64_t new_array(uint64_t width, uint64_t height, uint64_t depth)
{
    RingArray array = {.width = width, .height = height, .depth = depth, .format = RING_FLOAT32, .channels = 1};
    RingReply reply = ask_body(RING_ARRAY_NEW, &array, sizeof array);
    assert_int_equal(reply.error, CUDA_ERROR_SUCCESS);
    return reply.value[0];
}

static RingPlace in_staging(uint64_t at, uint64_t pitch, uint64_t slice_rows)
{
    return (RingPlace){.kind = RING_IN_STAGING, .at = at, .pitch = pitch, .slice_rows = slice_rows};
}

static RingPlace in_memory(uint64_t at, uint64_t pitch, uint64_t slice_rows)
{
    return (RingPlace){.kind = RING_IN_MEMORY, .at = at, .pitch = pitch, .slice_rows = slice_rows};
}

static RingPlace in_array(uint64_t array, uint64_t x_bytes, uint64_t y, uint64_t z)
{
    return (RingPlace){.kind = RING_IN_ARRAY, .at = array, .x_bytes = x_bytes, .y = y, .z = z};
}

static CudaError copy_box(RingPlace to, RingPlace from, uint64_t width_bytes, uint64_t height, uint64_t depth)
{
    RingCopyBox box = {.to = to, .from = from, .width_bytes = width_bytes, .height = height, .depth = depth};
    return ask_body(RING_COPY_BOX, &box, sizeof box).error;
}

static CudaError fill_rows(uint64_t to, uint64_t pitch, uint64_t value, uint64_t width_bytes, uint64_t height)
{
    RingFillRows rows = {.to = to, .pitch = pitch, .value = value, .width_bytes = width_bytes, .height = height};
    return ask_body(RING_FILL_ROWS, &rows, sizeof rows).error;
}

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3, PITCH = 32, SLICE_ROWS = 6, ROW_BYTES = WIDTH * sizeof(float) };

static float *staged(uint64_t at)
{
    return (float *)(broker.reader.ring->staging + at);
}

/* Staging, array, memory with wider rows and slices, and staging again. */
static void a_box_survives_its_way_through_array_and_memory(void **state)
{
    uint64_t array = new_array(WIDTH, HEIGHT, DEPTH), memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0];
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        staged(0)[i] = (float)i;
    assert_int_equal(copy_box(in_array(array, 0, 0, 0), in_staging(0, ROW_BYTES, HEIGHT), ROW_BYTES, HEIGHT, DEPTH), 0);
    assert_int_equal(copy_box(in_memory(memory, PITCH, SLICE_ROWS), in_array(array, 0, 0, 0), ROW_BYTES, HEIGHT, DEPTH),
                     0);
    assert_int_equal(
        copy_box(in_staging(4096, ROW_BYTES, HEIGHT), in_memory(memory, PITCH, SLICE_ROWS), ROW_BYTES, HEIGHT, DEPTH),
        0);
    assert_memory_equal(staged(4096), staged(0), sizeof(float) * WIDTH * HEIGHT * DEPTH);
    assert_int_equal(ask(RING_ARRAY_FREE, array, 0, 0, 0).error, 0);
    assert_int_equal(ask(RING_ARRAY_FREE, array, 0, 0, 0).error, CUDA_ERROR_INVALID_RESOURCE_HANDLE);
}

static void a_box_begins_where_its_place_says(void **state)
{
    uint64_t array = new_array(WIDTH, HEIGHT, DEPTH);
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        staged(0)[i] = (float)i;
    assert_int_equal(copy_box(in_array(array, 0, 0, 0), in_staging(0, ROW_BYTES, HEIGHT), ROW_BYTES, HEIGHT, DEPTH), 0);
    assert_int_equal(copy_box(in_staging(0, 8, 2), in_array(array, 12, 1, 2), 8, 2, 1), 0);
    const float expected[] = {48, 49, 53, 54}; /* slice 2, rows 1 and 2, columns 3 and 4 */
    assert_memory_equal(staged(0), expected, sizeof expected);
}

static void rows_are_filled_and_what_lies_between_them_is_not(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 64, 0, 0, 0).value[0];
    assert_int_equal(fill_rows(memory, 64, 0, 64, 1), 0);
    assert_int_equal(fill_rows(memory, 16, 7, 3, 4), 0);
    assert_int_equal(ask(RING_READ, memory, 64, 0, 0).error, 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(broker.reader.ring->staging[i], i % 16 < 3 ? 7 : 0);
}

static void arrays_count_against_the_memory_limit(void **state)
{
    RingArray array = {.width = 1024, .height = 1024, .format = RING_FLOAT32, .channels = 1};
    assert_int_equal(ask_body(RING_ARRAY_NEW, &array, sizeof array).error, CUDA_ERROR_MEMORY_ALLOCATION);
    assert_true(broker.reply.report.allocation_refused);
}

static RingTexture texture_over(uint64_t address)
{
    return (RingTexture){.address = address, .bytes = 1024, .format = RING_FLOAT32, .channels = 1};
}

static void an_srgb_texture_is_refused_by_name_on_the_simulated_gpu(void **state)
{
    RingTexture texture = texture_over(ask(RING_ALLOC, 1024, 0, 0, 0).value[0]);
    texture.srgb = 1;
    assert_int_equal(ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).error, CUDA_ERROR_NOT_SUPPORTED);
    assert_string_equal(
        broker.reply.report.first_error.text,
        "cudaCreateTextureObject with sRGB: operation not supported (the simulated GPU has no sRGB textures)");
    assert_string_equal(broker.not_provided.text, "cudaCreateTextureObject with sRGB");
}

/* ---- a device that believes everything: the simulated one, with operations of the test's own --------------------- */

static DeviceArrayOps own_array_ops;
static DeviceTextureOps own_texture_ops;
static uint32_t textures_freed, boxes_copied, rows_filled;
static DeviceTexture last_texture;

static CudaError count_new(Device *device, const DeviceTexture *texture, uint64_t *number)
{
    static uint64_t next = 0x100007;
    last_texture = *texture;
    *number = next++;
    return CUDA_ERROR_SUCCESS;
}

static CudaError count_free(Device *device, uint64_t number)
{
    textures_freed++;
    return CUDA_ERROR_SUCCESS;
}

static CudaError count_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                           DeviceStream *stream)
{
    boxes_copied++;
    return CUDA_ERROR_SUCCESS;
}

static CudaError count_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                            DeviceStream *stream)
{
    rows_filled++;
    return CUDA_ERROR_SUCCESS;
}

static int set_up_own_ops(void **state)
{
    if (set_up(state) != 0)
        return -1;
    own_array_ops = *broker.device->arrays;
    own_array_ops.copy_box = count_box;
    own_array_ops.fill_rows = count_rows;
    own_texture_ops = (DeviceTextureOps){.create = count_new, .destroy = count_free};
    broker.device->arrays = &own_array_ops;
    broker.device->textures = &own_texture_ops;
    textures_freed = boxes_copied = rows_filled = 0;
    return 0;
}

#define WITH_OWN_OPS(test) cmocka_unit_test_setup_teardown(test, set_up_own_ops, tear_down)

static void a_texture_is_freed_once_and_only_if_it_exists(void **state)
{
    RingTexture texture = texture_over(ask(RING_ALLOC, 1024, 0, 0, 0).value[0]);
    uint64_t first = ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).value[0];
    uint64_t second = ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).value[0];
    assert_int_equal(ask(RING_TEXTURE_FREE, first, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
    assert_int_equal(ask(RING_TEXTURE_FREE, first, 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_TEXTURE_FREE, second + 1, 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_TEXTURE_FREE, second, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
    assert_int_equal(textures_freed, 2);
}

static CudaError refuse_levels(Device *device, const DeviceTexture *texture, uint64_t *number)
{
    return texture->levels > 1 ? CUDA_ERROR_NOT_SUPPORTED : count_new(device, texture, number);
}

/* The simulated GPU takes them; so does none that is real. */
static void the_levels_of_a_mipmapped_texture_are_arrays(void **state)
{
    const uint64_t first = new_array(8, 8, 0), second = new_array(4, 4, 0);
    RingTexture texture = {.array = first, .level = {first, second}, .levels = 2, .normalized = 1, .most_level = 1};
    assert_int_equal(ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).error, CUDA_ERROR_SUCCESS);
    assert_int_equal(last_texture.levels, 2);
    assert_ptr_equal(last_texture.level[0], last_texture.array);
    const RingTexture refused[] = {
        {.array = first, .level = {first, second}, .levels = 2},
        {.array = first, .level = {second, first}, .levels = 2, .normalized = 1},
        {.array = first, .level = {first, second + 1}, .levels = 2, .normalized = 1},
        {.array = first, .level = {first, second}, .levels = 2, .normalized = 1, .level_filter = 2},
        {.array = first, .level = {first}, .levels = RING_MAX_LEVELS + 1, .normalized = 1},
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_int_equal(ask_body(RING_TEXTURE_NEW, &refused[i], sizeof refused[i]).error, CUDA_ERROR_INVALID_VALUE);
    own_texture_ops.create = refuse_levels;
    broker.device->info.modelled = false;
    assert_int_equal(ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).error, CUDA_ERROR_NOT_SUPPORTED);
    assert_string_equal(broker.not_provided.text, "cudaCreateTextureObject of a mipmapped array with several levels");
    texture.levels = 1;
    assert_int_equal(ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).error, CUDA_ERROR_SUCCESS);
}

static void a_texture_reads_only_existing_memory(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0], array = new_array(8, 8, 0);
    const struct {
        RingTexture texture;
        bool made;
    } cases[] = {
        {{.array = array}, true},
        {{.array = array + 1}, false},
        {{.array = UINT64_MAX}, false},
        {{.address = memory, .bytes = 4096, .format = RING_UINT8, .channels = 1}, true},
        {{.address = memory, .bytes = 4097, .format = RING_UINT8, .channels = 1}, false},
        {{.address = memory, .bytes = UINT64_MAX, .format = RING_UINT8, .channels = 1}, false},
        {{.address = memory, .bytes = 4096, .format = RING_UINT8, .channels = 3}, false},
        {{.address = memory, .bytes = 4096, .format = RING_FORMAT_COUNT, .channels = 1}, false},
        {{.address = memory, .bytes = 4096, .format = 0, .channels = 1}, false},
        {{.address = memory, .bytes = 4096, .format = RING_UINT8, .channels = 1, .address_mode = {0, 4, 0}}, false},
        {{.address = memory, .bytes = 4096, .format = RING_UINT8, .channels = 1, .filter_mode = 2}, false},
        {{.address = memory, .width = 8, .height = 8, .pitch = 512, .format = RING_FLOAT32, .channels = 4}, true},
        {{.address = memory, .width = 8, .height = 9, .pitch = 512, .format = RING_FLOAT32, .channels = 4}, false},
        {{.address = memory, .width = 8, .height = 8, .pitch = 64, .format = RING_FLOAT32, .channels = 4}, false},
        {{.address = memory, .width = 8, .height = 0, .pitch = 512, .format = RING_FLOAT32, .channels = 4}, false},
        {{.address = memory, .width = 1ull << 60, .height = 2, .pitch = 512, .format = RING_FLOAT32, .channels = 4},
         false},
        {{.address = memory, .width = 8, .height = UINT64_MAX, .pitch = 512, .format = RING_FLOAT32, .channels = 4},
         false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CudaError error = ask_body(RING_TEXTURE_NEW, &cases[i].texture, sizeof cases[i].texture).error;
        if (error != (cases[i].made ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE))
            fail_test("case %zu: error %d", i, error);
    }
}

static uint64_t new_array_with(uint64_t flags)
{
    RingArray array = {.width = 8, .height = 4, .depth = 3, .format = RING_FLOAT32, .channels = 1, .flags = flags};
    RingReply reply = ask_body(RING_ARRAY_NEW, &array, sizeof array);
    assert_int_equal(reply.error, CUDA_ERROR_SUCCESS);
    return reply.value[0];
}

static void a_surface_is_made_of_any_array_and_freed_once(void **state)
{
    uint64_t plain = new_array_with(RING_ARRAY_LAYERED),
             array = new_array_with(RING_ARRAY_LAYERED | RING_ARRAY_SURFACE);
    RingTexture texture = {.array = array};
    assert_int_equal(ask(RING_SURFACE_NEW, plain, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
    assert_int_equal(ask(RING_SURFACE_NEW, array + 1, 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    uint64_t made = ask(RING_SURFACE_NEW, array, 0, 0, 0).value[0];
    uint64_t other = ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).value[0];
    assert_true(made != 0 && other != 0);
    assert_int_equal(ask(RING_SURFACE_FREE, other, 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_SURFACE_FREE, made, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
    assert_int_equal(ask(RING_SURFACE_FREE, made, 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_TEXTURE_FREE, other, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
}

static void the_device_receives_all_fields_of_a_texture(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0];
    RingTexture texture = {.address = memory,
                           .width = 7,
                           .height = 3,
                           .pitch = 512,
                           .format = RING_SINT16,
                           .channels = 2,
                           .address_mode = {1, 3, 2},
                           .filter_mode = DEVICE_FILTER_LINEAR,
                           .as_integer = 5,
                           .normalized = 1,
                           .max_anisotropy = 2,
                           .border = {1, 2, 3, 4}};
    assert_int_equal(ask_body(RING_TEXTURE_NEW, &texture, sizeof texture).error, CUDA_ERROR_SUCCESS);
    assert_null(last_texture.array);
    assert_int_equal(last_texture.address, memory);
    assert_int_equal(last_texture.bytes, 0);
    assert_int_equal(last_texture.width, 7);
    assert_int_equal(last_texture.height, 3);
    assert_int_equal(last_texture.pitch, 512);
    assert_int_equal(last_texture.format, DEVICE_SINT16);
    assert_int_equal(last_texture.address_mode[1], DEVICE_ADDRESS_BORDER);
    assert_int_equal(last_texture.filter_mode, DEVICE_FILTER_LINEAR);
    assert_true(last_texture.as_integer && last_texture.normalized && !last_texture.srgb);
    assert_true(last_texture.border[3] == 4);
}

/* ---- requests that are wrong ------------------------------------------------------------------------------------- */

static void a_box_outside_either_end_is_not_copied(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0], array = new_array(16, 16, 0);
    RingPlace whole = in_array(array, 0, 0, 0), room = in_memory(memory, 64, 16);
    const struct {
        RingPlace to, from;
        uint64_t width_bytes, height, depth;
    } cases[] = {
        {whole, room, 68, 1, 1},
        {whole, room, 64, 17, 1},
        {whole, room, 64, 1, 2},
        {whole, room, 63, 1, 1},
        {whole, room, 0, 1, 1},
        {whole, room, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {whole, in_memory(memory, 512, 16), 64, 16, 1},
        {whole, in_memory(memory, 60, 16), 64, 2, 1},
        {whole, in_memory(memory + 64, 64, 16), 64, 64, 1},
        {whole, in_memory(0x1000, 64, 16), 64, 1, 1},
        {whole, in_memory(memory, UINT64_MAX, 1), 64, 2, 1},
        {room, in_array(array, 4, 0, 0), 64, 1, 1},
        {room, in_array(array, 0, UINT64_MAX, 0), 64, 2, 1},
        {room, in_array(array + 1, 0, 0, 0), 64, 1, 1},
        {room, in_staging(RING_STAGING_BYTES - 63, 64, 1), 64, 1, 1},
        {room, in_staging(UINT64_MAX, 64, 1), 64, 1, 1},
        {room, in_staging(0, RING_STAGING_BYTES, 1), 64, 2, 1},
        {in_staging(0, 64, 1), in_staging(64, 64, 1), 64, 1, 1},
        {room, {.kind = 0, .at = memory}, 64, 1, 1},
        {room, {.kind = 4, .at = memory}, 64, 1, 1},
        {{.kind = (1ull << 32) + RING_IN_ARRAY, .at = array}, room, 64, 1, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CudaError error = copy_box(cases[i].to, cases[i].from, cases[i].width_bytes, cases[i].height, cases[i].depth);
        if (error != CUDA_ERROR_INVALID_VALUE)
            fail_test("case %zu: error %d", i, error);
    }
    assert_int_equal(boxes_copied, 0);
    assert_int_equal(copy_box(whole, room, 64, 16, 1), CUDA_ERROR_SUCCESS);
    assert_int_equal(boxes_copied, 1);
}

static void rows_outside_an_allocation_are_not_filled(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0];
    assert_int_equal(fill_rows(memory, 64, 0, 64, 65), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fill_rows(memory, 32, 0, 64, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fill_rows(memory, 64, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fill_rows(memory, UINT64_MAX, 0, 64, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fill_rows(0x1000, 64, 0, 64, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(rows_filled, 0);
    assert_int_equal(fill_rows(memory, 64, 0, 64, 64), CUDA_ERROR_SUCCESS);
    assert_int_equal(rows_filled, 1);
}

static void streams_that_do_not_exist_are_refused(void **state)
{
    uint64_t memory = ask(RING_ALLOC, 4096, 0, 0, 0).value[0];
    RingFillRows rows = {.to = memory, .pitch = 64, .width_bytes = 64, .height = 1, .stream = 99};
    RingCopyBox box = {.to = in_memory(memory, 64, 1),
                       .from = in_memory(memory + 64, 64, 1),
                       .width_bytes = 64,
                       .height = 1,
                       .depth = 1,
                       .stream = 99};
    assert_int_equal(ask_body(RING_FILL_ROWS, &rows, sizeof rows).error, CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(ask_body(RING_COPY_BOX, &box, sizeof box).error, CUDA_ERROR_INVALID_RESOURCE_HANDLE);
}

static void arrays_beyond_the_limits_are_refused(void **state)
{
    static const RingArray cases[] = {
        {.width = 0, .height = 4, .format = RING_FLOAT32, .channels = 1},
        {.width = UINT64_MAX, .height = UINT64_MAX, .depth = UINT64_MAX, .format = RING_FLOAT32, .channels = 4},
        {.width = 16, .height = 16, .format = RING_FLOAT32, .channels = 3},
        {.width = 16, .height = 16, .format = UINT32_MAX, .channels = 1},
        {.width = 16, .height = 16, .depth = 2, .format = RING_FLOAT32, .channels = 1, .flags = RING_ARRAY_GATHER},
        {.width = 16, .height = 16, .format = RING_FLOAT32, .channels = 1, .flags = RING_ARRAY_LAYERED},
        {.width = 16, .height = 16, .format = RING_FLOAT32, .channels = 1, .flags = 8},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CudaError error = ask_body(RING_ARRAY_NEW, &cases[i], sizeof cases[i]).error;
        if (error != CUDA_ERROR_INVALID_VALUE)
            fail_test("case %zu: error %d", i, error);
    }
}

static void bodies_of_another_length_are_a_violation(void **state)
{
    static const struct {
        uint32_t kind;
        size_t bytes;
    } cases[] = {
        {RING_COPY_BOX, sizeof(RingCopyBox) - 8},
        {RING_FILL_ROWS, sizeof(RingFillRows) + 8},
        {RING_ARRAY_NEW, sizeof(RingWords)},
        {RING_TEXTURE_NEW, sizeof(RingTexture) - 4},
        {RING_TEXTURE_FREE, 8},
    };
    static const uint8_t body[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        post(cases[i].kind, false, body, cases[i].bytes);
        broker_serve(&broker, RING_RETURNED);
        if (broker.end != SERVE_VIOLATION)
            fail_test("case %zu: end %d", i, broker.end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_BROKER(a_box_survives_its_way_through_array_and_memory),
        WITH_A_BROKER(a_box_begins_where_its_place_says),
        WITH_A_BROKER(rows_are_filled_and_what_lies_between_them_is_not),
        WITH_A_BROKER(arrays_count_against_the_memory_limit),
        WITH_A_BROKER(an_srgb_texture_is_refused_by_name_on_the_simulated_gpu),
        WITH_A_BROKER(a_surface_is_made_of_any_array_and_freed_once),
        WITH_OWN_OPS(a_texture_is_freed_once_and_only_if_it_exists),
        WITH_OWN_OPS(the_levels_of_a_mipmapped_texture_are_arrays),
        WITH_OWN_OPS(a_texture_reads_only_existing_memory),
        WITH_OWN_OPS(the_device_receives_all_fields_of_a_texture),
        WITH_OWN_OPS(a_box_outside_either_end_is_not_copied),
        WITH_OWN_OPS(rows_outside_an_allocation_are_not_filled),
        WITH_A_BROKER(streams_that_do_not_exist_are_refused),
        WITH_A_BROKER(arrays_beyond_the_limits_are_refused),
        WITH_A_BROKER(bodies_of_another_length_are_a_violation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
