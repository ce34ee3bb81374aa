#include "base/clock.h"
#include "base/tests/unit.h"

#include "harness/broker/broker.h"
#include "harness/broker/broker_launch.h"
#include "harness/broker/broker_memory.h"
#include "harness/broker/broker_state.h"
#include "harness/broker/control.h"
#include "harness/tests/broker_fixture.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

/* The broker against a runner that may write anything. */

static uint64_t ask_function(const char *name)
{
    RingName body = {.module = 0};
    strcpy(body.name, name);
    post(RING_FUNCTION, true, &body, sizeof body);
    post(RING_RETURNED, false, NULL, 0);
    broker_serve(&broker, RING_RETURNED);
    return broker.reader.ring->reply.error == CUDA_ERROR_SUCCESS ? broker.reader.ring->reply.value[0] : 0;
}

static void post_launch(uint64_t function, unsigned threads)
{
    RingLaunch launch = {.function = function, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .parameter_bytes = 8};
    uint8_t body[sizeof launch + 8] = {0};
    assert_true(launch.function != 0);
    memcpy(body, &launch, sizeof launch);
    post(RING_LAUNCH, false, body, sizeof body);
}

static void what_constructors_launch_is_timed(void **state)
{
    const uint64_t function = ask_function("nothing");
    post(RING_LOADING, true, NULL, 0);
    post(RING_READY, false, NULL, 0);
    broker_load(&broker, &(ControlRequest){0});
    assert_int_equal(broker.reply.report.outcome, CALL_OK);
    assert_true(broker.reply.report.busy_s == 0);
    post(RING_LOADING, true, NULL, 0);
    for (int i = 0; i < 2; i++)
        post_launch(function, 32);
    post(RING_READY, false, NULL, 0);
    broker_load(&broker, &(ControlRequest){0});
    assert_int_equal(broker.reply.report.outcome, CALL_OK);
    assert_true(broker.reply.report.busy_s > 1e-6);
}

static CudaError end_with_a_forged_gate(Device *device, DeviceBracket *bracket)
{
    *bracket = (DeviceBracket){.gate_forged = true};
    return CUDA_ERROR_SUCCESS;
}

static void a_gate_that_the_judge_did_not_open_is_a_violation(void **state)
{
    const DeviceTimingOps *timing = broker.device->timing;
    const DeviceTimingOps forged = {.begin = timing->begin, .end = end_with_a_forged_gate};
    broker.device->timing = &forged;
    post(RING_RETURNED, false, NULL, 0);
    broker_call(&broker, &(ControlRequest){0});
    broker.device->timing = timing;
    assert_int_equal(broker.reply.report.outcome, CALL_INTEGRITY_VIOLATION);
    assert_int_equal(broker.reply.report.mistake.kind, MISTAKE_GATE_FORGED);
    assert_string_equal(broker.reply.report.text,
                        "something opened the gate that holds back all work until the clock runs");
}

/* ---- what a device refuses the judge itself ------------------------------------------------------------------------ */

static CudaError refuse_to_write(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream)
{
    return CUDA_ERROR_INVALID_VALUE;
}

static CudaError refuse_to_read(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    return CUDA_ERROR_INVALID_VALUE;
}

static CudaError refuse_to_allocate(Device *device, uint64_t bytes, uint64_t *address)
{
    return CUDA_ERROR_MEMORY_ALLOCATION;
}

static const ControlRequest COPYING = {
    .argument_count = 2,
    .arguments = {{.role = ARGUMENT_INPUT, .span = {0, 4096}}, {.role = ARGUMENT_OUTPUT, .span = {4096, 4096}}}};

