#include "base/tests/unit.h"

#include "harness/device/cuda_memory.h"

#include <string.h>

static const struct {
    const char *ptx;
    uint64_t bytes;
} CASES[] = {
    {".global .align 4 .b8 table[20000];", 0},
    {".global .attribute(.managed) .align 4 .b8 table[20000];", 20000},
    {".global .attribute(.managed) .align 4 .u32 counter;", 32},
    {".global .attribute(.managed) .align 4 .u32 pair[2] = {5, 7};", 64},
    {".global .attribute(.managed) .b8 a[3][5];\n.visible .global .attribute(.managed) .b8 b[7];", 22},
    {".global .attribute(.managed) .b8 a[99999999999999999999999];", UINT64_MAX / 2},
    {".global .attribute(.managed) .b8 a[4294967296][4294967296];", UINT64_MAX},
    {".global .attribute(.managed) .b8 a[0x100];", UINT64_MAX},
    {".global .attribute(.managed) .b8 a[];", UINT64_MAX},
    {".global .attribute(.managed) .b8 a[10", UINT64_MAX},
    {".global .attribute(.managed) .b8 a", UINT64_MAX},
};

static void sizes_of_managed_variables_are_added(void **state)
{
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        uint64_t bytes = cuda_managed_bytes(CASES[i].ptx, strlen(CASES[i].ptx));
        if (CASES[i].bytes == UINT64_MAX / 2)
            assert_true(bytes >= CASES[i].bytes);
        else
            assert_int_equal(bytes, CASES[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_of_managed_variables_are_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
