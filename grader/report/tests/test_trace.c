#include "grader/report/trace.h"

#include "base/tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A call of conv1d with six elements and three taps, as the simulated GPU would have traced output[1]. */
static ExecutionProfile mine, oracle;
static Problem problem;

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

static uint32_t array_called(ExecutionProfile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->array_count; i++)
        if (strcmp(profile->arrays[i].name, name) == 0)
            return i + 1;
    snprintf(profile->arrays[profile->array_count].name, sizeof profile->arrays[0].name, "%s", name);
    return ++profile->array_count;
}

static uint32_t add(ExecutionProfile *profile, ProfileNode node)
{
    profile->trace.nodes[profile->trace.node_count] = node;
    return ++profile->trace.node_count;
}

static uint32_t element(ExecutionProfile *profile, const char *array, uint64_t index, int line)
{
    const float value = (float)(index + 1);
    ProfileNode node = {
        .kind = NODE_ELEMENT, .bytes = 4, .array = array_called(profile, array), .index = index, .line = line};
    memcpy(&node.bits, &value, sizeof value);
    return add(profile, node);
}

static uint32_t constant(ExecutionProfile *profile, double value)
{
    return add(profile, (ProfileNode){.kind = NODE_CONSTANT, .value = value});
}

/* sum + input[i] * kernel[k], in line 14 */
static uint32_t add_product(ExecutionProfile *profile, uint32_t sum, uint64_t i, uint64_t k)
{
    const uint32_t x = element(profile, "input", i, 14), w = element(profile, "kernel", k, 14);
    return add(profile, (ProfileNode){.kind = NODE_PRODUCT_AND_SUM, .sources = {x, w, sum}, .line = 14});
}

static void store(ExecutionProfile *profile, uint32_t value, double number)
{
    add(profile,
        (ProfileNode){.kind = NODE_STORE, .sources = {value}, .line = 16, .value = number, .thread = {1, 0, 0}});
    profile->trace.stores = 1;
}

static void begin(void)
{
    memset(&mine, 0, sizeof mine);
    memset(&oracle, 0, sizeof oracle);
    for (int i = 0; i < 2; i++) {
        ExecutionProfile *profile = i == 0 ? &mine : &oracle;
        snprintf(profile->files[0], sizeof profile->files[0], "/scratch/submission.cu");
        profile->file_count = profile->kernel_count = 1;
        profile->kernels[0].shape = (LaunchShape){.grid = {2, 1, 1}, .block = {64, 1, 1}};
        snprintf(profile->kernels[0].name, sizeof profile->kernels[0].name, "conv");
        profile->trace.kernels[0] = 1;
    }
    uint32_t sum = constant(&oracle, 0);
    for (uint64_t k = 0; k < 3; k++)
        sum = add_product(&oracle, sum, 1 + k, k);
    store(&oracle, sum, 20);
}

static TraceList list;

static TraceView compared(double got)
{
    list = (TraceList){.count = 1};
    TermTrace *trace = &list.items[0];
    *trace = (TermTrace){.problem = &problem,
                         .case_name = "five",
                         .element = 1,
                         .got = got,
                         .expected = 20,
                         .is_wrong = got != 20,
                         .mine = &mine,
                         .oracle = &oracle};
    for (size_t i = 0; i < problem.parameter_count; i++)
        trace->sizes.values[i] = strcmp(problem.parameters[i].name, "input_size") == 0    ? 6
                                 : strcmp(problem.parameters[i].name, "kernel_size") == 0 ? 3
                                                                                          : 0;
    trace_compare(trace);
    return trace_views(&list).items[0];
}

static void end(void)
{
    arena_free(&list.items[0].arena);
}

