#include "grader/report/look.h"

#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>

static ExecutionProfile profile;
static Problem problem;
static Submission submission = {.file_name = (char *)"x.cu",
                                .source = {.data = (char *)"one\n  two <three>;\n", .length = 19}};

static int read_problem(void **state)
{
    Message why;
    return problem_read("conv1d", &problem, &why) == STATUS_OK ? 0 : -1;
}

static int free_problem(void **state)
{
    problem_free(&problem);
    return 0;
}

/* A request of a warp in line 2, whose lanes are `step` bytes apart. */
static WarpRequest *ask(uint8_t space, uint32_t array, uint32_t warp, uint64_t first, uint64_t step, uint8_t bytes)
{
    ProfileRequest *request = &profile.requests[profile.request_count++];
    *request = (ProfileRequest){.array = array,
                                .is = {.line = 2, .warp = warp, .space = space, .bytes = bytes, .lanes = ~0u}};
    for (uint64_t lane = 0; lane < SIM_WARP_SIZE; lane++)
        request->is.addresses[lane] = first + step * lane;
    return &request->is;
}

static void begin(void)
{
    memset(&profile, 0, sizeof profile);
    profile.file_count = profile.kernel_count = 1;
    snprintf(profile.files[0], sizeof profile.files[0], "/scratch/submission.cu");
    snprintf(profile.kernels[0].name, sizeof profile.kernels[0].name, "blur");
    profile.array_count = 2;
    profile.arrays[0] = (ProfileArray){.name = "input", .address = 4096, .element_bytes = 4};
    profile.arrays[1] = (ProfileArray){.name = "tile"};
}

static Look a_look(void)
{
    Look look = {.problem = &problem, .submission = &submission, .case_name = "small", .profile = &profile, .line = 2};
    for (size_t i = 0; i < problem.parameter_count; i++)
        look.sizes.values[i] = strcmp(problem.parameters[i].name, "input_size") == 0    ? 100
                               : strcmp(problem.parameters[i].name, "kernel_size") == 0 ? 3
                                                                                        : 0;
    return look;
}

static void expect(const char *expected)
{
    static const TerminalStyle plain = {.width = 80};
    const Look look = a_look();
    Text text = {0};
    look_write(&look, plain, &text);
    if (strstr(text.data, expected) == NULL)
        fail_test("expected \"%s\" in\n%s", expected, text.data);
    text_free(&text);
}

static void lanes_show_the_sectors_that_serve_them(void **state)
{
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096 + 4, 4, 4)->sectors = 5;
    expect("case \"small\", line 2:   two <three>;\n");
    expect("  Kernel blur loads from input, global memory, 4 bytes for each lane.\n"
           "  Each character is a lane: which of the sectors serves it.\n");
    expect("    00000001111111122222222333333334  warp 0, time 1: elements 1 to 32: 5 sectors, 4 would do\n");
    ask(PTX_GLOBAL, 1, 0, 4096, 8, 4)->sectors = 8;
    expect("    00001111222233334444555566667777  warp 0, time 2: elements 0 to 62: 8 sectors, 4 would do\n");
    expect(".\n  Each character is a lane: which of the sectors serves it.\n    lane 0  8       16      24\n");
    ask(PTX_GLOBAL, 0, 0, 4096, 4, 4)->sectors = 4;
    expect("loads from memory without a name, global memory");
    assert_true(look_has_line(&profile, 2));
    assert_false(look_has_line(&profile, 3));
}

static void lanes_show_the_wavefronts_of_banks(void **state)
{
    begin();
    ask(PTX_SHARED, 2, 0, 0, 8, 4)->wavefronts = 2;
    expect(
        "loads from tile, shared memory, 4 bytes for each lane.\n  Each character is a lane: the wavefront that serves it.\n");
    expect("    00000000000000001111111111111111  warp 0, time 1: words 0 to 62: 2 wavefronts, 1 would do\n");
    begin();
    ask(PTX_SHARED, 2, 1, 0, 0, 4)->wavefronts = 1;
    expect("    00000000000000000000000000000000  warp 1, time 1: word 0: 1 wavefront\n");
    begin();
    ask(PTX_SHARED, 2, 0, 0, 16, 16)->wavefronts = 4;
    expect("    00000000111111112222222233333333  warp 0, time 1: words 0 to 124: 4 wavefronts\n");
}

