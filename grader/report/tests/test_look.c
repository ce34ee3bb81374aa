#include "grader/report/look.h"

#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>

static ExecutionProfile profile;
static Problem problem;
static HardwareProfile hardware;
static const char SOURCE[] = "one\n  two <three>;\n";

static int read_problem(void **state)
{
    Message why;
    return problem_read("conv1d", &problem, &why) == STATUS_OK &&
                   hardware_profile_read("simgpu/profiles", "h200", &hardware, &why) == STATUS_OK
               ? 0
               : -1;
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
    profile.kernels[0].launches = 1;
    profile.kernels[0].shape = (LaunchShape){.grid = {300, 1, 1}, .block = {256, 1, 1}};
    profile.kernels[0].seconds = 1e-5;
    profile.array_count = 2;
    profile.arrays[0] = (SimArray){.name = "input", .address = 4096, .element_bytes = 4};
    profile.arrays[1] = (SimArray){.name = "tile"};
}

/* The views of the profile; they live until free_look(). */
typedef struct TestLook {
    Explanation explanation;
    Listing listing;
    Arena arena;
    LookView view;
} TestLook;

static void look_at(TestLook *test)
{
    Look look = {
        .problem = &problem, .case_name = "small", .explanation = &test->explanation, .listing = &test->listing};
    *test = (TestLook){.listing = {.line_count = 2, .no_sass = "there is no nvdisasm"}};
    test->listing.ptx = zeroed(2, sizeof *test->listing.ptx);
    test->listing.sass = zeroed(2, sizeof *test->listing.sass);
    text_add(&test->listing.ptx[1].text, "blur:\nmov.u32 %r1, %tid.x;\nbra.uni $L__BB0_2;\n");
    test->listing.ptx[1].count = 2;
    for (size_t i = 0; i < problem.parameter_count; i++)
        look.sizes.values[i] = strcmp(problem.parameters[i].name, "input_size") == 0    ? 100
                               : strcmp(problem.parameters[i].name, "kernel_size") == 0 ? 3
                                                                                        : 0;
    explain(&profile, &hardware, 0, &test->explanation);
    look_view(&look, &test->arena, &test->view);
    assert_true(look_view_is_sound(&test->view));
}

static void free_look(TestLook *test)
{
    listing_free(&test->listing);
    explanation_free(&test->explanation);
    arena_free(&test->arena);
}