static void a_wrong_factor_is_named_with_its_line(void **state)
{
    begin();
    uint32_t sum = add_product(&mine, constant(&mine, 0), 1, 0);
    sum = add_product(&mine, sum, 2, 1);
    store(&mine, add_product(&mine, sum, 3, 1), 16);
    const TraceView view = compared(16);
    assert_string_equal(view.element, "output[1]");
    assert_string_equal(view.writer, "It is stored by thread (1) of block (0) (line 16).");
    assert_string_equal(view.sentence, "input[3] is multiplied by kernel[1], not by kernel[2] (line 14).");
    assert_int_equal(view.row_count, 3);
    assert_string_equal(view.rows[0].mark, "");
    assert_string_equal(view.rows[2].mark, "first");
    assert_string_equal(view.rows[2].term, "input[3] * kernel[1]");
    assert_string_equal(view.rows[2].expected, "input[3] * kernel[2]");
    assert_true(view.rows[2].value == 8);
    end();
}

static void a_term_that_comes_twice_is_told_with_the_one_that_never_comes(void **state)
{
    begin();
    uint32_t sum = add_product(&mine, constant(&mine, 0), 1, 0);
    sum = add_product(&mine, sum, 2, 1);
    store(&mine, add_product(&mine, sum, 2, 1), 14);
    TraceView view = compared(14);
    assert_string_equal(view.sentence,
                        "input[2] * kernel[1] is added twice, expected once (line 14). 1 more of its 4 terms differs.");
    end();
    begin();
    sum = add_product(&mine, constant(&mine, 0), 1, 0);
    sum = add_product(&mine, add_product(&mine, sum, 3, 1), 3, 1);
    store(&mine, sum, 18);
    view = compared(18);
    assert_string_equal(view.sentence,
                        "input[3] is multiplied by kernel[1] twice, by kernel[2] never (line 14). 1 more of its "
                        "3 terms differs.");
    end();
}

/* The second product, of the turn 2 of the loop `k` in lines 13 to 14; its sum, of another line or turn. */
static void compare_in_loop(int line, int32_t turn, const char *sentence)
{
    begin();
    const ProfileNode in_loop = {.line = 14, .turns = {{3, 7}, {1, 2}, {2, 0}}};
    ProfileNode product = in_loop, sum = in_loop;
    const uint32_t first = add_product(&mine, constant(&mine, 0), 1, 0);
    product.kind = NODE_PRODUCT;
    product.sources[0] = element(&mine, "input", 3, 14);
    product.sources[1] = element(&mine, "kernel", 1, 14);
    sum.kind = NODE_SUM;
    sum.sources[0] = first;
    sum.sources[1] = add(&mine, product);
    sum.line = line;
    sum.turns[1].value = turn;
    store(&mine, add(&mine, sum), 8);
    list = (TraceList){.count = 1};
    TermTrace *trace = &list.items[0];
    *trace = (TermTrace){.problem = &problem, .got = 8, .is_wrong = true, .mine = &mine, .oracle = &oracle};
    trace->loops[0] = (SourceLoop){.variable = "k", .first_line = 13, .last_line = 14};
    trace->loops[1] = (SourceLoop){.variable = "j", .first_line = 3, .last_line = 16};
    trace->loops[2] = (SourceLoop){.variable = "ended", .first_line = 8, .last_line = 9};
    trace->loop_count = 3;
    trace_compare(trace);
    assert_memory_equal(trace_views(&list).items[0].sentence, sentence, strlen(sentence));
    end();
}

static void the_variables_of_loops_are_named_where_they_are_certain(void **state)
{
    compare_in_loop(14, 2, "input[3] is multiplied by kernel[1], not by kernel[2] (line 14, k = 2, j = 0).");
    compare_in_loop(15, 4, "input[3] is multiplied by kernel[1], not by kernel[2] (line 14, k = 2, j = 0).");
    compare_in_loop(14, 4, "input[3] is multiplied by kernel[1], not by kernel[2] (line 14, j = 0).");
}

static void missing_and_extra_terms_are_told(void **state)
{
    begin();
    const uint32_t sum = add_product(&mine, constant(&mine, 0), 1, 0);
    store(&mine, add_product(&mine, sum, 2, 1), 8);
    TraceView view = compared(8);
    assert_string_equal(view.sentence, "input[3] * kernel[2] is missing.");
    assert_string_equal(view.rows[2].term, "");
    assert_string_equal(view.maps[0].cells, ".==-.");
    assert_string_equal(view.maps[1].cells, "==-");
    end();
    begin();
    uint32_t all = constant(&mine, 0);
    for (uint64_t k = 0; k < 3; k++)
        all = add_product(&mine, all, 1 + k, k);
    store(&mine,
          add(&mine, (ProfileNode){.kind = NODE_SUM, .sources = {all, element(&mine, "input", 5, 15)}, .line = 15}),
          26);
    view = compared(26);
    assert_string_equal(view.sentence, "input[5] is added, but does not belong to this element (line 15).");
    end();
}

