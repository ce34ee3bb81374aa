/* Runs what fuzzers have found once more (tests/fuzz/found), so that it fails the sanitizers' build until it is repaired, on
 * machines without a fuzzer as well. */
#include "tests/fuzz/run_kernels.h"

#include <dirent.h>

static void run_file(const Machine *on, const char *path)
{
    FILE *file = fopen(path, "rb");
    static char image[1 << 20];
    if (file == NULL)
        fail_test("%s cannot be read", path);
    size_t bytes = fread(image, 1, sizeof image - 1, file);
    fclose(file);
    image[bytes] = '\0';
    char *copy = malloc(bytes + 1); /* of just its size, so that a read beyond it is found */
    memcpy(copy, image, bytes + 1);
    run_kernels(on, copy, bytes, MOST_KERNELS, 0);
    run_kernels(on, copy, bytes, MOST_KERNELS, SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED);
    free(copy);
}

static void run_folder(const char *folder)
{
    Machine on = machine(machine_new(0, 1));
    DIR *files = opendir(folder);
    int count = 0;
    if (files == NULL)
        fail_test("%s cannot be read; run the test from the top of the checkout", folder);
    for (const struct dirent *entry = readdir(files); entry != NULL; entry = readdir(files)) {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_file(&on, path);
        count++;
    }
    closedir(files);
    simgpu_free(on.gpu);
    assert_true(count > 0);
}

static void kernels_that_were_found_run_or_are_refused(void **state)
{
    run_folder("tests/fuzz/found/execute");
}

static void machine_code_that_was_found_runs_or_is_refused(void **state)
{
    run_folder("tests/fuzz/found/machine_code");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_were_found_run_or_are_refused),
        cmocka_unit_test(machine_code_that_was_found_runs_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