static void call_with_buffers(void)
{
    if (broker.buffers == NULL) {
        broker.buffer_bytes = 8192;
        broker.buffers = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    post(RING_RETURNED, false, NULL, 0);
    broker_call(&broker, &COPYING);
}

static void a_copy_of_the_judges_own_that_fails_is_named(void **state)
{
    const DeviceCopyOps *copies = broker.device->copies;
    DeviceCopyOps refusing = *copies;
    refusing.write = refuse_to_write;
    broker.device->copies = &refusing;
    call_with_buffers();
    assert_int_equal(broker.reply.status, STATUS_SYSTEM);
    assert_string_equal(broker.reply.why.text, "the judge's own copy of the inputs failed: invalid argument");
    refusing = *copies;
    refusing.read = refuse_to_read;
    broker_serve(&broker, RING_RETURNED); /* the end of the call that did not begin */
    call_with_buffers();
    assert_int_equal(broker.reply.status, STATUS_SYSTEM);
    assert_string_equal(broker.reply.why.text, "the judge's own reading of the output failed: invalid argument");
    broker.device->copies = copies;
}

/* A simulated GPU has its memory from the host, and ends with the judge where there is none. */
static void memory_that_a_submission_keeps_is_named_where_the_judges_arrays_find_none(void **state)
{
    const DeviceMemoryOps *memory = broker.device->memory;
    DeviceMemoryOps refusing = *memory;
    assert_int_equal(ask(RING_ALLOC, 4096, 0, 0, 0).error, CUDA_ERROR_SUCCESS);
    refusing.find_room = refuse_to_allocate;
    broker.device->memory = &refusing;
    broker.device->info.modelled = false;
    broker_call(&broker, &COPYING);
    broker.device->memory = memory;
    assert_int_equal(broker.reply.report.outcome, CALL_MEMORY_LIMIT);
    assert_string_equal(broker.reply.report.text,
                        "the memory that it keeps allocated leaves no room for the arrays of the call");
}

static void gpu_code_that_does_not_fit_is_named(void **state)
{
    static const char large[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                                ".visible .global .align 4 .b8 table[16777216];\n";
    const RingWords words = {{sizeof large - 1}};
    broker.modules[broker.module_count++] = (BrokerModule){.image = (const uint8_t *)large, .bytes = sizeof large - 1};
    memcpy(broker.reader.ring->staging, large, sizeof large - 1);
    post(RING_MODULE, true, &words, sizeof words);
    broker_serve(&broker, RING_RETURNED);
    assert_int_equal(broker.end, SERVE_LOAD_FAILED);
    assert_string_equal(
        broker.end_text,
        "the GPU code cannot be loaded: variable 'table' of 16777216 bytes does not fit into device memory");
}

/* Two of ten random numbers of 12 bits are equal in 1 of 90 runs; that one array keeps its place in three calls out of ten
 * happens in fewer than 1 of 100000. */
static void arrays_move_from_call_to_call_and_apart(void **state)
{
    enum { CALLS = 10 };
    const ControlRequest request = {
        .argument_count = 2,
        .arguments = {{.role = ARGUMENT_INPUT, .span.bytes = 4096}, {.role = ARGUMENT_OUTPUT, .span.bytes = 4096}}};
    uint64_t first[CALLS], distance[CALLS];
    int same_place = 0, same_distance = 0;
    for (int i = 0; i < CALLS; i++) {
        broker_arrays_allocate(&broker, &request);
        assert_true(broker_is_ok(&broker));
        first[i] = broker.arrays[0];
        distance[i] = broker.arrays[1] - broker.arrays[0];
        broker_arrays_release(&broker);
        for (int k = 0; k < i; k++) {
            same_place += first[k] == first[i];
            same_distance += distance[k] == distance[i];
        }
    }
    assert_true(same_place < 3 && same_distance < 3);
}

/* Two arrays of a call, the first one of `bytes`. Puts their addresses into `at`. */
static void place_arrays(bool repeats_addresses, uint64_t bytes, uint64_t at[2])
{
    const ControlRequest request = {.repeats_addresses = repeats_addresses,
                                    .argument_count = 3,
                                    .arguments = {{.role = ARGUMENT_INPUT, .span.bytes = bytes},
                                                  {.role = ARGUMENT_VALUE},
                                                  {.role = ARGUMENT_OUTPUT, .span.bytes = 4096}}};
    broker_arrays_allocate(&broker, &request);
    assert_true(broker_is_ok(&broker));
    at[0] = broker.arrays[0];
    at[1] = broker.arrays[2];
    assert_true(broker.device->memory->owns(broker.device, at[0], bytes));
    assert_false(broker.device->memory->owns(broker.device, at[0], bytes + 1));
    broker_arrays_release(&broker);
}

/* An array would stay by chance in 1 of 4096 calls, and none of these 20000 arrays only in 1 of 130 runs. */
static void arrays_never_stay_where_they_were_unless_they_must(void **state)
{
    uint64_t last[2] = {0}, now[2];
    for (int i = 0; i < 10000; i++) {
        place_arrays(false, 8192, now);
        assert_true(now[0] != last[0] && now[1] != last[1]);
        memcpy(last, now, sizeof last);
    }
}

static void arrays_lie_where_they_lay_if_they_must(void **state)
{
    uint64_t first[2], now[2];
    place_arrays(true, 8192, first); /* there is no call before it */
    for (uint64_t bytes = 8192; bytes > 0; bytes -= 1024) {
        place_arrays(true, bytes, now);
        assert_memory_equal(now, first, sizeof now);
    }
    place_arrays(false, 1024, now);
    assert_true(now[0] != first[0] && now[1] != first[1]);
}

/* The submission's own memory does not take the place, since it can only allocate while the arrays are there. */
static void memory_of_the_submission_does_not_drive_arrays_away(void **state)
{
    const ControlRequest request = {.argument_count = 1, .arguments = {{.role = ARGUMENT_INPUT, .span.bytes = 4096}}};
    ControlRequest again = request;
    again.repeats_addresses = true;
    broker_arrays_allocate(&broker, &request);
    uint64_t address = broker.arrays[0];
    for (int i = 0; i < 100; i++)
        assert_int_equal(ask(RING_ALLOC, 4096, 0, 0, 0).error, 0);
    broker_arrays_release(&broker);
    broker_arrays_allocate(&broker, &again);
    assert_true(broker_is_ok(&broker));
    assert_int_equal(broker.arrays[0], address);
    broker_arrays_release(&broker);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void a_function_that_is_asked_for_again_costs_nothing(void **state)
{
    uint64_t number = ask_function("nothing");
    assert_true(number != 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(ask_function("nothing"), number);
    assert_int_equal(broker.functions.count, 1);
}

static void the_judges_own_allocation_comes_after_all_that_a_submission_may_make(void **state)
{
    uint64_t address = 0;
    for (int i = 0; i < BROKER_MAX_ALLOCATIONS; i++)
        assert_int_equal(ask(RING_ALLOC, 1, 0, 0, 0).error, 0);
    assert_false(broker.reply.report.allocation_refused);
    RingReply last = broker.reader.ring->reply;
    assert_int_equal(ask(RING_ALLOC, 1, 0, 0, 0).error, CUDA_ERROR_MEMORY_ALLOCATION);
    assert_true(broker.reply.report.allocation_refused);
    for (int i = 0; i <= CALL_MAX_PARAMETERS; i++)
        assert_int_equal(broker.device->memory->alloc(broker.device, 4096, &address), 0);
    assert_int_equal(ask(RING_RELEASE, last.value[0], 0, 0, 0).error, 0);
    assert_int_equal(ask(RING_ALLOC, 1, 0, 0, 0).error, 0);
}

static void streams_and_events_are_limited(void **state)
{
    for (int i = 0; i < BROKER_MAX_STREAMS; i++)
        assert_int_equal(ask(RING_STREAM_NEW, 0, 0, 0, 0).error, 0);
    assert_int_equal(ask(RING_STREAM_NEW, 0, 0, 0, 0).error, CUDA_ERROR_MEMORY_ALLOCATION);
    for (int i = 0; i < BROKER_MAX_EVENTS; i++)
        assert_int_equal(ask(RING_EVENT_NEW, 0, 0, 0, 0).error, 0);
    assert_int_equal(ask(RING_EVENT_NEW, 0, 0, 0, 0).error, CUDA_ERROR_MEMORY_ALLOCATION);
}

/* ---- honest requests --------------------------------------------------------------------------------------------- */

static void an_allocation_holds_what_is_written(void **state)
{
    uint64_t address = ask(RING_ALLOC, 1000, 0, 0, 0).value[0];
    strcpy((char *)broker.reader.ring->staging, "hello");
    assert_int_equal(ask(RING_WRITE, address, 6, 0, 0).error, 0);
    memset(broker.reader.ring->staging, 0, 6);
    assert_int_equal(ask(RING_READ, address, 6, 0, 0).error, 0);
    assert_string_equal((char *)broker.reader.ring->staging, "hello");
    assert_int_equal(ask(RING_RELEASE, address, 0, 0, 0).error, 0);
    assert_int_equal(ask(RING_READ, address, 6, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
}

static void the_error_of_a_posted_launch_comes_with_the_next_reply(void **state)
{
    post_launch(ask_function("nothing"), 2048);
    assert_int_equal(ask(RING_SYNCHRONIZE, 0, 0, 0, 0).posted_error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_SYNCHRONIZE, 0, 0, 0, 0).posted_error, CUDA_ERROR_SUCCESS);
    assert_int_equal(broker.reply.report.first_error.error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(broker.reply.report.first_error.mistake.limit, LAUNCH_THREADS);
}

static bool staging_holds(const char *text)
{
    const uint8_t *staging = broker.reader.ring->staging;
    return memmem(staging, sizeof broker.reader.ring->staging, text, strlen(text)) != NULL;
}

static void a_submission_learns_the_limits_of_the_device_and_not_which_one_it_is(void **state)
{
    DeviceInfo *device = &broker.device->info;
    strcpy(device->uuid, "GPU-5a0c");
    strcpy(device->driver, "580.65");
    assert_int_equal(ask(RING_DEVICE_INFO, 0, 0, 0, 0).error, 0);
    const RingDeviceInfo *info = (const RingDeviceInfo *)broker.reader.ring->staging;
    assert_string_equal(info->name, device->name);
    assert_int_equal(info->multiprocessors, device->multiprocessors);
    assert_int_equal(info->max_grid[2], device->max_grid[2]);
    assert_false(staging_holds(device->uuid));
    assert_false(staging_holds(device->driver));
    assert_false(staging_holds(device->handle));
}

/* ---- wrong requests that an honest runtime library can send ------------------------------------------------------ */

static void a_call_about_something_that_does_not_exist_fails(void **state)
{
    static const struct {
        uint32_t kind;
        uint64_t word[4];
        CudaError error;
    } cases[] = {
        {RING_RELEASE, {0}, CUDA_ERROR_INVALID_VALUE},
        {RING_RELEASE, {DEVICE_BASE + 5}, CUDA_ERROR_INVALID_VALUE},
        {RING_RELEASE, {UINT64_MAX}, CUDA_ERROR_INVALID_VALUE},
        {RING_ALLOC, {0}, CUDA_ERROR_INVALID_VALUE},
        {RING_ALLOC, {UINT64_MAX}, CUDA_ERROR_MEMORY_ALLOCATION},
        {RING_ALLOC, {2 << 20}, CUDA_ERROR_MEMORY_ALLOCATION},
        {RING_WRITE, {DEVICE_BASE, 16}, CUDA_ERROR_INVALID_VALUE},
        {RING_WRITE, {DEVICE_BASE, UINT64_MAX}, CUDA_ERROR_INVALID_VALUE},
        {RING_READ, {0x1000, 16}, CUDA_ERROR_INVALID_VALUE},
        {RING_READ, {DEVICE_BASE, RING_STAGING_BYTES + 1}, CUDA_ERROR_INVALID_VALUE},
        {RING_COPY, {DEVICE_BASE, DEVICE_BASE, 1}, CUDA_ERROR_INVALID_VALUE},
        {RING_FILL, {UINT64_MAX, 0, 2}, CUDA_ERROR_INVALID_VALUE},
        {RING_FILL, {DEVICE_BASE, 0, 1, 99}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_STREAM_FREE, {0}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_STREAM_SYNCHRONIZE, {16}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_STREAM_QUERY, {UINT64_MAX}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_STREAM_WAIT, {0, 16}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_EVENT_FREE, {16}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_EVENT_RECORD, {0, 0}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_EVENT_ELAPSED, {16, 17}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_SET_SHARED, {1, 0}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
        {RING_SET_LIMIT, {0, 1024}, CUDA_ERROR_INVALID_VALUE},
        {RING_SET_LIMIT, {RING_LIMIT_STACK, RING_MAX_STACK + 1}, CUDA_ERROR_INVALID_VALUE},
        {RING_SET_LIMIT, {RING_LIMIT_HEAP, UINT64_MAX}, CUDA_ERROR_INVALID_VALUE},
        {RING_OCCUPANCY, {0, 32}, CUDA_ERROR_INVALID_RESOURCE_HANDLE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const uint64_t *word = cases[i].word;
        CudaError error = ask(cases[i].kind, word[0], word[1], word[2], word[3]).error;
        if (error != cases[i].error)
            fail_test("case %zu: error %d, expected %d", i, error, cases[i].error);
    }
}

static void the_judges_arrays_cannot_be_freed(void **state)
{
    assert_int_equal(broker.device->memory->alloc(broker.device, 64, &broker.arrays[3]), 0);
    assert_int_equal(ask(RING_RELEASE, broker.arrays[3], 0, 0, 0).error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask(RING_FILL, broker.arrays[3], 0, 64, 0).error, CUDA_ERROR_SUCCESS);
}

/* ---- requests that an honest runtime library never sends --------------------------------------------------------- */

static void malformed_requests_are_a_violation(void **state)
{
    static uint8_t body[RING_MAX_BODY];
    const RingLaunch too_short = {.function = ask_function("nothing"), .parameter_bytes = 4};
    static const struct {
        const char *what;
        uint32_t kind;
        size_t bytes;
    } cases[] = {
        {"kind 0", 0, 0},
        {"a kind beyond the last", RING_KIND_COUNT, 0},
        {"a huge kind", UINT32_MAX, 32},
        {"too few words", RING_ALLOC, 24},
        {"too many words", RING_ALLOC, 40},
        {"a name cut short", RING_FUNCTION, sizeof(RingName) - 1},
        {"a name without an end", RING_FUNCTION, sizeof(RingName)},
        {"a variable's name without an end", RING_VARIABLE, sizeof(RingName)},
        {"a note without an end", RING_NOTE_ERROR, sizeof(RingNote)},
        {"a launch cut short", RING_LAUNCH, sizeof(RingLaunch) - 8},
        {"a launch with other parameters than it says", RING_LAUNCH, sizeof(RingLaunch) + 8},
        {"a body where none belongs", RING_RETURNED, 8},
    };
    memset(body, 'x', sizeof body);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        post(cases[i].kind, false, body, cases[i].bytes);
        broker_serve(&broker, RING_RETURNED);
        if (broker.end != SERVE_VIOLATION)
            fail_test("%s: end %d", cases[i].what, broker.end);
    }
    memcpy(body, &too_short, sizeof too_short);
    post(RING_LAUNCH, false, body, sizeof too_short + 4);
    broker_serve(&broker, RING_RETURNED);
    assert_int_equal(broker.end, SERVE_VIOLATION);
}

static void a_module_that_differs_in_one_byte_is_a_violation(void **state)
{
    RingWords words = {{sizeof PTX - 1}};
    memcpy(broker.reader.ring->staging, PTX, sizeof PTX - 1);
    assert_int_equal(ask(RING_MODULE, sizeof PTX - 1, 0, 0, 0).error, 0);
    broker.reader.ring->staging[50] ^= 1;
    post(RING_MODULE, true, &words, sizeof words);
    broker_serve(&broker, RING_RETURNED);
    assert_int_equal(broker.end, SERVE_VIOLATION);
}

static void a_silent_runner_exceeds_its_time(void **state)
{
    broker_serve(&broker, RING_RETURNED);
    assert_int_equal(broker.end, SERVE_HOST_TIME);
}

typedef struct Grader { /* plays the grader, in a thread */
    pthread_t thread;
    int graders, brokers;
    HostClock first, each; /* the first answer, and by how much each answer exceeds the one before */
    int most;              /* answers in which it may do so */
} Grader;

static void *answer_questions(void *context)
{
    Grader *grader = context;
    HostClock clock = grader->first;
    HostQuestion question;
    for (int i = 0; host_clock_question(grader->graders, &question) && host_clock_answer(grader->graders, clock); i++) {
        const double more = i < grader->most ? 1 : 0;
        clock.computed_s += more * grader->each.computed_s;
        clock.used_s += more * grader->each.used_s;
        clock.delayed_s += more * grader->each.delayed_s;
        clock.judge_delayed_s += more * grader->each.judge_delayed_s;
        clock.is_runnable = i < grader->most && grader->each.is_runnable;
    }
    return NULL;
}

static void start_grader(Grader *grader)
{
    assert_true(host_clock_new(&grader->graders, &grader->brokers));
    broker.host_clock = grader->brokers;
    assert_int_equal(pthread_create(&grader->thread, NULL, answer_questions, grader), 0);
}

static void stop_grader(Grader *grader)
{
    close(grader->brokers);
    pthread_join(grader->thread, NULL);
    close(grader->graders);
    broker.host_clock = -1;
}

/* For how long the broker waits for a runner that says nothing, until it ends the call. */
static double waits_for_silence_s(Grader grader)
{
    broker.limits.host_seconds = 0.1;
    start_grader(&grader);
    broker_host_time_start(&broker);
    const double start_s = now_s();
    broker_serve(&broker, RING_RETURNED);
    const double waited_s = now_s() - start_s;
    stop_grader(&grader);
    assert_int_equal(broker.end, SERVE_HOST_TIME);
    assert_true(broker.host_time.own_s >= 0.1);
    return waited_s;
}

/* A busy machine may make the broker itself wait for longer than it wants, but not for less. */
static void time_in_which_others_have_the_cores_does_not_count(void **state)
{
    assert_true(waits_for_silence_s((Grader){.each = {.delayed_s = 1}, .most = 10}) >= 0.1 + 10 * 0.02);
    assert_true(waits_for_silence_s((Grader){.each = {.is_runnable = true}, .most = 10}) >= 0.1 + 10 * 0.02);
}

/* Even if it waits for a core in each moment in which somebody looks. */
static void time_for_which_the_runner_computes_counts(void **state)
{
    const Grader busy = {.each = {.used_s = 0.05, .delayed_s = 1, .is_runnable = true}, .most = 2};
    (void)waits_for_silence_s(busy);
    assert_true(broker.host_time.own_s < 0.2);
}

/* Takes longer for its own process than the submission may take. */
static void *load_late(void *unused)
{
    usleep(150000);
    post(RING_LOADING, true, NULL, 0);
    return unused;
}

static void what_comes_before_loading_takes_nobodys_time(void **state)
{
    Grader grader = {.most = 0};
    pthread_t runner;
    broker.limits.host_seconds = 0.05;
    start_grader(&grader);
    assert_int_equal(pthread_create(&runner, NULL, load_late, NULL), 0);
    broker_load(&broker, &(ControlRequest){0});
    pthread_join(runner, NULL);
    stop_grader(&grader);
    assert_int_equal(broker.reply.report.outcome, CALL_TIME_LIMIT);
    assert_int_equal(broker.reply.report.phase, PHASE_LOADING);
    assert_int_equal(broker.requests, 0); /* since RING_LOADING */
}

static bool is_never_idle(Device *device)
{
    return false;
}

static void set_no_limit(Device *device, double seconds)
{
}

static void pin_nothing(Device *device, void *memory, size_t bytes)
{
}

/* On a real GPU, the host's time and the device's have limits of their own. */
static void a_device_that_works_is_not_kept_waiting(void **state)
{
    static const DeviceHardwareOps working = {
        .is_idle = is_never_idle, .set_time_limit = set_no_limit, .pin = pin_nothing};
    broker.device->hardware = &working;
    broker.device->info.modelled = false;
    broker.limits.host_seconds = 10; /* looking for a request takes some of it */
    broker.limits.device_seconds = 0.05;
    broker_call(&broker, &(ControlRequest){0});
    broker.device->hardware = NULL;
    broker.device->info.modelled = true;
    assert_int_equal(broker.end, SERVE_WORK_TIME);
    assert_string_equal(broker.reply.report.text, "the kernels were still running after 0.05 s");
    assert_true(broker.work_seconds > 0.05);
}

static void a_request_that_comes_before_loading_is_a_violation(void **state)
{
    post(RING_READY, false, NULL, 0);
    broker_load(&broker, &(ControlRequest){0});
    assert_int_equal(broker.reply.report.outcome, CALL_INTEGRITY_VIOLATION);
    assert_int_equal(broker.reply.report.phase, PHASE_NONE);
}

static void the_hosts_work_is_charged_but_for_what_its_copies_need(void **state)
{
    Grader grader = {.first = {.computed_s = 1}, .each = {.computed_s = 1}, .most = INT_MAX};
    start_grader(&grader);
    broker_host_work_begin(&broker);
    broker_host_work_charge(&broker, false);
    assert_true(broker.host_work.charged_s == 0); /* it has no data yet */
    broker_host_work_copied(&broker, 100000000, true);
    broker_host_work_charge(&broker, false);
    assert_true(fabs(broker.host_work.charged_s - (1 - 1e-3 - 0.5)) < 1e-9);
    broker_host_work_copied(&broker, 200000000, false);
    broker_host_work_charge(&broker, false);
    assert_true(fabs(broker.host_work.charged_s - (3 - 1e-3 - 1.5)) < 1e-9); /* nothing is free twice */
    stop_grader(&grader);
    broker_host_work_begin(&broker);
}

/* Otherwise host code that asks without a pause would wait for the judge most of the time, which no limit counts. */
static void a_query_soon_after_a_charge_leaves_the_clock_alone(void **state)
{
    Grader grader = {.each = {.computed_s = 1}, .most = INT_MAX};
    start_grader(&grader);
    broker_host_work_begin(&broker);
    broker_host_work_copied(&broker, 0, true);
    broker_host_work_charge(&broker, true);
    const double charged = broker.host_work.charged_s;
    assert_true(charged > 0);
    broker.host_work.asked_s = now_s() + 3600;
    broker_host_work_charge(&broker, true);
    assert_true(broker.host_work.charged_s == charged);
    broker_host_work_charge(&broker, false); /* which is charged for both */
    assert_true(broker.host_work.charged_s > charged);
    stop_grader(&grader);
    broker_host_work_begin(&broker);
}

/* What the host is charged for 4 ms of work, in which it has waited for a core for so long. */
static double charged_s(double delayed_s)
{
    Grader grader = {.each = {.computed_s = 4e-3, .delayed_s = delayed_s}, .most = 1};
    start_grader(&grader);
    broker_host_work_begin(&broker);
    broker_host_work_copied(&broker, 0, true);
    broker_host_work_charge(&broker, false);
    const double charged = broker.host_work.charged_s;
    stop_grader(&grader);
    broker_host_work_begin(&broker);
    return charged;
}

static void work_for_which_others_have_taken_the_caches_is_free_in_part(void **state)
{
    assert_true(fabs(charged_s(0) - 3e-3) < 1e-9);
    assert_true(fabs(charged_s(0.01) - 2e-3) < 1e-9);
    assert_true(charged_s(0.04) == 0);
}

/* A generator with a fixed seed, so that a failure can be repeated. */
static uint64_t random_word(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    static const uint64_t likely[] = {0,          1,         2, 16, 17, 32, 4096, DEVICE_BASE, DEVICE_BASE + 4096,
                                      UINT32_MAX, UINT64_MAX};
    return *seed % 3 == 0 ? *seed >> (*seed % 60) : likely[*seed / 3 % COUNT_OF(likely)];
}

static size_t body_bytes(uint32_t kind)
{
    switch (kind) {
    case RING_FUNCTION:
    case RING_VARIABLE: return sizeof(RingName);
    case RING_LAUNCH: return sizeof(RingLaunch) + 8;
    case RING_COPY_BOX: return sizeof(RingCopyBox);
    case RING_FILL_ROWS: return sizeof(RingFillRows);
    case RING_ARRAY_NEW: return sizeof(RingArray);
    case RING_TEXTURE_NEW: return sizeof(RingTexture);
    case RING_TENSOR_MAP: return sizeof(RingTensor);
    default: return sizeof(RingWords);
    }
}

static void random_requests_do_not_crash_the_broker(void **state)
{
    static union {
        uint64_t word[600];
        RingName name;
    } body;
    uint64_t seed = 88172645463325252ull;
    for (int i = 0; i < 20000; i++) {
        uint32_t kind = (uint32_t)(random_word(&seed) % (RING_KIND_COUNT + 1));
        bool named = kind == RING_FUNCTION || kind == RING_VARIABLE;
        size_t bytes = body_bytes(kind);
        for (size_t w = 0; w < 20; w++)
            body.word[w] = random_word(&seed);
        if (named)
            body.name = (RingName){.module = seed % 2, .name = "nothing"};
        post(kind, seed % 5 != 0, &body, seed % 50 == 0 ? seed % sizeof body : bytes);
        post(RING_RETURNED, false, NULL, 0);
        broker_serve(&broker, RING_RETURNED);
        if (broker.end != SERVE_DONE) { /* the request was refused, and the next one is still in the ring */
            RingRecord *next = &broker.record;
            assert_int_equal(ring_take(&broker.reader, next), RING_TAKEN);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_BROKER(what_constructors_launch_is_timed),
        WITH_A_BROKER(a_gate_that_the_judge_did_not_open_is_a_violation),
        WITH_A_BROKER(a_copy_of_the_judges_own_that_fails_is_named),
        WITH_A_BROKER(memory_that_a_submission_keeps_is_named_where_the_judges_arrays_find_none),
        WITH_A_BROKER(gpu_code_that_does_not_fit_is_named),
        WITH_A_BROKER(arrays_move_from_call_to_call_and_apart),
        WITH_A_BROKER(arrays_never_stay_where_they_were_unless_they_must),
        WITH_A_BROKER(arrays_lie_where_they_lay_if_they_must),
        WITH_A_BROKER(memory_of_the_submission_does_not_drive_arrays_away),
        WITH_A_BROKER(a_function_that_is_asked_for_again_costs_nothing),
        WITH_A_BROKER(the_judges_own_allocation_comes_after_all_that_a_submission_may_make),
        WITH_A_BROKER(streams_and_events_are_limited),
        WITH_A_BROKER(an_allocation_holds_what_is_written),
        WITH_A_BROKER(the_error_of_a_posted_launch_comes_with_the_next_reply),
        WITH_A_BROKER(a_submission_learns_the_limits_of_the_device_and_not_which_one_it_is),
        WITH_A_BROKER(a_call_about_something_that_does_not_exist_fails),
        WITH_A_BROKER(the_judges_arrays_cannot_be_freed),
        WITH_A_BROKER(malformed_requests_are_a_violation),
        WITH_A_BROKER(a_module_that_differs_in_one_byte_is_a_violation),
        WITH_A_BROKER(a_silent_runner_exceeds_its_time),
        WITH_A_BROKER(time_in_which_others_have_the_cores_does_not_count),
        WITH_A_BROKER(time_for_which_the_runner_computes_counts),
        WITH_A_BROKER(what_comes_before_loading_takes_nobodys_time),
        WITH_A_BROKER(a_device_that_works_is_not_kept_waiting),
        WITH_A_BROKER(a_request_that_comes_before_loading_is_a_violation),
        WITH_A_BROKER(the_hosts_work_is_charged_but_for_what_its_copies_need),
        WITH_A_BROKER(a_query_soon_after_a_charge_leaves_the_clock_alone),
        WITH_A_BROKER(work_for_which_others_have_taken_the_caches_is_free_in_part),
        WITH_A_BROKER(random_requests_do_not_crash_the_broker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
