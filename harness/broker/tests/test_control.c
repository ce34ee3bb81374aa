#include "base/tests/refusal.h"

#include "harness/broker/control.h"

static Status start_without_a_socket(Message *why)
{
    pid_t child;
    int socket;
    refuse_call(SYS_socketpair, EMFILE);
    return control_start("broker", "sim", &child, &socket, why);
}

static void a_process_without_a_socket_is_named(void **state)
{
    assert_string_equal(said_by_child(start_without_a_socket), "broker: no socket can be made: Too many open files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_a_socket_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
