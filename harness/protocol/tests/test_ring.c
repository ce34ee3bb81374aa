#include "base/tests/unit.h"

#include "harness/protocol/ring.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static RingMemory *new_ring(void)
{
    int descriptor = ring_create();
    assert_true(descriptor >= 0);
    RingMemory *ring = ring_map(descriptor);
    assert_non_null(ring);
    close(descriptor);
    return ring;
}

static RingRecord record; /* large */

static void a_record_comes_out_as_it_went_in(void **state)
{
    RingMemory *ring = new_ring();
    RingReader reader = {.ring = ring};
    assert_true(ring_send(ring, RING_LAUNCH, false, 31, "launch", 6, "parameters", 10));
    assert_int_equal(ring_take(&reader, &record), RING_TAKEN);
    assert_int_equal(record.head.kind, RING_LAUNCH);
    assert_int_equal(record.head.wants_reply, 0);
    assert_int_equal(record.head.place, 31);
    assert_int_equal(record.head.body_bytes, 16);
    assert_memory_equal(record.body, "launchparameters", 16);
    assert_int_equal(ring_take(&reader, &record), RING_EMPTY);
    ring_unmap(ring);
}

/* Records of many lengths, for several times the length of the buffer. */
static void records_may_wrap_around_the_end_of_the_buffer(void **state)
{
    static uint8_t body[RING_MAX_BODY];
    RingMemory *ring = new_ring();
    RingReader reader = {.ring = ring};
    for (uint32_t i = 0; i < 3000; i++) {
        size_t bytes = i * 37 % 2000, more = i * 91 % 3000;
        memset(body, (int)i, sizeof body);
        assert_true(ring_send(ring, i, true, 0, body, bytes, body, more));
        assert_int_equal(ring_take(&reader, &record), RING_TAKEN);
        assert_int_equal(record.head.kind, i);
        assert_int_equal(record.head.body_bytes, bytes + more);
        assert_memory_equal(record.body, body, bytes + more);
    }
    ring_unmap(ring);
}

static void a_full_ring_keeps_room_for_a_flush(void **state)
{
    static const uint8_t body[1000];
    RingMemory *ring = new_ring();
    size_t posted = 0;
    while (ring_send(ring, RING_LAUNCH, false, 0, body, sizeof body, NULL, 0))
        posted++;
    assert_in_range(posted, RING_BYTES / 1100, RING_BYTES / 1000);
    assert_true(ring_send(ring, RING_FLUSH, true, 0, NULL, 0, NULL, 0));
    ring_unmap(ring);
}

/* What a hostile runner may write into the shared memory. */
static void broken_positions_and_lengths_are_noticed(void **state)
{
    static const struct {
        const char *what;
        uint64_t written;
        uint32_t body_bytes;
    } cases[] = {
        {"more than the buffer holds", RING_BYTES + 1, 0},
        {"a position before the broker's", (uint64_t)-16, 0},
        {"less than a head", 8, 0},
        {"a body beyond what was written", 16, 8},
        {"a body beyond the largest", RING_BYTES, RING_MAX_BODY + 1},
        {"a body whose padded length overflows", RING_BYTES, UINT32_MAX},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        RingMemory *ring = new_ring();
        RingReader reader = {.ring = ring};
        RingRequest head = {.kind = RING_FLUSH, .body_bytes = cases[i].body_bytes};
        memcpy(ring->buffer, &head, sizeof head);
        atomic_store(&ring->written, cases[i].written);
        if (ring_take(&reader, &record) != RING_BROKEN)
            fail_test("%s: not noticed", cases[i].what);
        ring_unmap(ring);
    }
}

static void a_file_that_is_not_a_sealed_ring_is_not_mapped(void **state)
{
    int small = memfd_create("small", MFD_CLOEXEC), unsealed = memfd_create("unsealed", MFD_CLOEXEC);
    assert_int_equal(ftruncate(unsealed, sizeof(RingMemory)), 0);
    assert_null(ring_map(small));
    assert_int_equal(errno, EINVAL);
    assert_null(ring_map(unsealed));
    assert_null(ring_map(-1));
    close(small);
    close(unsealed);
}

