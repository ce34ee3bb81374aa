/* zone.h - a time zone by name, and from local times to moments and back.
 *
 * zone_read() lets the C library read the system's time zones (package tzdata) and keeps all changes of the offset in a table;
 * the other functions are pure and may be called from any thread. zone_read() itself sets and restores the variable TZ, so a
 * program calls it before it starts threads that read the environment for the first time.
 * Units    seconds since 1970, without leap seconds; `local_s` is what the clock on the wall shows, counted as if it were UTC.
 * Range    the years ZONE_FIRST_YEAR to ZONE_LAST_YEAR; nothing changes outside of them.  */
#ifndef SERVICE_CLASS_ZONE_H
#define SERVICE_CLASS_ZONE_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZONE_FIRST_YEAR = 2000, ZONE_LAST_YEAR = 2099 };

typedef struct ZoneOffset {
    int64_t from_s;   /* the offset holds from this moment on */
    int64_t offset_s; /* what is added to UTC; east is positive */
} ZoneOffset;

typedef struct Zone {
    const char *name;    /* "Europe/Berlin" */
    ZoneOffset *offsets; /* oldest first; at least one */
    size_t count;
} Zone;

/* A local time: daylight saving skips some and shows others twice. */
typedef enum LocalTimeKind { LOCAL_ONCE, LOCAL_SKIPPED, LOCAL_TWICE } LocalTimeKind;

/* NOT_FOUND: the system does not know the zone, or no zones at all; the message says what to install. */
MUST_USE Status zone_read(const char *name, Arena *arena, Zone *zone, Message *why);

int64_t zone_local(const Zone *zone, int64_t utc_s);

/* The moment at which clocks show `local_s`. One that they show twice is the second, or with `earlier` the first. One that
 * they skip is counted on with the offset from before: 02:30 is the moment half an hour after 02:00, at which they show 03:30. */
int64_t zone_moment(const Zone *zone, int64_t local_s, bool earlier, LocalTimeKind *kind);

#endif
