/* Fuzzes the broker with a grader that may send anything, with descriptors of any kind, and a runner that answers from
 * a script: the messages of control.h and, within a call, those of ring.h.
 *
 * The input is a list of records, {u8 what, u8 detail, u16 bytes} and as many bytes:
 *     PACKET   the first bytes of a ControlRequest, the rest is zero; `detail` tells the kinds of its two descriptors
 *     SHORT    a packet of exactly these bytes
 *     REQUEST  a request in the ring: {u8 kind, u8 wants a reply} and the body, as in tests/fuzz/broker.c
 *     STAGED   the contents of the ring's staging memory
 * All packets are sent before the broker starts, then the socket is closed, so a read without a packet ends at once.
 *
 * CONVJUDGE_FUZZ_SEEDS=FOLDER: writes valid conversations there as seeds, and exits.  */
#include "harness/tests/broker_fixture.h"

#include "harness/broker/broker.h"
#include "harness/broker/control.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerInitialize(int *argc, char ***argv);

typedef enum What { PACKET, SHORT, REQUEST, STAGED, WHATS } What;

typedef enum Kind { NOTHING, RING, MODULES, BUFFERS, PROFILE, NO_MEMORY, KINDS } Kind; /* of descriptors */

enum {
    MOST_PACKETS = 16, /* that many fit into the socket, with their answers */
    MOST_INSTRUCTIONS = 1000,
    MOST_DEVICE_BYTES = 1 << 20, /* more would only make an input slow */
    BUFFER_BYTES = 16384,
    PAIR = 16 /* `detail` is the first descriptor's kind plus PAIR times the second's */
};

typedef struct Scene {
    int socket, broker_end;
    int descriptors[KINDS]; /* -1: none */
    RingMemory *ring;       /* as the runner maps it */
} Scene;

/* ---- the scene --------------------------------------------------------------------------------------------------- */

static int memory(const void *contents, size_t contents_bytes, size_t bytes)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)bytes) != 0 ||
        pwrite(descriptor, contents, contents_bytes, 0) != (ssize_t)contents_bytes)
        abort();
    return descriptor;
}

static void scene_begin(Scene *scene)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    *scene = (Scene){.socket = ends[0], .broker_end = ends[1]};
    scene->descriptors[NOTHING] = -1;
    scene->descriptors[RING] = ring_create();
    scene->descriptors[MODULES] = memory(PTX, sizeof PTX - 1, sizeof PTX - 1);
    scene->descriptors[BUFFERS] = memory(NULL, 0, BUFFER_BYTES);
    scene->descriptors[PROFILE] = memory(NULL, 0, sizeof(ExecutionProfile));
    scene->descriptors[NO_MEMORY] = open("/dev/null", O_RDWR | O_CLOEXEC);
    scene->ring = ring_map(scene->descriptors[RING]);
    if (scene->ring == NULL)
        abort();
}