static void terms_come_through_shared_memory_with_all_their_lines(void **state)
{
    begin();
    const uint32_t x = element(&mine, "input", 1, 9), w = element(&mine, "kernel", 0, 14);
    const uint32_t kept = add(&mine, (ProfileNode){.kind = NODE_STORE, .in_shared = true, .sources = {x}, .line = 10});
    const uint32_t load = add(&mine,
                              (ProfileNode){.kind = NODE_LOAD, .in_shared = true, .sources = {kept}, .line = 13});
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_PRODUCT, .sources = {load, w}, .line = 14}), 2);
    const TraceView view = compared(2);
    assert_string_equal(view.rows[0].lines, "9, 10, 14");
    end();
}

static void shared_memory_that_nothing_has_written_is_named(void **state)
{
    begin();
    uint32_t sum = add_product(&mine, add_product(&mine, constant(&mine, 0), 1, 0), 2, 1);
    const uint32_t w = element(&mine, "kernel", 2, 14),
                   unset = add(&mine, (ProfileNode){.kind = NODE_ELEMENT, .in_shared = true, .bytes = 4, .index = 12});
    sum = add(&mine, (ProfileNode){.kind = NODE_PRODUCT_AND_SUM, .sources = {unset, w, sum}, .line = 14});
    store(&mine, sum, 5);
    const TraceView view = compared(5);
    assert_string_equal(
        view.sentence, "kernel[2] is multiplied by shared memory that nothing has written, not by input[3] (line 14).");
    end();
}

static void an_element_that_is_not_stored_has_no_terms(void **state)
{
    begin();
    const TraceView view = compared(NAN);
    assert_string_equal(view.sentence, "No kernel of the call stores this element.");
    assert_string_equal(view.writer, "The call launches conv with (2) blocks of (64) threads.");
    assert_int_equal(view.row_count, 0);
    end();
}

static void memory_that_was_there_before_is_told(void **state)
{
    begin();
    const uint32_t before = element(&mine, "output", 1, 12),
                   unnamed = add(&mine, (ProfileNode){.kind = NODE_ELEMENT, .bytes = 8, .value = 2}),
                   sum = add(&mine, (ProfileNode){.kind = NODE_SUM, .sources = {before, unnamed}, .line = 12});
    store(&mine, sum, 5);
    mine.trace.stores = 3;
    TraceView view = compared(5);
    assert_string_equal(view.writer, "It is stored by thread (1) of block (0) (line 16), after 2 other stores to it.");
    assert_string_equal(view.rows[0].term, "output[1]");
    assert_string_equal(view.rows[1].term, "memory that no kernel has written");
    end();
}

static void terms_of_three_factors_that_differ_are_told_whole(void **state)
{
    begin();
    const uint32_t w = element(&mine, "kernel", 0, 14), x = element(&mine, "input", 1, 14),
                   square = add(&mine, (ProfileNode){.kind = NODE_PRODUCT, .sources = {w, w}, .line = 14});
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_PRODUCT, .sources = {x, square}, .line = 14}), 2);
    const TraceView view = compared(2);
    assert_string_equal(view.sentence,
                        "input[1] * kernel[0] * kernel[0] is added, not input[1] * kernel[0] (line 14). 2 more "
                        "of its 3 terms differ.");
    assert_non_null(strchr(view.maps[1].cells, '!')); /* Used by both in different terms */
    end();
}

static void too_many_terms_are_not_compared(void **state)
{
    begin();
    uint32_t sum = element(&mine, "input", 1, 14);
    for (int i = 0; i < 15; i++)
        sum = add(&mine, (ProfileNode){.kind = NODE_SUM, .sources = {sum, sum}});
    store(&mine, sum, 2);
    const TraceView view = compared(2);
    assert_string_equal(view.sentence, "It has more than 20000 terms: trace a smaller case.");
    end();
}

