#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>

enum { MULTIPROCESSORS = 4, RESIDENT = 2 };

static bool are(BlockShares found, double share, double waves, double together)
{
    return fabs(found.share - share) < 1e-12 && fabs(found.waves - waves) < 1e-12 && found.together == together;
}

static BlockShares shares(const double *works, size_t count)
{
    return block_shares_find(works, count, MULTIPROCESSORS, RESIDENT);
}

static void equal_blocks_are_dealt_out_one_by_one(void **state)
{
    const double works[9] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    assert_true(are(shares(works, 3), 1 / 3.0, 1, 1));
    assert_true(are(shares(works, 5), 2 / 5.0, 1, 2));
    assert_true(are(shares(works, 9), 3 / 9.0, 2, 2)); /* the ninth waits for a place */
}

/* Five blocks work: the first multiprocessor has two of them, whatever else is in the grid. */
static void blocks_that_do_next_to_nothing_change_nothing(void **state)
{
    const double works[8] = {100, 100, 100, 100, 100, 1e-9, 1e-9, 1e-9};
    const BlockShares found = shares(works, 8);
    assert_true(fabs(found.share - 2 / 5.0) < 1e-9 && found.waves == 1 && found.together == 2);
}

static void blocks_that_work_in_every_fourth_place_all_meet_on_one_multiprocessor(void **state)
{
    const double works[8] = {7, 1e-9, 1e-9, 1e-9, 7, 1e-9, 1e-9, 1e-9};
    const BlockShares found = shares(works, 8);
    assert_true(fabs(found.share - 1) < 1e-9 && found.waves == 1 && found.together == 2);
}

/* Places are taken from the block that ends first: the ninth and the tenth block follow the shortest ones. */
static void the_next_block_follows_the_one_that_ends_first(void **state)
{
    const double works[10] = {9, 9, 1, 9, 9, 9, 9, 9, 3, 4};
    assert_true(are(shares(works, 10), 18 / 71.0, 1, 2)); /* the third multiprocessor has 1 + 9 + 3 + 4 */
}

static void a_block_that_works_longer_than_all_others_keeps_its_multiprocessor(void **state)
{
    const double works[6] = {1, 1, 1, 50, 1, 1};
    assert_true(are(shares(works, 6), 50 / 55.0, 1, 1));
}

static void blocks_without_any_work_are_alike(void **state)
{
    const double works[3] = {0, 0, 0};
    assert_true(are(shares(works, 3), 0, 0, 0));
    assert_true(are(shares(works, 0), 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_are_dealt_out_one_by_one),
        cmocka_unit_test(blocks_that_do_next_to_nothing_change_nothing),
        cmocka_unit_test(blocks_that_work_in_every_fourth_place_all_meet_on_one_multiprocessor),
        cmocka_unit_test(the_next_block_follows_the_one_that_ends_first),
        cmocka_unit_test(a_block_that_works_longer_than_all_others_keeps_its_multiprocessor),
        cmocka_unit_test(blocks_without_any_work_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
