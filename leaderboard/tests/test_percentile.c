#include "base/tests/unit.h"

#include "leaderboard/store.h"

#include <stdlib.h>
#include <string.h>

/* With an uncertainty of 0.5 % each, times tie if they are at most 0.71 % apart. */
static const struct {
    const char *what;
    double mine, others[4];
    size_t n, slower, tied, faster;
    double value, low, high;
} rows[] = {
    {"faster than all", 1, {2, 3, 4, 5}, 4, 4, 0, 0, 100, 100, 100},
    {"slower than all", 9, {2, 3, 4, 5}, 4, 0, 0, 4, 0, 0, 0},
    {"in the middle", 3.5, {2, 3, 4, 5}, 4, 2, 0, 2, 50, 50, 50},
    {"a tie counts half", 3.01, {2, 3, 4, 5}, 4, 2, 1, 1, 62.5, 50, 75},
    {"all tie", 1, {1, 1, 1.005, 0.995}, 4, 0, 4, 0, 50, 0, 100},
    {"just beyond a tie", 1, {1.0072}, 1, 1, 0, 0, 100, 100, 100},
    {"just a tie", 1, {1.0070}, 1, 0, 1, 0, 50, 0, 100},
};

static void percentiles_follow_the_definition(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        MeasuredTime others[4];
        for (size_t k = 0; k < rows[i].n; k++)
            others[k] = (MeasuredTime){rows[i].others[k], 0.005};
        Percentile got = percentile_among((MeasuredTime){rows[i].mine, 0.005}, others, rows[i].n);
        if (got.n != rows[i].n || got.slower != rows[i].slower || got.tied != rows[i].tied ||
            got.faster != rows[i].faster)
            fail_test("%s: %zu slower, %zu tied, %zu faster", rows[i].what, got.slower, got.tied, got.faster);
        assert_true(got.value == rows[i].value && got.low == rows[i].low && got.high == rows[i].high);
    }
}

static void nobody_else_makes_no_percentile(void **state)
{
    assert_int_equal(percentile_among((MeasuredTime){1, 0.005}, NULL, 0).n, 0);
}

static StoredRun run(const char *person, const char *code, double ms, const char *time_utc)
{
    return (StoredRun){.time_utc = time_utc, .person = person, .machine_code = code, .time = {ms, 0.005}};
}

static void the_class_has_each_person_once_with_the_best_code(void **state)
{
    Arena arena = {0};
    size_t count;
    const StoredRun runs[] = {run("ann", "a", 4, "1"), run("bob", "b", 3, "2"), run("ann", "c", 2, "3")};
    Standing *standings = standings_of(runs, COUNT_OF(runs), &arena, &count);
    assert_int_equal(count, 2);
    assert_string_equal(standings[0].person, "ann");
    assert_true(standings[0].time.ms == 2 && standings[0].rank == 1 && standings[0].percentile.n == 1);
    assert_string_equal(standings[1].person, "bob");
    assert_int_equal(standings[1].rank, 2);
    arena_free(&arena);
}

static void sending_the_same_code_again_does_not_fish_for_luck(void **state)
{
    Arena arena = {0};
    size_t count;
    const StoredRun runs[] = {run("ann", "a", 5, "1"), run("ann", "a", 1, "2"), run("ann", "a", 4, "3")};
    Standing *standings = standings_of(runs, COUNT_OF(runs), &arena, &count);
    assert_int_equal(count, 1);
    assert_true(standings[0].time.ms == 4);
    assert_string_equal(standings[0].time_utc, "3");
    arena_free(&arena);
}

/* A rival whose code is the same could slow its runs down in other ways, and pull the victim's time with them. */
static void runs_of_another_person_are_not_pooled(void **state)
{
    Arena arena = {0};
    size_t count;
    const StoredRun runs[] = {run("ann", "a", 1, "1"), run("eve", "a", 90, "2"), run("eve", "a", 90, "3")};
    Standing *standings = standings_of(runs, COUNT_OF(runs), &arena, &count);
    assert_int_equal(count, 2);
    assert_true(strcmp(standings[0].person, "ann") == 0 && standings[0].time.ms == 1);
    assert_true(strcmp(standings[1].person, "eve") == 0 && standings[1].time.ms == 90);
    arena_free(&arena);
}

static void times_that_tie_share_a_rank(void **state)
{
    Arena arena = {0};
    size_t count;
    const StoredRun runs[] = {run("a", "1", 1.000, ""), run("b", "2", 1.004, ""), run("c", "3", 1.5, "")};
    Standing *standings = standings_of(runs, COUNT_OF(runs), &arena, &count);
    assert_int_equal(standings[0].rank, 1);
    assert_int_equal(standings[1].rank, 1);
    assert_int_equal(standings[2].rank, 3);
    arena_free(&arena);
}

