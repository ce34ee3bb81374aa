#include "base/compile_cache.h"
#include "simgpu/tests/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each launch of these tests runs on both engines, from the same memory. A difference is SIM_ENGINES_DIFFER. */

enum { THREADS = 128, BLOCKS = 4, ELEMENTS = THREADS * BLOCKS };

static SimGpu *comparing;

static int new_gpu(void **state)
{
    comparing = machine_new_translating(0, 2);
    simgpu_set_translator(comparing, "/usr/bin/gcc", machine_libraries, SIM_TRANSLATE_COMPARED);
    return 0;
}

static int free_gpu(void **state)
{
    simgpu_free(comparing);
    return machine_remove_libraries();
}

/* ---- kernels of data/sanitizer.cu -------------------------------------------------------------------------------- */

static SimReport sanitized_of(const char *file, const char *kernel, bool all_written, bool is_untimed)
{
    float numbers[ELEMENTS];
    SimModule *module;
    SimReport report;
    SimFunction *function = machine_read(comparing, file, kernel, &module);
    for (int i = 0; i < ELEMENTS; i++)
        numbers[i] = (float)i;
    const uint64_t arrays[] = {machine_array(comparing, numbers, sizeof numbers),
                               machine_array(comparing, NULL, sizeof numbers),
                               machine_array(comparing, NULL, sizeof numbers)};
    for (size_t i = 0; i < COUNT_OF(arrays) && all_written; i++)
        simgpu_mark_written(comparing, arrays[i], sizeof numbers);
    SimLaunch launch = {.function = function,
                        .shape.grid = {BLOCKS, 1, 1},
                        .shape.block = {THREADS, 1, 1},
                        .parameters = arrays,
                        .flags = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED,
                        .is_untimed = is_untimed};
    simgpu_launch(comparing, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", kernel, report.outcome, report.fault.text);
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        assert_true(simgpu_release(comparing, arrays[i]));
    simgpu_module_unload(comparing, module);
    return report;
}

static SimReport sanitized_by_both(const char *kernel, bool all_written, bool is_untimed)
{
    return sanitized_of("sanitizer.ptx", kernel, all_written, is_untimed);
}

static void both_find_the_same(void **state)
{
    static const char *const kernels[] = {
        "tile_without_barrier", "tile_loaded_too_early",        "lanes_exchange",      "histogram_read_too_early",
        "copy_without_barrier", "blocks_read_their_neighbours", "half_a_warp_shuffles"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (sanitized_by_both(kernels[i], true, false).finding_count == 0 ||
            sanitized_by_both(kernels[i], true, true).finding_count == 0)
            fail_test("%s: nothing was found", kernels[i]);
}

static void both_find_reads_of_uninitialised_memory(void **state)
{
    assert_true(sanitized_by_both("halo_tile", false, false).finding_count > 0);
}

static void both_find_uses_of_unset_variables(void **state)
{
    static const char *const kernels[] = {"sum_of_a_loop",      "sum_of_a_loop_that_is_unrolled",
                                          "sums_in_an_array",   "set_in_one_branch",
                                          "stored_into_a_tile", "greatest",
                                          "sum_in_double",      "sum_of_a_warp",
                                          "whole_number"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        assert_int_equal(sanitized_of("unset.ptx", kernels[i], true, i % 2).finding_count, 1);
}

static void both_find_no_use_of_what_is_set(void **state)
{
    static const char *const kernels[] = {"used_under_the_same_condition", "thrown_away", "set_in_the_first_turn",
                                          "asked_only_where_it_is_set", "set_by_each_case"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        assert_int_equal(sanitized_of("unset.ptx", kernels[i], true, i % 2).finding_count, 0);
}

static void both_find_nothing_in_correct_kernels(void **state)
{
    static const char *const kernels[] = {"halo_tile", "tree_with_syncwarp", "last_block_adds_up", "local_array"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        assert_int_equal(sanitized_by_both(kernels[i], true, false).finding_count, 0);
}

/* Lanes read what others of their warp have stored. That is no race, if the engine reports bar.warp.sync. */
static const char turns[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry turn(.param .u64 to)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.shared .align 4 .b8 row[128];\n"
    "ld.param.u64 %rd1, [to];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, row;\nshl.b32 %r3, %r1, 2;\n"
    "add.s32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\nbar.warp.sync -1;\n"
    "sub.s32 %r4, %r2, %r3;\nld.shared.u32 %r5, [%r4+124];\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\nret;\n}\n";

static void both_report_warp_barriers_to_the_sanitizer(void **state)
{
    enum { LANES = 32 };
    Message why = {0};
    SimModule *module = NULL;
    SimReport report;
    SimFunction *function = machine_load(comparing, turns, sizeof turns - 1, "turn", &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    uint64_t to = machine_array(comparing, NULL, LANES * sizeof(uint32_t));
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {LANES, 1, 1},
                        .parameters = &to,
                        .flags = SIM_SANITIZE_RACES};
    simgpu_launch(comparing, &launch, &report);
    if (report.outcome != SIM_OK || report.finding_count > 0)
        fail_test("outcome %d, %u findings: %s%s", report.outcome, report.finding_count, report.fault.text,
                  report.findings[0].where.text);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(((const uint32_t *)at(to))[i], LANES - 1 - i);
    assert_true(simgpu_release(comparing, to));
    simgpu_module_unload(comparing, module);
}

/* ---- a translation that is wrong --------------------------------------------------------------------------------- */

#define STORES(NAME, NUMBER)                                                                                           \
    ".visible .entry " NAME "(.param .u64 to)\n{\n"                                                                    \
    ".reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n"                                                                            \
    "ld.param.u64 %rd1, [to];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"          \
    "mov.u32 %r2, " NUMBER ";\nst.global.u32 [%rd3], %r2;\nret;\n}\n"

static const char stores[] = ".version 8.0\n.target sm_80\n.address_size 64\n" STORES("one", "1") STORES("two", "2");

static SimReport store(const char *kernel, uint32_t blocks)
{
    Message why = {0};
    SimModule *module = NULL;
    SimReport report;
    SimFunction *function = machine_load(comparing, stores, sizeof stores - 1, kernel, &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    uint64_t to = machine_array(comparing, NULL, THREADS * sizeof(uint32_t));
    simgpu_name(comparing, to, "to", sizeof(uint32_t));
    SimLaunch launch = {
        .function = function, .shape.grid = {blocks, 1, 1}, .shape.block = {THREADS, 1, 1}, .parameters = &to};
    simgpu_launch(comparing, &launch, &report);
    assert_true(simgpu_release(comparing, to));
    simgpu_module_unload(comparing, module);
    return report;
}

/* The key of the only library in the folder. */
static Digest find_library(const char *folder)
{
    Digest key = {0};
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strlen(entry->d_name) == sizeof key.hex - 1)
            memcpy(key.hex, entry->d_name, sizeof key.hex);
    closedir(entries);
    assert_true(key.hex[0] != '\0');
    return key;
}

static void remove_library(const char *folder, const Digest *key)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, key->hex);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_difference_is_named(void **state)
{
    char folders[2][64];
    Digest keys[2];
    Text library = {0};
    static const char *const kernels[] = {"one", "two"};
    for (int i = 0; i < 2; i++) {
        snprintf(folders[i], sizeof folders[i], "%s/%s", machine_libraries, kernels[i]);
        assert_int_equal(mkdir(folders[i], 0700), 0);
        simgpu_set_translator(comparing, "/usr/bin/gcc", folders[i], SIM_TRANSLATE_COMPARED);
        assert_int_equal(store(kernels[i], 1).outcome, SIM_OK);
        keys[i] = find_library(folders[i]);
    }
    assert_true(compile_cache_read(folders[0], &keys[0], &library));
    compile_cache_write(folders[1], &keys[1], &library);
    text_free(&library);
    SimReport report = store("two", 1);
    assert_int_equal(report.outcome, SIM_ENGINES_DIFFER);
    assert_string_equal(report.fault.text, "kernel two: the engines differ: memory, byte 0 of to: 2 interpreted, "
                                           "1 translated");
    simgpu_set_translator(comparing, "/usr/bin/gcc", machine_libraries, SIM_TRANSLATE_COMPARED);
    for (int i = 0; i < 2; i++)
        remove_library(folders[i], &keys[i]);
}

/* A library on disk would tell later programs which kernels were launched, and with what shape of block. */
static void a_launch_that_must_leave_no_trace_compiles_nothing(void **state)
{
    char folder[64];
    snprintf(folder, sizeof folder, "%s/trace", machine_libraries);
    assert_int_equal(mkdir(folder, 0700), 0);
    simgpu_set_translator(comparing, "/usr/bin/gcc", folder, SIM_TRANSLATE_COMPARED);
    simgpu_set_compiles(comparing, false);
    assert_int_equal(store("one", 1).outcome, SIM_OK);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    assert_int_equal(mkdir(folder, 0700), 0);
    simgpu_set_compiles(comparing, true);
    assert_int_equal(store("one", 1).outcome, SIM_OK);
    const Digest key = find_library(folder);
    remove_library(folder, &key);
    simgpu_set_translator(comparing, "/usr/bin/gcc", machine_libraries, SIM_TRANSLATE_COMPARED);
}

static void *cancel_once_it_compiles(void *has_ended)
{
    while (!simgpu_is_compiling(comparing) && !atomic_load((atomic_bool *)has_ended))
        usleep(1000);
    simgpu_cancel(comparing);
    return NULL;
}

/* Else each run of a program would begin it again, and none would come to its end. */
static void what_is_being_compiled_when_a_launch_ends_is_kept(void **state)
{
    enum { LONG_ENOUGH = 1 << 24 }; /* blocks, for compiling to pay */
    char folder[64];
    pthread_t thread;
    atomic_bool has_ended = false;
    snprintf(folder, sizeof folder, "%s/late", machine_libraries);
    assert_int_equal(mkdir(folder, 0700), 0);
    simgpu_set_translator(comparing, "/usr/bin/gcc", folder, SIM_TRANSLATE_WHERE_IT_PAYS);
    assert_int_equal(pthread_create(&thread, NULL, cancel_once_it_compiles, &has_ended), 0);
    const SimReport report = store("one", LONG_ENOUGH);
    atomic_store(&has_ended, true);
    pthread_join(thread, NULL);
    assert_int_equal(report.outcome, SIM_CANCELLED);
    assert_false(simgpu_is_compiling(comparing));
    const Digest key = find_library(folder);
    remove_library(folder, &key);
    simgpu_set_translator(comparing, "/usr/bin/gcc", machine_libraries, SIM_TRANSLATE_COMPARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_find_the_same),
        cmocka_unit_test(both_find_reads_of_uninitialised_memory),
        cmocka_unit_test(both_find_uses_of_unset_variables),
        cmocka_unit_test(both_find_no_use_of_what_is_set),
        cmocka_unit_test(both_find_nothing_in_correct_kernels),
        cmocka_unit_test(both_report_warp_barriers_to_the_sanitizer),
        cmocka_unit_test(a_difference_is_named),
        cmocka_unit_test(a_launch_that_must_leave_no_trace_compiles_nothing),
        cmocka_unit_test(what_is_being_compiled_when_a_launch_ends_is_kept),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