static void lanes_show_the_words_of_constant_memory(void **state)
{
    begin();
    WarpRequest *request = ask(PTX_CONST, 1, 0, 4096, 4, 4);
    request->lanes = 0xF;
    request->sectors = 4;
    expect("which of the different words it wants.");
    expect("    0123............................  warp 0, time 1: elements 0 to 3: 4 different words\n");
}

static void elements_show_how_often_they_are_read(void **state)
{
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    for (uint32_t i = 10; i < 14; i++)
        profile.reads[profile.read_count++] = (ProfileRead){.array = 1, .index = i, .threads = i - 9, .warps = 1};
    expect(
        "  The block reads 4 elements of input from global memory; its threads load each 2.5 times on average, its warps 1.0 "
        "times.\n    1234\n");
    for (uint32_t i = 14; i < 106; i++)
        profile.reads[profile.read_count++] = (ProfileRead){.array = 1, .index = i, .threads = 4, .warps = 1};
    expect("  A character stands for 1 x 2 elements.\n    24");
    profile.reads_left_out = 7;
    expect("  7 elements more are not shown.\n");
}

static void the_hottest_line_has_most_wavefronts(void **state)
{
    begin();
    assert_int_equal(look_hottest_line(&profile), 0);
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    profile.line_count = 2;
    profile.lines[0].counts = (SimLine){.line = 1, .counters = {.global_load_wavefronts = 9}};
    profile.lines[1].counts = (SimLine){.line = 2, .counters = {.global_load_wavefronts = 5}};
    assert_int_equal(look_hottest_line(&profile), 2); /* no request of line 1 was kept */
}

static void a_page_has_pictures_and_words(void **state)
{
    Text page = {0};
    Message why;
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4)->sectors = 4;
    ask(PTX_SHARED, 2, 0, 0, 8, 4)->wavefronts = 2;
    profile.reads[profile.read_count++] = (ProfileRead){.array = 1, .index = 3, .threads = 2, .warps = 1};
    const Look look = a_look();
    assert_int_equal(look_page(&look, &page, &why), STATUS_OK);
    static const char *const expected[] = {
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>A look inside x.cu</title>\n",
        "<h1>A look inside x.cu</h1>\n<p>Case \"small\", one block in the middle of the grid.</p>\n",
        "<h2>What warps ask for in line 2</h2>\n<pre><code>  two &lt;three&gt;;</code></pre>\n",
        "<title id=\"request-1-title\">Lanes of a warp, and what serves them</title>",
        "<title id=\"strip-0-title\">The same for other warps and times</title>",
        "A row for each time of each warp, whose lanes have the colours of what serves them. The table says the same.",
        "</div>\n<p class=\"note\">On the right, a row for each time of a warp: \"1, 2\" is the second time of warp "
        "1.</p>\n<details><summary>In words</summary>\n<ul>\n<li>warp 0, time 1: elements 0 to 31: 4 sectors</li>",
        "<h2>How often each element is read</h2>\n<h3>input</h3>\n",
        "The darkest cell is read 2.0 times by threads.",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strstr(page.data, expected[i]) == NULL)
            fail_test("expected \"%s\"", expected[i]);
    assert_null(strstr(page.data, "<script"));
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_show_the_sectors_that_serve_them),
        cmocka_unit_test(lanes_show_the_wavefronts_of_banks),
        cmocka_unit_test(lanes_show_the_words_of_constant_memory),
        cmocka_unit_test(elements_show_how_often_they_are_read),
        cmocka_unit_test(the_hottest_line_has_most_wavefronts),
        cmocka_unit_test(a_page_has_pictures_and_words),
    };
    return cmocka_run_group_tests(tests, read_problem, free_problem);
}
