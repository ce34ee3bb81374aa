/* What is said of a driver that refuses to open its GPU. A process can open a GPU only once, so each try runs in a process of
 * its own. */
#include "base/tests/refusal.h"

#include "harness/device/device_open.h"
#include "harness/tests/fake_driver.h"

static Status open_gpu(Message *why)
{
    Device *device;
    return device_open("cuda", &device, why);
}

static void the_step_that_a_driver_refuses_is_named(void **state)
{
    static const struct {
        const char *call, *words;
    } rows[] = {
        {"cuDeviceGetUuid",
         "device 'cuda': GPU number 0 does not answer: operation not permitted; DEVICE=sim selects the simulated GPU"},
        {"cuDevicePrimaryCtxRetain", "Fake GPU does not open: creating a context: operation not permitted"},
        {"cuMemHostAlloc", "Fake GPU does not open: pinned host memory: operation not permitted"},
        {"cuMemAddressReserve", "Fake GPU does not open: the fixed range of device addresses: operation not permitted"},
        {"cuStreamCreate", "Fake GPU does not open: creating streams and events: operation not permitted"},
        {"cuMemCreate", "Fake GPU does not open: device memory for flushing the L2: operation not permitted"},
    };
    use_driver("libcuda.so.1");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("CONVJUDGE_FAKE_CUDA_REFUSES", rows[i].call, 1);
        assert_string_equal(said_by_child(open_gpu), rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_that_a_driver_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
