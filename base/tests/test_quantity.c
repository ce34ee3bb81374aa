#include "base/tests/unit.h"

#include "base/terminal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static Quantity tenths(double share)
{
    return quantity_percent(share, 1);
}

static Quantity whole_percents(double share)
{
    return quantity_percent(share, 0);
}

typedef Quantity Form(double value);

static const struct {
    Form *form;
    double value;
    const char *text;
} rows[] = {
    {quantity_time, 0, "0 us"},
    {quantity_time, 4e-7, "<1 ns"},
    {quantity_time, 0.000412345, "412.3 ns"},
    {quantity_time, 0.0044, "4.4 us"},
    {quantity_time, 0.0412345, "41.23 us"},
    {quantity_time, 0.99999, "1000 us"},
    {quantity_time, 1.2344, "1.234 ms"},
    {quantity_time, 12345, "12.35 s"},
    {quantity_time, 36e5, "1 h"},
    {quantity_time, 1e9, "277.8 h"},
    {quantity_time, 1e15, ">9999 h"},
    {tenths, 0, "0.0 %"},
    {tenths, 1e-9, "<0.1 %"},
    {tenths, 0.0005, "0.1 %"},
    {tenths, 0.506, "50.6 %"},
    {tenths, 0.9994, "99.9 %"},
    {tenths, 0.9996, "100 %"},
    {tenths, 10.2951, "1030 %"},
    {tenths, 164.5129, "16451 %"},
    {tenths, 164512.9, ">99999 %"}, /* was "16451.29e+03 %" */
    {whole_percents, 0, "0 %"},
    {whole_percents, 0.004, "<1 %"},
    {whole_percents, 0.75, "75 %"},
    {whole_percents, 1, "100 %"},
    {quantity_rate, 0, "0"},
    {quantity_rate, 1e-9, "<0.001"},
    {quantity_rate, 0.0123, "0.012"},
    {quantity_rate, 202.36, "202.4"},
    {quantity_rate, 9999.4, "9999"},
    {quantity_rate, 9999.6, "10000"},
    {quantity_rate, 25295.1, "25295"},
    {quantity_rate, 1e8, ">9999999"},
    {quantity_ratio, 1.114, "1.11"},
    {quantity_ratio, 999.6, "1000"},
    {quantity_ratio, 123456, "123456"},
    {quantity_ratio, 0.0001, "<0.001"},
    {quantity_count, 0, "0"},
    {quantity_count, 640, "640"},
    {quantity_count, 999, "999"},
    {quantity_count, 1000, "1.0K"},
    {quantity_count, 16384, "16.4K"},
    {quantity_count, 999949, "1.0M"},
    {quantity_count, 262144000, "262M"},
    {quantity_count, 18446744073709551615.0, "18.4E"},
    {quantity_count, 1e30, ">999E"},
    {quantity_mean, 0, "0.0"},
    {quantity_mean, 31.96, "32.0"},
    {quantity_mean, 999.96, "1.0K"},
    {quantity_error, 3.14e-8, "3.1e-08"},
    {quantity_error, 0, "0"},
};

static void each_kind_of_number_has_one_form(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Quantity found = rows[i].form(rows[i].value);
        if (strcmp(found.text, rows[i].text) != 0)
            fail_test("row %zu: %g is \"%s\", expected \"%s\"", i, rows[i].value, found.text, rows[i].text);
    }
}

static Form *const forms[] = {quantity_time,  tenths,         whole_percents, quantity_rate,
                              quantity_ratio, quantity_count, quantity_mean,  quantity_error};

static void what_is_not_known_stands_as_a_dash(void **state)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        assert_string_equal(forms[i](-1).text, "-");
        assert_string_equal(forms[i](NAN).text, "-");
        assert_string_equal(forms[i](-INFINITY).text, "-");
    }
}

static void no_number_is_too_wide_or_has_an_exponent(void **state)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        for (int exponent = DBL_MIN_10_EXP; exponent <= DBL_MAX_10_EXP; exponent++)
            for (int digit = 10; digit < 100; digit++) {
                double value = (digit + 0.4999) / 10 * pow(10, exponent);
                Quantity found = forms[i](value);
                bool is_error = forms[i] == quantity_error;
                bool is_too_wide = strlen(found.text) > QUANTITY_COLUMNS;
                if (is_too_wide || (!is_error && strchr(found.text, 'e') != NULL))
                    fail_test("form %zu: %g is \"%s\"", i, value, found.text);
            }
}

static void infinities_stand_beyond_the_limit(void **state)
{
    assert_string_equal(quantity_time(INFINITY).text, ">9999 h");
    assert_string_equal(tenths(INFINITY).text, ">99999 %");
    assert_string_equal(quantity_rate(INFINITY).text, ">9999999");
    assert_string_equal(quantity_ratio(INFINITY).text, ">9999999");
    assert_string_equal(quantity_count(INFINITY).text, ">999E");
    assert_string_equal(quantity_mean(INFINITY).text, ">999E");
    assert_string_equal(quantity_error(INFINITY).text, "inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_number_has_one_form),
        cmocka_unit_test(what_is_not_known_stands_as_a_dash),
        cmocka_unit_test(no_number_is_too_wide_or_has_an_exponent),
        cmocka_unit_test(infinities_stand_beyond_the_limit),
    };
    return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
