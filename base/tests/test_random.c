#include "base/tests/refusal.h"

#include "base/random.h"

#include <string.h>

static void many_bytes_are_random_to_the_last(void **state)
{
    static uint8_t bytes[1 << 20];
    static const uint8_t zeros[64];
    Message why;
    assert_int_equal(random_bytes(bytes, sizeof bytes, &why), STATUS_OK);
    for (size_t i = 0; i < sizeof bytes; i += sizeof zeros)
        assert_memory_not_equal(bytes + i, zeros, sizeof zeros);
}

static Status ask_a_kernel_without(Message *why)
{
    uint8_t byte;
    refuse_call(SYS_getrandom, ENOSYS);
    return random_bytes(&byte, sizeof byte, why);
}

static void a_kernel_without_random_numbers_is_named(void **state)
{
    assert_string_equal(said_by_child(ask_a_kernel_without),
                        "the kernel gives no random numbers: Function not implemented");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_bytes_are_random_to_the_last),
        cmocka_unit_test(a_kernel_without_random_numbers_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
