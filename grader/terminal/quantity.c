#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static const double LEAST_SHOWN = 0.001; /* of rates and ratios */
static const double MOST_SHOWN = 9999999, MOST_PERCENT = 99999, MOST_HOURS = 9999;

__attribute__((format(printf, 1, 2))) static Quantity quantity(const char *format, ...)
{
    Quantity made;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    return made;
}

static bool is_absent(double value)
{
    return isnan(value) || value < 0;
}

/* `digits` digits, or all digits before the point, for which %g would write an exponent. */
static Quantity with_digits(double value, int digits)
{
    if (is_absent(value))
        return quantity("-");
    if (value > 0 && value < LEAST_SHOWN)
        return quantity("<%g", LEAST_SHOWN);
    if (value > MOST_SHOWN)
        return quantity(">%.0f", MOST_SHOWN);
    return value < pow(10, digits) - 0.5 ? quantity("%.*g", digits, value) : quantity("%.0f", value);
}

Quantity quantity_time(double ms)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}, {"h", 3600e3}};
    enum { HOURS = sizeof units / sizeof *units - 1 };
    int unit = 0;
    if (is_absent(ms))
        return quantity("-");
    if (ms == 0)
        return quantity("0 us");
    if (ms < units[0].ms)
        return quantity("<1 ns");
    while (unit < HOURS && ms >= units[unit + 1].ms)
        unit++;
    if (ms > MOST_HOURS * units[HOURS].ms)
        return quantity(">%.0f h", MOST_HOURS);
    return quantity("%.4g %s", ms / units[unit].ms, units[unit].name);
}

Quantity quantity_percent(double share, int decimals)
{
    double percent = 100 * share, step = pow(10, -decimals);
    if (is_absent(percent))
        return quantity("-");
    if (percent > MOST_PERCENT)
        return quantity(">%.0f %%", MOST_PERCENT);
    if (percent > 0 && percent < step / 2)
        return quantity("<%g %%", step);
    return quantity("%.*f %%", percent < 100 - step / 2 ? decimals : 0, percent);
}

Quantity quantity_rate(double rate)
{
    return with_digits(rate, rate < 0.1 ? 2 : 4);
}

Quantity quantity_ratio(double ratio)
{
    return with_digits(ratio, 3);
}

Quantity quantity_count(double count)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    enum { LARGEST = sizeof units / sizeof *units - 1 };
    int unit = 0;
    if (is_absent(count))
        return quantity("-");
    for (; unit < LARGEST && count >= 999.5; unit++)
        count /= 1000;
    if (count >= 999.5)
        return quantity(">999%s", units[LARGEST]);
    return quantity("%.*f%s", unit == 0 || count >= 99.95 ? 0 : 1, count, units[unit]);
}

Quantity quantity_mean(double mean)
{
    return mean >= 0 && mean < 999.95 ? quantity("%.1f", mean) : quantity_count(mean);
}

Quantity quantity_error(double error)
{
    return is_absent(error) ? quantity("-") : quantity("%.2g", error);
}
