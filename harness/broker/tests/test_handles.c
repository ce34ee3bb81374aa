#include "base/tests/unit.h"

#include "harness/broker/broker_state.h"

static void a_number_names_its_object_until_it_is_removed(void **state)
{
    Handles handles = {.first = 16};
    int objects[200];
    for (uint64_t i = 0; i < 200; i++)
        assert_int_equal(handles_add(&handles, &objects[i]), 16 + i);
    for (uint64_t i = 0; i < 200; i++)
        assert_ptr_equal(handles_get(&handles, 16 + i), &objects[i]);
    assert_ptr_equal(handles_remove(&handles, 20), &objects[4]);
    assert_null(handles_get(&handles, 20));
    assert_null(handles_remove(&handles, 20));
    assert_int_equal(handles_add(&handles, &objects[4]), 216);
    handles_free(&handles);
}

static void numbers_that_were_never_given_have_no_object(void **state)
{
    static const uint64_t numbers[] = {0, 1, 15, 17, 18, UINT64_MAX, (uint64_t)1 << 32 | 16};
    Handles handles = {.first = 16};
    int object;
    assert_null(handles_get(&handles, 16));
    handles_add(&handles, &object);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        assert_null(handles_get(&handles, numbers[i]));
    handles_free(&handles);
}

static void the_number_of_handles_is_limited(void **state)
{
    Handles handles = {.first = 1};
    int object;
    for (uint32_t i = 0; i < HANDLES_MAX; i++)
        assert_true(handles_add(&handles, &object) != 0);
    assert_int_equal(handles_add(&handles, &object), 0);
    handles_free(&handles);
}

static void the_number_of_living_objects_is_limited(void **state)
{
    Handles handles = {.first = 1, .most = 3};
    int object;
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal(handles_add(&handles, &object), i);
    assert_int_equal(handles_add(&handles, &object), 0);
    assert_ptr_equal(handles_remove(&handles, 2), &object);
    assert_null(handles_remove(&handles, 2)); /* counts once */
    assert_int_equal(handles_add(&handles, &object), 4);
    assert_int_equal(handles_add(&handles, &object), 0);
    handles_free(&handles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_names_its_object_until_it_is_removed),
        cmocka_unit_test(numbers_that_were_never_given_have_no_object),
        cmocka_unit_test(the_number_of_handles_is_limited),
        cmocka_unit_test(the_number_of_living_objects_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
