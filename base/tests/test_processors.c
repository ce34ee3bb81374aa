#include "base/tests/unit.h"

#include "base/clock.h"

#include <sched.h>
#include <string.h>

static cpu_set_t all;

static int remember_all(void **state)
{
    return sched_getaffinity(0, sizeof all, &all);
}

static int give_back_all(void **state)
{
    return sched_setaffinity(0, sizeof all, &all);
}

/* Every processor is in a share, no share is empty, and none has two more than another. */
static void shares_split(size_t shares)
{
    const size_t count = processors_usable(), least = count < shares ? 1 : count / shares;
    cpu_set_t shared;
    CPU_ZERO(&shared);
    for (size_t share = 0; share < shares; share++) {
        cpu_set_t kept;
        processors_keep_share(share, shares);
        assert_int_equal(sched_getaffinity(0, sizeof kept, &kept), 0);
        assert_in_range(processors_usable(), least, least + (count > shares));
        assert_int_equal(CPU_COUNT(&kept), processors_usable());
        CPU_OR(&shared, &shared, &kept);
        assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    }
    assert_true(CPU_EQUAL(&shared, &all));
}

static void shares_make_up_the_whole(void **state)
{
    const size_t count = processors_usable();
    for (size_t shares = 1; shares <= count + 3; shares++)
        shares_split(shares);
}

static void a_share_is_all_that_is_counted(void **state)
{
    processors_keep_share(0, processors_usable());
    assert_int_equal(processors_usable(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shares_make_up_the_whole, remember_all, give_back_all),
        cmocka_unit_test_setup_teardown(a_share_is_all_that_is_counted, remember_all, give_back_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