static void scene_end(Scene *scene)
{
    ring_unmap(scene->ring);
    for (int i = 0; i < KINDS; i++)
        if (scene->descriptors[i] >= 0)
            close(scene->descriptors[i]);
    close(scene->broker_end);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void send_packet(Scene *scene, int detail, const uint8_t *data, size_t bytes)
{
    ControlRequest request = {0};
    const int pair[] = {scene->descriptors[detail % PAIR % KINDS], scene->descriptors[detail / PAIR % KINDS]};
    size_t count = pair[0] < 0 ? 0 : pair[1] < 0 ? 1 : 2;
    memcpy(&request, data, bytes < sizeof request ? bytes : sizeof request);
    if (request.limits.warp_instructions - 1 > MOST_INSTRUCTIONS - 1)
        request.limits.warp_instructions = MOST_INSTRUCTIONS;
    if (request.limits.device_bytes > MOST_DEVICE_BYTES)
        request.limits.device_bytes = MOST_DEVICE_BYTES;
    control_send(scene->socket, &request, sizeof request, NULL, 0, count == 0 ? NULL : pair, count);
}

static void play(Scene *scene, const uint8_t *data, size_t bytes)
{
    int packets = 0;
    while (bytes >= 4 && packets < MOST_PACKETS) {
        size_t length = (size_t)data[2] | (size_t)data[3] << 8;
        length = length < bytes - 4 ? length : bytes - 4;
        const uint8_t *body = data + 4;
        packets += data[0] % WHATS == PACKET || data[0] % WHATS == SHORT;
        switch (data[0] % WHATS) {
        case PACKET: send_packet(scene, data[1], body, length); break;
        case SHORT: control_send(scene->socket, body, length, NULL, 0, NULL, 0); break;
        case REQUEST:
            if (length >= 2)
                ring_send(scene->ring, body[0], body[1] & 1, 0, body + 2, length - 2, NULL, 0);
            break;
        case STAGED: memcpy(scene->ring->staging, body, length); break;
        }
        data += 4 + length;
        bytes -= 4 + length;
    }
}

/* ---- valid conversations ---------------------------------------------------------------------------------------- */

static FILE *seed;

static void record(What what, int detail, const void *body, size_t bytes)
{
    const uint8_t head[] = {(uint8_t)what, (uint8_t)detail, (uint8_t)bytes, (uint8_t)(bytes >> 8)};
    if (fwrite(head, 1, sizeof head, seed) != sizeof head || fwrite(body, 1, bytes, seed) != bytes)
        abort();
}

static void record_packet(ControlRequest request, Kind first, Kind second)
{
    record(PACKET, (int)first + PAIR * (int)second, &request, sizeof request);
}

static void record_request(RingKind kind, bool wants_reply, const void *body, size_t bytes)
{
    uint8_t request[2 + 2048] = {(uint8_t)kind, wants_reply};
    if (bytes > 0)
        memcpy(request + 2, body, bytes);
    record(REQUEST, 0, request, 2 + bytes);
}

static ControlRequest loading(void)
{
    return (ControlRequest){.kind = CONTROL_LOAD,
                            .memory_bytes = sizeof PTX - 1,
                            .module_count = 1,
                            .modules = {{.offset = 0, .bytes = sizeof PTX - 1}},
                            .limits = {.device_bytes = 1 << 20, .host_seconds = 1, .warp_instructions = 1000}};
}

static ControlRequest calling(void)
{
    return (ControlRequest){
        .kind = CONTROL_CALL,
        .check_inputs = true,
        .sanitize = true,
        .argument_count = 3,
        .arguments = {
            {.name = "input", .element_bytes = 4, .role = ARGUMENT_INPUT, .span = {0, 4000}},
            {.name = "output", .element_bytes = 4, .role = ARGUMENT_OUTPUT, .float_output = true, .span = {4096, 8000}},
            {.name = "size", .role = ARGUMENT_VALUE, .value = 1000}}};
}

/* Opens, loads and calls; the runner registers its module, launches a kernel and returns. */
static void record_conversation(ControlRequest call, bool exchanged, bool profiled)
{
    const ControlRequest open = {.kind = CONTROL_OPEN},
                         buffers = {.kind = CONTROL_BUFFERS, .memory_bytes = BUFFER_BYTES},
                         exchange = {.kind = CONTROL_EXCHANGE, .memory_bytes = BUFFER_BYTES},
                         profile = {.kind = CONTROL_PROFILE, .memory_bytes = sizeof(ExecutionProfile)};
    const RingWords module_bytes = {{sizeof PTX - 1}};
    const RingName function = {.module = 0, .name = "nothing"};
    struct {
        RingLaunch head;
        uint64_t parameter;
    } launch = {{.function = 1, .grid = {2, 1, 1}, .block = {32, 1, 1}, .parameter_bytes = 8}, 0};
    record_packet(open, NOTHING, NOTHING);
    record_packet(buffers, BUFFERS, NOTHING);
    if (exchanged)
        record_packet(exchange, BUFFERS, NOTHING);
    if (profiled)
        record_packet(profile, PROFILE, NOTHING);
    record_request(RING_LOADING, true, NULL, 0);
    record(STAGED, 0, PTX, sizeof PTX - 1);
    record_request(RING_MODULE, true, &module_bytes, sizeof module_bytes);
    record_request(RING_READY, false, NULL, 0);
    record_request(RING_FUNCTION, true, &function, sizeof function);
    record_request(RING_LAUNCH, false, &launch, sizeof launch);
    record_request(RING_RETURNED, false, NULL, 0);
    record_packet(loading(), RING, MODULES);
    record_packet(call, NOTHING, NOTHING);
    record_packet((ControlRequest){.kind = CONTROL_RUNNER_GONE}, NOTHING, NOTHING);
}

static void write_seed(const char *folder, const char *name, ControlRequest call, bool exchanged, bool profiled)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    seed = fopen(path, "wb");
    if (seed == NULL)
        abort();
    record_conversation(call, exchanged, profiled);
    if (fclose(seed) != 0)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("CONVJUDGE_FUZZ_SEEDS");
    if (folder == NULL)
        return 0;
    ControlRequest probed = calling(), plain = calling();
    probed.arguments[0].probed = true;
    plain.sanitize = plain.check_inputs = false;
    write_seed(folder, "call", plain, false, false);
    write_seed(folder, "watched", calling(), false, false);
    write_seed(folder, "probed", probed, false, false);
    write_seed(folder, "profiled", plain, false, true);
    write_seed(folder, "exchanged", plain, true, false);
    exit(0);
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    Scene scene;
    scene_begin(&scene);
    play(&scene, data, bytes);
    shutdown(scene.socket, SHUT_WR);
    memset(&broker, 0, sizeof broker);
    broker.control = scene.broker_end;
    broker.device_name = "sim";
    broker_run(&broker);
    drop_broker();
    scene_end(&scene);
    close(scene.socket);
    return 0;
}
