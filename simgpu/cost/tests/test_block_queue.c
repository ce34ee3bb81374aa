#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>

static double seconds(double blocks, double work_s, double wait_s)
{
    return block_queue(blocks, work_s, wait_s).seconds;
}

static void one_block_waits_and_then_works(void **state)
{
    assert_true(fabs(seconds(1, 3, 2) - 5) < 1e-12);
}

/* By hand: each block works for 1. One alone takes 2 and stands in the queue for half of it, so the other one waits for 1
 * and then takes 1.5. */
static void two_blocks_work_while_the_other_one_waits(void **state)
{
    assert_true(fabs(seconds(2, 2, 1) - 2.5) < 1e-12);
}

static void many_blocks_take_as_long_as_their_work(void **state)
{
    double many = seconds(10000, 3, 2);
    assert_true(many >= 3 && many < 1.01 * 3);
    assert_true(fabs(seconds(10000, 2, 3) - 3) < 0.1); /* they take no less than each of them waits */
}

static void more_work_or_waiting_or_fewer_blocks_never_take_less(void **state)
{
    for (int blocks = 1; blocks <= 32; blocks++)
        for (double work = 0; work <= 8; work += 0.5)
            for (double wait = 0; wait <= 8; wait += 0.5) {
                double here = seconds(blocks, work, wait);
                assert_true(here >= fmax(work, wait) * (1 - 1e-12) && here <= (work + wait) * (1 + 1e-12));
                assert_true(seconds(blocks + 0.9, work, wait) >= fmax(work, wait) * (1 - 1e-12));
                assert_true(seconds(blocks, work + 0.5, wait) >= here * (1 - 1e-12));
                assert_true(seconds(blocks, work, wait + 0.5) >= here * (1 - 1e-12));
                assert_true(seconds(blocks + 1, work, wait) <= here * (1 + 1e-12));
            }
}

static void nothing_takes_no_time(void **state)
{
    const BlockQueue nothing = block_queue(8, 0, 0);
    assert_true(nothing.seconds == 0 && nothing.wait_share == 0);
    assert_true(seconds(8, 2, 0) == 2 && block_queue(8, 2, 0).wait_share == 0);
    assert_true(seconds(8, 0, 2) == 2 && block_queue(8, 0, 2).wait_share == 1);
    assert_true(isfinite(seconds(32, 1e300, 1e-300)) && isfinite(seconds(32, 1e-300, 1e300)));
}

static void the_share_of_waiting_is_what_a_little_more_of_it_adds(void **state)
{
    for (int blocks = 1; blocks <= 32; blocks++)
        for (double wait = 0.25; wait <= 16; wait *= 4) {
            const BlockQueue queue = block_queue(blocks, 2, wait);
            double more = seconds(blocks, 2, wait * 1.0001), added = (more / queue.seconds - 1) / 0.0001;
            assert_true(queue.wait_share >= 0 && queue.wait_share <= 1);
            assert_true(fabs(added - queue.wait_share) < 1e-3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_waits_and_then_works),
        cmocka_unit_test(two_blocks_work_while_the_other_one_waits),
        cmocka_unit_test(many_blocks_take_as_long_as_their_work),
        cmocka_unit_test(more_work_or_waiting_or_fewer_blocks_never_take_less),
        cmocka_unit_test(nothing_takes_no_time),
        cmocka_unit_test(the_share_of_waiting_is_what_a_little_more_of_it_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
