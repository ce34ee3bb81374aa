#include "base/tests/unit.h"
#include "harness/device/launch_check.h"

static void an_array_takes_the_bytes_of_its_elements(void **state)
{
    static const struct {
        DeviceShape shape;
        uint64_t bytes; /* 0: there is no such array */
    } cases[] = {
        {{100, 0, 0, DEVICE_FLOAT32, 1, false, false, false}, 400},
        {{100, 20, 0, DEVICE_UINT8, 4, false, false, false}, 8000},
        {{10, 20, 30, DEVICE_FLOAT16, 2, false, false, false}, 24000},
        {{100, 20, 0, DEVICE_FLOAT32, 1, true, false, false}, 8000},
        {{131072, 65536, 0, DEVICE_SINT32, 4, false, false, false}, 1ull << 37},
        {{0, 20, 0, DEVICE_FLOAT32, 1, false, false, false}, 0},
        {{131073, 0, 0, DEVICE_FLOAT32, 1, false, false, false}, 0},
        {{16, 65537, 0, DEVICE_FLOAT32, 1, false, false, false}, 0},
        {{16385, 1, 1, DEVICE_FLOAT32, 1, false, false, false}, 0},
        {{16, 0, 2, DEVICE_FLOAT32, 1, false, false, false}, 0},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, DEVICE_FLOAT32, 4, false, false, false}, 0},
        {{16, 0, 0, DEVICE_FLOAT32, 1, true, false, false}, 0},
        {{32769, 16, 0, DEVICE_FLOAT32, 1, true, false, false}, 0},
        {{16, 16, 0, DEVICE_FLOAT32, 3, false, false, false}, 0},
        {{16, 16, 0, DEVICE_FLOAT32, 0, false, false, false}, 0},
        {{16, 16, 0, 0x21, 1, false, false, false}, 0},
        {{16, 0, 3, DEVICE_FLOAT32, 1, false, true, false}, 192},
        {{16, 8, 3, DEVICE_FLOAT32, 1, false, true, true}, 1536},
        {{32768, 32768, 2048, DEVICE_UINT8, 1, false, true, true}, 1ull << 41},
        {{16, 8, 0, DEVICE_FLOAT32, 1, false, true, false}, 0},
        {{16, 8, 2049, DEVICE_FLOAT32, 1, false, true, false}, 0},
        {{32769, 8, 2, DEVICE_FLOAT32, 1, false, true, false}, 0},
        {{16, 32769, 2, DEVICE_FLOAT32, 1, false, true, false}, 0},
        {{16, 8, 3, DEVICE_FLOAT32, 1, true, true, false}, 0},
        {{32768, 0, 0, DEVICE_FLOAT32, 1, false, false, true}, 131072},
        {{32769, 0, 0, DEVICE_FLOAT32, 1, false, false, true}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t bytes = 0;
        bool found = array_check(&cases[i].shape, &bytes);
        if (found != (cases[i].bytes > 0) || (found && bytes != cases[i].bytes))
            fail_test("case %zu: %d, %llu bytes, expected %llu", i, found, (unsigned long long)bytes,
                      (unsigned long long)cases[i].bytes);
    }
}

static void a_box_lies_in_its_array_or_not(void **state)
{
    static const DeviceShape flat = {10, 5, 0, DEVICE_FLOAT32, 2, false, false, false};
    static const struct {
        uint64_t x_bytes, y, z;
        DeviceBox box;
        bool holds;
    } cases[] = {
        {0, 0, 0, {80, 5, 1}, true},          {72, 4, 0, {8, 1, 1}, true},
        {0, 0, 0, {88, 1, 1}, false},         {8, 0, 0, {80, 1, 1}, false},
        {0, 1, 0, {80, 5, 1}, false},         {0, 0, 1, {80, 5, 1}, false},
        {0, 0, 0, {80, 5, 2}, false},         {4, 0, 0, {8, 1, 1}, false},
        {0, 0, 0, {12, 1, 1}, false},         {0, 0, 0, {0, 1, 1}, false},
        {0, 0, 0, {8, 0, 1}, false},          {UINT64_MAX - 7, 0, 0, {16, 1, 1}, false},
        {0, UINT64_MAX, 0, {8, 2, 1}, false}, {0, 0, 0, {8, UINT64_MAX, 1}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        DevicePlace place = {.x_bytes = cases[i].x_bytes, .y = cases[i].y, .z = cases[i].z};
        if (array_holds(&flat, &place, &cases[i].box) != cases[i].holds)
            fail_test("case %zu: expected %d", i, cases[i].holds);
    }
}

static void a_box_in_memory_spans_from_its_first_byte_to_its_last(void **state)
{
    static const struct {
        uint64_t pitch, slice_rows;
        DeviceBox box;
        uint64_t bytes; /* 0: there is no such box */
    } cases[] = {
        {0, 0, {100, 1, 1}, 100},        {128, 0, {100, 3, 1}, 356},
        {100, 3, {100, 3, 2}, 600},      {128, 4, {100, 3, 2}, 868},
        {99, 0, {100, 2, 1}, 0},         {99, 1, {100, 1, 2}, 0},
        {128, 2, {100, 3, 2}, 0},        {128, 3, {0, 3, 2}, 0},
        {128, 3, {100, 3, 0}, 0},        {1ull << 32, 1, {16, (1ull << 32) + 1, 1}, 0},
        {16, 1ull << 63, {16, 1, 3}, 0}, {16, UINT64_MAX, {16, 2, 2}, 0},
        {UINT64_MAX, 0, {16, 2, 1}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        DevicePlace place = {.pitch = cases[i].pitch, .slice_rows = cases[i].slice_rows};
        uint64_t bytes = 0;
        bool found = box_span(&place, &cases[i].box, &bytes);
        if (found != (cases[i].bytes > 0) || (found && bytes != cases[i].bytes))
            fail_test("case %zu: %d, %llu bytes, expected %llu", i, found, (unsigned long long)bytes,
                      (unsigned long long)cases[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_takes_the_bytes_of_its_elements),
        cmocka_unit_test(a_box_lies_in_its_array_or_not),
        cmocka_unit_test(a_box_in_memory_spans_from_its_first_byte_to_its_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