/* Times of few and of many people, close together and far apart, of like and of unlike uncertainty, among them 0 and 1. */
static void all_among_all_are_as_each_among_the_others(void **state)
{
    static const size_t counts[] = {1, 2, 3, 7, 64, 333};
    static const double spreads[] = {0, 1e-6, 0.01, 3}, uncertainties[] = {0, 0.001, 0.05, 1};
    static const char *const models[] = {NULL, "", "lsu 0.29", "lsu 0.1, dram 0.2", "dram 0.6, textures 0.3"};
    enum { MOST = 333 };
    MeasuredTime times[MOST], others[MOST];
    Percentile got[MOST];
    srand(7);
    for (size_t row = 0; row < COUNT_OF(counts) * COUNT_OF(spreads) * COUNT_OF(uncertainties); row++) {
        const size_t count = counts[row % COUNT_OF(counts)];
        const double spread = spreads[row / COUNT_OF(counts) % COUNT_OF(spreads)];
        const double most = uncertainties[row / COUNT_OF(counts) / COUNT_OF(spreads)];
        for (size_t i = 0; i < count; i++)
            times[i] = time_made(1 + spread * (rand() % 1000) / 1000, most * (rand() % 5) / 4,
                                 models[row % 2 == 0 ? 0 : (size_t)rand() % COUNT_OF(models)]);
        percentiles_among_all(times, count, got);
        for (size_t i = 0; i < count; i++) {
            memcpy(others, times, sizeof others);
            others[i] = others[count - 1];
            const Percentile expected = percentile_among(times[i], others, count - 1);
            if (memcmp(&expected, &got[i], sizeof expected) != 0)
                fail_test(
                    "%zu people, spread %g, uncertainty %g, number %zu: %zu slower, %zu faster, expected %zu, %zu",
                    count, spread, most, i, got[i].slower, got[i].faster, expected.slower, expected.faster);
        }
    }
}

/* Where the same limits both, the model errs alike; else both intervals decide. */
static void modelled_times_tie_by_what_the_model_does_not_compute_alike(void **state)
{
    static const struct {
        const char *a, *b;
        double least; /* ratio from which on b is slower */
    } rows[] = {
        {"lsu 0.3", "lsu 0.3", 1.0071}, /* the samples alone, 0.5 % each */
        {"lsu 0.3, textures 0.4", "lsu 0.3, textures 0.4", 1.0071},
        {"lsu 0.3", "dram 0.4", 1.6487},              /* exp(0.5), by Pythagoras */
        {"lsu 0.3", "lsu 0.3, textures 0.3", 1.3499}, /* exp(0.3) */
        {"lsu 0.2, dram 0.1", "lsu 0.3", 1.1519},     /* in one case of three another limit */
        {"", "lsu 0.3", 1.3499},
        {NULL, NULL, 1.0071},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int turned = 0; turned < 2; turned++) {
            const char *a = turned ? rows[i].b : rows[i].a, *b = turned ? rows[i].a : rows[i].b;
            const MeasuredTime fast = time_made(2, 0.005, a);
            MeasuredTime slow = time_made(2 * rows[i].least * 1.002, 0.005, b);
            if (!time_is_faster(fast, slow) || time_is_faster(slow, fast))
                fail_test("row %zu: a tie beyond %g", i, rows[i].least);
            slow.ms = 2 * rows[i].least * 0.998;
            if (time_is_faster(fast, slow) || time_is_faster(slow, fast))
                fail_test("row %zu: no tie below %g", i, rows[i].least);
        }
}

static void the_terms_of_a_model_give_its_factor(void **state)
{
    static const struct {
        const char *model;
        bool is_valid;
        double factor;
    } rows[] = {
        {NULL, true, 1},      {"", true, 1},         {"lsu 0.25, dram 0.5", true, 2.117}, {"lsu", false, 1},
        {"lsu -1", false, 1}, {"lsu nan", false, 1}, {"lsu 0.25;", false, 1.284},         {"lsu 1e9", false, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const MeasuredTime time = time_made(1, 0.005, rows[i].model);
        if (time_model_is_valid(time.model) != rows[i].is_valid ||
            !(time_model_factor(time) > rows[i].factor - 1e-3 && time_model_factor(time) < rows[i].factor + 1e-3))
            fail_test("row %zu: a factor of %g", i, time_model_factor(time));
        assert_true(time_reach(time) == (rows[i].factor > 1 ? time_model_factor(time) - 1 : 0.005));
    }
}

static void an_empty_class_has_no_standings(void **state)
{
    Arena arena = {0};
    size_t count = 7;
    standings_of(NULL, 0, &arena, &count);
    assert_int_equal(count, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_follow_the_definition),
        cmocka_unit_test(nobody_else_makes_no_percentile),
        cmocka_unit_test(the_class_has_each_person_once_with_the_best_code),
        cmocka_unit_test(sending_the_same_code_again_does_not_fish_for_luck),
        cmocka_unit_test(runs_of_another_person_are_not_pooled),
        cmocka_unit_test(times_that_tie_share_a_rank),
        cmocka_unit_test(all_among_all_are_as_each_among_the_others),
        cmocka_unit_test(modelled_times_tie_by_what_the_model_does_not_compute_alike),
        cmocka_unit_test(the_terms_of_a_model_give_its_factor),
        cmocka_unit_test(an_empty_class_has_no_standings),
    };
    return cmocka_run_group_tests_name("percentile", tests, NULL, NULL);
}
