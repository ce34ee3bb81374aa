/* Device memory that two processes share, with the driver library that stands in for NVIDIA's (tests/fake/cuda.h). A
 * process can open a GPU only once, so the other side of each exchange is a child that starts before. */
#include "base/tests/unit.h"

#include "harness/broker/control.h"
#include "harness/device/device_open.h"
#include "harness/tests/fake_driver.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    COUNT = 1000,
    BYTES = COUNT * sizeof(uint32_t),
    OFFSET = 3 * BYTES,
    EXCHANGE_BYTES = 5 * BYTES + 12,
    TEST_S = 60
};

static Device *device;
static uint64_t memory; /* of BYTES */
static int other;       /* socket to the child */
static pid_t child;

static bool open_gpu(void)
{
    Message why;
    if (device_open("cuda", &device, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return false;
    }
    return device->memory->alloc(device, BYTES, &memory) == CUDA_ERROR_SUCCESS;
}

/* ---- the other process: joins, doubles what lies at OFFSET, says how that went ----------------------------------- */

static CudaError double_numbers(int descriptor)
{
    uint32_t numbers[COUNT];
    CudaError error = device->exchange->join(device, descriptor, EXCHANGE_BYTES);
    if (error == CUDA_ERROR_SUCCESS)
        error = device->exchange->take(device, memory, OFFSET, BYTES);
    if (error == CUDA_ERROR_SUCCESS)
        error = device->copies->read(device, numbers, memory, BYTES, NULL);
    for (int i = 0; i < COUNT; i++)
        numbers[i] *= 2;
    if (error == CUDA_ERROR_SUCCESS)
        error = device->copies->write(device, memory, numbers, BYTES, NULL);
    if (error == CUDA_ERROR_SUCCESS)
        error = device->exchange->put(device, OFFSET, memory, BYTES);
    return error == CUDA_ERROR_SUCCESS ? device->exchange->leave(device) : error;
}

static void serve(int socket)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    char request;
    if (!open_gpu())
        return;
    while (control_receive(socket, &request, sizeof request, NULL, 0, descriptors)) {
        CudaError error = double_numbers(descriptors[0]);
        close(descriptors[0]);
        control_send(socket, &error, sizeof error, NULL, 0, NULL, 0);
    }
    device->close(device);
}

static CudaError ask_child(int descriptor)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    CudaError error;
    assert_true(control_send(other, "?", 1, NULL, 0, &descriptor, 1));
    assert_true(control_receive(other, &error, sizeof error, NULL, 0, descriptors));
    return error;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void put_numbers(uint32_t first)
{
    uint32_t numbers[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = first + i;
    assert_int_equal(device->copies->write(device, memory, numbers, BYTES, NULL), CUDA_ERROR_SUCCESS);
    assert_int_equal(device->exchange->put(device, OFFSET, memory, BYTES), CUDA_ERROR_SUCCESS);
}

static void assert_numbers_doubled(uint32_t first)
{
    uint32_t numbers[COUNT];
    assert_int_equal(device->copies->fill(device, memory, 0, BYTES, NULL), CUDA_ERROR_SUCCESS);
    assert_int_equal(device->exchange->take(device, memory, OFFSET, BYTES), CUDA_ERROR_SUCCESS);
    assert_int_equal(device->copies->read(device, numbers, memory, BYTES, NULL), CUDA_ERROR_SUCCESS);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(numbers[i], 2 * (first + i));
}

static void one_process_takes_what_another_puts(void **state)
{
    int descriptor;
    for (uint32_t round = 0; round < 3; round++) { /* a new exchange replaces the last one */
        assert_int_equal(device->exchange->create(device, EXCHANGE_BYTES, &descriptor), CUDA_ERROR_SUCCESS);
        put_numbers(100 * round);
        assert_int_equal(ask_child(descriptor), CUDA_ERROR_SUCCESS);
        assert_numbers_doubled(100 * round);
        assert_int_equal(close(descriptor), 0);
    }
}

static void an_exchange_has_no_bytes_beyond_its_own(void **state)
{
    int descriptor;
    const uint64_t most = 1ull << 40; /* beyond any rounding */
    assert_int_equal(device->exchange->create(device, EXCHANGE_BYTES, &descriptor), CUDA_ERROR_SUCCESS);
    assert_int_equal(device->exchange->put(device, most, memory, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->exchange->take(device, memory, UINT64_MAX, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->exchange->put(device, 0, memory + BYTES, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->exchange->leave(device), CUDA_ERROR_SUCCESS);
    assert_int_equal(device->exchange->put(device, 0, memory, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device->exchange->leave(device), CUDA_ERROR_SUCCESS);
    close(descriptor);
}

static void only_device_memory_can_be_joined(void **state)
{
    int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(device->exchange->join(device, file, EXCHANGE_BYTES), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ask_child(file), CUDA_ERROR_INVALID_VALUE);
    close(file);
}

static int set_up(void **state)
{
    int ends[2];
    use_driver("libcuda.so.1");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        close(ends[0]);
        alarm(TEST_S);
        serve(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    other = ends[0];
    return child > 0 && open_gpu() ? 0 : -1;
}

static int tear_down(void **state)
{
    int status = -1;
    close(other);
    device->close(device);
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_takes_what_another_puts),
        cmocka_unit_test(an_exchange_has_no_bytes_beyond_its_own),
        cmocka_unit_test(only_device_memory_can_be_joined),
    };
    alarm(TEST_S);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
