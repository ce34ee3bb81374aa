#include "service/class/class_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HOUR_S = 3600, CLASS_DAY_S = 24 * 3600, LAST_OFFSET_HOUR = 14 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* `digits` digits, whose number is within [low, high]. */
static bool take_number(const char **at, int digits, int low, int high, int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return *value >= low && *value <= high;
}

static bool take_letter(const char **at, char letter)
{
    if (**at != letter)
        return false;
    (*at)++;
    return true;
}

/* As if it were UTC; false: there is no such day, or it is no time. */
static bool take_local(const char **at, int64_t *local_s)
{
    int year, month, day, hour, minute, second = 0;
    const bool fits = take_number(at, 4, ZONE_FIRST_YEAR, ZONE_LAST_YEAR, &year) && take_letter(at, '-') &&
                      take_number(at, 2, 1, 12, &month) && take_letter(at, '-') && take_number(at, 2, 1, 31, &day) &&
                      take_letter(at, 'T') && take_number(at, 2, 0, 23, &hour) && take_letter(at, ':') &&
                      take_number(at, 2, 0, 59, &minute) &&
                      (!take_letter(at, ':') || take_number(at, 2, 0, 59, &second));
    if (!fits)
        return false;
    struct tm parts = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute};
    parts.tm_sec = second;
    *local_s = (int64_t)timegm(&parts);
    return parts.tm_mday == day; /* timegm() turns the 31st of a shorter month into the next month's first */
}

/* "Z", "+01:00", or nothing. */
static bool take_offset(const char **at, bool *has_offset, int64_t *offset_s)
{
    int hour, minute;
    *offset_s = 0;
    *has_offset = **at != '\0';
    if (!*has_offset || take_letter(at, 'Z'))
        return **at == '\0';
    const int sign = **at == '-' ? -1 : 1;
    const bool fits = (take_letter(at, '+') || take_letter(at, '-')) &&
                      take_number(at, 2, 0, LAST_OFFSET_HOUR, &hour) && take_letter(at, ':') &&
                      take_number(at, 2, 0, 59, &minute) && **at == '\0';
    if (fits)
        *offset_s = sign * (hour * (int64_t)HOUR_S + minute * 60);
    return fits;
}

Status class_time_parse(const char *written, const Zone *zone, bool earlier, Arena *arena, ClassTime *time,
                        Message *why)
{
    const char *at = written;
    int64_t local_s, offset_s;
    bool has_offset;
    if (!take_local(&at, &local_s) || !take_offset(&at, &has_offset, &offset_s))
        return fail(
            STATUS_BAD_INPUT, why,
            "expected a time from %d to %d such as \"2026-11-09T23:59\" or \"2026-11-09T23:59+01:00\", found \"%s\"",
            ZONE_FIRST_YEAR, ZONE_LAST_YEAR, written);
    *time = (ClassTime){.written = arena_string(arena, written), .kind = LOCAL_ONCE};
    time->utc_s = has_offset ? local_s - offset_s : zone_moment(zone, local_s, earlier, &time->kind);
    return STATUS_OK;
}

ClassDeadline class_deadline_of(ClassTime due, const ClassLate *late, const Zone *zone, Arena *arena)
{
    ClassDeadline deadline = {.due = due,
                              .grace_end_s = due.utc_s + late->grace_minutes * 60,
                              .day_ends_s = arena_array(arena, (size_t)late->days, sizeof *deadline.day_ends_s),
                              .day_count = (size_t)late->days};
    const int64_t local_s = zone_local(zone, due.utc_s);
    LocalTimeKind kind;
    for (int64_t day = 0; day < late->days; day++)
        deadline.day_ends_s[day] = zone_moment(zone, local_s + (day + 1) * CLASS_DAY_S, false, &kind);
    return deadline;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static TimeText formatted(int64_t seconds_since_1970, const char *format)
{
    TimeText text;
    struct tm parts;
    const time_t seconds = (time_t)seconds_since_1970;
    gmtime_r(&seconds, &parts);
    if (strftime(text.text, sizeof text.text, format, &parts) == 0)
        snprintf(text.text, sizeof text.text, "%" PRId64, seconds_since_1970);
    return text;
}

TimeText class_time_local(const Zone *zone, int64_t utc_s)
{
    const int64_t local_s = zone_local(zone, utc_s);
    return formatted(local_s, local_s % 60 == 0 ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M:%S");
}

TimeText class_time_utc(int64_t utc_s)
{
    return formatted(utc_s, "%Y-%m-%dT%H:%M:%SZ");
}
