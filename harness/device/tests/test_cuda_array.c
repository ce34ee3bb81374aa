/* Arrays, textures and tensor maps of a real GPU, with the driver library that stands in for NVIDIA's (tests/fake/cuda.h). A process
 * can open a GPU only once, so all tests share it. */
#include "base/tests/unit.h"

#include "base/text.h"
#include "harness/device/device_open.h"
#include "harness/tests/fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WIDTH = 5,
    HEIGHT = 4,
    DEPTH = 3,
    ROW_BYTES = WIDTH * sizeof(float),
    PITCH = 32,
    SLICE_ROWS = 6,
    MEMORY_BYTES = 4096,
    LIMIT_BYTES = 1 << 20
};

static const DeviceShape SHAPE = {WIDTH, HEIGHT, DEPTH, DEVICE_FLOAT32, 1, false, false, false};
static const DeviceBox ALL = {ROW_BYTES, HEIGHT, DEPTH};

static Device *device;
static uint64_t memory; /* of MEMORY_BYTES */
static char driver_log[64] = "/tmp/fake-cuda-XXXXXX";

static int set_up(void **state)
{
    Message why;
    int file = mkstemp(driver_log);
    assert_true(file >= 0);
    close(file);
    setenv("CONVJUDGE_FAKE_CUDA_LOG", driver_log, 1);
    use_driver("libcuda.so.1");
    if (device_open("cuda", &device, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    device->memory->set_limit(device, LIMIT_BYTES);
    return device->memory->alloc(device, MEMORY_BYTES, &memory);
}

static int tear_down(void **state)
{
    device->close(device);
    return unlink(driver_log);
}

/* How many lines of the driver's log since it was last emptied begin so. */
static size_t lines_with(const char *beginning)
{
    Text text = {0};
    Message why;
    size_t count = 0;
    assert_int_equal(text_read_file(driver_log, 1 << 28, &text, &why), STATUS_OK);
    for (const char *line = text.data; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        count += strncmp(line, beginning, strlen(beginning)) == 0;
    text_free(&text);
    return count;
}

static void empty_log(void)
{
    assert_int_equal(truncate(driver_log, 0), 0);
}

static DeviceArray *new_array(void)
{
    DeviceArray *array;
    assert_int_equal(device->arrays->create(device, &SHAPE, &array), 0);
    return array;
}

static DevicePlace on_host(float *first)
{
    return (DevicePlace){.host = first, .pitch = ROW_BYTES, .slice_rows = HEIGHT};
}

static DevicePlace in_memory(void)
{
    return (DevicePlace){.address = memory, .pitch = PITCH, .slice_rows = SLICE_ROWS};
}

static void fill_with_numbers(float *numbers)
{
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        numbers[i] = (float)i;
}

static void a_box_survives_its_way_through_array_and_memory(void **state)
{
    float numbers[WIDTH * HEIGHT * DEPTH], back[WIDTH * HEIGHT * DEPTH] = {0};
    DevicePlace from = on_host(numbers), to = on_host(back), array = {.array = new_array()}, rows = in_memory();
    fill_with_numbers(numbers);
    assert_int_equal(device->arrays->copy_box(device, &array, &from, &ALL, NULL), 0);
    assert_int_equal(device->arrays->copy_box(device, &rows, &array, &ALL, NULL), 0);
    assert_int_equal(device->arrays->copy_box(device, &to, &rows, &ALL, NULL), 0);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_int_equal(device->arrays->destroy(device, array.array), 0);
}

static void a_box_begins_where_its_place_says(void **state)
{
    float numbers[WIDTH * HEIGHT * DEPTH], back[4];
    const float expected[] = {48, 49, 53, 54}; /* slice 2, rows 1 and 2, columns 3 and 4 */
    DevicePlace from = on_host(numbers), array = {.array = new_array()};
    fill_with_numbers(numbers);
    assert_int_equal(device->arrays->copy_box(device, &array, &from, &ALL, NULL), 0);
    array.x_bytes = 12;
    array.y = 1;
    array.z = 2;
    const DevicePlace corner = {.host = back, .pitch = 8, .slice_rows = 2};
    assert_int_equal(device->arrays->copy_box(device, &corner, &array, &(DeviceBox){8, 2, 1}, NULL), 0);
    assert_memory_equal(back, expected, sizeof expected);
    assert_int_equal(device->arrays->destroy(device, array.array), 0);
}

/* Row 1 of slice 2 of what the host has written, through an array into plain memory. */
static void an_array_knows_what_came_from_the_host(void **state)
{
    float numbers[WIDTH * HEIGHT * DEPTH];
    DeviceBracket bracket;
    ContentOrigin origin;
    DevicePlace from = on_host(numbers), array = {.array = new_array()};
    const DevicePlace to = {.address = memory + 400, .pitch = ROW_BYTES};
    const DeviceBox row = {ROW_BYTES, 1, 1};
    fill_with_numbers(numbers);
    assert_int_equal(device->timing->begin(device), 0);
    assert_int_equal(device->arrays->copy_box(device, &array, &from, &ALL, NULL), 0);
    array.y = 1;
    array.z = 2;
    assert_int_equal(device->arrays->copy_box(device, &to, &array, &row, NULL), 0);
    assert_int_equal(device->timing->end(device, &bracket), 0);
    assert_memory_equal((const void *)(memory + 400), numbers + (2 * HEIGHT + 1) * WIDTH, ROW_BYTES);
    assert_int_equal(device->memory->origin(device, memory + 400, ROW_BYTES, sizeof(float), &origin), 0);
    assert_int_equal(origin, ORIGIN_HOST);
    assert_int_equal(device->memory->origin(device, memory + 400 + ROW_BYTES, 400, sizeof(float), &origin), 0);
    assert_int_not_equal(origin, ORIGIN_HOST);
    assert_int_equal(device->arrays->fill_rows(device, memory + 400, ROW_BYTES, 0, ROW_BYTES, 1, NULL), 0);
    assert_int_equal(device->memory->origin(device, memory + 400, ROW_BYTES, sizeof(float), &origin), 0);
    assert_int_not_equal(origin, ORIGIN_HOST);
    assert_int_equal(device->arrays->destroy(device, array.array), 0);
}

static void a_single_row_needs_no_pitch(void **state)
{
    const DevicePlace to = {.address = memory}, from = {.address = memory + 64};
    assert_int_equal(device->arrays->fill_rows(device, memory + 64, 0, 9, 64, 1, NULL), 0);
    assert_int_equal(device->arrays->copy_box(device, &to, &from, &(DeviceBox){64, 1, 1}, NULL), 0);
    assert_int_equal(device->streams->synchronize_all(device), 0);
    assert_int_equal(*(uint8_t *)(memory + 63), 9);
}

static void rows_are_filled_and_what_lies_between_them_is_not(void **state)
{
    assert_int_equal(device->copies->fill(device, memory, 0, 64, NULL), 0);
    assert_int_equal(device->arrays->fill_rows(device, memory, 16, 7, 3, 4, NULL), 0);
    assert_int_equal(device->streams->synchronize_all(device), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(((uint8_t *)memory)[i], i % 16 < 3 ? 7 : 0);
}

static void boxes_outside_an_allocation_are_refused(void **state)
{
    DevicePlace array = {.array = new_array()}, rows = in_memory();
    rows.address = memory + MEMORY_BYTES - 64;
    assert_int_equal(device->arrays->copy_box(device, &array, &rows, &ALL, NULL), CUDA_ERROR_INVALID_VALUE);
    rows = in_memory();
    rows.pitch = ROW_BYTES - 4;
    assert_int_equal(device->arrays->copy_box(device, &array, &rows, &ALL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->arrays->fill_rows(device, memory, 64, 0, 64, MEMORY_BYTES / 64 + 1, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->arrays->destroy(device, array.array), 0);
}

static void arrays_count_against_the_memory_limit(void **state)
{
    const DeviceShape large = {256, 1024, 0, DEVICE_FLOAT32, 1, false, false, false}; /* as much as the whole limit */
    const DeviceShape half = {256, 512, 0, DEVICE_FLOAT32, 1, false, false, false};
    uint64_t before = device->memory->allocated_bytes(device), address;
    DeviceArray *array;
    assert_int_equal(device->arrays->create(device, &large, &array), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(device->arrays->create(device, &half, &array), 0);
    assert_int_equal(device->memory->allocated_bytes(device), before + LIMIT_BYTES / 2);
    assert_int_equal(device->memory->alloc(device, LIMIT_BYTES / 2, &address), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(device->arrays->destroy(device, array), 0);
    assert_int_equal(device->memory->allocated_bytes(device), before);
    assert_int_equal(device->memory->alloc(device, LIMIT_BYTES / 2, &address), 0);
    assert_int_equal(device->memory->release(device, address), 0);
}

/* ---- in a bracket ------------------------------------------------------------------------------------------------ */

static void a_small_box_of_the_hosts_waits_behind_the_gate(void **state)
{
    float numbers[WIDTH * HEIGHT * DEPTH], back[WIDTH * HEIGHT * DEPTH] = {0};
    DevicePlace from = on_host(numbers), to = on_host(back), array = {.array = new_array()}, rows = in_memory();
    DeviceBracket bracket;
    fill_with_numbers(numbers);
    assert_int_equal(device->timing->begin(device), 0);
    empty_log();
    assert_int_equal(device->arrays->copy_box(device, &array, &from, &ALL, NULL), 0);
    assert_int_equal(device->arrays->copy_box(device, &rows, &array, &ALL, NULL), 0);
    memset(numbers, 0, sizeof numbers); /* the caller may change it now */
    usleep(5000);
    assert_int_equal(lines_with("ran cuMemcpy3DAsync"), 0);
    assert_int_equal(device->arrays->copy_box(device, &to, &rows, &ALL, NULL), 0);
    assert_int_equal(lines_with("ran cuMemcpy3DAsync"), 3);
    fill_with_numbers(numbers);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_int_equal(device->timing->end(device, &bracket), 0);
    assert_int_equal(device->arrays->destroy(device, array.array), 0);
}

/* The driver may wait for the device in each of these calls, and would wait for ever for work that is held. */
static void arrays_and_textures_come_and_go_in_a_bracket(void **state)
{
    DeviceArray *array = new_array(), *more;
    const DeviceTexture texture = {.array = array};
    DeviceBracket bracket;
    uint64_t number;
    for (int step = 0; step < 4; step++) {
        assert_int_equal(device->timing->begin(device), 0);
        assert_int_equal(device->copies->fill(device, memory, (uint8_t)step, 64, NULL), 0);
        switch (step) {
        case 0: assert_int_equal(device->arrays->create(device, &SHAPE, &more), 0); break;
        case 1: assert_int_equal(device->textures->create(device, &texture, &number), 0); break;
        case 2: assert_int_equal(device->textures->destroy(device, number), 0); break;
        case 3: assert_int_equal(device->arrays->destroy(device, more), 0); break;
        }
        assert_int_equal(device->timing->end(device, &bracket), 0);
        assert_int_equal(*(uint8_t *)memory, step);
    }
    assert_int_equal(device->arrays->destroy(device, array), 0);
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static void textures_of_each_kind_have_the_drivers_numbers(void **state)
{
    DeviceArray *array = new_array();
    const struct {
        DeviceTexture texture;
        const char *asked; /* CUresourcetype */
    } cases[] = {
        {{.array = array}, "cuTexObjectCreate 0"},
        {{.address = memory, .bytes = 512, .format = DEVICE_FLOAT32, .channels = 1}, "cuTexObjectCreate 2"},
        {{.address = memory, .width = 8, .height = 8, .pitch = 512, .format = DEVICE_UINT8, .channels = 4},
         "cuTexObjectCreate 3"},
    };
    uint64_t number[COUNT_OF(cases)];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        empty_log();
        assert_int_equal(device->textures->create(device, &cases[i].texture, &number[i]), 0);
        assert_int_equal(lines_with(cases[i].asked), 1);
        assert_true(number[i] != 0 && (i == 0 || number[i] != number[i - 1]));
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(device->textures->destroy(device, number[i]), 0);
    assert_int_equal(device->textures->destroy(device, 12345), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->arrays->destroy(device, array), 0);
}

/* The driver wants the map at a multiple of 64 bytes; the caller's place may be any. */
static void a_tensor_map_comes_from_the_driver(void **state)
{
    const DeviceTensor tensor = {.address = memory, .extents = {64}, .box = {16}, .steps = {1}, .rank = 1};
    uint8_t place[1 + DEVICE_TENSOR_MAP_BYTES] = {0};
    assert_int_equal(device->tensors->encode(device, &tensor, place + 1), CUDA_ERROR_SUCCESS);
    assert_memory_equal(place + 1, &memory, sizeof memory);
    assert_int_equal(lines_with("cuTensorMapEncodeTiled 1"), 1);
}

static void surfaces_have_the_drivers_numbers(void **state)
{
    DeviceShape shape = SHAPE;
    DeviceArray *array;
    uint64_t first = 0, second = 0;
    shape.layered = shape.surface = true;
    assert_int_equal(device->arrays->create(device, &shape, &array), 0);
    empty_log();
    assert_int_equal(device->textures->create_surface(device, array, &first), 0);
    assert_int_equal(device->textures->create_surface(device, array, &second), 0);
    assert_int_equal(lines_with("cuSurfObjectCreate 0"), 2);
    assert_true(first != 0 && first != second);
    assert_int_equal(device->textures->destroy_surface(device, first), 0);
    assert_int_equal(lines_with("cuSurfObjectDestroy"), 1);
    assert_int_equal(device->arrays->destroy(device, array), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_map_comes_from_the_driver),
        cmocka_unit_test(a_box_survives_its_way_through_array_and_memory),
        cmocka_unit_test(a_box_begins_where_its_place_says),
        cmocka_unit_test(an_array_knows_what_came_from_the_host),
        cmocka_unit_test(a_single_row_needs_no_pitch),
        cmocka_unit_test(rows_are_filled_and_what_lies_between_them_is_not),
        cmocka_unit_test(boxes_outside_an_allocation_are_refused),
        cmocka_unit_test(arrays_count_against_the_memory_limit),
        cmocka_unit_test(a_small_box_of_the_hosts_waits_behind_the_gate),
        cmocka_unit_test(arrays_and_textures_come_and_go_in_a_bracket),
        cmocka_unit_test(textures_of_each_kind_have_the_drivers_numbers),
        cmocka_unit_test(surfaces_have_the_drivers_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
