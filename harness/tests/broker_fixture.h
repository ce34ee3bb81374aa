/* broker_fixture.h - a broker on the simulated GPU; the test plays its runner, in the same process.  */
#ifndef HARNESS_TESTS_BROKER_FIXTURE_H
#define HARNESS_TESTS_BROKER_FIXTURE_H

#include "base/tests/unit.h"
#include "harness/broker/broker_state.h"
#include "harness/device/device_open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static Broker broker;
static DeviceModule *module;

static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry nothing(.param .u64 nothing_param_0)\n{\n  ret;\n}\n";

static inline int set_up(void **state)
{
    Message why;
    int descriptor = ring_create();
    memset(&broker, 0, sizeof broker);
    broker.control = -1;
    broker.limits = (CallLimits){.device_bytes = 1 << 20, .host_seconds = 0.2, .warp_instructions = 1000};
    broker_begin(&broker);
    broker.reader.ring = ring_map(descriptor);
    close(descriptor);
    if (device_open("sim", &broker.device, &why) != STATUS_OK ||
        broker.device->modules->load(broker.device, PTX, sizeof PTX - 1, &module, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    broker.modules[0] = (BrokerModule){.image = (const uint8_t *)PTX, .bytes = sizeof PTX - 1, .loaded = module};
    broker.module_count = 1;
    broker.device->memory->set_limit(broker.device, 1 << 20);
    return 0;
}

static inline void free_objects(Handles *handles)
{
    for (uint32_t i = 0; i < handles->count; i++)
        free(handles->objects[i]);
    handles_free(handles);
}

/* Frees everything that the broker holds, except its socket. */
static inline void drop_broker(void)
{
    for (uint32_t i = 0; i < broker.events.count; i++)
        if (broker.events.objects[i] != NULL)
            broker.device->events->destroy(broker.device, ((BrokerEvent *)broker.events.objects[i])->event);
    for (uint32_t i = 0; i < broker.cuda_arrays.count; i++)
        if (broker.cuda_arrays.objects[i] != NULL)
            broker.device->arrays->destroy(broker.device, ((BrokerArray *)broker.cuda_arrays.objects[i])->array);
    free_objects(&broker.events);
    free_objects(&broker.cuda_arrays);
    free_objects(&broker.functions);
    handles_free(&broker.streams);
    for (size_t i = 0; i < broker.module_count; i++)
        if (broker.modules[i].loaded != NULL)
            broker.device->modules->unload(broker.device, broker.modules[i].loaded);
    if (broker.device != NULL)
        broker.device->close(broker.device);
    ring_unmap(broker.reader.ring);
    if (broker.images != NULL)
        munmap((void *)(uintptr_t)broker.images, broker.image_bytes);
    if (broker.buffers != NULL)
        munmap(broker.buffers, broker.buffer_bytes);
    if (broker.profile != NULL)
        munmap(broker.profile, sizeof *broker.profile);
}

static inline int tear_down(void **state)
{
    drop_broker();
    return 0;
}

static inline void post(uint32_t kind, bool wants_reply, const void *body, size_t bytes)
{
    assert_true(ring_send(broker.reader.ring, kind, wants_reply, 0, body, bytes, NULL, 0));
}

/* Sends a call and the end of a solve(), has both served, and returns the reply. */
static inline RingReply ask_body(uint32_t kind, const void *body, size_t bytes)
{
    post(kind, true, body, bytes);
    post(RING_RETURNED, false, NULL, 0);
    broker_serve(&broker, RING_RETURNED);
    assert_int_equal(broker.end, SERVE_DONE);
    return broker.reader.ring->reply;
}

static inline RingReply ask(uint32_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    RingWords words = {{a, b, c, d}};
    return ask_body(kind, &words, sizeof words);
}

#define WITH_A_BROKER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
