#include "base/tests/unit.h"

#include "base/arena.h"

static void an_array_that_grows_keeps_its_elements(void **state)
{
    Arena arena = {0};
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        numbers = arena_grown(&arena, numbers, i, &capacity, sizeof *numbers);
        assert_true(capacity > i);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    arena_free(&arena);
}

static void an_array_with_room_stays_where_it_is(void **state)
{
    Arena arena = {0};
    size_t capacity = 0;
    char *text = arena_grown(&arena, NULL, 0, &capacity, 1);
    assert_ptr_equal(arena_grown(&arena, text, capacity - 1, &capacity, 1), text);
    assert_ptr_not_equal(arena_grown(&arena, text, capacity, &capacity, 1), text);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_grows_keeps_its_elements),
        cmocka_unit_test(an_array_with_room_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
