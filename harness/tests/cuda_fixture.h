/* cuda_fixture.h - the fake GPU (tests/fake/cuda.h), new for every test, with one module and one allocation; and
 * helpers of its tests. A process can open a GPU only once, and may lose it to a fault, so each test runs in a process
 * of its own.  */
#ifndef HARNESS_TESTS_CUDA_FIXTURE_H
#define HARNESS_TESTS_CUDA_FIXTURE_H

#include "base/tests/unit.h"

#include "base/clock.h"
#include "base/text.h"
#include "harness/device/device_open.h"
#include "harness/tests/fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* tests/fake/cuda.h says what the kernels do. */
static const char MODULE[] =
    "kernel store 12\nkernel spin 4\nkernel hide 4\nkernel hang 0\nkernel fault 0\nkernel print 0\nvariable numbers 16\n";

enum {
    ARRAY_BYTES = 1 << 20,
    UNMAPPED_BYTES = 256 << 20, /* an allocation for which the device has to map memory */
    WAIT_S = 20,                /* a wait that takes this long has failed */
    TEST_S = 100,               /* a test that takes this long is stuck */
    LONG_US = 300000,           /* longer than a pause of a busy machine: such a kernel still runs at the next query */
    GLIMPSE_US = 5000           /* how long a test looks before it believes that work is held */
};

typedef struct Fixture {
    Device *device;
    DeviceModule *module;
    uint64_t array;         /* of ARRAY_BYTES */
    DeviceEvent *events[4]; /* that new_event() made */
    size_t event_count;
    char log[64];
} Fixture;

static inline int set_up_names(void **state)
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

static inline int tear_down_names(void **state)
{
    Fixture *f = *state;
    return unlink(f->log);
}

static inline int set_up(void **state)
{
    Message why;
    set_up_names(state);
    Fixture *f = *state;
    if (device_open("cuda", &f->device, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    if (f->device->hardware->calibrate(f->device) != CUDA_ERROR_SUCCESS)
        return -1;
    if (f->device->modules->load(f->device, MODULE, sizeof MODULE, &f->module, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    return f->device->memory->alloc(f->device, ARRAY_BYTES, &f->array);
}

static inline int tear_down(void **state)
{
    Fixture *f = *state;
    for (size_t i = 0; i < f->event_count; i++)
        assert_int_equal(f->device->events->destroy(f->device, f->events[i]), 0);
    f->device->close(f->device);
    return tear_down_names(state);
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static inline CudaError launch(Fixture *f, const char *kernel, const void *parameters, size_t bytes,
                               DeviceStream *stream)
{
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, kernel),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {32, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = bytes,
                           .stream = stream};
    assert_non_null(launch.function);
    return f->device->kernels->launch(f->device, &launch);
}

static inline CudaError store(Fixture *f, uint64_t to, uint32_t value, DeviceStream *stream)
{
    struct {
        uint64_t to;
        uint32_t value;
    } parameters = {to, value};
    return launch(f, "store", &parameters, 12, stream);
}

static inline CudaError spin(Fixture *f, uint32_t microseconds, DeviceStream *stream)
{
    return launch(f, "spin", &microseconds, sizeof microseconds, stream);
}

/* Looks the kernels up before a bracket begins, as the broker does. */
static inline void begin(Fixture *f)
{
    assert_non_null(f->device->modules->function(f->module, "store"));
    assert_non_null(f->device->modules->function(f->module, "spin"));
    assert_int_equal(f->device->timing->begin(f->device), 0);
}

static inline DeviceBracket end(Fixture *f)
{
    DeviceBracket taken;
    assert_int_equal(f->device->timing->end(f->device, &taken), 0);
    return taken;
}

static inline DeviceStream *new_stream(Fixture *f, bool non_blocking)
{
    DeviceStream *stream;
    assert_int_equal(f->device->streams->create(
                         f->device, non_blocking ? DEVICE_STREAM_NON_BLOCKING : DEVICE_STREAM_BLOCKING, &stream),
                     0);
    return stream;
}

static inline DeviceEvent *new_event(Fixture *f)
{
    DeviceEvent **event = &f->events[f->event_count++];
    assert_true(f->event_count <= COUNT_OF(f->events));
    assert_int_equal(f->device->events->create(f->device, true, event), 0);
    return *event;
}

/* The fake GPU's memory is this process's, at the same addresses. */
static inline uint32_t peek(uint64_t address)
{
    return __atomic_load_n((uint32_t *)address, __ATOMIC_ACQUIRE);
}

static inline bool becomes(uint64_t address, uint32_t value)
{
    for (double start_s = now_s(); peek(address) != value; usleep(100))
        if (now_s() - start_s > WAIT_S)
            return false;
    return true;
}

static inline void assert_fault(Fixture *f, DeviceFaultKind kind, const char *part)
{
    DeviceFault fault;
    f->device->report->fault(f->device, &fault);
    if (fault.kind != kind || strstr(fault.text, part) == NULL)
        fail_test("fault of kind %d: '%s', expected kind %d: '...%s...'", fault.kind, fault.text, kind, part);
}

/* The calls and work of the driver since `log` was last emptied; the caller frees the text. */
static inline Text driver_log(const Fixture *f)
{
    Text text = {0};
    Message why;
    assert_int_equal(text_read_file(f->log, 1 << 28, &text, &why), STATUS_OK);
    return text;
}

static inline void empty_log(const Fixture *f)
{
    assert_int_equal(truncate(f->log, 0), 0);
}

static inline size_t lines_with(const Fixture *f, const char *beginning)
{
    Text log = driver_log(f);
    size_t count = 0;
    for (const char *line = log.data; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        count += strncmp(line, beginning, strlen(beginning)) == 0;
    text_free(&log);
    return count;
}

/* Whether a line that begins with one text comes before all lines that begin with the other. */
static inline bool comes_first(const Fixture *f, const char *one, const char *other)
{
    Text log = driver_log(f);
    const char *first = strstr(log.data, one), *second = strstr(log.data, other);
    bool yes = first != NULL && second != NULL && first < second;
    text_free(&log);
    return yes;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Runs one test in a process of its own; false: it failed or ended otherwise. */
static inline bool run(const struct CMUnitTest *test)
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

static inline int run_each(const struct CMUnitTest *tests, size_t count)
{
    bool passed = true;
    for (size_t i = 0; i < count; i++)
        passed &= run(&tests[i]);
    return passed ? 0 : 1;
}

#endif
