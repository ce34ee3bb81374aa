/* The device that a name means: auto, cuda, cuda:N, sim; on machines with GPUs, without one, and with an old
 * driver.  */
#include "harness/device/device_open.h"
#include "harness/tests/cuda_fixture.h"

#include "harness/device/device_monitor.h"

#include <unistd.h>

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
    assert_names("cuda:zero", STATUS_BAD_INPUT, "expected cuda or cuda:N, with the number N of a GPU");
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
    assert_names("cuda:2", STATUS_NOT_FOUND, "no GPU number 2: the driver finds 2, numbered from 0");
    assert_int_equal(device_describe("cuda:0", &first, &why), STATUS_OK);
    assert_int_equal(device_describe("cuda:1", &second, &why), STATUS_OK);
    assert_string_equal(first.id, second.id);
    assert_string_not_equal(first.uuid, second.uuid);
}

/* The lock belongs to one GPU, whatever its number in this process. */
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
    assert_names("cuda", STATUS_UNSUPPORTED, "is a driver for CUDA 11.8; the judge needs one for CUDA 12.4 or later");
    setenv("CONVJUDGE_CUDA_DRIVER", "libm.so.6", 1);
    assert_names("cuda", STATUS_UNSUPPORTED, "libm.so.6 has no cuInit: it is not a driver for CUDA 12.4 or later");
}

static void auto_does_not_pass_over_a_gpu_in_silence(void **state)
{
    DeviceInfo info;
    Message why;
    use_driver("libolder_cuda.so.1");
    assert_names("auto", STATUS_OK, "sim:h200");
    assert_int_equal(device_describe("auto", &info, &why), STATUS_OK);
    assert_non_null(strstr(info.passed_over, "is a driver for CUDA 11.8; the judge needs one for CUDA 12.4 or later"));
    use_driver("no-such-library.so.1");
    assert_int_equal(device_describe("auto", &info, &why), STATUS_OK);
    assert_string_equal(info.passed_over, "there is no NVIDIA GPU here");
    assert_int_equal(device_describe("sim", &info, &why), STATUS_OK);
    assert_string_equal(info.passed_over, "");
}

static void the_driver_of_a_process_for_one_gpu_sees_no_other(void **state)
{
    DeviceInfo info;
    Message why;
    if (access("/proc/driver/nvidia/gpus", F_OK) == 0)
        skip(); /* a process is confined to the files of a real GPU, which a fake one has not */
    setenv("CONVJUDGE_FAKE_CUDA_DEVICES", "3", 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0,1", 1);
    device_use_only("sim");
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,0,1");
    device_use_only("cuda:3"); /* there is none */
    assert_names("cuda:3", STATUS_NOT_FOUND, "no GPU number 3: the driver finds 3, numbered from 0");
    device_use_only("cuda:2");
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "1");
    assert_names("cuda:2", STATUS_OK, "cuda:2");
    assert_int_equal(device_describe("cuda:2", &info, &why), STATUS_OK);
    assert_string_equal(info.uuid, "GPU-f1f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BY_NAME(a_gpu_is_preferred_and_described_without_opening_it),
        BY_NAME(of_several_gpus_each_has_its_number_and_its_uuid),
        BY_NAME(two_gpus_can_be_locked_at_once),
        BY_NAME(without_a_gpu_auto_is_the_simulated_one),
        BY_NAME(without_a_driver_auto_is_the_simulated_one),
        BY_NAME(a_driver_that_lacks_calls_is_too_old),
        BY_NAME(auto_does_not_pass_over_a_gpu_in_silence),
        BY_NAME(the_driver_of_a_process_for_one_gpu_sees_no_other),
    };
    return run_each(tests, COUNT_OF(tests));
}
