#include "simgpu/tests/sanitizer_kernels.h"

static const SanitizerRow rows[] = {
    {"adds_to_output", 3, SIM_UNINITIALISED, 3 * 128,
     "block (0,0,0), thread (0,0,0) reads 4 bytes at output[0], which nothing has written"},
    {"adds_to_output_atomically", 3, SIM_UNINITIALISED, 128, "at output[0], which nothing has written"},
    {"halo_not_loaded", 3, SIM_UNINITIALISED, 3,
     "block (0,0,0), thread (127,0,0) reads 4 bytes at byte 512 of shared "
     "variable 'tile', which nothing has written"},
    {"local_array_half_filled", 1, SIM_UNINITIALISED, 64,
     "thread (1,0,0) reads 4 bytes at offset 4 of the thread's 32 "
     "bytes of local memory, which nothing has written"},
    {"histogram", 1, SIM_UNINITIALISED, 32, "at words[0], which nothing has written"},
};

static void each_read_of_what_nothing_has_written_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = sanitizer_run(rows[i].kernel, rows[i].blocks, 1, SIM_SANITIZE_UNINITIALISED, false);
        assert_int_equal(report.finding_count, 1);
        expect_finding(&rows[i], &report);
    }
}

static void what_is_written_may_be_read(void **state)
{
    static const char *const kernels[] = {"halo_tile",          "double_buffer",          "tree",
                                          "tree_with_syncwarp", "copies_ahead",           "last_block_adds_up",
                                          "local_array",        "producers_and_consumers"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        SimReport report = sanitizer_run(kernels[i], 300, 2, SIM_SANITIZE_UNINITIALISED, false);
        expect_none(kernels[i], &report);
    }
}

/* ---- what it holds ----------------------------------------------------------------------------------------------- */

enum { BLOCKS = 5 };

/* The element of the output that a kernel computes from a word it has not written, in one of several blocks. */
static uint32_t unwritten_word(const char *kernel, uint32_t block, uint32_t thread, uint8_t fresh, uint8_t odd)
{
    static float numbers[BLOCKS * SANITIZER_THREADS];
    SimGpu *machine = machine_new(0, 1);
    SimModule *code;
    SimReport report;
    uint32_t word;
    uint64_t arrays[3];
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        numbers[i] = 1;
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        arrays[i] = machine_array(machine, numbers, sizeof numbers);
    simgpu_set_uninitialised_bytes(machine, fresh, odd);
    SimLaunch launch = {.function = machine_read(machine, "sanitizer.ptx", kernel, &code),
                        .shape.grid = {BLOCKS, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .parameters = arrays};
    simgpu_launch(machine, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    memcpy(&word, (float *)at(arrays[1]) + block * SANITIZER_THREADS + thread, sizeof word);
    simgpu_module_unload(machine, code);
    simgpu_free(machine);
    return word;
}

static void each_block_finds_the_same_bytes(void **state)
{
    assert_int_equal(unwritten_word("halo_not_loaded", BLOCKS - 1, SANITIZER_THREADS - 1, 0x4D, 0x4D), 0x4D4D4D4D);
    assert_int_equal(unwritten_word("halo_not_loaded", BLOCKS - 1, SANITIZER_THREADS - 1, 0xFF, 0xFF), 0xFFFFFFFF);
    assert_int_equal(unwritten_word("local_array_half_filled", BLOCKS - 1, 1, 0x4D, 0x4D), 0x4D4D4D4D);
    assert_int_equal(unwritten_word("local_array_half_filled", BLOCKS - 1, 1, 0xFF, 0xFF), 0xFFFFFFFF);
}

static void or_odd_blocks_find_others(void **state)
{
    for (uint32_t block = 0; block < BLOCKS; block++) {
        const uint32_t word = block % 2 == 0 ? 0x4D4D4D4D : 0xFFFFFFFF;
        assert_int_equal(unwritten_word("halo_not_loaded", block, SANITIZER_THREADS - 1, 0x4D, 0xFF), word);
        assert_int_equal(unwritten_word("local_array_half_filled", block, 1, 0x4D, 0xFF), word);
    }
}

/* ---- who writes -------------------------------------------------------------------------------------------------- */

enum { BYTES = 4 * SANITIZER_THREADS };

static SimGpu *gpu;
static SimModule *module;
static SimFunction *adds;
static uint64_t input, output, words;

static int new_arrays(void **state)
{
    gpu = machine_new(0, 1);
    adds = machine_read(gpu, "sanitizer.ptx", "adds_to_output", &module);
    input = machine_array(gpu, NULL, BYTES);
    output = machine_array(gpu, NULL, BYTES);
    words = machine_array(gpu, NULL, BYTES);
    simgpu_mark_written(gpu, input, BYTES);
    return 0;
}

static int free_arrays(void **state)
{
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    return 0;
}

/* How many elements of `output`, which it also writes, the kernel reads without their being written. */
static uint64_t unwritten_outputs(uint32_t flags)
{
    SimReport report;
    SimLaunch launch = {.function = adds,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .flags = flags,
                        .parameters = (uint64_t[]){input, output, words}};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    return report.finding_count == 0 ? 0 : report.findings[0].where.lanes;
}

static void kernels_write(void **state)
{
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), SANITIZER_THREADS);
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), 0);
}

static void a_kernel_that_is_not_watched_writes_everywhere(void **state)
{
    assert_int_equal(unwritten_outputs(0), 0);
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), 0);
}

static void the_host_writes_a_part(void **state)
{
    simgpu_mark_written(gpu, output + 40, BYTES - 40);
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), 10);
}

static void the_host_takes_contents_back(void **state)
{
    simgpu_mark_written(gpu, output, BYTES);
    simgpu_mark_unwritten(gpu, output + 4, 12);
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), 3);
}

static void half_an_element_is_not_enough(void **state)
{
    simgpu_mark_written(gpu, output, BYTES - 2);
    assert_int_equal(unwritten_outputs(SIM_SANITIZE_UNINITIALISED), 1);
}

static void variables_have_contents(void **state)
{
    SimReport report = sanitizer_run("lock_around_a_sum", 2, 1, SIM_SANITIZE_UNINITIALISED, true);
    expect_none("lock_around_a_sum", &report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_read_of_what_nothing_has_written_is_found),
        cmocka_unit_test(what_is_written_may_be_read),
        cmocka_unit_test(each_block_finds_the_same_bytes),
        cmocka_unit_test(or_odd_blocks_find_others),
        cmocka_unit_test_setup_teardown(kernels_write, new_arrays, free_arrays),
        cmocka_unit_test_setup_teardown(a_kernel_that_is_not_watched_writes_everywhere, new_arrays, free_arrays),
        cmocka_unit_test_setup_teardown(the_host_writes_a_part, new_arrays, free_arrays),
        cmocka_unit_test_setup_teardown(the_host_takes_contents_back, new_arrays, free_arrays),
        cmocka_unit_test_setup_teardown(half_an_element_is_not_enough, new_arrays, free_arrays),
        cmocka_unit_test(variables_have_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
