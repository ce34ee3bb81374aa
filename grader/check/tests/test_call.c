#include "grader/check/tests/checker_bench.h"

#include "grader/check/call.h"

/* The judge keeps no copy of them: the generator makes them again, with the same key. */
static void inputs_of_the_case_before_are_made_again(void **state)
{
    const GeneratorKey secret = {{7}};
    Bench bench;
    Call call, call_before;
    Comparison comparison;
    EarlierInputs earlier = {0};
    Message why = {0};
    float w[9], of_the_call[9];
    bench_open(&bench, 30, 50);
    Testcase before = *bench.testcase;
    before.sources[1] = (CaseSource){.kind = SOURCE_UNIFORM, .a = -1, .b = 1};
    testcase_fill(&bench.problem, &before, 1, &secret, w, 9);
    memcpy(of_the_call, bench.w, sizeof w);
    memcpy(bench.w, w, sizeof w);
    fill_right(&bench);
    memcpy(bench.w, of_the_call, sizeof w);
    if (call_describe(&bench.problem, &before, &call_before, &why) != STATUS_OK ||
        call_describe(&bench.problem, bench.testcase, &call, &why) != STATUS_OK)
        fail_test("%s", why.text);
    call.arguments[0].data = bench.x;
    call.arguments[1].data = bench.w;
    call.arguments[2].data = call.arguments[2].result = bench.y;
    assert_int_equal(call_compare(&call, bench.oracle, &earlier, &comparison, &why), STATUS_OK);
    assert_int_equal(comparison.kind.nature, WRONG_NATURE_UNKNOWN);
    earlier_inputs_note(&earlier, &call_before, &(GeneratorKey){{8}});
    assert_int_equal(call_compare(&call, bench.oracle, &earlier, &comparison, &why), STATUS_OK);
    assert_int_equal(comparison.kind.nature, WRONG_NATURE_UNKNOWN);
    earlier_inputs_note(&earlier, &call_before, &secret);
    assert_int_equal(call_compare(&call, bench.oracle, &earlier, &comparison, &why), STATUS_OK);
    assert_int_equal(comparison.kind.nature, WRONG_NATURE_STALE);
    bench_close(&bench);
}

/* Such as those of a filter that was copied to constant memory, where zeros lie behind them. */
static void inputs_of_the_case_before_may_be_fewer(void **state)
{
    const GeneratorKey secret = {{7}};
    Bench bench;
    Call call, call_before;
    Comparison comparison;
    EarlierInputs earlier = {0};
    Message why = {0};
    bench_open(&bench, 30, 50);
    Testcase before = *bench.testcase;
    before.sizes.values[3] = 20;
    if (call_describe(&bench.problem, &before, &call_before, &why) != STATUS_OK ||
        call_describe(&bench.problem, bench.testcase, &call, &why) != STATUS_OK)
        fail_test("%s", why.text);
    float *own = bench.x;
    bench.x = calloc(call.counts[0], sizeof *bench.x);
    testcase_fill(&bench.problem, &before, 0, &secret, bench.x, call_before.counts[0]);
    fill_right(&bench);
    call.arguments[0].data = own;
    call.arguments[1].data = bench.w;
    call.arguments[2].data = call.arguments[2].result = bench.y;
    call.arguments[2].poison_bits = POISON;
    earlier_inputs_note(&earlier, &call_before, &secret);
    assert_int_equal(call_compare(&call, bench.oracle, &earlier, &comparison, &why), STATUS_OK);
    assert_int_equal(comparison.kind.nature, WRONG_NATURE_STALE);
    free(own);
    bench_close(&bench);
}

/* Such as a bias that was copied to constant memory by the first call. */
static void inputs_of_the_first_case_are_made_again(void **state)
{
    const GeneratorKey secret = {{7}};
    Bench bench;
    Call call;
    Comparison comparison;
    EarlierInputs earlier = {0};
    Message why = {0};
    float w[9], of_the_call[9];
    bench_open(&bench, 30, 50);
    Testcase cases[] = {*bench.testcase, *bench.testcase};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        cases[i].sources[1] = (CaseSource){.kind = SOURCE_UNIFORM, .a = -1, .b = 1, .seed = i};
        if (call_describe(&bench.problem, &cases[i], &call, &why) != STATUS_OK)
            fail_test("%s", why.text);
        earlier_inputs_note(&earlier, &call, &secret);
    }
    testcase_fill(&bench.problem, &cases[0], 1, &secret, w, 9);
    memcpy(of_the_call, bench.w, sizeof w);
    memcpy(bench.w, w, sizeof w);
    fill_right(&bench);
    memcpy(bench.w, of_the_call, sizeof w);
    call.arguments[0].data = bench.x;
    call.arguments[1].data = bench.w;
    call.arguments[2].data = call.arguments[2].result = bench.y;
    assert_int_equal(call_compare(&call, bench.oracle, &earlier, &comparison, &why), STATUS_OK);
    assert_int_equal(comparison.kind.nature, WRONG_NATURE_STALE);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_of_the_case_before_are_made_again),
        cmocka_unit_test(inputs_of_the_case_before_may_be_fewer),
        cmocka_unit_test(inputs_of_the_first_case_are_made_again),
    };
    return cmocka_run_group_tests(tests, make_problem, home_remove);
}
