/* Fuzzes the broker with a runner that may write anything into the memory that they share.
 *
 * The input's first byte tells what follows. 0: the bytes of the ring as they are. Other values: requests, each
 * {u8 kind, u8 wants a reply, u16 bytes of body} and its body. In a body a 64-bit word 0xA5xx... stands for the last
 * address or handle that the broker returned, plus the word's lower half.  */
#include "harness/tests/broker_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void write_raw(RingMemory *ring, const uint8_t *data, size_t bytes)
{
    size_t count = bytes < RING_BYTES ? bytes : RING_BYTES;
    memcpy(ring->buffer, data, count);
    atomic_store(&ring->written, count);
    broker_serve(&broker, RING_RETURNED);
}

static void fill_in(uint8_t *body, size_t bytes, uint64_t given)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, body + at, sizeof word);
        if (word >> 56 == 0xA5) {
            word = given + (uint32_t)word;
            memcpy(body + at, &word, sizeof word);
        }
    }
}

static void make_requests(RingMemory *ring, const uint8_t *data, size_t bytes)
{
    uint64_t given = 0;
    broker.end = SERVE_DONE;
    while (bytes >= 4 && broker.end == SERVE_DONE) {
        uint8_t body[4096] = {0};
        size_t length = (size_t)data[2] | (size_t)data[3] << 8;
        length = length > sizeof body ? sizeof body : length;
        size_t there = length > bytes - 4 ? bytes - 4 : length;
        memcpy(body, data + 4, there);
        fill_in(body, length, given);
        bool posted = ring_send(ring, data[0], data[1] & 1, 0, body, length, NULL, 0) &&
                      ring_send(ring, RING_RETURNED, false, 0, NULL, 0, NULL, 0);
        if (!posted)
            abort();
        broker_serve(&broker, RING_RETURNED);
        if (ring->reply.value[0] != 0)
            given = ring->reply.value[0];
        data += 4 + there;
        bytes -= 4 + there;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    if (set_up(NULL) != 0)
        abort();
    broker.limits.host_seconds = 0; /* no one else writes, so waiting is useless */
    if (data[0] == 0)
        write_raw(broker.reader.ring, data + 1, bytes - 1);
    else
        make_requests(broker.reader.ring, data + 1, bytes - 1);
    tear_down(NULL);
    return 0;
}
