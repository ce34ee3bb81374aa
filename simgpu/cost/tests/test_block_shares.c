#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>

enum { MULTIPROCESSORS = 4, RESIDENT = 2 };

static bool are(BlockShares found, double share, double waves, double together)
{
    return fabs(found.share - share) < 1e-12 && fabs(found.waves - waves) < 1e-12 && found.together == together;
}

enum { MOST = 16 };

/* Blocks of so many instructions each, of which the accesses to memory are a fixed part. */
static BlockShares shares(const double *works, size_t count)
{
    BlockWork each[MOST];
    for (size_t i = 0; i < count; i++)
        each[i] = (BlockWork){.work = works[i], .accesses = works[i] / 10, .blocks = 1};
    return block_shares_find(each, count, MULTIPROCESSORS, MULTIPROCESSORS * RESIDENT);
}

static void equal_blocks_are_alike(void **state)
{
    const double works[9] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    assert_true(are(shares(works, 3), 0, 0, 0));
    assert_true(are(shares(works, 9), 0, 0, 0));
}

/* All begin by finding out what is theirs; only five of them access memory. */
static void what_all_blocks_begin_with_takes_no_share_from_those_that_work(void **state)
{
    BlockWork works[8];
    for (size_t i = 0; i < 8; i++)
        works[i] = (BlockWork){.work = i < 5 ? 100 : 20, .accesses = i < 5 ? 10 : 0, .blocks = 1};
    const BlockShares found = block_shares_find(works, 8, MULTIPROCESSORS, MULTIPROCESSORS * RESIDENT);
    assert_true(fabs(found.share - 2 / 5.0) < 1e-9 && found.waves == 1 && found.together == 2);
}

/* Four persistent blocks, a place each, take twelve tiles from a queue: each ends up with three. */
static void work_from_a_queue_goes_to_the_place_that_is_free(void **state)
{
    BlockWork works[16];
    for (size_t i = 0; i < 16; i++)
        works[i] = (BlockWork){.work = i < 4 ? 1 : 100, .accesses = i < 4 ? 0 : 10, .blocks = 1};
    const BlockShares found = block_shares_find(works, 16, MULTIPROCESSORS, 4);
    assert_true(fabs(found.share - 1 / 4.0) < 1e-9 && fabs(found.waves - 3.01) < 1e-9 && found.together == 1);
}

/* The last of eight blocks adds up what the others have left. */
static void the_last_block_works_on_alone(void **state)
{
    BlockWork works[9];
    for (size_t i = 0; i < 9; i++)
        works[i] = (BlockWork){.work = i < 8 ? 10 : 40, .accesses = i < 8 ? 1 : 4, .blocks = 1};
    const BlockShares found = block_shares_find(works, 9, MULTIPROCESSORS, MULTIPROCESSORS * RESIDENT);
    assert_true(fabs(found.share - 60 / 120.0) < 1e-9 && fabs(found.waves - 50 / 40.0) < 1e-9);
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

/* Two multiprocessors with two places each, and a block that works three times as long as the others. */
static void a_timeline_shows_which_block_runs_when(void **state)
{
    const BlockWork works[6] = {{30, 1, 1}, {10, 1, 1}, {10, 1, 1}, {10, 1, 1}, {10, 1, 1}, {0, 0, 1}};
    BlockTimeline timeline;
    block_timeline_find(works, 6, 2, 4, &timeline);
    assert_true(timeline.rows == 2 && timeline.step == 1 && timeline.places == 4 && timeline.most_waves == 2);
    assert_true(timeline.waves[0][0] == 1 && timeline.waves[0][TIMELINE_COLUMNS - 1] == 1);
    assert_true(timeline.waves[1][0] == 1 && timeline.waves[1][TIMELINE_COLUMNS / 2] == 2);
    assert_true(timeline.waves[1][TIMELINE_COLUMNS - 1] == 0);
    assert_true(fabs(timeline.together[0] - 4) < 1e-9 && fabs(timeline.together[TIMELINE_COLUMNS / 2] - 2) < 1e-9 &&
                fabs(timeline.together[TIMELINE_COLUMNS - 1] - 1) < 1e-9);
    block_timeline_find(works, 1, 132, 1, &timeline);
    assert_true(timeline.rows == 33 && timeline.step == 4 && timeline.waves[0][0] == 1 && timeline.waves[1][0] == 0);
    block_timeline_find(&works[5], 1, 132, 1, &timeline); /* a block that does nothing takes no time */
    assert_true(timeline.most_waves == 0 && timeline.together[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_are_alike),
        cmocka_unit_test(what_all_blocks_begin_with_takes_no_share_from_those_that_work),
        cmocka_unit_test(work_from_a_queue_goes_to_the_place_that_is_free),
        cmocka_unit_test(the_last_block_works_on_alone),
        cmocka_unit_test(blocks_that_do_next_to_nothing_change_nothing),
        cmocka_unit_test(blocks_that_work_in_every_fourth_place_all_meet_on_one_multiprocessor),
        cmocka_unit_test(the_next_block_follows_the_one_that_ends_first),
        cmocka_unit_test(a_block_that_works_longer_than_all_others_keeps_its_multiprocessor),
        cmocka_unit_test(blocks_without_any_work_are_alike),
        cmocka_unit_test(a_timeline_shows_which_block_runs_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
