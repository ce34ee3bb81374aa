#include "base/tests/unit.h"

#include "grader/judge/wording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *worded(HiddenFinding finding)
{
    static char words[500];
    Text text = {0};
    Submission submission = {.file_name = "x.cu"};
    text_add(&submission.source,
             "first\n  second();\n\n__constant__ int c[9];\n__global__ void k(float *p, int *q) {\n"
             "float a[4]; __shared__ float s[3]; p[0] = 1;\n s[i] = a[n];\n}\n cudaMalloc(&p, 4); secret_call();\n\n");
    hidden_finding_add(&text, &finding, &submission);
    snprintf(words, sizeof words, "%s", text.data);
    text_free(&text);
    text_free(&submission.source);
    return words;
}

static void the_kind_is_worded_with_its_line(void **state)
{
    const struct {
        HiddenFinding finding;
        const char *words;
    } rows[] = {
        {{.mistake = {.kind = MISTAKE_TRAP, .line = 2}},
         "a kernel executes a trap, or an assertion fails (x.cu:2: `second();`)"},
        {{.mistake = {.kind = MISTAKE_TRAP}}, "a kernel executes a trap, or an assertion fails"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_SHARED, .line = 7, .side = MISTAKE_PAST, .array = "s"}},
         "a kernel reads past the end of shared array 's' (x.cu:7: `s[i] = a[n];`)"},
        {{.mistake = {.kind = MISTAKE_WRITE_OUTSIDE_SHARED, .side = MISTAKE_BEFORE, .array = "secret_7"}},
         "a kernel writes before the start of the block's shared memory"},
        {{.mistake = {.kind = MISTAKE_WRITE_OUTSIDE_LOCAL, .line = 7, .side = MISTAKE_PAST}},
         "a kernel writes past the end of local array 'a' (x.cu:7: `s[i] = a[n];`)"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_CONSTANT, .side = MISTAKE_PAST, .array = "c"}},
         "a kernel reads past the end of constant array 'c'"},
        {{.mistake =
              {.kind = MISTAKE_READ_OUTSIDE, .side = MISTAKE_PAST, .array = "input", .kernel = "k", .parameter = 1}},
         "a kernel reads past the end of array 'p'"},
        {{.mistake =
              {.kind = MISTAKE_READ_OUTSIDE, .side = MISTAKE_PAST, .array = "input", .kernel = "k", .parameter = 2}},
         "a kernel reads past the end of an array in device memory"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_PARAMETERS}}, "a kernel reads outside of the kernel's parameters"},
        {{.mistake = {.kind = MISTAKE_NOT_BY_KERNEL}},
         "no kernel wrote the output: let a kernel write to it directly, or copy a kernel's results to it on the device "
         "with cudaMemcpyDeviceToDevice"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE}}, "a kernel reads outside of an array in device memory"},
        {{.mistake = {.kind = MISTAKE_TRAP, .side = MISTAKE_PAST, .array = "s"}},
         "a kernel executes a trap, or an assertion fails"},
        {{.output = {WRONG_PLACE_LAST_COLUMNS, WRONG_NATURE_NEVER_WRITTEN}}, "only the last columns: never written"},
        {{.output = {WRONG_PLACE_ONE, WRONG_NATURE_UNKNOWN}}, "one element"},
        {{.output = {WRONG_PLACE_BY_CHANCE}, .mistake = {.kind = MISTAKE_UNINITIALISED, .line = 1}},
         "right only by luck; a kernel reads memory that was never written (x.cu:1: `first`)"},
        {{.mistake = {.kind = MISTAKE_CALL_FAILED, .line = 9, .call = "cudaMalloc"}},
         "cudaMalloc() fails (x.cu:9: `cudaMalloc(&p, 4); secret_call();`)"},
        {{.mistake = {.kind = MISTAKE_CALL_FAILED, .call = "cudaFree"}},
         "a CUDA call fails: check what each of them returns"},
        {{.mistake = {.kind = MISTAKE_CALL_FAILED, .call = "secret_call"}},
         "a CUDA call fails: check what each of them returns"},
        {{.mistake = {.kind = MISTAKE_NOT_PROVIDED, .call = "cudaMalloc"}},
         "a limit of the judge: it does not provide cudaMalloc(), or not in this way"},
        {{.mistake = {.kind = MISTAKE_TRAP, .call = "cudaMalloc", .limit = LAUNCH_GRID_X}},
         "a kernel executes a trap, or an assertion fails"},
        {{.mistake = {.kind = MISTAKE_LAUNCH_REFUSED, .line = 2, .limit = LAUNCH_GRID_Y},
          .also = MISTAKE_PROCESS_ENDED},
         "a kernel cannot be launched: its grid.y is above 65535 (x.cu:2: `second();`); also: solve() did not return: "
         "its process ended, by a crash, a signal or an exit"},
        {{.mistake = {.kind = MISTAKE_LAUNCH_REFUSED}},
         "a kernel cannot be launched: check its grid, block and shared memory, and cudaGetLastError()"},
        {{.mistake = {.kind = MISTAKE_NONE}}, "a mistake of another kind"},
        {{.mistake = {.kind = (MistakeKind)1000}}, "a mistake of another kind"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(worded(rows[i].finding), rows[i].words);
}