static void expect(const char *expected)
{
    static const TerminalStyle plain = {.width = 80};
    TestLook test;
    Text text = {0};
    look_at(&test);
    look_write(&test.view, SOURCE, 2, plain, &text);
    if (strstr(text.data, expected) == NULL)
        fail_test("expected \"%s\" in\n%s", expected, text.data);
    text_free(&text);
    free_look(&test);
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static void a_sequence_stands_for_its_numbers(void **state)
{
    double numbers[6];
    const double expected[] = {4, 8, 12, -1, -1, 2.5};
    assert_true(look_numbers("4+4*3 -1*2 2.5", numbers, 6));
    assert_memory_equal(numbers, expected, sizeof expected);
    assert_true(look_numbers("10-2*6", numbers, 6) && numbers[5] == 0);
    static const char *const wrong[] = {
        "4+4*3 -1*2",      "4+4*3 -1*4",  "",   "4+4*3 -1*2 x", "1*99999999999999999999",
        "nan 1 2 3 4 5 6", "1,2,3,4,5,6", "+*", "1+nan*6",      "1*-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (look_numbers(wrong[i], numbers, 6))
            fail_test("%s was read", wrong[i]);
    assert_false(look_numbers(NULL, numbers, 6));
}

static void lanes_that_are_not_active_keep_their_places(void **state)
{
    TestLook test;
    double lanes[SIM_WARP_SIZE];
    begin();
    WarpRequest *request = ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    request->lanes = 0xFFFFFF0F;
    look_at(&test);
    assert_string_equal(test.view.accesses[0].requests[0].lanes, "0+4*4 -1*4 32+4*24");
    assert_true(look_numbers(test.view.accesses[0].requests[0].lanes, lanes, SIM_WARP_SIZE));
    assert_true(lanes[3] == 12 && lanes[4] == -1 && lanes[8] == 32);
    free_look(&test);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

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
    TestLook test;
    look_at(&test);
    assert_true(look_has_line(&test.view, 2));
    assert_false(look_has_line(&test.view, 3));
    free_look(&test);
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
    begin();
    WarpRequest *request = ask(PTX_SHARED, 2, 0, 0, 16, 16);
    for (uint64_t lane = 0; lane < SIM_WARP_SIZE; lane++)
        request->addresses[lane] = 256 + lane / 2 * 16;
    request->wavefronts = 2;
    expect("    00000000000000001111111111111111  warp 0, time 1: words 64 to 124: 2 wavefronts\n");
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

static void texels_show_the_pieces_of_rows_that_hold_them(void **state)
{
    begin();
    WarpRequest *request = ask(PTX_GLOBAL, 1, 0, 4096, 16, 16);
    request->is_texture = true;
    request->sectors = 16;
    expect("  Kernel blur loads from input, a texture, 16 bytes for each lane.\n"
           "  Each character is a lane: which 32 bytes of the texture's rows hold its texel.\n");
    TestLook test;
    Text page = {0};
    look_at(&test);
    look_sections(&test.view, SOURCE, &(LookChoice){.line = 2}, &page);
    assert_non_null(strstr(page.data, "In the same colour: lanes whose texels lie in the same 32 bytes of a row.</p>"));
    text_free(&page);
    free_look(&test);
    expect("    00112233445566778899aabbccddeeff  warp 0, time 1: elements 0 to 124: 16 sectors\n");
}

static void a_file_without_accesses_has_no_line(void **state)
{
    static const TerminalStyle plain = {.width = 80};
    TestLook test;
    Text text = {0}, page = {0};
    begin();
    look_at(&test);
    assert_int_equal(test.view.hottest_line, 0);
    look_write(&test.view, SOURCE, 0, plain, &text);
    look_sections(&test.view, SOURCE, &(LookChoice){.line = 0}, &page);
    assert_non_null(strstr(text.data, "case \"small\"\n  No access to memory was seen in a line of the file.\n"));
    assert_non_null(strstr(text.data, "\n  The block reads no array in global or constant memory.\n"));
    assert_null(strstr(text.data, "What the compiler made"));
    assert_non_null(strstr(page.data, "<h2>What warps ask for</h2>\n<p>No access"));
    text_free(&text);
    text_free(&page);
    free_look(&test);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void elements_show_how_often_each_level_serves_them(void **state)
{
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    for (uint32_t i = 10; i < 14; i++)
        profile.reads[profile.read_count++] = (ProfileRead){.array = 1,
                                                            .index = i,
                                                            .threads = i - 9,
                                                            .warps = 1,
                                                            .l2 = i < 12 ? 2 : 1,
                                                            .memory = 1,
                                                            .blocks = i == 10 ? 3 : 1};
    expect("  The block reads 4 elements of input from global memory. Its threads load each 2.5 times on\n"
           "  average, its warps 1.0 times. Each is fetched 1.5 times from the L2, and 1.0 times from memory.\n"
           "  Of this block and its neighbours, 1.5 read it on average.\n"
           "  Loads by threads:\n    1234\n  Requests of warps to the L1:\n    1111\n  Fetches from the L2:\n    2211\n"
           "  Fetches from memory:\n    1111\n  Blocks that read it, of this one and its neighbours:\n    3111\n");
    for (uint32_t i = 14; i < 106; i++)
        profile.reads[profile.read_count++] = (ProfileRead){.array = 1, .index = i, .threads = 4, .warps = 1, .l2 = 1};
    expect("  A character stands for 1 x 2 elements.\n  Loads by threads:\n    24");
    profile.kernels[0].counters.bulk_load_sectors = 1;
    expect("\n  Not shown here: bulk copies, which a single thread asks for. Their elements count as read below.\n");
}

static void constant_memory_has_no_l2(void **state)
{
    begin();
    ask(PTX_CONST, 1, 0, 4096, 0, 4);
    profile.reads[profile.read_count++] = (ProfileRead){.array = 1, .index = 0, .threads = 64, .warps = 2};
    expect(
        "The block reads 1 element of input from constant memory. Its threads load each 64.0 times on\n  average, its "
        "warps 2.0 times.\n");
}

/* ---- blocks over time -------------------------------------------------------------------------------------------- */

/* 300 blocks on 132 multiprocessors, of which each holds one: two whole waves, and 36 blocks in a third. */
static void blocks_show_waves_and_their_tail(void **state)
{
    BlockWork works[300];
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    for (size_t i = 0; i < 300; i++)
        works[i] = (BlockWork){.work = 10, .accesses = 1, .blocks = 1};
    block_timeline_find(works, 300, 132, 132, &profile.kernels[0].timeline);
    expect("Kernel blur: 300 blocks of 256 threads, ");
    expect("The tail: in the last 33 % of the time, 27 % of its 132 places are in use.\n");
    expect("  Rows: the multiprocessors 0, 4, 8, ... and which of its blocks each runs, in order.\n"
           "       0.. 111111111111111111112222222222222222222233333333333333333333\n"
           "      36.. 1111111111111111111122222222222222222222....................\n");
    block_timeline_find(works, 264, 132, 132, &profile.kernels[0].timeline);
    expect("The multiprocessors stay equally busy up to the end.\n");
    block_timeline_find(works, 8, 132, 132, &profile.kernels[0].timeline);
    expect("Up to the end 8 of its 132 places are in use.\n");
    profile.kernels[0].timeline.rows = 0; /* it was not timed */
    TestLook test;
    look_at(&test);
    assert_int_equal(test.view.kernel_count, 0);
    free_look(&test);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void the_hottest_line_has_most_wavefronts(void **state)
{
    TestLook test;
    begin();
    look_at(&test);
    assert_int_equal(test.view.hottest_line, 0);
    free_look(&test);
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    profile.line_count = 2;
    profile.lines[0].counts = (SimLine){.line = 1, .counters = {.global_load_wavefronts = 9}};
    profile.lines[1].counts = (SimLine){.line = 2, .counters = {.global_load_wavefronts = 5}};
    look_at(&test);
    assert_int_equal(test.view.hottest_line, 2); /* no request of line 1 was kept */
    free_look(&test);
}

static void a_line_shows_its_code(void **state)
{
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4);
    profile.line_count = 1;
    profile.lines[0].counts = (SimLine){.line = 2, .executions = 77, .live_registers = 12};
    expect(
        "executions by warps: 77, registers that hold values: 12.\n  PTX\n    blur:\n    mov.u32 %r1, %tid.x;\n    bra.uni "
        "$L__BB0_2;\n  No SASS: there is no nvdisasm.\n");
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void expect_all(const Text *page, const char *const *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(page->data, expected[i]) == NULL)
            fail_test("expected \"%s\" in\n%s", expected[i], page->data);
    assert_null(strstr(page->data, "<script"));
}

static void fill_page(void)
{
    const BlockWork works[2] = {{.work = 10, .blocks = 1}, {.work = 5, .blocks = 1}};
    begin();
    ask(PTX_GLOBAL, 1, 0, 4096, 8, 4)->sectors = 8;
    ask(PTX_GLOBAL, 1, 0, 4096, 4, 4)->sectors = 4;
    ask(PTX_SHARED, 2, 0, 0, 8, 4)->wavefronts = 2;
    ask(PTX_CONST, 1, 0, 4096, 0, 4)->sectors = 1;
    profile.reads[profile.read_count++] = (ProfileRead){
        .array = 1, .index = 70, .threads = 2, .warps = 1, .l2 = 1, .memory = 1, .blocks = 1};
    profile.reads[profile.read_count++] = (ProfileRead){
        .array = 1, .index = 3, .threads = 2, .warps = 1, .l2 = 1, .memory = 1, .blocks = 1};
    block_timeline_find(works, 2, 132, 2, &profile.kernels[0].timeline);
}

static void a_page_has_pictures_and_words(void **state)
{
    TestLook test;
    Text page = {0};
    Message why;
    fill_page();
    look_at(&test);
    assert_int_equal(look_page(&test.view, "x.cu", SOURCE, 2, &page, &why), STATUS_OK);
    static const char *const expected[] = {
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>A look inside x.cu</title>\n",
        "<h1>A look inside x.cu</h1>\n<p>Case \"small\". What is said of one block is of the one in the middle",
        "<h2>What warps ask for in line 2</h2>\n<pre tabindex=\"0\"><code>two &lt;three&gt;;</code></pre>\n",
        "<h3>Load from input</h3>\n<p>Kernel blur loads from input, global memory, 4 bytes for each lane. In the same colour: "
        "lanes that one sector serves.</p>",
        "In the same colour: lanes that one wavefront serves.</p>",
        "In the same colour: lanes that want the same word.</p>",
        "<figcaption>At best, where all lanes want the same: 1 different word</figcaption>",
        "<figure>\n<figcaption>All that were kept: \"1, 2\" is the second time of warp 1</figcaption>",
        "A row for each time of each warp, whose lanes have the colours of what serves them. The table says the same.",
        "<p>Reads are counted by words of 4 bytes. The levels follow from the model of the caches: the block alone, with its share of the L1. Sectors of 32 bytes are "
        "fetched whole, and from memory two at a time. What neighbouring blocks read as well is fetched by each "
        "multiprocessor.</p>",
        " A cell stands for 1 x 2 elements.</p>",
        "</p>\n<div class=\"plots\">\n<figure>\n<figcaption>Above: blocks under way. Below: a row for each of the "
        "multiprocessors 0, 4, 8, ...; the colour changes with each block</figcaption>",
        "text-anchor=\"end\">end of the last block</text>",
        "Its time is spent on ",
        "<p>Warps: how often a warp executed the line. Registers: those of PTX that hold values there, at most.",
        "<figcaption>As it is: warp 0, time 1: elements 0 to 62: 8 sectors, 4 would do</figcaption>",
        "<figcaption>At best, for as many different bytes: 4 sectors</figcaption>",
        "<title id=\"request-1-title\">Lanes of a warp, and what serves them</title>",
        "<title id=\"ideal-1-title\">The same lanes at the least cost</title>",
        "<title id=\"strip-0-title\">The same for other warps and times</title>",
        "<details><summary>In words</summary>\n<ul>\n<li>warp 0, time 1: elements 0 to 62: 8 sectors, 4 would do</li>",
        "<h2>How often each element is read</h2>\n",
        "<figcaption>Loads by threads: 2.0 on average</figcaption>",
        "<p>Fetches from memory:</p>\n<ul>\n<li>1, 0 (32 times), 1</li>\n</ul>",
        "<title id=\"blocks-0-title\">Blocks over time</title>",
        "<h2>Source, PTX</h2>\n",
        "There is no SASS: there is no nvdisasm.",
        "<div class=\"source listing\" role=\"group\" aria-label=\"Source and code\" tabindex=\"0\">\n<table>\n<thead><tr>"
        "<th scope=\"col\">Line</th><th scope=\"col\">Source</th><th scope=\"col\" class=\"number\">Time</th>"
        "<th scope=\"col\" class=\"number\">Warps</th><th scope=\"col\" class=\"number\">Registers</th>"
        "<th scope=\"col\">PTX</th>",
        "<tr id=\"L2\"><th scope=\"row\">2</th><td class=\"text\">  two &lt;three&gt;;</td>",
        "<pre tabindex=\"0\"><code>blur:\nmov.u32 %r1, %tid.x;",
    };
    expect_all(&page, expected, sizeof expected / sizeof *expected);
    text_free(&page);
    free_look(&test);
}

/* A page of a server steps from request to request. */
static void one_request_has_links_to_those_beside_it(void **state)
{
    TestLook test;
    Text page = {0};
    fill_page();
    look_at(&test);
    look_sections(&test.view, SOURCE, &(LookChoice){.line = 2, .time = 2, .address = "/submissions/3/look"}, &page);
    static const char *const expected[] = {
        "<li><a href=\"/submissions/3/look?line=2&amp;access=0#request\" aria-current=\"true\">Line 2</a>: loads from input, "
        "global memory</li>\n<li><a href=\"/submissions/3/look?line=2&amp;access=1#request\">Line 2</a>: loads from tile",
        "<p id=\"request\">Warp 0, time 2. <a href=\"/submissions/3/look?line=2&amp;access=0&amp;warp=0&amp;time=1#request\">"
        "Previous time</a>\n<span class=\"quiet\">Next time</span>\n<span class=\"quiet\">Previous warp</span>\n",
        "<figcaption>As it is: warp 0, time 2: elements 0 to 31: 4 sectors</figcaption>",
    };
    expect_all(&page, expected, sizeof expected / sizeof *expected);
    text_free(&page);
    look_sections(&test.view, SOURCE, &(LookChoice){.line = 99, .access = 7, .warp = 5, .address = "/x"}, &page);
    assert_null(strstr(page.data, "As it is"));
    text_free(&page);
    free_look(&test);
}

static void a_view_is_the_same_after_it_was_written(void **state)
{
    TestLook test;
    Text text = {0}, before = {0}, after = {0};
    JsonFile file;
    LookView view = {0};
    Arena arena = {0};
    Message why;
    fill_page();
    look_at(&test);
    record_print(&look_table, &test.view, &text);
    look_sections(&test.view, SOURCE, &(LookChoice){.line = 2}, &before);
    if (json_parse("look.json", text.data, text.length, &file, &why) != STATUS_OK ||
        record_read(&look_table, &file, file.root, &arena, &view, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_true(look_view_is_sound(&view));
    look_sections(&view, SOURCE, &(LookChoice){.line = 2}, &after);
    assert_string_equal(before.data, after.data);
    view.maps[0].cells[3] = "1*2";
    assert_false(look_view_is_sound(&view));
    json_free(&file);
    text_free(&text);
    text_free(&before);
    text_free(&after);
    arena_free(&arena);
    free_look(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_stands_for_its_numbers),
        cmocka_unit_test(lanes_that_are_not_active_keep_their_places),
        cmocka_unit_test(lanes_show_the_sectors_that_serve_them),
        cmocka_unit_test(lanes_show_the_wavefronts_of_banks),
        cmocka_unit_test(lanes_show_the_words_of_constant_memory),
        cmocka_unit_test(texels_show_the_pieces_of_rows_that_hold_them),
        cmocka_unit_test(a_file_without_accesses_has_no_line),
        cmocka_unit_test(elements_show_how_often_each_level_serves_them),
        cmocka_unit_test(constant_memory_has_no_l2),
        cmocka_unit_test(blocks_show_waves_and_their_tail),
        cmocka_unit_test(the_hottest_line_has_most_wavefronts),
        cmocka_unit_test(a_line_shows_its_code),
        cmocka_unit_test(a_page_has_pictures_and_words),
        cmocka_unit_test(one_request_has_links_to_those_beside_it),
        cmocka_unit_test(a_view_is_the_same_after_it_was_written),
    };
    return cmocka_run_group_tests(tests, read_problem, free_problem);
}
