#include "base/tests/unit.h"

#include "simgpu/memory/origin.h"

#include <string.h>

enum { BYTES = 4096 };

static uint8_t contents[BYTES];

/* New memory, of which the host writes the first bytes. */
static Allocation written_by_the_host(uint64_t bytes)
{
    static uint8_t data[BYTES];
    Allocation allocation = {.address = (uint64_t)contents, .bytes = BYTES};
    memset(contents, 0xCD, sizeof contents);
    memset(data, 7, sizeof data);
    origin_write(&allocation, allocation.address, data, bytes);
    return allocation;
}

static void what_the_host_writes_comes_from_it_unless_it_is_zero_or_was_there_before(void **state)
{
    static const uint8_t data[4] = {1, 0, 0xCD, 2};
    Allocation allocation = written_by_the_host(0);
    origin_write(&allocation, allocation.address + 8, data, sizeof data);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(origin_is_host(&allocation, allocation.address + i, 1), i == 8 || i == 11);
    origin_free(&allocation);
}

static void a_part_can_be_forgotten(void **state)
{
    Allocation allocation = written_by_the_host(BYTES);
    origin_forget(&allocation, allocation.address, BYTES / 2);
    assert_false(origin_is_host(&allocation, allocation.address, BYTES / 2));
    assert_true(origin_is_host(&allocation, allocation.address, BYTES / 2 + 1));
    origin_free(&allocation);
}

/* Then stores of kernels need not be noted, which is several times as fast. */
static void an_allocation_that_is_forgotten_has_no_map(void **state)
{
    Allocation allocation = written_by_the_host(100);
    assert_non_null(allocation.from_host);
    origin_forget(&allocation, allocation.address, BYTES);
    assert_null(allocation.from_host);
    assert_false(origin_is_host(&allocation, allocation.address, BYTES));
}

/* Blank memory that the host has written as a whole; `contents` holds what it wrote. */
static Allocation written_as_a_whole(void)
{
    Allocation allocation = {.address = (uint64_t)contents, .bytes = BYTES, .is_blank = true};
    for (size_t i = 0; i < BYTES; i++)
        contents[i] = i % 2;
    origin_write(&allocation, allocation.address, contents, BYTES);
    return allocation;
}

static void of_blank_memory_all_comes_from_the_host_but_zeros(void **state)
{
    Allocation allocation = written_as_a_whole();
    assert_true(origin_is_host(&allocation, allocation.address + 1, 1));
    assert_false(origin_is_host(&allocation, allocation.address + 2, 1));
    origin_free(&allocation);
    assert_false(origin_is_host(&allocation, allocation.address, BYTES));
}

static void a_map_that_was_put_off_can_be_made_at_once(void **state)
{
    Allocation allocation = written_as_a_whole();
    origin_make_map(&allocation);
    for (uint64_t i = 0; i < BYTES; i++)
        assert_int_equal(allocation.from_host[i], i % 2);
    origin_free(&allocation);
    origin_make_map(&allocation); /* of none there is nothing to be made */
    assert_null(allocation.from_host);
}

static void a_store_takes_bytes_out_of_what_was_written_as_a_whole(void **state)
{
    Allocation allocation = written_as_a_whole();
    contents[5] = 9; /* a kernel stores */
    origin_clear(&allocation, allocation.address + 5, 1);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(origin_is_host(&allocation, allocation.address + i, 1), i % 2 == 1 && i != 5);
    origin_free(&allocation);
}

static void a_copy_carries_along_what_was_written_as_a_whole(void **state)
{
    static uint8_t other[BYTES];
    Allocation from = written_as_a_whole(), to = {.address = (uint64_t)other, .bytes = BYTES};
    origin_copy(&to, to.address + 64, &from, from.address, 8);
    for (uint64_t i = 0; i < 80; i++)
        assert_int_equal(origin_is_host(&to, to.address + i, 1), i >= 64 && i < 72 && i % 2 == 1);
    origin_free(&from);
    origin_free(&to);
}

/* What changes nothing there comes from where it came from before. */
static void what_the_host_writes_a_second_time_is_compared(void **state)
{
    static const uint8_t data[2] = {9, 1};
    Allocation allocation = written_as_a_whole();
    origin_clear(&allocation, allocation.address, BYTES);
    origin_write(&allocation, allocation.address + 4, data, sizeof data);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(origin_is_host(&allocation, allocation.address + i, 1), i == 4);
    origin_free(&allocation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_host_writes_comes_from_it_unless_it_is_zero_or_was_there_before),
        cmocka_unit_test(a_part_can_be_forgotten),
        cmocka_unit_test(an_allocation_that_is_forgotten_has_no_map),
        cmocka_unit_test(of_blank_memory_all_comes_from_the_host_but_zeros),
        cmocka_unit_test(a_map_that_was_put_off_can_be_made_at_once),
        cmocka_unit_test(a_store_takes_bytes_out_of_what_was_written_as_a_whole),
        cmocka_unit_test(a_copy_carries_along_what_was_written_as_a_whole),
        cmocka_unit_test(what_the_host_writes_a_second_time_is_compared),
    };
    return cmocka_run_group_tests_name("origin", tests, NULL, NULL);
}
