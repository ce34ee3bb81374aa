#include "base/tests/unit.h"

#include "harness/broker/control.h"
#include "harness/device/execution_profile.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 4096 };

static const ControlState LOADED = {
    .is_open = true, .is_simulated = true, .has_runner = true, .buffer_bytes = MEMORY_BYTES};
static const ControlState OPENED = {.is_open = true}, NEW = {.is_open = false};

static int memory, null_device;

static int open_descriptors(void **state)
{
    memory = memfd_create("test", MFD_CLOEXEC);
    null_device = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return memory < 0 || null_device < 0 ? -1 : ftruncate(memory, MEMORY_BYTES);
}

static int close_descriptors(void **state)
{
    close(memory);
    close(null_device);
    return 0;
}

static bool is_valid(ControlRequest request, ControlState state)
{
    return control_request_is_valid(&request, (const int[]){memory, memory, -1}, &state);
}

static ControlRequest loading(void)
{
    return (ControlRequest){.kind = CONTROL_LOAD,
                            .memory_bytes = MEMORY_BYTES,
                            .module_count = 2,
                            .modules = {{1, 100}, {101, MEMORY_BYTES - 101}},
                            .limits = {.host_seconds = 1}};
}

static ControlRequest calling(void)
{
    return (ControlRequest){.kind = CONTROL_CALL,
                            .argument_count = 2,
                            .arguments = {{.name = "input", .role = ARGUMENT_INPUT, .probed = true, .span = {0, 100}},
                                          {.name = "n", .role = ARGUMENT_VALUE, .value = UINT64_MAX}}};
}

static void a_valid_conversation_passes(void **state)
{
    const ControlRequest buffers = {.kind = CONTROL_BUFFERS, .memory_bytes = MEMORY_BYTES},
                         exchange = {.kind = CONTROL_EXCHANGE, .memory_bytes = MEMORY_BYTES};
    assert_true(is_valid((ControlRequest){.kind = CONTROL_OPEN}, NEW));
    assert_true(is_valid(buffers, OPENED));
    assert_true(is_valid(loading(), OPENED));
    assert_true(is_valid(exchange, LOADED));
    assert_true(is_valid(calling(), LOADED));
    assert_true(is_valid((ControlRequest){.kind = CONTROL_RUNNER_GONE}, LOADED));
}

static void a_request_out_of_order_is_refused(void **state)
{
    assert_false(is_valid((ControlRequest){.kind = CONTROL_OPEN}, OPENED));
    assert_false(is_valid(loading(), NEW));
    assert_false(is_valid(loading(), LOADED));
    assert_false(is_valid(calling(), OPENED));
    assert_false(is_valid((ControlRequest){.kind = 0}, LOADED));
    assert_false(is_valid((ControlRequest){.kind = CONTROL_RUNNER_GONE + 1}, LOADED));
}

/* Only the simulated GPU can look into a kernel. */
static void a_real_gpu_is_asked_for_no_profile_and_no_probe(void **state)
{
    const ControlRequest profile = {.kind = CONTROL_PROFILE, .memory_bytes = sizeof(ExecutionProfile)};
    ControlState real = LOADED;
    real.is_simulated = false;
    assert_int_equal(ftruncate(memory, sizeof(ExecutionProfile)), 0);
    assert_true(is_valid(profile, LOADED));
    assert_false(is_valid(profile, real));
    assert_int_equal(ftruncate(memory, MEMORY_BYTES), 0);
    assert_true(is_valid(calling(), LOADED));
    assert_false(is_valid(calling(), real));
}

static void memory_shorter_than_the_request_says_is_refused(void **state)
{
    const int none[] = {-1, -1, -1}, no_memory[] = {null_device, null_device, -1};
    ControlRequest buffers = {.kind = CONTROL_BUFFERS, .memory_bytes = MEMORY_BYTES};
    assert_false(control_request_is_valid(&buffers, none, &OPENED));
    assert_false(control_request_is_valid(&buffers, no_memory, &OPENED));
    buffers.memory_bytes = MEMORY_BYTES + 1;
    assert_false(is_valid(buffers, OPENED));
    buffers.memory_bytes = 0;
    assert_false(is_valid(buffers, OPENED));
    assert_false(is_valid((ControlRequest){.kind = CONTROL_PROFILE, .memory_bytes = MEMORY_BYTES}, OPENED));
    assert_false(is_valid((ControlRequest){.kind = CONTROL_EXCHANGE, .memory_bytes = 8}, LOADED));
}

static void modules_beyond_their_memory_are_refused(void **state)
{
    ControlRequest request = loading();
    request.modules[1].bytes++;
    assert_false(is_valid(request, OPENED));
    request.modules[1] = (ControlSpan){UINT64_MAX, 2};
    assert_false(is_valid(request, OPENED));
    request = loading();
    request.module_count = CONTROL_MAX_MODULES + 1;
    assert_false(is_valid(request, OPENED));
    request = loading();
    request.limits.host_seconds = NAN;
    assert_false(is_valid(request, OPENED));
}

