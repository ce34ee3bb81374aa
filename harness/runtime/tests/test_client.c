#include "base/tests/unit.h"

#include "harness/protocol/device_addresses.h"
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
    while (ring_send(memory, RING_NOTE_MEMORY, false, NULL, 0, NULL, 0)) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_finds_the_ring_full_gets_its_own_reply),
        cmocka_unit_test(without_a_ring_every_call_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
