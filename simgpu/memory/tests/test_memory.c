#include "base/tests/unit.h"

#include "simgpu/memory/memory.h"
#include "simgpu/memory/validity.h"

#include <stdio.h>

static const uint64_t limit = 1 << 24;

static Memory memory;

static int new_memory(void **state)
{
    Message why;
    return memory_new(0, 1 << 26, limit, &memory, &why) == STATUS_OK ? 0 : -1;
}

static int free_memory(void **state)
{
    memory_free(&memory);
    return 0;
}

static void allocations_are_aligned_and_apart(void **state)
{
    uint64_t a = memory_alloc(&memory, 100, NULL), b = memory_alloc(&memory, 5000, NULL);
    assert_int_equal(a % 512, 0);
    assert_int_equal(b % 512, 0);
    assert_true(a >= memory.base && b > a + 100);
    assert_int_equal(memory_find(&memory, a + 99), 0);
    assert_int_equal(memory_find(&memory, a + 100), -1);
    assert_int_equal(memory_find(&memory, a - 1), -1);
    assert_int_equal(memory_find(&memory, b), 1);
}

static void fresh_memory_holds_the_pattern(void **state)
{
    const uint64_t bytes = 9 << 20; /* more than one view of the pattern */
    for (int turn = 0; turn < 2; turn++) {
        uint64_t address = memory_alloc(&memory, bytes, NULL);
        unsigned char *data = (unsigned char *)address;
        assert_int_equal(data[0], SIM_UNINITIALISED_BYTE);
        assert_int_equal(data[bytes / 2], SIM_UNINITIALISED_BYTE);
        assert_int_equal(data[bytes - 1], SIM_UNINITIALISED_BYTE);
        data[0] = data[bytes - 1] = 1; /* must not show up in the next */
        assert_true(memory_release(&memory, address));
    }
}

static void what_nothing_has_written_holds_another_byte(void **state)
{
    uint64_t old = memory_alloc(&memory, 100, NULL);
    unsigned char *data = (unsigned char *)old;
    data[3] = 7;
    validity_mark(&memory.allocations[0], old + 3, 1);
    memory_set_uninitialised_bytes(&memory, 0x4D, 0x4D);
    assert_int_equal(data[2], 0x4D);
    assert_int_equal(data[3], 7);
    assert_int_equal(data[99], 0x4D);
    const unsigned char *fresh = (unsigned char *)memory_alloc(&memory, 5 << 20, NULL);
    assert_int_equal(fresh[0], 0x4D);
    assert_int_equal(fresh[(5 << 20) - 1], 0x4D);
}

static void released_memory_is_found_again(void **state)
{
    uint64_t a = memory_alloc(&memory, 10000, NULL), b = memory_alloc(&memory, 10000, NULL);
    assert_true(memory_release(&memory, a));
    assert_int_equal(memory_find(&memory, a), -1);
    assert_int_equal(memory_alloc(&memory, 10000, NULL), a);
    assert_int_equal(memory_find(&memory, b), 1);
    assert_int_equal(memory.used, 20000);
}

static void what_was_released_is_known_until_it_has_another_use(void **state)
{
    uint64_t a = memory_alloc(&memory, 10000, NULL), b = memory_alloc(&memory, 10000, NULL);
    assert_null(memory_find_released(&memory, a));
    assert_true(memory_release(&memory, a));
    assert_int_equal(memory_find_released(&memory, a + 9999)->address, a);
    assert_null(memory_find_released(&memory, a + 10000));
    assert_null(memory_find_released(&memory, b));
    assert_int_equal(memory_alloc(&memory, 100, NULL), a);
    assert_null(memory_find_released(&memory, a + 9999));
    assert_true(memory_release(&memory, b));
    memory_forget_released(&memory);
    assert_null(memory_find_released(&memory, b));
}