static void right_terms_lead_to_what_follows_the_sum(void **state)
{
    begin();
    uint32_t sum = constant(&mine, 0);
    for (uint64_t k = 0; k < 3; k++)
        sum = add_product(&mine, sum, 1 + k, k);
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_LIMIT, .sources = {sum}, .line = 15, .value = 7}), 7);
    TraceView view = compared(7);
    assert_string_equal(
        view.sentence,
        "All 3 terms are those of the oracle; exactly, they add up to 20. A limit makes 7 of it (line 15).");
    end();
}

static void a_right_value_of_other_terms_is_told(void **state)
{
    begin();
    uint32_t sum = add_product(&mine, constant(&mine, 0), 1, 0);
    sum = add_product(&mine, sum, 2, 1);
    store(&mine, add_product(&mine, sum, 3, 1), 20);
    assert_string_equal(compared(20).sentence,
                        "The value is right, though a trace finds other terms: input[3] is multiplied "
                        "by kernel[1], not by kernel[2] (line 14).");
    end();
}

static void a_value_that_is_no_sum_of_products_is_told_line_by_line(void **state)
{
    begin();
    const uint32_t x = element(&mine, "input", 1, 13), half = constant(&mine, 0.5);
    const uint32_t product = add(&mine,
                                 (ProfileNode){.kind = NODE_PRODUCT, .sources = {x, half}, .line = 13, .value = 1});
    const uint32_t kept = add(&mine,
                              (ProfileNode){.kind = NODE_CONVERSION, .sources = {product}, .line = 13, .value = 1});
    const uint32_t root = add(&mine, (ProfileNode){.kind = NODE_FUNCTION, .sources = {kept}, .line = 14, .value = 2});
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_DIFFERENCE, .sources = {root, x}, .line = 15, .value = 0}), 0);
    const TraceView view = compared(0);
    assert_int_equal(view.step_count, 3);
    assert_string_equal(view.steps[0].text, "input[1] * 0.5");
    assert_string_equal(view.steps[1].text, "a function of 1");
    assert_string_equal(view.steps[2].text, "2 - input[1]");
    assert_true(view.steps[1].line == 14 && view.steps[1].value == 2);
    Text text = {0};
    trace_write(&view, (TerminalStyle){.width = 80}, &text);
    assert_non_null(strstr(text.data, "  Its last values, line by line:\n"));
    assert_non_null(strstr(text.data, "    a function of 1                     2  14\n"));
    text_free(&text);
    trace_page(&view, "t", &text);
    assert_non_null(
        strstr(text.data, "<th scope=\"row\">14</th><td><code>a function of 1</code></td><td class=\"number\">2<"));
    text_free(&text);
    end();
}

static void what_is_taken_away_again_is_no_term(void **state)
{
    begin();
    uint32_t sum = constant(&mine, 0);
    for (uint64_t k = 0; k < 3; k++)
        sum = add_product(&mine, sum, 1 + k, k);
    const uint32_t more = add_product(&mine, constant(&mine, 0), 4, 0);
    sum = add(&mine, (ProfileNode){.kind = NODE_SUM, .sources = {sum, more}});
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_DIFFERENCE, .sources = {sum, more}}), 7);
    assert_string_equal(compared(7).sentence, "All 3 terms are those of the oracle; exactly, they add up to 20.");
    end();
}

static void a_number_that_data_chose_is_one_term(void **state)
{
    begin();
    memset(&oracle.trace, 0, sizeof oracle.trace);
    store(&oracle, constant(&oracle, 20), 20);
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_SUM, .sources = {constant(&mine, 3), constant(&mine, 9)}}), 7);
    const TraceView view = compared(7);
    assert_string_equal(view.rows[0].term, "7");
    assert_non_null(strstr(view.sentence, "7 is stored, not 20"));
    end();
}

