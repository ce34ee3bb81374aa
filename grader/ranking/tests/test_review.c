#include "base/tests/unit.h"

#include "grader/ranking/review.h"
#include "grader/tests/made_up.h"

#include <math.h>
#include <stdio.h>

/* A result with two timed cases, and a second sitting with the same ones. The direct roofline of a case is 0.5 us, the time
 * of its 500,000 bytes. */
typedef struct Reviewed {
    CaseResult cases[2], again[2];
    Result result, second;
    Problem problem;
} Reviewed;

static void begin(Reviewed *reviewed, double us_a, double us_b, double again_a, double again_b)
{
    const double times[] = {us_a, us_b, again_a, again_b};
    CaseResult *items[] = {&reviewed->cases[0], &reviewed->cases[1], &reviewed->again[0], &reviewed->again[1]};
    for (size_t i = 0; i < COUNT_OF(items); i++)
        *items[i] = made_up_timed_case(i % 2 == 0 ? "a" : "b", 1e-6 * times[i]);
    reviewed->problem = made_up_problem;
    reviewed->problem.review_factor = 1.3;
    reviewed->result = made_up_result(reviewed->cases, 2);
    reviewed->second = made_up_result(reviewed->again, 2);
    reviewed->result.problem = reviewed->second.problem = &reviewed->problem;
    reviewed->result.second = &reviewed->second;
    for (size_t i = 0; i < COUNT_OF(items); i++)
        result_time_case(items[i], &reviewed->result.device);
}

static void end(Reviewed *reviewed)
{
    forget_samples(reviewed->cases, 2);
    forget_samples(reviewed->again, 2);
}

static void judged(Reviewed *reviewed, const KnownTime *known, const char *expected)
{
    char text[300];
    review_judge(&reviewed->result, known, text, sizeof text);
    assert_string_equal(text, expected);
    end(reviewed);
}

static void a_case_beyond_the_factor_is_suspect_the_farthest_one_first(void **state)
{
    static const struct {
        double known_a_us, known_b_us;
        int suspect; /* of the cases, which take 10 us each; -1: none */
    } rows[] = {{12.9, 12.9, -1}, {13.1, 12.9, 0}, {12.9, 13.1, 1}, {14, 20, 1}, {20, 14, 0}, {5, 5, -1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Reviewed reviewed;
        begin(&reviewed, 10, 10, 10, 10);
        const KnownTime known[] = {{.best_ms = 1e-3 * rows[i].known_a_us}, {.best_ms = 1e-3 * rows[i].known_b_us}};
        const CaseResult *expected = rows[i].suspect < 0 ? NULL : &reviewed.cases[rows[i].suspect];
        if (review_suspect(&reviewed.result, known) != expected)
            fail_test("row %zu: another case than number %d", i, rows[i].suspect);
        end(&reviewed);
    }
}

static void the_problem_names_the_factor(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 10, 10, 10);
    const KnownTime known[] = {{.best_ms = 15e-3}, {.best_ms = 10e-3}};
    reviewed.problem.review_factor = 1.6;
    assert_null(review_suspect(&reviewed.result, known));
    reviewed.problem.review_factor = 1.4;
    assert_ptr_equal(review_suspect(&reviewed.result, known), &reviewed.cases[0]);
    end(&reviewed);
}

static void where_nothing_is_known_the_roofline_stands_in(void **state)
{
    static const KnownTime nothing[2];
    Reviewed reviewed;
    begin(&reviewed, 0.39, 0.39, 0.39, 0.39); /* 1.28 times faster than the roofline */
    assert_null(review_suspect(&reviewed.result, nothing));
    end(&reviewed);
    begin(&reviewed, 0.39, 0.38, 0.39, 0.38);
    assert_ptr_equal(review_suspect(&reviewed.result, nothing), &reviewed.cases[1]);
    reviewed.cases[0].roofline = reviewed.cases[1].roofline = 0; /* unknown */
    assert_non_null(review_suspect(&reviewed.result, nothing));
    end(&reviewed);
}

static const KnownTime slow[] = {{.best_ms = 1, .of = "naive.cu", .vetted_ms = 1},
                                 {.best_ms = 1, .of = "naive.cu", .vetted_ms = 1}};

static void equal_sittings_need_not_wait(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 20, 10.4, 19.1);
    judged(&reviewed, slow, "");
}

static void sittings_that_differ_wait(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 20, 10, 21.1);
    judged(&reviewed, slow, "\"b\" took 20 us, and 21.1 us in a second sitting");
    begin(&reviewed, 10, 20, 9.4, 20);
    judged(&reviewed, slow, "\"a\" took 10 us, and 9.4 us in a second sitting");
    begin(&reviewed, 10, 20, 10, 20);
    reviewed.again[1].time.ms = NAN;
    judged(&reviewed, slow, "\"b\" has no time in the second sitting");
}

