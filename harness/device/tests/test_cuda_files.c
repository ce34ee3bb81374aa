/* The files of a GPU, on hosts that are folders. */
#include "harness/device/cuda_driver.h"

#include "base/tests/unit.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/cuda-files-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_gpu(const char *bus, const char *model, const char *uuid, int minor)
{
    char name[120], text[400];
    snprintf(name, sizeof name, "proc/driver/nvidia/gpus/%s/information", bus);
    snprintf(text, sizeof text,
             "Model: \t\t %s\nIRQ:   \t\t 129\nGPU UUID: \t %s\nBus Type: \t PCIe\nDevice Minor: \t %d\n", model, uuid,
             minor);
    write_file(name, text);
}

/* GPUs of one model, whose device files are numbered otherwise than their places on the bus. One is not this process's, the driver has
 * never started another, and the last is divided by MIG. */
static int make_host(void **state)
{
    if (mkdtemp(root) == NULL)
        return -1;
    write_gpu("0000:8b:00.0", "NVIDIA H200", "GPU-3c55", 0);
    write_gpu("0000:04:00.0", "NVIDIA H200", "GPU-1a2b", 2);
    write_gpu("0000:19:00.0", "NVIDIA H200", "GPU-1aff", 1);
    write_gpu("0000:05:00.0", "NVIDIA H200", "GPU-77aa", 3);
    write_gpu("0000:9a:00.0", "NVIDIA H200", "GPU-?", 4);
    write_file("dev/nvidia4", "");
    write_gpu("0000:9b:00.0", "NVIDIA H200", "GPU-d1d1", 5);
    write_file("proc/driver/nvidia/capabilities/gpu2/mig/config", "");
    write_file("proc/driver/nvidia/capabilities/gpu5/mig/gi1/access", "");
    write_file("dev/nvidia5", "");
    write_file("dev/nvidia0", "");
    write_file("dev/nvidia1", "");
    write_file("dev/nvidia2", "");
    write_file("dev/nvidiactl", "");
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return remove(path);
}

static int remove_host(void **state)
{
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void gpus_stand_in_the_order_of_the_bus_if_they_may_be_used(void **state)
{
    HostGpu gpus[8];
    assert_int_equal(cuda_host_gpus(root, gpus, 8), 5);
    assert_int_equal(gpus[0].minor, 2);
    assert_int_equal(gpus[1].minor, 1);
    assert_int_equal(gpus[2].minor, 0);
    assert_string_equal(gpus[1].uuid, "GPU-1aff");
    assert_string_equal(gpus[2].model, "NVIDIA H200");
    assert_string_equal(gpus[3].uuid, "");
    assert_string_equal(gpus[4].uuid, "");
    assert_int_equal(cuda_host_gpus(root, gpus, 2), 2);
    assert_int_equal(cuda_host_gpus("/nowhere", gpus, 8), 0);
}

static void an_entry_means_a_gpu_or_it_is_not_sure(void **state)
{
    static const HostGpu alike[] = {{"H200", "GPU-1a2b", 2}, {"H200", "GPU-1aff", 1}, {"H200", "GPU-3c55", 0}},
                         mixed[] = {{"T4", "GPU-1a2b", 0}, {"H200", "GPU-1aff", 1}};
    static const struct {
        const HostGpu *gpus;
        size_t count;
        const char *entry;
        bool by_bus;
        int gpu;
    } cases[] = {
        {alike, 3, "0", false, 0},       {alike, 3, "2", false, 2},        {alike, 3, "3", false, -1},
        {alike, 3, "GPU-3c", false, 2},  {alike, 3, "GPU-1a", false, -1},  {alike, 3, "GPU-1a2b", false, 0},
        {alike, 3, "GPU-ff", false, -1}, {alike, 3, "MIG-1", false, -1},   {alike, 3, "", false, -1},
        {alike, 3, "1x", false, -1},     {alike, 3, "-1", false, -1},      {mixed, 2, "1", false, -1},
        {mixed, 2, "1", true, 1},        {mixed, 2, "GPU-1aff", false, 1}, {mixed, 1, "0", false, 0},
        {alike, 0, "0", false, -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int gpu = cuda_host_gpu(cases[i].gpus, cases[i].count, cases[i].entry, cases[i].by_bus);
        if (gpu != cases[i].gpu)
            fail_test("row %zu: %d", i, gpu);
    }
}

static void files_are_those_of_one_gpu(void **state)
{
    DeviceFiles files;
    char expected[200];
    cuda_files(root, "GPU-1aff", &files);
    assert_int_equal(files.device_count, 0); /* the driver has yet to make dev/nvidia-uvm */
    write_file("dev/nvidia-uvm", "");
    cuda_files(root, "GPU-77aa", &files); /* not this process's */
    assert_int_equal(files.device_count, 0);
    cuda_files(root, "0", &files);
    assert_int_equal(files.device_count, 0);
    cuda_files(root, NULL, &files);
    assert_int_equal(files.device_count, 0);
    cuda_files(root, "GPU-1a2b", &files);
    assert_int_equal(files.device_count, 4);
    snprintf(expected, sizeof expected, "%s/dev/nvidia2", root);
    assert_string_equal(files.devices[2], expected);
    assert_true(files.folder_count >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_stand_in_the_order_of_the_bus_if_they_may_be_used),
        cmocka_unit_test(an_entry_means_a_gpu_or_it_is_not_sure),
        cmocka_unit_test(files_are_those_of_one_gpu),
    };
    return cmocka_run_group_tests(tests, make_host, remove_host);
}