static void the_runner_cannot_shrink_the_memory(void **state)
{
    int descriptor = ring_create();
    assert_int_equal(ftruncate(descriptor, 0), -1);
    close(descriptor);
}

enum { CALLS = 20000 };

static void *serve_calls(void *argument)
{
    RingReader reader = {.ring = argument};
    static RingRecord taken;
    for (int served = 0; served < CALLS;) {
        uint32_t doorbell = ring_doorbell(reader.ring);
        RingTake what = ring_take(&reader, &taken);
        if (what == RING_EMPTY) {
            ring_sleep(&reader, doorbell, 5);
            continue;
        }
        if (what == RING_BROKEN)
            return "broken";
        RingReply reply = {.error = 0};
        memcpy(&reply.value[0], taken.body, sizeof reply.value[0]);
        ring_reply(reader.ring, &reply);
        served++;
    }
    return NULL;
}

static void no_call_and_no_reply_is_lost(void **state)
{
    RingMemory *ring = new_ring();
    pthread_t broker;
    void *trouble;
    assert_int_equal(pthread_create(&broker, NULL, serve_calls, ring), 0);
    for (uint64_t i = 0; i < CALLS; i++) {
        RingReply reply;
        uint32_t replies = ring_replies(ring);
        assert_true(ring_send(ring, RING_ALLOC, true, 0, &i, sizeof i, NULL, 0));
        ring_await_reply(ring, replies, &reply);
        assert_int_equal(reply.value[0], i);
    }
    pthread_join(broker, &trouble);
    assert_null(trouble);
    ring_unmap(ring);
}

static void *reply_without_waking(void *argument)
{
    RingMemory *ring = argument;
    while (atomic_load(&ring->runner_sleeps) == 0)
        usleep(100);
    ring->reply = (RingReply){.value = {7}};
    atomic_fetch_add(&ring->reply_count, 1);
    return NULL;
}

/* As where two threads of a submission sleep, and only one is woken. */
static void who_is_not_woken_looks_again(void **state)
{
    RingMemory *ring = new_ring();
    RingReply reply = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reply_without_waking, ring), 0);
    ring_await_reply(ring, 0, &reply);
    assert_int_equal(reply.value[0], 7);
    pthread_join(thread, NULL);
    ring_unmap(ring);
}

static void *reply_late(void *argument)
{
    usleep(700000);
    ring_reply(argument, &(RingReply){.value = {7}});
    return NULL;
}

/* Each look takes processor time, which is charged as work of the host. */
static void who_waits_long_looks_seldom(void **state)
{
    RingMemory *ring = new_ring();
    RingReply reply = {0};
    struct rusage before, after;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reply_late, ring), 0);
    assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
    ring_await_reply(ring, 0, &reply);
    assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
    assert_int_equal(reply.value[0], 7);
    assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 1, 12); /* sleeps; with one each 5 ms they are 140 */
    pthread_join(thread, NULL);
    ring_unmap(ring);
}

static void the_doorbell_ends_a_sleep(void **state)
{
    RingMemory *ring = new_ring();
    RingReader reader = {.ring = ring};
    uint32_t doorbell = ring_doorbell(ring);
    ring_wake_broker(ring);
    ring_sleep(&reader, doorbell, 60); /* would last longer than the test may */
    ring_unmap(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_out_as_it_went_in),
        cmocka_unit_test(records_may_wrap_around_the_end_of_the_buffer),
        cmocka_unit_test(a_full_ring_keeps_room_for_a_flush),
        cmocka_unit_test(broken_positions_and_lengths_are_noticed),
        cmocka_unit_test(a_file_that_is_not_a_sealed_ring_is_not_mapped),
        cmocka_unit_test(the_runner_cannot_shrink_the_memory),
        cmocka_unit_test(no_call_and_no_reply_is_lost),
        cmocka_unit_test(who_is_not_woken_looks_again),
        cmocka_unit_test(who_waits_long_looks_seldom),
        cmocka_unit_test(the_doorbell_ends_a_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
