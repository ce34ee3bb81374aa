/* The real GPU's code, against a driver library that stands in for NVIDIA's (tests/fake/cuda.h). A process opens a GPU
 * once, and may lose it to a fault: each test has a process of its own. */
#include "base/tests/unit.h"

#include "base/text.h"
#include "harness/device/device.h"
#include "harness/device/device_lock.h"
#include "harness/tests/fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the kernels do, tests/fake/cuda.h tells. */
static const char MODULE[] = "kernel store 12\nkernel spin 4\nkernel hang 0\nkernel fault 0\nvariable numbers 16\n";

enum {
    ARRAY_BYTES = 1 << 20,
    UNMAPPED_BYTES = 256 << 20,      /* an allocation for which the device has to map memory */
    PATIENCE_S = 20,                 /* what takes this long has failed */
    TEST_S = 100,                   /* a test that takes this long is stuck */
    GLIMPSE_US = 5000                /* what is held is looked at for so long before it is believed */
};

typedef struct Fixture {
    Device *device;
    const DeviceOps *ops;
    DeviceModule *module;
    uint64_t array; /* of ARRAY_BYTES */
    DeviceEvent *events[4]; /* that new_event() made */
    size_t event_count;
    char log[64];
} Fixture;

static int set_up_names(void **state)
{
    static Fixture f;
    snprintf(f.log, sizeof f.log, "/tmp/fake-cuda-XXXXXX");
    int file = mkstemp(f.log);
    assert_true(file >= 0);
    close(file);
    setenv("CONVJUDGE_FAKE_CUDA_LOG", f.log, 1);
    use_driver("libcuda.so.1");
    *state = &f;
    return 0;
}

static int tear_down_names(void **state)
{
    Fixture *f = *state;
    return unlink(f->log);
}

