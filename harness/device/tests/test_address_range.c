/* host_origin.c: pieces of one range of addresses, between red zones. */
#include "base/tests/unit.h"
#include "harness/device/host_origin.h"

#include <stdlib.h>

static AddressRange small_range(void)
{
    return (AddressRange){.base = 1 << 20, .span = 1 << 20};
}

static void pieces_never_share_a_zone(void **state)
{
    AddressRange range = small_range();
    uint64_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (range.count > 0 && seed >> 63)
            assert_true(address_give_back(&range, range.pieces[seed % range.count].address));
        else
            address_take(&range, 1 + (seed >> 40) % 20000);
        uint64_t end = range.base, used = 0;
        for (size_t i = 0; i < range.count; i++) {
            assert_true(address_zones_begin(&range.pieces[i]) >= end);
            assert_int_equal(range.pieces[i].address % ADDRESS_ALIGNMENT, 0);
            end = address_zones_end(&range.pieces[i]);
            used += range.pieces[i].bytes;
        }
        assert_true(end <= range.base + range.span);
        assert_int_equal(used, range.used_bytes);
    }
    address_range_free(&range);
}

static void a_full_range_has_no_room_until_something_is_given_back(void **state)
{
    AddressRange range = small_range();
    AddressPiece *large = address_take(&range, 900 << 10);
    assert_non_null(large);
    uint64_t address = large->address;
    assert_null(address_take(&range, 200 << 10));
    assert_true(address_give_back(&range, address));
    assert_false(address_give_back(&range, address));
    assert_non_null(address_take(&range, 200 << 10));
    address_range_free(&range);
}

static void a_piece_can_begin_where_an_earlier_one_began(void **state)
{
    AddressRange range = small_range();
    uint64_t first = address_take(&range, 100 << 10)->address, second = address_take(&range, 5000)->address;
    assert_null(address_take_at(&range, second, 100));
    assert_true(address_give_back(&range, first));
    assert_null(address_take_at(&range, first, (100 << 10) + 1)); /* the zones of the second piece begin there */
    assert_null(address_take_at(&range, first + 1, 100));
    assert_null(address_take_at(&range, first - ADDRESS_ALIGNMENT, 100));
    assert_int_equal(address_take_at(&range, first, 100)->bytes, 100);
    assert_int_equal(range.pieces[0].address, first);
    assert_int_equal(range.pieces[1].address, second);
    assert_null(address_take_at(&range, range.base + range.span, 100));
    assert_null(address_take_at(&range, second, UINT64_MAX));
    address_range_free(&range);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    AddressRange range = small_range();
    assert_null(address_take(&range, 0));
    assert_null(address_take(&range, range.span));
    assert_null(address_take(&range, UINT64_MAX));
    assert_int_equal(range.count, 0);
    address_range_free(&range);
}

static void only_what_lies_in_one_piece_is_found(void **state)
{
    AddressRange range = small_range();
    uint64_t first = address_take(&range, 1000)->address, second = address_take(&range, 1000)->address;
    assert_int_equal(address_find(&range, first, 1000)->address, first);
    assert_int_equal(address_find(&range, second + 999, 1)->address, second);
    assert_null(address_find(&range, first, 1001));
    assert_null(address_find(&range, first + 1000, 1));
    assert_null(address_find(&range, first - 1, 2));
    assert_null(address_find(&range, first, second - first + 1));
    assert_null(address_find(&range, first + 10, UINT64_MAX));
    assert_null(address_find(&range, 0, 1));
    address_range_free(&range);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_never_share_a_zone),
        cmocka_unit_test(a_full_range_has_no_room_until_something_is_given_back),
        cmocka_unit_test(a_piece_can_begin_where_an_earlier_one_began),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(only_what_lies_in_one_piece_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
