/* toolkit.c: compiling and caching the judge's own kernels. */
#include "base/tests/unit.h"

#include "harness/compile/tests/with_nvcc.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], source[128], include[128];

static void write_file(const char *path, const char *content)
{
    Text text = {0};
    Message why;
    text_add(&text, content);
    if (text_write_file(path, &text, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_free(&text);
}

static Status build_code(const DeviceCodeJob *job, Text *image, Message *why)
{
    *image = (Text){0};
    return device_code_build(job, image, why);
}

/* Runs the kernel `answer` and returns what it writes. */
static int run_answer(const Text *image)
{
    Device *device;
    DeviceModule *module;
    Message why;
    uint64_t address;
    int answer = 0;
    if (device_open("sim", &device, &why) != STATUS_OK ||
        device->modules->load(device, image->data, image->length, &module, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(device->memory->alloc(device, sizeof answer, &address), 0);
    const DeviceLaunch launch = {.function = device->modules->function(module, "answer"),
                                 .shape.grid = {1, 1, 1},
                                 .shape.block = {1, 1, 1},
                                 .parameters = &address,
                                 .parameter_bytes = sizeof address};
    assert_non_null(launch.function);
    assert_int_equal(device->kernels->launch(device, &launch), 0);
    assert_int_equal(device->copies->read(device, &answer, address, sizeof answer, NULL), 0);
    device->modules->unload(device, module);
    device->close(device);
    return answer;
}

static void a_kernel_is_compiled_with_its_options_and_what_was_generated(void **state)
{
    const char *const options[] = {"-DFACTOR=7", NULL}, *const inputs[] = {include, NULL};
    const DeviceCodeJob job = {
        .source = source, .inputs = inputs, .options = options, .compute = 90, .include = "#define ADDEND 2\n"};
    Text image;
    Message why;
    if (build_code(&job, &image, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(run_answer(&image), 7 * 5 + 2);
    text_free(&image);
}

/* Counts the entries of the cache; `path` becomes that of one of them. */
static int kept(char *path, size_t size)
{
    int count = 0;
    DIR *entries = opendir(getenv("CONVJUDGE_CACHE"));
    if (entries == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", getenv("CONVJUDGE_CACHE"), entry->d_name);
            count++;
        }
    closedir(entries);
    return count;
}

static void compiled_code_is_kept_and_a_damaged_entry_is_replaced(void **state)
{
    const DeviceCodeJob job = {.source = source, .compute = 90, .include = "#define ADDEND 3\n#define FACTOR 1\n"};
    char cache[80], path[512];
    struct stat before, after;
    Text first, second;
    Message why;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("CONVJUDGE_CACHE", cache, 1);
    assert_int_equal(build_code(&job, &first, &why), STATUS_OK);
    assert_int_equal(kept(path, sizeof path), 1);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(build_code(&job, &second, &why), STATUS_OK);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    text_free(&second);

    assert_int_equal(truncate(path, before.st_size / 2), 0);
    assert_int_equal(build_code(&job, &second, &why), STATUS_OK);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    text_free(&first);
    text_free(&second);
    unsetenv("CONVJUDGE_CACHE");
}

static void a_changed_input_is_compiled_again(void **state)
{
    const char *const inputs[] = {include, NULL};
    const DeviceCodeJob job = {
        .source = source, .inputs = inputs, .compute = 90, .include = "#define ADDEND 0\n#define FACTOR 1\n"};
    Text image;
    Message why;
    assert_int_equal(build_code(&job, &image, &why), STATUS_OK);
    assert_int_equal(run_answer(&image), 5);
    text_free(&image);
    write_file(include, "#define BASE 6\n");
    assert_int_equal(build_code(&job, &image, &why), STATUS_OK);
    assert_int_equal(run_answer(&image), 6);
    text_free(&image);
    write_file(include, "#define BASE 5\n");
}

static void a_source_that_does_not_compile_is_named_with_its_first_error(void **state)
{
    const DeviceCodeJob job = {
        .source = source, .compute = 90, .include = "#define ADDEND nonsense\n#define FACTOR 1\n"};
    Text image;
    Message why;
    assert_int_equal(build_code(&job, &image, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "kernels.cu does not compile: "));
    assert_non_null(strstr(why.text, "\"nonsense\" is undefined"));
    text_free(&image);
}

static void more_options_than_there_is_room_for_are_refused(void **state)
{
    const char *options[200] = {0};
    const DeviceCodeJob job = {.source = source, .options = options, .compute = 90, .include = "#define ADDEND 1\n"};
    Text image;
    Message why;
    for (size_t i = 0; i + 1 < COUNT_OF(options); i++)
        options[i] = "-DFACTOR=1";
    assert_int_equal(build_code(&job, &image, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "kernels.cu: too many options for the compiler"));
    text_free(&image);
}

static int set_up(void **state)
{
    strcpy(folder, "/tmp/test_device_code.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(source, sizeof source, "%s/kernels.cu", folder);
    snprintf(include, sizeof include, "%s/base.h", folder);
    write_file(include, "#define BASE 5\n");
    write_file(source, "#include \"base.h\"\n"
                       "#include \"generated.h\"\n"
                       "extern \"C\" __global__ void answer(int *out) { *out = BASE * FACTOR + ADDEND; }\n");
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    return remove(path);
}

static int tear_down(void **state)
{
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    if (!has_nvcc())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_compiled_with_its_options_and_what_was_generated),
        cmocka_unit_test(compiled_code_is_kept_and_a_damaged_entry_is_replaced),
        cmocka_unit_test(a_changed_input_is_compiled_again),
        cmocka_unit_test(a_source_that_does_not_compile_is_named_with_its_first_error),
        cmocka_unit_test(more_options_than_there_is_room_for_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
