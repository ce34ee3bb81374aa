#include "base/tests/unit.h"

#include "base/text.h"
#include "harness/device/ceilings.h"
#include "harness/device/device_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], file[128];

static int set_up(void **state)
{
    strcpy(folder, "/tmp/test_ceilings.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    strcat(folder, "/devices"); /* ceilings_write() creates it */
    snprintf(file, sizeof file, "%s/NVIDIA-Made-Up.json", folder);
    return setenv("CONVJUDGE_DEVICES", folder, 1);
}

static int tear_down(void **state)
{
    unlink(file);
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    return rmdir(folder);
}

static const Ceilings made_up = {
    .device = "NVIDIA-Made-Up",
    .name = "NVIDIA Made Up",
    .driver = "580.65",
    .time_utc = "2026-11-21T05:32:07Z",
    .read_bytes_per_s = 4.1e12 / 3,
    .copy_bytes_per_s = 4.29e12,
    .fma_flops_per_s = 6.1e13,
    .tf32_flops_per_s = 4.1e14,
    .clock_gap_us = 7.3,
    .launch_us = 6.1 / 3,
    .sm_clock_mhz = 1980,
};

static void write_made_up(void)
{
    Message why;
    if (ceilings_write(&made_up, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void written_ceilings_can_be_read(void **state)
{
    Ceilings ceilings;
    Message why;
    write_made_up();
    write_made_up();
    if (ceilings_read("NVIDIA-Made-Up", &ceilings, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_memory_equal(&ceilings, &made_up, sizeof made_up);
}

static void an_uncalibrated_device_is_not_found(void **state)
{
    Ceilings ceilings;
    Message why;
    assert_int_equal(ceilings_read("NVIDIA-Made-Up", &ceilings, &why), STATUS_NOT_FOUND);
    assert_non_null(
        strstr(why.text, "/NVIDIA-Made-Up.json: no such file; measure the device with: convjudge calibrate"));
}

/* A replacement for a part of a good file, and a part of the message that refuses it. */
static const struct {
    const char *from, *to, *message;
} rows[] = {
    {"\"schema\":\t1", "\"schema\":\t2", "schema"},
    {"\"device\":\t\"NVIDIA-Made-Up\"", "\"device\":\t\"NVIDIA-Other\"", "as the file is named"},
    {"\"sm_clock_mhz\"", "\"sm_clock_khz\"", "sm_clock_khz"},
    {"1980", "0", "sm_clock_mhz"},
    {"1980", "\"1980\"", "sm_clock_mhz"},
    {"4290000000000", "4.29", "copy_bytes_per_s"},
    {"4290000000000", "-4290000000000", "copy_bytes_per_s"},
    {"\"2026", "\"2026202620262026202620262026", "time_utc"},
};

static void replace(const char *from, const char *to)
{
    Text text = {0}, changed = {0};
    Message why;
    if (text_read_file(file, 10000, &text, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const char *at = strstr(text.data, from);
    if (at == NULL)
        fail_test("nothing to replace: %s", from);
    text_append(&changed, text.data, (size_t)(at - text.data));
    text_add(&changed, to);
    text_add(&changed, at + strlen(from));
    if (text_write_file(file, &changed, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_free(&text);
    text_free(&changed);
}

static void a_wrong_file_is_refused_by_name(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Ceilings ceilings;
        Message why = {0};
        write_made_up();
        replace(rows[i].from, rows[i].to);
        assert_int_equal(ceilings_read("NVIDIA-Made-Up", &ceilings, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, rows[i].message) == NULL || strstr(why.text, "NVIDIA-Made-Up.json") == NULL)
            fail_test("row %zu: %s", i, why.text);
    }
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void count_step(void *context)
{
    ++*(int *)context;
}

/* On the simulated GPU the figures would approach those of the profile if the work were large enough. Here it is small,
 * and the test only checks that the measurement runs. */
static void measuring_fills_in_every_figure(void **state)
{
    const CeilingsWork work = {.bytes = 1 << 16, .rounds = 1, .warm_ups = 1, .repetitions = 3};
    Device *device;
    Ceilings ceilings;
    Message why;
    int steps = 0;
    if (device_open("sim:rtx3060", &device, &why) != STATUS_OK) /* it has the fewest multiprocessors to simulate */
        fail_test("%s", why.text);
    uint64_t before = device->memory->allocated_bytes(device);
    Status status = ceilings_measure(device, &work, count_step, &steps, &ceilings, &why);
    uint64_t after = device->memory->allocated_bytes(device);
    device->close(device);
    if (status != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(steps, CEILINGS_STEPS);
    assert_int_equal(after, before);
    assert_string_equal(ceilings.device, "sim-rtx3060");
    assert_true(ceilings.read_bytes_per_s > 0);
    assert_true(ceilings.copy_bytes_per_s > 0);
    assert_true(ceilings.fma_flops_per_s > 0);
    assert_true(ceilings.tf32_flops_per_s > 0);
    assert_true(ceilings.sm_clock_mhz > 0);
    assert_int_equal(strlen(ceilings.time_utc), strlen("2026-11-21T05:32:07Z"));
}

static void too_little_memory_is_named(void **state)
{
    const CeilingsWork work = {.bytes = 1 << 20, .rounds = 1, .repetitions = 1};
    Device *device;
    Ceilings ceilings;
    Message why = {0};
    if (device_open("sim", &device, &why) != STATUS_OK)
        fail_test("%s", why.text);
    device->memory->set_limit(device, 1 << 20);
    Status status = ceilings_measure(device, &work, NULL, NULL, &ceilings, &why);
    uint64_t left = device->memory->allocated_bytes(device);
    device->close(device);
    assert_int_equal(status, STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "memory for the calibration"));
    assert_int_equal(left, 0);
}

static CudaError fail_to_time(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    return CUDA_ERROR_LAUNCH_FAILURE;
}

static CudaError take_no_time(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    *seconds = 0;
    return CUDA_ERROR_SUCCESS;
}

static CudaError fail_to_read(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void a_measurement_that_fails_is_named(void **state)
{
    const CeilingsWork work = {.bytes = 1 << 16, .rounds = 1, .repetitions = 1};
    Device *device;
    Ceilings ceilings;
    Message why = {0};
    if (device_open("sim:rtx3060", &device, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const DeviceEventOps *events = device->events;
    const DeviceCopyOps *copies = device->copies;
    DeviceEventOps failing = *events;
    DeviceCopyOps unreadable = *copies;
    device->events = &failing;
    failing.elapsed = fail_to_time;
    assert_int_equal(ceilings_measure(device, &work, NULL, NULL, &ceilings, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "a calibration kernel or copy failed: unspecified launch failure");
    failing.elapsed = take_no_time;
    assert_int_equal(ceilings_measure(device, &work, NULL, NULL, &ceilings, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "a calibration kernel took no time");
    device->events = events;
    device->copies = &unreadable;
    unreadable.read = fail_to_read;
    assert_int_equal(ceilings_measure(device, &work, NULL, NULL, &ceilings, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "reading the clocks: an illegal memory access was encountered");
    device->copies = copies;
    device->close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(written_ceilings_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_uncalibrated_device_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_file_is_refused_by_name, set_up, tear_down),
        cmocka_unit_test(measuring_fills_in_every_figure),
        cmocka_unit_test(too_little_memory_is_named),
        cmocka_unit_test(a_measurement_that_fails_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