static void memory_can_lie_where_released_memory_lay(void **state)
{
    uint64_t first = memory_alloc(&memory, 9000, NULL), second = memory_alloc(&memory, 5000, NULL), used = memory.used;
    assert_false(memory_alloc_at(&memory, first, 100));
    *(unsigned char *)first = 1;
    assert_true(memory_release(&memory, first));
    assert_false(memory_alloc_at(&memory, first, 4 * 4096)); /* `second` is in the way */
    assert_false(memory_alloc_at(&memory, first + 512, 100));
    assert_false(memory_alloc_at(&memory, first, 0));
    assert_false(memory_alloc_at(&memory, memory.base + memory.span, 100));
    assert_true(memory_alloc_at(&memory, first, 8000));
    assert_true(validity_holds(&memory.allocations[0], first, 8000)); /* the caller writes it at once, */
    for (uint64_t i = 0; i < 8000; i++)
        assert_int_equal(((unsigned char *)first)[i], 0); /* and finds nothing of what lay there before */
    assert_int_equal(memory_find(&memory, first + 7999), 0);
    assert_int_equal(memory_find(&memory, first + 8000), -1);
    assert_int_equal(memory_find(&memory, second), 1);
    assert_int_equal(memory.used, used - 1000);
}

static void room_is_found_where_memory_would_be_allocated(void **state)
{
    const uint64_t first = memory_alloc(&memory, 9000, NULL), room = memory_find_room(&memory, 5000), used = memory.used;
    assert_true(room > first);
    assert_int_equal(memory_find_room(&memory, limit), 0);
    assert_int_equal(memory.used, used);
    assert_int_equal(memory_alloc(&memory, 5000, NULL), room);
}

static void only_a_start_can_be_released(void **state)
{
    uint64_t a = memory_alloc(&memory, 1000, NULL);
    assert_false(memory_release(&memory, a + 4));
    assert_false(memory_release(&memory, 0));
    assert_true(memory_release(&memory, a));
    assert_false(memory_release(&memory, a));
}

static void the_limit_is_exact(void **state)
{
    assert_int_equal(memory_alloc(&memory, limit + 1, NULL), 0);
    uint64_t all = memory_alloc(&memory, limit, NULL);
    assert_int_not_equal(all, 0);
    assert_int_equal(memory_alloc(&memory, 1, NULL), 0);
    assert_true(memory_release(&memory, all));
    assert_int_not_equal(memory_alloc(&memory, 1, NULL), 0);
    assert_int_equal(memory_alloc(&memory, UINT64_MAX - 4096, NULL), 0);
}

static void the_nearest_is_that_with_the_smaller_gap(void **state)
{
    assert_int_equal(memory_nearest(&memory, 12345), -1);
    uint64_t a = memory_alloc(&memory, 4096, NULL), b = memory_alloc(&memory, 4096, NULL);
    assert_int_equal(memory_nearest(&memory, a - 1), 0);
    assert_int_equal(memory_nearest(&memory, a + 4096), 0);
    assert_int_equal(memory_nearest(&memory, b - 1), 1);
    assert_int_equal(memory_nearest(&memory, b + 100000), 1);
}

static void addresses_that_are_taken_are_named(void **state)
{
    Memory second;
    Message why;
    char expected[200];
    snprintf(expected, sizeof expected,
             "67108864 bytes of addresses for device memory cannot be reserved at 0x%llx: File exists",
             (unsigned long long)memory.base);
    assert_int_equal(memory_new(memory.base, 1 << 26, limit, &second, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, expected);
}

int main(void)
{
#define WITH_MEMORY(test) cmocka_unit_test_setup_teardown(test, new_memory, free_memory)
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(allocations_are_aligned_and_apart),
        WITH_MEMORY(fresh_memory_holds_the_pattern),
        WITH_MEMORY(released_memory_is_found_again),
        WITH_MEMORY(memory_can_lie_where_released_memory_lay),
        WITH_MEMORY(room_is_found_where_memory_would_be_allocated),
        WITH_MEMORY(only_a_start_can_be_released),
        WITH_MEMORY(what_was_released_is_known_until_it_has_another_use),
        WITH_MEMORY(what_nothing_has_written_holds_another_byte),
        WITH_MEMORY(the_limit_is_exact),
        WITH_MEMORY(the_nearest_is_that_with_the_smaller_gap),
        WITH_MEMORY(addresses_that_are_taken_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
