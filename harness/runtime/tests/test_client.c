#include "base/tests/unit.h"

#include "harness/protocol/ring.h"
#include "harness/runtime/client.c"

#include <sched.h>
#include <unistd.h>

/* The runtime library's end of the ring, against a broker that is a thread of the test. */

static uint64_t full; /* RingMemory.written when the ring is full */

static RingMemory *new_ring(void)
{
    int descriptor = ring_create();
    RingMemory *memory = ring_map(descriptor);
    assert_non_null(memory);
    close(descriptor);
    client_begin(memory);
    return memory;
}

/* Waits until the client finds the ring full and asks for a flush. Then answers every call, up to an allocation, whose
 * reply is an address. */
static void *answer_until_an_allocation(void *argument)
{
    static RingRecord record;
    RingReader reader = {.ring = argument};
    while (atomic_load(&reader.ring->written) == full)
        sched_yield();
    do {
        uint32_t doorbell = ring_doorbell(reader.ring);
        if (ring_take(&reader, &record) != RING_TAKEN) {
            ring_sleep(&reader, doorbell, 5);
            continue;
        }
        RingReply reply = {.value = {record.head.kind == RING_ALLOC ? DEVICE_BASE : 0}};
        if (record.head.wants_reply)
            ring_reply(reader.ring, &reply);
    } while (record.head.kind != RING_ALLOC);
    return NULL;
}

static void a_call_that_finds_the_ring_full_gets_its_own_reply(void **state)
{
    RingMemory *memory = new_ring();
    pthread_t broker;
    RingReply reply;
    while (ring_send(memory, RING_NOTE_MEMORY, false, 0, NULL, 0, NULL, 0)) {
    }
    full = atomic_load(&memory->written);
    assert_int_equal(pthread_create(&broker, NULL, answer_until_an_allocation, memory), 0);
    assert_int_equal(client_call(RING_ALLOC, (RingWords){{64}}, &reply), cudaSuccess);
    assert_int_equal(reply.value[0], DEVICE_BASE);
    pthread_join(broker, NULL);
    ring_unmap(memory);
}

static void without_a_ring_every_call_fails(void **state)
{
    client_begin(NULL);
    assert_int_equal(client_call(RING_ALLOC, (RingWords){{64}}, NULL), cudaErrorInitializationError);
}

/* The frames of this program are those of the library here, and cmocka, which calls it, is the submission. */
static void a_request_stands_where_the_library_was_called(void **state)
{
    RingMemory *memory = new_ring();
    RingReader reader = {.ring = memory};
    static RingRecord record;
    uint32_t places[3];
    for (int i = 0; i < 3; i++) {
        caller_stand_in(i == 2 ? 27 : 0);
        client_post(RING_NOTE_MEMORY, NULL, 0, NULL, 0);
        assert_int_equal(ring_take(&reader, &record), RING_TAKEN);
        places[i] = record.head.place;
        caller_is_in(_cmocka_run_group_tests);
    }
    assert_int_equal(caller_stand_in(0), 27);
    assert_int_equal(places[0], 0); /* the submission is not known yet */
    assert_in_range(places[1], 1, end - first);
    assert_int_equal(places[2], 27);
    client_begin(NULL);
    ring_unmap(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_stands_where_the_library_was_called),
        cmocka_unit_test(a_call_that_finds_the_ring_full_gets_its_own_reply),
        cmocka_unit_test(without_a_ring_every_call_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
