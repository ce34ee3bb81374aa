/* The broker's conversation with the grader, whose requests all wait in the socket before it begins. */
#include "base/tests/refusal.h"

#include "harness/broker/broker.h"
#include "harness/broker/control.h"

#include <fcntl.h>
#include <sys/socket.h>

/* The broker's last reply to its hello and these requests, each with a descriptor. */
static Status last_reply(const ControlKind *requests, size_t count, Message *why)
{
    static Broker broker;
    static ControlReply reply;
    int ends[2], descriptors[CONTROL_MAX_DESCRIPTORS];
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    for (size_t i = 0; i < count; i++) {
        const ControlRequest request = {.kind = requests[i]};
        assert_true(control_send(ends[0], &request, sizeof request, NULL, 0, &null, 1));
    }
    shutdown(ends[0], SHUT_WR);
    broker = (Broker){.control = ends[1], .device_name = "sim"};
    broker_run(&broker);
    for (size_t i = 0; i < count + 1; i++)
        if (!control_receive(ends[0], &reply, sizeof reply, NULL, 0, descriptors))
            return fail(STATUS_SYSTEM, why, "only %zu replies", i);
    return reply.status == STATUS_OK ? STATUS_OK : fail(reply.status, why, "%s", reply.why.text);
}

static Status open_without_its_lock(Message *why)
{
    refuse_call_with(SYS_fcntl, 1, F_DUPFD_CLOEXEC, EMFILE);
    return last_reply((const ControlKind[]){CONTROL_OPEN}, 1, why);
}

static void a_lock_that_cannot_be_kept_is_named(void **state)
{
    assert_string_equal(said_by_child(open_without_its_lock), "the device's lock cannot be kept: Too many open files");
}

static Status join_an_exchange_of_a_simulated_gpu(Message *why)
{
    return last_reply((const ControlKind[]){CONTROL_OPEN, CONTROL_EXCHANGE}, 2, why);
}

static void a_device_that_shares_no_memory_says_so(void **state)
{
    assert_string_equal(said_by_child(join_an_exchange_of_a_simulated_gpu),
                        "memory shared with the oracle: operation not supported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_that_cannot_be_kept_is_named),
        cmocka_unit_test(a_device_that_shares_no_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
