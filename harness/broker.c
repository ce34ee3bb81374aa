#include "harness/broker.h"
#include "harness/broker_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bool say_hello(Broker *broker, const char *device)
{
    ControlReply *reply = &broker->reply;
    reply->status = device_open(device, &broker->device, &reply->why);
    if (reply->status == STATUS_OK)
        reply->device = broker->device->info;
    return control_send(broker->control, reply, sizeof *reply, NULL, 0, NULL, 0) && reply->status == STATUS_OK;
}

static void *map(int descriptor, uint64_t bytes, int protection)
{
    void *memory = bytes == 0 ? MAP_FAILED : mmap(NULL, bytes, protection, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A module that the submission has none of leaves nothing to map. */
static Status take_runner(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    broker->reader.ring = ring_map(descriptors[0]);
    const uint8_t *images = map(descriptors[1], request->memory_bytes, PROT_READ);
    if (broker->reader.ring == NULL || (images == NULL && request->module_count > 0))
        return fail_errno(why, "the broker's shared memory");
    broker->limits = request->limits;
    broker->module_count = request->module_count;
    for (size_t i = 0; i < broker->module_count; i++)
        broker->modules[i] = (BrokerModule){.image = images + request->modules[i].offset,
                                            .bytes = request->modules[i].bytes};
    return STATUS_OK;
}

static Status take_buffers(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    if (broker->buffers != NULL)
        munmap(broker->buffers, broker->buffer_bytes);
    broker->buffer_bytes = request->memory_bytes;
    broker->buffers = map(descriptors[0], request->memory_bytes, PROT_READ | PROT_WRITE);
    return broker->buffers == NULL ? fail_errno(why, "the broker's view of the arrays") : STATUS_OK;
}

static bool send_reply(Broker *broker)
{
    static char printed[CONTROL_MAX_PRINTED];
    ControlReply *reply = &broker->reply;
    reply->printed_bytes = (uint32_t)broker->device->ops->take_output(broker->device, printed, sizeof printed);
    return control_send(broker->control, reply, sizeof *reply, printed, reply->printed_bytes, NULL, 0);
}

static bool serve_grader(Broker *broker, const ControlRequest *request, const int *descriptors)
{
    ControlReply *reply = &broker->reply;
    switch (request->kind) {
    case CONTROL_LOAD:
        reply->status = take_runner(broker, request, descriptors, &reply->why);
        if (reply->status == STATUS_OK)
            broker_load(broker);
        return send_reply(broker);
    case CONTROL_BUFFERS:
        reply->status = take_buffers(broker, request, descriptors, &reply->why);
        return reply->status == STATUS_OK || (send_reply(broker) && false);
    case CONTROL_CALL:
        broker_call(broker, request);
        return send_reply(broker);
    case CONTROL_RUNNER_GONE: /* too late: the call had ended by itself */
        return true;
    }
    return false;
}

static void close_all(const int descriptors[CONTROL_MAX_DESCRIPTORS])
{
    for (size_t i = 0; i < CONTROL_MAX_DESCRIPTORS; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

int broker_main(int argc, char **argv)
{
    static Broker broker; /* large: it holds a request */
    ControlRequest request = {0};
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    if (argc != 3) {
        fprintf(stderr, "broker: started by the judge itself, with DESCRIPTOR and DEVICE\n");
        return 2;
    }
    broker.control = atoi(argv[1]);
    broker.functions.first = 1;
    broker.streams.first = broker.events.first = broker.cuda_arrays.first = RING_FIRST_HANDLE;
    bool going = say_hello(&broker, argv[2]);
    while (going && control_receive(broker.control, &request, sizeof request, NULL, 0, descriptors)) {
        going = serve_grader(&broker, &request, descriptors);
        close_all(descriptors);
    }
    if (broker.device != NULL)
        broker.device->ops->close(broker.device);
    return 0;
}
