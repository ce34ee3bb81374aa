#include "service/web/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define S "\u00A0"

static void digits_of_a_time_follow_its_uncertainty(void **state)
{
    static const struct {
        MeasuredTime time;
        const char *expected;
    } rows[] = {
        {{.ms = 0.16271455, .uncertainty = 0.005}, "162.7" S "±" S "0.8" S "µs"},
        {{.ms = 0.0516, .uncertainty = 0.05}, "52" S "±" S "3" S "µs"},
        {{.ms = 0.0516, .uncertainty = 0.1}, "52" S "±" S "5" S "µs"},
        {{.ms = 1.2347, .uncertainty = 0.002}, "1.235" S "±" S "0.002" S "ms"},
        {{.ms = 0.9390215, .uncertainty = 0.3}, "900" S "±" S "300" S "µs"},
        {{0.1582, 0.005, "lsu 0.2927"}, "158.2" S "µs" S "(118–212)"},
        {{1.2347, 0.002, "dram 0.6259"}, "1.235" S "ms" S "(0.660–2.31)"},
        {{.ms = 12345, .uncertainty = 0.01}, "12.35" S "±" S "0.12" S "s"},
        {{.ms = 0.05, .uncertainty = 0}, "50" S "µs"},
        {{.ms = 0, .uncertainty = 0.5}, "-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(figure_measured(rows[i].time).text, rows[i].expected);
}

static void digits_of_a_rate_follow_its_uncertainty(void **state)
{
    assert_string_equal(figure_within(4497.7135, 0.005).text, "4,500");
    assert_string_equal(figure_within(164.929, 0.005).text, "164.9");
    assert_string_equal(figure_within(0.1559, 0.005).text, "0.1559");
    assert_string_equal(figure_within(NAN, 0.005).text, "-");
    assert_string_equal(figure_within(0, 0.005).text, "0");
}

static void whole_numbers_stand_in_groups_of_three(void **state)
{
    assert_string_equal(figure_whole(0).text, "0");
    assert_string_equal(figure_whole(999).text, "999");
    assert_string_equal(figure_whole(1500000).text, "1,500,000");
    assert_string_equal(figure_whole(-1234).text, "-1,234");
    assert_string_equal(figure_whole(NAN).text, "-");
}

static void moments_are_shown_with_their_zone(void **state)
{
    assert_string_equal(figure_moment("2026-01-31T12:05:00Z").text, "31" S "Jan" S "2026, 12:05" S "UTC");
    assert_string_equal(figure_day("2026-01-31T12:05:00Z").text, "31" S "Jan" S "2026");
    assert_string_equal(figure_moment("yesterday").text, "yesterday");
    ZoneOffset offset = {.from_s = INT64_MIN, .offset_s = 13 * 3600};
    const Zone zone = {"Pacific/Somewhere", &offset, 1};
    moments_show_in(&zone);
    assert_string_equal(figure_moment("2026-01-31T12:05:00Z").text, "1" S "Feb" S "2026, 01:05");
    assert_string_equal(figure_day("2026-01-31T12:05:00Z").text, "1" S "Feb" S "2026");
    assert_string_equal(figure_moment("yesterday").text, "yesterday");
    moments_show_in(NULL);
}

static void bytes_and_durations_have_the_unit_that_suits(void **state)
{
    assert_string_equal(figure_bytes(512).text, "512" S "B");
    assert_string_equal(figure_bytes(262144).text, "256" S "KiB");
    assert_string_equal(figure_bytes(1.5 * 1048576).text, "1.5" S "MiB");
    assert_string_equal(figure_duration(12.2).text, "13" S "s");
    assert_string_equal(figure_duration(200).text, "4" S "min");
    assert_string_equal(figure_duration(7000).text, "2" S "h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_of_a_time_follow_its_uncertainty),
        cmocka_unit_test(digits_of_a_rate_follow_its_uncertainty),
        cmocka_unit_test(whole_numbers_stand_in_groups_of_three),
        cmocka_unit_test(moments_are_shown_with_their_zone),
        cmocka_unit_test(bytes_and_durations_have_the_unit_that_suits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
