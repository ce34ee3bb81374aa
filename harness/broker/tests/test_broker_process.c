/* A broker that says nothing. */
#include "base/tests/patience.h"
#include "base/tests/unit.h"

#include "harness/broker/gpu_session.h"

#include <sys/socket.h>
#include <unistd.h>

static void a_broker_that_says_nothing_is_named(void **state)
{
    int ends[2];
    Message why;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    BrokerProcess broker = broker_process_new("sim");
    broker.control = ends[0];
    patience_is_over = true;
    assert_int_equal(broker_process_hello(&broker, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "device 'sim' did not answer within 60 s");
    broker.greeted = broker.info.modelled = true;
    assert_int_equal(broker_process_open(&broker, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "device 'sim' did not open within 60 s");
    patience_is_over = false;
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broker_that_says_nothing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