static void arguments_that_do_not_fit_the_buffers_are_refused(void **state)
{
    ControlRequest request = calling();
    request.argument_count = CALL_MAX_PARAMETERS + 1;
    assert_false(is_valid(request, LOADED));
    request = calling();
    request.arguments[0].span = (ControlSpan){1, MEMORY_BYTES};
    assert_false(is_valid(request, LOADED));
    request = calling();
    memset(request.arguments[0].name, 'x', sizeof request.arguments[0].name);
    assert_false(is_valid(request, LOADED));
    request = calling();
    request.arguments[0].role = ARGUMENT_VALUE + 1;
    assert_false(is_valid(request, LOADED));
    request = calling();
    request.arguments[1] = request.arguments[0];
    assert_false(is_valid(request, LOADED)); /* two are probed */
    request = calling();
    request.arguments[0].span = (ControlSpan){2, 100};
    assert_false(is_valid(request, LOADED)); /* not a multiple of a word */
    request = calling();
    request.exchanged = true;
    assert_false(is_valid(request, LOADED)); /* there is no exchange */
}

/* Operations in an order that there is not would never be carried out. */
static void an_order_that_there_is_not_is_refused(void **state)
{
    ControlRequest request = calling();
    ControlReply reply = {.report = {.conflicts = {.count = 1}}};
    request.order.kind = reply.report.conflicts.items[0].order.kind = DEVICE_ORDER_DRAWN;
    assert_true(is_valid(request, LOADED));
    assert_true(control_reply_is_valid(&reply));
    request.order.kind = reply.report.conflicts.items[0].order.kind = DEVICE_ORDER_DRAWN + 1;
    assert_false(is_valid(request, LOADED));
    assert_false(control_reply_is_valid(&reply));
}

/* Stores a byte that C never stores in a bool, but another process could. */
static void spoil(bool *flag)
{
    *(unsigned char *)flag = 2;
}

static void flags_that_are_neither_true_nor_false_are_refused(void **state)
{
    ControlRequest request;
    ControlReply reply;
    bool *const of_request[] = {&request.check_inputs,
                                &request.exchanged,
                                &request.sanitize,
                                &request.is_untimed,
                                &request.samples_blocks,
                                &request.is_secret,
                                &request.repeats_addresses,
                                &request.arguments[0].float_output,
                                &request.arguments[0].probed,
                                &request.order.is_exact};
    bool *const of_reply[] = {&reply.runner_gone,
                              &reply.host_memory_refused,
                              &reply.device.modelled,
                              &reply.device.calibrated,
                              &reply.device.pageable_access,
                              &reply.report.allocation_refused,
                              &reply.report.input_changed,
                              &reply.report.pending_at_return,
                              &reply.report.statistics.has_counters,
                              &reply.report.findings.items[0].is_undefined,
                              &reply.report.findings.items[0].is_unwritten,
                              &reply.report.findings.items[0].is_global};
    for (size_t i = 0; i < COUNT_OF(of_request); i++) {
        request = calling();
        spoil(of_request[i]);
        assert_false(control_request_is_valid(&request, (const int[]){memory, memory, -1}, &LOADED));
    }
    for (size_t i = 0; i < COUNT_OF(of_reply); i++) {
        reply = (ControlReply){.report = {.findings = {.count = 1}}};
        assert_true(control_reply_is_valid(&reply));
        spoil(of_reply[i]);
        assert_false(control_reply_is_valid(&reply));
    }
}

static void a_reply_whose_texts_or_counts_are_wrong_is_refused(void **state)
{
    ControlReply reply = {.status = STATUS_OK, .printed_bytes = CONTROL_MAX_PRINTED};
    assert_true(control_reply_is_valid(&reply));
    memset(reply.device.handle, 'x', sizeof reply.device.handle);
    assert_false(control_reply_is_valid(&reply));
    reply = (ControlReply){.printed_bytes = CONTROL_MAX_PRINTED + 1};
    assert_false(control_reply_is_valid(&reply));
    reply = (ControlReply){.report = {.findings = {.count = DEVICE_MAX_FINDINGS + 1}}};
    assert_false(control_reply_is_valid(&reply));
    char text[] = "a pointer into the broker's memory";
    reply = (ControlReply){.report = {.printed = {.data = text, .length = sizeof text - 1}}};
    assert_false(control_reply_is_valid(&reply));
    reply = (ControlReply){.report = {.conflicts = {.count = DEVICE_MAX_CONFLICTS + 1}}};
    assert_false(control_reply_is_valid(&reply));
    reply = (ControlReply){.report = {.conflicts = {.count = 1}}};
    assert_true(control_reply_is_valid(&reply));
    memset(reply.report.conflicts.items[0].second.name, 'x', DEVICE_PARTY_BYTES);
    assert_false(control_reply_is_valid(&reply));
    reply = (ControlReply){.report = {.outcome = CALL_INTEGRITY_VIOLATION + 1}};
    assert_false(control_reply_is_valid(&reply));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_conversation_passes),
        cmocka_unit_test(a_request_out_of_order_is_refused),
        cmocka_unit_test(a_real_gpu_is_asked_for_no_profile_and_no_probe),
        cmocka_unit_test(memory_shorter_than_the_request_says_is_refused),
        cmocka_unit_test(modules_beyond_their_memory_are_refused),
        cmocka_unit_test(arguments_that_do_not_fit_the_buffers_are_refused),
        cmocka_unit_test(an_order_that_there_is_not_is_refused),
        cmocka_unit_test(flags_that_are_neither_true_nor_false_are_refused),
        cmocka_unit_test(a_reply_whose_texts_or_counts_are_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, open_descriptors, close_descriptors);
}