/* The limits of a launch, which stand for its numbers. */
static void a_refused_launch_is_told_by_its_limit(void **state)
{
    static const char *const words[LAUNCH_LIMIT_COUNT] = {
        [LAUNCH_EMPTY_GRID] = "its grid has an extent of 0",
        [LAUNCH_GRID_X] = "its grid.x is above 2147483647",
        [LAUNCH_GRID_Y] = "its grid.y is above 65535",
        [LAUNCH_GRID_Z] = "its grid.z is above 65535",
        [LAUNCH_EMPTY_BLOCK] = "its block has an extent of 0",
        [LAUNCH_BLOCK_X] = "its block.x is above 1024",
        [LAUNCH_BLOCK_Y] = "its block.y is above 1024",
        [LAUNCH_BLOCK_Z] = "its block.z is above 64",
        [LAUNCH_THREADS] = "its block has more than 1024 threads",
        [LAUNCH_BOUNDS] = "its block has more threads than the kernel's __launch_bounds__",
        [LAUNCH_REGISTERS] = "its block needs more registers than a multiprocessor has",
        [LAUNCH_CLUSTER] = "its clusters do not fit its grid, the kernel or the device",
        [LAUNCH_SHARED] = "its block needs more shared memory than a block can have",
        [LAUNCH_DYNAMIC_SHARED] = "its block needs more than 48 KiB of shared memory, which "
                                  "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) must allow first",
        [LAUNCH_COOPERATIVE] =
            "its grid has more blocks than the device can run at once, which a cooperative launch needs",
        [LAUNCH_STREAM] = "its stream does not exist",
    };
    for (LaunchLimit limit = LAUNCH_FITS + 1; limit < LAUNCH_LIMIT_COUNT; limit++) {
        char expected[200];
        snprintf(expected, sizeof expected, "a kernel cannot be launched: %s", words[limit]);
        assert_string_equal(worded((HiddenFinding){.mistake = {.kind = MISTAKE_LAUNCH_REFUSED, .limit = limit}}),
                            expected);
    }
}

static void a_kind_has_neither_names_nor_lines(void **state)
{
    const HiddenFinding finding = {
        .output = {WRONG_PLACE_LAST_COLUMNS, WRONG_NATURE_NEVER_WRITTEN},
        .mistake = {.kind = MISTAKE_READ_OUTSIDE_SHARED, .line = 2, .side = MISTAKE_PAST, .array = "s_tile"}};
    Text kind = {0};
    hidden_finding_add_kind(&kind, &finding);
    assert_string_equal(kind.data, "only the last columns: never written; a kernel reads outside of the block's shared "
                                   "memory");
    text_free(&kind);
    hidden_finding_add_kind(&kind, &(HiddenFinding){0});
    assert_string_equal(kind.data, mistake_words(MISTAKE_OTHER));
    text_free(&kind);
}

/* `#line` can make a line any number: 31 bits of a submission's choice. */
static void a_line_that_the_file_does_not_have_is_left_out(void **state)
{
    static const int lines[] = {3, 10, 11, 1000000, INT32_MAX, -1, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        assert_string_equal(worded((HiddenFinding){.mistake = {.kind = MISTAKE_TRAP, .line = lines[i]}}),
                            mistake_words(MISTAKE_TRAP));
}

static void lines_of_other_files_are_unknown(void **state)
{
    assert_int_equal(mistake_at(MISTAKE_TRAP, "/submission/submission.cu", 7).line, 7);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "submission.cu", 7).line, 7);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "/submission/secret.cu", 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "", 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, NULL, 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "submission.cu", -7).line, 0);
}

static void errors_are_powers_of_ten_in_a_fixed_range(void **state)
{
    const double rows[][2] = {{0.3, 1}, {2e-12, 1e-9}, {1e-9, 1e-9}, {9e8, 1e9},
                              {2e9, 0}, {0, 0},        {NAN, 0},     {INFINITY, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(fabs(hidden_error(rows[i][0]) - rows[i][1]) <= 1e-12 * rows[i][1]);
}

/* docs/explanation/security.md, "What a grading tells of hidden data", gives these numbers as bits. */
static void there_are_as_many_kinds_as_the_documentation_says(void **state)
{
    const double errors = 1 + round(log10(HIDDEN_LARGEST_ERROR / HIDDEN_LEAST_ERROR)) + 1;
    assert_true(MISTAKE_KINDS <= 128);
    assert_true(WRONG_PLACES <= 25);
    assert_true(WRONG_NATURES <= 41);
    assert_true(LAUNCH_LIMIT_COUNT <= 65 && MAX_TOLD_NAMES == 64);
    assert_true(errors <= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_is_worded_with_its_line),
        cmocka_unit_test(a_refused_launch_is_told_by_its_limit),
        cmocka_unit_test(a_kind_has_neither_names_nor_lines),
        cmocka_unit_test(a_line_that_the_file_does_not_have_is_left_out),
        cmocka_unit_test(lines_of_other_files_are_unknown),
        cmocka_unit_test(errors_are_powers_of_ten_in_a_fixed_range),
        cmocka_unit_test(there_are_as_many_kinds_as_the_documentation_says),
    };
    return cmocka_run_group_tests_name("hidden_finding", tests, NULL, NULL);
}
