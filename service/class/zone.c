#include "service/class/zone.h"

#include "base/allocated.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WEEK_S = 7 * 24 * 3600, DAY_OF_ZONE_S = 24 * 3600 };

/* Where Debian's tzdata lies, and what the C library takes for the zone if TZ is not set. */
static const char FOLDER[] = "/usr/share/zoneinfo", DEFAULT_ZONE[] = ":/etc/localtime";

/* ---- the system's zones ------------------------------------------------------------------------------------------ */

static bool is_zone_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return name[0] != '\0' && name[0] != '/' && strspn(name, letters) == strlen(name) && strlen(name) < 100;
}

/* The C library takes a zone that it does not know for UTC, and says nothing. */
static Status check_zone(const char *name, Message *why)
{
    char path[256], magic[4] = "";
    if (access(FOLDER, F_OK) != 0)
        return fail(STATUS_NOT_FOUND, why, "this system has no time zones (%s): install the package tzdata", FOLDER);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    FILE *file = is_zone_name(name) ? fopen(path, "rb") : NULL;
    const bool is_known = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                          memcmp(magic, "TZif", sizeof magic) == 0;
    if (file != NULL)
        fclose(file);
    return is_known ? STATUS_OK
                    : fail(STATUS_NOT_FOUND, why,
                           "this system knows no zone \"%s\", expected a name such as \"Europe/Berlin\"; "
                           "`timedatectl list-timezones` lists them, the package tzdata holds them",
                           name);
}

static int64_t offset_at(int64_t utc_s)
{
    struct tm parts;
    const time_t seconds = (time_t)utc_s;
    localtime_r(&seconds, &parts);
    return parts.tm_gmtoff;
}

static int64_t year_begins(int year)
{
    struct tm parts = {.tm_year = year - 1900, .tm_mday = 1};
    return (int64_t)timegm(&parts);
}

/* The first moment after `before`, up to `after`, at which another offset holds. */
static int64_t change_between(int64_t before, int64_t after)
{
    const int64_t offset = offset_at(before);
    while (after - before > 1) {
        const int64_t middle = before + (after - before) / 2;
        *(offset_at(middle) == offset ? &before : &after) = middle;
    }
    return after;
}

/* No zone changes its offset twice within a week. */
static void tabulate(Arena *arena, Zone *zone)
{
    size_t capacity = 0;
    const int64_t first = year_begins(ZONE_FIRST_YEAR) - WEEK_S, last = year_begins(ZONE_LAST_YEAR + 1) + WEEK_S;
    for (int64_t at = first; at <= last; at += WEEK_S) {
        const int64_t offset = offset_at(at);
        if (zone->count > 0 && zone->offsets[zone->count - 1].offset_s == offset)
            continue;
        const int64_t from = zone->count == 0 ? INT64_MIN : change_between(at - WEEK_S, at);
        zone->offsets = arena_grown(arena, zone->offsets, zone->count, &capacity, sizeof *zone->offsets);
        zone->offsets[zone->count++] = (ZoneOffset){from, offset};
    }
}

/* TZ is never removed again: other threads may be reading the environment, which putting another value in its place does
 * not disturb. */
Status zone_read(const char *name, Arena *arena, Zone *zone, Message *why)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    char value[128];
    Status status = check_zone(name, why);
    if (status != STATUS_OK)
        return status;
    *zone = (Zone){.name = arena_string(arena, name)};
    snprintf(value, sizeof value, ":%s/%s", FOLDER, name);
    pthread_mutex_lock(&one_at_a_time);
    const char *before = getenv("TZ");
    char *restored = allocated(strdup(before == NULL ? DEFAULT_ZONE : before));
    setenv("TZ", value, 1);
    tzset();
    tabulate(arena, zone);
    setenv("TZ", restored, 1);
    tzset();
    pthread_mutex_unlock(&one_at_a_time);
    free(restored);
    return STATUS_OK;
}

/* ---- from one to the other --------------------------------------------------------------------------------------- */

static int64_t offset_of(const Zone *zone, int64_t utc_s)
{
    size_t i = zone->count - 1;
    while (i > 0 && zone->offsets[i].from_s > utc_s)
        i--;
    return zone->offsets[i].offset_s;
}

int64_t zone_local(const Zone *zone, int64_t utc_s)
{
    return utc_s + offset_of(zone, utc_s);
}

/* At most one change lies within a day on either side, so the offsets of both sides are all that can hold. */
int64_t zone_moment(const Zone *zone, int64_t local_s, bool earlier, LocalTimeKind *kind)
{
    const int64_t before = local_s - offset_of(zone, local_s - DAY_OF_ZONE_S);
    const int64_t after = local_s - offset_of(zone, local_s + DAY_OF_ZONE_S);
    const bool before_fits = zone_local(zone, before) == local_s, after_fits = zone_local(zone, after) == local_s;
    *kind = before_fits && after_fits && before != after ? LOCAL_TWICE
            : before_fits || after_fits                  ? LOCAL_ONCE
                                                         : LOCAL_SKIPPED;
    if (*kind == LOCAL_TWICE)
        return earlier ? (before < after ? before : after) : (before < after ? after : before);
    return before_fits || !after_fits ? before : after;
}