static void what_is_not_followed_is_said(void **state)
{
    begin();
    snprintf(mine.trace.unfollowed, sizeof mine.trace.unfollowed, "tensor cores");
    mine.trace.unfollowed_line = 12;
    store(&mine, add(&mine, (ProfileNode){.kind = NODE_FUNCTION, .value = 3}), 3);
    const TraceView view = compared(3);
    assert_string_equal(
        view.sentence,
        "A trace does not follow tensor cores (line 12), so some terms are unknown: the table has their values.");
    end();
}

static void the_terminal_and_the_page_show_the_same(void **state)
{
    static const TerminalStyle plain = {.width = 80};
    Text text = {0}, page = {0};
    begin();
    store(&mine, add_product(&mine, add_product(&mine, constant(&mine, 0), 1, 0), 2, 1), 8);
    const TraceView view = compared(8);
    trace_write(&view, plain, &text);
    trace_page(&view, "one", &page);
    assert_non_null(strstr(text.data, "output[1] of the case \"five\" is 8, expected 20\n"));
    assert_non_null(strstr(text.data, "    added, in this order"));
    assert_non_null(strstr(text.data, "  lines       the oracle adds\n"));
    assert_non_null(strstr(text.data,
                           "  Elements: = used as by the oracle, + only here, - only by the oracle, ! in different "
                           "terms\n"));
    assert_non_null(strstr(text.data, "  > nothing"));
    assert_non_null(strstr(text.data, "    input[0 to 4]\n      .==-.\n"));
    assert_non_null(strstr(page.data,
                           "<p><code>output[1]</code> of the case \"five\" is 8, expected 20. It is stored by "
                           "thread (1) of block (0) (line 16).</p>\n<p class=\"finding\">input[3] * kernel[2] is "
                           "missing.</p>\n"));
    assert_non_null(strstr(page.data, "<div class=\"scroll\" role=\"group\" aria-label=\"Terms of output[1]\" "
                                      "tabindex=\"0\">\n<table class=\"wide\">\n<thead><tr><th scope=\"col\"><span "
                                      "class=\"unseen\">Mark</span></th><th scope=\"col\">Added, in this order</th><th "
                                      "scope=\"col\" class=\"number\">Value</th><th scope=\"col\">Lines</th><th "
                                      "scope=\"col\">The oracle adds</th></tr></thead>\n<tbody>\n"));
    assert_non_null(strstr(page.data,
                           "<p class=\"note\">Elements that its terms use. Blue: as the oracle does. + only the "
                           "submission, - only the oracle, ! both, in different terms.</p>\n<div "
                           "class=\"plots\">\n"));
    assert_non_null(strstr(page.data, "<td>first</td><td>nothing</td>"));
    assert_non_null(strstr(page.data, "<title id=\"one-map-0-title\">Elements of input</title>"));
    assert_non_null(strstr(page.data, "Used as by the oracle: [1], [2]. Used only by the oracle: [3]. "));
    text_free(&text);
    text_free(&page);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_factor_is_named_with_its_line),
        cmocka_unit_test(a_term_that_comes_twice_is_told_with_the_one_that_never_comes),
        cmocka_unit_test(the_variables_of_loops_are_named_where_they_are_certain),
        cmocka_unit_test(missing_and_extra_terms_are_told),
        cmocka_unit_test(terms_come_through_shared_memory_with_all_their_lines),
        cmocka_unit_test(shared_memory_that_nothing_has_written_is_named),
        cmocka_unit_test(an_element_that_is_not_stored_has_no_terms),
        cmocka_unit_test(memory_that_was_there_before_is_told),
        cmocka_unit_test(terms_of_three_factors_that_differ_are_told_whole),
        cmocka_unit_test(too_many_terms_are_not_compared),
        cmocka_unit_test(right_terms_lead_to_what_follows_the_sum),
        cmocka_unit_test(a_right_value_of_other_terms_is_told),
        cmocka_unit_test(a_value_that_is_no_sum_of_products_is_told_line_by_line),
        cmocka_unit_test(what_is_taken_away_again_is_no_term),
        cmocka_unit_test(a_number_that_data_chose_is_one_term),
        cmocka_unit_test(what_is_not_followed_is_said),
        cmocka_unit_test(the_terminal_and_the_page_show_the_same),
    };
    return cmocka_run_group_tests(tests, read_problem, free_problem);
}