static void uncertain_times_may_differ_by_twice_their_uncertainty(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 20, 10, 23);
    reviewed.cases[1].time.uncertainty = reviewed.again[1].time.uncertainty = 0.05; /* 2 sqrt(1 + 1.15^2) = 3.05 us */
    judged(&reviewed, slow, "");
    begin(&reviewed, 10, 20, 10, 23.2);
    reviewed.cases[1].time.uncertainty = reviewed.again[1].time.uncertainty = 0.05;
    judged(&reviewed, slow, "\"b\" took 20 us, and 23.2 us in a second sitting");
}

static void beyond_twice_the_roofline_waits_unless_it_is_known_to_be_possible(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 0.26, 10, 0.26);
    judged(&reviewed, slow, "");
    begin(&reviewed, 10, 0.24, 10, 0.24);
    judged(&reviewed, slow, "\"b\" took 240 ns, 2.08 times faster than the direct roofline");
    KnownTime possible[] = {slow[0], slow[1]};
    possible[1].vetted_ms = 0.3e-3;
    begin(&reviewed, 10, 0.24, 10, 0.24);
    judged(&reviewed, possible, "");
    possible[1].vetted_ms = 0.35e-3; /* a run that nobody looked at does not make it possible */
    possible[1].best_ms = 0.25e-3;
    begin(&reviewed, 10, 0.24, 10, 0.24);
    judged(&reviewed, possible, "\"b\" took 240 ns, 2.08 times faster than the direct roofline");
}

static void a_second_sitting_that_does_not_count_waits(void **state)
{
    Reviewed reviewed;
    begin(&reviewed, 10, 20, 10, 20);
    reviewed.second.verdict = VERDICT_WRONG_ANSWER;
    judged(&reviewed, slow, "in a second sitting it got Wrong Answer");
    begin(&reviewed, 10, 20, 10, 20);
    reviewed.second.verdict = VERDICT_TIME_LIMIT_EXCEEDED;
    judged(&reviewed, slow, "the grading had too little time left for a second sitting");
    begin(&reviewed, 10, 20, 10, 20);
    snprintf(reviewed.second.unsteady, sizeof reviewed.second.unsteady, "the GPU was disturbed: another process");
    judged(&reviewed, slow, "in a second sitting, the GPU was disturbed: another process");
    begin(&reviewed, 10, 20, 10, 20);
    strcpy(reviewed.second.compiled.machine_code.hex, "beef");
    judged(&reviewed, slow, "the compiler made different code for the second sitting");
}

/* Without doubts, with any lead where the code is unknown, and beyond the factor (1.3) with another doubt. */
static void a_modelled_time_ahead_of_all_others_waits_where_the_model_is_not_sure(void **state)
{
    static const struct {
        DeviceStatistics statistics;
        double known_us; /* of the second case, which takes 10 us */
        const char *why; /* NULL: it need not wait */
    } rows[] = {
        {{.is_doubtful = true}, 11, "the model cannot relate a kernel's machine code to its PTX"},
        {{.is_doubtful = true}, 9, NULL},
        {{.limiter = "lsu"}, 50, NULL},
        {{.counters.texture_requests = 1}, 12, NULL},
        {{.counters.texture_requests = 1}, 14, "a kernel fetches from textures"},
        {{.waits_for_host = true}, 14, "the device waits for the host between two operations"},
        {{.sampled_share = 0.01}, 14, "less than a twentieth of a kernel's blocks was simulated"},
    };
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        const bool is_modelled = i < COUNT_OF(rows); /* a clock has no doubts */
        const char *why = is_modelled ? rows[i].why : NULL;
        Reviewed reviewed;
        char text[300] = "", expected[300] = "";
        begin(&reviewed, 10, 10, 10, 10);
        reviewed.result.device.modelled = is_modelled;
        reviewed.cases[1].statistics = rows[i % COUNT_OF(rows)].statistics;
        const KnownTime known[] = {{.best_ms = 1e-3 * 5}, {.best_ms = 1e-3 * rows[i % COUNT_OF(rows)].known_us}};
        assert_int_equal(review_doubts(&reviewed.result, known, text, sizeof text), why != NULL);
        if (why != NULL)
            snprintf(expected, sizeof expected, "\"b\" took 10 us, but the model is not sure of that: %s", why);
        assert_string_equal(text, expected);
        end(&reviewed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_beyond_the_factor_is_suspect_the_farthest_one_first),
        cmocka_unit_test(the_problem_names_the_factor),
        cmocka_unit_test(where_nothing_is_known_the_roofline_stands_in),
        cmocka_unit_test(equal_sittings_need_not_wait),
        cmocka_unit_test(sittings_that_differ_wait),
        cmocka_unit_test(uncertain_times_may_differ_by_twice_their_uncertainty),
        cmocka_unit_test(beyond_twice_the_roofline_waits_unless_it_is_known_to_be_possible),
        cmocka_unit_test(a_modelled_time_ahead_of_all_others_waits_where_the_model_is_not_sure),
        cmocka_unit_test(a_second_sitting_that_does_not_count_waits),
    };
    return cmocka_run_group_tests_name("review", tests, NULL, NULL);
}