static int set_up(void **state)
{
    Message why;
    set_up_names(state);
    Fixture *f = *state;
    if (device_open("cuda", &f->device, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    f->ops = f->device->ops;
    if (f->ops->module_load(f->device, MODULE, sizeof MODULE, &f->module, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    return f->ops->alloc(f->device, ARRAY_BYTES, &f->array);
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    for (size_t i = 0; i < f->event_count; i++)
        assert_int_equal(f->ops->event_free(f->device, f->events[i]), 0);
    f->ops->close(f->device);
    return tear_down_names(state);
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static CudaError launch(Fixture *f, const char *kernel, const void *parameters, size_t bytes, DeviceStream *stream)
{
    DeviceLaunch launch = {.function = f->ops->function(f->module, kernel),
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = bytes,
                           .stream = stream};
    assert_non_null(launch.function);
    return f->ops->launch(f->device, &launch);
}

static CudaError store(Fixture *f, uint64_t to, uint32_t value, DeviceStream *stream)
{
    struct { uint64_t to; uint32_t value; } parameters = {to, value};
    return launch(f, "store", &parameters, 12, stream);
}

static CudaError spin(Fixture *f, uint32_t microseconds, DeviceStream *stream)
{
    return launch(f, "spin", &microseconds, sizeof microseconds, stream);
}

/* The kernels are known before a bracket begins, as the broker sees to it. */
static void begin(Fixture *f)
{
    assert_non_null(f->ops->function(f->module, "store"));
    assert_non_null(f->ops->function(f->module, "spin"));
    assert_int_equal(f->ops->bracket_begin(f->device), 0);
}

static DeviceBracket end(Fixture *f)
{
    DeviceBracket taken;
    assert_int_equal(f->ops->bracket_end(f->device, &taken), 0);
    return taken;
}

static DeviceStream *new_stream(Fixture *f, bool non_blocking)
{
    DeviceStream *stream;
    assert_int_equal(f->ops->stream_new(f->device, non_blocking, &stream), 0);
    return stream;
}

static DeviceEvent *new_event(Fixture *f)
{
    DeviceEvent **event = &f->events[f->event_count++];
    assert_true(f->event_count <= COUNT_OF(f->events));
    assert_int_equal(f->ops->event_new(f->device, event), 0);
    return *event;
}

/* The fake GPU's memory is this process's, at the same addresses. */
static uint32_t peek(uint64_t address)
{
    return __atomic_load_n((uint32_t *)address, __ATOMIC_ACQUIRE);
}

static bool becomes(uint64_t address, uint32_t value)
{
    for (double start_s = now_s(); peek(address) != value; usleep(100))
        if (now_s() - start_s > PATIENCE_S)
            return false;
    return true;
}

static void assert_fault(Fixture *f, DeviceFaultKind kind, const char *part)
{
    DeviceFault fault;
    f->ops->fault(f->device, &fault);
    if (fault.kind != kind || strstr(fault.text, part) == NULL)
        fail_test("fault of kind %d: '%s', expected kind %d: '...%s...'", fault.kind, fault.text, kind, part);
}

/* What the driver was asked and what it did since `log` was last emptied; the caller frees it. */
static Text driver_log(const Fixture *f)
{
    Text text = {0};
    Message why;
    assert_int_equal(text_read_file(f->log, 1 << 28, &text, &why), STATUS_OK);
    return text;
}

static void empty_log(const Fixture *f)
{
    assert_int_equal(truncate(f->log, 0), 0);
}

static size_t lines_with(const Fixture *f, const char *beginning)
{
    Text log = driver_log(f);
    size_t count = 0;
    for (const char *line = log.data; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        count += strncmp(line, beginning, strlen(beginning)) == 0;
    text_free(&log);
    return count;
}

/* Whether a line that begins so comes before every line that begins like the other. */
static bool comes_first(const Fixture *f, const char *one, const char *other)
{
    Text log = driver_log(f);
    const char *first = strstr(log.data, one), *second = strstr(log.data, other);
    bool yes = first != NULL && second != NULL && first < second;
    text_free(&log);
    return yes;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void fill_with_pattern(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i * 131 + (i >> 8) + seed);
}

static void bytes_come_back_through_every_pair_of_copies(void **state)
{
    Fixture *f = *state;
    static const size_t sizes[] = {1, 4096, 64 << 10, (64 << 10) + 1, ARRAY_BYTES / 2};
    static uint8_t from[ARRAY_BYTES], to[ARRAY_BYTES];
    DeviceStream *streams[] = {NULL, new_stream(f, false), new_stream(f, true)};
    for (unsigned pinned = 0; pinned < 2; pinned++) {
        if (pinned == 1) {
            f->ops->pin(f->device, from, sizeof from);
            f->ops->pin(f->device, to, sizeof to);
        }
        for (unsigned i = 0; i < COUNT_OF(sizes) * COUNT_OF(streams); i++) {
            size_t bytes = sizes[i % COUNT_OF(sizes)];
            DeviceStream *stream = streams[i / COUNT_OF(sizes)];
            fill_with_pattern(from, bytes, i + 100 * pinned);
            assert_int_equal(f->ops->write(f->device, f->array, from, bytes, stream), 0);
            assert_int_equal(f->ops->copy(f->device, f->array + ARRAY_BYTES / 2, f->array, bytes, stream), 0);
            assert_int_equal(f->ops->fill(f->device, f->array, 'x', bytes, stream), 0);
            assert_int_equal(f->ops->read(f->device, to, f->array + ARRAY_BYTES / 2, bytes, stream), 0);
            assert_memory_equal(to, from, bytes);
            assert_int_equal(f->ops->read(f->device, to, f->array + bytes - 1, 1, stream), 0);
            assert_int_equal(to[0], 'x');
        }
    }
    f->ops->unpin(f->device, from);
    f->ops->unpin(f->device, to);
}

static void a_source_may_change_as_soon_as_it_is_written(void **state)
{
    Fixture *f = *state;
    static uint32_t value;
    f->ops->pin(f->device, &value, sizeof value);
    begin(f);
    for (uint32_t i = 0; i < 200; i++) {
        value = i;
        assert_int_equal(f->ops->write(f->device, f->array + 4 * i, &value, sizeof value, NULL), 0);
        value = 0xdead;
    }
    end(f);
    f->ops->unpin(f->device, &value);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(peek(f->array + 4 * i), i);
}

static void copies_outside_an_allocation_are_refused(void **state)
{
    Fixture *f = *state;
    char byte = 0;
    const uint64_t outside[] = {0, f->array - 1, f->array + ARRAY_BYTES, UINT64_MAX, DEVICE_BASE + DEVICE_SPAN};
    for (size_t i = 0; i < COUNT_OF(outside); i++) {
        assert_false(f->ops->owns(f->device, outside[i], 1));
        assert_int_equal(f->ops->read(f->device, &byte, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->ops->write(f->device, outside[i], &byte, 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->ops->copy(f->device, f->array, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->ops->copy(f->device, outside[i], f->array, 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->ops->fill(f->device, outside[i], 0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(f->ops->fill(f->device, f->array, 0, ARRAY_BYTES + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->ops->fill(f->device, f->array, 0, UINT64_MAX, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_true(f->ops->owns(f->device, f->array, ARRAY_BYTES));
}

static void the_memory_limit_holds(void **state)
{
    Fixture *f = *state;
    uint64_t first, second;
    uint64_t used = f->ops->allocated_bytes(f->device);
    assert_int_equal(used, ARRAY_BYTES);
    f->ops->set_memory_limit(f->device, used + 4096);
    assert_int_equal(f->ops->alloc(f->device, 4096, &first), 0);
    assert_int_equal(f->ops->alloc(f->device, 1, &second), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->ops->release(f->device, first), 0);
    assert_int_equal(f->ops->release(f->device, first), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->ops->release(f->device, f->array + 512), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->ops->alloc(f->device, 4096, &second), 0);
}

static void more_memory_than_the_device_has_is_refused_and_that_is_all(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    assert_int_equal(f->ops->alloc(f->device, f->device->info.memory_bytes + 1, &address),
                     CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->ops->alloc(f->device, DEVICE_SPAN, &address), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->ops->allocated_bytes(f->device), ARRAY_BYTES);
    assert_int_equal(f->ops->alloc(f->device, 4096, &address), 0);
    assert_int_equal(store(f, address, 7, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
}

static void symbols_are_plain_addresses(void **state)
{
    Fixture *f = *state;
    uint64_t address, bytes;
    assert_true(f->ops->variable(f->module, "numbers", &address, &bytes));
    assert_int_equal(bytes, 16);
    assert_true(f->ops->owns(f->device, address, 16));
    assert_int_equal(f->ops->write(f->device, address, "0123456789abcdef", 16, NULL), 0);
    assert_int_equal(f->ops->write(f->device, address, "0123456789abcdef", 17, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->ops->synchronize(f->device), 0);
    assert_memory_equal((void *)address, "0123456789abcdef", 16);
    assert_false(f->ops->variable(f->module, "letters", &address, &bytes));
    assert_null(f->ops->function(f->module, "letters"));
}

/* ---- red zones --------------------------------------------------------------------------------------------------- */

static void assert_found_at_the_end(Fixture *f, uint64_t array, int64_t offset, const char *where)
{
    DeviceBracket taken;
    begin(f);
    assert_int_equal(store(f, array + (uint64_t)offset, 0x01020304, NULL), 0);
    assert_int_equal(f->ops->bracket_end(f->device, &taken), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, where);
    assert_fault(f, DEVICE_FAULT, "an allocation of 1001 bytes");
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static uint64_t small_array(Fixture *f)
{
    uint64_t address;
    assert_int_equal(f->ops->alloc(f->device, 1001, &address), 0);
    return address;
}

static void a_store_one_byte_past_an_allocation_is_found(void **state)
{
    Fixture *f = *state;
    assert_found_at_the_end(f, small_array(f), 1001, "past the end of");
}

static void a_store_before_an_allocation_is_found(void **state)
{
    Fixture *f = *state;
    assert_found_at_the_end(f, small_array(f), -4, "before the begin of");
}

static void a_store_out_of_bounds_is_found_when_the_memory_is_released(void **state)
{
    Fixture *f = *state;
    uint64_t address = small_array(f);
    assert_int_equal(store(f, address + 1001, 0x01020304, NULL), 0);
    assert_int_equal(f->ops->release(f->device, address), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "past the end of an allocation of 1001 bytes");
}

static void stores_up_to_the_last_byte_are_fine(void **state)
{
    Fixture *f = *state;
    uint64_t address = small_array(f);
    begin(f);
    assert_int_equal(store(f, address, 1, NULL), 0);
    assert_int_equal(store(f, address + 1001 - 4, 1, NULL), 0);
    end(f);
    assert_int_equal(f->ops->release(f->device, address), 0);
    assert_fault(f, DEVICE_NO_FAULT, "");
}

/* ---- the gate ---------------------------------------------------------------------------------------------------- */

static void nothing_runs_before_the_host_waits_and_everything_does_then(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {NULL, new_stream(f, false), new_stream(f, true)};
    DeviceEvent *event = new_event(f);
    begin(f);
    empty_log(f);
    for (uint32_t i = 0; i < COUNT_OF(streams); i++) {
        assert_int_equal(store(f, f->array + 64 * i, 7, streams[i]), 0);
        assert_int_equal(f->ops->fill(f->device, f->array + 64 * i + 4, 1, 4, streams[i]), 0);
        assert_int_equal(f->ops->write(f->device, f->array + 64 * i + 8, "abcd", 4, streams[i]), 0);
        assert_int_equal(f->ops->copy(f->device, f->array + 64 * i + 12, f->array + 64 * i, 4, streams[i]), 0);
    }
    assert_int_equal(f->ops->event_record(f->device, event, streams[2]), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(lines_with(f, "ran "), 0);
    assert_int_equal(lines_with(f, "cuStreamWaitValue32"), 3);
    assert_true(comes_first(f, "cuStreamWaitValue32 stream=0", "cuLaunchKernel store stream=0"));
    assert_true(comes_first(f, "cuStreamWaitValue32 stream=2", "cuLaunchKernel store stream=2"));
    assert_true(comes_first(f, "cuStreamWaitValue32 stream=3", "cuLaunchKernel store stream=3"));
    assert_int_equal(f->ops->synchronize(f->device), 0);
    assert_int_equal(lines_with(f, "ran cuLaunchKernel"), 3);
    for (uint32_t i = 0; i < COUNT_OF(streams); i++) {
        assert_int_equal(peek(f->array + 64 * i), 7);
        assert_int_equal(peek(f->array + 64 * i + 4), 0x01010101);
        assert_memory_equal((void *)(f->array + 64 * i + 8), "abcd", 4);
        assert_int_equal(peek(f->array + 64 * i + 12), 7);
    }
    end(f);
}

static void outside_a_bracket_nothing_is_held(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_true(becomes(f->array, 7));
    begin(f);
    end(f);
    assert_int_equal(store(f, f->array, 8, NULL), 0);
    assert_true(becomes(f->array, 8));
}

static void a_small_allocation_keeps_the_gate_closed(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    begin(f);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->ops->alloc(f->device, 4096, &address), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(peek(f->array), 0);
    end(f);
    assert_int_equal(peek(f->array), 7);
}

/* Each of these may wait for the device, as the fake driver does, or would never see an end while it is held. */
typedef struct Held {
    Fixture *f;
    DeviceStream *stream;
    DeviceEvent *before, *event; /* recorded before the bracket and in it, in the stream */
    DeviceModule *module;
    uint64_t allocation;
} Held;

static void ask_stream(Held *held)
{
    held->f->ops->stream_query(held->f->device, held->stream);
}

static void ask_legacy_stream(Held *held)
{
    held->f->ops->stream_query(held->f->device, NULL);
}

static void ask_event(Held *held)
{
    held->f->ops->event_query(held->f->device, held->event);
}

static void ask_time(Held *held)
{
    double seconds;
    held->f->ops->event_elapsed(held->f->device, held->before, held->event, &seconds);
}

static void wait_for_event(Held *held)
{
    assert_int_equal(held->f->ops->event_synchronize(held->f->device, held->event), 0);
}

static void wait_for_stream(Held *held)
{
    assert_int_equal(held->f->ops->stream_synchronize(held->f->device, held->stream), 0);
}

static void wait_for_everything(Held *held)
{
    assert_int_equal(held->f->ops->synchronize(held->f->device), 0);
}

static void read_bytes(Held *held)
{
    char byte;
    assert_int_equal(held->f->ops->read(held->f->device, &byte, held->f->array, 1, NULL), 0);
}

static void write_many_bytes(Held *held)
{
    static char bytes[ARRAY_BYTES / 2];
    assert_int_equal(held->f->ops->write(held->f->device, held->f->array + sizeof bytes, bytes, sizeof bytes,
                                         held->stream), 0);
}

static void allocate_much(Held *held)
{
    assert_int_equal(held->f->ops->alloc(held->f->device, UNMAPPED_BYTES, &held->allocation), 0);
}

static void release_memory(Held *held)
{
    assert_int_equal(held->f->ops->release(held->f->device, held->allocation), 0);
}

static void load_module(Held *held)
{
    Message why;
    assert_int_equal(held->f->ops->module_load(held->f->device, MODULE, sizeof MODULE, &held->module, &why), STATUS_OK);
}

static void find_symbols(Held *held)
{
    uint64_t address, bytes;
    assert_non_null(held->f->ops->function(held->module, "fault"));
    assert_true(held->f->ops->variable(held->module, "numbers", &address, &bytes));
}

static void unload_module(Held *held)
{
    held->f->ops->module_unload(held->f->device, held->module);
}

static void create_stream(Held *held)
{
    held->stream = new_stream(held->f, true);
}

static void destroy_stream(Held *held)
{
    assert_int_equal(held->f->ops->stream_free(held->f->device, held->stream), 0);
}

static void fall_silent(Held *held)
{
    held->f->ops->let_go(held->f->device);
}

static void each_call_that_may_wait_opens_the_gate(void **state)
{
    Fixture *f = *state;
    Held held = {.f = f, .stream = new_stream(f, true), .before = new_event(f), .event = new_event(f)};
    static const struct {
        const char *name;
        void (*call)(Held *held);
    } cases[] = {
        {"stream_query", ask_stream}, {"stream_query of the legacy stream", ask_legacy_stream},
        {"event_query", ask_event}, {"event_elapsed", ask_time}, {"event_synchronize", wait_for_event},
        {"stream_synchronize", wait_for_stream}, {"synchronize", wait_for_everything}, {"read", read_bytes},
        {"write of much", write_many_bytes}, {"alloc of much", allocate_much}, {"release", release_memory},
        {"module_load", load_module}, {"function and variable", find_symbols}, {"module_unload", unload_module},
        {"stream_new", create_stream}, {"stream_free", destroy_stream}, {"let_go", fall_silent},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        if (cases[i].call == fall_silent)
            held.stream = NULL;
        assert_int_equal(f->ops->event_record(f->device, held.before, held.stream), 0);
        begin(f);
        assert_int_equal(store(f, f->array, i + 1, held.stream), 0);
        assert_int_equal(f->ops->event_record(f->device, held.event, held.stream), 0);
        usleep(GLIMPSE_US);
        if (peek(f->array) != i)
            fail_test("before %s: nothing was held", cases[i].name);
        cases[i].call(&held);
        if (!becomes(f->array, i + 1))
            fail_test("%s: the gate stays closed", cases[i].name);
        end(f);
    }
}

static void the_gate_opens_at_four_hundred_operations(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, true)};
    begin(f);
    for (uint32_t i = 1; i <= 399; i++)
        assert_int_equal(store(f, f->array, i, streams[i % 2]), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(peek(f->array), 0);
    for (uint32_t i = 400; i <= 402; i++)
        assert_int_equal(store(f, f->array + 4, i, streams[0]), 0);
    assert_true(becomes(f->array + 4, 402));
    end(f);
}

static void five_thousand_launches_among_everything_else_end(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, true)};
    DeviceEvent *event = new_event(f);
    uint64_t allocation = 0;
    begin(f);
    for (uint32_t i = 1; i <= 5000; i++) {
        DeviceStream *stream = streams[i % 2];
        assert_int_equal(store(f, f->array + 4 * (i % 2), i, stream), 0);
        if (i % 50 == 0)
            assert_int_equal(f->ops->alloc(f->device, 4096 * (1 + i % 7), &allocation), 0);
        if (i % 50 == 25 && allocation != 0)
            assert_int_equal(f->ops->release(f->device, allocation), 0);
        if (i % 17 == 0)
            assert_int_equal(f->ops->event_record(f->device, event, stream), 0);
        if (i % 23 == 0)
            assert_int_equal(f->ops->stream_wait(f->device, stream, event), 0);
        if (i % 31 == 0) {
            CudaError error = f->ops->event_query(f->device, event);
            assert_true(error == 0 || error == CUDA_ERROR_NOT_READY);
        }
    }
    end(f);
    assert_int_equal(peek(f->array), 5000);
    assert_int_equal(peek(f->array + 4), 4999);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* One stream spins and then stores; the other copies. Gives what was copied. */
static uint32_t copied_across(Fixture *f, DeviceStream *one, DeviceStream *other, DeviceEvent *event)
{
    assert_int_equal(f->ops->fill(f->device, f->array, 0, 8, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
    assert_int_equal(spin(f, 3000, one), 0);
    assert_int_equal(store(f, f->array, 7, one), 0);
    if (event != NULL) {
        assert_int_equal(f->ops->event_record(f->device, event, one), 0);
        assert_int_equal(f->ops->stream_wait(f->device, other, event), 0);
    }
    assert_int_equal(f->ops->copy(f->device, f->array + 4, f->array, 4, other), 0);
    assert_int_equal(f->ops->stream_synchronize(f->device, other), 0);
    return peek(f->array + 4);
}

static void an_event_holds_up_another_stream(void **state)
{
    Fixture *f = *state;
    DeviceStream *one = new_stream(f, true), *other = new_stream(f, true);
    assert_int_equal(copied_across(f, one, other, new_event(f)), 7);
    begin(f);
    assert_int_equal(copied_across(f, one, other, new_event(f)), 7);
    end(f);
}

static void the_default_stream_and_blocking_streams_wait_for_each_other(void **state)
{
    Fixture *f = *state;
    DeviceStream *blocking = new_stream(f, false);
    assert_int_equal(copied_across(f, blocking, NULL, NULL), 7);
    assert_int_equal(copied_across(f, NULL, blocking, NULL), 7);
    begin(f);
    assert_int_equal(copied_across(f, blocking, NULL, NULL), 7);
    assert_int_equal(copied_across(f, NULL, blocking, NULL), 7);
    end(f);
}

static void the_default_stream_waits_for_no_non_blocking_stream(void **state)
{
    Fixture *f = *state;
    DeviceStream *free_running = new_stream(f, true);
    assert_int_equal(launch(f, "hang", NULL, 0, free_running), 0);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->ops->stream_synchronize(f->device, NULL), 0);
    assert_int_equal(peek(f->array), 7);
    assert_int_equal(f->ops->stream_query(f->device, free_running), CUDA_ERROR_NOT_READY);
    f->ops->set_time_limit(f->device, 0.01); /* closing waits for all streams */
}

static void a_destroyed_stream_still_counts_until_its_work_is_done(void **state)
{
    Fixture *f = *state;
    DeviceStream *stream = new_stream(f, true);
    begin(f);
    assert_int_equal(spin(f, 20000, stream), 0);
    assert_int_equal(store(f, f->array, 7, stream), 0);
    assert_int_equal(f->ops->stream_free(f->device, stream), 0);
    assert_true(end(f).event_s >= 0.02);
    assert_int_equal(peek(f->array), 7);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void events_tell_the_time_between_them(void **state)
{
    Fixture *f = *state;
    DeviceEvent *start = new_event(f), *stop = new_event(f);
    double seconds, start_s = now_s();
    assert_int_equal(f->ops->event_elapsed(f->device, start, stop, &seconds), CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(f->ops->event_query(f->device, start), 0);
    assert_int_equal(f->ops->event_record(f->device, start, NULL), 0);
    assert_int_equal(spin(f, 30000, NULL), 0);
    assert_int_equal(f->ops->event_record(f->device, stop, NULL), 0);
    assert_int_equal(f->ops->event_query(f->device, stop), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->ops->event_elapsed(f->device, start, stop, &seconds), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->ops->event_synchronize(f->device, stop), 0);
    assert_int_equal(f->ops->event_elapsed(f->device, start, stop, &seconds), 0);
    assert_true(seconds >= 0.0299 && seconds <= now_s() - start_s);
}

/* The events lie within what the host's clock sees. */
static void assert_bracket(DeviceBracket taken, double least_s)
{
    double slack_s = 1e-6;
    if (!(taken.event_s >= least_s - slack_s && taken.host_s >= taken.event_s - slack_s))
        fail_test("events %g s, host %g s, expected at least %g s", taken.event_s, taken.host_s, least_s);
}

static void both_clocks_see_the_work_of_a_bracket(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, false)};
    double start_s = now_s();
    begin(f);
    assert_int_equal(spin(f, 20000, NULL), 0);
    DeviceBracket one = end(f);
    assert_bracket(one, 0.02);
    assert_true(one.host_s <= now_s() - start_s);
    for (int longer = 0; longer < 2; longer++) {
        begin(f);
        assert_int_equal(spin(f, 30000, streams[longer]), 0);
        assert_int_equal(spin(f, 10000, streams[1 - longer]), 0);
        assert_bracket(end(f), 0.03);
    }
    begin(f);
    assert_int_equal(spin(f, 10000, streams[0]), 0);
    assert_int_equal(f->ops->stream_synchronize(f->device, streams[0]), 0);
    assert_int_equal(spin(f, 10000, streams[1]), 0);
    assert_bracket(end(f), 0.02);
}

static void what_the_host_does_before_the_gate_opens_takes_no_time(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    double start_s = now_s();
    usleep(300000);
    double idle_s = now_s() - start_s;
    DeviceBracket taken = end(f);
    assert_bracket(taken, 0);
    assert_true(taken.event_s < idle_s && taken.host_s < idle_s);
}

static void a_bracket_with_nothing_in_it_takes_no_time(void **state)
{
    Fixture *f = *state;
    begin(f);
    DeviceBracket taken = end(f);
    assert_true(taken.event_s == 0 && taken.host_s == 0 && !taken.pending);
}

static void work_under_way_at_the_end_of_a_bracket_is_noticed(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(spin(f, 20000, NULL), 0);
    assert_true(end(f).pending);
    begin(f);
    assert_int_equal(spin(f, 1000, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
    assert_false(end(f).pending);
    begin(f);
    assert_int_equal(spin(f, 1000, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
    assert_int_equal(spin(f, 20000, NULL), 0);
    assert_true(end(f).pending);
}

static void the_gap_between_the_clocks_is_known(void **state)
{
    Fixture *f = *state;
    double gap_s = f->device->info.clock_gap_s;
    assert_true(gap_s >= 0 && gap_s < PATIENCE_S);
    assert_false(f->device->info.modelled);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

static void an_endless_kernel_runs_into_the_time_limit(void **state)
{
    Fixture *f = *state;
    double limit_s = 0.2;
    f->ops->set_time_limit(f->device, limit_s);
    begin(f);
    f->ops->reset_statistics(f->device);
    assert_int_equal(launch(f, "hang", NULL, 0, NULL), 0);
    double start_s = now_s();
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_true(now_s() - start_s >= limit_s);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
    DeviceBracket taken;
    assert_int_equal(f->ops->bracket_end(f->device, &taken), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_int_equal(store(f, f->array, 7, NULL), CUDA_ERROR_LAUNCH_TIMEOUT);
}

/* Here nothing waits before. */
static void an_endless_kernel_ends_a_bracket(void **state)
{
    Fixture *f = *state;
    DeviceBracket taken;
    f->ops->set_time_limit(f->device, 0.2);
    begin(f);
    assert_int_equal(launch(f, "hang", NULL, 0, new_stream(f, true)), 0);
    assert_int_equal(f->ops->bracket_end(f->device, &taken), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
}

/* A copy to memory that is not pinned, or a call of the driver that waits, would not come back: there the session's own
 * limit ends the broker. */
static void an_endless_kernel_ends_a_copy_to_pinned_memory(void **state)
{
    Fixture *f = *state;
    static char bytes[4096];
    f->ops->pin(f->device, bytes, sizeof bytes);
    f->ops->set_time_limit(f->device, 0.2);
    begin(f);
    assert_int_equal(launch(f, "hang", NULL, 0, NULL), 0);
    assert_int_equal(f->ops->read(f->device, bytes, f->array, sizeof bytes, NULL), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
}

static void one_time_limit_is_for_all_waiting_of_a_call(void **state)
{
    Fixture *f = *state;
    f->ops->set_time_limit(f->device, 1.0);
    for (int call = 0; call < 2; call++) {
        f->ops->reset_statistics(f->device);
        assert_int_equal(spin(f, 600000, NULL), 0);
        assert_int_equal(f->ops->synchronize(f->device), 0);
    }
    assert_int_equal(spin(f, 600000, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void a_fault_is_met_by_everything_after_it_and_names_its_kernel(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    uint32_t word;
    DeviceStream *stream;
    DeviceBracket taken;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
    begin(f);
    assert_int_equal(launch(f, "fault", NULL, 0, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->alloc(f->device, 4, &address), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->release(f->device, f->array), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->write(f->device, f->array, &word, 4, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->read(f->device, &word, f->array, 4, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->stream_new(f->device, false, &stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->stream_query(f->device, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->bracket_end(f->device, &taken), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->ops->bracket_begin(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    DeviceFault fault;
    f->ops->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_FAULT);
    assert_ptr_equal(strstr(fault.text, "fault: an illegal memory access"), fault.text);
}

static void where_several_kernels_may_have_faulted_all_are_named(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(launch(f, "fault", NULL, 0, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "one of the kernels store, fault");
}

static void a_store_to_where_there_is_no_memory_is_a_fault(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, DEVICE_BASE + DEVICE_SPAN - 4, 7, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "store");
}

static void a_refused_launch_leaves_the_device_usable(void **state)
{
    Fixture *f = *state;
    uint32_t value = 7;
    DeviceLaunch launch = {.function = f->ops->function(f->module, "hang"), .grid = {1, 0, 1}, .block = {32, 1, 1}};
    DeviceStatistics statistics;
    begin(f);
    assert_int_equal(f->ops->launch(f->device, &launch), CUDA_ERROR_INVALID_VALUE);
    launch = (DeviceLaunch){.function = f->ops->function(f->module, "store"), .grid = {1, 1, 1}, .block = {32, 1, 1},
                            .parameters = &value, .parameter_bytes = sizeof value};
    assert_int_equal(f->ops->launch(f->device, &launch), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    end(f);
    assert_int_equal(peek(f->array), 7);
    assert_fault(f, DEVICE_NO_FAULT, "");
    f->ops->statistics(f->device, &statistics);
    assert_int_equal(statistics.kernels, 1);
    assert_false(statistics.has_counters);
}

static void an_image_that_the_driver_refuses_says_why(void **state)
{
    Fixture *f = *state;
    DeviceModule *module;
    Message why;
    static const struct {
        const char *image, *part;
    } cases[] = {
        {"\177ELF", "device kernel image is invalid"},
        {"kernel store 12\nerror 209\n", "no kernel image is available for execution on the device"},
        {"error 218\n", "a PTX JIT compilation failed"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Status status = f->ops->module_load(f->device, cases[i].image, strlen(cases[i].image), &module, &why);
        if (status != STATUS_UNSUPPORTED || strstr(why.text, cases[i].part) == NULL)
            fail_test("'%s': status %d, %s", cases[i].image, status, why.text);
    }
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->ops->synchronize(f->device), 0);
}

static void what_no_kernel_can_have_written_is_known(void **state)
{
    Fixture *f = *state;
    static char bytes[ARRAY_BYTES];
    f->ops->reset_statistics(f->device);
    assert_int_equal(f->ops->kernel_wrote(f->device, f->array), 0);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->ops->kernel_wrote(f->device, f->array), -1);
    assert_int_equal(f->ops->write(f->device, f->array, bytes, sizeof bytes - 1, NULL), 0);
    assert_int_equal(f->ops->kernel_wrote(f->device, f->array), -1);
    assert_int_equal(f->ops->write(f->device, f->array, bytes, 1, NULL), 0);
    assert_int_equal(f->ops->kernel_wrote(f->device, f->array), 0);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void assert_names(const char *name, Status expected, const char *part)
{
    DeviceInfo info = {.handle = ""};
    Message why = {""};
    Status status = device_describe(name, &info, &why);
    if (status != expected || strstr(status == STATUS_OK ? info.handle : why.text, part) == NULL)
        fail_test("'%s': status %d, '%s', %s; expected status %d, '%s'", name, status, info.handle, why.text, expected,
                  part);
}

static void a_gpu_is_preferred_and_described_without_opening_it(void **state)
{
    DeviceInfo info;
    Message why;
    assert_names("auto", STATUS_OK, "cuda:0");
    assert_names("cuda", STATUS_OK, "cuda:0");
    assert_names("cuda:0", STATUS_OK, "cuda:0");
    assert_names("cuda:7", STATUS_NOT_FOUND, "no GPU number 7");
    assert_names("cuda:7", STATUS_NOT_FOUND, "DEVICE=sim");
    assert_names("cuda:", STATUS_BAD_INPUT, "expected auto, cuda");
    assert_names("cuda:zero", STATUS_BAD_INPUT, "expected cuda or cuda:N");
    assert_names("cuda:-1", STATUS_BAD_INPUT, "expected cuda or cuda:N");
    assert_int_equal(device_describe("cuda", &info, &why), STATUS_OK);
    assert_string_equal(info.name, "Fake GPU");
    assert_string_equal(info.id, "fake-gpu");
    assert_string_equal(info.uuid, "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    assert_int_equal(info.compute_major, 9);
    assert_int_equal(info.multiprocessors, 132);
    assert_int_equal(lines_with(*state, "cuDevicePrimaryCtxRetain"), 0);
}

static void of_several_gpus_each_has_its_number_and_its_uuid(void **state)
{
    DeviceInfo first, second;
    Message why;
    setenv("CONVJUDGE_FAKE_CUDA_DEVICES", "2", 1);
    assert_names("auto", STATUS_OK, "cuda:0");
    assert_names("cuda:1", STATUS_OK, "cuda:1");
    assert_names("cuda:2", STATUS_NOT_FOUND, "no GPU number 2: the driver finds 2, counted from 0");
    assert_int_equal(device_describe("cuda:0", &first, &why), STATUS_OK);
    assert_int_equal(device_describe("cuda:1", &second, &why), STATUS_OK);
    assert_string_equal(first.id, second.id);
    assert_string_not_equal(first.uuid, second.uuid);
}

/* The lock is of the one GPU, whatever its number among those that this process sees. */
static void two_gpus_can_be_locked_at_once(void **state)
{
    DeviceInfo info;
    Message why;
    int locks[2], again;
    char folder[] = "/tmp/convjudge-test-XXXXXX";
    setenv("CONVJUDGE_FAKE_CUDA_DEVICES", "2", 1);
    setenv("CONVJUDGE_LOCKS", mkdtemp(folder), 1);
    for (int i = 0; i < 2; i++) {
        char name[16], path[100];
        snprintf(name, sizeof name, "cuda:%d", i);
        assert_int_equal(device_describe(name, &info, &why), STATUS_OK);
        assert_int_equal(device_lock_try(info.uuid, &locks[i], &why), STATUS_OK);
        assert_true(locks[i] >= 0);
        assert_int_equal(device_lock_try(info.uuid, &again, &why), STATUS_OK);
        assert_int_equal(again, -1);
        snprintf(path, sizeof path, "%s/convjudge-%s.lock", folder, info.uuid);
        assert_int_equal(unlink(path), 0);
    }
    close(locks[0]);
    close(locks[1]);
    assert_int_equal(rmdir(folder), 0);
}

static void without_a_gpu_auto_is_the_simulated_one(void **state)
{
    setenv("CONVJUDGE_FAKE_CUDA_DEVICES", "0", 1);
    assert_names("auto", STATUS_OK, "sim:h200");
    assert_names("cuda", STATUS_NOT_FOUND, "finds no GPU");
    assert_names("cuda", STATUS_NOT_FOUND, "DEVICE=sim");
}

static void without_a_driver_auto_is_the_simulated_one(void **state)
{
    use_driver("no-such-library.so.1");
    assert_names("auto", STATUS_OK, "sim:h200");
    assert_names("cuda", STATUS_NOT_FOUND, "no NVIDIA driver here");
    assert_names("cuda:1", STATUS_NOT_FOUND, "DEVICE=sim");
}

static void a_driver_that_lacks_calls_is_too_old(void **state)
{
    use_driver("libolder_cuda.so.1");
    assert_names("cuda", STATUS_UNSUPPORTED, "is a driver of CUDA 11.8, the judge needs one of CUDA 12.4 or later");
    setenv("CONVJUDGE_CUDA_DRIVER", "libm.so.6", 1);
    assert_names("cuda", STATUS_UNSUPPORTED, "libm.so.6 has no cuInit: it is no driver of CUDA 12.4 or later");
}

static void auto_does_not_pass_over_an_old_driver_in_silence(void **state)
{
    DeviceInfo info;
    Message why;
    use_driver("libolder_cuda.so.1");
    assert_names("auto", STATUS_OK, "sim:h200");
    assert_int_equal(device_describe("auto", &info, &why), STATUS_OK);
    assert_non_null(strstr(info.passed_over, "is a driver of CUDA 11.8, the judge needs one of CUDA 12.4 or later"));
    use_driver("no-such-library.so.1");
    assert_int_equal(device_describe("auto", &info, &why), STATUS_OK);
    assert_string_equal(info.passed_over, "");
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Runs one test in a process of its own; false where it failed or ended otherwise. */
static bool run(const struct CMUnitTest *test)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const struct CMUnitTest tests[] = {*test};
        alarm(TEST_S);
        exit(cmocka_run_group_tests(tests, NULL, NULL));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (WIFSIGNALED(status))
        printf("not ok - %s: ended by signal %d\n", test->name, WTERMSIG(status));
    return status == 0;
}

#define ON_A_DEVICE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define BY_NAME(test) cmocka_unit_test_setup_teardown(test, set_up_names, tear_down_names)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_DEVICE(bytes_come_back_through_every_pair_of_copies),
        ON_A_DEVICE(a_source_may_change_as_soon_as_it_is_written),
        ON_A_DEVICE(copies_outside_an_allocation_are_refused),
        ON_A_DEVICE(the_memory_limit_holds),
        ON_A_DEVICE(more_memory_than_the_device_has_is_refused_and_that_is_all),
        ON_A_DEVICE(symbols_are_plain_addresses),
        ON_A_DEVICE(a_store_one_byte_past_an_allocation_is_found),
        ON_A_DEVICE(a_store_before_an_allocation_is_found),
        ON_A_DEVICE(a_store_out_of_bounds_is_found_when_the_memory_is_released),
        ON_A_DEVICE(stores_up_to_the_last_byte_are_fine),
        ON_A_DEVICE(nothing_runs_before_the_host_waits_and_everything_does_then),
        ON_A_DEVICE(outside_a_bracket_nothing_is_held),
        ON_A_DEVICE(a_small_allocation_keeps_the_gate_closed),
        ON_A_DEVICE(each_call_that_may_wait_opens_the_gate),
        ON_A_DEVICE(the_gate_opens_at_four_hundred_operations),
        ON_A_DEVICE(five_thousand_launches_among_everything_else_end),
        ON_A_DEVICE(an_event_holds_up_another_stream),
        ON_A_DEVICE(the_default_stream_and_blocking_streams_wait_for_each_other),
        ON_A_DEVICE(the_default_stream_waits_for_no_non_blocking_stream),
        ON_A_DEVICE(a_destroyed_stream_still_counts_until_its_work_is_done),
        ON_A_DEVICE(events_tell_the_time_between_them),
        ON_A_DEVICE(both_clocks_see_the_work_of_a_bracket),
        ON_A_DEVICE(what_the_host_does_before_the_gate_opens_takes_no_time),
        ON_A_DEVICE(a_bracket_with_nothing_in_it_takes_no_time),
        ON_A_DEVICE(work_under_way_at_the_end_of_a_bracket_is_noticed),
        ON_A_DEVICE(the_gap_between_the_clocks_is_known),
        ON_A_DEVICE(an_endless_kernel_runs_into_the_time_limit),
        ON_A_DEVICE(an_endless_kernel_ends_a_bracket),
        ON_A_DEVICE(an_endless_kernel_ends_a_copy_to_pinned_memory),
        ON_A_DEVICE(one_time_limit_is_for_all_waiting_of_a_call),
        ON_A_DEVICE(a_fault_is_met_by_everything_after_it_and_names_its_kernel),
        ON_A_DEVICE(where_several_kernels_may_have_faulted_all_are_named),
        ON_A_DEVICE(a_store_to_where_there_is_no_memory_is_a_fault),
        ON_A_DEVICE(a_refused_launch_leaves_the_device_usable),
        ON_A_DEVICE(an_image_that_the_driver_refuses_says_why),
        ON_A_DEVICE(what_no_kernel_can_have_written_is_known),
        BY_NAME(a_gpu_is_preferred_and_described_without_opening_it),
        BY_NAME(of_several_gpus_each_has_its_number_and_its_uuid),
        BY_NAME(two_gpus_can_be_locked_at_once),
        BY_NAME(without_a_gpu_auto_is_the_simulated_one),
        BY_NAME(without_a_driver_auto_is_the_simulated_one),
        BY_NAME(a_driver_that_lacks_calls_is_too_old),
        BY_NAME(auto_does_not_pass_over_an_old_driver_in_silence),
    };
    bool passed = true;
    for (size_t i = 0; i < COUNT_OF(tests); i++)
        passed &= run(&tests[i]);
    return passed ? 0 : 1;
}
