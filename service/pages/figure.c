#include "service/pages/figure.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NO_BREAK "\u00A0"

static const struct Unit {
    const char *name;
    double ms;
} units[] = {{"ns", 1e-6}, {"µs", 1e-3}, {"ms", 1}, {"s", 1e3}};

__attribute__((format(printf, 1, 2))) static Figure figure(const char *format, ...)
{
    Figure made;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    return made;
}

/* A quantity of the terminal, in print. */
static Figure in_print(Quantity quantity)
{
    const char *space = strchr(quantity.text, ' ');
    if (space == NULL)
        return figure("%s", quantity.text);
    const char *unit = strcmp(space + 1, "us") == 0 ? "µs" : space + 1;
    return figure("%.*s" NO_BREAK "%s", (int)(space - quantity.text), quantity.text, unit);
}

Figure figure_time(double ms)
{
    return in_print(quantity_time(ms));
}

Figure figure_percent(double share)
{
    return in_print(quantity_percent(share, 1));
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

/* How many decimals a number with this uncertainty has; negative: that many digits before the point are 0. */
static int decimals_for(double uncertainty)
{
    double rounded = uncertainty * (1 + 1e-9); /* 0.2 stays 0.2 whatever its last bit */
    int place = (int)floor(log10(rounded));
    bool begins_with_one = rounded / pow(10, place) < 1.95;
    return -place + (begins_with_one ? 1 : 0);
}

static double round_to(double value, int decimals)
{
    double step = pow(10, -decimals);
    return round(value / step) * step;
}

Figure figure_whole(double number)
{
    char digits[40];
    Figure grouped = {{0}};
    if (isnan(number) || fabs(number) > 1e15)
        return figure("-");
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(number)), at = 0;
    if (number <= -0.5)
        grouped.text[at++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            grouped.text[at++] = ',';
        grouped.text[at++] = digits[i];
    }
    return grouped;
}

Figure figure_within(double value, double uncertainty)
{
    if (isnan(value) || value < 0)
        return figure("-");
    if (!(uncertainty > 0) || value == 0)
        return in_print(quantity_rate(value));
    int decimals = decimals_for(value * uncertainty);
    double rounded = round_to(value, decimals);
    return decimals > 0 ? figure("%.*f", decimals > 9 ? 9 : decimals, rounded) : figure_whole(rounded);
}

Figure figure_measured(MeasuredTime time)
{
    const struct Unit *unit = units;
    if (!(time.ms > 0) || !(time.uncertainty > 0) || time.ms < units[0].ms)
        return time.ms > 0 ? figure_time(time.ms) : figure("-");
    while (unit < units + sizeof units / sizeof *units - 1 && time.ms >= unit[1].ms)
        unit++;
    double value = time.ms / unit->ms, spread = value * time.uncertainty;
    int decimals = decimals_for(spread), shown = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    return figure("%.*f" NO_BREAK "±" NO_BREAK "%.*f" NO_BREAK "%s", shown, round_to(value, decimals), shown,
                  round_to(spread, decimals), unit->name);
}

/* ---- other units ------------------------------------------------------------------------------------------------- */

Figure figure_bytes(double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    return figure(bytes < 10 && unit > 0 ? "%.1f" NO_BREAK "%s" : "%.0f" NO_BREAK "%s", bytes, names[unit]);
}

Figure figure_duration(double seconds)
{
    if (seconds < 90)
        return figure("%.0f" NO_BREAK "s", ceil(seconds));
    if (seconds < 90 * 60)
        return figure("%.0f" NO_BREAK "min", ceil(seconds / 60));
    return figure("%.0f" NO_BREAK "h", ceil(seconds / 3600));
}

/* ---- times of the day -------------------------------------------------------------------------------------------- */

typedef struct FigureMoment {
    int year, month, day, hour, minute;
} FigureMoment;

static bool read_moment(const char *text, FigureMoment *moment)
{
    int count = sscanf(text, "%4d-%2d-%2dT%2d:%2d", &moment->year, &moment->month, &moment->day, &moment->hour,
                       &moment->minute);
    return count == 5 && moment->month >= 1 && moment->month <= 12;
}

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

Figure figure_moment(const char *time_utc)
{
    FigureMoment moment;
    if (!read_moment(time_utc, &moment))
        return figure("%.60s", time_utc);
    return figure("%d" NO_BREAK "%s" NO_BREAK "%d, %02d:%02d" NO_BREAK "UTC", moment.day, months[moment.month - 1],
                  moment.year, moment.hour, moment.minute);
}

Figure figure_day(const char *time_utc)
{
    FigureMoment moment;
    if (!read_moment(time_utc, &moment))
        return figure("%.60s", time_utc);
    return figure("%d" NO_BREAK "%s" NO_BREAK "%d", moment.day, months[moment.month - 1], moment.year);
}
